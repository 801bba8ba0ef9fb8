"""`hans-withheld`: five runs, each without six subcases among the HANS-like pairs (Tables 5 and 12 to 16)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rightreasons.experiments import hans
from rightreasons.experiments.hans_augmented import LABEL
from rightreasons.experiments.plan import Experiment
from rightreasons.experiments.tables import FigureRow, TableHeading, lying, published_lines, standing
from rightreasons.reports import published
from rightreasons.reports.published import column_of
from rightreasons.scoring.accuracy import ALL

if TYPE_CHECKING:
    from rightreasons.experiments.found import ExperimentResults
    from rightreasons.experiments.plan import ExperimentPart, Setting
    from rightreasons.experiments.tables import ExperimentTable, Value

TABLES = ("12", "13", "14", "15", "16")
VARIANTS = (
    "Figures such as .51, .78 or .38 in the paper may be the shares of one variant: a model may be right on all pairs "
    "of one variant of a withheld subcase and wrong on all of another, which a mean over the subcase hides."
)
SEEN = "Of the thirty subcases, a run was trained with pairs of twenty-four."


@lru_cache(maxsize=1)
def withheld() -> dict[str, tuple[tuple[str, str], ...]]:
    """List the subcases that each run does without, with their true labels, by the number of its table."""
    rows = published.figures("hans_more")
    found: dict[str, dict[tuple[str, str], None]] = {}
    for table, subset, gold in rows.select("table", "subset", "gold").iter_rows():
        if table in TABLES:
            found.setdefault(table, {})[subset, gold] = None
    return {table: tuple(cells) for table, cells in found.items()}


def parts(setting: Setting) -> list[ExperimentPart]:
    """Train each model five times over, each time without six subcases."""
    return [
        hans.part(model, seed, edits=_edits(setting, table), of=_run(table), size=setting.scale.many_pairs)
        for model in setting.models
        for table in TABLES
        for seed in setting.seeds
    ]


def _edits(setting: Setting, table: str) -> tuple[str, str]:
    names = ",".join(subcase for subcase, _ in withheld()[table])
    return f"augment:size={setting.scale.augmented}", f"withhold:subcases={names}"


def _run(table: str) -> str:
    return f"run {TABLES.index(table) + 1}"


def tables(found: ExperimentResults) -> list[ExperimentTable]:
    """Show each withheld subcase by the models that never met it, in all and by variant; then the runs as a whole."""
    return [_by_subcase(found), _by_variant(found), _by_run(found)]


def _by_subcase(found: ExperimentResults) -> ExperimentTable:
    columns = {
        column_of(subcase, gold): f"{subcase} ({gold}, {_run(table)})"
        for table, cells in withheld().items()
        for subcase, gold in cells
    }
    ours = [_line(found, model, "subcase") for model in found.setting.models]
    title = "HANS subcases that were withheld from training: Tables 5 and 12 to 16 of the paper"
    caption = "Accuracy on each subcase by the run that was trained without it."
    return standing(
        TableHeading("hans-withheld", title, caption, "withheld subcase"),
        columns,
        [*published_lines("hans_more", TABLES, cited="Tables 12 to 16"), *ours],
    )


def _by_variant(found: ExperimentResults) -> ExperimentTable:
    pairs = found.pairs(hans.HANS)
    variants = pairs.select("subcase", "subvariant").unique(maintain_order=True).rows()
    columns = {
        f"{subcase}/{variant}": f"{subcase}: {variant}"
        for cells in withheld().values()
        for subcase, _ in cells
        for of, variant in variants
        if of == subcase
    }
    ours = [_line(found, model, "subcase", "subvariant") for model in found.setting.models]
    return standing(
        TableHeading("hans-withheld-variants", "The same by variant", VARIANTS, "variant"), columns, ours
    )


def _by_run(found: ExperimentResults) -> ExperimentTable:
    """Show each run on MultiNLI, by which it is told whether anything may be claimed, and on all of HANS."""
    ours = [found.line(row, hans.cells(found, row)) for row in found.rows]
    title = "The five runs on MultiNLI and on all of HANS"
    return lying(TableHeading("hans-withheld-runs", title, f"{hans.RULE} {SEEN}"), hans.COLUMNS, ours)


def _line(found: ExperimentResults, model: str, *by: str) -> FigureRow:
    """Put the figures of a model's five runs into one line: of each, those on what it did without."""
    values: dict[str, Value] = {}
    weak = False
    shown = ""
    for table, cells in withheld().items():
        row = next(part.row for part, _ in found.jobs if part.model == model and part.of == _run(table))
        names = {subcase for subcase, _ in cells}
        shown = next(part.learner.shown for part, _ in found.parts(row))
        weak = weak or found.weak(row)
        for (subcase, *variant, gold), value in found.values(row, hans.HANS, *by).items():
            if subcase in names and gold != ALL:
                values["/".join([subcase, *variant]) if variant else column_of(subcase, gold)] = value
    return FigureRow(shown, values, trained_on="MNLI + HANS-like", weak=weak)


EXPERIMENT = Experiment(
    "hans-withheld",
    "HANS-like pairs without six of the thirty subcases, five times",
    hans.tests,
    parts,
    tables,
    models=("da", "esim"),
    paper_models=hans.PAPER_MODELS,
    notes=(LABEL,),
)
