"""A tree as three strings, the sentence, the parse and the binary parse, cut at its slots."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rightreasons.errors import InputError
from rightreasons.templates.notation import Branch, Hole, Item, Slot, Word, base_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rightreasons.templates.lexicon import WordList

_MARK = 0xE000
_ATTACHED = frozenset([".", ",", ";", ":", "?", "!", "'s", "n't", ")", "%"])
_MOST_SHAPES = 4096


@dataclass(frozen=True)
class Occurrence:
    """One place of a slot in a sentence."""

    slot: str
    tagged: bool
    capital: bool


@dataclass(frozen=True)
class Sentence:
    """The fixed parts between the slots of a sentence, for each draw of the slots that shape the tree.

    literals[shape] holds, for text, parse and binary parse, one string before each occurrence and one after the last.
    """

    shaping: tuple[str, ...]
    occurrences: tuple[Occurrence, ...]
    literals: tuple[tuple[tuple[str, ...], ...], ...]
    parsed: bool


def render(items: Sequence[Item], words: Mapping[str, WordList], style: str) -> Sentence:
    """Cut a tree at its slots; `style` is natural or tokenised text."""
    slots = [leaf.name for leaf in leaves(items) if isinstance(leaf, Slot)]
    shaping = tuple(dict.fromkeys(name for name in slots if words[base_name(name)].shapely))
    ranges = [range(len(words[base_name(name)])) for name in shaping]
    found = []
    occurrences: tuple[Occurrence, ...] = ()
    parsed = any(isinstance(item, Branch) for item in items)
    for number, draw in enumerate(itertools.product(*ranges)):
        if number >= _MOST_SHAPES:
            raise InputError(
                f"The slots {', '.join(shaping)} span over {_MOST_SHAPES} shapes of tree. Use shorter lists."
            )
        plain = tuple(_shaped(items, words, dict(zip(shaping, draw, strict=True))))
        plain = tuple(_capitalised(plain))
        occurrences = tuple(_occurrences(plain))
        marks = iter(range(len(occurrences)))
        text = _text(plain, style, marks)
        parse = _parse(plain, iter(range(len(occurrences)))) if parsed else text
        binary = _binary(plain, iter(range(len(occurrences)))) if parsed else text
        found.append(tuple(_cut(string, len(occurrences)) for string in (text, parse, binary)))
    return Sentence(shaping, occurrences, tuple(found), parsed)


def leaves(items: Sequence[Item]) -> Iterator[Word | Slot]:
    """Walk the words and slots from left to right; a wrapping slot comes before what it wraps."""
    for item in items:
        match item:
            case Branch(_, children):
                yield from leaves(children)
            case Slot(inner=inner):
                yield item
                yield from leaves(inner)
            case Word():
                yield item
            case _:
                raise InputError("A phrase or a * is left in a tree that should have none.")


def binary_leaf(text: str) -> str:
    """Show a leaf in a binary parse; one of several words branches to the right."""
    *head, last = text.split(" ")
    for word in reversed(head):
        last = f"( {word} {last} )"
    return last


def _shaped(items: Sequence[Item], words: Mapping[str, WordList], draw: Mapping[str, int]) -> Iterator[Item]:
    """Put the drawn trees in the place of the slots that shape."""
    for item in items:
        match item:
            case Branch(label, children):
                yield Branch(label, tuple(_shaped(children, words, draw)))
            case Slot(name, tag, inner, glued) if name in draw:
                entries = words[base_name(name)]
                tree = entries.trees[draw[name]]
                if tree is None:
                    yield Word(entries.texts[draw[name]], tag or entries.tags[draw[name]], glued)
                else:
                    yield from _filled(tree, tuple(_shaped(inner, words, draw)))
            case _:
                yield item


def _filled(tree: Sequence[Item], inner: tuple[Item, ...]) -> Iterator[Item]:
    for item in tree:
        match item:
            case Hole():
                yield from inner
            case Branch(label, children):
                yield Branch(label, tuple(_filled(children, inner)))
            case _:
                yield item


def _capitalised(items: Sequence[Item]) -> Iterator[Item]:
    """Upper-case the first letter of the first leaf, if that is a word."""
    for number, item in enumerate(items):
        if number:
            yield item
        elif isinstance(item, Branch):
            yield Branch(item.label, tuple(_capitalised(item.children)))
        elif isinstance(item, Word):
            yield Word(capital(item.text), item.tag, item.glued)
        else:
            yield item


def capital(text: str) -> str:
    """Upper-case the first letter alone."""
    return text[:1].upper() + text[1:]


def _occurrences(items: Sequence[Item]) -> Iterator[Occurrence]:
    for number, leaf in enumerate(leaves(items)):
        if isinstance(leaf, Slot):
            yield Occurrence(leaf.name, tagged=leaf.tag is not None, capital=number == 0)


def _text(items: Sequence[Item], style: str, marks: Iterator[int]) -> str:
    parts: list[str] = []
    for leaf in leaves(items):
        token = chr(_MARK + next(marks)) if isinstance(leaf, Slot) else leaf.text
        attached = leaf.glued or (style == "natural" and token in _ATTACHED)
        parts.append(token if attached or not parts else f" {token}")
    return "".join(parts)


def _parse(items: Sequence[Item], marks: Iterator[int]) -> str:
    shown = []
    for item in items:
        match item:
            case Branch(label, children):
                shown.append(f"({label} {_parse(children, marks)})")
            case Word(text, tag) if tag is not None:
                shown.append(f"({tag} {text})")
            case Slot(tag=tag):
                mark = chr(_MARK + next(marks))
                shown.append(mark if tag is None else f"({tag} {mark})")
            case _:
                pass
    return " ".join(shown)


def _binary(items: Sequence[Item], marks: Iterator[int]) -> str:
    shown = []
    for item in items:
        match item:
            case Branch(_, children):
                shown.append(_binary(children, marks))
            case Word(text, tag) if tag is not None:
                shown.append(binary_leaf(text))
            case Slot():
                shown.append(chr(_MARK + next(marks)))
            case _:
                pass
    return binary_leaf("\0".join(shown).replace(" ", "\1").replace("\0", " ")).replace("\1", " ")


def _cut(string: str, marks: int) -> tuple[str, ...]:
    parts = []
    for mark in range(marks):
        head, _, string = string.partition(chr(_MARK + mark))
        parts.append(head)
    return (*parts, string)
