from __future__ import annotations

from rightreasons.people.power import PowerAssumptions, make_power_table
from rightreasons.reports.exhibits.study_power import make_power_exhibit
from rightreasons.reports.renderers import render_csv

ASSUMED = PowerAssumptions.from_accuracies(0.8, 0.1, 0.2, excluded=0.5, labels=3, items_per_participant=40)


def test_the_table_has_a_row_for_each_design_and_states_its_assumptions() -> None:
    table = make_power_table(ASSUMED, "alpha", items=(100,), judgements=(2, 3), simulations=20)
    exhibit = make_power_exhibit(table, ASSUMED, "alpha", "Recommended: much.")
    header, *rows = render_csv(exhibit).splitlines()
    assert header == "judgements per item,items,judgements,participants,half-width"
    assert [row.rpartition(",")[0] for row in rows] == ["2,100,200,5", "3,100,300,8"]
    assumptions, recommended = exhibit.notes
    assert recommended == "Recommended: much."
    for figure in (
        "accuracy 0.80",
        "0.10 over participants",
        "0.20 over items",
        "50%",
        "3 labels",
        "40 items",
    ):
        assert figure in assumptions
    assert "alpha" in exhibit.title


def test_without_a_recommendation_there_is_one_note() -> None:
    table = make_power_table(ASSUMED, "accuracy", items=(10,), judgements=(1,), simulations=20)
    assert len(make_power_exhibit(table, ASSUMED, "accuracy", "").notes) == 1
