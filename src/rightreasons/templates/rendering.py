"""A tree as three strings, the sentence, the parse and the binary parse, cut at its slots."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rightreasons.core.errors import InputError
from rightreasons.templates.notation import Branch, FixedWord, Hole, Item, Slot, get_base_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rightreasons.templates.document import WordList

_MARK = 0xE000
ATTACHED = frozenset([".", ",", ";", ":", "?", "!", "'s", "n't", ")", "%"])
_MOST_SHAPES = 4096


@dataclass(frozen=True)
class Occurrence:
    """One place of a slot in a sentence."""

    slot: str
    words: str
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


def render_sentence(
    items: Sequence[Item], words: Mapping[str, WordList], style: str, *, trees: bool = True
) -> Sentence:
    """Cut a tree at its slots; `style` is natural or tokenised text, and `trees` asks for the parses too."""
    slots = [leaf.name for leaf in list_leaves(items) if isinstance(leaf, Slot)]
    shaping = tuple(dict.fromkeys(name for name in slots if words[get_base_name(name)].shapes_tree))
    ranges = [range(len(words[get_base_name(name)])) for name in shaping]
    literals = []
    occurrences: tuple[Occurrence, ...] = ()
    parsed = any(isinstance(item, Branch) for item in items)
    for number, draw in enumerate(itertools.product(*ranges)):
        if number >= _MOST_SHAPES:
            names = ", ".join(shaping)
            raise InputError(
                f"The slots {names} have more than {_MOST_SHAPES} combinations of tree shapes. Use shorter word lists."
            )
        writer = _SentenceWriter(words, dict(zip(shaping, draw, strict=True)), style, trees=trees)
        parses, binaries = writer.write_items(items)
        text = "".join(writer.text)
        strings = (
            (text, " ".join(parses), _branch_right(binaries))
            if parsed and trees
            else (text,) * (3 if trees else 1)
        )
        occurrences = tuple(writer.occurrences)
        literals.append(tuple(_cut_at_slots(string, len(occurrences)) for string in strings))
    return Sentence(shaping, occurrences, tuple(literals), parsed)


class _SentenceWriter:
    """Writes a tree from left to right as text, parse and binary parse, with a mark for every slot."""

    def __init__(
        self, words: Mapping[str, WordList], draw: Mapping[str, int], style: str, *, trees: bool
    ) -> None:
        self.words = words
        self.trees = trees
        self.draw = draw
        self.natural = style == "natural"
        self.text: list[str] = []
        # Whether the next word is glued to the one before, because the slot that it was drawn for is.
        self.glue = False
        # Whether the next word gets a capital, because the slot that it was drawn for begins a sentence.
        self.begins = True
        self.occurrences: list[Occurrence] = []

    def write_items(self, items: Sequence[Item], inner: Sequence[Item] = ()) -> tuple[list[str], list[str]]:
        """Return the parses and the binary parses of the items; `inner` replaces a hole."""
        parses: list[str] = []
        binaries: list[str] = []
        for item in items:
            if isinstance(item, Branch):
                below, branches = self.write_items(item.children, inner)
                if self.trees:
                    parses.append(f"({item.label} {' '.join(below)})")
                    binaries.append(_branch_right(branches))
            elif isinstance(item, FixedWord):
                token = self.write_token(
                    capitalise(item.text) if self.begins else item.text, glued=item.glued
                )
                if item.tag is not None and self.trees:
                    parses.append(f"({item.tag} {token})")
                    binaries.append(render_binary_leaf(token))
            else:
                more, branches = self.write_items(inner) if isinstance(item, Hole) else self.write_slot(item)
                parses += more
                binaries += branches
        return parses, binaries

    def write_slot(self, item: Item) -> tuple[list[str], list[str]]:
        """Write a slot's mark, or the tree that was drawn for it."""
        if not isinstance(item, Slot):
            raise InputError("A phrase is left in a tree that should have none.")
        self.begins |= item.capital
        if item.name in self.draw:
            self.glue = item.glued
            words, entry = self.words[get_base_name(item.name)], self.draw[item.name]
            tree = words.trees[entry] or (
                FixedWord(words.texts[entry], item.tag or words.tags[entry], item.glued),
            )
            return self.write_items(tree, item.inner)
        mark = chr(_MARK + len(self.occurrences))
        self.occurrences.append(Occurrence(item.name, item.list_name, item.tag is not None, self.begins))
        self.write_token(mark, glued=item.glued)
        return [mark if item.tag is None else f"({item.tag} {mark})"], [mark]

    def write_token(self, token: str, *, glued: bool) -> str:
        attached = glued or self.glue or not self.text or (self.natural and token in ATTACHED)
        self.glue = self.begins = False
        self.text.append(token if attached else f" {token}")
        return token


def _branch_right(parts: Sequence[str]) -> str:
    """Group parts to the right, two by two: the last two first."""
    if not parts:
        return ""
    *head, last = parts
    for part in reversed(head):
        last = f"( {part} {last} )"
    return last


def list_leaves(items: Sequence[Item]) -> list[FixedWord | Slot]:
    """List the words and slots from left to right; a wrapping slot comes before what it wraps."""
    leaves: list[FixedWord | Slot] = []
    pending = list(reversed(items))
    while pending:
        item = pending.pop()
        if isinstance(item, Branch):
            pending.extend(reversed(item.children))
        elif isinstance(item, (FixedWord, Slot)):
            leaves.append(item)
            if isinstance(item, Slot) and item.inner:
                pending.extend(reversed(item.inner))
        else:
            raise InputError("A phrase or a * is left in a tree that should have none.")
    return leaves


def render_binary_leaf(text: str) -> str:
    """Render a leaf of a binary parse; several words branch to the right."""
    return _branch_right(text.split(" "))


def capitalise(text: str) -> str:
    """Upper-case the first letter alone."""
    return text[:1].upper() + text[1:]


def _cut_at_slots(string: str, marks: int) -> tuple[str, ...]:
    parts = []
    for mark in range(marks):
        head, _, string = string.partition(chr(_MARK + mark))
        parts.append(head)
    return (*parts, string)
