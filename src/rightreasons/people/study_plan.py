"""What the collection of judgements reads of a study: slots to fill, controls of each form, and how long slots wait."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.people.study import CONTROL, ITEM

if TYPE_CHECKING:
    from rightreasons.people.study import Study

MICROSECONDS = 1_000_000
_NEVER = 1 << 60  # a time-out of 0 minutes; more than thirty thousand years


@dataclass(frozen=True)
class CollectionPlan:
    """A study as the database needs it."""

    study: Study

    @cached_property
    def items(self) -> dict[str, dict[str, Any]]:
        """The row of each item and control."""
        return {row["item"]: row for row in self.study.items.iter_rows(named=True)}

    @cached_property
    def _placed(self) -> pl.DataFrame:
        kinds = self.study.items.select("item", "kind", twins=pl.col("group").cast(pl.String))
        return self.study.forms.join(kinds, on="item", how="left").sort("form", "position")

    def list_slots(self) -> list[dict[str, Any]]:
        """List the slots: one for each time that an item, not a control, is on a form."""
        replicate = pl.int_range(pl.len()).over("item")
        slots = self._placed.filter(pl.col("kind") == ITEM).with_columns(replicate=replicate)
        return slots.with_row_index("slot").drop("kind").to_dicts()

    @cached_property
    def controls(self) -> dict[int, list[tuple[int, str]]]:
        """The controls of each form, with their positions."""
        found = self._placed.filter(pl.col("kind") == CONTROL)
        by_form: dict[int, list[tuple[int, str]]] = {}
        for form, position, item in found.select("form", "position", "item").iter_rows():
            by_form.setdefault(form, []).append((position, item))
        return by_form

    @property
    def question_names(self) -> tuple[str, ...]:
        """The names of the questions, in their order."""
        return tuple(question.name for question in self.study.protocol.questions)

    @property
    def timeout(self) -> int:
        """After how many microseconds without an answer a participant loses the items that are not judged."""
        minutes = self.study.protocol.timeout_minutes
        return int(minutes * 60 * MICROSECONDS) if minutes else _NEVER

    @property
    def pause(self) -> int:
        """How many microseconds pass before an item becomes visible."""
        return int(self.study.protocol.pause_seconds * MICROSECONDS)

    @property
    def items_per_participant(self) -> int:
        """How many items a participant judges, without controls."""
        return self.study.protocol.items_per_participant
