"""The whole line for one or several models: generate, predict, score, report, into one run folder."""

from __future__ import annotations

import platform
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

import polars as pl

from rightreasons import __version__
from rightreasons import inference as asking
from rightreasons.audits.leaks import audit_leaks
from rightreasons.core import arguments, labels
from rightreasons.core.arguments import checked_arguments
from rightreasons.core.errors import InputError, MissingPredictionsError, OutputError
from rightreasons.core.pairs import ChallengeSet
from rightreasons.core.parts import complete_model, is_model
from rightreasons.core.progress import progress, track
from rightreasons.corpora import read_corpus, write_pairs
from rightreasons.evaluation import run_spec as recipes
from rightreasons.evaluation import steps as verbs
from rightreasons.evaluation.gates import Gate, check_names, check_parts, parts_of
from rightreasons.inference.unfinished import until_in_place, write_plan
from rightreasons.io.outputs import check_free, check_place, replacing_folder
from rightreasons.io.polars_io import read_parquet, write_parquet
from rightreasons.reports.build import build_report, write_html, write_markdown
from rightreasons.runs import folder as runs
from rightreasons.runs.collection import load_runs
from rightreasons.runs.folder import write_manifest
from rightreasons.scoring.accuracy import has_two_labels, must_merge
from rightreasons.scoring.label_rules import choose_set_rule, counts_for_rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from rightreasons.core.pairs import Card
    from rightreasons.core.parts import Model, Predictor
    from rightreasons.evaluation.run_spec import ModelEntry, SetEntry
    from rightreasons.reports.report import Report
    from rightreasons.scoring.label_rules import SetRule


@dataclass(frozen=True)
class EvaluatedRun(runs.Run):
    """A run that was just made, with its report."""

    report: Report


@dataclass
class _Work:
    """What a run gathers on its way."""

    folder: Path
    journals: Path
    rule: str
    by: tuple[str, ...]
    timings: list[dict[str, object]] = field(default_factory=list)
    ids: list[pl.Series] = field(default_factory=list)
    columns: list[list[str]] = field(default_factory=list)
    parts: dict[str, list[str]] = field(default_factory=dict)  # of each set, what a gate may name
    scores: list[pl.DataFrame] = field(default_factory=list)
    notes: list[runs.ScoringNote] = field(default_factory=list)
    facts: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)  # by model, then by set
    warnings: list[str] = field(default_factory=list)  # of the run as a whole
    unanswered: list[tuple[ModelEntry, MissingPredictionsError]] = field(default_factory=list)
    unasked: list[str] = field(default_factory=list)  # since a model refused for good on an earlier set

    @contextmanager
    def timed(self, **step: object) -> Iterator[None]:
        """Note how long a step takes."""
        start = time.perf_counter()
        yield
        self.timings.append({**step, "seconds": round(time.perf_counter() - start, 4)})


