from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports_data import cell, scores_of

from rightreasons.reports.takeaways import Verdict, takeaway, verdict

SURE = 1000


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
    assert verdict(cell(entailed, SURE), cell(other, SURE)) is expected


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_handful_of_pairs_bears_no_strong_verdict(share: float) -> None:
    strong = {Verdict.RIGHT, Verdict.FOLLOWS, Verdict.REFUSES}
    assert verdict(cell(1.0, 10), cell(share, 10)) not in strong


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
    found = verdict(entailed, other)
    assert verdict(other, entailed) is mirror.get(found, found)


def test_one_sentence_groups_the_heuristics_by_verdict() -> None:
    scores = scores_of(
        "m", {"lexical_overlap": (0.0, 1.0), "subsequence": (1.0, 0.0), "constituent": (1.0, 0.0)}
    )
    said = takeaway(scores, "m")
    assert said == (
        "says non-entailment for 100.0% of the lexical overlap pairs, whether entailed or not; "
        "says entailment for 100.0% of the subsequence and constituent pairs, whether it holds or not: "
        "it follows subsequence."
    )


@pytest.mark.parametrize(
    ("followed", "cause"),
    [
        (
            ("lexical_overlap", "subsequence", "constituent"),
            "it follows lexical overlap, or says entailment always",
        ),
        (("constituent",), "it follows constituent"),
        (("lexical_overlap", "constituent"), "it goes by the heuristic there"),
    ],
)
def test_the_narrowest_cause_that_explains_all_is_named(followed: tuple[str, ...], cause: str) -> None:
    names = ("lexical_overlap", "subsequence", "constituent")
    scores = scores_of("m", {name: (1.0, 0.0) if name in followed else (0.0, 1.0) for name in names})
    clause = next(
        part for part in takeaway(scores, "m").rstrip(".").split("; ") if "says entailment for" in part
    )
    assert clause.endswith(f": {cause}")


def test_without_heuristics_the_sentence_is_the_accuracy() -> None:
    scores = scores_of("m", {"one": (1.0, 0.5)}, tag="subcase")
    assert takeaway(scores, "m") == "is right on 75.0% of 2,000 pairs."
    assert takeaway(scores, "another") == "has no scores."
