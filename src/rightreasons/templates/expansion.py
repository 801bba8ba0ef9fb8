"""Templates with every structural choice fixed: the sub-variants."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.pairs import TEXTS
from rightreasons.templates.notation import (
    MOST_LEVELS,
    Branch,
    FixedWord,
    Hole,
    Item,
    Slot,
    get_base_name,
    read_items,
    read_plain_text,
    read_sentence,
)
from rightreasons.templates.rendering import capitalise, list_leaves

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from fractions import Fraction

    from rightreasons.templates.document import Document, Phrase, Template

_DEPTH = 50
Choices = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class SubVariant:
    """One template with its structural choices fixed: two trees over words and slots."""

    name: str
    template: Template
    weight: Fraction
    premise: tuple[Item, ...]
    hypothesis: tuple[Item, ...]
    tags: Mapping[str, tuple[Item, ...]]
    bundle: str | None = None


class _ChoiceNeededError(Exception):
    """A phrase with alternatives was met whose choice is not made yet."""

    def __init__(self, instance: str, phrase: Phrase) -> None:
        self.instance = instance
        self.phrase = phrase


def expand_templates(document: Document) -> list[SubVariant]:
    """Expand every template of a document."""
    variants: list[SubVariant] = []
    sentences = _SentenceExpander(document)
    for _, templates in itertools.groupby(
        document.templates, lambda one: (one.bundle is None, one.bundle or one.name)
    ):
        variants.extend(_expand_templates_jointly(sentences, list(templates)))
    return variants


def _expand_templates_jointly(
    sentences: _SentenceExpander, templates: Sequence[Template]
) -> Iterator[SubVariant]:
    """Expand a template, or all that share one premise: a choice is made for all of them."""
    sentences.check_names(templates[0])
    pending: list[tuple[Choices, Fraction]] = [((), templates[0].weight)]
    while pending:
        choices, weight = pending.pop(0)
        try:
            variants = [_fix_choices(sentences, template, choices, weight) for template in templates]
        except _ChoiceNeededError as needed:
            total = sum(share for share, _ in needed.phrase.alternatives.values())
            pending[:0] = [
                ((*choices, (needed.instance, key)), weight * share / total)
                for key, (share, _) in needed.phrase.alternatives.items()
            ]
            continue
        yield from variants


def _fix_choices(
    sentences: _SentenceExpander, template: Template, choices: Choices, weight: Fraction
) -> SubVariant:
    premise, hypothesis = (sentences.expand_sentence_or_tag(template, key, choices) for key in TEXTS)
    tags = {key: sentences.expand_sentence_or_tag(template, key, choices) for key in template.tags}
    chosen = [choice for _, choice in choices]
    bundle = ".".join([template.bundle, *chosen]) if template.bundle is not None else None
    return SubVariant(".".join([template.name, *chosen]), template, weight, premise, hypothesis, tags, bundle)


class _SentenceExpander:
    """Expands sentences, each once for the same choices: templates share most of theirs."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.known: dict[tuple[str, Choices, Choices, bool], tuple[Item, ...]] = {}

    def check_names(self, template: Template) -> None:
        """Refuse a name that stands for neither a word list nor a phrase."""
        for _, target in template.using:
            if target not in self.document.words and target not in self.document.phrases:
                known = [*self.document.words, *self.document.phrases]
                raise template.get_toml_value("with").make_error(
                    UnknownNameError("word list or phrase", target, known)
                )

    def expand_sentence_or_tag(self, template: Template, key: str, choices: Choices) -> tuple[Item, ...]:
        """Expand a sentence or a tag of a template."""
        text, plain = template.get_sentence_or_tag(key), key not in TEXTS
        known = (text, choices, template.using, plain)
        if known not in self.known:
            try:
                self.known[known] = self.expand_text(text, choices, template.using, plain=plain)
            except InputError as error:
                raise template.get_toml_value(key).make_error(error) from error
        return self.known[known]

    def expand_text(self, text: str, choices: Choices, using: Choices, *, plain: bool) -> tuple[Item, ...]:
        items = read_plain_text(text) if plain else read_sentence(text)
        expanded = _Expander(self.document, dict(choices), dict(using)).replace_phrases(items, {}, "", 0)
        if not expanded and not plain:
            raise InputError(f"{text!r} can be empty. Add a word outside the phrases.")
        return (
            _capitalise_sentences(expanded, begins=False)[0]
            if any(map(_ends_sentence, list_leaves(expanded)[:-1]))
            else expanded
        )


