"""Ranks to columns of pairs: phrases are gathered from one table by index, and joined a column at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.templates.grammar import slot_names
from rightreasons.templates.phrases import EMPTY, MISSING, Phrases, Piece, tag_text
from rightreasons.templates.rendering import render

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from rightreasons.templates.grammar import Grammar, Variant
    from rightreasons.templates.notation import Item
    from rightreasons.templates.rendering import Sentence

STRINGS = {"none": ("text",), "labelled": ("text", "parse"), "binary": ("text", "parse", "binary")}


class Filler:
    """Fills the sub-variants of one grammar, in one style of text, with or without parses."""

    def __init__(self, grammar: Grammar, style: str, parses: str) -> None:
        """Build the phrase table and, for every sub-variant, the pieces of its two sentences and its tags."""
        self.grammar = grammar
        self.strings = STRINGS[parses]
        self.phrases = Phrases(grammar.document.words, self.strings)
        # Sub-variants share the very items of most sentences, which are told apart faster than compared.
        sentences: dict[int, Sentence] = {}
        self.sides: list[tuple[list[Piece], list[Piece]]] = []
        self.parsed: list[tuple[bool, bool]] = []
        for variant in grammar.variants:
            slots = {name: number for number, name in enumerate(variant.slots)}
            sides, parsed = [], []
            for items in (variant.source.premise, variant.source.hypothesis):
                if id(items) not in sentences:
                    sentences[id(items)] = render(
                        items, grammar.document.words, style, trees=len(self.strings) > 1
                    )
                sides.append(self.phrases.sentence(sentences[id(items)], slots))
                parsed.append(sentences[id(items)].parsed)
            self.sides.append((sides[0], sides[1]))
            self.parsed.append((parsed[0], parsed[1]))
        self.drawn_tags = [tag for tag in grammar.tags if self._drawn(tag)]
        self.tag_pieces = [
            [self._tag_piece(variant, tag) for tag in self.drawn_tags] for variant in grammar.variants
        ]
        self.widths = [max(len(sides[side]) for sides in self.sides) for side in (0, 1)]
        self.table = self.phrases.frame()
        self.facts = self._facts()

    def _drawn(self, tag: str) -> bool:
        """Tell whether a tag of some sub-variant names a slot, so that it differs from pair to pair."""
        return any(slot_names(variant.source.tags.get(tag, ())) for variant in self.grammar.variants)

    def _tag_piece(self, variant: Variant, tag: str) -> Piece:
        if tag not in variant.source.tags:
            return Piece(MISSING, ())
        return self.phrases.tag(variant.source.tags[tag], variant.slots)

    def _facts(self) -> pl.DataFrame:
        """Return what is the same for all pairs of a sub-variant, a row each."""
        document, variants = self.grammar.document, self.grammar.variants
        fixed = [tag for tag in self.grammar.tags if tag not in self.drawn_tags]
        columns: dict[str, list[str | None]] = {
            "id": [f"{document.name}-{variant.name}-" for variant in variants],
            "label": [variant.label for variant in variants],
            "set": [document.name for _ in variants],
            "subcase": [variant.subcase for variant in variants],
            "subvariant": [variant.name for variant in variants],
            "group": [self._group(variant) for variant in variants],
        }
        for tag in fixed:
            columns[tag] = [self._plain(variant.source.tags.get(tag)) for variant in variants]
        return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))

    def _plain(self, items: Sequence[Item] | None) -> str | None:
        return None if items is None else tag_text(items, self.grammar.document.words, {})

    def _group(self, variant: Variant) -> str | None:
        """Name the group of pairs that share their premise, where it has several hypotheses or labels."""
        first = self.grammar.frames[variant.frame][0]
        sharing = [other for other in self.grammar.frames[variant.frame] if other.source.weight > 0]
        labels = {other.label for other in sharing}
        several = len(labels) > 1 or variant.space.hypotheses > 1 or variant.bundle is not None
        name = first.bundle.name if first.bundle else first.name
        return f"{self.grammar.document.name}-{name}-" if several else None

    def rows(self, numbers: NDArray[np.int16], ranks: NDArray[np.int64]) -> pl.DataFrame:
        """Return the pairs of the given sub-variants and ranks, a row each, in this order."""
        matrix = np.full((sum(self.widths) + len(self.drawn_tags), len(ranks)), EMPTY, dtype=np.uint32)
        several = any(variant.space.hypotheses > 1 for variant in self.grammar.variants)
        premises = ranks.copy() if several else ranks
        order = np.argsort(numbers, kind="stable")
        bounds = np.searchsorted(numbers[order], np.arange(len(self.grammar.variants) + 1))
        for number in np.flatnonzero(np.diff(bounds)):
            at = order[bounds[number] : bounds[number + 1]]
            variant = self.grammar.variants[number]
            entries = variant.space.unrank(ranks[at])
            if variant.space.hypotheses > 1:
                premises[at] //= variant.space.hypotheses
            for row, piece in self._pieces(int(number)):
                matrix[row, at] = piece.index(entries)
        return self._select(numbers, ranks, premises, matrix)

    def _pieces(self, number: int) -> list[tuple[int, Piece]]:
        premise, hypothesis = self.sides[number]
        tags = self.tag_pieces[number]
        return [
            *enumerate(premise),
            *enumerate(hypothesis, start=self.widths[0]),
            *enumerate(tags, start=sum(self.widths)),
        ]

    def _select(
        self,
        numbers: NDArray[np.int16],
        ranks: NDArray[np.int64],
        premises: NDArray[np.int64],
        matrix: NDArray[np.uint32],
    ) -> pl.DataFrame:
        rank_text = pl.Series(ranks).cast(pl.String)
        index = pl.DataFrame(
            {"number": numbers.astype(np.uint32), "rank": ranks, "rank_text": rank_text}
            | {"premise_text": rank_text if premises is ranks else pl.Series(premises).cast(pl.String)}
            | {f"piece{row}": column for row, column in enumerate(matrix)}
        )
        split = self.widths[0]
        sides = {"premise": range(split), "hypothesis": range(split, split + self.widths[1])}
        fact = {name: pl.lit(self.facts[name]).gather(pl.col("number")) for name in self.facts.columns}
        columns = {"id": pl.concat_str([fact["id"], pl.col("rank_text")])}
        for side, pieces in sides.items():
            columns[side] = self._joined("text", pieces)
        columns |= {"label": fact["label"], "set": fact["set"], **self._tags(fact)}
        columns["group"] = pl.concat_str([fact["group"], pl.col("premise_text")])
        columns["rank"] = pl.col("rank")
        for string in self.strings[1:]:
            for number, (side, pieces) in enumerate(sides.items()):
                name = f"{side}_parse" if string == "parse" else f"{side}_binary_parse"
                columns[name] = self._parse(self._joined(string, pieces), number)
        # One after the other: side by side they fight for memory, and take longer by the clock too.
        return index.select_seq(**columns)

    def _parse(self, joined: pl.Expr, side: int) -> pl.Expr:
        """Leave the parse of sentences out that are written as plain text."""
        flags = [parsed[side] for parsed in self.parsed]
        if all(flags):
            return joined
        return pl.when(pl.lit(pl.Series(flags)).gather(pl.col("number"))).then(joined)

    def _joined(self, string: str, pieces: range) -> pl.Expr:
        table = pl.lit(self.table[string])
        return pl.concat_str([table.gather(pl.col(f"piece{row}")) for row in pieces])

    def _tags(self, fact: Mapping[str, pl.Expr]) -> dict[str, pl.Expr]:
        table = pl.lit(self.table["text"])
        first = sum(self.widths)
        drawn = {tag: table.gather(pl.col(f"piece{first + n}")) for n, tag in enumerate(self.drawn_tags)}
        names = tag_columns(self.grammar)[1:-2]
        return {name: drawn[name] if name in drawn else fact[name] for name in names}


def tag_columns(grammar: Grammar) -> tuple[str, ...]:
    """Name the columns of a set's pairs that are tags, in order."""
    facts = ("heuristic", "subcase", "template", "subvariant")
    first = [name for name in facts if name in (*grammar.tags, "subcase", "subvariant")]
    return ("set", *first, *(tag for tag in grammar.tags if tag not in first), "group", "rank")
