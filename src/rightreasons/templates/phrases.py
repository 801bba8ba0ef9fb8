"""One table of phrases: the runs of words between two slots, as text, parse and binary parse."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.templates.grammar import slot_names
from rightreasons.templates.notation import Slot, base_name
from rightreasons.templates.rendering import binary_leaf, capital, leaves

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from rightreasons.templates.lexicon import WordList
    from rightreasons.templates.notation import Item
    from rightreasons.templates.rendering import Occurrence, Sentence

EMPTY, MISSING = 0, 1
_MOST_TAGS = 20_000


@dataclass(frozen=True)
class Piece:
    """A run of the phrase table: where it begins, and the step that each slot's entry takes in it."""

    base: int
    steps: tuple[tuple[int, int], ...]

    def index(self, entries: Sequence[NDArray[np.int64]]) -> NDArray[np.int64] | int:
        """Return the row of the phrase table for every row of entries."""
        found: NDArray[np.int64] | int = self.base
        for slot, step in self.steps:
            found = entries[slot] * step + found if step > 1 else entries[slot] + found
        return found


class Phrases:
    """The table of phrases: text, parse and binary parse of every run of words between two slots."""

    def __init__(self, words: Mapping[str, WordList], strings: Sequence[str]) -> None:
        """Take the strings to show: text, parse, binary. The first two phrases are the empty and the missing one."""
        self.words = words
        self.strings = strings
        self.columns: list[list[str | None]] = [["", None] for _ in strings]
        self.known: dict[object, int] = {}
        self.shown: dict[tuple[str, bool, bool], tuple[list[str], ...]] = {}

    def frame(self) -> dict[str, pl.Series]:
        """Return the columns of the table."""
        columns = zip(self.strings, self.columns, strict=True)
        return {string: pl.Series(string, column, dtype=pl.String) for string, column in columns}

    def add(self, key: object, rows: Sequence[Sequence[str]]) -> int:
        """Append the rows of a run once, and return where it begins."""
        if key not in self.known:
            self.known[key] = len(self.columns[0])
            for column, strings in zip(self.columns, rows, strict=False):
                column.extend(strings)
        return self.known[key]

    def sentence(self, sentence: Sentence, slots: Mapping[str, int]) -> list[Piece]:
        """Cut a sentence into pieces, one for each slot in it, each with the fixed text before it."""
        last = len(sentence.occurrences) - 1
        pieces = []
        for number, occurrence in enumerate(sentence.occurrences):
            heads = [tuple(string[number] for string in shape) for shape in sentence.literals]
            tails = [tuple(string[-1] for string in shape) for shape in sentence.literals]
            alone = number == last and len(set(tails)) == 1
            pieces.append(self._piece(sentence, occurrence, heads, tails[0] if alone else ("",) * 3, slots))
        if not sentence.occurrences or len({tuple(s[-1] for s in shape) for shape in sentence.literals}) > 1:
            tails = [tuple(string[-1] for string in shape) for shape in sentence.literals]
            base = self.add(("tail", tuple(tails)), list(zip(*tails, strict=True)))
            pieces.append(Piece(base, self._shape_steps(sentence, slots, 1)))
        return pieces

    def _piece(
        self,
        sentence: Sentence,
        occurrence: Occurrence,
        heads: Sequence[tuple[str, ...]],
        tail: tuple[str, ...],
        slots: Mapping[str, int],
    ) -> Piece:
        name = occurrence.words
        shown = self.show(name, tagged=occurrence.tagged, big=occurrence.capital)
        fixed = len(set(heads)) == 1
        heads = heads[:1] if fixed else heads
        key = (name, occurrence.tagged, occurrence.capital, tuple(heads), tail)
        if key not in self.known:
            rows = [
                [head[n] + word + tail[n] for head in heads for word in shown[n]]
                for n in range(len(self.columns))
            ]
            self.add(key, rows)
        own = ((slots[occurrence.slot], 1),)
        steps = () if fixed else self._shape_steps(sentence, slots, len(self.words[name]))
        return Piece(self.known[key], (*own, *steps))

    def _shape_steps(
        self, sentence: Sentence, slots: Mapping[str, int], step: int
    ) -> tuple[tuple[int, int], ...]:
        found = []
        for name in reversed(sentence.shaping):
            found.append((slots[name], step))
            step *= len(self.words[base_name(name)])
        return tuple(found)

    def show(self, name: str, *, tagged: bool, big: bool) -> tuple[list[str], ...]:
        """Return a list's words as they stand in a text, a parse and a binary parse."""
        key = (name, tagged, big)
        if key not in self.shown:
            words = self.words[name]
            texts = [capital(text) if big else text for text in words.texts]
            parses = [
                t if tagged or not tag else f"({tag} {t})" for t, tag in zip(texts, words.tags, strict=True)
            ]
            self.shown[key] = (texts, parses, [binary_leaf(text) if " " in text else text for text in texts])
        return self.shown[key]

    def tag(self, items: Sequence[Item], slots: Sequence[str]) -> Piece:
        """Return the piece of a tag: fixed text, or text with slots in it."""
        names = slot_names(items)
        lists = [range(len(self.words[base_name(name)])) for name in names]
        if math.prod(map(len, lists)) > _MOST_TAGS:
            raise InputError(
                f"A tag over the slots {', '.join(names)} has too many values. Name fewer slots in it."
            )
        draws = (dict(zip(names, draw, strict=True)) for draw in itertools.product(*lists))
        values = [tag_text(items, self.words, draw) for draw in draws]
        base = self.add(("tag", tuple(values)), (values, values, values))
        steps, step = [], 1
        for name, entries in zip(reversed(names), reversed(lists), strict=True):
            steps.append((slots.index(name), step))
            step *= len(entries)
        return Piece(base, tuple(steps))


def tag_text(items: Sequence[Item], words: Mapping[str, WordList], draw: Mapping[str, int]) -> str:
    """Write a tag with the words that were drawn for its slots."""
    shown = ""
    for leaf in leaves(items):
        text = words[leaf.shown].texts[draw[leaf.name]] if isinstance(leaf, Slot) else leaf.text
        shown += text if leaf.glued or not shown else f" {text}"
    return shown
