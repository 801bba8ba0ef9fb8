"""Three pairs from one quantity: an entailed comparison, its swap, and a number or comparison that contradicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import polars as pl

from rightreasons.draws import below, draws, further
from rightreasons.language.number_context_words import UNITS
from rightreasons.language.numbers import write_digits
from rightreasons.sets.edits import EDIT, SOURCE
from rightreasons.sets.numerical_magnitudes import larger, smaller
from rightreasons.sets.numerical_places import places
from rightreasons.sets.quantities import label_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rightreasons.language.numbers import Number

NAME = "stress/numerical"
VERSION = 1
Less = Literal["less", "fewer"]
OWN = ("number", "new_number", "comparison", "kind", "branch")
TAGS = (*SOURCE, *EDIT, *OWN)
SCHEMA = {
    name: pl.Int64 if name == "edit_at" else pl.String
    for name in ("id", "premise", "hypothesis", "label", *TAGS)
}
_BOUNDS = (2, 2, 2**31, 2, 2, 2, 2**31)  # of the choices, in their order
COLUMNS = ("source", "premise", "hypothesis", "label", "edit_to", "new_number", "comparison", "branch")


class Choices(NamedTuple):
    """What was drawn for one sentence."""

    more: int
    way: int
    amount: int
    alone: int
    up: int
    other_way: int
    other_amount: int


class Source(NamedTuple):
    """A sentence with the number that was chosen in it."""

    row: int
    text: str
    number: Number


class Writer:
    """Writes three pairs for each sentence, column by column."""

    def __init__(self, less: Less) -> None:
        """Take the word for less before things that are counted."""
        self.less = less
        self.columns: dict[str, list[str | int]] = {name: [] for name in COLUMNS}

    def add(self, source: Source, chosen: Choices) -> None:
        """Write the pairs of one sentence: entailed, swapped, contradicted; the texts alone say their labels."""
        word = "more" if chosen.more else "less"
        near = smaller if chosen.more else larger
        entailed = self._edit(source, word, near(source.number, chosen.way, chosen.amount))
        self._row(source, entailed, f"compared_{word}", swapped=False)
        self._row(source, entailed, f"swapped_{word}", swapped=True)
        upward = chosen.up if chosen.alone else chosen.more
        far = larger if upward else smaller
        digits = far(source.number, chosen.other_way, chosen.other_amount)
        branch = f"other_{'larger' if upward else 'smaller'}" if chosen.alone else f"wrong_{word}"
        self._row(source, self._edit(source, "none" if chosen.alone else word, digits), branch, swapped=False)

    def _edit(self, source: Source, comparison: str, digits: int) -> tuple[str, str, str, str]:
        """Return the comparison, the new number, what is put in, and the whole text."""
        text, number = source.text, source.number
        capital = number.start == 0 or number.style.capital
        style = number.style._replace(capital=capital and comparison == "none")
        written = write_digits(digits, style)
        put = written
        if comparison != "none":
            word = (
                "fewer"
                if comparison == "less" and self.less == "fewer" and is_counted(source)
                else comparison
            )
            put = f"{word.capitalize() if capital else word} than {written}"
        return comparison, written, put, text[: number.start] + put + text[number.end :]

    def _row(self, source: Source, edit: tuple[str, str, str, str], branch: str, *, swapped: bool) -> None:
        comparison, written, put, new = edit
        premise, hypothesis = (new, source.text) if swapped else (source.text, new)
        label = label_at(premise, hypothesis, source.number.start)
        row: tuple[str | int, ...] = (
            source.row,
            premise,
            hypothesis,
            label,
            put,
            written,
            comparison,
            branch,
        )
        for column, value in zip(self.columns.values(), row, strict=True):
            column.append(value)


def is_counted(source: Source) -> bool:
    """Tell whether a number counts things, which are fewer, and does not measure, which gives less."""
    following = source.text[source.number.end :].split(maxsplit=1)
    unit = following[0].rstrip(".,;:!").lower() if following else ""
    return (
        source.number.style.kind in ("plain", "word")
        and not source.number.style.decimals
        and unit not in UNITS
    )


def numerical_pairs(
    sentences: pl.DataFrame, tokens: pl.DataFrame, *, seed: int, less: Less = "less"
) -> pl.DataFrame:
    """Make three pairs of each sentence (id, text, genre) with a free quantity, given the tokens of all of them."""
    found = places(sentences["text"], tokens)
    rows = [row for row, numbers in enumerate(found) if numbers]
    kept = sentences[rows]
    drawn = draws(kept["id"], NAME, VERSION, seed)
    which = below(further(drawn, np.array([0])), np.array([len(found[row]) for row in rows], dtype=np.int64))
    writer = Writer(less)
    numbers = [found[row][place] for row, place in zip(rows, which.tolist(), strict=True)]
    for row, (text, number, chosen) in enumerate(zip(kept["text"], numbers, _choices(drawn), strict=True)):
        writer.add(Source(row, text, number), chosen)
    return _table(kept, numbers, writer, ["more" if chosen.more else "less" for chosen in _choices(drawn)])


def _choices(drawn: NDArray[np.uint64]) -> list[Choices]:
    """Draw all that one sentence takes."""
    return [Choices(*row) for row in zip(*drawn_columns(drawn, _BOUNDS), strict=True)]


def drawn_columns(drawn: NDArray[np.uint64], bounds: Sequence[int]) -> list[list[int]]:
    """Draw for each sentence one whole number below each of the bounds."""
    return [
        below(further(drawn, np.array([number])), bound).tolist()
        for number, bound in enumerate(bounds, start=1)
    ]


def _table(
    sentences: pl.DataFrame, numbers: list[Number], writer: Writer, subcases: list[str]
) -> pl.DataFrame:
    """Put the pairs and their tags together."""
    sources = (
        sentences.with_columns(
            pl.Series("subcase", subcases, dtype=pl.String),
            pl.Series("edit_at", [number.start for number in numbers], dtype=pl.Int64),
            pl.Series("length", [number.end - number.start for number in numbers], dtype=pl.Int64),
            pl.Series("kind", [number.style.kind for number in numbers], dtype=pl.String),
        )
        .with_columns(pl.col("text").str.slice(pl.col("edit_at"), pl.col("length")).alias("number"))
        .with_columns(pl.col("number").alias("edit_from"))
    )
    made = pl.DataFrame(
        writer.columns, schema={name: pl.Int64 if name == "source" else pl.String for name in COLUMNS}
    )
    return finished(sources[made["source"]].hstack(made.drop("source")))


def finished(rows: pl.DataFrame) -> pl.DataFrame:
    """Give pairs their ids and the tags that follow from others, in the order of the columns."""
    return rows.with_columns(
        pl.col("id").alias("source_id"),
        pl.col("id").alias("group"),
        pl.lit(NAME).alias("set"),
        pl.lit(None, dtype=pl.String).alias("source_label"),
        pl.when(pl.col("branch").str.starts_with("swapped"))
        .then(pl.lit("premise"))
        .otherwise(pl.lit("hypothesis"))
        .alias("side"),
        pl.concat_str(pl.lit("numerical-"), "id", pl.lit("-"), "label").alias("id"),
    ).select(*SCHEMA)
