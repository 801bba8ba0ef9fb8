"""What the training data teaches next to what the model does: heuristics and reliance, cues and errors."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.audits.cue_occurrences import START
from rightreasons.audits.training_audit import TrainingAudit
from rightreasons.core.exhibit import Exhibit
from rightreasons.core.formatting import number_equal_names
from rightreasons.core.labels import NON_ENTAILMENT, TWO_LABELS, merge_labels
from rightreasons.language.word_codes import split_into_words
from rightreasons.reports.exhibits.published_comparison import make_slug
from rightreasons.reports.exhibits.reliance import measure_model_reliance
from rightreasons.runs.folder import read_training
from rightreasons.scoring.proportion import compute_clustered_proportion
from rightreasons.scoring.reliance import MIN_PAIRS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from rightreasons.core.exhibit import Format
    from rightreasons.runs.set_results import SetResults

    Trained = Mapping[Path, TrainingAudit]

TRAINING_DATA = "training data"
ANY_CUE = "any of them"
MOST_CUES = 15  # of each model and set, in a table
_SHOWN_FIGURES = (
    "heuristics.lexical_overlap",
    "heuristics.lexical_overlap.contradicting",
    "heuristics.subsequence",
    "heuristics.subsequence.contradicting",
    "heuristics.constituent",
    "heuristics.constituent.contradicting",
    "partial-input.hypothesis",
    "partial-input.premise",
    "partial-input.overlap",
    "cues.strong",
    "cues.certain",
    "cues.negation",
)
_FIGURE_CAPTION = (
    "Figures of the training data with 95% confidence intervals. Baseline: the value of data without the bias. "
    "heuristics.NAME: share of entailment among the pairs that fit the heuristic; contradicting: share of all pairs "
    "that fit it and are not entailed; partial-input: accuracy of a classifier that sees only a part of the pair."
)
_RELIANCE_CAPTION = (
    "Support and contradict: pairs of the training data that fit the heuristic, by whether they are entailed. "
    "Reliance: how far the model follows the heuristic on {name}, from 0 to 1, with its 95% confidence interval."
)
_CUE_CAPTION = (
    "Words and bigrams of hypotheses that predict a label in the training data, and predictions on {name}. n: pairs "
    "whose hypothesis has the cue and whose gold label is another one. Predicted: share of them for which the model "
    "predicts the cue's label, which is an error, with a 95% confidence interval; without: the same share for pairs "
    "without the cue. Of each model, the {most} cues with most such errors."
)


def read_training_audits(folders: Sequence[Path]) -> dict[Path, TrainingAudit]:
    """Read the audits of training data, by the folder of the run; different data have different names."""
    read = {folder: read_training(folder) for folder in folders}
    found = {folder: TrainingAudit.from_dict(each) for folder, each in read.items() if each is not None}
    distinct = _list_distinct_audits(found)
    names = number_equal_names([each.training for each in distinct])
    return {folder: replace(each, training=names[distinct.index(each)]) for folder, each in found.items()}


def _list_distinct_audits(trained: Trained) -> list[TrainingAudit]:
    """List the audits of training data, those of the same data once."""
    distinct: list[TrainingAudit] = []
    for each in trained.values():
        if each not in distinct:
            distinct.append(each)
    return distinct


def make_training_overview(trained: Trained) -> list[Exhibit]:
    """Show the main figures of the training data, and why audits were skipped."""
    audits = _list_distinct_audits(trained)
    rows = [
        {TRAINING_DATA: each.training, "figure": address, **figure.to_columns()}
        for each in audits
        for address, figure in each.figures.items()
        if address in _SHOWN_FIGURES
    ]
    if not rows:
        return []
    formats: dict[str, Format] = {
        TRAINING_DATA: "text",
        "figure": "text",
        "value": "figure",
        "n": "count",
        "baseline": "figure",
    }
    notes = [f"{each.training}: {text}" for each in audits for text in each.summaries.values()]
    notes += [
        f"{each.training}: {name} was skipped, because {reason}."
        for each in audits
        for name, reason in each.skipped.items()
    ]
    frame = pl.DataFrame(rows, infer_schema_length=None)
    title = "What the training data teaches"
    return [Exhibit("training", title, _FIGURE_CAPTION, frame, formats, notes=tuple(notes))]


def make_training_tables(results: SetResults, trained: Trained) -> list[Exhibit]:
    """Show, for one set, training data next to the behaviour of the models that were trained on it."""
    by_model = {
        model.name: trained[model.folder]
        for model in results.models
        if not model.baseline and model.folder in trained
    }
    return [*_make_reliance_tables(results, by_model), *_make_cue_tables(results, by_model)]


def _make_reliance_tables(results: SetResults, by_model: Mapping[str, TrainingAudit]) -> list[Exhibit]:
    if not by_model:
        return []
    rows = []
    for (rule, model), reliance in measure_model_reliance(results).items():
        figure = (
            by_model[model].figures.get(f"heuristics.{rule.replace(' ', '_')}") if model in by_model else None
        )
        if figure is None or reliance.figure is None:
            continue
        support = round(figure.value * figure.n)
        rows.append(
            {
                "heuristic": rule,
                "model": model,
                TRAINING_DATA: by_model[model].training,
                "support": support,
                "contradict": figure.n - support,
                "support share": figure.value,
                "support share_low": figure.low,
                "support share_high": figure.high,
                "reliance": reliance.figure,
                "reliance_low": reliance.low,
                "reliance_high": reliance.high,
            }
        )
    if not rows:
        return []
    formats: dict[str, Format] = {
        "heuristic": "text",
        "model": "text",
        **_show_training_names(by_model),
        "support": "count",
        "contradict": "count",
        "support share": "percent",
        "reliance": "share",
    }
    return [
        Exhibit(
            f"training-reliance-{make_slug(results.name)}",
            f"{results.name}: heuristics in the training data and reliance on them",
            _RELIANCE_CAPTION.format(name=results.name),
            pl.DataFrame(rows, infer_schema_length=None),
            formats,
            results.name,
        )
    ]


def _show_training_names(by_model: Mapping[str, TrainingAudit]) -> dict[str, Format]:
    """Show the column of training data, unless all models were trained on the same."""
    return {TRAINING_DATA: "text"} if len({each.training for each in by_model.values()}) > 1 else {}


def _make_cue_tables(results: SetResults, by_model: Mapping[str, TrainingAudit]) -> list[Exhibit]:
    rows = [
        {TRAINING_DATA: training.training, **row}
        for model, training in by_model.items()
        for row in _list_cue_rows(results, model, training)
    ]
    if not rows:
        return []
    formats: dict[str, Format] = {
        "model": "text",
        **_show_training_names(by_model),
        "cue": "text",
        "label": "text",
        "in training": "percent",
        "n": "count",
        "predicted": "percent",
        "without": "percent",
    }
    return [
        Exhibit(
            f"training-cues-{make_slug(results.name)}",
            f"{results.name}: cues of the training data and errors",
            _CUE_CAPTION.format(name=results.name, most=MOST_CUES),
            pl.DataFrame(rows, infer_schema_length=None),
            formats,
            results.name,
            headings={"in training": "share of the label in training"},
        )
    ]


def _list_cue_rows(results: SetResults, model: str, training: TrainingAudit) -> list[dict[str, Any]]:
    """List the cues with most errors towards their label, after a row for all cues of the training data."""
    table = results.predictions[model].select("gold", "prediction")
    merged = set(results.gold_labels) <= set(TWO_LABELS)
    words = f" {START} " + split_into_words(results.pairs["hypothesis"]).list.join(" ") + " "
    has_any, wrongly = (
        pl.repeat(value=False, n=len(words), eager=True),
        pl.repeat(value=False, n=len(words), eager=True),
    )
    rows = []
    for cue, label in _iterate_cues(training, merged=merged):
        has = words.str.contains(f" {cue['cue']} ", literal=True)
        other = table["gold"] != label
        towards = table["prediction"] == label
        has_any, wrongly = has_any | (has & other), wrongly | (has & other & towards)
        row = _compare_with_and_without(results, towards, has & other, ~has & other)
        if row["n"] >= MIN_PAIRS:
            shares = {f"in training{end}": cue[f"share{end}"] for end in ("", "_low", "_high")}
            errors = int((has & other & towards).sum())
            rows.append((errors, {"model": model, "cue": cue["cue"], "label": cue["label"], **shares, **row}))
    if not rows:
        return []
    rows.sort(key=lambda item: -item[0])
    whole = {"model": model, "cue": ANY_CUE, "label": "its own", **_share_of(results, wrongly, has_any)}
    return [whole, *(row for _, row in rows[:MOST_CUES])]


def _iterate_cues(training: TrainingAudit, *, merged: bool) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Go through the cues, each with its label as the set compares labels."""
    for cue in training.cues:
        label = str(merge_labels(pl.Series([cue["label"]]))[0]) if merged else str(cue["label"])
        if merged or label != NON_ENTAILMENT:
            yield cue, label


def _compare_with_and_without(
    results: SetResults, towards: pl.Series, having: pl.Series, lacking: pl.Series
) -> dict[str, Any]:
    without = compute_clustered_proportion(towards.filter(lacking), _select_clusters(results, lacking))
    return {**_share_of(results, towards, having), **without.to_columns("without")}


def _share_of(results: SetResults, towards: pl.Series, having: pl.Series) -> dict[str, Any]:
    share = compute_clustered_proportion(towards.filter(having), _select_clusters(results, having))
    return {"n": share.n, **share.to_columns("predicted")}


def _select_clusters(results: SetResults, rows: pl.Series) -> pl.DataFrame | None:
    return None if results.clusters is None else results.clusters.filter(rows)
