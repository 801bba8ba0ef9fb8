"""All steps for one or several models: generate, predict, score and report, into one run folder."""

from __future__ import annotations

import platform
import time
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons import __version__, inference
from rightreasons.audits.leaks import audit_leaks
from rightreasons.audits.training_audit import audit_training_data
from rightreasons.core import labels
from rightreasons.core.errors import InputError, MissingPredictionsError, OutputError, format_count
from rightreasons.core.pairs import PARSE_COLUMNS, ChallengeSet
from rightreasons.core.progress import show_progress, track_progress
from rightreasons.corpora import read_corpus, write_pairs
from rightreasons.evaluation.gates import check_gate_addresses, check_gate_names, list_gate_addresses
from rightreasons.evaluation.models import build_models
from rightreasons.evaluation.sets import (
    describe_broken_sets,
    expand_set_patterns,
    make_set_entries,
    refuse_unknown_options,
)
from rightreasons.evaluation.specification import render_evaluate_command
from rightreasons.inference.journal_folders import hold_journal_folder, write_run_plan
from rightreasons.io.outputs import check_output_path, check_writable, write_folder_atomically
from rightreasons.io.polars_io import read_parquet, write_parquet
from rightreasons.reports.build import build_report, write_html, write_markdown
from rightreasons.runs import folder as runs
from rightreasons.runs.collection import collect_single_run
from rightreasons.runs.set_results import ModelPredictions, RunModel, align_set_predictions
from rightreasons.scoring.accuracy import count_predicted_labels, list_prediction_warnings, make_cell_scores
from rightreasons.scoring.cells import find_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from rightreasons.core.pairs import Card
    from rightreasons.evaluation.gates import Gate
    from rightreasons.evaluation.models import ModelEntry
    from rightreasons.evaluation.sets import SetEntry
    from rightreasons.evaluation.specification import Specification
    from rightreasons.reports.report_data import Report
    from rightreasons.runs.set_results import AlignedSet, SetResults


@dataclass(frozen=True)
class EvaluatedRun(runs.Run):
    """A finished run with its report."""

    report: Report


@dataclass
class _RunState:
    """What a run has produced so far."""

    folder: Path
    journals: Path
    spec: Specification
    timings: list[dict[str, object]] = field(default_factory=list)
    ids: list[pl.Series] = field(default_factory=list)
    columns: list[list[str]] = field(default_factory=list)
    addresses: dict[str, list[str]] = field(default_factory=dict)  # in each set, what a gate may name
    scores: list[pl.DataFrame] = field(default_factory=list)
    notes: list[runs.ScoringNote] = field(default_factory=list)
    results: list[SetResults] = field(default_factory=list)
    facts: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)  # by model, then by set
    warnings: list[str] = field(default_factory=list)  # on the run as a whole
    incomplete: list[tuple[ModelEntry, MissingPredictionsError]] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)  # because a model failed permanently on an earlier set

    @contextmanager
    def time_step(self, **step: object) -> Iterator[None]:
        """Record how long a step takes."""
        start = time.perf_counter()
        yield
        self.timings.append({**step, "seconds": round(time.perf_counter() - start, 4)})


