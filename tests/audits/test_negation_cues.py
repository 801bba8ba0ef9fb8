"""Negation words: which words count as which, and the label that they may be taken for."""

from __future__ import annotations

import pytest
from corpora_by_hand import make_corpus

from rightreasons.audits.cue_statistics import find_cue_clusters
from rightreasons.audits.negation_cues import (
    ANY_NEGATION,
    NEGATION_WORDS,
    choose_negated_label,
    measure_negation,
)

E, N, C, NON = "entailment", "neutral", "contradiction", "non-entailment"


def count(texts: list[str], side: str = "hypothesis") -> dict[str, int]:
    """Count the pairs that have each negation word."""
    pairs = [(f"p{place}", text) for place, text in enumerate(texts)]
    labels = [(E, C)[place % 2] for place in range(len(texts))]
    rows = [
        (*(pair if side == "hypothesis" else pair[::-1]), label)
        for pair, label in zip(pairs, labels, strict=True)
    ]
    corpus = make_corpus(rows)  # type: ignore[arg-type]
    column = getattr(corpus.words, side)
    exhibit, _ = measure_negation(corpus, column, find_cue_clusters(corpus.sharing, column), side)
    assert exhibit.frame["word"].to_list() == [*NEGATION_WORDS, ANY_NEGATION]
    return {word: n for word, n in exhibit.frame.select("word", "n").iter_rows() if n}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("NO!", {"no"}),
        ("He isn't", {"n't"}),
        ("He is n't here", {"n't"}),
        ("He isn\u2019t", {"n't"}),
        ("It cannot be", {"not"}),
        ("nobody, nothing and nowhere", {"nobody", "nothing", "nowhere"}),
        ("not a knot", {"not"}),
        ("The north has notes and nonstop noise", set()),
        ("without", set()),
    ],
)
@pytest.mark.parametrize("side", ["hypothesis", "premise"])
def test_words_are_recognized(text: str, words: set[str], side: str) -> None:
    assert count([text, "yes"], side) == dict.fromkeys([*words, *([ANY_NEGATION] if words else [])], 1)


def test_a_pair_counts_once_for_each_word_and_for_any() -> None:
    assert count(["no no, not no", "not", "yes", "none or no"]) == {
        "no": 2,
        "not": 2,
        "none": 1,
        ANY_NEGATION: 3,
    }


@pytest.mark.parametrize(
    ("labels", "label"),
    [((E, N, C), C), ((E, C), C), ((E, NON), NON), ((E, N), N)],
)
def test_negation_may_be_taken_for_contradiction(labels: tuple[str, ...], label: str) -> None:
    assert choose_negated_label(labels) == label
