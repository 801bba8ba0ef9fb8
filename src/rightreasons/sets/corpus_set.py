"""What all sets made from a corpus have in common: their size, their order, their card."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

import numpy as np
import polars as pl

from rightreasons import __version__
from rightreasons.core.errors import InputError, TooFewPairsError, format_count
from rightreasons.core.keyed_random import draw_numbers
from rightreasons.core.labels import LABELS
from rightreasons.core.options import get_options
from rightreasons.core.pairs import Card
from rightreasons.core.parts import SetPart

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

Mode = Literal["corrected", "faithful"]
Short = Literal["refuse", "allow"]
POCKET = ("pocket",)
CORPUS_HELP = "Files of pairs, hf:NAME, or pocket for the pairs inside the package."
TAGGER_HELP = "Part-of-speech tagger for corpora without parses: default, or spacy:NAME."
SHORT_HELP = "What to do if there are fewer pairs than requested: refuse or allow."
HINT = "Give a larger --corpus, reduce the number requested, or use -o short=allow."


class NoPairsError(TooFewPairsError):
    """A corpus gives no pair for a set; a run may then make it from what comes with the package."""


class TablePlan:
    """A set whose rows are all there: any range of them is a slice."""

    def __init__(self, table: pl.DataFrame, card: Card) -> None:
        """Set the rows and the card."""
        self.table = table
        self.card = card

    @property
    def schema(self) -> Mapping[str, pl.DataType]:
        """Return the columns and their types."""
        return dict(self.table.schema)

    def __len__(self) -> int:
        """Count the pairs."""
        return self.table.height

    def rows(self, start: int, stop: int) -> pl.DataFrame:
        """Return a range of the rows."""
        return self.table[start:stop]


class SampleRequest(NamedTuple):
    """A requested sample: pairs per subcase, pairs in all, seed and split."""

    size: int | None
    limit: int | None
    seed: int
    split: str


class CorpusSet(SetPart, Protocol):
    """A set made from a corpus; its options go onto the card."""

    @property
    def short(self) -> Short:
        """What to do if there are fewer pairs than requested."""


def check_eval_split(name: str, split: str) -> None:
    """Refuse the split train: a set from a corpus has the split that the corpus has."""
    if split == "train":
        raise InputError(
            f"{name} is generated from a corpus, so it has only one split. "
            "For training pairs, give a training corpus with --corpus."
        )
    if split != "eval":
        raise InputError(f"Unknown split {split!r}. Use eval.")


def plan_corpus_set(
    part: CorpusSet,
    table: pl.DataFrame,
    sample: SampleRequest,
    *,
    sources: Mapping[str, str],
    remarks: Iterable[str] = (),
    options: Mapping[str, object] | None = None,
) -> TablePlan:
    """Plan a sample of all pairs that a corpus gives: `size` of each subcase, `limit` in all, or all of them.

    The card records the options of the set unless others are given.
    """
    check_eval_split(part.name, sample.split)
    if table.is_empty():
        reasons = " ".join(remarks)
        raise NoPairsError(
            f"The corpus has no usable pair for {part.name}. {reasons}{' ' if reasons else ''}Give another --corpus."
        )
    chosen, shortages = _sample_pairs(part, table, sample)
    labels = set(table["label"].unique())
    card = Card(
        set=part.name,
        version=part.version,
        options={**sample._asdict(), **(get_options(part) if options is None else options)},
        labels=tuple(label for label in LABELS if label in labels),  # a corpus may have fewer, or two
        rows=chosen.height,
        made_with=f"rightreasons {__version__}",
        sources=dict(sources),
        remarks=(*remarks, *shortages),
    )
    return TablePlan(chosen, card)


def _sample_pairs(
    part: CorpusSet, table: pl.DataFrame, sample: SampleRequest
) -> tuple[pl.DataFrame, list[str]]:
    """Choose pairs by draws of their ids, subcases and labels in turn, and leave them in their order."""
    size, limit, seed, _ = sample
    for name, value in (("size", size), ("limit", limit)):
        if value is not None and value < 1:
            raise InputError(f"--{name} is {value}. Request at least 1.")
    if size is None and limit is None:
        return table, []
    shortages = _report_shortages(part, table, size, limit)
    drawn = pl.Series("drawn", _draw_sample_numbers(part, table, seed))
    order = table.select("subcase", "label", drawn).with_row_index("row").sort("drawn", "row")
    if size is not None:
        order = _interleave_cells(order, ["subcase", "label"], ["subcase"]).filter(pl.col("turn") < size)
    if limit is not None:
        order = _interleave_cells(order, ["subcase", "label"], []).head(limit)
    return table[np.sort(order["row"].to_numpy())], shortages


def _draw_sample_numbers(part: CorpusSet, table: pl.DataFrame, seed: int) -> NDArray[np.uint64]:
    """Draw a number for each pair; sets that make one pair of each source choose the same sources, whatever they make.

    So a sample of one can be compared with a sample of another, pair by pair.
    """
    once = ("source_id", "subcase", "label")
    if set(once) <= set(table.columns) and not table.select(once[:2]).is_duplicated().any():
        return draw_numbers(table["source_id"], "source", seed, "sample")
    return draw_numbers(table["id"], part.name, part.version, seed, "sample")


def _interleave_cells(order: pl.DataFrame, cell: list[str], within: list[str]) -> pl.DataFrame:
    """Interleave the cells: the first row of each, then the second of each; number rows within larger cells."""
    turn = order.with_columns(pl.int_range(pl.len()).over(cell).alias("round")).sort("round", "drawn", "row")
    number = pl.int_range(pl.len())
    return turn.with_columns((number.over(within) if within else number).alias("turn"))


def _report_shortages(part: CorpusSet, table: pl.DataFrame, size: int | None, limit: int | None) -> list[str]:
    """Report subcases with fewer pairs than requested; raise an error unless that is allowed."""
    shortages = []
    if size is not None:
        counts = table["subcase"].value_counts().filter(pl.col("count") < size).sort("subcase")
        shortages += [f"{name} has {_describe_shortage(count, size)}." for name, count in counts.rows()]
    if limit is not None and table.height < limit:
        shortages.append(f"The corpus gives {_describe_shortage(table.height, limit, ' in all')}.")
    if shortages and part.short != "allow":
        raise TooFewPairsError(f"{' '.join(shortages)} {HINT}")
    return shortages


def _describe_shortage(count: int, wanted: int, in_all: str = "") -> str:
    """Describe how many pairs there are and how many were requested."""
    return f"{format_count(count, 'pair')}{in_all}, and {wanted:,} were requested"
