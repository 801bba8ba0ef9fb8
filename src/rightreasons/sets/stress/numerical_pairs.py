"""Three pairs from one quantity: an entailed comparison, its swap, and a number or comparison that contradicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import polars as pl

from rightreasons.core.edits import EDIT_TAGS, SOURCE_TAGS
from rightreasons.core.keyed_random import derive_numbers, draw_numbers, scale_to_range
from rightreasons.language.number_contexts import UNITS
from rightreasons.language.numbers import write_digits
from rightreasons.sets.stress.numerical_amounts import (
    Amount,
    draw_larger_digits,
    draw_smaller_digits,
    has_smaller_and_larger,
    label_amounts,
    read_amount,
)
from rightreasons.sets.stress.numerical_quantities import find_comparable_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rightreasons.language.numbers import Number

NAME = "stress/numerical"
VERSION = 1
Less = Literal["less", "fewer"]
OWN = ("number", "new_number", "comparison", "kind", "branch")
TAGS = (*SOURCE_TAGS, *EDIT_TAGS, *OWN)
ORDER = ("id", "premise", "hypothesis", "label", *TAGS)
_BOUNDS = (2, 2, 2**31, 2, 2, 2, 2**31)  # of the choices, in their order
_WHOLE_NUMBERS = ("source", "edit_at")
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


class NumberSentence(NamedTuple):
    """A sentence with the number that was chosen in it."""

    row: int
    text: str
    number: Number


class NumberEdit(NamedTuple):
    """A sentence with its number replaced."""

    text: str
    amount: Amount
    put: str
    number: str
    comparison: str


def build_three_pairs(source: NumberSentence, chosen: Choices, less: Less) -> list[tuple[str | int, ...]]:
    """Build the pairs of one sentence: compared, swapped, contradicted; labels are computed from the texts."""
    number, word = source.number, "more" if chosen.more else "less"
    nearer = draw_smaller_digits if chosen.more else draw_larger_digits
    compared = _replace_number(source, word, nearer(number, chosen.way, chosen.amount), less)
    upward = chosen.up if chosen.alone else chosen.more
    further_off = draw_larger_digits if upward else draw_smaller_digits
    digits = further_off(number, chosen.other_way, chosen.other_amount)
    wrong = _replace_number(source, "none" if chosen.alone else word, digits, less)
    branch = f"other_{'larger' if upward else 'smaller'}" if chosen.alone else f"wrong_{word}"
    stated = read_amount(source.text, number.start)
    return [
        _build_pair_row(source, compared, label_amounts(stated, compared.amount), f"compared_{word}"),
        _build_pair_row(source, compared, label_amounts(compared.amount, stated), f"swapped_{word}"),
        _build_pair_row(source, wrong, label_amounts(stated, wrong.amount), branch),
    ]


def _replace_number(source: NumberSentence, comparison: str, digits: int, less: Less) -> NumberEdit:
    """Replace the chosen number by another one, or by a comparison with it."""
    _, text, number = source
    capital = number.start == 0 or number.style.capital
    written = write_digits(digits, number.style._replace(capital=capital and comparison == "none"))
    put = written
    if comparison != "none":
        word = (
            "fewer"
            if comparison == "less" and less == "fewer" and is_number_of_things(source)
            else comparison
        )
        put = f"{word.capitalize() if capital else word} than {written}"
    new = text[: number.start] + put + text[number.end :]
    return NumberEdit(new, read_amount(new, number.start), put, written, comparison)


def _build_pair_row(
    source: NumberSentence, edit: NumberEdit, label: str, branch: str
) -> tuple[str | int, ...]:
    swapped = branch.startswith("swapped")
    sides = (edit.text, source.text) if swapped else (source.text, edit.text)
    return (source.row, *sides, label, edit.put, edit.number, edit.comparison, branch)


def is_number_of_things(source: NumberSentence) -> bool:
    """Return whether a number counts things, which are fewer, and does not measure, which gives less."""
    following = source.text[source.number.end :].split(maxsplit=1)
    unit = following[0].rstrip(".,;:!").lower() if following else ""
    return (
        source.number.style.kind in ("plain", "word")
        and not source.number.style.decimals
        and unit not in UNITS
    )


def build_numerical_pairs(
    sentences: pl.DataFrame, tokens: pl.DataFrame, *, seed: int, less: Less = "less"
) -> pl.DataFrame:
    """Make three pairs of each sentence (id, text, genre) with a free quantity, given the tokens of all of them."""
    places = find_comparable_numbers(sentences["text"], tokens)
    rows = list(places)
    sources = sentences[rows]
    drawn = draw_numbers(sources["id"], NAME, VERSION, seed)
    which = scale_to_range(
        derive_numbers(drawn, np.array([0])), np.array([len(places[row]) for row in rows], dtype=np.int64)
    )
    numbers = [places[row][place] for row, place in zip(rows, which.tolist(), strict=True)]
    choices = [
        _restrict_choices(number, one) for number, one in zip(numbers, _draw_choices(drawn), strict=True)
    ]
    texts = zip(sources["text"].to_list(), numbers, choices, strict=True)
    pairs = [
        pair
        for row, (text, number, chosen) in enumerate(texts)
        for pair in build_three_pairs(NumberSentence(row, text, number), chosen, less)
    ]
    return _assemble_numerical_pairs(sources, numbers, choices, pairs)


def _draw_choices(drawn: NDArray[np.uint64]) -> list[Choices]:
    """Draw all that one sentence takes."""
    return [Choices(*row) for row in zip(*draw_whole_numbers(drawn, _BOUNDS), strict=True)]


def _restrict_choices(number: Number, chosen: Choices) -> Choices:
    """Restrict the choices to the side that has other numbers, if only one has: two cups can't be one cups."""
    below_it, above_it = has_smaller_and_larger(number)
    if below_it and above_it:
        return chosen
    return chosen._replace(more=int(below_it), alone=1, up=int(above_it))