@checked_arguments(
    models=arguments.models,
    out=arguments.path,
    sets=arguments.sets,
    size=arguments.optional(arguments.size),
    limit=arguments.optional(arguments.whole(1)),
    seed=arguments.whole(),
    split=arguments.text,
    flags=arguments.optional(arguments.mapping),
    prompts=arguments.texts,
    by=arguments.texts,
    rule=arguments.text,
    baselines=arguments.flag,
    html=arguments.flag,
    trained_on=arguments.optional(arguments.set_name),
    gates=arguments.instances(Gate),
    force=arguments.flag,
    command=arguments.optional(arguments.text),
)
def evaluate(
    models: str | Predictor | Sequence[str | Predictor],
    /,
    *,
    out: str | Path,
    sets: str | Sequence[str] = ("hans",),
    size: int | str | None = None,
    limit: int | None = None,
    seed: int = 0,
    split: str = "eval",
    flags: Mapping[str, object] | None = None,
    prompts: str | Sequence[str] = (),
    by: str | Sequence[str] = (),
    rule: str = labels.AUTO,
    baselines: bool = True,
    html: bool = True,
    trained_on: str | Path | None = None,
    gates: Sequence[Gate] = (),
    force: bool = False,
    command: str | None = None,
    **options: object,
) -> EvaluatedRun:
    """Generate the sets, ask the models, score, and write a run folder, whole or not at all.

    Options go to the sets and models that take them; `**{"hans.mode": "faithful"}` is for one set, "random.seed" for
    one model. Flags, such as batch_size, go to models alone. With `prompts`, names or "all", a model that takes a
    prompt is asked once with each. With `html`, the run has a page for the browser, too. `trained_on` is a file of
    pairs that a model was trained on; the report says which of them are in the sets. `gates` are checked by name
    before any model is asked; whoever gave them holds the run against them.
    """
    labels.check_rule(rule)
    check_place(check_free(out, force=force, folder=True, marker=runs.CARD))
    started = datetime.now(UTC).isoformat(timespec="seconds")
    names = recipes.expanded(verbs.tags(sets))
    entries = recipes.model_entries(
        _listed(models), options, baselines=baselines, flags=flags, prompts=prompts
    )
    at_most = limit is not None and size is None
    asked = recipes.set_entries(verbs.tags(sets), options, entries, at_most=at_most)
    recipes.check_options(options, asked, entries)
    model_names = [entry.name for entry in entries]
    check_names(gates, [entry.name for entry in asked], model_names)
    for model in entries:
        model.part.precheck()
    sizes = {"size": recipes.size_of(size, limit), "limit": limit, "seed": seed, "split": split}
    training = None if trained_on is None else read_corpus(str(trained_on))
    wanted = {"out": out, "sets": names, **sizes, **(flags or {}), "prompts": verbs.tags(prompts)}
    with (
        until_in_place(out) as journals,
        replacing_folder(out, force=force, marker=runs.CARD) as folder,
        _told_by_name(folder, out),
    ):
        work = _Work(folder, journals, rule, tuple(dict.fromkeys(verbs.tags(by))))
        work.warnings += recipes.left_out(verbs.tags(sets))
        command = command or recipes.command_line(entries, wanted, options)
        write_plan(journals, _planned(command, asked, entries))
        made = [_make_set(work, entry, sizes, with_parts=bool(gates)) for entry in asked]
        runs.check_tags(work.by, work.columns)
        check_parts(gates, work.parts, model_names)
        if training is not None:
            _find_leaks(work, training, list(zip(asked, made, strict=True)))
        _check_models(work, entries)
        cards = [_evaluate_set(work, *each, entries) for each in zip(asked, made, strict=True)]
        _refuse_unanswered(work)
        card = {
            "format": runs.FORMAT,
            "command": command,
            "started": started,
            "versions": _versions(),
            "rule": rule,
            "by": list(work.by),
            **sizes,
            "sets": cards,
            "models": [_model_card(work, entry) for entry in entries],
            "warnings": work.warnings,
            "timings": work.timings,
        }
        run = runs.Run(card, runs.join_scores(work.scores), tuple(work.notes))
        runs.write_run(folder, run)
        write_manifest(folder)
        return _with_report(folder, run, html=html)


def _with_report(folder: Path, run: runs.Run, *, html: bool) -> EvaluatedRun:
    """Build the report of a run once, and write it as markdown and, unless left out, as a page."""
    report = build_report(load_runs([folder]), examples=html)
    write_markdown(report, folder / runs.REPORT)
    if html:
        write_html(report, folder / runs.PAGE)
    return EvaluatedRun(run.card, run.scores, run.notes, report)


def _planned(command: str, sets: Sequence[SetEntry], models: Sequence[ModelEntry]) -> dict[str, object]:
    """Say what the run is to have, for whoever finds it unfinished."""
    return {
        "command": command,
        "sets": [{"name": entry.name, "slug": entry.slug} for entry in sets],
        "models": [{"name": one.name, "slug": one.slug, "baseline": one.baseline} for one in models],
    }


@contextmanager
def _told_by_name(folder: Path, out: str | Path) -> Iterator[None]:
    """Name the run where an error names the hidden folder in which it is built."""
    try:
        yield
    except OutputError as error:
        raise OutputError(str(error).replace(str(folder), str(out))) from error