class _Expander:
    """Replaces phrases by their trees, under given choices."""

    def __init__(self, document: Document, choices: Mapping[str, str], using: Mapping[str, str]) -> None:
        self.document = document
        self.choices = choices
        self.using = using
        self.levels = 0  # of the tree around what is being expanded

    def resolve_name(self, name: str, names: Mapping[str, str], prefix: str) -> str:
        """Name a slot or an instance in full: what a phrase was given, or its own, by the list that it stands for."""
        if name in names:
            return names[name]
        target = self.using.get(get_base_name(name))
        return f"{prefix}{name}.{target}" if target else prefix + name

    def replace_phrases(
        self, items: Sequence[Item], names: Mapping[str, str], prefix: str, depth: int
    ) -> tuple[Item, ...]:
        if depth > _DEPTH or self.levels >= MOST_LEVELS:
            what = f"The phrase {prefix.strip('.')} makes a tree of more than {MOST_LEVELS} levels"
            raise InputError(f"{what}. Use fewer levels; a phrase can't contain itself.")
        self.levels += 1
        expanded: list[Item] = []
        for item in items:
            expanded.extend(self.replace_phrases_in_item(item, names, prefix, depth))
        self.levels -= 1
        return tuple(expanded)

    def replace_phrases_in_item(
        self, item: Item, names: Mapping[str, str], prefix: str, depth: int
    ) -> Sequence[Item]:
        if isinstance(item, FixedWord):
            return (item,)
        if isinstance(item, Branch):
            inside = self.replace_phrases(item.children, names, prefix, depth)
            if not inside:
                raise InputError(
                    f"The node {item.label} can be empty. Move the node into the phrase below it."
                )
            return (self.use_label_as_tag(item.label, inside) or Branch(item.label, inside),)
        if isinstance(item, Hole):
            raise InputError("A * is used outside a word list. Use * only in entries that wrap a tree.")
        full = self.resolve_name(item.name, names, prefix)
        if isinstance(item, Slot):
            form = names.get(item.form, self.using.get(item.form, item.form)) if item.form else None
            self.check_slot(full, item, form)
            inner = self.replace_phrases(item.inner, names, prefix, depth)
            return (replace(item, name=full, inner=inner, form=form),)
        arguments = [self.resolve_name(argument, names, prefix) for argument in item.arguments]
        expanded = self.expand_phrase(full, arguments, depth)
        return _glue_to_previous(expanded) if item.glued else expanded

    def check_slot(self, full: str, slot: Slot, form: str | None) -> None:
        """Refuse a slot without a word list, or with one that wraps where nothing is to be wrapped."""
        for name in (get_base_name(full), form):
            if name is not None and name not in self.document.words:
                raise UnknownNameError("word list", name, self.document.words)
        words = self.document.words[replace(slot, name=full, form=form).list_name]
        if words.is_wrapper and not slot.inner:
            raise InputError(
                f"The words of {{{slot.name}}} wrap a tree, but the slot has none. Use {{{slot.name} TREE}}."
            )
        if slot.inner and not words.is_wrapper:
            raise InputError(
                f"The words of {{{slot.name}}} can't wrap a tree. Use {{{slot.name}}} without a tree."
            )

    def use_label_as_tag(self, label: str, inside: Sequence[Item]) -> Slot | None:
        """Use the label above a single slot as its tag if the slot's list has none."""
        if len(inside) != 1 or not isinstance(inside[0], Slot):
            return None
        slot = inside[0]
        if slot.tag is not None or slot.inner or not self.document.words[slot.list_name].is_untagged:
            return None
        return replace(slot, tag=label)

    def expand_phrase(self, instance: str, arguments: Sequence[str], depth: int) -> tuple[Item, ...]:
        name = get_base_name(instance)
        phrase = self.document.phrases.get(name)
        if phrase is None:
            raise UnknownNameError("phrase", name, self.document.phrases)
        if len(arguments) != len(phrase.parameters):
            raise InputError(
                f"The phrase {name} takes {len(phrase.parameters)} names, but got {len(arguments)}. "
                f"Use <{' '.join([name, *phrase.parameters])}>."
            )
        if len(phrase.alternatives) == 1:
            ((_, text),) = phrase.alternatives.values()
        elif instance in self.choices:
            _, text = phrase.alternatives[self.choices[instance]]
        else:
            raise _ChoiceNeededError(instance, phrase)
        names = dict(zip(phrase.parameters, arguments, strict=True))
        return self.replace_phrases(read_items(text), names, f"{instance}.", depth + 1)


def _glue_to_previous(items: Sequence[Item]) -> tuple[Item, ...]:
    """Glue a row of trees to the word before: its first leaf."""
    if not items:
        return ()
    first, *others = items
    if isinstance(first, Branch):
        return (replace(first, children=_glue_to_previous(first.children)), *others)
    return (replace(first, glued=True) if isinstance(first, FixedWord | Slot) else first, *others)


def _ends_sentence(leaf: Item) -> bool:
    """Return whether a leaf ends a sentence: a full stop or the like, by its tag."""
    return isinstance(leaf, FixedWord) and leaf.tag == "."


def _capitalise_sentences(items: Sequence[Item], *, begins: bool) -> tuple[tuple[Item, ...], bool]:
    """Capitalise every sentence after the first; also return whether a sentence would begin after the items."""
    capitalised: list[Item] = []
    for item in items:
        if isinstance(item, Branch):
            children, begins = _capitalise_sentences(item.children, begins=begins)
            capitalised.append(replace(item, children=children))
        elif isinstance(item, Slot):
            inner, ends = _capitalise_sentences(item.inner, begins=False)
            capitalised.append(replace(item, inner=inner, capital=begins))
            begins = ends
        else:
            leaf = (
                replace(item, text=capitalise(item.text)) if begins and isinstance(item, FixedWord) else item
            )
            capitalised.append(leaf)
            begins = _ends_sentence(item)
    return tuple(capitalised), begins
