"""Run an experiment: train its models, predict its test sets, and write the run folder with its tables."""

from __future__ import annotations

import json
import os
import platform
import shlex
import shutil
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons import __version__
from rightreasons.core.errors import InputError
from rightreasons.core.formatting import make_slugs
from rightreasons.core.pairs import compute_digest
from rightreasons.evaluation.evaluate import run_evaluation
from rightreasons.evaluation.specification import Specification, list_given_models
from rightreasons.experiments.corpora import ExperimentCorpora, list_mixed_roles
from rightreasons.experiments.declaration import ExperimentPart, RoleFile, Setting, find_experiment
from rightreasons.experiments.learners import PRETRAIN, find_learner, find_scale
from rightreasons.experiments.results import ExperimentResults
from rightreasons.experiments.tables import make_caption_sentences, make_long_table
from rightreasons.experiments.testsets import list_required_roles, list_training_roles, write_test_sets
from rightreasons.experiments.training_jobs import JobList
from rightreasons.experiments.worker_pool import WorkerPool
from rightreasons.io.csv_injection import write_csv
from rightreasons.io.outputs import check_output_path, write_folder_atomically
from rightreasons.io.polars_io import read_parquet
from rightreasons.io.temporary_folders import create_hidden_folder
from rightreasons.reports.build import build_report, write_html, write_markdown
from rightreasons.reports.renderers.markdown import escape_markdown, render_markdown
from rightreasons.runs import folder as runs
from rightreasons.runs.collection import load_runs
from rightreasons.runs.folder import write_manifest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from rightreasons.experiments.declaration import Experiment
    from rightreasons.experiments.tables import ExperimentTable

MODELS = "models"
TABLE = "table.md"
TABLE_ROWS = "table.csv"
PARTS = "parts"
_TEXTS = ("id", "premise", "hypothesis")


