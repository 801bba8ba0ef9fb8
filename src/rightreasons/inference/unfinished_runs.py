"""Progress of unfinished runs, read from the plan and the journals next to the output."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rightreasons.inference.journal import PLAN_FILE, PREDICTIONS_FILE, read_journal_entries, read_plan
from rightreasons.inference.journal_folders import RUN_PLAN_FILE, get_journal_folder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True)
class JobStatus:
    """One job: which model on which set, and how many distinct pairs have predictions."""

    set: str
    model: str
    predicted: int
    pairs: int


@dataclass(frozen=True)
class UnfinishedRun:
    """A run that isn't there yet: the jobs that were begun, what is not, and the command that goes on, if known."""

    started: tuple[JobStatus, ...]
    missing: Mapping[
        tuple[str, ...], tuple[str, ...]
    ]  # by models, the sets that they have no predictions for
    command: str = ""

    def describe(self) -> str:
        """Describe in a sentence what is there and what is missing, and in another what to do."""
        there = [
            f"{job.model} on {job.set} has {job.predicted:,} of {job.pairs:,} predictions"
            for job in self.started
        ]
        lacking = [
            f"no predictions yet of {', '.join(models)} on {', '.join(sets)}"
            for models, sets in self.missing.items()
        ]
        again = (
            f"command again to finish it: {self.command}"
            if self.command
            else "evaluate command again to finish it."
        )
        return f"{'; '.join([*there, *lacking])}. Run the same {again}"


def read_unfinished_run(out: str | Path) -> UnfinishedRun | None:
    """Read the progress of an unfinished run; None if there is none."""
    place = get_journal_folder(out)
    planned = _read_run_plan(place / RUN_PLAN_FILE)
    jobs = [_read_job_status(plan) for plan in sorted(place.glob(f"*/*/*/{PLAN_FILE}"))]
    begun: dict[tuple[str, str], JobStatus] = {}
    for job in sorted((job for job in jobs if job is not None), key=lambda job: job.predicted):
        begun[job.set, job.model] = job  # of several, as after an option was changed, the one that has most
    if not begun and planned is None:
        return None
    sets, models = (planned or {}).get("sets", {}), (planned or {}).get("models", {})
    missing: dict[str, tuple[str, ...]] = {}
    for set_slug, name in sets.items():
        missing[name] = tuple(model for slug, model in models.items() if (set_slug, slug) not in begun)
    named = [
        JobStatus(sets.get(job.set, job.set), models.get(job.model, job.model), job.predicted, job.pairs)
        for _, job in sorted(begun.items())
    ]
    return UnfinishedRun(
        tuple(named), _group_sets_by_missing_models(missing), (planned or {}).get("command", "")
    )


def _group_sets_by_missing_models(
    missing: Mapping[str, tuple[str, ...]],
) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Put the sets together that lack the same models."""
    return {
        models: tuple(name for name, lacking in missing.items() if lacking == models)
        for models in dict.fromkeys(missing.values())
        if models
    }


def _read_run_plan(path: Path) -> dict[str, Any] | None:
    """Read the names of a run's sets and models, by their slugs; added baselines need no time, and are not named."""
    try:
        content = json.loads(path.read_bytes())
        sets = {str(entry["slug"]): str(entry["name"]) for entry in content["sets"]}
        models = {
            str(entry["slug"]): str(entry["name"]) for entry in content["models"] if not entry["baseline"]
        }
        return {"sets": sets, "models": models, "command": str(content["command"])}
    except (OSError, ValueError, KeyError, TypeError):
        return None  # there is none, or none that can be read


def _read_job_status(path: Path) -> JobStatus | None:
    stored = read_plan(path)
    if stored is None:
        return None  # damaged: as good as not begun
    sizes = [len(batch) for batch in stored.plan.batches]
    done = {
        entry["batch"]
        for entry in read_journal_entries(path.with_name(PREDICTIONS_FILE), stored.sum)
        if "answers" in entry
    }
    job = path.parent.parent
    answered = sum(sizes[number] for number in done)
    return JobStatus(job.parent.name, job.name, answered, sum(sizes))