def run_evaluation(
    spec: Specification,
    out: str | Path,
    *,
    html: bool = True,
    trained_on: str | Path | None = None,
    gates: Sequence[Gate] = (),
    force: bool = False,
    command: str | None = None,
) -> EvaluatedRun:
    """Generate the sets, run the models, score, and write a run folder with a report, whole or not at all.

    `trained_on` is a file of pairs that a model was trained on; the report lists which of them are in the sets, and
    what they teach next to what the model does. `gates` are checked by name before any model is run; the caller checks
    whether the run passes them.
    """
    labels.check_label_rule(spec.rule)
    check_writable(check_output_path(out, force=force, folder=True, marker=runs.CARD))
    started = datetime.now(UTC).isoformat(timespec="seconds")
    names = expand_set_patterns(spec.sets)
    models = build_models(spec)
    sets = make_set_entries(spec, models)
    refuse_unknown_options(spec.options, sets, models)
    model_names = [model.name for model in models]
    check_gate_names(gates, [entry.name for entry in sets], model_names)
    for model in models:
        model.part.precheck()
    training = None if trained_on is None else read_corpus(str(trained_on))
    if command is None:
        flags = {"out": out, "sets": names, **spec.generation_options, **spec.flags, "prompts": spec.prompts}
        command = render_evaluate_command(
            [model.given for model in models if not model.baseline], flags, spec.options
        )
    with (
        hold_journal_folder(out) as journals,
        write_folder_atomically(out, force=force, marker=runs.CARD) as folder,
        _name_run_in_errors(folder, out),
    ):
        work = _RunState(folder, journals, spec)
        work.warnings += describe_broken_sets(spec.sets)
        write_run_plan(journals, _describe_planned_run(command, sets, models))
        set_cards = [_generate_and_write_set(work, entry, with_addresses=bool(gates)) for entry in sets]
        runs.check_run_tags(spec.by, work.columns)
        check_gate_addresses(gates, work.addresses, model_names)
        if training is not None:
            _record_leaks(work, training, list(zip(sets, set_cards, strict=True)))
            runs.write_training(folder, audit_training_data(training).to_dict())
        _check_models_suit_sets(work, models)
        cards = [
            _evaluate_set(work, entry, card, models) for entry, card in zip(sets, set_cards, strict=True)
        ]
        _refuse_incomplete_run(work)
        card = {
            "format": runs.FORMAT,
            "command": command,
            "started": started,
            "versions": _list_versions(),
            "rule": spec.rule,
            "by": list(spec.by),
            **spec.generation_options,
            "sets": cards,
            "models": [model.describe_after_run(work.facts.get(model.name, {})) for model in models],
            "warnings": work.warnings,
            "timings": work.timings,
        }
        run = runs.Run(card, runs.join_score_tables(work.scores), tuple(work.notes))
        runs.write_card_and_scores(folder, run)
        runs.write_manifest(folder)
        report = build_report(collect_single_run(folder, run, work.results), examples=html)
        write_markdown(report, folder / runs.REPORT)
        if html:
            write_html(report, folder / runs.PAGE)
        return EvaluatedRun(run.card, run.scores, run.notes, report)


def _describe_planned_run(
    command: str, sets: Sequence[SetEntry], models: Sequence[ModelEntry]
) -> dict[str, object]:
    """Describe the run in its unfinished folder."""
    return {
        "command": command,
        "sets": [{"name": entry.name, "slug": entry.slug} for entry in sets],
        "models": [{"name": each.name, "slug": each.slug, "baseline": each.baseline} for each in models],
    }


@contextmanager
def _name_run_in_errors(folder: Path, out: str | Path) -> Iterator[None]:
    """Name the run instead of the hidden folder in which it is built."""
    try:
        yield
    except OutputError as error:
        raise OutputError(str(error).replace(str(folder), str(out))) from error


def _generate_and_write_set(work: _RunState, entry: SetEntry, *, with_addresses: bool) -> Card:
    """Generate a set and write it; all sets are written before the first model is run."""
    with work.time_step(step="generate", set=entry.name):
        challenge_set = entry.generate(**work.spec.generation_options)  # type: ignore[arg-type]
        path = runs.get_set_path(work.folder, entry.slug)
        path.parent.mkdir(exist_ok=True)
        card = write_pairs(challenge_set, path)
    work.ids.append(challenge_set.pairs["id"])
    work.columns.append(challenge_set.pairs.columns)
    if with_addresses:
        work.addresses[entry.name] = list_gate_addresses(entry.name, challenge_set.pairs, work.spec.by)
    return card


