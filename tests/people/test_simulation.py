from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from made_study import LABEL_QUESTION, NOTE_QUESTION, SENSE_QUESTION, make_study
from study_pairs_maker import make_pairs

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.people.exclusion import find_excluded, measure_participants
from rightreasons.people.judgements import ANSWER_COLUMNS, PARTICIPANT_COLUMNS, Judgements
from rightreasons.people.planning import plan_study
from rightreasons.people.protocol import load_protocol
from rightreasons.people.simulation import parse_shares, simulate_judgements

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.people.study import Study

KIND = pl.col("participant").str.replace(r"-\d+$", "")


@pytest.fixture(scope="module")
def hans_like(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Plan a study like that of HANS: 60 participants with 57 items and 10 controls."""
    protocol, content = load_protocol("hans", {"each": 684})
    pairs = make_pairs(684).with_columns(category=pl.lit("all"))
    return plan_study(pairs, protocol, content, out=tmp_path_factory.mktemp("s") / "study", name="s")


def compare_answers(judgements: Judgements) -> pl.DataFrame:
    joined = judgements.answers.join(judgements.study.items, on="item")
    return joined.with_columns(who=KIND, right=pl.col("answer") == pl.col("label"))


def test_the_tables_are_those_of_a_study(hans_like: Study) -> None:
    made = simulate_judgements(hans_like)
    assert dict(made.participants.schema) == dict(PARTICIPANT_COLUMNS)
    assert dict(made.answers.schema) == dict(ANSWER_COLUMNS)
    assert set(made.participants["source"]) == {"simulated"}
    assert set(made.participants["status"]) == {"completed"}
    keys = ["form", "position", "item"]
    assert made.answers.select(keys).sort(keys).equals(hans_like.forms.select(keys).sort(keys))
    assert made.answers.group_by("participant").agg(pl.col("form").n_unique())["form"].unique().to_list() == [
        1
    ]


def test_the_mix_is_exact(hans_like: Study) -> None:
    made = simulate_judgements(hans_like, mix={"careful": 0.5, "careless": 0.33, "random": 0.17})
    counts = dict(made.participants.group_by(KIND).len().iter_rows())
    assert counts == {"careful": 30, "careless": 20, "random": 10}


def test_controls_recognise_the_careless_and_accuracies_are_recovered(hans_like: Study) -> None:
    made = simulate_judgements(hans_like, accuracies={"entailment": 0.9, "non-entailment": 0.6})
    excluded = set(find_excluded(made, ["controls_wrong > 0"])["participant"])
    assert not {who for who in excluded if who.startswith("careful")}
    assert {who.rpartition("-")[0] for who in excluded} == {"careless", "always-entailment", "random"}
    assert len(excluded) >= 28  # of 30; some careless participants are lucky
    of_items = compare_answers(made).filter((pl.col("kind") == "item") & (pl.col("who") == "careful"))
    right = dict(of_items.group_by("label").agg(pl.col("right").mean()).iter_rows())
    assert right == pytest.approx({"entailment": 0.9, "non-entailment": 0.6}, abs=0.05)


def test_kinds_answer_as_they_are_named(hans_like: Study) -> None:
    answers = compare_answers(simulate_judgements(hans_like))
    always = answers.filter(pl.col("who") == "always-entailment")
    assert set(always["answer"]) == {"entailment"}
    guesses = answers.filter(pl.col("who") == "random")["right"]
    assert guesses.mean() == pytest.approx(0.5, abs=0.08)
    means = dict(answers.group_by("who").agg(pl.col("seconds").mean()).iter_rows())
    assert means["careful"] == pytest.approx(8.9, rel=0.15)
    assert means["careless"] == pytest.approx(4.2, rel=0.2)


def test_times_add_up(hans_like: Study) -> None:
    made = simulate_judgements(hans_like, participants=3)
    for who in made.participants.rows(named=True):
        mine = made.answers.filter(pl.col("participant") == who["participant"])
        assert mine["judged"].is_sorted()
        assert who["started"] < mine["judged"][0]
        assert who["finished"] == mine["judged"][-1]
        total = mine["seconds"].sum() + mine.height * hans_like.protocol.pause_seconds
        assert (who["finished"] - who["started"]).total_seconds() == pytest.approx(total, abs=0.01)


def test_seeds(hans_like: Study) -> None:
    first, again, other = (simulate_judgements(hans_like, seed=seed) for seed in (-1, -1, 1))
    assert first.answers.equals(again.answers)
    assert not first.answers.equals(other.answers)


def test_all_questions_are_answered(tmp_path: Path) -> None:
    questions = [LABEL_QUESTION, SENSE_QUESTION, NOTE_QUESTION]
    study = make_study(tmp_path / "study", questions=questions)
    answers = simulate_judgements(study, mix={"careful": 1.0}).answers
    assert answers["question"].to_list()[:3] == ["label", "sense", "note"]
    assert set(answers.filter(pl.col("question") == "sense")["answer"]) <= {"yes", "no"}
    assert set(answers.filter(pl.col("question") == "note")["answer"]) == {""}
    assert answers.group_by("participant", "item").agg(pl.col("seconds").n_unique())["seconds"].max() == 1
    assert measure_participants(simulate_judgements(study)).height == 4


def test_fewer_participants_take_the_first_forms(hans_like: Study) -> None:
    made = simulate_judgements(hans_like, participants=5)
    assert made.answers["form"].unique().sort().to_list() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("count", [0, 61])
def test_there_is_a_form_for_each_participant(hans_like: Study, count: int) -> None:
    with pytest.raises(InputError, match=rf"60 forms.* {count} participants"):
        simulate_judgements(hans_like, participants=count)


def test_wrong_mixes_are_refused(hans_like: Study) -> None:
    with pytest.raises(InputError, match=r"sum to 0\.9"):
        simulate_judgements(hans_like, mix={"careful": 0.9})
    with pytest.raises(UnknownNameError, match="Did you mean careful"):
        simulate_judgements(hans_like, mix={"carefull": 1.0})


def test_shares_are_parsed() -> None:
    assert parse_shares("careful=0.5, random = .5", "--mix") == {"careful": 0.5, "random": 0.5}
    for text in ("careful", "careful=x", "careful=2", "careful=-1", "careful=nan", "a=0.5,a=0.5", ""):
        with pytest.raises(InputError, match="--mix"):
            parse_shares(text, "--mix")
