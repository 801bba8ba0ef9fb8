"""Verdicts follow their stated rule, on a grid of accuracies, baselines and numbers of pairs."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING

import pytest

import rightreasons as rr
from rightreasons.core.formatting import Cell
from rightreasons.reports import headlines
from rightreasons.reports.build import build_report
from rightreasons.reports.verdicts import (
    FEWEST_PAIRS,
    HIGH,
    TONE_RULE,
    Baseline,
    compute_baseline,
    explain_accuracy_judgement,
    judge_accuracy,
)
from rightreasons.runs.collection import load_runs
from rightreasons.scoring.intervals import wilson_interval

if TYPE_CHECKING:
    from pathlib import Path

ENDS = [step / 20 for step in range(21)]
SIZES = (1, 5, 34, 35, 36, 300)
MAJORITIES = (None, 0.34, 0.5, 0.67, 0.9, 0.95)


def test_the_verdict_is_that_of_the_printed_rule_on_the_whole_grid() -> None:
    """The right-hand sides are the sentences of the rule, read one by one."""
    count = 0
    for n, low, high, chance, majority in product(SIZES, ENDS, ENDS, (1 / 2, 1 / 3), MAJORITIES):
        if low > high:
            continue
        cell, baseline = Cell(n, round(n * (low + high) / 2), low, high), Baseline(chance, majority)
        too_few = n < 35
        above_chance = low > chance
        above_majority = majority is None or low > majority
        bad = not above_chance or not above_majority
        reliable = above_chance and above_majority and low > 0.9
        expected = "few" if too_few else "bad" if bad else "good" if reliable else "open"
        assert judge_accuracy(cell, baseline) == expected
        why = explain_accuracy_judgement(cell, baseline)
        assert ("chance is" in why) == (expected == "bad" and high < chance)
        below_majority = majority is not None and high < majority
        assert ("below the majority" in why) == (expected == "bad" and high >= chance and below_majority)
        at_chance = not above_chance and high >= chance and not below_majority
        assert ("at chance" in why) == (expected == "bad" and at_chance)
        assert ("not above the majority" in why) == (
            expected == "bad" and above_chance and not below_majority
        )
        count += 1
    assert count == 231 * len(SIZES) * 2 * len(MAJORITIES)


def test_the_rule_states_the_thresholds() -> None:
    for threshold in (f"fewer than {FEWEST_PAIRS}", f"above {HIGH}", "1/2", "1/3", "majority baseline"):
        assert threshold in TONE_RULE
    assert TONE_RULE in headlines.RULE
    assert "0.5" not in TONE_RULE  # chance is stated once


@pytest.mark.parametrize("right", [50, 25, 0])
def test_pairs_that_share_fewer_than_ten_values_have_no_verdict(right: int) -> None:
    low, high = map(float, wilson_interval(right, 50))
    cell = Cell(50, right, low, high, few_clusters=True)
    assert judge_accuracy(cell, Baseline(1 / 2)) == "few"
    assert re.match(r"50 pairs .*fewer than 10 ", explain_accuracy_judgement(cell, Baseline(1 / 2)))
    assert re.search(r"fewer than 10 .*group, source_id or premise", TONE_RULE)


def test_fewer_pairs_could_never_be_reliable() -> None:
    assert wilson_interval(FEWEST_PAIRS, FEWEST_PAIRS)[0] > HIGH
    assert wilson_interval(FEWEST_PAIRS - 1, FEWEST_PAIRS - 1)[0] <= HIGH


@pytest.mark.parametrize(
    ("golds", "predicted", "expected"),
    [
        ({"entailment": 60, "non-entailment": 40}, (), Baseline(1 / 2, 0.6)),
        ({"entailment": 50, "neutral": 30, "contradiction": 20}, (), Baseline(1 / 3, 0.5)),
        ({"entailment": 50, "neutral": 50}, ("contradiction",), Baseline(1 / 3, 0.5)),
        ({"non-entailment": 100}, (), Baseline(1 / 2)),
        ({"entailment": 100}, ("non-entailment",), Baseline(1 / 2)),
        ({"contradiction": 100}, (), Baseline(1 / 3)),
    ],
)
def test_chance_is_one_over_the_labels_and_the_majority_is_that_of_the_gold_labels(
    golds: dict[str, int], predicted: tuple[str, ...], expected: Baseline
) -> None:
    whole = {gold: Cell(n, 0, 0, 0.1) for gold, n in golds.items()} | {"all": Cell(100, 0, 0, 0.1)}
    assert compute_baseline(whole, predicted) == expected


def test_a_set_of_heuristics_is_held_against_the_majority_too(tmp_path: Path) -> None:
    """About half right where two thirds have one label: on each heuristic there is no clear pattern."""
    rows = ["id\tpremise\thypothesis\tlabel\theuristic"]
    given = ["id,label"]
    for place in range(600):
        label = "entailment" if place % 3 else "non-entailment"
        other = {"entailment": "non-entailment", "non-entailment": "entailment"}[label]
        rows.append(f"p{place}\tOne {place}.\tTwo {place}.\t{label}\tlexical_overlap")
        predicted = label if (place // 3) % 2 or (label == "non-entailment" and place % 5 == 0) else other
        given.append(f"p{place},{predicted}")
    (tmp_path / "set.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "m.csv").write_text("\n".join(given) + "\n", encoding="utf-8")
    out = tmp_path / "run"
    rr.evaluate(
        f"file:{tmp_path / 'm.csv'}", sets=str(tmp_path / "set.tsv"), out=out, html=False, baselines=False
    )
    (found,) = build_report(load_runs([out])).headlines
    assert found.tone == "bad"
    assert "majority baseline (66.7%)" in found.sentence


def test_an_accuracy_above_chance_is_never_reported_as_below_it() -> None:
    """58.8% on a set with three labels, two thirds of which are neutral."""
    cell = Cell(3000, 1764, *map(float, wilson_interval(1764, 3000)))
    reason = explain_accuracy_judgement(cell, Baseline(1 / 3, 2 / 3))
    assert "58.8%" in reason
    assert re.search(r"below .*\(66\.7%\)", reason)
    assert "chance" not in reason
    low = Cell(3000, 114, *map(float, wilson_interval(114, 3000)))
    assert re.fullmatch(r"3\.8% .*chance .*33%", explain_accuracy_judgement(low, Baseline(1 / 3)))