def _check_models_suit_sets(work: _RunState, models: Sequence[ModelEntry]) -> None:
    """Let every model refuse unsuitable sets before the first model is run."""
    for columns in work.columns:
        for model in models:
            if not model.baseline:
                inference.select_columns(model.part, pl.DataFrame(schema=dict.fromkeys(columns, pl.String)))
    with show_progress(label="reading predictions"):  # one file may have those of several sets
        for model in models:
            model.part.refuse_others(pl.concat(work.ids))
            for ids in work.ids:
                model.part.refuse_missing(ids)


def _record_leaks(work: _RunState, training: ChallengeSet, sets: list[tuple[SetEntry, Card]]) -> None:
    """Record which pairs a training file shares with each set, before any model is run."""
    leaks = []
    for entry, card in track_progress(sets, len(sets), "searching for leaks"):
        pairs = read_parquet(
            runs.get_set_path(work.folder, entry.slug), columns=["id", "premise", "hypothesis", "label"]
        )
        leaks.append(audit_leaks(training, ChallengeSet(pairs, card), name=entry.name))
    runs.write_leaks(work.folder, [leak.to_dict() for leak in leaks])
    work.warnings += [leak.sentence for leak in leaks if leak.has_pairs]


def _evaluate_set(
    work: _RunState, entry: SetEntry, card: Card, models: Sequence[ModelEntry]
) -> dict[str, Any]:
    """Run all models on one set, align their predictions once, and count them; only one set is in memory."""
    file = runs.get_set_path(work.folder, entry.slug)
    pairs = read_parquet(file)
    fitting = [model for model in models if not model.baseline or _has_needed_columns(model, pairs)]
    predicted = [(model, _predict_set(work, entry, model, pairs)) for model in fitting]
    given = [
        ModelPredictions(_describe_run_model(work, model), work.spec.rule, table)
        for model, table in predicted
        if table is not None
    ]
    if len(given) < len(fitting):
        return {}  # predictions are kept; the run has to wait for the others
    aligned = align_set_predictions(pairs, given)
    for model in fitting:
        _settle_baseline_predictions(
            runs.get_predictions_path(work.folder, entry.slug, model.slug), model, aligned
        )
    facts = {
        name: getattr(card, name) for name in ("version", "options", "labels", "rows", "digest", "sources")
    }
    uncounted = [tag for tag in work.spec.by if tag not in pairs.columns]
    remarks = [
        *card.remarks,
        *_explain_label_merging(pairs, aligned.decisions.merging),
        *aligned.remarks,
        *(f"The set has no tag {tag}, so its scores are not broken down by {tag}." for tag in uncounted),
    ]
    described = {"name": entry.name, "given": entry.given, "slug": entry.slug, **facts, "remarks": remarks}
    results = aligned.to_results(entry.name, described, file)
    _score_set(work, aligned, replace(results, table=pairs.drop(PARSE_COLUMNS, strict=False)))
    return described


def _describe_run_model(work: _RunState, model: ModelEntry) -> RunModel:
    return RunModel(model.name, model.baseline, work.folder, model.describe())


def _predict_set(
    work: _RunState, entry: SetEntry, model: ModelEntry, pairs: pl.DataFrame
) -> pl.DataFrame | None:
    """Run one model on one set; if predictions are missing, the run goes on with the other models."""
    if any(other is model and error.final for other, error in work.incomplete):
        work.skipped.append(f"{model.name} on {entry.name}")
        return None
    if model.is_majority:
        work.facts.setdefault(model.name, {})[entry.name] = {"pairs": pairs.height}
        return pairs.clear()
    with work.time_step(step="predict", set=entry.name, model=model.name):
        journal = work.journals / entry.slug / model.slug
        try:
            answered = inference.predict_pairs(
                model.part, pairs, journal, label=f"running on {entry.name}: {model.name}"
            )
        except MissingPredictionsError as error:
            work.incomplete.append((model, error))
            return None
        _check_label_rule(work, f"{model.name} on {entry.name}", model, pairs, answered.predictions)
        _write_predictions(
            answered.predictions, runs.get_predictions_path(work.folder, entry.slug, model.slug)
        )
    work.facts.setdefault(model.name, {})[entry.name] = answered.facts
    return answered.predictions


