"""A corpus as the audits read it: its pairs, and what several audits need, computed once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.core.labels import LABELS
from rightreasons.core.pairs import PARSE_COLUMNS, REQUIRED_COLUMNS, TEXTS
from rightreasons.corpora.hub_columns import make_row_ids
from rightreasons.corpora.pair_checks import drop_malformed_trees
from rightreasons.language.shingles import normalise_letters
from rightreasons.language.word_codes import number_pair_words
from rightreasons.scoring.confusions import compute_prediction_shares
from rightreasons.scoring.sharing import Sharing, find_sharing

if TYPE_CHECKING:
    import numpy.typing as npt

    from rightreasons.core.pairs import Card, ChallengeSet
    from rightreasons.language.word_codes import PairWords

NO_LABEL_CODE = -1
UNKNOWN_GENRE, OTHER_GENRES, ALL_GENRES = "unknown", "other genres", "all"
MOST_GENRES = 50  # in tables: some corpora have an identifier of the source as their genre


@dataclass(frozen=True, eq=False)
class AuditCorpus:
    """The pairs of a corpus: id, premise, hypothesis, label (null without a gold label), tags and parses."""

    name: str
    pairs: pl.DataFrame
    card: Card

    @classmethod
    def from_challenge_set(cls, corpus: ChallengeSet, name: str | None = None) -> AuditCorpus:
        """Take the pairs of a set; columns that it lacks are added without values."""
        pairs = corpus.pairs
        missing = [text for text in TEXTS if text not in pairs.columns]
        if missing:
            raise InputError(f"The corpus has no column {missing[0]!r}. Use premise-hypothesis pairs.")
        if "id" not in pairs.columns:
            pairs = pairs.with_columns(make_row_ids())
        if "label" not in pairs.columns:
            pairs = pairs.with_columns(pl.lit(None, dtype=pl.String).alias("label"))
        others = [column for column in pairs.columns if column not in REQUIRED_COLUMNS]
        # Readers check labelled trees only: binary ones are plain text in some files.
        trees = [column for column in PARSE_COLUMNS if pairs.schema.get(column) == pl.String]
        whole, remarks = drop_malformed_trees(pairs.select(*REQUIRED_COLUMNS, *others), trees)
        card = replace(corpus.card, remarks=(*corpus.card.remarks, *remarks)) if remarks else corpus.card
        return cls(name or corpus.card.set, whole, card)

    def __len__(self) -> int:
        """Count the pairs."""
        return self.pairs.height

    def has_values(self, column: str) -> bool:
        """Return whether a column exists and has a value."""
        return column in self.pairs.columns and self.pairs[column].null_count() < self.pairs.height

    @cached_property
    def labelled(self) -> AuditCorpus:
        """The pairs that have a gold label, as a corpus."""
        kept = self.pairs.filter(pl.col("label").is_not_null())
        return self if kept.height == self.pairs.height else replace(self, pairs=kept)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The gold labels that occur, in their usual order."""
        words = set(self.pairs["label"].unique())
        return tuple(label for label in LABELS if label in words)

    @cached_property
    def label_codes(self) -> npt.NDArray[np.int64]:
        """The place of each gold label in `labels`; -1 without a label."""
        codes = {label: place for place, label in enumerate(self.labels)}
        numbers = self.pairs["label"].replace_strict(codes, default=NO_LABEL_CODE, return_dtype=pl.Int64)
        return numbers.to_numpy()

    @cached_property
    def label_counts(self) -> npt.NDArray[np.int64]:
        """The number of pairs of each label in `labels`."""
        codes = self.label_codes
        return np.bincount(codes[codes != NO_LABEL_CODE], minlength=len(self.labels)).astype(np.int64)

    @cached_property
    def words(self) -> PairWords:
        """The words of both texts as numbers."""
        return number_pair_words(self.pairs["premise"], self.pairs["hypothesis"])

    @cached_property
    def sharing(self) -> Sharing:
        """Which pairs share a premise, a group or a source, for intervals."""
        return find_sharing(self.pairs)

    @cached_property
    def genres(self) -> pl.Series:
        """The genre of each pair; all but the MOST_GENRES most frequent ones are OTHER_GENRES."""
        genres = self.pairs["genre"].cast(pl.String).fill_null(UNKNOWN_GENRE)
        counts = genres.value_counts().sort("count", "genre", descending=[True, False])
        frequent = counts["genre"].head(MOST_GENRES)
        return genres.to_frame().select(
            pl.when(pl.col("genre").is_in(frequent.implode())).then("genre").otherwise(pl.lit(OTHER_GENRES))
        )["genre"]

    @cached_property
    def premise_groups(self) -> npt.NDArray[np.int64]:
        """The number of the premise of each pair; premises with the same letters and digits are one."""
        letters = self.pairs.select(normalise_letters(pl.col("premise"))).to_series()
        return (letters.rank("dense") - 1).to_numpy().astype(np.int64)

    def flag_genres(self) -> list[tuple[str, pl.Series]]:
        """Return each genre with flags of its pairs; the last is all pairs, whatever the genres are called."""
        genres = self.genres
        each = [(genre, genres == genre) for genre in genres.unique().sort()]
        return [*each, (ALL_GENRES, genres.is_not_null())]

    def count_labels_by(self, groups: pl.DataFrame) -> pl.DataFrame:
        """Count the gold labels by tags: the tags, n, and for each label its share with interval; the last row is all.

        Call it on `labelled`; `groups` has a row for each pair.
        """
        predictions = self.pairs.select(prediction="label")
        return compute_prediction_shares(predictions, groups, self.labels, self.sharing.clusters)
