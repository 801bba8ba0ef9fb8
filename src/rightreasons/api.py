"""The public verbs: each checks its arguments and calls the package that does the work.

Imports are inside the functions, so that a verb loads only what it needs.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from rightreasons.core import arguments
from rightreasons.core.arguments import check_arguments
from rightreasons.core.labels import AUTO
from rightreasons.core.pairs import ChallengeSet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from rightreasons.core.parts import Plan, Predictor, Trained
    from rightreasons.evaluation.against_people import PeopleScores
    from rightreasons.evaluation.compare import Comparisons
    from rightreasons.evaluation.corpus_audit import AuditedCorpora
    from rightreasons.evaluation.evaluate import EvaluatedRun
    from rightreasons.evaluation.figure_gates import FigureGate
    from rightreasons.evaluation.gates import Gate
    from rightreasons.evaluation.study_results import AnalysedStudy
    from rightreasons.people.study import Study
    from rightreasons.reports.report_data import Report
    from rightreasons.runs.collection import RunCollection
    from rightreasons.scoring.accuracy import Scores

_SIZES = {
    "name": arguments.check_set_name_or_path,
    "size": arguments.make_optional_check(arguments.make_whole_number_check(1)),
    "limit": arguments.make_optional_check(arguments.make_whole_number_check(1)),
    "seed": arguments.make_whole_number_check(),
    "split": arguments.check_text,
}


def _read_gates(value: object, name: str) -> list[Gate]:
    """Read a list of gates."""
    from rightreasons.evaluation.gates import Gate

    gates: list[Gate] = arguments.make_instances_check(Gate)(value, name)
    return gates


def _read_figure_gates(value: object, name: str) -> list[FigureGate]:
    """Read a list of gates for figures."""
    from rightreasons.evaluation.figure_gates import FigureGate

    gates: list[FigureGate] = arguments.make_instances_check(FigureGate)(value, name)
    return gates


def _read_runs(value: object, name: str) -> Any:
    """Read a collection of runs, or the folders of some."""
    from rightreasons.runs.collection import RunCollection

    return arguments.make_instance_or_check(RunCollection, arguments.check_paths)(value, name)


@check_arguments(**_SIZES)
def plan(
    name: str,
    /,
    *,
    size: int | None = None,
    limit: int | None = None,
    seed: int = 0,
    split: str = "eval",
    **options: object,
) -> Plan:
    """Plan a set, so that any range of its rows can be generated alone."""
    from rightreasons.evaluation.steps import plan_set

    return plan_set(name, size=size, limit=limit, seed=seed, split=split, **options)


@check_arguments(**_SIZES)
def generate(
    name: str,
    /,
    *,
    size: int | None = None,
    limit: int | None = None,
    seed: int = 0,
    split: str = "eval",
    **options: object,
) -> ChallengeSet:
    """Generate a set by name, or from a template file: size is pairs per subcase, limit a total.

    The card has no digest yet: hashing takes longer than generating, so it is left to writing.
    """
    from rightreasons.evaluation.steps import generate_set

    return generate_set(name, size=size, limit=limit, seed=seed, split=split, **options)


@check_arguments(
    pairs=arguments.check_pairs_have_texts,
    name=arguments.make_optional_check(arguments.check_set_name_or_path),
)
def recognise(pairs: pl.DataFrame | ChallengeSet, name: str | None = None) -> pl.DataFrame:
    """Find set, mode, subcase, template, sub-variant, trigger and rank of each pair; null where none matches.

    A name, of a set or a template file, restricts the search to that set. Without one, the sets of broken plugins are
    skipped with a warning.
    """
    from rightreasons.evaluation.steps import get_pairs_table, recognise_with_notes

    recognised, notes = recognise_with_notes(get_pairs_table(pairs), name)
    for note in notes:
        warnings.warn(note, stacklevel=3)
    return recognised


@check_arguments(
    model=arguments.check_model,
    pairs=arguments.check_pair_table,
    journal=arguments.make_optional_check(arguments.check_path),
)
def predict(
    model: str | Predictor,
    pairs: pl.DataFrame | ChallengeSet,
    /,
    *,
    journal: str | Path | None = None,
    **options: object,
) -> pl.DataFrame:
    """Run a model, given by name or as an object with `predict`, on pairs; it never sees the gold labels.

    The journal is a folder for predictions as they arrive; a second call with the same folder resumes from there.
    """
    from rightreasons.evaluation.steps import build_model, run_model

    return run_model(
        build_model(model, options), pairs, None if journal is None else Path(journal)
    ).predictions


@check_arguments(
    pairs=arguments.check_pair_table,
    predictions=arguments.check_pair_table,
    by=arguments.check_comma_separated_texts,
    rule=arguments.check_text,
    path=arguments.make_optional_check(arguments.check_path),
    merge=arguments.check_bool,
)
def score(
    pairs: pl.DataFrame | ChallengeSet,
    predictions: pl.DataFrame,
    by: str | Sequence[str] = (),
    rule: str = AUTO,
    path: str | Path | None = None,
    *,
    merge: bool = False,
) -> Scores:
    """Count correct predictions by tags and gold label, with 95% confidence intervals.

    With `merge`, three labels are merged into two even where no merging is necessary. `path` is the file
    that the predictions were read from, for error messages.
    """
    from rightreasons.core.progress import show_progress
    from rightreasons.evaluation.specification import split_names
    from rightreasons.evaluation.steps import get_pairs_table
    from rightreasons.scoring.accuracy import score_predictions

    with show_progress(label="scoring"):
        return score_predictions(
            get_pairs_table(pairs), predictions, by=split_names(by), rule=rule, path=path, merge=merge
        )


@check_arguments(
    pairs=arguments.check_pair_table,
    predictions=arguments.check_pair_table,
    people=arguments.check_path,
    rule=arguments.check_text,
)
def score_against_people(
    pairs: pl.DataFrame | ChallengeSet,
    predictions: pl.DataFrame,
    people: str | Path,
    *,
    rule: str = AUTO,
) -> PeopleScores:
    """Compare predictions with how people divide over the labels of the same pairs.

    `people` is a file in the format of ChaosNLI, a table with shares or counts of labels, or the folder of a study.
    """
    from rightreasons.evaluation.against_people import compare_predictions_with_people, load_human_labels
    from rightreasons.evaluation.steps import get_pairs_table

    return compare_predictions_with_people(
        get_pairs_table(pairs), predictions, load_human_labels(people), rule
    )


@check_arguments(
    models=arguments.check_models,
    out=arguments.check_path,
    sets=arguments.check_set_names_or_paths,
    size=arguments.make_optional_check(arguments.check_set_size),
    limit=arguments.make_optional_check(arguments.make_whole_number_check(1)),
    seed=arguments.make_whole_number_check(),
    split=arguments.check_text,
    flags=arguments.make_optional_check(arguments.check_mapping),
    prompts=arguments.check_comma_separated_texts,
    by=arguments.check_comma_separated_texts,
    rule=arguments.check_text,
    baselines=arguments.check_bool,
    html=arguments.check_bool,
    trained_on=arguments.make_optional_check(arguments.check_set_name_or_path),
    gates=_read_gates,
    force=arguments.check_bool,
    command=arguments.make_optional_check(arguments.check_text),
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
    rule: str = AUTO,
    baselines: bool = True,
    html: bool = True,
    trained_on: str | Path | None = None,
    gates: Sequence[Gate] = (),
    force: bool = False,
    command: str | None = None,
    **options: object,
) -> EvaluatedRun:
    """Generate the sets, run the models, score, and write a run folder with a report, whole or not at all.

    Options go to the sets and models that accept them; `**{"hans.mode": "faithful"}` is for one set, "random.seed" for
    one model. Flags, such as batch_size, go to models alone. With `prompts`, names or "all", a model that accepts a
    prompt is run once with each. With `html`, the report is also written as an HTML page. `trained_on` is a file of
    pairs that a model was trained on; the report lists which of them are in the sets, and audits what they teach next
    to what the model does. `gates` are checked by name before any model is run; `evaluation.gates.find_missed_gates`
    finds those that the run missed.
    """
    from rightreasons.evaluation.evaluate import run_evaluation
    from rightreasons.evaluation.specification import (
        Specification,
        list_given_models,
        parse_set_size,
        split_names,
    )

    spec = Specification(
        models=list_given_models(models),
        sets=split_names(sets),
        size=parse_set_size(size, limit),
        limit=limit,
        seed=seed,
        split=split,
        rule=rule,
        by=tuple(dict.fromkeys(split_names(by))),
        prompts=split_names(prompts),
        baselines=baselines,
        flags=flags or {},
        options=options,
    )
    return run_evaluation(
        spec, out, html=html, trained_on=trained_on, gates=gates, force=force, command=command
    )


@check_arguments(
    folders=arguments.check_paths,
    out=arguments.check_path,
    names=arguments.check_text_mapping,
    patterns=arguments.check_text_mapping,
    force=arguments.check_bool,
)
def report(
    folders: str | Path | Sequence[str | Path],
    *,
    out: str | Path,
    names: Mapping[str, str] = MappingProxyType({}),
    patterns: Mapping[str, str] = MappingProxyType({}),
    force: bool = False,
) -> Report:
    """Write one HTML report on some run folders; no model is run.

    `names` maps model names to displayed names, `patterns` maps names to patterns of models that are runs of one model.
    """
    from rightreasons.reports.build import build_report, write_html
    from rightreasons.runs.collection import load_runs

    built = build_report(load_runs(folders, names), patterns)
    write_html(built, out, force=force)
    return built


@check_arguments(
    runs=_read_runs,
    models=arguments.check_comma_separated_texts,
    against=arguments.make_optional_check(arguments.check_text),
    by=arguments.check_comma_separated_texts,
)
def compare(
    runs: RunCollection | str | Path | Sequence[str | Path],
    *,
    models: str | Sequence[str] = (),
    against: str | None = None,
    by: str | Sequence[str] = (),
) -> Comparisons:
    """Compare all pairs of models, or all models with one, on every set that two of them share.

    Unless tags are given, a set is split by its heuristics, else by its subcases.
    """
    from rightreasons.evaluation.compare import compare_runs
    from rightreasons.evaluation.specification import split_names

    return compare_runs(runs, models=split_names(models), against=against, by=split_names(by))


@check_arguments(
    folders=arguments.check_paths,
    out=arguments.check_path,
    names=arguments.check_text_mapping,
    force=arguments.check_bool,
)
def leaderboard(
    folders: str | Path | Sequence[str | Path],
    *,
    out: str | Path,
    names: Mapping[str, str] = MappingProxyType({}),
    force: bool = False,
) -> Report:
    """Rank the models of some runs, and write a folder with an HTML page, markdown and CSV; no model is run."""
    from rightreasons.reports.leaderboard import write_leaderboard

    return write_leaderboard(folders, out=out, names=names, force=force)


@check_arguments(
    corpora=arguments.check_files_or_sets,
    out=arguments.make_optional_check(arguments.check_path),
    audits=arguments.check_comma_separated_texts,
    gates=_read_figure_gates,
    force=arguments.check_bool,
    command=arguments.make_optional_check(arguments.check_text),
)
def audit(
    corpora: str | Path | ChallengeSet | Sequence[str | Path | ChallengeSet],
    /,
    *,
    out: str | Path | None = None,
    audits: str | Sequence[str] = (),
    gates: Sequence[FigureGate] = (),
    force: bool = False,
    command: str | None = None,
    **options: object,
) -> AuditedCorpora:
    """Measure what training corpora teach, and write a folder with a report, tables and sets of pairs.

    Options go to the audits that accept them; `**{"shape.bins": 5}` is for one audit. `model` is a model to run on
    corrupted pairs, `against` another corpus that may share texts. Without `out`, nothing is written.
    """
    from rightreasons.evaluation.corpus_audit import audit_corpora
    from rightreasons.evaluation.specification import split_names

    return audit_corpora(
        cast("list[str | Path | ChallengeSet]", corpora),  # a list after the check
        out=out,
        names=split_names(audits),
        options=options,
        gates=gates,
        force=force,
        command=command,
    )


@check_arguments(
    sets=arguments.check_set_names_or_paths,
    protocol=arguments.check_set_name_or_path,
    out=arguments.check_path,
    seed=arguments.make_whole_number_check(),
    name=arguments.make_optional_check(arguments.check_text),
    judgements=arguments.make_optional_check(arguments.make_whole_number_check(1)),
    each=arguments.make_optional_check(arguments.make_whole_number_check(1)),
    items_per_participant=arguments.make_optional_check(arguments.make_whole_number_check(1)),
    run=arguments.make_optional_check(arguments.check_path),
    top_by=arguments.check_comma_separated_texts,
    top=arguments.make_whole_number_check(1),
    models=arguments.check_comma_separated_texts,
    force=arguments.check_bool,
    command=arguments.make_optional_check(arguments.check_text),
)
def plan_study(
    sets: str | Path | Sequence[str | Path],
    /,
    *,
    protocol: str | Path,
    out: str | Path,
    seed: int = 0,
    name: str | None = None,
    judgements: int | None = None,
    each: int | None = None,
    items_per_participant: int | None = None,
    run: str | Path | None = None,
    top_by: str | Sequence[str] = (),
    top: int = 100,
    models: str | Sequence[str] = (),
    force: bool = False,
    command: str | None = None,
    **options: object,
) -> Study:
    """Plan a study with participants on items of some sets, and write its folder, whole or not at all.

    The protocol is a built-in one or a TOML file; `judgements`, `each` and `items_per_participant` replace its numbers.
    With `run`, items are drawn from the pairs with the highest probabilities `top_by` of the models of that run.
    """
    from rightreasons.evaluation.study_pairs import TopPairs
    from rightreasons.evaluation.study_plan import plan_study_on_sets

    return plan_study_on_sets(
        cast("Sequence[str | Path]", sets),  # a list after the check
        protocol=protocol,
        changes={"judgements": judgements, "each": each, "items_per_participant": items_per_participant},
        out=out,
        seed=seed,
        name=name,
        top=TopPairs(run, tuple(top_by), top, tuple(models)),
        options=options,
        force=force,
        command=command or "",
    )


@check_arguments(
    study=arguments.check_path,
    out=arguments.make_optional_check(arguments.check_path),
    database=arguments.make_optional_check(arguments.check_text),
    force=arguments.check_bool,
    command=arguments.make_optional_check(arguments.check_text),
)
def analyse_study(
    study: str | Path,
    /,
    *,
    out: str | Path | None = None,
    database: str | None = None,
    force: bool = False,
    command: str | None = None,
) -> AnalysedStudy:
    """Analyse the judgements of a study, and write a folder with a report, tables, items and predictions of people.

    Participants are excluded by the rules of the plan. Without `out`, nothing is written.
    """
    from rightreasons.evaluation.study_results import analyse_study_folder

    return analyse_study_folder(study, out=out, database=database, force=force, command=command)


@check_arguments(
    trainer=arguments.check_text,
    train=arguments.check_files_or_sets,
    dev=arguments.make_optional_check(arguments.make_instance_or_check(ChallengeSet, arguments.check_path)),
    out=arguments.check_path,
    edits=arguments.check_unsplit_texts,
    test=arguments.check_files_or_sets,
    allow_overlap=arguments.check_bool,
    force=arguments.check_bool,
)
def train(
    trainer: str,
    /,
    *,
    train: str | Path | ChallengeSet | Sequence[str | Path | ChallengeSet] = (),
    dev: str | Path | ChallengeSet | None = None,
    out: str | Path,
    edits: Sequence[str] = (),
    test: Sequence[str | Path | ChallengeSet] = (),
    allow_overlap: bool = False,
    force: bool = False,
    **options: object,
) -> Trained:
    """Train a model on pairs, and write its folder, whole or not at all.

    `train` and `dev` are files or sets of pairs; `dev` selects the best checkpoint. `edits` are applied to the training
    pairs in order, each in the form name:key=value,key=value. `test` are files or sets that must not share a pair with
    the training pairs, unless `allow_overlap` is set. To resume an interrupted training, repeat the call.
    """
    from rightreasons.training import train_model

    return train_model(
        trainer,
        options,
        train=train,
        dev=dev,
        out=out,
        edits=edits,
        test=test,
        allow_overlap=allow_overlap,
        force=force,
    )
