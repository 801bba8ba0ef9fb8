"""The accuracy of participants by gold answer and tag, with intervals clustered by participant and item.

Each answer is a row. Answers of one participant are alike, and so are those about one item, or about twins of one
group, so that the variances over participants and over items are combined (see `scoring/sharing.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.labels import LABELS
from rightreasons.people.retained import join_items
from rightreasons.people.study import ITEM, ITEM_COLUMNS
from rightreasons.scoring.cells import ALL
from rightreasons.scoring.proportion import Proportion, compute_clustered_proportion
from rightreasons.scoring.sharing import find_sharing, has_few_clusters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rightreasons.people.judgements import Judgements
    from rightreasons.people.questions import Question
    from rightreasons.scoring.sharing import Sharing

CLUSTERS = ("participant", "item", "group")
MOST_VALUES = 200  # of a tag
_NO_TAGS = {*ITEM_COLUMNS, "stratum"}
TOO_FEW = "The intervals treat these {participants} participants as the only ones: fewer than ten say little of others."


@dataclass(frozen=True, eq=False)
class AnswerAccuracy:
    """The answers to a question with gold answers: a row for each, with `gold`, `right` and the tags of its item."""

    answers: pl.DataFrame

    @classmethod
    def from_judgements(cls, judgements: Judgements, question: Question, kind: str = ITEM) -> AnswerAccuracy:
        """Compare the answers to a question with the gold answers of items of a kind."""
        joined = join_items(judgements, question.name, kind)
        gold = pl.col(question.gold).cast(pl.String) if question.gold else pl.lit(None, pl.String)
        right = pl.col("answer") == pl.col("gold")
        return cls(joined.with_columns(gold=gold).drop_nulls("gold").with_columns(right=right))

    @cached_property
    def sharing(self) -> Sharing:
        """Which answers belong together."""
        return find_sharing(self.answers, CLUSTERS)

    @property
    def ignores_participants(self) -> bool:
        """Whether there are too few participants for intervals that hold for others."""
        return has_few_clusters(self.sharing.interval_kind)

    def list_tags(self) -> list[str]:
        """List the tags that group the items: with several values, each of them shared by two items on average."""
        tags = [name for name in self.answers.columns if name not in _NO_TAGS and name in self._tag_names]
        counts = {name: self.answers[name].n_unique() for name in (*tags, "stratum")}
        items = self.answers["item"].n_unique()
        chosen = [name for name, count in counts.items() if 1 < count <= min(MOST_VALUES, items / 2)]
        # The stratum repeats the column that it was made from.
        same = {name for name in chosen if name != "stratum" and self._is_stratum(name)}
        return [name for name in chosen if name != "stratum" or not same]

    @cached_property
    def _tag_names(self) -> set[str]:
        texts = {name for name, kind in self.answers.schema.items() if kind == pl.String}
        return texts - {"participant", "question", "answer", "gold"}

    def _is_stratum(self, name: str) -> bool:
        both = self.answers.select(name, "stratum").unique()
        return both.height == self.answers["stratum"].n_unique() == self.answers[name].n_unique()

    def measure(self, condition: pl.Expr | None = None) -> Proportion:
        """Measure the accuracy over the answers that fulfil a condition, or over all."""
        if condition is None:
            return self._measure_rows(
                pl.repeat(value=True, n=self.answers.height, dtype=pl.Boolean, eager=True)
            )
        return self._measure_rows(self.answers.select(used=condition.fill_null(value=False))["used"])

    def _measure_rows(self, used: pl.Series) -> Proportion:
        clusters = self.sharing.clusters
        return compute_clustered_proportion(
            self.answers["right"].filter(used), None if clusters is None else clusters.filter(used)
        )

    def make_table(self, tag: str | None = None) -> pl.DataFrame:
        """Make a table of accuracies: by gold answer and overall, for each value of a tag, or for all answers."""
        rows = [
            {
                **({tag: value} if tag else {}),
                "gold": gold,
                "n": found.n,
                "participants": self.answers.filter(used)["participant"].n_unique(),
                "items": self.answers.filter(used)["item"].n_unique(),
                **found.to_columns("accuracy"),
            }
            for value in (self._list_values(tag) if tag else [None])
            for gold, used in self._list_gold_rows(tag, value)
            for found in (self._measure_rows(used),)
        ]
        schema = dict.fromkeys(("accuracy", "accuracy_low", "accuracy_high"), pl.Float64)
        return pl.DataFrame(rows, schema_overrides=schema, infer_schema_length=None)

    def _list_values(self, tag: str) -> list[str | None]:
        return list(self.answers[tag].unique().sort(nulls_last=True))

    def _list_gold_rows(self, tag: str | None, value: str | None) -> Iterator[tuple[str, pl.Series]]:
        """List the gold answers among the rows of a value, and after several of them all together."""
        here = self.answers[tag].eq_missing(value) if tag else self.answers["right"].is_not_null()
        found = sorted(self.answers.filter(here)["gold"].unique(), key=_rank_label)
        for gold in found:
            yield gold, here & (self.answers["gold"] == gold)
        if len(found) != 1:
            yield ALL, here


def _rank_label(label: str) -> tuple[int, str]:
    return (LABELS.index(label) if label in LABELS else len(LABELS), label)
