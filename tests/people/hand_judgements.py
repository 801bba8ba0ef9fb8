"""Judgements written by hand: one letter for each answer of a participant."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.people.judgements import ANSWER_COLUMNS, COMPLETED, PARTICIPANT_COLUMNS, Judgements

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rightreasons.people.study import Study

BEGIN = datetime(2026, 3, 1, 12, tzinfo=UTC)
ANSWERS = {"e": "entailment", "n": "non-entailment", "y": "yes", "x": "no"}


def write_judgements(
    study: Study,
    answers: Mapping[str, Mapping[str, str]],
    *,
    seconds: Mapping[str, float] | None = None,
    question: str = "label",
) -> Judgements:
    """Write judgements: for each participant the letters for `items` (item-0, item-1, ...) and `controls`.

    A dot means that the participant did not judge the item; anything but a known letter is the answer itself.
    """
    rows = []
    for person, letters in answers.items():
        for kind, word in letters.items():
            name = "item" if kind == "items" else "control"
            for number, letter in enumerate(word):
                if letter != ".":
                    time = (seconds or {}).get(person, 5.0)
                    answer = ANSWERS.get(letter, letter)
                    rows.append((person, 0, number, f"{name}-{number}", question, answer, time, BEGIN))
    people = [
        (person, "import", COMPLETED, BEGIN + timedelta(hours=place), BEGIN + timedelta(hours=place + 1))
        for place, person in enumerate(answers)
    ]
    return Judgements(
        study,
        pl.DataFrame(people, schema=PARTICIPANT_COLUMNS, orient="row"),
        pl.DataFrame(rows, schema=ANSWER_COLUMNS, orient="row"),
    )


def join_judgements(first: Judgements, second: Judgements) -> Judgements:
    """Join the answers of the same participants to two questions."""
    return Judgements(first.study, first.participants, pl.concat([first.answers, second.answers]))
