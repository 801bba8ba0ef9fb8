"""The labels that a study gives its items: by majority, by the model of Dawid and Skene, and by MACE."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.core.labels import PROBABILITIES, UNREADABLE
from rightreasons.people.retained import join_items
from rightreasons.people.study import ITEM
from rightreasons.scoring.annotations import (
    TIED,
    Annotations,
    compute_label_shares,
    find_majority_labels,
)
from rightreasons.scoring.annotator_agreement import FEWEST_LABELS, compute_item_agreement
from rightreasons.scoring.dawid_skene import DawidSkeneFit, fit_dawid_skene
from rightreasons.scoring.mace import MaceFit, fit_mace
from rightreasons.scoring.participant_agreement import ParticipantAgreement, measure_participant_agreement

if TYPE_CHECKING:
    import numpy.typing as npt

    from rightreasons.people.judgements import Judgements
    from rightreasons.people.questions import Question
    from rightreasons.scoring.annotations import Codes, Counts, Floats

MAJORITY, DAWID_SKENE, MACE = "majority", "dawid-skene", "mace"
METHODS = (MAJORITY, DAWID_SKENE, MACE)
_CLOSE = 1e-9  # posteriors that differ by less are equal


@dataclass(frozen=True, eq=False)
class QuestionLabels:
    """The answers to one question with choices: how they divide over each item, and what they say together.

    `items` are the rows of the items in the order of the study, controls left out.
    """

    question: Question
    items: pl.DataFrame
    annotations: Annotations

    @classmethod
    def from_judgements(cls, judgements: Judgements, question: Question) -> QuestionLabels:
        """Count the answers to a question."""
        items = judgements.study.items.filter(pl.col("kind") == ITEM)
        table = join_items(judgements, question.name, ITEM).select(
            "item", pl.col("participant").alias("annotator"), pl.col("answer").alias("label")
        )
        annotations = Annotations.from_table(table, question.values, items["item"].to_list())
        return cls(question, items, annotations)

    @cached_property
    def counts(self) -> Counts:
        """How often each choice was answered: a row for each item, a column for each choice."""
        return self.annotations.count_labels()

    @cached_property
    def judgements(self) -> Counts:
        """The number of answers to each item."""
        return np.asarray(self.counts.sum(axis=1))

    @cached_property
    def item_agreement(self) -> Floats:
        """The share of the pairs of participants who agree; NaN where there are fewer than two."""
        return compute_item_agreement(self.counts)

    @cached_property
    def agreement(self) -> ParticipantAgreement:
        """The agreement of the participants over all items."""
        return measure_participant_agreement(self.annotations)

    @cached_property
    def dawid_skene(self) -> DawidSkeneFit:
        """The model of Dawid and Skene."""
        return fit_dawid_skene(self.annotations)

    @cached_property
    def mace(self) -> MaceFit:
        """The model MACE."""
        return fit_mace(self.annotations)

    def get_shares(self, method: str) -> Floats:
        """Return how probable each choice is by a method: its share of the answers, or its posterior."""
        if method == MAJORITY:
            return compute_label_shares(self.counts)
        return (self.dawid_skene if method == DAWID_SKENE else self.mace).posteriors

    def choose_labels(self, method: str) -> Codes:
        """Return the choice of each item by a method; TIED where several are equal, or nobody judged the item."""
        if method == MAJORITY:
            return find_majority_labels(self.counts)
        posteriors = self.get_shares(method)
        if not posteriors.size:
            return np.full(len(self.counts), TIED, dtype=np.int64)
        best = posteriors.max(axis=1, keepdims=True)
        alone = ((posteriors > best - _CLOSE).sum(axis=1) == 1) & (self.judgements > 0)
        return np.where(alone, posteriors.argmax(axis=1), TIED)

    def find_ties(self) -> npt.NDArray[np.bool_]:
        """Say which judged items have no majority."""
        return np.asarray((self.choose_labels(MAJORITY) == TIED) & (self.judgements > 0))

    def decide_ties(self) -> Codes:
        """Return the majority, and where there is none, what Dawid and Skene's model says of the tied choices.

        The model starts from the shares of the answers alone: a random start would decide ties that nothing decides.
        """
        majority = self.choose_labels(MAJORITY)
        tied = self.find_ties()
        most = self.counts == self.counts.max(axis=1, keepdims=True)
        among = np.where(most, fit_dawid_skene(self.annotations, restarts=0).posteriors, -1.0)
        alone = (among > among.max(axis=1, keepdims=True) - _CLOSE).sum(axis=1) == 1
        return np.where(tied & alone, among.argmax(axis=1), majority)

    def name_choices(self, codes: Codes) -> pl.Series:
        """Name choices by their numbers; null where tied."""
        words = pl.Series([*self.question.values, None], dtype=pl.String)
        return words.gather(np.where(codes == TIED, len(self.question.values), codes))

    @cached_property
    def gold(self) -> pl.Series:
        """The gold answer of each item; null without one."""
        if not self.question.gold:
            return pl.repeat(None, self.items.height, dtype=pl.String, eager=True)
        return self.items[self.question.gold].cast(pl.String)

    def make_item_table(self) -> pl.DataFrame:
        """List the items with counts, labels and probabilities of each method: a row for each item."""
        columns: list[pl.Series] = [
            *(
                pl.Series(f"n_{value}", self.counts[:, place])
                for place, value in enumerate(self.question.values)
            ),
            pl.Series("judgements", self.judgements),
            pl.Series("agreement", self.item_agreement).fill_nan(None),
        ]
        for method in METHODS:
            columns.append(self.name_choices(self.choose_labels(method)).alias(method))
            shares = self.get_shares(method)
            columns += [
                pl.Series(f"{method} {value}", shares[:, place])
                for place, value in enumerate(self.question.values)
            ]
        known = self.items.select("item", "id", "premise", "hypothesis").with_columns(gold=self.gold)
        return known.hstack(columns)

    def list_disputed(self) -> pl.DataFrame:
        """List the items on which participants disagree, those with the lowest agreement first."""
        table = self.make_item_table().filter(
            (pl.col("judgements") >= FEWEST_LABELS) & (pl.col("agreement") < 1)
        )
        return table.sort("agreement", "item", maintain_order=True)

    def make_predictions(self, method: str) -> pl.DataFrame:
        """Make predictions as those of a model: id, label, and the shares or posteriors of the labels.

        Ties of the majority are decided by the model of Dawid and Skene among the tied labels. An item that is still
        tied has no label: it is `unreadable`, never correct, and has no probabilities. Items that nobody judged are
        left out.
        """
        codes = self.decide_ties() if method == MAJORITY else self.choose_labels(method)
        labels = self.name_choices(codes).fill_null(UNREADABLE)
        shares = self.get_shares(method)
        columns = [
            pl.Series(PROBABILITIES[value], np.where(codes == TIED, np.nan, shares[:, place])).fill_nan(None)
            for place, value in enumerate(self.question.values)
        ]
        table = pl.DataFrame([self.items["id"], labels.alias("label"), *columns])
        return table.filter(pl.Series(self.judgements > 0))
