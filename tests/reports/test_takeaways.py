from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports_data import cell, run_of, scores_of, three_labels

from rightreasons.reports.takeaways import RULE, get_label_counts, summarize_on_set
from rightreasons.reports.verdicts import Verdict, judge_heuristic

if TYPE_CHECKING:
    from rightreasons.core.formatting import Cell

SURE = 1000


def judge(entailed: Cell, other: Cell) -> Verdict:
    return judge_heuristic({"entailment": entailed, "non-entailment": other})


@pytest.mark.parametrize(
    ("entailed", "other", "expected"),
    [
        (1.0, 1.0, Verdict.RIGHT),
        (1.0, 0.0, Verdict.FOLLOWS),
        (0.0, 1.0, Verdict.REFUSES),
        (0.98, 0.3, Verdict.LEANS),
        (0.3, 0.98, Verdict.AVOIDS),
        (0.8, 0.7, Verdict.ABOVE),
        (0.5, 0.5, Verdict.GUESSES),
        (0.5, 0.98, Verdict.MIXED),
        (0.9, 0.0, Verdict.LEANS),
    ],
)
def test_verdicts_on_many_pairs(entailed: float, other: float, expected: Verdict) -> None:
    assert judge(cell(entailed, SURE), cell(other, SURE)) is expected


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_handful_of_pairs_bears_no_strong_verdict(share: float) -> None:
    strong = {Verdict.RIGHT, Verdict.FOLLOWS, Verdict.REFUSES}
    assert judge(cell(1.0, 10), cell(share, 10)) not in strong


@given(st.integers(1, 500), st.integers(1, 500), st.data())
def test_swapping_the_sides_mirrors_the_verdict(n_e: int, n_n: int, data: st.DataObject) -> None:
    entailed = cell(data.draw(st.integers(0, n_e)) / n_e, n_e)
    other = cell(data.draw(st.integers(0, n_n)) / n_n, n_n)
    mirror = {
        Verdict.FOLLOWS: Verdict.REFUSES,
        Verdict.REFUSES: Verdict.FOLLOWS,
        Verdict.LEANS: Verdict.AVOIDS,
        Verdict.AVOIDS: Verdict.LEANS,
    }
    found = judge(entailed, other)
    assert judge(other, entailed) is mirror.get(found, found)


def test_one_sentence_groups_the_heuristics_by_verdict() -> None:
    scores = scores_of(
        "m", {"lexical_overlap": (0.0, 1.0), "subsequence": (1.0, 0.0), "constituent": (1.0, 0.0)}
    )
    said = summarize_on_set(scores, "m")
    assert said == (
        "predicts non-entailment for 100.0% of the lexical overlap pairs, entailed or not; "
        "predicts entailment for 100.0% of the subsequence and constituent pairs, entailed or not: "
        "it follows subsequence."
    )


@pytest.mark.parametrize(
    ("followed", "cause"),
    [
        (
            ("lexical_overlap", "subsequence", "constituent"),
            "it follows lexical overlap, or always predicts entailment",
        ),
        (("constituent",), "it follows constituent"),
        (("lexical_overlap", "constituent"), "it follows the heuristic there"),
    ],
)
def test_the_narrowest_cause_that_explains_all_is_named(followed: tuple[str, ...], cause: str) -> None:
    names = ("lexical_overlap", "subsequence", "constituent")
    scores = scores_of("m", {name: (1.0, 0.0) if name in followed else (0.0, 1.0) for name in names})
    clause = next(
        part
        for part in summarize_on_set(scores, "m").rstrip(".").split("; ")
        if "predicts entailment for" in part
    )
    assert clause.endswith(f": {cause}")


def test_leaning_on_all_heuristics_may_be_a_taste_for_entailment() -> None:
    scores = scores_of("m", dict.fromkeys(("lexical_overlap", "subsequence", "constituent"), (0.95, 0.3)))
    assert summarize_on_set(scores, "m").endswith(
        "it relies on lexical overlap, or predicts entailment too often in general."
    )


def test_pairs_that_are_not_entailed_are_called_that() -> None:
    """Nobody should take them for the pairs of other heuristics."""
    groups = {"lexical_overlap": (1.0, 0.015), "subsequence": (0.5, 0.5), "constituent": (0.5, 0.98)}
    leans, guesses, mixed = summarize_on_set(
        scores_of("m", groups | {"lexical_overlap": (0.98, 0.3)}), "m"
    ).split("; ")
    assert leans == (
        "is correct on 98.0% of the entailed lexical overlap pairs but below chance on the non-entailed ones (30.0%): "
        "it relies on the heuristic there"
    )
    for clause in (guesses, mixed):
        assert "correct on 50.0% of the entailed and " in clause
        assert "of the non-entailed ones)" in clause
        assert "others" not in clause


