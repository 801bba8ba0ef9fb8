"""The reliance figure: 1 for the rule itself, 0 for whoever errs for other reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rightreasons as rr
from rightreasons.core import heuristics
from rightreasons.core.labels import ENTAILMENT, NON_ENTAILMENT, UNREADABLE
from rightreasons.scoring.reliance import MIN_PAIRS, Reliance, measure_reliance

if TYPE_CHECKING:
    from pathlib import Path

N = 4000
# A set on which the heuristic and the truth have nothing to do with each other.
TRUE, HERE = (np.random.default_rng(seed).random(N) < 0.45 for seed in (7, 8))


def table(gold: np.ndarray, answer: np.ndarray) -> pl.DataFrame:
    word = {True: ENTAILMENT, False: NON_ENTAILMENT}
    return pl.DataFrame(
        {"gold": [word[bool(one)] for one in gold], "prediction": [word[bool(one)] for one in answer]}
    )


def judged(answer: np.ndarray, gold: np.ndarray = TRUE, here: np.ndarray = HERE) -> Reliance:
    found = measure_reliance(table(gold, answer), pl.Series(here))
    assert found is not None
    return found


def coin(share: float, seed: int = 0) -> np.ndarray:
    """Throw coins that fall on yes so often."""
    return np.random.default_rng(100 + seed).random(N) < share


def noisy(share: float) -> np.ndarray:
    """Answer right but for a share of errors, which have nothing to do with the heuristic."""
    return TRUE ^ coin(share, seed=1)


def test_the_rule_itself_is_wholly_reliant() -> None:
    found = judged(HERE)
    assert (found.figure, found.high, found.control) == (1, 1, "silent")
    assert found.low > 0.99
    assert found.misled.hits == found.misled.n == (HERE & ~TRUE).sum()
    assert (found.helped.n, found.silent.n) == ((HERE & TRUE).sum(), (~HERE & ~TRUE).sum())


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("oracle", TRUE),
        ("never right", ~TRUE),
        ("always entailment", np.ones(N, bool)),
        ("never entailment", np.zeros(N, bool)),
        ("a fifth wrong", noisy(0.2)),
        ("a coin", coin(0.5)),
        ("a coin that says entailment mostly", coin(0.8)),
        ("a coin that says so rarely", coin(0.1)),
    ],
)
def test_whoever_does_not_look_at_the_heuristic_does_not_rely_on_it(name: str, answer: np.ndarray) -> None:
    found = judged(answer)
    assert found.figure < 0.05, name
    assert found.low == 0, name


@pytest.mark.parametrize("often", [0.1, 0.5, 0.9])
def test_who_follows_it_now_and_then_does_so_far_as_that(often: float) -> None:
    follows = HERE & coin(often)
    found = judged(np.where(follows, True, noisy(0.2)))
    # Of misleading pairs it calls entailed those it follows on, and a fifth of the others; of silent ones a fifth.
    assert found.low <= often * 0.8 <= found.high
    assert found.figure == pytest.approx(often * 0.8, abs=0.04)


def test_whoever_goes_against_it_is_shown_as_0() -> None:
    found = judged(~HERE)
    assert (found.figure, found.low, found.high) == (0, 0, 0)


def test_without_silent_pairs_errors_where_it_is_right_are_taken_off() -> None:
    here = np.ones(N, bool)
    thrown = coin(0.5)
    assert judged(thrown, here=here).figure < 0.05
    assert judged(noisy(0.2), here=here).figure < 0.05
    always = judged(here, here=here)
    # On such a set the rule and a constant answer are one and the same: nothing can tell them apart.
    assert (always.figure, always.control) == (1, "right")
    few = here.copy()
    few[np.flatnonzero(~TRUE)[: MIN_PAIRS - 1]] = False
    assert judged(thrown, here=few).control == "right"
    few[np.flatnonzero(~TRUE)[:MIN_PAIRS]] = False
    assert judged(thrown, here=few).control == "silent"


def test_reliance_is_unknown_if_the_heuristic_only_misleads() -> None:
    gold, here = np.zeros(50, bool), np.ones(50, bool)
    found = judged(here, gold, here)
    assert (found.control, found.figure, found.low) == ("none", None, None)
    assert found.misled.share == 1


def test_where_it_never_misleads_there_is_no_figure() -> None:
    assert measure_reliance(table(TRUE, HERE), pl.Series(TRUE)) is None


def test_an_answer_without_a_label_follows_nothing() -> None:
    answers = table(TRUE, HERE).with_columns(prediction=pl.lit(UNREADABLE))
    found = measure_reliance(answers, pl.Series(HERE))
    assert found is not None
    assert (found.figure, found.misled.hits) == (0, 0)


def test_pairs_that_belong_together_make_the_interval_wider() -> None:
    answers = table(TRUE, np.where(HERE, coin(0.6), noisy(0.2)))
    copies = pl.concat([answers] * 4)
    here, clusters = pl.concat([pl.Series(HERE)] * 4), pl.concat([pl.Series(range(N), dtype=pl.UInt64)] * 4)
    alone, together = measure_reliance(copies, here), measure_reliance(copies, here, clusters)
    assert alone is not None
    assert together is not None
    assert together.figure == alone.figure
    assert (together.high - together.low) / (alone.high - alone.low) == pytest.approx(2, rel=0.1)


@given(st.permutations(range(40)))
def test_the_order_of_pairs_is_nothing_to_it(order: list[int]) -> None:
    gold, here, said = TRUE[:40], HERE[:40], noisy(0)[:40]
    clusters = pl.Series(np.arange(40) // 3)
    first = measure_reliance(table(gold, said), pl.Series(here), clusters)
    again = measure_reliance(table(gold, said)[order], pl.Series(here).gather(order), clusters.gather(order))
    assert first == again


@pytest.fixture(scope="module")
def hans() -> pl.DataFrame:
    return rr.generate("hans", limit=3000).pairs


def test_on_hans_each_rule_relies_on_itself_most(hans: pl.DataFrame) -> None:
    rules = {
        "lexical-overlap": heuristics.has_lexical_overlap(hans["premise"], hans["hypothesis"]),
        "subsequence": heuristics.is_subsequence(hans["premise"], hans["hypothesis"]),
        "constituent": heuristics.is_constituent(hans["premise_parse"], hans["hypothesis"]),
    }
    for name in rules:
        answers = hans.select(gold="label").with_columns(
            prediction=rr.predict(f"rules:{name}", hans)["label"]
        )
        found = {rule: measure_reliance(answers, applies) for rule, applies in rules.items()}
        figures = {rule: one.figure for rule, one in found.items() if one is not None}
        assert figures[name] == 1
        assert all(figure <= 0.51 for rule, figure in figures.items() if rule != name)


def test_the_published_hans_predictions_follow_lexical_overlap(hans_data: Path) -> None:
    pairs = rr.generate("hans-released").pairs
    applies = heuristics.has_lexical_overlap(pairs["premise"], pairs["hypothesis"])
    narrow = heuristics.is_subsequence(pairs["premise"], pairs["hypothesis"])
    for file, figure in (("bert_preds.txt", 0.853), ("decomp_attn_heur_preds.txt", 0.962)):
        given = rr.predict(f"file:{hans_data / file}", pairs)["label"]
        merged = given.replace({"neutral": NON_ENTAILMENT, "contradiction": NON_ENTAILMENT})
        answers = pairs.select(gold="label").with_columns(prediction=merged)
        wide, narrower = measure_reliance(answers, applies), measure_reliance(answers, narrow)
        assert wide is not None
        assert narrower is not None
        assert wide.figure == pytest.approx(figure, abs=5e-4)
        assert wide.control == "right"
        assert narrower.figure < 0.1
