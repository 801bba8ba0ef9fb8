"""Results of a study counted by hand: exclusions and what they change, accuracy, labels, ties and predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hand_judgements import join_judgements, write_judgements
from made_study import LABEL_QUESTION, NOTE_QUESTION, SENSE_QUESTION, make_study

from rightreasons.core.errors import InputError
from rightreasons.core.labels import UNREADABLE
from rightreasons.people.answer_accuracy import AnswerAccuracy
from rightreasons.people.human_shares import compute_human_labels, find_label_question
from rightreasons.people.question_labels import DAWID_SKENE, MACE, MAJORITY, QuestionLabels
from rightreasons.people.results import StudyResults
from rightreasons.people.retained import apply_exclusions, load_judgements
from rightreasons.people.simulation import simulate_judgements
from rightreasons.people.store import open_store
from rightreasons.scoring.proportion import compute_clustered_proportion

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.people.judgements import Judgements

# Gold labels of item-0 to item-7 are e n e n e n e n; those of controls are e.
PEOPLE = {
    "anna": {"items": "enenenen", "controls": "e"},  # all right
    "ben": {"items": "eneneeee", "controls": "e"},  # two wrong
    "cleo": {"items": "nnnn....", "controls": "e"},  # two wrong, half of the items
    "dan": {"items": "nenenene", "controls": "n"},  # all wrong, and a control
}
SECONDS = {"anna": 10.0, "ben": 8.0, "cleo": 6.0, "dan": 1.0}


@pytest.fixture
def judgements(tmp_path: Path) -> Judgements:
    study = make_study(tmp_path / "study", exclude=["controls_wrong > 0", "median_seconds < 7"])
    return write_judgements(study, PEOPLE, seconds=SECONDS)


def test_exclusions_are_those_of_the_plan(judgements: Judgements) -> None:
    found = apply_exclusions(judgements)
    assert found.excluded.sort("participant").rows() == [
        ("cleo", "median_seconds < 7", 6.0),
        ("dan", "controls_wrong > 0", 1.0),
        ("dan", "median_seconds < 7", 1.0),
    ]
    assert found.retained.participants["participant"].to_list() == ["anna", "ben"]
    assert set(found.retained.answers["participant"]) == {"anna", "ben"}
    assert apply_exclusions(judgements, ()).retained.answers.height == judgements.answers.height


def test_retained_and_excluded_side_by_side(judgements: Judgements) -> None:
    groups = {row["participants"]: row for row in StudyResults.from_judgements(judgements).groups.to_dicts()}
    assert [groups[name]["n"] for name in ("retained", "excluded", "all")] == [2, 2, 4]
    assert [groups[name]["judged items"] for name in ("retained", "excluded", "all")] == [16, 12, 28]
    # Times are of items alone: 8 of 10 s and 8 of 8 s; 4 of 6 s and 8 of 1 s.
    assert groups["retained"]["mean seconds"] == 9
    assert groups["excluded"]["mean seconds"] == pytest.approx(32 / 12)
    assert groups["retained"]["accuracy"] == 14 / 16
    assert groups["excluded"]["accuracy"] == 2 / 12
    exclusions = StudyResults.from_judgements(judgements).exclusions
    assert exclusions["participant"].to_list() == ["cleo", "dan"]
    assert exclusions["rules"].to_list() == ["median_seconds < 7", "controls_wrong > 0; median_seconds < 7"]


def test_sensitivity_to_the_rules(judgements: Judgements) -> None:
    table = StudyResults.from_judgements(judgements).sensitivity
    assert table.select("exclusions", "participants").rows() == [
        ("as planned", 2),
        ("no exclusions", 4),
        ("without controls_wrong > 0", 2),
        ("without median_seconds < 7", 3),
    ]
    assert table["accuracy"].to_list() == [14 / 16, 16 / 28, 14 / 16, 16 / 20]
    # Anna and Ben agree on 6 of 8 items.
    assert table["agreement"][0] == 6 / 8
    assert table["accuracy entailment"].to_list()[0] == 1


def test_accuracy_by_gold_answer_and_tag(judgements: Judgements) -> None:
    retained = apply_exclusions(judgements).retained
    question = judgements.study.protocol.questions[0]
    accuracy = AnswerAccuracy.from_judgements(retained, question)
    table = accuracy.make_table()
    assert table.select("gold", "n", "items", "participants", "accuracy").rows() == [
        ("entailment", 8, 4, 2, 1.0),
        ("non-entailment", 8, 4, 2, 6 / 8),
        ("all", 16, 8, 2, 14 / 16),
    ]
    assert accuracy.list_tags() == ["stratum"]
    by = accuracy.make_table("stratum")
    assert by["stratum"].unique(maintain_order=True).to_list() == ["stratum-0", "stratum-1", "stratum-2"]
    # Ben errs on item-5 and item-7, of stratum 2 and 1.
    wrong = by.filter((pl.col("gold") == "all") & (pl.col("accuracy") < 1))
    assert sorted(wrong["stratum"]) == ["stratum-1", "stratum-2"]
    assert accuracy.measure(pl.col("stratum") == "stratum-0").share == 1
    controls = AnswerAccuracy.from_judgements(judgements, question, "control")
    assert controls.measure().share == 3 / 4


def test_labels_by_majority_and_ties(judgements: Judgements) -> None:
    study = judgements.study
    four = QuestionLabels.from_judgements(judgements, study.protocol.questions[0])
    assert four.counts.tolist() == [[2, 2], [1, 3], [2, 2], [1, 3], [2, 1], [2, 1], [2, 1], [2, 1]]
    assert four.name_choices(four.choose_labels(MAJORITY)).to_list() == [
        *(None, "non-entailment", None, "non-entailment"),
        *["entailment"] * 4,
    ]
    assert four.find_ties().nonzero()[0].tolist() == [0, 2]
    # Of two tied labels, the more reliable participants decide.
    assert (four.decide_ties() >= 0).all()
    assert four.decide_ties()[[1, 3]].tolist() == [1, 1]
    assert [row["item"] for row in four.list_disputed().to_dicts()][:2] == ["item-0", "item-2"]
    assert four.item_agreement[:2].tolist() == [pytest.approx(1 / 3), 0.5]


def test_predictions_of_people(judgements: Judgements) -> None:
    study = judgements.study
    labels = QuestionLabels.from_judgements(
        write_judgements(
            study, {"a": {"items": "en.nnnee"}, "b": {"items": "ne.nnnee"}, "c": {"items": "......e."}}
        ),
        study.protocol.questions[0],
    )
    predictions = labels.make_predictions(MAJORITY)
    # Nobody judged item-2.
    assert predictions["id"].to_list() == [f"pair-{number}" for number in (0, 1, 3, 4, 5, 6, 7)]
    assert predictions.filter(pl.col("id") == "pair-6").row(0) == ("pair-6", "entailment", 1.0, 0.0)
    tied = predictions.filter(pl.col("id").is_in(["pair-0", "pair-1"]))
    assert set(tied["label"]) <= {"entailment", "non-entailment", UNREADABLE}
    for label, *shares in tied.select("label", "p_entailment", "p_non_entailment").rows():
        assert shares == ([None, None] if label == UNREADABLE else [0.5, 0.5])
    for method in (DAWID_SKENE, MACE):
        table = labels.make_predictions(method).drop_nulls()
        np.testing.assert_allclose(table["p_entailment"] + table["p_non_entailment"], 1)


def test_perfect_disagreement_stays_tied(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study")
    labels = QuestionLabels.from_judgements(
        write_judgements(study, {"a": {"items": "e......."}, "b": {"items": "n......."}}),
        study.protocol.questions[0],
    )
    assert labels.make_predictions(MAJORITY).rows() == [("pair-0", UNREADABLE, None, None)]


def test_reliability_and_texts(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study", questions=[LABEL_QUESTION, SENSE_QUESTION, NOTE_QUESTION])
    answers = write_judgements(study, PEOPLE)
    notes = write_judgements(study, {"anna": {"items": "?......."}}, question="note")
    results = StudyResults.from_judgements(join_judgements(answers, notes))
    assert results.texts.rows() == [("item-0", "note", "?")]
    table = results.participants
    assert table.filter("excluded")["participant"].to_list() == ["dan"]
    by_name = dict(zip(table["participant"], table["label: reliability"], strict=True))
    assert by_name["dan"] is None
    assert by_name["anna"] > by_name["cleo"]
    assert [labels.question.name for labels in results.questions] == ["label", "sense"]
    assert results.questions[1].judgements.sum() == 0


def test_a_study_that_excludes_everybody(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study", exclude=["controls_wrong >= 0"])
    with pytest.raises(InputError, match="controls_wrong"):
        StudyResults.from_judgements(write_judgements(study, PEOPLE))


def test_a_study_without_judgements(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study")
    with pytest.raises(InputError, match="no judgements"):
        load_judgements(study.folder)
    open_store(study).close()
    with pytest.raises(InputError, match="no judgements"):
        load_judgements(study.folder)


def test_human_labels_of_a_study(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study")
    people_of_two = {"a": {"items": "en......", "controls": "e"}, "b": {"items": "nn......", "controls": "e"}}
    with_store = write_judgements(study, people_of_two)
    store = open_store(study)
    store.add_judgements(with_store)
    store.close()
    people = compute_human_labels(study.folder)
    assert people.table.rows() == [("pair-0", 0.5, 0.5, 2), ("pair-1", 0.0, 1.0, 2)]
    only_sense = make_study(tmp_path / "other", questions=[SENSE_QUESTION])
    with pytest.raises(InputError, match="tests"):
        find_label_question(only_sense.protocol)


@pytest.mark.slow
def test_intervals_of_accuracy_cover_other_participants_and_items() -> None:
    """Simulate judgements whose accuracy depends on participant and item, in the design of HANS."""
    rng = np.random.default_rng(0)
    items, people, each, times, hits = 570, 50, 5, 400, 0
    mean = 0.0
    for _ in range(times):
        person = np.concatenate([rng.permutation(people) for _ in range(items * each // people)])
        item = np.repeat(np.arange(items), each)
        skill, ease = rng.normal(0, 0.6, people), rng.normal(0, 0.8, items)
        right = rng.random(len(item)) < 1 / (1 + np.exp(-(1.2 + skill[person] + ease[item])))
        frame = pl.DataFrame({"participant": person, "item": item, "right": right})
        accuracy = AnswerAccuracy(frame.with_columns(pl.col("participant", "item").cast(pl.String)))
        found = accuracy.measure()
        mean = mean or _compute_mean_accuracy()
        hits += (found.low or 0) <= mean <= (found.high or 1)
        assert found.low is not None
        assert found.low < (compute_clustered_proportion(frame["right"]).low or 0)
    assert 0.93 <= hits / times <= 0.98


def _compute_mean_accuracy() -> float:
    rng = np.random.default_rng(1)
    return float((1 / (1 + np.exp(-(1.2 + rng.normal(0, 1.0, 2_000_000))))).mean())


@pytest.mark.slow
def test_simulated_accuracies_are_recovered(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study", count=96, per_form=12)
    hits = 0
    accuracies = {"entailment": 0.9, "non-entailment": 0.7}
    for seed in range(20):
        results = StudyResults.from_judgements(
            simulate_judgements(study, mix={"careful": 1.0}, accuracies=accuracies, seed=seed)
        )
        table = results.accuracies["label"].make_table()
        ends = {row["gold"]: (row["accuracy_low"], row["accuracy_high"]) for row in table.to_dicts()}
        hits += ends["entailment"][0] <= 0.9 <= ends["entailment"][1]
        hits += ends["non-entailment"][0] <= 0.7 <= ends["non-entailment"][1]
    assert hits >= 34


def test_the_interval_of_the_retained_is_that_of_their_table(tmp_path: Path) -> None:
    # Twelve participants, of whom seven are retained: too few for an interval that holds for others.
    study = make_study(tmp_path / "study", count=24, per_form=4, controls=1)
    results = StudyResults.from_judgements(simulate_judgements(study, seed=1))
    retained = results.groups.row(0, named=True)
    assert results.groups["n"][0] < 10 <= results.groups["n"][2]
    whole = results.accuracies["label"].measure()
    assert (retained["accuracy_low"], retained["accuracy_high"]) == (whole.low, whole.high)


def test_labels_of_simulated_people_say_so_also_when_merged(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study", count=24, per_form=4)
    store = open_store(study)
    store.add_judgements(simulate_judgements(study, mix={"careful": 1.0}))
    store.close()
    human = compute_human_labels(study.folder)
    assert human.remark.startswith("12 of 12 ")
    assert human.merge_to_two_labels().remark == human.remark