def draw_whole_numbers(drawn: NDArray[np.uint64], bounds: Sequence[int]) -> list[list[int]]:
    """Draw for each sentence one whole number below each of the bounds."""
    return [
        scale_to_range(derive_numbers(drawn, np.array([number])), bound).tolist()
        for number, bound in enumerate(bounds, start=1)
    ]


def _assemble_numerical_pairs(
    sentences: pl.DataFrame, numbers: list[Number], choices: list[Choices], pairs: list[tuple[str | int, ...]]
) -> pl.DataFrame:
    """Build the table of pairs and tags."""
    at, length = pl.col("edit_at"), pl.col("length")
    sources = sentences.with_columns(
        pl.Series("subcase", ["more" if chosen.more else "less" for chosen in choices], dtype=pl.String),
        pl.Series("edit_at", [number.start for number in numbers], dtype=pl.Int64),
        pl.Series("length", [number.end - number.start for number in numbers], dtype=pl.Int64),
        pl.Series("kind", [number.style.kind for number in numbers], dtype=pl.String),
    ).with_columns(pl.col("text").str.slice(at, length).alias("number"))
    return add_ids_and_tags(
        join_pairs_to_sentences(sources.with_columns(pl.col("number").alias("edit_from")), pairs, COLUMNS)
    )


def join_pairs_to_sentences(
    sources: pl.DataFrame, pairs: list[tuple[str | int, ...]], columns: Sequence[str]
) -> pl.DataFrame:
    """Join pairs to their sentences by the first column, the row of the sentence."""
    values = list(zip(*pairs, strict=True)) or [()] * len(columns)
    series = [
        pl.Series(name, column, dtype=pl.Int64 if name in _WHOLE_NUMBERS else pl.String)
        for name, column in zip(columns, values, strict=True)
    ]
    return sources[series[0]].hstack(series[1:])


def add_ids_and_tags(rows: pl.DataFrame) -> pl.DataFrame:
    """Add ids and derived tags, and order the columns."""
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
    ).select(*ORDER)
