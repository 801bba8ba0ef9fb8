"""Families of tests: leaderboard and compare say the same, and what is not compared changes no verdict."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rightreasons as rr
from rightreasons.reports.build import build_report
from rightreasons.reports.choice import BASIS
from rightreasons.reports.exhibits import ranking
from rightreasons.reports.leaderboard import build_leaderboard
from rightreasons.runs.collection import load_runs
from rightreasons.scoring.families import (
    FAMILY_RULE,
    compare_models,
    correct_family_p_values,
    describe_chance_findings,
    pair_models,
)
from rightreasons.scoring.ranks import find_wins_on_set
from rightreasons.scoring.sharing import find_sharing

if TYPE_CHECKING:
    from pathlib import Path

E, X = "entailment", "non-entailment"
PLAIN = {"baselines": False, "html": False}


def drawn(
    seed: int, n: int, each: int, models: int, *, crossed: bool = False
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Draw who is right where, on pairs of which some share a premise, or a premise and a group that cross."""
    rng = np.random.default_rng(seed)
    unit = np.arange(n) // each
    hard = rng.normal(size=n)[unit]
    right = {f"m{at}": rng.normal(0.2 * at, 1, n) + hard > 0 for at in range(models)}
    pairs = pl.DataFrame({"premise": [f"p{one}" for one in unit], "tag": rng.choice(["s", "t"], n)})
    if crossed:
        pairs = pairs.with_columns(group=pl.int_range(pl.len()) % 12)
    return pairs, pl.DataFrame(right)


def tables(right: pl.DataFrame) -> dict[str, pl.DataFrame]:
    gold = pl.Series("gold", [E, X] * right.height).head(right.height)
    return {one.name: pl.DataFrame([gold, one.alias("right")]) for one in right}


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from([12, 60, 240]), st.sampled_from([1, 3, 20]), st.booleans())
def test_ranks_on_a_set_are_those_of_its_comparisons(seed: int, n: int, each: int, crossed: bool) -> None:
    pairs, right = drawn(seed, n, each, 4, crossed=crossed)
    rows = correct_family_p_values(
        compare_models(pairs, tables(right), pair_models(right.columns), [(), ("tag",)])
    )
    whole = rows.filter((pl.col("by") == "") & (pl.col("gold") == "all"))
    better = find_wins_on_set(right, find_sharing(pairs))
    for row in whole.iter_rows(named=True):
        a, b = right.columns.index(row["a"]), right.columns.index(row["b"])
        shown = row["shown"] and row["difference"] != 0
        assert (better[a, b], better[b, a]) == (
            shown and row["difference"] > 0,
            shown and row["difference"] < 0,
        )


VERDICT = ("set", "a", "b", "by", "gold", "p", "p_corrected", "family", "shown")


