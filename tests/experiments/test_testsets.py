"""Test sets are generated or read, sampled, and kept apart from training pairs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.experiments.corpora import ExperimentCorpora
from rightreasons.experiments.declaration import ExperimentPart, RoleFile, TestSet
from rightreasons.experiments.learners import SCALES
from rightreasons.experiments.testsets import list_training_roles, write_test_sets

if TYPE_CHECKING:
    from pathlib import Path


def test_test_sets_come_from_sets_and_corpora(tmp_path: Path) -> None:
    corpora = ExperimentCorpora({"mnli-dev-matched": ["pocket"]})
    tests = [
        TestSet("hans", set="hans-released", role="hans-eval"),
        TestSet("dev", role="mnli-dev-matched", limit=90),
        TestSet("negation", set="stress/negation", options={"corpus": RoleFile("mnli-dev-matched")}),
    ]
    written = write_test_sets(tests, corpora, SCALES["tiny"], tmp_path)
    assert {name: one.card.rows for name, one in written.items()} == {"hans": 120, "dev": 90, "negation": 120}
    assert written["dev"].sampled_from == 510
    assert pl.read_parquet(written["dev"].file)["label"].value_counts()["count"].to_list() == [30, 30, 30]
    assert pl.read_parquet(written["hans"].file)["subcase"].n_unique() == 30


def test_a_given_file_takes_the_place_of_a_set(tmp_path: Path) -> None:
    rr.generate("hans", limit=600, seed=5).pairs.write_parquet(tmp_path / "mine.parquet")
    corpora = ExperimentCorpora({"hans-eval": [str(tmp_path / "mine.parquet")]})
    one = write_test_sets(
        [TestSet("hans", set="hans-released", role="hans-eval")], corpora, SCALES["tiny"], tmp_path / "sets"
    )
    pairs = pl.read_parquet(one["hans"].file)
    assert pairs["set"].unique().to_list() == ["hans"]
    assert pairs["subcase"].value_counts()["count"].unique().to_list() == [4]


def test_few_test_pairs_in_the_training_data_are_removed_and_many_are_refused(tmp_path: Path) -> None:
    pairs = rr.read_corpus("pocket").pairs.with_row_index("row").with_columns(id=pl.format("p{}", "row"))
    files = {"train": pairs.head(304), "dev": pairs.tail(-300)}  # four pairs of dev's 210 are in both
    for name, part in files.items():
        part.select("id", "premise", "hypothesis", "label").write_csv(tmp_path / f"{name}.csv")
    roles = {"mnli-train": [str(tmp_path / "train.csv")], "mnli-dev-matched": [str(tmp_path / "dev.csv")]}
    tests = [TestSet("dev", role="mnli-dev-matched")]
    trained_on = list_training_roles([ExperimentPart("da", "mnli-train", tests=("dev",))])
    assert trained_on == {"dev": ["mnli-train"]}
    scale = replace(SCALES["tiny"], test_pairs=None)
    with pytest.raises(rr.InputError, match=r"\b4 .*\b210 .*\bdev .*mnli-train.*--allow-overlap"):
        write_test_sets(tests, ExperimentCorpora(roles), scale, tmp_path / "many", trained_on)
    one = pl.concat([pairs.head(299), pairs[[509]]]).select("id", "premise", "hypothesis", "label")
    one.with_columns(pl.col("premise").str.to_uppercase()).write_csv(tmp_path / "train.csv")
    few = write_test_sets(tests, ExperimentCorpora(roles), scale, tmp_path / "few", trained_on)["dev"]
    assert (few.card.rows, few.left_out) == (209, 1)
    assert "p509" not in pl.read_parquet(few.file)["id"]
    assert write_test_sets(tests, ExperimentCorpora(roles), scale, tmp_path / "all")["dev"].card.rows == 210
