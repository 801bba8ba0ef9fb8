"""The majority baseline: the most frequent gold label of each set, computed by the harness."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.core.labels import CONTRADICTION, ENTAILMENT, LABELS, NEUTRAL, NON_ENTAILMENT
from rightreasons.runs.collection import load_runs
from rightreasons.scoring.accuracy import find_majority_label

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.evaluation.evaluate import EvaluatedRun


class Fixed:
    """Predicts one label."""

    name = "fixed"

    def __init__(self, label: str) -> None:
        self.label = label

    def predict(self, pairs: pl.DataFrame) -> pl.DataFrame:
        return pairs.select("id", label=pl.lit(self.label))


def write_set(folder: Path, counts: dict[str, int]) -> str:
    golds = [label for label, count in counts.items() for _ in range(count)]
    numbers = range(len(golds))
    table = {"id": [f"p{n}" for n in numbers], "premise": [f"{n} dogs ran." for n in numbers]}
    path = folder / "mine.csv"
    pl.DataFrame({**table, "hypothesis": [f"{n} ran." for n in numbers], "label": golds}).write_csv(path)
    return str(path)


def accuracy_of(run: EvaluatedRun, model: str) -> float:
    whole = run.scores.filter(pl.col("by") == "", pl.col("gold") == "all", pl.col("model") == model)
    return float(whole["accuracy"].item())


@pytest.mark.parametrize(
    ("counts", "label"),
    [
        ({ENTAILMENT: 2, NEUTRAL: 5, CONTRADICTION: 3}, NEUTRAL),
        ({ENTAILMENT: 2, NEUTRAL: 2, CONTRADICTION: 3}, CONTRADICTION),
        ({NON_ENTAILMENT: 4, ENTAILMENT: 3}, NON_ENTAILMENT),
    ],
)
def test_it_predicts_the_most_frequent_gold_label(tmp_path: Path, counts: dict[str, int], label: str) -> None:
    out = tmp_path / "run"
    run = rr.evaluate(Fixed(ENTAILMENT), sets=write_set(tmp_path, counts), out=out, html=False)
    assert accuracy_of(run, "majority") == pytest.approx(counts[label] / sum(counts.values()))
    stored = pl.read_parquet(out / "predictions" / "mine" / "majority.parquet")
    assert stored["label"].unique().to_list() == [label]
    again = load_runs([out]).load_set_results("mine").predictions["majority"]
    assert again["prediction"].unique().to_list() == [label]


def test_merged_labels_have_a_majority_of_their_own(tmp_path: Path) -> None:
    """Entailment is the most frequent of three labels, non-entailment of two."""
    pairs = write_set(tmp_path, {ENTAILMENT: 4, NEUTRAL: 3, CONTRADICTION: 3})
    three = rr.evaluate(Fixed(NEUTRAL), sets=pairs, out=tmp_path / "three", html=False)
    two = rr.evaluate(Fixed(NON_ENTAILMENT), sets=pairs, out=tmp_path / "two", html=False)
    assert accuracy_of(three, "majority") == pytest.approx(0.4)
    assert accuracy_of(two, "majority") == pytest.approx(0.6)


def test_ties_go_by_the_order_of_the_labels() -> None:
    for label in LABELS[1:]:
        assert find_majority_label(pl.Series([label, ENTAILMENT])) == ENTAILMENT
    assert find_majority_label(pl.Series([CONTRADICTION, NEUTRAL])) == NEUTRAL


def test_it_takes_no_options(tmp_path: Path) -> None:
    pairs = write_set(tmp_path, {ENTAILMENT: 2, NEUTRAL: 1})
    with pytest.raises(rr.InputError, match="majority"):
        rr.evaluate(Fixed(NEUTRAL), sets=pairs, out=tmp_path / "run", **{"majority.label": "neutral"})