def test_the_words_of_the_verdicts_are_explained() -> None:
    for words in (
        "It follows a heuristic if",
        "It relies on a heuristic if",
        "not above the majority baseline if",
    ):
        assert words in RULE


def test_one_pair_is_not_several() -> None:
    assert summarize_on_set(three_labels("m", {C: 1}, n=1), "m").startswith(
        "is correct on 100.0% of 1 pair (gold label:"
    )


def test_a_model_that_often_says_no_label_shows_no_pattern() -> None:
    scores = scores_of("m", dict.fromkeys(("lexical_overlap", "subsequence", "constituent"), (1.0, 0.0)))
    few = {"entailment": 5990, "unreadable": 10}
    assert "it follows lexical overlap" in summarize_on_set(scores, "m", few)
    many = {"entailment": 3000, "unreadable": 2500, "refused": 500}
    assert summarize_on_set(scores, "m", many) == (
        "is correct on 50.0% of 6,000 pairs (entailment 100.0%, non-entailment 0.0%); "
        "50.0% of its predictions have no label."
    )


def test_what_a_model_said_is_found_by_set_and_model() -> None:
    run = run_of([scores_of("m", {"subsequence": (1.0, 0.0)})], ["m"])
    assert get_label_counts(run, "hans", "m") == {}
    note = SimpleNamespace(set="hans", model="m", predicted={"entailment": 7})
    run = dataclasses.replace(run, notes=(note,))
    assert get_label_counts(run, "hans", "m") == {"entailment": 7}
    assert get_label_counts(run, "nps", "m") == get_label_counts(run, "hans", "o") == {}


E, N, C = "entailment", "neutral", "contradiction"


def test_a_set_of_one_label_says_which_and_what_is_said_instead() -> None:
    scores = three_labels("m", {C: 20})
    assert summarize_on_set(scores, "m") == "is correct on 20.0% of 100 pairs (gold label: contradiction)."
    assert summarize_on_set(scores, "m", {E: 75, N: 5, C: 20}) == (
        "is correct on 20.0% of 100 pairs (gold label: contradiction); predicts entailment for 75.0% of them."
    )
    assert summarize_on_set(three_labels("m", {C: 100}), "m", {C: 100}) == (
        "is correct on 100.0% of 100 pairs (gold label: contradiction)."
    )


@pytest.mark.parametrize(("right", "told"), [({E: 90, N: 5, C: 5}, True), ({E: 90, N: 50, C: 60}, False)])
def test_a_model_no_better_than_a_constant_is_told(right: dict[str, int], told: bool) -> None:
    said = summarize_on_set(three_labels("m", right), "m")
    assert ("not above the majority baseline (always entailment: 33.3%)" in said) is told


@pytest.mark.parametrize(("count", "told"), [(180, True), (135, False), (100, False)])
def test_a_label_said_too_often_is_named_where_the_figures_bear_it(count: int, told: bool) -> None:
    scores = three_labels("m", {E: 60, N: 60, C: 90})
    rest = (300 - count) // 2
    said = summarize_on_set(scores, "m", {E: rest, N: 300 - count - rest, C: count})
    assert ("predicts contradiction for 60.0%, gold label of 33.3%" in said) is told
    assert ("predicts" in said) is told


@pytest.mark.parametrize(("count", "told"), [(20, True), (70, False)])
def test_the_weakest_part_is_named_where_it_is_clearly_weaker(count: int, told: bool) -> None:
    scores = three_labels("m", {E: 80, N: 80, C: 80}, parts={"more": 95, "less": count, "some": 90})
    assert ("weakest on less (20.0%)" in summarize_on_set(scores, "m")) is told
    assert ("weakest" in summarize_on_set(scores, "m")) is told


def test_without_heuristics_the_sentence_is_the_accuracy() -> None:
    scores = scores_of("m", {"one": (1.0, 0.5)}, tag="subcase")
    assert summarize_on_set(scores, "m") == (
        "is correct on 75.0% of 2,000 pairs (entailment 100.0%, non-entailment 50.0%)."
    )
    assert summarize_on_set(scores, "another") == "has no scores."
