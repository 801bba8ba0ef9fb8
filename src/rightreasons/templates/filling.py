"""Ranks to columns of pairs: one table of phrases, from which columns are gathered by index and joined.

A phrase is a run of words between two slots, as text, parse and binary parse.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.templates.grammar import list_slot_names
from rightreasons.templates.notation import Slot, get_base_name
from rightreasons.templates.rendering import capitalise, list_leaves, render_binary_leaf, render_sentence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from rightreasons.templates.document import WordList
    from rightreasons.templates.grammar import Grammar, Variant
    from rightreasons.templates.notation import Item
    from rightreasons.templates.rendering import Occurrence, Sentence

EMPTY, MISSING = 0, 1
_MOST_TAGS = 20_000
STRINGS = {"none": ("text",), "labelled": ("text", "parse"), "binary": ("text", "parse", "binary")}


@dataclass(frozen=True)
class Piece:
    """A run of the phrase table: where it begins, and the step that each slot's entry takes in it."""

    base: int
    steps: tuple[tuple[int, int], ...]

    def compute_rows(self, entries: Sequence[NDArray[np.int64]]) -> NDArray[np.int64] | int:
        """Return the row of the phrase table for every row of entries."""
        row: NDArray[np.int64] | int = self.base
        for slot, step in self.steps:
            row = entries[slot] * step + row if step > 1 else entries[slot] + row
        return row


class PhraseTable:
    """The table of phrases: text, parse and binary parse of every run of words between two slots."""

    def __init__(self, words: Mapping[str, WordList], strings: Sequence[str]) -> None:
        """Set the strings to render: text, parse, binary. The first two phrases are the empty and the missing one."""
        self.words = words
        self.strings = strings
        self.columns: list[list[str | None]] = [["", None] for _ in strings]
        self.known: dict[object, int] = {}
        self.rendered: dict[tuple[str, bool, bool], tuple[list[str], ...]] = {}

    def to_columns(self) -> dict[str, pl.Series]:
        """Return the columns of the table."""
        columns = zip(self.strings, self.columns, strict=True)
        return {string: pl.Series(string, column, dtype=pl.String) for string, column in columns}

    def add_run(self, key: object, rows: Sequence[Sequence[str]]) -> int:
        """Append the rows of a run once, and return where it begins."""
        if key not in self.known:
            self.known[key] = len(self.columns[0])
            for column, strings in zip(self.columns, rows, strict=False):
                column.extend(strings)
        return self.known[key]

    def add_sentence_pieces(self, sentence: Sentence, slots: Mapping[str, int]) -> list[Piece]:
        """Cut a sentence into pieces, one for each slot in it, each with the fixed text before it."""
        last = len(sentence.occurrences) - 1
        pieces = []
        for number, occurrence in enumerate(sentence.occurrences):
            heads = [tuple(string[number] for string in shape) for shape in sentence.literals]
            tails = [tuple(string[-1] for string in shape) for shape in sentence.literals]
            alone = number == last and len(set(tails)) == 1
            pieces.append(
                self._add_piece(sentence, occurrence, heads, tails[0] if alone else ("",) * 3, slots)
            )
        if not sentence.occurrences or len({tuple(s[-1] for s in shape) for shape in sentence.literals}) > 1:
            tails = [tuple(string[-1] for string in shape) for shape in sentence.literals]
            base = self.add_run(("tail", tuple(tails)), list(zip(*tails, strict=True)))
            pieces.append(Piece(base, self._list_shape_steps(sentence, slots, 1)))
        return pieces

    def _add_piece(
        self,
        sentence: Sentence,
        occurrence: Occurrence,
        heads: Sequence[tuple[str, ...]],
        tail: tuple[str, ...],
        slots: Mapping[str, int],
    ) -> Piece:
        name = occurrence.words
        words = self.render_list_words(name, tagged=occurrence.tagged, big=occurrence.capital)
        fixed = len(set(heads)) == 1
        heads = heads[:1] if fixed else heads
        key = (name, occurrence.tagged, occurrence.capital, tuple(heads), tail)
        if key not in self.known:
            rows = [
                [head[n] + word + tail[n] for head in heads for word in words[n]]
                for n in range(len(self.columns))
            ]
            self.add_run(key, rows)
        own = ((slots[occurrence.slot], 1),)
        steps = () if fixed else self._list_shape_steps(sentence, slots, len(self.words[name]))
        return Piece(self.known[key], (*own, *steps))

    def _list_shape_steps(
        self, sentence: Sentence, slots: Mapping[str, int], step: int
    ) -> tuple[tuple[int, int], ...]:
        steps = []
        for name in reversed(sentence.shaping):
            steps.append((slots[name], step))
            step *= len(self.words[get_base_name(name)])
        return tuple(steps)

    def render_list_words(self, name: str, *, tagged: bool, big: bool) -> tuple[list[str], ...]:
        """Return a list's words as they stand in a text, a parse and a binary parse."""
        key = (name, tagged, big)
        if key not in self.rendered:
            words = self.words[name]
            texts = [capitalise(text) if big else text for text in words.texts]
            parses = [
                t if tagged or not tag else f"({tag} {t})" for t, tag in zip(texts, words.tags, strict=True)
            ]
            self.rendered[key] = (
                texts,
                parses,
                [render_binary_leaf(text) if " " in text else text for text in texts],
            )
        return self.rendered[key]

    def add_tag_piece(self, items: Sequence[Item], slots: Sequence[str]) -> Piece:
        """Return the piece of a tag: fixed text, or text with slots in it."""
        names = list_slot_names(items)
        lists = [range(len(self.words[get_base_name(name)])) for name in names]
        if math.prod(map(len, lists)) > _MOST_TAGS:
            raise InputError(f"A tag with the slots {', '.join(names)} has too many values. Use fewer slots.")
        draws = (dict(zip(names, draw, strict=True)) for draw in itertools.product(*lists))
        values = [render_tag(items, self.words, draw) for draw in draws]
        base = self.add_run(("tag", tuple(values)), (values, values, values))
        steps, step = [], 1
        for name, entries in zip(reversed(names), reversed(lists), strict=True):
            steps.append((slots.index(name), step))
            step *= len(entries)
        return Piece(base, tuple(steps))


