"""How far the unfinished work beside an output has come, read from its journals without touching them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rightreasons.asking.journal import ANSWERS, PLAN, entries
from rightreasons.asking.unfinished import beside

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Standing:
    """One job: which model on which set, by the names of their files, and how many different pairs are answered."""

    set: str
    model: str
    answered: int
    pairs: int


def standings(out: str | Path) -> list[Standing]:
    """List the jobs that were begun for a run that isn't there yet."""
    place = beside(out)
    found = [_standing(plan) for plan in sorted(place.glob(f"*/*/*/{PLAN}"))]
    return [one for one in found if one is not None]


def _standing(plan: Path) -> Standing | None:
    try:
        batches = json.loads(plan.read_bytes())["batches"]
        sizes = [len(batch) for batch in batches]
    except (OSError, ValueError, KeyError, TypeError):
        return None  # torn while it was written: as good as not begun
    done = {entry["batch"] for entry in entries(plan.with_name(ANSWERS)) if "answers" in entry}
    job = plan.parent.parent
    answered = sum(sizes[number] for number in done if number < len(sizes))
    return Standing(job.parent.name, job.name, answered, sum(sizes))
