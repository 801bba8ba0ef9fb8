"""Lines and tables of figures: seeds, intervals, published rows, and what is marked as too weak."""

from __future__ import annotations

import pytest

from rightreasons.experiments.declaration import EXPERIMENTS, Setting, find_experiment
from rightreasons.experiments.hans_main import COLUMNS, read_table_3
from rightreasons.experiments.hans_withheld import TABLES, read_withheld
from rightreasons.experiments.learners import LEARNERS, SCALES
from rightreasons.experiments.results import average_seeds
from rightreasons.experiments.tables import ExperimentTable, read_published_rows, to_long_table
from rightreasons.reports import published
from rightreasons.reports.exhibits.published_comparison import FigureRow, TableHeading, Value
from rightreasons.reports.renderers import render_markdown

make_rows_table = ExperimentTable.with_models_as_rows
HEADING = TableHeading("k", "Title", "What it is.", "subset")
OURS = FigureRow("DA", {"a": Value(0.5, 0.4, 0.6, 100)}, weak=True)
THEIRS = FigureRow("DA", {"a": Value(0.9), "b": Value(0.25)}, "A paper, Table 1", "MNLI")


def test_seeds_have_a_mean_and_a_range() -> None:
    values = [Value(0.2, 0.1, 0.3, 50), Value(0.4, 0.3, 0.5, 50), Value(0.9, 0.8, 1.0, 50)]
    assert average_seeds(values) == Value(pytest.approx(0.5), 0.2, 0.9, 50, 3)
    assert average_seeds(values[:1]) == values[0]


def test_models_as_rows() -> None:
    text = render_markdown(
        ExperimentTable.with_models_as_rows(
            HEADING, {"a": "Set A", "b": "Set B"}, [THEIRS, OURS], ["Mind."]
        ).exhibit
    )
    assert "| model | trained on | Set A | Set B | source |" in text
    assert "| DA | MNLI | 0.90 | 0.25 | A paper, Table 1 |" in text
    assert "| DA (too weak for a claim) |  | 0.50 (0.40-0.60) | - | here |" in text
    assert "n: 100 pairs in each column." in text
    assert "- Mind." in text


def test_models_as_columns() -> None:
    text = render_markdown(
        ExperimentTable.with_models_as_columns(HEADING, {"a": "Set A", "b": "Set B"}, [THEIRS, OURS]).exhibit
    )
    assert "| subset | n | DA, printed | DA (too weak for a claim), here |" in text
    assert "| Set A | 100 | 0.90 | 0.50 (0.40-0.60) |" in text
    assert "| Set B | - | 0.25 | - |" in text


def test_the_long_form_has_every_figure() -> None:
    rows = to_long_table([make_rows_table(HEADING, {"a": "Set A", "b": "Set B"}, [THEIRS, OURS])]).rows(
        named=True
    )
    assert [(row["model"], row["column"], row["mean"]) for row in rows] == [
        ("DA", "a", 0.9),
        ("DA", "b", 0.25),
        ("DA", "a", 0.5),
    ]
    assert rows[2]["too_weak"]
    assert (rows[2]["low"], rows[2]["n"]) == (0.4, 100)


def test_table_3_is_as_printed() -> None:
    lines = {line.model: line for line in read_table_3()}
    assert set(lines) == {"DA", "ESIM", "SPINN", "BERT"}
    assert set(lines["BERT"].values) == set(COLUMNS)
    assert lines["BERT"].values["mnli"].mean == 0.84
    assert lines["BERT"].values["lexical_overlap/non-entailment"].mean == 0.16


def test_the_five_runs_withhold_every_subcase_once() -> None:
    known = published.figures("hans").filter(published.pl.col("table").is_in(["9", "10"]))
    cells = [cell for table in TABLES for cell in read_withheld()[table]]
    assert [len(read_withheld()[table]) for table in TABLES] == [6] * 5
    assert sorted(set(cells)) == sorted(cells) == sorted(set(known.select("subset", "gold").rows()))
    bert = next(
        line for line in read_published_rows("hans_more", TABLES, cited="Tables") if line.model == "BERT"
    )
    assert bert.values["le_passive/entailment"].mean == 0.0
    assert bert.values["ce_embedded_under_verb/entailment"].mean == 0.43


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_is_planned_at_every_scale(name: str, scale: str) -> None:
    experiment = find_experiment(name)
    assert experiment.name == name
    models = experiment.paper_models if scale == "paper" else experiment.models
    setting = Setting(SCALES[scale], models, (0, 1))
    parts, tests = experiment.parts(setting), experiment.test_sets(setting)
    assert {part.model for part in parts} <= set(LEARNERS)
    assert {part.seed for part in parts} == {0, 1}
    assert len({part.name for part in parts}) == len(parts)
    asked = [name for part in parts for name in part.tests]
    assert set(asked) == {test.name for test in tests}
    assert all(part.claim in part.tests for part in parts)
