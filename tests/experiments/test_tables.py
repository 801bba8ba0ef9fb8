"""Lines and tables of figures: seeds, intervals, published rows, and what is marked as too weak."""

from __future__ import annotations

from rightreasons.experiments.tables import ExperimentTable, make_long_table
from rightreasons.reports.exhibits.published_comparison import WEAK, FigureRow, FigureValue, TableHeading
from rightreasons.reports.renderers import render_markdown

HEADING = TableHeading("k", "Title", "What it is.", "subset")
OURS = FigureRow("DA", {"a": FigureValue(0.5, 0.4, 0.6, 100)}, weak=True)
THEIRS = FigureRow("DA", {"a": FigureValue(0.9), "b": FigureValue(0.25)}, "A paper, Table 1", "MNLI")


def test_models_as_rows() -> None:
    text = render_markdown(
        ExperimentTable.build_with_models_as_rows(
            HEADING, {"a": "Set A", "b": "Set B"}, [THEIRS, OURS], ["Mind."]
        ).exhibit
    )
    assert "| model | trained on | Set A | Set B | source |" in text
    assert "| DA | MNLI | 0.90 | 0.25 | A paper, Table 1 |" in text
    assert f"| DA ({WEAK}) |  | 0.50 (0.40-0.60) | - | here |" in text
    assert "n: 100 pairs" in text
    assert "- Mind." in text


def test_models_as_columns() -> None:
    text = render_markdown(
        ExperimentTable.build_with_models_as_columns(
            HEADING, {"a": "Set A", "b": "Set B"}, [THEIRS, OURS]
        ).exhibit
    )
    assert f"| subset | n | DA, printed | DA ({WEAK}), here |" in text
    assert "| Set A | 100 | 0.90 | 0.50 (0.40-0.60) |" in text
    assert "| Set B | - | 0.25 | - |" in text


def test_the_long_form_has_every_figure() -> None:
    rows = make_long_table(
        [ExperimentTable.build_with_models_as_rows(HEADING, {"a": "Set A", "b": "Set B"}, [THEIRS, OURS])]
    ).rows(named=True)
    assert [(row["model"], row["column"], row["mean"]) for row in rows] == [
        ("DA", "a", 0.9),
        ("DA", "b", 0.25),
        ("DA", "a", 0.5),
    ]
    assert rows[2]["too_weak"]
    assert (rows[2]["low"], rows[2]["n"]) == (0.4, 100)
