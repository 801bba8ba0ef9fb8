"""The run folder of an experiment: all answers as one run that `report` reads, the tables, and the card."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.pairs import digest
from rightreasons.core.slugs import slugs
from rightreasons.evaluation.evaluate import run_evaluation
from rightreasons.evaluation.specification import Specification, list_models
from rightreasons.experiments.tables import long
from rightreasons.io.csv_injection import write_csv
from rightreasons.io.polars_io import read_parquet
from rightreasons.reports.build import build_report, write_html, write_markdown
from rightreasons.reports.renderers.markdown import escape, render_markdown
from rightreasons.runs import folder as runs
from rightreasons.runs.collection import load_runs
from rightreasons.runs.folder import write_manifest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rightreasons.experiments.found import ExperimentResults
    from rightreasons.experiments.tables import ExperimentTable

TABLE = "table.md"
TABLE_ROWS = "table.csv"
PARTS = "parts"
_SEEN = ("id", "premise", "hypothesis")


class Recorded:
    """A model whose answers to the tests are known."""

    def __init__(self, name: str, answers: dict[str, pl.DataFrame], identity: dict[str, Any]) -> None:
        """Take the answers by the digest of the pairs that they are to, and what decided them."""
        self.name, self.answers, self.identity = name, answers, identity

    def predict(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Give the answers to one of the tests."""
        return self.answers[digest([pairs.select(_SEEN)])]

    def fingerprint(self) -> dict[str, Any]:
        """Say what decided the answers."""
        return self.identity


def write_run(found: ExperimentResults, folder: Path, command: str) -> None:
    """Write all answers as one run; parts that were asked other tests are put together afterwards."""
    groups: dict[tuple[str, ...], list[Recorded]] = {}
    for part, job in found.jobs:
        answers = {
            digest([found.pairs(name).select(_SEEN)]): read_parquet(job.answers(found.tests[name]))
            for name in part.tests
        }
        groups.setdefault(part.tests, []).append(
            Recorded(part.name, answers, {"key": job.key, **job.identity})
        )
    places = []
    for number, (tests, models) in enumerate(groups.items()):
        places.append(folder.with_name(f"{folder.name}-{number}"))
        files = [str(found.tests[name].file) for name in tests]
        # The papers take the most probable label, whatever the probabilities of the others add up to.
        spec = Specification(list_models(models), sets=tuple(files), rule="argmax")
        run_evaluation(spec, places[-1], html=False, command=command, force=True)
    if len(places) == 1:
        places[0].rename(folder)
    else:
        _put_together(places, folder)


def _put_together(places: Sequence[Path], folder: Path) -> None:
    """Make one run of several that have different models and, in part, the same sets."""
    read = [runs.read_run(place) for place in places]
    sets: dict[str, dict[str, Any]] = {}
    models: dict[str, dict[str, Any]] = {}
    for place, run in zip(places, read, strict=True):
        shutil.copytree(place / "sets", folder / "sets", dirs_exist_ok=True)
        shutil.copytree(place / runs.PREDICTIONS, folder / runs.PREDICTIONS, dirs_exist_ok=True)
        sets |= {entry["name"]: entry for entry in run.card["sets"] if entry["name"] not in sets}
        models |= {entry["name"]: entry for entry in run.card["models"] if entry["name"] not in models}
    scores = pl.concat([run.scores for run in read], how="diagonal_relaxed").unique(maintain_order=True)
    notes = {(note.set, note.model): note for run in read for note in run.notes}
    ordered = sorted(models.values(), key=lambda entry: bool(entry["baseline"]))
    card = read[0].card | {"sets": list(sets.values()), "models": ordered}
    card["timings"] = [timing for run in read for timing in run.card["timings"]]
    whole = runs.Run(card, runs.join_scores([scores]), tuple(notes.values()))
    runs.write_run(folder, whole)
    for place in places:
        shutil.rmtree(place)


def finish(
    found: ExperimentResults,
    folder: Path,
    tables: Sequence[ExperimentTable],
    *,
    title: str,
    caption: Sequence[str],
    card: dict[str, Any],
) -> None:
    """Add the tables, the cards of the parts and that of the experiment, and write the manifest."""
    parts = [f"# {escape(title)}", *(f"- {escape(sentence)}" for sentence in caption)]
    text = "\n".join([parts[0], "", *parts[1:], ""])
    text += "".join(f"\n{render_markdown(table.exhibit, 2)}" for table in tables)
    (folder / TABLE).write_text(text, encoding="utf-8")
    write_csv(long(tables), folder / TABLE_ROWS)
    for slug, (_, job) in zip(slugs([part.name for part, _ in found.jobs]), found.jobs, strict=True):
        place = folder / PARTS / slug
        place.mkdir(parents=True)
        for name in ("job.json", "trained.json", "model/training.json"):
            if (job.folder / name).exists():
                shutil.copy(job.folder / name, place)
    whole = json.loads((folder / runs.CARD).read_text(encoding="utf-8")) | {"experiment": card}
    (folder / runs.CARD).write_text(
        json.dumps(whole, indent=2, ensure_ascii=False, default=str) + "\n", encoding="utf-8"
    )
    write_manifest(folder)
    report = build_report(load_runs([folder]))
    write_markdown(report, folder / runs.REPORT, force=True)
    write_html(report, folder / runs.PAGE)
