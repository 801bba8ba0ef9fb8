"""From text back to ranks: which sub-variant can say a pair, and where in its space."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.templates.filling import Filler
from rightreasons.templates.notation import Slot, base_name
from rightreasons.templates.rendering import leaves

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from rightreasons.templates.grammar import Grammar, Variant
    from rightreasons.templates.lexicon import WordList
    from rightreasons.templates.notation import Item

FOUND = ("set", "mode", "subcase", "template", "subvariant", "trigger", "rank")
STYLES = ("natural", "tokenised")
_TOKEN = r"\w+|[^\w\s]"


@dataclass(frozen=True)
class Run:
    """Some tokens in a row: fixed ones, or those of a slot's entries of one length."""

    start: int
    tokens: tuple[str, ...] | None
    slot: int | None
    length: int


@dataclass(frozen=True)
class Pattern:
    """A sub-variant as two rows of tokens, with the length of every slot's entry fixed."""

    variant: Variant
    runs: tuple[tuple[Run, ...], tuple[Run, ...]]
    lengths: tuple[int, int]


class Recogniser:
    """Finds the pairs of one grammar again."""

    def __init__(self, grammar: Grammar, mode: str | None = None) -> None:
        """Take the grammar, and the name of its mode to tell with what is found."""
        self.grammar = grammar
        self.mode = mode
        self.codes: dict[str, int] = {}
        self.by_lengths: dict[tuple[int, int], list[Pattern]] = {}
        for variant in grammar.variants:
            if variant.source.weight > 0:
                for pattern in _patterns(variant, grammar.lists(variant)):
                    self.by_lengths.setdefault(pattern.lengths, []).append(pattern)
        self.tables = {name: self._table(words) for name, words in grammar.document.words.items()}

    @cached_property
    def fillers(self) -> list[Filler]:
        """Return what writes the pairs anew, to compare: the two styles of text."""
        return [Filler(self.grammar, style, "none") for style in STYLES]

    def _code(self, token: str) -> int:
        return self.codes.setdefault(token, len(self.codes))

    def _table(self, words: WordList) -> dict[int, dict[tuple[int, ...], int]]:
        """Return, by length, the entry of every row of token codes."""
        found: dict[int, dict[tuple[int, ...], int]] = {}
        for entry, text in enumerate(words.texts):
            for first in (False, True):
                tokens = tuple(self._code(token) for token in tokens_of(text, first=first))
                found.setdefault(len(tokens), {}).setdefault(tokens, entry)
        return found

    def matches(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Return every sub-variant and rank that says a pair, with the number of its row."""
        for patterns in self.by_lengths.values():
            for pattern in patterns:
                for run in itertools.chain(*pattern.runs):
                    for token in run.tokens or ():
                        self._code(token)
        sides = [self._encoded(pairs[side]) for side in ("premise", "hypothesis")]
        lengths = np.stack([lengths for _, _, lengths in sides], axis=1)
        rows, numbers, ranks = [np.empty(0, np.int64)], [np.empty(0, np.int16)], [np.empty(0, np.int64)]
        for key, patterns in self.by_lengths.items():
            group = np.flatnonzero((lengths == key).all(axis=1))
            if not len(group):
                continue
            tokens = [
                codes[starts[group, None] + np.arange(n)]
                for (codes, starts, _), n in zip(sides, key, strict=True)
            ]
            for pattern in patterns:
                at, rank = self._match(pattern, tokens)
                rows.append(group[at])
                numbers.append(np.full(len(at), pattern.variant.number, dtype=np.int16))
                ranks.append(rank)
        return self._verified(pairs, np.concatenate(rows), np.concatenate(numbers), np.concatenate(ranks))

    def _encoded(self, texts: pl.Series) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the codes of all tokens in a row, where each text begins, and its number of tokens."""
        lowered = texts.fill_null("").str.replace_all("\x00", " ", literal=True)
        first = lowered.str.strip_chars_start()
        lowered = pl.select(first.str.slice(0, 1).str.to_lowercase() + first.str.slice(1)).to_series()
        tokens = lowered.str.extract_all(_TOKEN)
        lengths = tokens.list.len().to_numpy().astype(np.int64)
        flat = tokens.explode(empty_as_null=False)
        codes = flat.replace_strict(self.codes, default=-1, return_dtype=pl.Int64).to_numpy()
        return codes, np.cumsum(lengths) - lengths, lengths

    def _match(
        self, pattern: Pattern, tokens: Sequence[NDArray[np.int64]]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the rows that fit a pattern, and their ranks."""
        alive = np.arange(len(tokens[0]))
        for codes, runs in zip(tokens, pattern.runs, strict=True):
            for run in runs:
                for offset, token in enumerate(run.tokens or ()):
                    alive = alive[codes[alive, run.start + offset] == self.codes[token]]
        entries: dict[int, NDArray[np.int64]] = {}
        for codes, runs in zip(tokens, pattern.runs, strict=True):
            for run in runs:
                if run.slot is None or not len(alive):
                    continue
                entry = self._entries(pattern, run, codes[alive, run.start : run.start + run.length])
                fits = (entry >= 0) & (entry == entries.get(run.slot, entry))
                alive = alive[fits]
                entries = {slot: column[fits] for slot, column in entries.items()}
                entries[run.slot] = entry[fits]
        if not len(alive):
            return alive, alive
        rank = pattern.variant.space.rank([entries[slot] for slot in range(len(pattern.variant.slots))])
        rank = rank if entries else np.zeros(len(alive), dtype=np.int64)
        return alive[rank >= 0], rank[rank >= 0]

    def _entries(self, pattern: Pattern, run: Run, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        assert run.slot is not None  # noqa: S101 - for the type checker
        table = self.tables[base_name(pattern.variant.slots[run.slot])][run.length]
        if run.length == 1:
            dense = np.full(len(self.codes) + 1, -1, dtype=np.int64)
            dense[[key[0] for key in table]] = list(table.values())
            found: NDArray[np.int64] = dense[codes[:, 0]]
            return found
        found = np.full(len(codes), -1, dtype=np.int64)
        for key, entry in table.items():
            found[(codes == key).all(axis=1)] = entry
        return found

    def _verified(
        self,
        pairs: pl.DataFrame,
        rows: NDArray[np.int64],
        numbers: NDArray[np.int16],
        ranks: NDArray[np.int64],
    ) -> pl.DataFrame:
        """Keep what, written anew, equals the given text to the letter."""
        given = pairs.select("premise", "hypothesis")[rows]
        right = np.zeros(len(rows), dtype=bool)
        written = pl.DataFrame()
        for filler in self.fillers:
            written = filler.rows(numbers, ranks)
            same = (written["premise"] == given["premise"]) & (written["hypothesis"] == given["hypothesis"])
            right |= same.fill_null(value=False).to_numpy()
        wanted = [name for name in FOUND if name in written.columns]
        found = written.select(wanted).with_columns(row=pl.Series(rows), number=pl.Series(numbers))
        if "trigger" not in found.columns:
            found = found.with_columns(trigger=pl.lit(None, dtype=pl.String))
        return (
            found.with_columns(mode=pl.lit(self.mode, dtype=pl.String))
            .filter(pl.Series(right))
            .sort("row", "number")
        )


def recognise(pairs: pl.DataFrame, recognisers: Sequence[Recogniser]) -> pl.DataFrame:
    """Return set, mode, subcase, template, sub-variant, trigger and rank of each pair, null where none fits."""
    table = (
        pairs.select("premise", "hypothesis").with_row_index("row").with_columns(pl.col("row").cast(pl.Int64))
    )
    left, parts = table, []
    for recogniser in recognisers:
        found = recogniser.matches(left)
        found = found.unique("row", keep="first", maintain_order=True).with_columns(
            row=left["row"].gather(found["row"].unique())
        )
        parts.append(found.select("row", *FOUND))
        left = left.join(found, on="row", how="anti")
    together = (
        pl.concat(parts)
        if parts
        else pl.DataFrame(schema={"row": pl.Int64, **dict.fromkeys(FOUND, pl.String)})
    )
    return table.select("row").join(together, on="row", how="left", maintain_order="left").drop("row")


def tokens_of(text: str, *, first: bool = False) -> list[str]:
    """Cut a text into words and signs; at the head of a sentence the first letter's case is not told apart."""
    return re.findall(_TOKEN, text[:1].lower() + text[1:] if first else text)


def _patterns(variant: Variant, lists: Sequence[WordList]) -> Iterator[Pattern]:
    """Fix the number of tokens of every slot's entry, in all ways."""
    choices = [sorted({len(tokens_of(text)) for text in words.texts}) for words in lists]
    for lengths in itertools.product(*choices):
        sides = [
            _runs(items, variant.slots, lengths)
            for items in (variant.source.premise, variant.source.hypothesis)
        ]
        ends = [runs[-1].start + runs[-1].length for runs in sides]
        yield Pattern(variant, (sides[0], sides[1]), (ends[0], ends[1]))


def _runs(items: Sequence[Item], slots: Sequence[str], lengths: Sequence[int]) -> tuple[Run, ...]:
    found: list[Run] = []
    start = 0
    for leaf in leaves(items):
        if isinstance(leaf, Slot):
            slot = slots.index(leaf.name)
            found.append(Run(start, None, slot, lengths[slot]))
        else:
            tokens = tuple(tokens_of(leaf.text, first=start == 0))
            found.append(Run(start, tokens, None, len(tokens)))
        start += found[-1].length
    return tuple(found)