def run(
    name: str,
    /,
    *,
    out: str | Path,
    scale: str = "quick",
    models: Sequence[str] = (),
    seeds: int = 1,
    corpora: Mapping[str, Sequence[str]] | None = None,
    vectors: str | Path | None = None,
    workers: int = 1,
    models_in: str | Path | None = None,
    allow_overlap: bool = False,
    force: bool = False,
    command: str | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> ExperimentResults:
    """Run an experiment; trained models and predictions are kept, so repeating a killed call resumes it.

    Args:
        name: the experiment, such as hans-main.
        out: the run folder to write; it appears only when it is complete.
        scale: quick, paper or tiny.
        models: names such as da or esim; default: those of the experiment.
        seeds: the number of times each model is trained, with seeds 0, 1, ...
        corpora: files by role, such as mnli-train; other roles are looked up in the download cache.
        vectors: a file of word vectors for the networks.
        workers: the number of worker processes, of one thread each; 0 runs everything in this process.
        models_in: the folder of trained models and their predictions, shared by all experiments; default: `models`
            next to `out`.
        allow_overlap: train even if pairs of the test sets are in a training file.
        force: overwrite `out`.
        command: the command to record in the card.
        say: called with a sentence whenever a part is done.
    """
    start, started = time.monotonic(), datetime.now(UTC).isoformat(timespec="seconds")
    experiment, setting = _resolve_setting(name, scale, models, seeds)
    _check_workers_and_vectors(workers, vectors)
    target = check_output_path(out, force=force, folder=True, marker=runs.CARD)
    store = Path(models_in) if models_in else target.parent / MODELS
    store.mkdir(parents=True, exist_ok=True)
    known, words = ExperimentCorpora(corpora or {}), None if vectors is None else Path(vectors)
    parts, tests = list(experiment.parts(setting)), list(experiment.test_sets(setting))
    known.refuse_missing([*list_required_roles(tests, known), *_list_part_roles(parts)])
    # Test sets are written again each time, so nothing in this folder needs to be kept.
    with create_hidden_folder(target) as work:
        trained_on = {} if allow_overlap else list_training_roles(parts)
        written = write_test_sets(tests, known, setting.scale, work / "sets", trained_on)
        jobs = JobList(store, known, setting.scale, written, words)
        results = ExperimentResults(setting, [(part, jobs.add(part)) for part in parts], written)
        pool = WorkerPool(workers, say, allow_overlap=allow_overlap)
        pool.run(jobs.all)
        command = command or _make_shell_command(name, out, setting)
        card = _make_experiment_card(experiment, setting, results, command, started)
        card |= {
            "caption": [*make_caption_sentences(results, words), *experiment.notes],
            "threads": pool.threads,
        }
        card |= {"workers": workers, "seconds": round(time.monotonic() - start, 1)}
        card["corpora"] = {
            role: [known.format_file_names(role), *known.list_digests(role)]
            for role in dict.fromkeys(_list_part_roles(parts))
        }
        _write_prediction_run(results, work / "run", command)
        tables = list(experiment.tables(results))
        _add_tables_and_cards(
            results, work / "run", tables, title=f"{experiment.name}: {experiment.about}", card=card
        )
        with write_folder_atomically(target, force=force, marker=runs.CARD) as place:
            for part in (work / "run").iterdir():
                part.rename(place / part.name)
    moved = {name: replace(test, file=target / "sets" / test.file.name) for name, test in written.items()}
    return replace(results, tests=moved)


def _resolve_setting(name: str, scale: str, models: Sequence[str], seeds: int) -> tuple[Experiment, Setting]:
    experiment, sizes = find_experiment(name), find_scale(scale)
    if seeds < 1:
        raise InputError(f"--seeds is {seeds}. Use at least 1.")
    for model in models:
        if find_learner(model).trainer == PRETRAIN:
            raise InputError(f"{model} trains encoders, which predict no labels. Use a model such as jiant.")
    defaults = experiment.paper_models if scale == "paper" else experiment.models
    return experiment, Setting(sizes, tuple(dict.fromkeys(models)) or defaults, tuple(range(seeds)))


def _check_workers_and_vectors(workers: int, vectors: str | Path | None) -> None:
    if workers < 0:
        raise InputError(f"--workers is {workers}. Use 1 or more, or 0 to run everything in this process.")
    if vectors is not None and not Path(vectors).exists():
        raise InputError(f"There is no file {vectors}. Check the path given to --vectors.")


def _list_part_roles(parts: Iterable[ExperimentPart]) -> Iterator[str]:
    """List the roles that parts are trained on, and those in their options."""
    for part in parts:
        yield from list_mixed_roles(part.train)
        for value in part.options.values():
            if isinstance(value, RoleFile):
                yield value.role
            elif isinstance(value, ExperimentPart):
                yield from _list_part_roles([value])


def _make_experiment_card(
    experiment: Experiment, setting: Setting, results: ExperimentResults, command: str, started: str
) -> dict[str, Any]:
    return {
        "name": experiment.name,
        "command": command,
        "scale": setting.scale.name,
        "models": list(setting.models),
        "seeds": list(setting.seeds),
        "started": started,
        "versions": _collect_versions(),
        "cores": os.cpu_count(),
        "too_weak": [part.name for part, _ in results.jobs if results.is_weak(part.row)],
        "parts": [
            {"name": part.name, "key": job.key, "identity": job.identity, "data": job.training.facts}
            | {"trained": results.read_training_facts(job)}
            for part, job in results.jobs
        ],
    }


def _collect_versions() -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    versions = {"rightreasons": __version__, "python": platform.python_version()}
    for package in ("torch", "transformers", "polars", "numpy"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def _make_shell_command(name: str, out: str | Path, setting: Setting) -> str:
    words = ["rightreasons", "experiment", name, "--scale", setting.scale.name, "--out", str(out)]
    words += ["--models", ",".join(setting.models), "--seeds", str(len(setting.seeds))]
    return shlex.join(words)


class RecordedModel:
    """A model whose predictions are known."""

    def __init__(self, name: str, predictions: dict[str, pl.DataFrame], identity: dict[str, Any]) -> None:
        """Take predictions by the digest of their pairs, and everything that determined them."""
        self.name, self.predictions, self.identity = name, predictions, identity

    def predict(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Look up the predictions on a test set."""
        return self.predictions[compute_digest([pairs.select(_TEXTS)])]

    def fingerprint(self) -> dict[str, Any]:
        """Everything that determined the predictions."""
        return self.identity


def _write_prediction_run(results: ExperimentResults, folder: Path, command: str) -> None:
    """Write all predictions as one run; parts with different test sets are evaluated separately and then merged."""
    groups: dict[tuple[str, ...], list[RecordedModel]] = {}
    for part, job in results.jobs:
        predictions = {
            compute_digest([results.read_pairs(name).select(_TEXTS)]): read_parquet(
                job.get_predictions_path(results.tests[name])
            )
            for name in part.tests
        }
        model = RecordedModel(part.name, predictions, {"key": job.key, **job.identity})
        groups.setdefault(part.tests, []).append(model)
    places = []
    for number, (tests, models) in enumerate(groups.items()):
        places.append(folder.with_name(f"{folder.name}-{number}"))
        files = [str(results.tests[name].file) for name in tests]
        # The papers take the most probable label, even if the sum of two others is larger.
        spec = Specification(list_given_models(models), sets=tuple(files), rule="argmax")
        run_evaluation(spec, places[-1], html=False, command=command, force=True)
    if len(places) == 1:
        places[0].rename(folder)
    else:
        _merge_runs(places, folder)


def _merge_runs(places: Sequence[Path], folder: Path) -> None:
    """Merge runs with different models, which may share sets."""
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
    whole = runs.Run(card, runs.join_score_tables([scores]), tuple(notes.values()))
    runs.write_card_and_scores(folder, whole)
    for place in places:
        shutil.rmtree(place)


def _add_tables_and_cards(
    results: ExperimentResults,
    folder: Path,
    tables: Sequence[ExperimentTable],
    *,
    title: str,
    card: dict[str, Any],
) -> None:
    """Add the tables, the cards of the parts and the experiment, the manifest and the report."""
    text = "\n".join(
        [f"# {escape_markdown(title)}", "", *(f"- {escape_markdown(line)}" for line in card["caption"]), ""]
    )
    text += "".join(f"\n{render_markdown(table.exhibit, 2)}" for table in tables)
    (folder / TABLE).write_text(text, encoding="utf-8")
    write_csv(make_long_table(tables), folder / TABLE_ROWS)
    names = [part.name for part, _ in results.jobs]
    for slug, (_, job) in zip(make_slugs(names), results.jobs, strict=True):
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
