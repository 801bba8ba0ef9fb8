"""Several runs of one model: which they are, and their mean, spread and range."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core.errors import InputError
from rightreasons.scoring.seeds import (
    SPREAD_COLUMNS,
    ModelIdentity,
    group_runs_by_model,
    summarise_run_scores,
)


def test_models_of_one_name_that_differ_are_one_entry() -> None:
    asked = [
        ModelIdentity("m (one)", "m", "1"),
        ModelIdentity("m (two)", "m", "2"),
        ModelIdentity("other", "other", "3"),
    ]
    assert group_runs_by_model(asked, {}) == {"m": ["m (one)", "m (two)"], "other": ["other"]}


def test_the_same_model_requested_twice_is_one_model_each() -> None:
    asked = [ModelIdentity("m (one)", "m", "1"), ModelIdentity("m (two)", "m", "1")]
    assert group_runs_by_model(asked, {}) == {"m (one)": ["m (one)"], "m (two)": ["m (two)"]}


def test_patterns_group_models() -> None:
    asked = [ModelIdentity(name, name, name) for name in ("hf:bert-1", "hf:bert-2", "hf:roberta")]
    assert group_runs_by_model(asked, {"bert": "hf:bert-*"}) == {
        "bert": ["hf:bert-1", "hf:bert-2"],
        "hf:roberta": ["hf:roberta"],
    }
    with pytest.raises(InputError, match=r"'x\*'.*'bert'.*hf:bert-1, hf:bert-2, hf:roberta"):
        group_runs_by_model(asked, {"bert": "x*"})
    with pytest.raises(InputError, match=r"'hf:bert-1'.*'a'.*'b'"):
        group_runs_by_model(asked, {"a": "hf:bert-*", "b": "hf:*-1"})


def test_a_model_with_the_name_that_runs_are_given_is_refused() -> None:
    asked = [ModelIdentity(name, f"file:{name}.csv", name) for name in ("BERT", "bert-1", "bert-2")]
    with pytest.raises(InputError, match=r"'BERT'.*'bert-\*'.*another name"):
        group_runs_by_model(asked, {"BERT": "bert-*"})
    assert group_runs_by_model(asked, {"BERT": "[bB]*"}) == {"BERT": ["BERT", "bert-1", "bert-2"]}


@given(st.lists(st.lists(st.integers(0, 50), min_size=2, max_size=2), min_size=2, max_size=8))
def test_the_summary_is_that_of_numpy(correct: list[list[int]]) -> None:
    frames = [
        pl.DataFrame({"tag": ["s", None], "gold": ["all", "all"], "n": [50, 50], "correct": each, "low": [0.0, 0.0]})
        .with_columns(accuracy=pl.col("correct") / pl.col("n"))
        for each in correct
    ]  # fmt: skip
    made = summarise_run_scores(frames)
    assert made.columns == ["tag", "gold", *SPREAD_COLUMNS]
    shares = np.array(correct) / 50
    assert made["mean"].to_list() == pytest.approx(shares.mean(axis=0).tolist())
    assert made["sd"].to_list() == pytest.approx(shares.std(axis=0, ddof=1).tolist(), abs=1e-12)
    assert made["least"].to_list() == shares.min(axis=0).tolist()
    assert made["most"].to_list() == shares.max(axis=0).tolist()
    assert made["runs"].to_list() == [len(correct)] * 2
    assert made["n"].to_list() == [50, 50]