def _make_set(work: _Work, entry: SetEntry, sizes: dict[str, Any], *, with_parts: bool) -> Card:
    """Make a set and write it: what is wrong with any of them is known before the first question is asked."""
    with work.timed(step="generate", set=entry.name):
        made = entry.generate(**sizes)
        path = runs.set_file(work.folder, entry.slug)
        path.parent.mkdir(exist_ok=True)
        card = write_pairs(made, path)
    work.ids.append(made.pairs["id"])
    work.columns.append(made.pairs.columns)
    if with_parts:
        work.parts[entry.name] = parts_of(entry.name, made.pairs, work.by)
    return card


def _check_models(work: _Work, models: Sequence[ModelEntry]) -> None:
    """Have every model refuse the sets that it can't answer, before the first of them is asked."""
    for columns in work.columns:
        for model in models:
            if not model.baseline:
                asking.seen(model.part, pl.DataFrame(schema=dict.fromkeys(columns, pl.String)))
    with progress(label="reading answers"):  # a file may answer several sets
        for model in models:
            model.part.refuse_others(pl.concat(work.ids))
            for ids in work.ids:
                model.part.refuse_missing(ids)


def _find_leaks(work: _Work, training: ChallengeSet, made: list[tuple[SetEntry, Card]]) -> None:
    """Write down what a training file shares with each set, before any model is asked."""
    found = []
    for entry, card in track(made, len(made), "looking for leaks"):
        pairs = read_parquet(
            runs.set_file(work.folder, entry.slug), columns=["id", "premise", "hypothesis", "label"]
        )
        found.append(audit_leaks(training, ChallengeSet(pairs, card), name=entry.name))
    runs.write_leaks(work.folder, [one.to_dict() for one in found])
    work.warnings += [one.sentence for one in found if one.has_pairs]


def _evaluate_set(work: _Work, entry: SetEntry, card: Card, models: list[ModelEntry]) -> dict[str, Any]:
    # Only one set is in memory at a time.
    made = ChallengeSet(read_parquet(runs.set_file(work.folder, entry.slug)), card)
    willing = [model for model in models if not model.baseline or _fits(model, made)]
    asked = {model.name: _ask(work, entry, model, made) for model in willing}
    answers = {name: given for name, given in asked.items() if given is not None}
    if len(answers) < len(asked):
        return {}  # what can be asked is asked and kept; the run itself has to wait for the rest
    # The labels are merged for all models or for none, so that the figures of a line are of the same pairs and labels.
    coarse = {name for name, given in answers.items() if must_merge(made.pairs, given)}
    merging = [model.name for model in willing if model.name in coarse and not model.baseline]
    # A baseline that nobody asked for is no reason to merge the labels of the models that were.
    shown = [model for model in willing if merging or model.name not in coarse]
    for model in willing:
        if model not in shown:
            runs.predictions_file(work.folder, entry.slug, model.slug).unlink()
    counted = [model for model in shown if counts_for_rule(model.given, baseline=model.baseline)]
    merged = bool(merging) or has_two_labels(made.pairs)
    rule = choose_set_rule(work.rule, {model.name: answers[model.name] for model in counted}, merged=merged)
    for model in track(shown, len(shown), f"scoring on {entry.name}"):
        _score(work, entry, model, made, answers[model.name], rule=rule, merge=bool(merging))
    facts = _facts(card)
    lacking = [tag for tag in work.by if tag not in made.pairs.columns]
    uncounted = [f"The set has no tag {tag}, so it is not counted by it." for tag in lacking]
    facts["remarks"] = [*facts["remarks"], *_why_merged(made, merging), *rule.remarks, *uncounted]
    return {"name": entry.name, "given": entry.given, "slug": entry.slug, **facts}


def _why_merged(made: ChallengeSet, merging: list[str]) -> list[str]:
    """Say what is the reason that the labels of a set were merged, if they were."""
    if not merging:
        return []
    merged = "neutral and contradiction count as non-entailment, for all models alike"
    if must_merge(made.pairs, made.pairs.clear()):
        return [f"The set has non-entailment beside finer labels: {merged}."]
    finer = f"The set has finer labels than the answers of {', '.join(merging)}: {merged}."
    return [f"{finer} A run without these models compares the labels as they are."]


