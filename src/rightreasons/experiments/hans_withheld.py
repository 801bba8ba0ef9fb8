"""`hans-withheld`: five runs, each without six subcases among the HANS-like pairs (Tables 5 and 12 to 16)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rightreasons.experiments import hans_main
from rightreasons.experiments.hans_augmented import LABEL
from rightreasons.experiments.learners import find_learner
from rightreasons.experiments.tables import ExperimentTable, read_published_rows
from rightreasons.reports import published
from rightreasons.reports.exhibits.published_comparison import FigureRow, TableHeading
from rightreasons.reports.published import name_figure_column
from rightreasons.scoring.accuracy import ALL

if TYPE_CHECKING:
    from rightreasons.experiments.declaration import ExperimentPart, Setting
    from rightreasons.experiments.results import ExperimentResults
    from rightreasons.reports.exhibits.published_comparison import FigureValue

TABLES = ("12", "13", "14", "15", "16")
VARIANTS = (
    "Accuracies such as 0.51, 0.78 or 0.38 in the paper may equal the proportion of pairs of one variant: a model may "
    "be correct on all pairs of one variant of a withheld subcase and wrong on all of another, which a mean over the "
    "subcase hides."
)
SEEN = "Each run was trained with pairs of 24 of the 30 subcases."


class HansWithheld(hans_main.HansExperiment):
    """HANS subcases that were withheld from training: Tables 5 and 12 to 16 of the paper."""

    name = "hans-withheld"
    about = "HANS-like pairs without six of the thirty subcases, five times"
    models = ("da", "esim")
    paper_models = hans_main.PAPER_MODELS
    notes = (LABEL,)

    def parts(self, setting: Setting) -> list[ExperimentPart]:
        """Train each model five times, each time without six subcases."""
        return [
            hans_main.make_hans_part(
                model,
                seed,
                edits=_make_withholding_edits(setting, table),
                variant=_name_run(table),
                size=setting.scale.many_pairs,
            )
            for model in setting.models
            for table in TABLES
            for seed in setting.seeds
        ]

    def tables(self, results: ExperimentResults) -> list[ExperimentTable]:
        """The withheld subcases, by the models trained without them; the same by variant; the five runs."""
        return [_make_withheld_table(results), _make_variant_table(results), _make_five_run_table(results)]


@lru_cache(maxsize=1)
def read_withheld_subcases() -> dict[str, tuple[tuple[str, str], ...]]:
    """Read the withheld subcases of each run with their gold labels, by the number of the run's table."""
    cells_by_table: dict[str, dict[tuple[str, str], None]] = {}
    figures = published.read_published_figures("hans_more")
    for table, subset, gold in figures.select("table", "subset", "gold").iter_rows():
        if table in TABLES:
            cells_by_table.setdefault(table, {})[subset, gold] = None
    return {table: tuple(cells) for table, cells in cells_by_table.items()}


def _make_withholding_edits(setting: Setting, table: str) -> tuple[str, str]:
    names = ",".join(subcase for subcase, _ in read_withheld_subcases()[table])
    return f"augment:size={setting.scale.augmented}", f"withhold:subcases={names}"


def _name_run(table: str) -> str:
    return f"run {TABLES.index(table) + 1}"


def _make_withheld_table(results: ExperimentResults) -> ExperimentTable:
    columns = {
        name_figure_column(subcase, gold): f"{subcase} ({gold}, {_name_run(table)})"
        for table, cells in read_withheld_subcases().items()
        for subcase, gold in cells
    }
    ours = [_merge_five_runs(results, model, "subcase") for model in results.setting.models]
    title = "HANS subcases that were withheld from training: Tables 5 and 12 to 16 of the paper"
    caption = "For each subcase, the accuracy of the run that was trained without it."
    heading = TableHeading("hans-withheld", title, caption, "withheld subcase")
    rows = [*read_published_rows("hans_more", TABLES, cited="Tables 12 to 16"), *ours]
    return ExperimentTable.build_with_models_as_columns(heading, columns, rows)


def _make_variant_table(results: ExperimentResults) -> ExperimentTable:
    pairs = results.read_pairs(hans_main.HANS)
    variants = pairs.select("subcase", "subvariant").unique(maintain_order=True).rows()
    columns = {
        f"{subcase}/{variant}": f"{subcase}: {variant}"
        for cells in read_withheld_subcases().values()
        for subcase, _ in cells
        for of, variant in variants
        if of == subcase
    }
    ours = [_merge_five_runs(results, model, "subcase", "subvariant") for model in results.setting.models]
    heading = TableHeading("hans-withheld-variants", "The same by variant", VARIANTS, "variant")
    return ExperimentTable.build_with_models_as_columns(heading, columns, ours)


def _make_five_run_table(results: ExperimentResults) -> ExperimentTable:
    """Each run on MultiNLI, which decides whether anything may be claimed, and on all of HANS."""
    ours = [results.make_row(row, hans_main.read_hans_cells(results, row)) for row in results.rows]
    title = "The five runs on MultiNLI and on all of HANS"
    heading = TableHeading("hans-withheld-runs", title, f"{hans_main.RULE} {SEEN}")
    return ExperimentTable.build_with_models_as_rows(heading, hans_main.COLUMNS, ours)


def _merge_five_runs(results: ExperimentResults, model: str, *by: str) -> FigureRow:
    """Merge the five runs of a model into one row: from each run, the figures of its withheld subcases."""
    values: dict[str, FigureValue] = {}
    weak = False
    for table, cells in read_withheld_subcases().items():
        run = _name_run(table)
        row = next(part.row for part, _ in results.jobs if part.model == model and part.variant == run)
        names = {subcase for subcase, _ in cells}
        weak = weak or results.is_weak(row)
        for (subcase, *variant, gold), value in results.compute_accuracies(row, hans_main.HANS, *by).items():
            if subcase in names and gold != ALL:
                values["/".join([subcase, *variant]) if variant else name_figure_column(subcase, gold)] = (
                    value
                )
    return FigureRow(find_learner(model).display_name, values, trained_on="MNLI + HANS-like", weak=weak)
