"""Templates with every structural choice fixed: the sub-variants."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from rightreasons.errors import InputError, UnknownNameError
from rightreasons.templates.notation import (
    Branch,
    Call,
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

    from rightreasons.templates.document import Document, Phrase, Template

_DEPTH = 50


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
    found = []
    for template in document.templates:
        with document.at(template.line):
            found.extend(_of_template(document, template))
    return found


def _of_template(document: Document, template: Template) -> Iterator[SubVariant]:
    pending: list[tuple[dict[str, str], Fraction]] = [({}, template.weight)]
    while pending:
        choices, weight = pending.pop(0)
        expander = _Expander(document, choices)
        try:
            premise = expander.items(read_sentence(template.premise), {}, "", 0)
            hypothesis = expander.items(read_sentence(template.hypothesis), {}, "", 0)
            tags = {key: expander.items(read_plain(text), {}, "", 0) for key, text in template.tags.items()}
        except _ChoiceNeededError as needed:
            total = sum(share for share, _ in needed.phrase.alternatives.values())
            branches = [
                ({**choices, needed.instance: key}, weight * share / total)
                for key, (share, _) in needed.phrase.alternatives.items()
            ]
            pending[:0] = branches
            continue
        name = ".".join([template.name, *choices.values()])
        yield SubVariant(name, template, weight, premise, hypothesis, tags)


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
        match item:
            case Word():
                return (item,)
            case Hole():
                raise InputError(
                    "A * stands outside a word list. It belongs into an entry that wraps others."
                )
            case Branch(label, children):
                inside = self.items(children, names, prefix, depth)
                return (self.tagged(label, inside) or Branch(label, inside),)
            case Slot(name, tag, inner, glued):
                full = names.get(name, prefix + name)
                words = self.document.words.get(base_name(full))
                if words is None:
                    raise UnknownNameError("word list", base_name(full), self.document.words)
                if words.wraps != bool(inner):
                    raise InputError(
                        f"The slot {{{name}}} and its word list don't fit: "
                        + ("write what it is wrapped around." if words.wraps else "its words wrap nothing.")
                    )
                return (Slot(full, tag, self.items(inner, names, prefix, depth), glued),)
            case Call(name, arguments):
                full = names.get(name, prefix + name)
                given = [names.get(argument, prefix + argument) for argument in arguments]
                return self.call(full, given, depth)

    def tagged(self, label: str, inside: Sequence[Item]) -> Slot | None:
        """Take the label over a single slot for its tag, where the slot's list has none."""
        match inside:
            case (Slot(name, None, (), glued),) if self.document.words[base_name(name)].untagged:
                return Slot(name, label, (), glued)
            case _:
                return None

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
