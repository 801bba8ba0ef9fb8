"""The stress-test experiments: their test sets, the paper's figures, and how antonyms in training are counted."""

from __future__ import annotations

import pytest

from rightreasons.experiments import stress_distraction, stress_main, stress_spelling
from rightreasons.experiments.declaration import RoleFile, Setting
from rightreasons.experiments.learners import SCALES
from rightreasons.experiments.stress_distraction import StressDistraction
from rightreasons.experiments.stress_main import StressMain
from rightreasons.experiments.stress_spelling import StressSpelling
from rightreasons.reports import published

QUICK = Setting(SCALES["quick"], stress_main.MODELS)


def test_the_six_tests_have_both_splits() -> None:
    tests = {test.name: test for test in StressMain().test_sets(QUICK)}
    assert len(tests) == 2 + 5 * 2 + 1
    assert tests["mnli_dev_negation_mismatched"].options["corpus"] == RoleFile("mnli-dev-mismatched")
    assert {test.set for test in tests.values() if test.set} == {
        place.set for place in published.TESTS.values()
    }
    # So that a report of the run finds the splits by the names of the sets.
    assert all(
        published.parse_released_file_name(name) is not None
        and published.parse_released_file_name(name)[1] in stress_main.SPLITS  # type: ignore[index]
        for name in tests
        if name != stress_main.NUMERICAL
    )


def test_every_model_predicts_all_tests_and_is_judged_by_the_dev_set() -> None:
    for part in StressMain().parts(QUICK):
        assert part.claim == "mnli_dev_matched"
        assert set(part.tests) == {test.name for test in StressMain().test_sets(QUICK)}


def test_splits_of_a_published_model_are_side_by_side() -> None:
    lines = {line.model: line for line in stress_main.merge_splits(published.read_rows("stress", ["3"]))}
    assert set(lines) == {"NB", "CH", "RC", "IS", "BiLSTM", "CBOW"}
    nb = lines["NB"].values
    assert nb[stress_main.name_column("dev", "matched")].mean == 0.742
    assert nb[stress_main.name_column("dev", "mismatched")].mean == 0.748
    assert nb[stress_main.name_column("numerical", "")].mean == 0.212


def test_table_5_is_as_printed() -> None:
    lines = {line.model: line for line in stress_main.merge_splits(published.read_rows("stress_more", ["5"]))}
    assert lines["BiLSTM"].values["negation/mismatched"].mean == 0.704
    assert lines["NB"].values["green_is_not_red/matched"].mean == 0.499
    assert set(lines["NB"].values) == {
        stress_main.name_column(test, split)
        for test in stress_distraction.TESTS
        for split in stress_main.SPLITS
    }


def test_distraction_doubles_the_training_pairs_for_half_of_the_parts() -> None:
    parts = StressDistraction().parts(Setting(SCALES["quick"], ("bilstm",), (0, 1)))
    assert [part.edits for part in parts] == [(), (), *([(stress_distraction.DOUBLED,)] * 2)]
    green = [test for test in StressDistraction().test_sets(QUICK) if "green" in test.name]
    assert [test.options["tautology"] for test in green] == ["green is not red"] * 2


@pytest.mark.parametrize(("scale", "found"), [("quick", 0), ("paper", 1)])
def test_ch_is_also_trained_as_released_at_the_papers_scale(scale: str, found: int) -> None:
    parts = StressSpelling().parts(Setting(SCALES[scale], stress_spelling.MODELS))
    assert sum(part.options.get("literal", False) for part in parts) == found
