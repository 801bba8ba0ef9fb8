"""The judgements of a study as tables: participants, and their answers; every analysis starts from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rightreasons.people.study import Study

# The status of a participant. Judgements of all but the forgotten are kept; exclusions are part of the analysis.
STARTED, COMPLETED, WITHDRAWN, EXPIRED = "started", "completed", "withdrawn", "expired"
_TIME = pl.Datetime("us", "UTC")
PARTICIPANT_COLUMNS: Mapping[str, Any] = {
    "participant": pl.String,  # a random or salted identifier, never a name or an address
    "source": pl.String,  # link, invite, prolific, import, simulated
    "status": pl.String,
    "started": _TIME,
    "finished": _TIME,  # null until completed
}
ANSWER_COLUMNS: Mapping[str, Any] = {
    "participant": pl.String,
    "form": pl.Int64,
    "position": pl.Int64,
    "item": pl.String,
    "question": pl.String,
    "answer": pl.String,  # the value of a choice, or a text
    "seconds": pl.Float64,  # from the display of the item to its answers, the same for all questions of an item
    "judged": _TIME,
}


@dataclass(frozen=True)
class Judgements:
    """The participants of a study and their answers, a row for each question of each judged item."""

    study: Study
    participants: pl.DataFrame  # PARTICIPANT_COLUMNS
    answers: pl.DataFrame  # ANSWER_COLUMNS
