"""Scores made by hand, for the tests of the reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
from scipy.stats import binomtest

from rightreasons.core.formatting import Cell
from rightreasons.reports.exhibits.accuracy import ScoredSet, make_accuracy_tables, make_overview_tables
from rightreasons.reports.exhibits.prompt_sensitivity import make_prompt_tables
from rightreasons.reports.headlines import RULE, make_headline
from rightreasons.reports.provenance import describe_model_runs, list_reproduction_facts
from rightreasons.reports.report_data import Report
from rightreasons.reports.takeaways import get_predicted_label_counts
from rightreasons.runs.folder import Run, ScoringNote
from rightreasons.scoring.seeds import pool_run_scores

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

N = 1000


def cell(share: float, n: int) -> Cell:
    correct = round(share * n)
    bounds = binomtest(correct, n).proportion_ci(method="wilson")
    return Cell(n, correct, bounds.low, bounds.high)


def scores_of(
    model: str, groups: Mapping[str, tuple[float, float]], tag: str = "heuristic", name: str = "hans"
) -> pl.DataFrame:
    """Make the scores of one model from its two accuracies on each group."""
    rows = []
    for group, (entailed, other) in groups.items():
        sides = {"entailment": cell(entailed, N), "non-entailment": cell(other, N)}
        sides["all"] = cell((entailed + other) / 2, 2 * N)
        rows += [_row(name, model, tag, {tag: group}, gold=gold, made=made) for gold, made in sides.items()]
    sides = zip(*groups.values(), strict=True)
    for gold, shares in zip(("entailment", "non-entailment"), sides, strict=True):
        made = cell(sum(shares) / len(groups), N * len(groups))
        rows.append(_row(name, model, "", {tag: None}, gold=gold, made=made))
    right = sum(sum(pair) for pair in groups.values()) / 2 / len(groups)
    rows.append(_row(name, model, "", {tag: None}, gold="all", made=cell(right, 2 * N * len(groups))))
    return pl.DataFrame(rows)


def three_labels(
    model: str, right: Mapping[str, int], n: int = 100, parts: Mapping[str, int] | None = None
) -> pl.DataFrame:
    """Make the scores of one model on a set of other labels, from its right answers to n pairs of each.

    The parts are subcases of n pairs each, with the right answers to them.
    """
    golds = {gold: cell(count / n, n) for gold, count in right.items()}
    golds["all"] = cell(sum(right.values()) / n / len(right), n * len(right))
    rows = [_row("set", model, "", {"subcase": None}, gold=gold, made=made) for gold, made in golds.items()]
    for part, count in (parts or {}).items():
        rows.append(_row("set", model, "subcase", {"subcase": part}, gold="all", made=cell(count / n, n)))
    return pl.DataFrame(rows, schema_overrides={"subcase": pl.String})


def run_of(
    scores: Sequence[pl.DataFrame], models: Sequence[str], name: str = "hans", warnings: tuple[str, ...] = ()
) -> Run:
    card = {
        "command": "rightreasons evaluate m --out run",
        "started": "2026-01-01T00:00:00+00:00",
        "versions": {"rightreasons": "0.1.0", "python": "3.11", "polars": "2.1"},
        "rule": "auto",
        "seed": 0,
        "sets": [
            {
                "name": name,
                "rows": 6000,
                "version": 1,
                "options": {"mode": "x"},
                "digest": "abc",
                "remarks": [],
            }
        ],
        "models": [{"name": model, "baseline": False} for model in models],
    }
    notes = tuple(ScoringNote(name, model, "arg-max, then merged", warnings) for model in models)
    return Run(card, pl.concat(scores), notes)


def report_of(run: Run) -> Report:
    """Build the parts of a report that rest on the scores of a run alone."""
    scores = {name: pool_run_scores(run.get_scores(name), {}) for name in run.sets}
    models = run.requested_models
    scored = [ScoredSet(name, run.get_scores(name), frozenset(), run.label_rule(name)) for name in run.sets]
    return Report(
        title="Title",
        created=run.card["started"],
        headlines=tuple(
            make_headline(
                model,
                [(name, scores[name], get_predicted_label_counts(run, name, model)) for name in run.sets],
            )
            for model in models
        ),
        rule=RULE,
        warnings=tuple(run.warnings),
        exhibits=(
            *make_overview_tables(scores, models),
            *make_prompt_tables([run]),
            *(table for each in scored for table in make_accuracy_tables(each)),
        ),
        examples=(),
        model_notes=tuple(describe_model_runs(run)),
        provenance=tuple(list_reproduction_facts(run)),
    )


def _row(
    name: str, model: str, by: str, tags: Mapping[str, str | None], *, gold: str, made: Cell
) -> dict[str, object]:
    figures = {"n": made.n, "correct": made.correct, "accuracy": made.correct / made.n}
    return {
        "set": name,
        "model": model,
        "by": by,
        **tags,
        "gold": gold,
        **figures,
        "low": made.low,
        "high": made.high,
        "interval": "wilson",
    }
