from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rightreasons as rr
from rightreasons.audits.error_analysis import CATEGORIES
from rightreasons.audits.error_cues import (
    RULES,
    WrongPrediction,
    find_cues,
    is_misspelt,
    split_lowercase_words,
)
from rightreasons.core.labels import LABELS

LONG = (
    "The committee, which had met every week since the early spring of that year in the small room behind the "
    "library, decided at last to build the bridge."
)


def suggested(premise: str, hypothesis: str, gold: str, answer: str) -> tuple[str, str, str] | None:
    found = find_cues(WrongPrediction(premise, hypothesis, gold, answer))
    return tuple(found[0]) if found else None


@pytest.mark.parametrize(
    ("premise", "hypothesis", "gold", "answer", "wanted"),
    [
        (
            "The soup was hot.",
            "The soup was cold.",
            "contradiction",
            "entailment",
            ("antonymy", "hot / cold", "gradable"),
        ),
        (
            "Have her show it.",
            "Thorn told her to hide it.",
            "contradiction",
            "neutral",
            ("antonymy", "show / hide", ""),
        ),
        (
            "He was alive.",
            "He was dead.",
            "non-entailment",
            "entailment",
            ("antonymy", "alive / dead", "complementary"),
        ),
        (
            "He got 200 books.",
            "He got 900 books.",
            "contradiction",
            "entailment",
            ("numerical reasoning", "200 / 900", ""),
        ),
        (
            "He has three dogs.",
            "He has more than three dogs.",
            "neutral",
            "entailment",
            ("numerical reasoning", "three / three", ""),
        ),
        ("She sang.", "She didn't stop singing.", "neutral", "contradiction", ("negation", "n't", "")),
        ("The dog ran home.", "The doog ran home.", "entailment", "neutral", ("grammaticality", "doog", "")),
        (LONG, "They argued.", "neutral", "contradiction", ("length mismatch", "28 words / 2 words", "")),
        (
            "The man saw the dog.",
            "The dog saw the man.",
            "neutral",
            "entailment",
            ("word overlap", "5 of 5 words are in the premise", ""),
        ),
        (
            "It was still night.",
            "The sun had yet to rise.",
            "entailment",
            "neutral",
            ("word overlap", "0 of 6 words are in the premise", ""),
        ),
    ],
)
def test_each_kind_is_suggested(
    premise: str, hypothesis: str, gold: str, answer: str, wanted: tuple[str, str, str]
) -> None:
    assert suggested(premise, hypothesis, gold, answer) == wanted


@pytest.mark.parametrize(
    ("premise", "hypothesis", "gold", "answer"),
    [
        (
            "The soup was hot.",
            "The soup was cold.",
            "entailment",
            "contradiction",
        ),  # no contradiction was missed
        ("The hot soup was cold.", "It was cold, then hot.", "contradiction", "neutral"),  # both have both
        ("He got 200 books.", "He got 200 books then.", "neutral", "contradiction"),  # the same numbers
        ("No one sang.", "Someone sang.", "contradiction", "neutral"),  # the negation is in the premise
        (
            "She sang.",
            "She did not sing.",
            "contradiction",
            "neutral",
        ),  # and here it was not taken too seriously
        ("The zorblax ran.", "A zorblax was running.", "neutral", "contradiction"),  # strange, but in both
        ("We met Smyth.", "They saw Smiht.", "neutral", "contradiction"),  # names may be spelt as they like
        ("One of them ran.", "One ran off.", "neutral", "contradiction"),
    ],
)
def test_nothing_is_suggested_without_a_cue(premise: str, hypothesis: str, gold: str, answer: str) -> None:
    assert suggested(premise, hypothesis, gold, answer) is None


def test_all_cues_are_listed_the_most_telling_first() -> None:
    error = WrongPrediction("He saw 3 cold dogs.", "He saw 5 hot dogs.", "contradiction", "entailment")
    assert [cue.category for cue in find_cues(error)] == ["antonymy", "numerical reasoning"]


def test_the_rules_are_about_the_first_six_categories() -> None:
    assert {rule.__name__.removeprefix("find_").replace("_", " ") for rule in RULES} == set(CATEGORIES[:6])


@pytest.mark.parametrize(
    ("name", "category", "least"),
    [
        ("stress/antonymy", "antonymy", 0.9),
        ("stress/numerical", "numerical reasoning", 0.99),
        ("stress/negation", "negation", 0.8),
        ("stress/length-mismatch", "length mismatch", 0.9),
        ("stress/spelling", "grammaticality", 0.8),
    ],
)
def test_the_stress_tests_show_the_cue_that_they_are_made_of(name: str, category: str, least: float) -> None:
    """Where the answer is wrong in the way that the test provokes."""
    provoked = {"stress/antonymy": "entailment", "stress/negation": "contradiction"}
    pairs = rr.generate(name).pairs.head(150)
    answer = provoked.get(name, "neutral")
    wrong = [row for row in pairs.select("premise", "hypothesis", "label").rows() if row[2] != answer]
    found = [{cue.category for cue in find_cues(WrongPrediction(*row, answer))} for row in wrong]
    assert len(found) >= 50
    assert sum(category in one for one in found) >= least * len(found)


def test_misspelt_words() -> None:
    assert [word for word in "woamn houae teh cat zorblax qq dogs website".split() if is_misspelt(word)] == [  # noqa: SIM905 - reads better
        "woamn",
        "houae",
        "teh",
    ]


def test_words_have_no_marks() -> None:
    assert split_lowercase_words("Don't – he said, “4.5%”!") == ["do", "n't", "he", "said", "4.5"]  # noqa: RUF001 - a real dash


@given(st.text(), st.text(), st.sampled_from(LABELS), st.sampled_from(LABELS))
def test_any_text_will_do(premise: str, hypothesis: str, gold: str, answer: str) -> None:
    assert {cue.category for cue in find_cues(WrongPrediction(premise, hypothesis, gold, answer))} <= set(
        CATEGORIES[:6]
    )
