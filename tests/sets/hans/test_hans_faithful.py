"""Faithful HANS has the distribution of the released files, defects included."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

import rightreasons as rr

if TYPE_CHECKING:
    from types import ModuleType

SCRIPT = Path(__file__).parents[3] / "scripts" / "faithful_fit.py"
REPEATS = 400
DRAWS = 3_000  # enough for two splits with rejections


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location(SCRIPT.stem, SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def faithful() -> pl.DataFrame:
    return rr.generate("hans", mode="faithful").pairs


@pytest.mark.parametrize("split", ["eval", "train"])
def test_all_that_the_draw_decides_fits_the_released_file(script: ModuleType, split: str) -> None:
    tests = script.fit(split, seed=0)
    assert tests.height == 67
    assert tests.filter(pl.col("p") <= 0.001).rows() == []


def test_the_tests_can_tell_other_distributions_apart(script: ModuleType) -> None:
    ours = rr.generate("hans", mode="corrected", text="tokenised", parses="none").pairs
    theirs = rr.generate("hans-released", parses="none").pairs
    tests = script.compare(ours, theirs).filter(pl.col("p") < 0.001)
    found = {(family, where) for family, where, *_ in tests.iter_rows()}
    assert {
        ("sub-variants", "ln_passive"),
        ("sub-variants", "sn_past_participle"),
        ("sub-variants", "ce_embedded_under_since"),
        ("trigger words", "ce_embedded_under_since"),
    } <= found
    assert all(where in {"all", "ln_passive", "le_passive"} or where[0] in "sc" for _, where in found)


@pytest.mark.parametrize(
    ("subcase", "template", "share"),
    [
        ("sn_past_participle", "temp40", 0.6063),
        ("sn_NP/Z", "temp42", 0.8563),
        ("se_conjunction", "temp44", 0.6111),
        ("ln_passive", "temp20", 1 / 2),
        ("ln_relative_clause", "temp15", 1 / 12),
    ],
)
def test_shares_are_those_of_proposals_that_pass_the_repetition_test(
    subcase: str, template: str, share: float, faithful: pl.DataFrame
) -> None:
    count = faithful.filter(subcase=subcase, template=template).height
    assert count == pytest.approx(1_000 * share, abs=2)  # quotas are rounded sub-variant by sub-variant


def drawn_with_rejection(short: int, long: int, splits: int) -> list[float]:
    """Draw 1,000 pairs a split, each pair once in all, from a short and a long space; count the short one's.

    Verbs are drawn first, 8 intransitive and 16 transitive ones; of the latter's pairs 15 in 16 are legal.
    """
    draw = np.random.default_rng(11)
    counts = np.zeros(splits)
    for _ in range(REPEATS):
        kinds = draw.random(DRAWS) < (8 / 24) / (8 / 24 + 16 / 24 * 15 / 16)
        pairs = np.where(kinds, draw.integers(0, short, DRAWS), short + draw.integers(0, long, DRAWS))
        fresh = np.sort(np.unique(pairs, return_index=True)[1])  # where each pair turns up first
        taken = kinds[fresh][: 1_000 * splits].reshape(splits, 1_000)
        counts += taken.sum(axis=1) / REPEATS
    return counts.tolist()


@pytest.mark.parametrize(
    ("subcase", "short", "long"),
    [("se_adjective", 1_024, 61_440), ("cn_adverb", 1_024, 61_440), ("ce_adverb", 1_792, 107_520)],
)
def test_short_intransitive_sub_variants_fall_behind_as_they_did(
    subcase: str, short: int, long: int, faithful: pl.DataFrame
) -> None:
    expected = drawn_with_rejection(short, long, splits=2)
    train = rr.generate("hans", mode="faithful", split="train", parses="none").pairs
    for pairs, count in zip((faithful, train), expected, strict=True):
        rows = pairs.filter(subcase=subcase)
        assert rows["subvariant"].str.ends_with(".intransitive").sum() == pytest.approx(count, abs=4)
        assert count < 340  # 348 in proportion to the weights


def test_every_defect_is_there_at_its_rate(faithful: pl.DataFrame) -> None:
    assert faithful["hypothesis"].str.contains("the the", literal=True).sum() in (83, 84)
    assert faithful["premise"].str.ends_with(" .").all()
    cream = faithful.filter(pl.col("premise").str.contains("ice cream", literal=True))
    assert cream["premise_parse"].str.contains("(NN ice cream)", literal=True).all()
    wrong = faithful["premise_parse"].str.contains(r"\(NN (secretaries|\w+[^s]s)\)").mean()
    assert wrong == pytest.approx(0.22, abs=0.01)
    clauses = faithful.filter(template="temp41")["premise"].str.contains(r"^The \w+ (saw|believed) ").mean()
    assert clauses == pytest.approx(2 / 16, abs=0.04)
    assert not faithful["premise"].str.contains(r"\b(called|seen) by\b").any()
    before = faithful.filter(subcase="ce_embedded_under_since", trigger="before").height
    assert before == pytest.approx(1_000 / 7, abs=2)


def test_there_are_114_categories(faithful: pl.DataFrame) -> None:
    assert faithful["category"].null_count() == 0
    assert faithful["category"].n_unique() == 114
    corrected = rr.generate("hans", parses="none").pairs["category"]
    assert set(faithful["category"]) - set(corrected) == {"ce_embedded_under_since:before"}
    assert set(corrected) < set(faithful["category"])
