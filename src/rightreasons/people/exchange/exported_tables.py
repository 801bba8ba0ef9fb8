"""The judgements of a study without identifiers: participants are numbered in an order that says nothing about them.

Dates are left out, too. Answers in free text may still say who somebody is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from rightreasons.people.judgements import Judgements
    from rightreasons.people.study import Study


def number_participants(judgements: Judgements) -> pl.DataFrame:
    """Number the participants from 1 in the order of their random or hashed identifiers."""
    names = judgements.participants.select("participant", "source", "status").sort("participant")
    width = len(str(names.height))
    numbers = pl.int_range(1, pl.len() + 1)
    return names.with_columns(number=numbers).with_columns(
        anonymous=pl.lit("p") + pl.col("number").cast(pl.String).str.zfill(width)
    )


def list_exported_answers(judgements: Judgements) -> pl.DataFrame:
    """List the answers with numbered participants: the columns of ANSWER_COLUMNS but for times of day."""
    texts = [question.name for question in judgements.study.protocol.questions if question.kind == "text"]
    numbered = number_participants(judgements)
    return (
        judgements.answers.join(numbered, on="participant", how="inner")
        .with_columns(is_text=pl.col("question").is_in(texts))
        .select(
            participant="anonymous",
            number="number",
            source="source",
            status="status",
            position="position",
            item="item",
            question="question",
            answer="answer",
            seconds="seconds",
            is_text="is_text",
        )
        .sort("number", "position", "item", maintain_order=True)
    )


def make_export_table(judgements: Judgements) -> pl.DataFrame:
    """Make a table with a row for each answer, with the texts and tags of its item."""
    answers = list_exported_answers(judgements).drop("number", "is_text")
    return answers.join(judgements.study.items, on="item", how="left", maintain_order="left")


def make_task_table(study: Study) -> pl.DataFrame:
    """Make a table with a row for each item and control, as participants may see it: no gold answers, no kinds."""
    return study.items.select("item", "premise", "hypothesis")
