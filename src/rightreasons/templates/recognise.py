"""From text back to ranks: which sub-variant can say a pair, and where in its space."""

from __future__ import annotations

import itertools
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.templates.filling import Filler
from rightreasons.templates.text_patterns import STYLES, PatternBuilder, split_ambiguous_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rightreasons.core.parts import PairRecogniser
    from rightreasons.templates.grammar import Grammar
    from rightreasons.templates.text_patterns import ChunkRun, Pattern

RECOGNISED = ("set", "mode", "subcase", "template", "subvariant", "trigger", "rank")


class Recogniser:
    """Finds the pairs of one grammar again, in either style of text."""

    def __init__(self, grammar: Grammar, mode: str | None = None) -> None:
        """Set the grammar, and the name of its mode, which is added to matches."""
        self.grammar = grammar
        self.mode = mode
        self.by_lengths: dict[tuple[int, int], list[Pattern]] = {}
        self.codes: dict[str, int] = {}
        self.lookups: dict[int, _ChunkLookup] = {}
        for style in STYLES:
            patterns = PatternBuilder(grammar, style)
            for variant in grammar.variants:
                if variant.source.weight > 0:
                    for pattern in itertools.chain.from_iterable(
                        map(split_ambiguous_pattern, patterns.build_patterns(variant))
                    ):
                        self.by_lengths.setdefault(pattern.lengths, []).append(pattern)
        for patterns_of_length in self.by_lengths.values():
            for pattern in patterns_of_length:
                for run in (*pattern.runs[0], *pattern.runs[1]):
                    if id(run.chunks) not in self.lookups:
                        self.lookups[id(run.chunks)] = _ChunkLookup(run, self.codes)

    def matches(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Return every sub-variant and rank that says a pair, with the number of its row."""
        sides = [self._encode_chunks(pairs[side]) for side in ("premise", "hypothesis")]
        lengths = np.stack([lengths for _, _, lengths in sides], axis=1)
        rows, numbers, ranks = [np.empty(0, np.int64)], [np.empty(0, np.int16)], [np.empty(0, np.int64)]
        for key, patterns in self.by_lengths.items():
            group = np.flatnonzero((lengths == key).all(axis=1))
            if not len(group):
                continue
            chunks = [
                codes[starts[group, None] + np.arange(n)]
                for (codes, starts, _), n in zip(sides, key, strict=True)
            ]
            for pattern in patterns:
                at, rank = self._match_pattern(pattern, chunks)
                rows.append(group[at])
                numbers.append(np.full(len(at), pattern.variant.number, dtype=np.int16))
                ranks.append(rank)
        return self._build_match_columns(np.concatenate(rows), np.concatenate(numbers), np.concatenate(ranks))

    def _encode_chunks(
        self, texts: pl.Series
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the codes of all chunks in a row, where each text begins, and its number of chunks."""
        chunks = texts.fill_null("").str.split(" ")
        lengths = chunks.list.len().to_numpy().astype(np.int64)
        flat = chunks.explode(empty_as_null=False)
        codes = flat.replace_strict(self.codes, default=-1, return_dtype=pl.Int64).to_numpy()
        return codes, np.cumsum(lengths) - lengths, lengths

    def _match_pattern(
        self, pattern: Pattern, chunks: Sequence[NDArray[np.int64]]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the rows that fit a pattern, and their ranks."""
        alive = np.arange(len(chunks[0]))
        entries: dict[int, NDArray[np.int64]] = {}
        runs = [(side, run) for side in (0, 1) for run in pattern.runs[side]]
        # Fixed runs first: they rule out most rows.
        for side, run in sorted(runs, key=lambda one: bool(one[1].slots)):
            if not len(alive):
                return alive, alive
            codes = chunks[side][alive, run.start : run.start + run.length]
            drawn = self.lookups[id(run.chunks)].look_up_draws(codes)
            fits = drawn[:, 0] >= 0
            for number, slot in enumerate(run.slots, start=1):
                fits &= entries.setdefault(slot, drawn[:, number]) == drawn[:, number]
            alive = alive[fits]
            entries = {slot: column[fits] for slot, column in entries.items()}
        if not entries:
            return alive, np.zeros(len(alive), dtype=np.int64)
        rank = pattern.variant.space.rank([entries[slot] for slot in range(len(entries))])
        return alive[rank >= 0], rank[rank >= 0]

    def _build_match_columns(
        self, rows: NDArray[np.int64], numbers: NDArray[np.int16], ranks: NDArray[np.int64]
    ) -> pl.DataFrame:
        written = Filler(self.grammar, self.grammar.document.text, "none").fill_pairs(numbers, ranks)
        if "trigger" not in written.columns:
            written = written.with_columns(trigger=pl.lit(None, dtype=pl.String))
        matches = written.with_columns(
            row=pl.Series(rows), number=pl.Series(numbers), mode=pl.lit(self.mode, dtype=pl.String)
        )
        # Sentences without punctuation are the same in both styles, and are found twice.
        return (
            matches.select("row", "number", *RECOGNISED)
            .unique(["row", "number", "rank"])
            .sort("row", "number", "rank")
        )


class _ChunkLookup:
    """From codes of chunks to the entries of a run's slots."""

    def __init__(self, run: ChunkRun, codes: dict[str, int]) -> None:
        self.draws = np.array([(0, *draw) for draw in run.chunks], dtype=np.int64)
        self.nothing = np.full(self.draws.shape[1], -1, dtype=np.int64)
        keys = [
            tuple(codes.setdefault(chunk, len(codes)) for chunk in chunks) for chunks in run.chunks.values()
        ]
        self.draw_of = {key: number for number, key in enumerate(keys)}

    @cached_property
    def draw_by_code(self) -> NDArray[np.int64]:
        """Return, by the code of a single chunk, the number of its draw."""
        codes = [key[0] for key in self.draw_of]
        table = np.full(max(codes) + 2, -1, dtype=np.int64)
        table[codes] = list(self.draw_of.values())
        return table

    def look_up_draws(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return, for each row of codes, 0 and the entries of the slots, or -1 where none fits."""
        if codes.shape[1] == 1:
            # A code that is unknown, or past the table, meets the -1 at its end.
            draw = self.draw_by_code[np.minimum(codes[:, 0], len(self.draw_by_code) - 1)]
        else:
            draw = np.full(len(codes), -1, dtype=np.int64)
            for key, number in self.draw_of.items():
                draw[(codes == key).all(axis=1)] = number
        return np.where(draw[:, None] >= 0, self.draws[draw], self.nothing)


def recognise_pairs(pairs: pl.DataFrame, recognisers: Sequence[PairRecogniser]) -> pl.DataFrame:
    """Return set, mode, subcase, template, sub-variant, trigger and rank of each pair, null where none fits."""
    table = pairs.select("premise", "hypothesis").with_columns(row=pl.int_range(pl.len(), dtype=pl.Int64))
    schema = {name: pl.Int64 if name == "rank" else pl.String for name in RECOGNISED}
    parts, left = [pl.DataFrame(schema={"row": pl.Int64, **schema})], table
    for recogniser in recognisers:
        matches = recogniser.matches(left).unique("row", keep="first", maintain_order=True)
        named = matches.select("row", *RECOGNISED).with_columns(row=left["row"].gather(matches["row"]))
        parts.append(named)
        left = left.join(named, on="row", how="anti", maintain_order="left")
    together = pl.concat(parts)
    return table.select("row").join(together, on="row", how="left", maintain_order="left").drop("row")
