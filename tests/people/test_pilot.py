from __future__ import annotations

from dataclasses import replace
from statistics import mean
from typing import TYPE_CHECKING

import polars as pl
import pytest
from made_study import NOTE_QUESTION, SENSE_QUESTION, make_study
from study_pairs_maker import make_pairs

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.people.judgements import Judgements
from rightreasons.people.pilot import estimate_from_pilot
from rightreasons.people.planning import plan_study
from rightreasons.people.protocol import load_protocol
from rightreasons.people.simulation import simulate_judgements

if TYPE_CHECKING:
    from pathlib import Path


def test_the_assumptions_of_a_simulation_are_recovered(tmp_path: Path) -> None:
    protocol, content = load_protocol("hans", {"each": 2280})
    pairs = make_pairs(2280).with_columns(category=pl.lit("all"))
    study = plan_study(pairs, protocol, content, out=tmp_path / "study", name="s")
    accuracies = {"entailment": 0.8, "non-entailment": 0.8}
    mix = {"careful": 0.7, "always-entailment": 0.3}
    pilots = [
        estimate_from_pilot(simulate_judgements(study, mix=mix, accuracies=accuracies, seed=seed))
        for seed in range(12)
    ]
    assert mean(each.accuracy for each in pilots) == pytest.approx(0.8, abs=0.01)
    assert mean(each.spread.participant for each in pilots) == pytest.approx(0.3, abs=0.05)
    assert mean(each.spread.item for each in pilots) == pytest.approx(0.5, abs=0.06)
    assert {each.excluded for each in pilots} == {0.3}
    assert (pilots[0].labels, pilots[0].items_per_participant) == (2, 57)


def test_a_question_without_gold_is_measured_against_the_most_frequent_answer(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study", questions=[SENSE_QUESTION], exclude=[])
    made = simulate_judgements(study, mix={"careful": 1.0})
    same = replace(made, answers=made.answers.with_columns(answer=pl.lit("yes")))
    assert estimate_from_pilot(same).accuracy == 0.999  # never certainty
    assert estimate_from_pilot(same, "sense").accuracy == 0.999


def test_controls_do_not_count(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study", exclude=[])
    made = simulate_judgements(study, mix={"careful": 1.0})
    wrong = (
        pl.when(pl.col("item").str.starts_with("control")).then(pl.lit("non-entailment")).otherwise("answer")
    )
    changed = replace(made, answers=made.answers.with_columns(answer=wrong))
    assert estimate_from_pilot(changed) == estimate_from_pilot(made)


def test_a_pilot_that_says_nothing_is_refused(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study")
    made = simulate_judgements(study, mix={"careful": 1.0})
    with pytest.raises(UnknownNameError, match="'odd'"):
        estimate_from_pilot(made, "odd")
    with pytest.raises(InputError, match="no item has two judgements"):
        estimate_from_pilot(replace(made, answers=made.answers.unique("item")))
    with pytest.raises(InputError, match="no judgements"):
        estimate_from_pilot(Judgements(study, made.participants.clear(), made.answers.clear()))
    texts = make_study(tmp_path / "texts", questions=[NOTE_QUESTION], exclude=[])
    with pytest.raises(InputError, match="no question with choices"):
        estimate_from_pilot(simulate_judgements(texts, mix={"careful": 1.0}))