def render_tag(items: Sequence[Item], words: Mapping[str, WordList], draw: Mapping[str, int]) -> str:
    """Write a tag with the words that were drawn for its slots."""
    tag = ""
    for leaf in list_leaves(items):
        text = words[leaf.list_name].texts[draw[leaf.name]] if isinstance(leaf, Slot) else leaf.text
        tag += text if leaf.glued or not tag else f" {text}"
    return tag


class Filler:
    """Fills the sub-variants of one grammar, in one style of text, with or without parses."""

    def __init__(self, grammar: Grammar, style: str, parses: str) -> None:
        """Build the phrase table and, for every sub-variant, the pieces of its two sentences and its tags."""
        self.grammar = grammar
        self.strings = STRINGS[parses]
        self.phrases = PhraseTable(grammar.document.words, self.strings)
        # Sub-variants share the same item objects for most sentences; comparing ids is faster than comparing items.
        sentences: dict[int, Sentence] = {}
        self.sides: list[tuple[list[Piece], list[Piece]]] = []
        self.parsed: list[tuple[bool, bool]] = []
        for variant in grammar.variants:
            slots = {name: number for number, name in enumerate(variant.slots)}
            sides, parsed = [], []
            for items in (variant.source.premise, variant.source.hypothesis):
                if id(items) not in sentences:
                    sentences[id(items)] = render_sentence(
                        items, grammar.document.words, style, trees=len(self.strings) > 1
                    )
                sides.append(self.phrases.add_sentence_pieces(sentences[id(items)], slots))
                parsed.append(sentences[id(items)].parsed)
            self.sides.append((sides[0], sides[1]))
            self.parsed.append((parsed[0], parsed[1]))
        self.drawn_tags = [tag for tag in grammar.tags if self._is_drawn_tag(tag)]
        self.tag_pieces = [
            [self._make_tag_piece(variant, tag) for tag in self.drawn_tags] for variant in grammar.variants
        ]
        self.widths = [max(len(sides[side]) for sides in self.sides) for side in (0, 1)]
        self.table = self.phrases.to_columns()
        self.facts = self._collect_fixed_columns()

    def _is_drawn_tag(self, tag: str) -> bool:
        """Return whether a tag of some sub-variant names a slot, so that it differs from pair to pair."""
        return any(list_slot_names(variant.source.tags.get(tag, ())) for variant in self.grammar.variants)

    def _make_tag_piece(self, variant: Variant, tag: str) -> Piece:
        if tag not in variant.source.tags:
            return Piece(MISSING, ())
        return self.phrases.add_tag_piece(variant.source.tags[tag], variant.slots)

    def _collect_fixed_columns(self) -> pl.DataFrame:
        """Return what is the same for all pairs of a sub-variant, a row each."""
        document, variants = self.grammar.document, self.grammar.variants
        fixed = [tag for tag in self.grammar.tags if tag not in self.drawn_tags]
        columns: dict[str, list[str | None]] = {
            "id": [f"{document.name}-{variant.name}-" for variant in variants],
            "label": [variant.label for variant in variants],
            "set": [document.name for _ in variants],
            "subcase": [variant.subcase for variant in variants],
            "subvariant": [variant.name for variant in variants],
            "group": [self._name_group(variant) for variant in variants],
        }
        for tag in fixed:
            columns[tag] = [self._render_fixed_tag(variant.source.tags.get(tag)) for variant in variants]
        return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))

    def _render_fixed_tag(self, items: Sequence[Item] | None) -> str | None:
        return None if items is None else render_tag(items, self.grammar.document.words, {})

    def _name_group(self, variant: Variant) -> str | None:
        """Name the group of pairs that share their premise, where it has several hypotheses or labels."""
        first = self.grammar.frames[variant.frame][0]
        sharing = [other for other in self.grammar.frames[variant.frame] if other.source.weight > 0]
        labels = {other.label for other in sharing}
        several = len(labels) > 1 or variant.space.hypotheses > 1 or variant.bundle is not None
        name = first.bundle.name if first.bundle else first.name
        return f"{self.grammar.document.name}-{name}-" if several else None

    def fill_pairs(self, numbers: NDArray[np.int16], ranks: NDArray[np.int64]) -> pl.DataFrame:
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
            for row, piece in self._list_pieces(int(number)):
                matrix[row, at] = piece.compute_rows(entries)
        return self._gather_columns(numbers, ranks, premises, matrix)

    def _list_pieces(self, number: int) -> list[tuple[int, Piece]]:
        premise, hypothesis = self.sides[number]
        tags = self.tag_pieces[number]
        return [
            *enumerate(premise),
            *enumerate(hypothesis, start=self.widths[0]),
            *enumerate(tags, start=sum(self.widths)),
        ]

    def _gather_columns(
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
            columns[side] = self._join_pieces("text", pieces)
        columns |= {"label": fact["label"], "set": fact["set"], **self._gather_tag_columns(fact)}
        columns["group"] = pl.concat_str([fact["group"], pl.col("premise_text")])
        columns["rank"] = pl.col("rank")
        for string in self.strings[1:]:
            for number, (side, pieces) in enumerate(sides.items()):
                name = f"{side}_parse" if string == "parse" else f"{side}_binary_parse"
                columns[name] = self._hide_plain_parses(self._join_pieces(string, pieces), number)
        # One after the other: in parallel they compete for memory and take longer.
        return index.select_seq(**columns)

    def _hide_plain_parses(self, joined: pl.Expr, side: int) -> pl.Expr:
        """Set the parse of sentences that are written as plain text to null."""
        flags = [parsed[side] for parsed in self.parsed]
        if all(flags):
            return joined
        return pl.when(pl.lit(pl.Series(flags)).gather(pl.col("number"))).then(joined)

    def _join_pieces(self, string: str, pieces: range) -> pl.Expr:
        table = pl.lit(self.table[string])
        return pl.concat_str([table.gather(pl.col(f"piece{row}")) for row in pieces])

    def _gather_tag_columns(self, fact: Mapping[str, pl.Expr]) -> dict[str, pl.Expr]:
        table = pl.lit(self.table["text"])
        first = sum(self.widths)
        drawn = {tag: table.gather(pl.col(f"piece{first + n}")) for n, tag in enumerate(self.drawn_tags)}
        names = list_tag_columns(self.grammar)[1:-2]
        return {name: drawn[name] if name in drawn else fact[name] for name in names}


def list_tag_columns(grammar: Grammar) -> tuple[str, ...]:
    """Name the columns of a set's pairs that are tags, in order."""
    facts = ("heuristic", "subcase", "template", "subvariant")
    first = [name for name in facts if name in (*grammar.tags, "subcase", "subvariant")]
    return ("set", *first, *(tag for tag in grammar.tags if tag not in first), "group", "rank")
