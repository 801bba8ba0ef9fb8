"""The published rows of the HANS experiments."""

from __future__ import annotations

from rightreasons.experiments.hans_main import COLUMNS, read_table_3
from rightreasons.experiments.hans_withheld import TABLES, read_withheld_subcases
from rightreasons.experiments.tables import read_published_rows
from rightreasons.reports import published


def test_table_3_is_as_printed() -> None:
    lines = {line.model: line for line in read_table_3()}
    assert set(lines) == {"DA", "ESIM", "SPINN", "BERT"}
    assert set(lines["BERT"].values) == set(COLUMNS)
    assert lines["BERT"].values["mnli"].mean == 0.84
    assert lines["BERT"].values["lexical_overlap/non-entailment"].mean == 0.16


def test_the_five_runs_withhold_every_subcase_once() -> None:
    known = published.read_published_figures("hans").filter(published.pl.col("table").is_in(["9", "10"]))
    cells = [cell for table in TABLES for cell in read_withheld_subcases()[table]]
    assert [len(read_withheld_subcases()[table]) for table in TABLES] == [6] * 5
    assert sorted(set(cells)) == sorted(cells) == sorted(set(known.select("subset", "gold").rows()))
    bert = next(
        line for line in read_published_rows("hans_more", TABLES, cited="Tables") if line.model == "BERT"
    )
    assert bert.values["le_passive/entailment"].mean == 0.0
    assert bert.values["ce_embedded_under_verb/entailment"].mean == 0.43
