"""Evaluation and training pairs of HANS never meet, whatever the seeds, the modes and the sizes."""

from __future__ import annotations

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.core.errors import TooFewPairsError
from rightreasons.sets.hans.hans import MODES

SIZE = 2_000  # more than some subcases have: their parts are used up to the last pair
SEEDS = (0, 1, 12_345)


def tokenised(mode: str, split: str, seed: int) -> pl.DataFrame:
    plan = rr.plan(
        "hans", size=SIZE, seed=seed, split=split, mode=mode, text="tokenised", parses="none", short="allow"
    )
    return plan.rows(0, len(plan)).select("premise", "hypothesis", "subcase")


@pytest.fixture(scope="module")
def evaluation() -> pl.DataFrame:
    made = [tokenised(mode, "eval", seed) for mode in MODES for seed in SEEDS]
    released = rr.plan("hans-released", parses="none").rows(0, 30_000)
    return pl.concat([*made, released.select("premise", "hypothesis", "subcase")])


@pytest.fixture(scope="module")
def training() -> pl.DataFrame:
    return pl.concat(tokenised(mode, "train", seed) for mode in MODES for seed in SEEDS)


def test_no_pair_has_a_double_in_its_set() -> None:
    for mode in MODES:
        for split in ("eval", "train"):
            rows = tokenised(mode, split, 0)
            assert rows.select("premise", "hypothesis").is_unique().all()


def test_no_premise_and_so_no_pair_is_in_both_splits(
    evaluation: pl.DataFrame, training: pl.DataFrame
) -> None:
    assert evaluation.height > 380_000
    assert training.height > 350_000
    # The doubled article of faithful temp15 is in the hypothesis, so premises of both modes are spelt alike.
    assert training.join(evaluation, on="premise", how="semi").height == 0


def test_another_seed_is_another_sample_of_the_same_part() -> None:
    first, second = (tokenised("corrected", "eval", seed) for seed in SEEDS[:2])
    large = pl.col("subcase") == "cn_disjunction"
    assert first.filter(large).join(second, on=["premise", "hypothesis"], how="semi").height < 20
    small = pl.col("subcase") == "se_understood_object"
    used_up = (first.filter(small), second.filter(small))
    assert used_up[0].height == used_up[0].join(used_up[1], on=["premise", "hypothesis"], how="semi").height


@pytest.mark.parametrize("mode", MODES)
def test_the_two_parts_of_a_small_subcase_are_all_of_it(mode: str) -> None:
    parts = pl.concat(tokenised(mode, split, 0) for split in ("eval", "train"))
    whole = parts.filter(subcase="se_understood_object")
    assert whole.height == whole.select("premise", "hypothesis").n_unique() == 2_688


@pytest.mark.parametrize("mode", MODES)
def test_the_evaluation_part_of_a_used_up_subcase_holds_all_released_evaluation_pairs(mode: str) -> None:
    released = rr.plan("hans-released", parses="none").rows(0, 30_000)
    mine = released.filter(subcase="se_understood_object")
    found = mine.join(tokenised(mode, "eval", 0), on=["premise", "hypothesis"], how="semi")
    assert found.height == mine.height == 1_000


def test_asking_for_more_than_there_is_says_how_many_there_are() -> None:
    with pytest.raises(TooFewPairsError, match="2,688"):
        rr.plan("hans", size=2_689)
    remarks = rr.plan("hans", size=2_689, short="allow").card.remarks
    assert [remark for remark in remarks if "se_understood_object" in remark]
