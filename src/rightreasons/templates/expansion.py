"""Templates with every structural choice fixed: the sub-variants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rightreasons.errors import InputError, UnknownNameError
from rightreasons.templates.notation import (
    Branch,
    Hole,
    Item,
    Slot,
    Word,
    base_name,
    read_items,
    read_plain,
    read_sentence,
)

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


class _ChoiceNeededError(Exception):
    """A phrase with alternatives was met whose choice is not made yet."""

    def __init__(self, instance: str, phrase: Phrase) -> None:
        self.instance = instance
        self.phrase = phrase


def sub_variants(document: Document) -> list[SubVariant]:
    """Expand every template of a document."""
    found: list[SubVariant] = []
    sentences = _Sentences(document)
    for template in document.templates:
        with document.at(template.line):
            found.extend(_of_template(sentences, template))
    return found


def _of_template(sentences: _Sentences, template: Template) -> Iterator[SubVariant]:
    pending: list[tuple[Choices, Fraction]] = [((), template.weight)]
    while pending:
        choices, weight = pending.pop(0)
        try:
            premise = sentences.expanded(template.premise, choices)
            hypothesis = sentences.expanded(template.hypothesis, choices)
            tags = {key: sentences.expanded(text, choices, plain=True) for key, text in template.tags.items()}
        except _ChoiceNeededError as needed:
            total = sum(share for share, _ in needed.phrase.alternatives.values())
            pending[:0] = [
                ((*choices, (needed.instance, key)), weight * share / total)
                for key, (share, _) in needed.phrase.alternatives.items()
            ]
            continue
        name = ".".join([template.name, *(choice for _, choice in choices)])
        yield SubVariant(name, template, weight, premise, hypothesis, tags)


class _Sentences:
    """Expands sentences, each once for the same choices: templates share most of theirs."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.known: dict[tuple[str, Choices, bool], tuple[Item, ...]] = {}

    def expanded(self, text: str, choices: Choices, *, plain: bool = False) -> tuple[Item, ...]:
        key = (text, choices, plain)
        if key not in self.known:
            items = read_plain(text) if plain else read_sentence(text)
            self.known[key] = _Expander(self.document, dict(choices)).items(items, {}, "", 0)
        return self.known[key]


class _Expander:
    """Replaces phrases by their trees, under given choices."""

    def __init__(self, document: Document, choices: Mapping[str, str]) -> None:
        self.document = document
        self.choices = choices

    def items(
        self, items: Sequence[Item], names: Mapping[str, str], prefix: str, depth: int
    ) -> tuple[Item, ...]:
        if depth > _DEPTH:
            raise InputError(
                f"The phrase {prefix.strip('.')} goes on without end. A phrase can't contain itself."
            )
        found: list[Item] = []
        for item in items:
            found.extend(self.item(item, names, prefix, depth))
        return tuple(found)

    def item(self, item: Item, names: Mapping[str, str], prefix: str, depth: int) -> Sequence[Item]:
        if isinstance(item, Word):
            return (item,)
        if isinstance(item, Branch):
            inside = self.items(item.children, names, prefix, depth)
            return (self.tagged(item.label, inside) or Branch(item.label, inside),)
        if isinstance(item, Hole):
            raise InputError("A * stands outside a word list. It belongs into an entry that wraps others.")
        full = names.get(item.name, prefix + item.name)
        if isinstance(item, Slot):
            self.check(full, item)
            return (Slot(full, item.tag, self.items(item.inner, names, prefix, depth), item.glued),)
        given = [names.get(argument, prefix + argument) for argument in item.arguments]
        return self.call(full, given, depth)

    def check(self, full: str, slot: Slot) -> None:
        """Refuse a slot without a word list, or with one that wraps where nothing is to be wrapped."""
        words = self.document.words.get(base_name(full))
        if words is None:
            raise UnknownNameError("word list", base_name(full), self.document.words)
        if words.wraps and not slot.inner:
            raise InputError(f"The words of {{{slot.name}}} wrap a tree. Write it: {{{slot.name} ...}}.")
        if slot.inner and not words.wraps:
            raise InputError(f"The words of {{{slot.name}}} wrap nothing. Write {{{slot.name}}} alone.")

    def tagged(self, label: str, inside: Sequence[Item]) -> Slot | None:
        """Take the label over a single slot for its tag, where the slot's list has none."""
        if len(inside) != 1 or not isinstance(inside[0], Slot):
            return None
        slot = inside[0]
        if slot.tag is not None or slot.inner or not self.document.words[base_name(slot.name)].untagged:
            return None
        return Slot(slot.name, label, (), slot.glued)

    def call(self, instance: str, arguments: Sequence[str], depth: int) -> tuple[Item, ...]:
        name = base_name(instance)
        phrase = self.document.phrases.get(name)
        if phrase is None:
            raise UnknownNameError("phrase", name, self.document.phrases)
        if len(arguments) != len(phrase.parameters):
            raise InputError(
                f"The phrase {name} takes {len(phrase.parameters)} names and was given {len(arguments)}. "
                f"Write <{' '.join([name, *phrase.parameters])}>."
            )
        if len(phrase.alternatives) == 1:
            ((_, text),) = phrase.alternatives.values()
        elif instance in self.choices:
            _, text = phrase.alternatives[self.choices[instance]]
        else:
            raise _ChoiceNeededError(instance, phrase)
        names = dict(zip(phrase.parameters, arguments, strict=True))
        return self.items(read_items(text), names, f"{instance}.", depth + 1)
