from __future__ import annotations

import dataclasses
import re
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports_data import cell, run_of, scores_of, three_labels

from rightreasons.reports.takeaways import RULE, get_predicted_label_counts, summarize_model_on_set
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


def find_numbers(text: str) -> list[str]:
    """Find the percentages and counts of a sentence, in their order."""
    return re.findall(r"[\d,]*\d(?:\.\d%)?", text)


def test_one_sentence_groups_the_heuristics_by_verdict() -> None:
    scores = scores_of(
        "m", {"lexical_overlap": (0.0, 1.0), "subsequence": (1.0, 0.0), "constituent": (1.0, 0.0)}
    )
    refuses, follows = summarize_model_on_set(scores, "m").split("; ")
    assert re.match(r"predicts non-entailment for 100\.0% .*lexical overlap\b", refuses)
    assert re.match(
        r"predicts entailment for 100\.0% .*subsequence and constituent\b.*: .*follows subsequence\.", follows
    )


@pytest.mark.parametrize(
    ("followed", "cause"),
    [
        (
            ("lexical_overlap", "subsequence", "constituent"),
            r"follows lexical overlap, or always .* entailment",
        ),
        (("constituent",), "follows constituent"),
        (("lexical_overlap", "constituent"), r"follows the heuristic\b[^,]*"),
    ],
)
def test_the_narrowest_cause_that_explains_all_is_named(followed: tuple[str, ...], cause: str) -> None:
    names = ("lexical_overlap", "subsequence", "constituent")
    scores = scores_of("m", {name: (1.0, 0.0) if name in followed else (0.0, 1.0) for name in names})
    clause = next(
        part
        for part in summarize_model_on_set(scores, "m").rstrip(".").split("; ")
        if part.startswith("predicts entailment ")
    )
    assert re.search(f": it {cause}$", clause)


def test_relying_on_all_heuristics_may_be_a_bias_towards_entailment() -> None:
    scores = scores_of("m", dict.fromkeys(("lexical_overlap", "subsequence", "constituent"), (0.95, 0.3)))
    assert re.search(
        r": it relies on lexical overlap, or .* too often\b", summarize_model_on_set(scores, "m")
    )


def test_non_entailed_pairs_are_named() -> None:
    """They must not be confused with the pairs of other heuristics."""
    groups = {"lexical_overlap": (1.0, 0.015), "subsequence": (0.5, 0.5), "constituent": (0.5, 0.98)}
    leans, guesses, mixed = summarize_model_on_set(
        scores_of("m", groups | {"lexical_overlap": (0.98, 0.3)}), "m"
    ).split("; ")
    assert re.search(
        r"98\.0% .*\bentailed lexical overlap .*non-entailed .*\(30\.0%\): .*relies on the heuristic", leans
    )
    for clause, other in ((guesses, "50.0%"), (mixed, "98.0%")):
        assert re.search(rf" 50\.0% [^%]*\bentailed and {other} [^%]*non-entailed", clause)
        assert "others" not in clause


def test_the_terms_of_the_verdicts_are_explained() -> None:
    for term in ("follows a heuristic", "relies on a heuristic", "above the majority baseline"):
        assert f"{term} if" in RULE


def test_a_single_pair_is_singular() -> None:
    assert " of 1 pair (" in summarize_model_on_set(three_labels("m", {C: 1}, n=1), "m")


def test_a_model_with_many_predictions_without_a_label_shows_no_pattern() -> None:
    scores = scores_of("m", dict.fromkeys(("lexical_overlap", "subsequence", "constituent"), (1.0, 0.0)))
    few = {"entailment": 5990, "unreadable": 10}
    assert "follows lexical overlap" in summarize_model_on_set(scores, "m", few)
    many = {"entailment": 3000, "unreadable": 2500, "refused": 500}
    sentence = summarize_model_on_set(scores, "m", many)
    assert find_numbers(sentence) == ["50.0%", "6,000", "100.0%", "0.0%", "50.0%"]
    assert sentence.endswith("no label.")
    assert "follows" not in sentence


def test_label_counts_are_found_by_set_and_model() -> None:
    run = run_of([scores_of("m", {"subsequence": (1.0, 0.0)})], ["m"])
    assert get_predicted_label_counts(run, "hans", "m") == {}
    note = SimpleNamespace(set="hans", model="m", predicted={"entailment": 7})
    run = dataclasses.replace(run, notes=(note,))
    assert get_predicted_label_counts(run, "hans", "m") == {"entailment": 7}
    assert get_predicted_label_counts(run, "nps", "m") == get_predicted_label_counts(run, "hans", "o") == {}


E, N, C = "entailment", "neutral", "contradiction"


def test_a_set_with_one_gold_label_names_it_and_the_excess_prediction() -> None:
    scores = three_labels("m", {C: 20})
    plain = summarize_model_on_set(scores, "m")
    assert find_numbers(plain) == ["20.0%", "100"]
    assert plain.endswith(" contradiction).")
    excess = summarize_model_on_set(scores, "m", {E: 75, N: 5, C: 20})
    assert excess.startswith(f"{plain[:-1]}; predicts entailment ")
    assert find_numbers(excess) == ["20.0%", "100", "75.0%"]
    right = summarize_model_on_set(three_labels("m", {C: 100}), "m", {C: 100})
    assert find_numbers(right) == ["100.0%", "100"]
    assert right.endswith(" contradiction).")


@pytest.mark.parametrize(
    ("right", "is_reported"), [({E: 90, N: 5, C: 5}, True), ({E: 90, N: 50, C: 60}, False)]
)
def test_a_model_no_better_than_a_constant_is_reported(right: dict[str, int], is_reported: bool) -> None:
    sentence = summarize_model_on_set(three_labels("m", right), "m")
    assert bool(re.search(r"not above .*majority.*entailment: 33\.3%\)", sentence)) is is_reported
    assert ("majority" in sentence) is is_reported


@pytest.mark.parametrize(("count", "is_reported"), [(180, True), (135, False), (100, False)])
def test_a_label_predicted_too_often_is_named_if_significant(count: int, is_reported: bool) -> None:
    scores = three_labels("m", {E: 60, N: 60, C: 90})
    rest = (300 - count) // 2
    sentence = summarize_model_on_set(scores, "m", {E: rest, N: 300 - count - rest, C: count})
    assert bool(re.search(r"predicts contradiction .*60\.0%.* 33\.3%", sentence)) is is_reported
    assert ("predicts" in sentence) is is_reported


@pytest.mark.parametrize(("count", "is_reported"), [(20, True), (70, False)])
def test_the_weakest_part_is_named_if_it_is_clearly_weaker(count: int, is_reported: bool) -> None:
    scores = three_labels("m", {E: 80, N: 80, C: 80}, parts={"more": 95, "less": count, "some": 90})
    assert ("weakest on less (20.0%)" in summarize_model_on_set(scores, "m")) is is_reported
    assert ("weakest" in summarize_model_on_set(scores, "m")) is is_reported


def test_without_heuristics_the_sentence_is_the_accuracy() -> None:
    scores = scores_of("m", {"one": (1.0, 0.5)}, tag="subcase")
    assert find_numbers(summarize_model_on_set(scores, "m")) == ["75.0%", "2,000", "100.0%", "50.0%"]
    assert find_numbers(summarize_model_on_set(scores, "another")) == []
