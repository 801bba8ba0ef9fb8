"""Accuracy tables hold the scores of the run, by the coarsest tag first and then by finer ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.reports.exhibits.accuracy import ALL_PAIRS, make_accuracy_tables, score_set
from rightreasons.runs.collection import load_runs

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.core.exhibit import Exhibit
    from rightreasons.runs.collection import RunCollection


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> RunCollection:
    out: Path = tmp_path_factory.mktemp("runs") / "run"
    rr.evaluate(["rules:subsequence", "random"], sets=["hans", "nps"], limit=120, out=out, html=False)
    return load_runs([out])


def tables(collection: RunCollection, name: str) -> dict[str, Exhibit]:
    scores = collection.runs[0].get_scores(name)
    return {
        one.key: one for one in make_accuracy_tables(score_set(collection.load_set_results(name), scores))
    }


def column(exhibit: Exhibit, model: str) -> str:
    return next(name for name, heading in exhibit.headings.items() if heading == model)


def test_the_scores_of_the_run_and_those_of_its_predictions_give_the_same_tables(
    collection: RunCollection,
) -> None:
    for name in ("hans", "nps"):
        again = {one.key: one for one in make_accuracy_tables(score_set(collection.load_set_results(name)))}
        known = tables(collection, name)
        assert list(again) == list(known)
        for key, exhibit in known.items():
            assert again[key].frame.equals(exhibit.frame), key


def test_finer_tables_have_the_rows_of_the_scores(collection: RunCollection) -> None:
    finer = tables(collection, "hans")["breakdown-hans-heuristic-subcase"]
    scores = collection.runs[0].get_scores("hans")
    wanted = scores.filter(
        (pl.col("by") == "heuristic,subcase") & (pl.col("model") == "random") & (pl.col("gold") != "all")
    )
    assert finer.frame.height == wanted.height  # every subcase has one gold label, and so one row
    parts = wanted.select(pl.format("{} / {}", "heuristic", "subcase")).to_series()
    assert finer.frame["part"].to_list() == parts.to_list()
    name = column(finer, "random")
    for ours, theirs in ((name, "accuracy"), (f"{name}_low", "low"), (f"{name}_high", "high")):
        assert finer.frame[ours].to_list() == wanted[theirs].to_list()
    assert finer.frame["n"].to_list() == wanted["n"].to_list()


def test_a_set_with_one_gold_label_names_it_in_every_row(collection: RunCollection) -> None:
    main = tables(collection, "nps")["accuracy-nps"]
    assert set(main.frame["gold"]) == {"non-entailment"}
    assert main.frame["part"][-1] == ALL_PAIRS
    assert main.frame["n"][-1] == collection.load_set_results("nps").pairs.height
