"""How the participants of a study divide over the labels of its pairs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.core.labels import LABELS
from rightreasons.corpora.human_labels import HumanLabels
from rightreasons.people.question_labels import QuestionLabels
from rightreasons.people.retained import (
    apply_exclusions,
    describe_simulated_participants,
    load_judgements,
)

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.people.protocol import Protocol
    from rightreasons.people.questions import Question


def find_label_question(protocol: Protocol) -> Question:
    """Find the question about the label: the first whose choices are labels."""
    for question in protocol.questions:
        if question.values and set(question.values) <= set(LABELS):
            return question
    raise InputError(
        f"The protocol {protocol.name!r} asks no question whose choices are labels, such as entailment and neutral. "
        "Use a study that asks for the label."
    )


def compute_human_labels(folder: str | Path, url: str | None = None) -> HumanLabels:
    """Count the labels that the participants of a study chose, after its planned exclusions."""
    found = apply_exclusions(load_judgements(folder, url))
    retained = found.retained
    labels = QuestionLabels.from_judgements(retained, find_label_question(retained.study.protocol))
    counts = {
        value: pl.Series(value, labels.counts[:, place]) for place, value in enumerate(labels.question.values)
    }
    human = HumanLabels.from_counts(labels.items["id"].cast(pl.String), counts)
    return replace(human, remark=describe_simulated_participants(found.whole))