def _ask(work: _Work, entry: SetEntry, model: ModelEntry, made: ChallengeSet) -> pl.DataFrame | None:
    """Ask one model about one set; where some pairs have no answer, the run goes on with the others."""
    if any(other is model and error.final for other, error in work.unanswered):
        work.unasked.append(f"{model.name} on {entry.name}")
        return None
    with work.timed(step="predict", set=entry.name, model=model.name):
        journal = work.journals / entry.slug / model.slug
        try:
            answered = asking.ask(
                model.part, made.pairs, journal, label=f"asking on {entry.name}: {model.name}"
            )
        except MissingPredictionsError as error:
            work.unanswered.append((model, error))
            return None
        _check_rule(work, f"{model.name} on {entry.name}", model, made, answered.answers)
        path = runs.predictions_file(work.folder, entry.slug, model.slug)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_parquet(answered.answers, path)
    work.facts.setdefault(model.name, {})[entry.name] = answered.facts
    return answered.answers


def _check_rule(work: _Work, what: str, model: ModelEntry, made: ChallengeSet, answers: pl.DataFrame) -> None:
    """Refuse answers that the label rule can't be applied to, before the next model or set is asked."""
    if work.rule != "sum" or model.baseline:
        return
    resolved = answers.with_columns(labels.resolve_answers(answers["label"]))
    try:
        labels.compare(labels.resolve_column(made.pairs["label"]), resolved, work.rule)
    except InputError as error:
        kept = f" The answers so far are kept in {work.journals}; with the other rule, the command goes on from them."
        raise InputError(f"{what}: {error}{kept if work.journals.exists() else ''}") from error


def _refuse_unanswered(work: _Work) -> None:
    """Say which pairs have no answer, after all that could be asked was asked."""
    if work.unanswered:
        (_, first), *others = work.unanswered
        many = f"are {len(others)} more sets or models" if len(others) > 1 else "is 1 more set or model"
        more = f" There {many} without all answers." if others else ""
        never = f" Not asked at all: {', '.join(work.unasked)}." if work.unasked else ""
        raise MissingPredictionsError(f"{first}{more}{never}", final=first.final) from first


def _model_card(work: _Work, entry: ModelEntry) -> dict[str, object]:
    """Say what decided the answers of a model, and how asking it went on each set."""
    facts = {name: dict(of_set) for name, of_set in work.facts.get(entry.name, {}).items()}
    heads = [of_set.pop("head") for of_set in facts.values() if "head" in of_set]
    card = {**entry.card(), "facts": facts}
    fingerprint = entry.part.fingerprint()
    if fingerprint is not None:
        card["fingerprint"] = fingerprint
    if heads:
        warnings = list(heads[0].pop("warnings", ()))
        card |= {"head": heads[0], "warnings": warnings}
    return card


def _score(
    work: _Work,
    entry: SetEntry,
    model: ModelEntry,
    made: ChallengeSet,
    answers: pl.DataFrame,
    *,
    rule: SetRule,
    merge: bool,
) -> None:
    with work.timed(step="score", set=entry.name, model=model.name):
        own = rule.rule_for(answers, baseline=model.baseline)
        for by in runs.list_groupings(made.pairs, work.by):
            scores = verbs.score(made, answers, by=by, rule=own, merge=merge)
            whose = (pl.lit(entry.name).alias("set"), pl.lit(model.name).alias("model"))
            work.scores.append(scores.rows.select(*whose, pl.lit(",".join(by)).alias("by"), pl.all()))
        warnings = tuple(scores.warnings)
        said = rule.describe(scores.label_rule)
        work.notes.append(runs.ScoringNote(entry.name, model.name, said, warnings, scores.predicted))


def _fits(model: ModelEntry, made: ChallengeSet) -> bool:
    pairs = made.pairs
    return all(column in pairs.columns and not pairs[column].null_count() for column in model.part.needs)


def _facts(card: Any) -> dict[str, Any]:
    facts = ("version", "options", "labels", "rows", "digest", "sources", "remarks")
    return {name: getattr(card, name) for name in facts}


def _versions() -> dict[str, str]:
    return {"rightreasons": __version__, "python": platform.python_version(), "polars": pl.__version__}


def _listed(models: str | Predictor | Sequence[str | Predictor]) -> list[str | Model]:
    one = isinstance(models, str) or is_model(models)
    several = [models] if one else cast("Sequence[str | Predictor]", models)
    return [model if isinstance(model, str) else complete_model(model) for model in several]
