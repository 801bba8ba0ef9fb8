"""Predictions against people: joined by id, merged labels, warnings, and the published data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl
import pytest
from click.testing import CliRunner

import rightreasons as rr
from rightreasons.cli import main
from rightreasons.core.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = pl.DataFrame(
    {
        "id": ["a", "b", "c", "d"],
        "premise": ["p1", "p2", "p3", "p4"],
        "hypothesis": ["h1", "h2", "h3", "h4"],
        "label": ["entailment", "neutral", "contradiction", "neutral"],
    }
)
PREDICTIONS = pl.DataFrame(
    {
        "id": ["d", "c", "b", "a"],
        "label": ["neutral", "entailment", "neutral", "entailment"],
        "p_entailment": [0.1, 0.5, 0.2, 0.8],
        "p_neutral": [0.7, 0.1, 0.6, 0.1],
        "p_contradiction": [0.2, 0.4, 0.2, 0.1],
    }
)
PEOPLE = "id,n_entailment,n_neutral,n_contradiction\na,8,1,1\nb,2,6,2\nc,5,1,4\nz,1,0,0\n"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    return path


def test_rows_are_joined_by_id(people: Path) -> None:
    scores = rr.score_against_people(PAIRS, PREDICTIONS, people)
    assert (scores.pairs, scores.judgements, len(scores.labels)) == (3, 30, 3)
    # The shares of people are exactly the probabilities.
    assert scores.comparison.jsd.value == pytest.approx(0, abs=1e-7)
    assert scores.comparison.kl.value == pytest.approx(0, abs=1e-7)
    assert scores.comparison.accuracy.value == 1
    assert (scores.gold.value, scores.gold.n) == (pytest.approx(2 / 3), 3)
    assert scores.comparison.majority_share.value == pytest.approx(19 / 30)
    assert "36.7%" in scores.misleading
    assert len(scores.warnings) == 1  # one pair that people judged is not in the set


def test_missing_predictions_are_counted(people: Path) -> None:
    scores = rr.score_against_people(PAIRS, PREDICTIONS.filter(pl.col("id") != "b"), people)
    assert scores.pairs == 2
    assert any("1 pair of 3" in warning for warning in scores.warnings)


def test_labels_are_merged_where_one_side_has_two(people: Path) -> None:
    two = PREDICTIONS.select("id", "p_entailment", p_non_entailment=1 - pl.col("p_entailment")).with_columns(
        label=pl.when(pl.col("p_entailment") > 0.5)
        .then(pl.lit("entailment"))
        .otherwise(pl.lit("non-entailment"))
    )
    scores = rr.score_against_people(PAIRS, two, people)
    assert scores.labels == ("entailment", "non-entailment")
    assert scores.comparison.jsd.value == pytest.approx(0, abs=1e-7)
    assert scores.comparison.ties == 1  # pair c: 5 of 10 people
    assert scores.gold.n == 3


def test_predictions_without_probabilities_have_an_accuracy(people: Path) -> None:
    scores = rr.score_against_people(PAIRS, PREDICTIONS.select("id", "label"), people)
    assert (scores.comparison.jsd.value, scores.comparison.accuracy.value) == (None, 1)
    assert any("probabilities" in warning for warning in scores.warnings)
    assert scores.make_exhibit().frame["key"].to_list() == [
        "accuracy",
        "gold",
        "resampled",
        "human_entropy",
        "majority_share",
    ]


def test_people_who_agree_need_no_remark_on_calibration(people: Path) -> None:
    people.write_text("id,n_entailment,n_neutral,n_contradiction\na,10,0,0\nb,1,9,0\n", encoding="utf-8")
    assert rr.score_against_people(PAIRS, PREDICTIONS, people).misleading == ""


@pytest.mark.parametrize("text", ["id,n_entailment,n_neutral\nq,1,2\n", "id,n_entailment,n_neutral\nd,1,2\n"])
def test_nothing_in_common_is_an_error(people: Path, text: str) -> None:
    people.write_text(text, encoding="utf-8")
    with pytest.raises(InputError):
        rr.score_against_people(PAIRS, PREDICTIONS.filter(pl.col("id") != "d"), people)


def test_a_repeated_prediction_is_an_error(people: Path) -> None:
    with pytest.raises(InputError, match="'d'"):
        rr.score_against_people(PAIRS, pl.concat([PREDICTIONS, PREDICTIONS[:1]]), people)


def test_command(tmp_path: Path, people: Path) -> None:
    PAIRS.write_csv(tmp_path / "pairs.csv")
    PREDICTIONS.write_csv(tmp_path / "predictions.csv")
    arguments = [
        "score",
        str(tmp_path / "pairs.csv"),
        str(tmp_path / "predictions.csv"),
        "--against-people",
        str(people),
    ]
    found = CliRunner().invoke(main, [*arguments, "--json"])
    assert found.exit_code == 0
    values = json.loads(found.stdout)
    assert values["figures"]["accuracy"]["value"] == 1
    assert (values["pairs"], values["ties"]) == (3, 0)
    table = CliRunner().invoke(main, [*arguments, "--csv"])
    assert table.stdout.splitlines()[0].startswith("figure,value,value low")
    assert CliRunner().invoke(main, [*arguments, "--by", "label"]).exit_code == 2