def _write_predictions(table: pl.DataFrame, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_parquet(table, path)


def _settle_baseline_predictions(path: Path, model: ModelEntry, aligned: AlignedSet) -> None:
    """Remove the predictions of a baseline whose labels don't fit, and write those of the majority baseline."""
    if model.name not in aligned.aligned:
        path.unlink()
    elif model.is_majority:
        _write_predictions(aligned.aligned[model.name].original, path)


def _check_label_rule(
    work: _RunState, what: str, model: ModelEntry, pairs: pl.DataFrame, predictions: pl.DataFrame
) -> None:
    """Refuse predictions that the label rule can't be applied to, before the next model or set is run."""
    if work.spec.rule != "sum" or model.baseline:
        return
    resolved = predictions.with_columns(labels.resolve_predictions(predictions["label"]))
    try:
        labels.compare_labels(labels.resolve_labels(pairs["label"]), resolved, work.spec.rule)
    except InputError as error:
        kept = (
            f" The predictions so far are in {work.journals}. To continue from them, repeat the command with --rule "
            "argmax."
        )
        raise InputError(f"{what}: {error}{kept if work.journals.exists() else ''}") from error


def _refuse_incomplete_run(work: _RunState) -> None:
    """Refuse to write a run with missing predictions, after all models were run."""
    if work.incomplete:
        (_, first), *others = work.incomplete
        count = format_count(len(others), "other combination")
        more = f" Predictions are also missing for {count} of model and set." if others else ""
        never = f" Not run: {', '.join(work.skipped)}." if work.skipped else ""
        raise MissingPredictionsError(f"{first}{more}{never}", final=first.final) from first


def _explain_label_merging(pairs: pl.DataFrame, merging: Sequence[str]) -> list[str]:
    """Explain why the labels of a set were merged, if they were."""
    if not merging:
        return []
    merged = "neutral and contradiction count as non-entailment for all models"
    gold = labels.resolve_labels(pairs["label"])
    if labels.must_merge_labels(gold, gold.clear()):
        return [f"The set has both non-entailment and finer labels: {merged}."]
    finer = f"The set has finer labels than the predictions of {', '.join(merging)}: {merged}."
    return [f"{finer} A run without these models compares all three labels."]


def _score_set(work: _RunState, aligned: AlignedSet, results: SetResults) -> None:
    """Count the correct predictions of every model, by each grouping of the set."""
    with work.time_step(step="score", set=results.name):
        groupings = runs.list_tag_groupings(results.pairs, work.spec.by)
        gold = aligned.decisions.gold
        cells = {by: find_cells(results.pairs, gold, by) for by in groupings}
        for model in track_progress(aligned.models, len(aligned.models), f"scoring on {results.name}"):
            predictions = aligned.aligned[model.name]
            whose = (pl.lit(results.name).alias("set"), pl.lit(model.name).alias("model"))
            for by, of_grouping in cells.items():
                rows = make_cell_scores(of_grouping, predictions.table, results.sharing)
                work.scores.append(rows.select(*whose, pl.lit(",".join(by)).alias("by"), pl.all()))
            warnings = list_prediction_warnings(predictions, results.sharing)
            label_rule = aligned.label_rules[model.name]
            counts = count_predicted_labels(predictions.table)
            work.notes.append(runs.ScoringNote(results.name, model.name, label_rule, warnings, counts))
    # Of several sets, the report reads the pairs again one by one, so that they are never in memory at once.
    work.results.append(results if len(work.ids) == 1 else replace(results, table=None))


def _has_needed_columns(model: ModelEntry, pairs: pl.DataFrame) -> bool:
    return all(column in pairs.columns and not pairs[column].null_count() for column in model.part.needs)


def _list_versions() -> dict[str, str]:
    return {"rightreasons": __version__, "python": platform.python_version(), "polars": pl.__version__}
