"""Published figures, and the subsets of our sets that they are about: each is one value of one tag."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from rightreasons.core.labels import LABELS
from rightreasons.core.resources import DATA_FOLDER
from rightreasons.io.polars_io import read_csv

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FOLDER = DATA_FOLDER / "published"
# Files of shares; stress_more also has counts.
FILES = ("hans", "hans_more", "hans_others", "stress", "error_kinds", "pairs", "pairs_more", "people")
HEURISTICS = ("lexical_overlap", "subsequence", "constituent")
MATCHED, MISMATCHED = "matched", "mismatched"


class PublishedSubset(NamedTuple):
    """The subset that a published figure is about: a set and the value of a tag, or the whole set without a tag."""

    set: str
    tag: str = ""
    value: str = ""

    def make_filter(self) -> pl.Expr:
        """Select the pairs of the subset."""
        return pl.col(self.tag) == self.value if self.tag else pl.lit(value=True)


class PublishedRow(NamedTuple):
    """A row of a published table: whose figures, from where, and the figures by column."""

    source: str
    table: str
    model: str
    trained_on: str
    split: str
    values: dict[str, float]
    notes: dict[str, str]  # what is wrong or special with the figure of a column

    @property
    def citation(self) -> str:
        """The citation of the row."""
        several = "Tables" if " and " in self.table else "Table"
        number = f"{several} {self.table}" if self.table[:1].isdigit() else self.table
        return ", ".join(part for part in (self.source, number) if part)


# The columns of the stress tests' tables. The one on spelling is about content words (see Table 8).
TESTS = {
    "antonymy": PublishedSubset("stress/antonymy"),
    "numerical": PublishedSubset("stress/numerical"),
    "word_overlap": PublishedSubset("stress/word-overlap"),
    "negation": PublishedSubset("stress/negation"),
    "length_mismatch": PublishedSubset("stress/length-mismatch"),
    "spelling": PublishedSubset("stress/spelling", "subcase", "content"),
}
DEV = "dev"  # MultiNLI's dev set, which is none of our sets
VARIANTS = {
    "adj_swap": PublishedSubset("stress/spelling", "subcase", "swap"),
    "kb_swap": PublishedSubset("stress/spelling", "subcase", "keyboard"),
    "content_word_swap": PublishedSubset("stress/spelling", "subcase", "content"),
    "function_word_swap": PublishedSubset("stress/spelling", "subcase", "function"),
}
RANDOM = {"random_pair": PublishedSubset("random-pair")}
SENTENCES = {
    "N_is_A": PublishedSubset("simple-pair", "subcase", "n-is-a"),
    "SVO": PublishedSubset("simple-pair", "subcase", "svo"),
}
_FORMS = {
    "P1. P2.": "p1-p2",
    "P1 and P2": "p1-and-p2",
    "not-P1. P2.": "not-p1-p2",
    "P1 and not-P2": "p1-and-not-p2",
}
JOINED = {
    f"{short}: {form}": PublishedSubset("simple-pair", "subcase", f"{kind}-{ours}")
    for short, kind in (("NA", "n-is-a"), ("SVO", "svo"))
    for form, ours in _FORMS.items()
}
# Table 5 joins sentences of the kind N-is-A only.
JOINED_LATER = {
    name: PublishedSubset("simple-pair", "subcase", f"n-is-a-{ours}")
    for name, ours in zip(("P1.P2", "P1-and-P2", "notP1.P2", "P1-and-notP2"), _FORMS.values(), strict=True)
}
# The two sets of random pairs differ in the corpora of a run, not in a tag.
BY_PREMISE = {"random_MNLI": PublishedSubset("random-pair"), "random_SNLI": PublishedSubset("random-pair")}
# Names of the released files of the stress tests, and the dev sets that they were made from.
_OF_A_CORPUS = re.compile(r"(multinli|mnli|dev)_")
_RELEASED = (
    ("antonym", "antonymy"),
    ("quant_hard", "numerical"),
    ("taut2", "word_overlap"),
    ("negation", "negation"),
    ("length_mismatch", "length_mismatch"),
    ("contentword_swap_perturbed", "spelling"),
    ("functionword_swap_perturbed", "function_word_swap"),
    ("dev_gram_keyboard", "kb_swap"),
    ("dev_gram_swap", "adj_swap"),
    ("dev", DEV),
)


@lru_cache(maxsize=16)
def read_published_figures(name: str) -> pl.DataFrame:
    """Read one file of published figures: one per row, as fractions of 1, with source and notes."""
    table = read_csv(FOLDER / f"{name}.csv", infer_schema=False)
    return table.with_columns(pl.col("value").cast(pl.Float64), pl.exclude("value").fill_null(""))


def read_rows(name: str, tables: Sequence[str], figure: str = "accuracy") -> list[PublishedRow]:
    """Collect one kind of figure of some tables as rows; columns are subsets and gold labels."""
    wanted = pl.col("table").is_in(list(tables)) & (pl.col("figure") == figure)
    column = pl.concat_str(
        pl.col("subset"), pl.when(pl.col("gold") != "").then("/" + pl.col("gold")).otherwise(pl.lit(""))
    )
    return _group_figures_into_rows(read_published_figures(name).filter(wanted).with_columns(column=column))


def read_rows_by_figure(name: str, table: str) -> list[PublishedRow]:
    """Collect all figures of a table about one subset as rows; columns are the kinds of figures."""
    return _group_figures_into_rows(
        read_published_figures(name).filter(pl.col("table") == table).with_columns(column="figure")
    )


def _group_figures_into_rows(table: pl.DataFrame) -> list[PublishedRow]:
    found: dict[tuple[str, ...], PublishedRow] = {}
    for source, number, model, trained_on, split, column, value, note in table.select(
        "source", "table", "model", "trained_on", "split", "column", "value", "note"
    ).iter_rows():
        key = (source, number, model, trained_on, split)
        row = found.setdefault(key, PublishedRow(source, number, model, trained_on, split, {}, {}))
        row.values[column] = value
        if note:
            row.notes[column] = note
    return list(found.values())


def name_figure_column(subset: str, gold: str) -> str:
    """Name the column of a subset, or of its pairs of one gold label."""
    return f"{subset}/{gold}" if gold else subset


def parse_subset_name(column: str) -> str:
    """Name the subset of a column."""
    subset, _, gold = column.rpartition("/")
    return subset if gold in LABELS else column


def parse_released_file_name(name: str) -> tuple[str, str] | None:
    """Recognise the stress test and the split of a released file by its name; None for other files."""
    if not _OF_A_CORPUS.match(name):
        return None
    test = next((test for part, test in _RELEASED if part in name), None)
    split = MISMATCHED if name.endswith(MISMATCHED) else MATCHED if name.endswith(MATCHED) else ""
    return (test, split) if test and (split or test == "numerical") else None


def has_hans_tags(pairs: pl.DataFrame) -> bool:
    """Whether pairs have the tags of HANS: its three heuristics, and only its thirty subcases."""
    if not {"heuristic", "subcase"} <= set(pairs.columns):
        return False
    known = set(read_published_figures("hans").filter(pl.col("table").is_in(["9", "10"]))["subset"])
    return _are_all_known(pairs["heuristic"], HEURISTICS) and _are_all_known(pairs["subcase"], known)


def _are_all_known(tags: pl.Series, known: Iterable[str]) -> bool:
    return set(tags.unique()) <= set(known)
