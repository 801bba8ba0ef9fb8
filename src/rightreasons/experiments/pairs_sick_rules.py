"""`pairs-sick-rules`: SICK without the pairs of one expansion rule at a time (Table 4)."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.experiments import pairs
from rightreasons.experiments.learners import TRANSFORMER, learner
from rightreasons.experiments.plan import Experiment
from rightreasons.experiments.shares import change, over_parts
from rightreasons.experiments.tables import (
    FigureRow,
    TableHeading,
    Value,
    lying,
    published_lines,
    published_notes,
)
from rightreasons.io.polars_io import read_parquet
from rightreasons.reports import published
from rightreasons.training.edits import apply_edit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.experiments.found import ExperimentResults
    from rightreasons.experiments.jobs import ExperimentJob
    from rightreasons.experiments.plan import ExperimentPart, Setting, Test
    from rightreasons.experiments.tables import ExperimentTable

# The paper's rules with the codes that SICK has for them, in the order of its table.
RULES = {
    "unrelated sentences": "unrel",
    "replace words": "lex,so",
    "scramble words": "ws",
    "turn adjectives into relative clauses": "expa",
    "replace quantifiers": "det",
    "change determiners with opposites": "od",
    "add modifiers": "aa",
    "turn active sentences into passive": "top",
    "turn compounds into relative clauses": "expc",
    "turn passive sentences into active": "toa",
    "insert a negation": "inv",
}
FEW = ("unrelated sentences", "replace words", "scramble words")  # those that matter most by the paper
RANDOM_LIMIT, SIMPLE_LIMIT, OWN_LIMIT = 1_000, 3_000, 2_000
FULL = "SICK"
MEAN = "mean"
ONE = (
    "One rule's pairs are left out at a time, those of all other rules and those that no rule made stay in; the paper "
    "leaves open whether unrelated pairs were put back for the other rows. Pairs with two rules go with either."
)
LESS = f"Below the scale of the paper, transformers do without {', '.join(FEW[:-1])} and {FEW[-1]} only, for time."


def tests(setting: Setting) -> list[Test]:
    """Ask Random Pair and Simple Pair, few of each since there are many models, and the test part of SICK."""
    simple = pairs.simple_test(setting, SIMPLE_LIMIT)
    own = pairs.own_tests(["sick"], pairs.most(setting, OWN_LIMIT))
    return [*pairs.random_tests(setting, RANDOM_LIMIT), simple, *own]


def parts(setting: Setting) -> list[ExperimentPart]:
    """Train each model on all of SICK, and without each rule."""
    asked = tests(setting)
    return [
        pairs.part(setting, model, "sick", seed, asked, **how)
        for model in setting.models
        for how in ({}, *(_without(rule) for rule in _rules(setting, model)))
        for seed in setting.seeds
    ]


def _rules(setting: Setting, model: str) -> Sequence[str]:
    scale = setting.scale.name
    few = scale == "tiny" or (scale != "paper" and learner(model).trainer == TRANSFORMER)
    return FEW if few else list(RULES)


def _without(rule: str) -> dict[str, object]:
    return {"edits": (f"drop-rule:rules={RULES[rule]}",), "of": f"{FULL} without: {rule}"}


def tables(found: ExperimentResults) -> list[ExperimentTable]:
    """Show the accuracies of Table 4, then the changes."""
    paper = sorted(published_lines("pairs_more", ["4"]), key=lambda line: line.trained_on != FULL)
    ours = {
        row: found.line(row, pairs.later_cells(found, row), _trained_on(found, row)) for row in found.rows
    }
    heading = TableHeading("pairs-sick-rules", "SICK without one rule: Table 4 of the paper", pairs.RULE)
    said = "The paper's row of all of SICK is what its printed changes imply."
    main = lying(heading, pairs.LATER, [*paper, *ours.values()], (said, pairs.OWN_NOTE))
    return [main, _changes(found, paper, list(ours.values()))]


def _trained_on(found: ExperimentResults, row: str) -> str:
    part, job = found.parts(row)[0]
    pairs_there = read_parquet(job.training.train)
    for edit in part.edits:
        pairs_there = apply_edit(pairs_there, edit)
    return f"{pairs_there.height:,} of sick-train"


def _changes(
    found: ExperimentResults, paper: Sequence[FigureRow], ours: Sequence[FigureRow]
) -> ExperimentTable:
    columns = {MEAN: "mean", **{key: head for key, head in pairs.LATER.items() if key != pairs.OWN}}
    full = next(line for line in paper if line.trained_on == FULL)
    printed = [_minus(line, full) for line in paper if line is not full]
    lines = [_change(found, line, columns) for line in ours if "without" in line.model]
    heading = TableHeading(
        "pairs-sick-rules-changes",
        "SICK without one rule: what changes, as Table 4 of the paper has it",
        "Change of accuracy in points against all of SICK, on the same pairs; the mean is over the eight columns.",
        shown="points",
    )
    notes = ("The paper's changes are recomputed from its accuracies.", *_misprints(columns))
    return lying(heading, columns, [*printed, *lines], notes)


def _misprints(columns: dict[str, str]) -> list[str]:
    return [note for note in published_notes("pairs_more", ["4"], columns) if "doesn't fit" in note]


def _minus(line: FigureRow, full: FigureRow) -> FigureRow:
    values = {key: Value(value.mean - full.values[key].mean) for key, value in line.values.items()}
    return FigureRow(line.model, _with_mean(values), line.source, line.trained_on)


def _change(found: ExperimentResults, line: FigureRow, columns: dict[str, str]) -> FigureRow:
    base = next(part.learner.shown for part, _ in found.parts(line.model)) + f", {FULL}"
    before = {part.seed: job for part, job in found.parts(base)}
    values: dict[str, Value] = {}
    for key in columns:
        if key in line.values:
            test, within = _asked(key)

            def count(
                part: ExperimentPart, job: ExperimentJob, test: str = test, within: pl.Expr = within
            ) -> Value:
                after, first = (found.answers(one, test).filter(within) for one in (job, before[part.seed]))
                return change(after["right"], first["right"])

            value = over_parts(found, line.model, count)
            values |= {key: value} if value else {}
    return FigureRow(line.model, _with_mean(values), line.source, line.trained_on, line.weak)


def _with_mean(values: dict[str, Value]) -> dict[str, Value]:
    known = list(values.values())
    pairs_in_all = sum(value.n or 0 for value in known) or None
    return {MEAN: Value(fmean(value.mean for value in known), n=pairs_in_all), **values} if known else {}


def _asked(key: str) -> tuple[str, pl.Expr]:
    """Say which pairs of which test a column is about."""
    name = published.subset_of(key)
    if name in pairs.RANDOM:
        return pairs.RANDOM[name], pl.lit(value=True)
    return pairs.SIMPLE, {**published.SENTENCES, **published.JOINED_LATER}[name].within()


EXPERIMENT = Experiment(
    "pairs-sick-rules",
    "SICK without one expansion rule at a time",
    tests,
    parts,
    tables,
    models=pairs.MODELS,
    paper_models=("albert",),
    notes=(pairs.STANDS_IN, ONE, LESS),
)
