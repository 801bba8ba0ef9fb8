"""The annotators' labels that a corpus keeps, as counts for each pair, and the majority of each pair.

The readers keep them as one text with commas, such as neutral,neutral,entailment. A word that stands for a label is
that label; any other word is a category of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.core.labels import LABELS, NO_GOLD, NON_ENTAILMENT, find_label, merge_labels
from rightreasons.scoring.annotator_agreement import FEWEST_LABELS, find_equal_items

if TYPE_CHECKING:
    import numpy.typing as npt

    from rightreasons.scoring.annotator_agreement import LabelCounts

SEPARATOR = ","
NO_MAJORITY = "no majority"
MOST_LISTED = 9  # annotators of a pair: with more, pairs are grouped by a share


@dataclass(frozen=True, eq=False)
class AnnotatorLabels:
    """How many annotators chose each category for each pair: a row for each pair, a column for each category."""

    categories: tuple[str, ...]
    counts: LabelCounts
    gold: pl.Series  # null without a gold label

    @classmethod
    def from_columns(cls, words: pl.Series, gold: pl.Series) -> AnnotatorLabels:
        """Count the words of a column of texts with commas, or of lists."""
        if isinstance(words.dtype, pl.List):
            words = words.cast(pl.List(pl.String)).list.join(SEPARATOR, ignore_nulls=True)
        # Thousands of pairs have few different texts.
        texts = words.cast(pl.String).fill_null("")
        distinct = texts.unique().sort()
        votes = (
            pl.DataFrame({"row": np.arange(len(distinct)), "word": distinct.str.split(SEPARATOR)})
            .explode("word")
            .with_columns(pl.col("word").str.strip_chars())
            .filter(~pl.col("word").is_in(NO_GOLD))
        )
        names = {word: find_label(word) or word for word in votes["word"].unique().sort()}
        categories = _sort_categories(set(names.values()))
        place = {word: categories.index(name) for word, name in names.items()}
        columns = votes["word"].replace_strict(place, return_dtype=pl.Int64).to_numpy().astype(np.int64)
        counts = np.zeros((len(distinct), len(categories)), dtype=np.int64)
        np.add.at(counts, (votes["row"].to_numpy(), columns), 1)
        return cls(categories, counts[distinct.search_sorted(texts).to_numpy()], gold)

    def __len__(self) -> int:
        """Count the pairs."""
        return len(self.counts)

    @cached_property
    def annotators(self) -> npt.NDArray[np.int64]:
        """The number of labels of each pair."""
        return np.asarray(self.counts.sum(axis=1))

    @cached_property
    def usable(self) -> pl.Series:
        """Whether a pair has the labels of at least two annotators."""
        return pl.Series(self.annotators >= FEWEST_LABELS)

    @cached_property
    def equal(self) -> pl.Series:
        """Whether a pair has the most frequent number of annotators: the more there are, the rarer do all agree."""
        return pl.Series(find_equal_items(self.counts))

    @cached_property
    def unanimous(self) -> pl.Series:
        """Whether all annotators of a pair agree."""
        return pl.Series(self.counts.max(axis=1, initial=0) == self.annotators)

    @cached_property
    def are_named(self) -> bool:
        """Whether any category is a label, so that gold labels can be compared with the majority."""
        return not set(self.categories).isdisjoint(LABELS)

    @cached_property
    def comparable(self) -> AnnotatorLabels:
        """The same with labels of two classes, if either the gold labels or the annotators have non-entailment."""
        if NON_ENTAILMENT not in {*self.categories, *self.gold.drop_nulls().unique()}:
            return self
        merged = merge_labels(pl.Series(self.categories, dtype=pl.String)).to_list()
        categories = _sort_categories(set(merged))
        counts = np.zeros((len(self), len(categories)), dtype=np.int64)
        for column, name in enumerate(merged):
            counts[:, categories.index(name)] += self.counts[:, column]
        return AnnotatorLabels(categories, counts, merge_labels(self.gold))

    @cached_property
    def majority(self) -> pl.Series:
        """The most frequent label of each pair; `no majority` where labels are tied or there are fewer than two."""
        if not self.categories:
            return pl.repeat(NO_MAJORITY, len(self), eager=True)
        most = self.counts.max(axis=1, keepdims=True)
        alone = ((self.counts == most).sum(axis=1) == 1) & self.usable.to_numpy()
        words = np.array([*self.categories, NO_MAJORITY], dtype=object)
        return pl.Series(words[np.where(alone, self.counts.argmax(axis=1), -1)], dtype=pl.String)


def _sort_categories(names: set[str]) -> tuple[str, ...]:
    """Sort labels by their usual order, then all other words by the alphabet."""
    return (*(label for label in LABELS if label in names), *sorted(names - set(LABELS)))


def name_divisions(counts: LabelCounts) -> pl.Series:
    """Name how the annotators of each pair divide, such as 4/1; of many, by the share of the most frequent label."""
    # A column of zeros, so that there is one without any category.
    ordered = np.pad(-np.sort(-counts, axis=1), ((0, 0), (0, 1)))
    kinds, place = np.unique(ordered, axis=0, return_inverse=True)
    names = np.array([_name_division(kind) for kind in kinds.tolist()], dtype=object)
    return pl.Series(names[place.reshape(-1)], dtype=pl.String)


def _name_division(counts: list[int]) -> str:
    annotators = sum(counts)
    if annotators <= MOST_LISTED:
        return "/".join(str(count) for count in counts if count)
    low = min(90, counts[0] * 10 // annotators * 10)
    return f"{low} to {low + 10}%"


def rank_division(name: str) -> tuple[bool, list[int]]:
    """Return a key that sorts divisions before shares, and larger numbers first."""
    if name.endswith("%"):
        return True, [-int(name.partition(" ")[0])]
    parts = [int(number) for number in name.split("/")]
    return False, [-sum(parts), *(-part for part in parts)]