@pytest.mark.slow
@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from([40, 200]))
def test_other_models_and_sets_and_tags_change_no_verdict(seed: int, n: int) -> None:
    pairs, right = drawn(seed, n, 2, 3)
    known = tables(right)

    def compared(names: list[str], sets: list[str], by: list[tuple[str, ...]]) -> pl.DataFrame:
        rows = [
            compare_models(pairs, known, pair_models(names), by).select(pl.lit(name).alias("set"), pl.all())
            for name in sets
        ]
        return correct_family_p_values(pl.concat(rows))

    alone = compared(["m0", "m1"], ["s"], [()])
    for more in (
        compared(["m0", "m1", "m2"], ["s"], [()]),
        compared(["m0", "m1"], ["s", "t", "u"], [()]),
        compared(["m0", "m1"], ["s"], [(), ("tag",)]),
        compared(["m0", "m1", "m2"], ["r", "s"], [(), ("tag",)]),
    ):
        same = more.filter(
            (pl.col("set") == "s") & (pl.col("a") == "m0") & (pl.col("b") == "m1") & (pl.col("by") == "")
        )
        assert same.select(VERDICT).equals(alone.select(VERDICT))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make runs of three models on one set: m0 alone is right on 30 pairs, m1 alone on 16, and m2 is far behind.

    McNemar's test of the first two has p = 0.054.
    """
    home = tmp_path_factory.mktemp("runs")
    rng = np.random.default_rng(3)
    n, other = 400, {E: X, X: E}
    label = [(E, X)[place % 2] for place in range(n)]
    place = np.arange(n)
    right = {"m0": (place < 330) & ~(place < 16), "m1": (place < 330) & ~((place >= 16) & (place < 46))}
    right["m2"] = rng.random(n) < 0.4
    for name in ("one", "two"):
        texts = {
            "premise": [f"{name} {at}." for at in range(n)],
            "hypothesis": [f"It is {at}." for at in range(n)],
        }
        pairs = pl.DataFrame({"id": [f"{name}{at}" for at in range(n)], **texts, "label": label})
        pairs.write_csv(home / f"{name}.csv")
        for model, hits in right.items():
            predicted = [gold if hit else other[gold] for gold, hit in zip(label, hits, strict=True)]
            pairs.select("id").with_columns(label=pl.Series(predicted)).write_csv(
                home / f"{model}-{name}.csv"
            )
    for model in right:
        rr.evaluate(
            f"file:{home / model}-one.csv", sets=str(home / "one.csv"), out=home / f"run-{model}", **PLAIN
        )
    rr.evaluate(f"file:{home}/m2-two.csv", sets=str(home / "two.csv"), out=home / "run-elsewhere", **PLAIN)
    return home


def test_a_difference_that_compare_does_not_show_leaves_the_ranks_together(runs: Path) -> None:
    folders = [runs / "run-m0", runs / "run-m1"]
    row = rr.compare(folders).rows.filter(pl.col("gold") == "all").row(0, named=True)
    assert (row["only_a"], row["only_b"], row["shown"]) == (30, 16, False)
    assert row["p_corrected"] == pytest.approx(0.054, abs=0.001)
    found = build_leaderboard(load_runs(folders))
    for standings in (found.means, found.rankings[0].standings):
        assert [(one.best, one.worst) for one in standings.values()] == [(1, 2), (1, 2)]
    assert found.ties == {"file:m0-one.csv": ("file:m1-one.csv",), "file:m1-one.csv": ("file:m0-one.csv",)}


def test_leaderboard_and_compare_agree_on_three_runs(runs: Path) -> None:
    folders = [runs / f"run-m{at}" for at in range(3)]
    rows = rr.compare(folders).rows.filter((pl.col("gold") == "all") & (pl.col("by") == ""))
    found = build_leaderboard(load_runs(folders))
    shown = rows.select("a", "b", "shown").rows()
    assert {(a, b): b not in found.ties[a] for a, b, _ in shown} == {(a, b): is_so for a, b, is_so in shown}
    assert [(one.best, one.worst) for one in found.means.values()] == [(1, 2), (1, 2), (3, 3)]


def test_a_run_that_is_added_flips_no_verdict(runs: Path) -> None:
    two = [runs / "run-m0", runs / "run-m1"]
    names = ["file:m0-one.csv", "file:m1-one.csv"]
    both = (pl.col("a") == names[0]) & (pl.col("b") == names[1])
    alone = rr.compare(two).rows.select(VERDICT)
    for more in (["run-m2"], ["run-elsewhere"], ["run-m2", "run-elsewhere"]):
        found = rr.compare([*two, *(runs / name for name in more)]).rows.filter(both)
        assert found.select(VERDICT).equals(alone)
    assert re.match(
        r"No .*file:m0-one\.csv and file:m1-one\.csv on one\b", build_report(load_runs(two)).choice[0]
    )


def test_the_families_are_stated(runs: Path) -> None:
    made = build_report(load_runs([runs / f"run-m{at}" for at in range(3)]))
    assert made.choice[-1] == BASIS.format(chance=describe_chance_findings(3))
    captions = [one.caption for one in made.exhibits if one.key.startswith("comparison-")]
    assert len(captions) == 1
    assert FAMILY_RULE in captions[0]
    assert FAMILY_RULE in " ".join(
        ranking.make_ranking_tables(build_leaderboard(load_runs([runs / "run-m0", runs / "run-m1"])))[0].notes
    )
    assert re.search(r"\b3 tests .*\b0\.2 ", made.choice[-1])
