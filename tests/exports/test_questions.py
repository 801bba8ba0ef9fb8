"""How pairs are put: parts, numbers for labels, names that tools take."""

from __future__ import annotations

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from rightreasons.core.labels import THREE, TWO
from rightreasons.core.pairs import Card, ChallengeSet
from rightreasons.exports.questions import QUESTIONS, identifiers, label_order, rows


def made(labels: list[str], **tags: list[str | None]) -> ChallengeSet:
    ids = [str(number) for number in range(len(labels))]
    pairs = pl.DataFrame({"id": ids, "premise": "p", "hypothesis": "h", "label": labels, **tags})
    return ChallengeSet(pairs, Card("mine", labels=tuple(dict.fromkeys(labels))))


def test_numbers_stand_for_labels_in_the_usual_order() -> None:
    several = made(["contradiction", "neutral", "entailment"])
    assert label_order("mine", several) == THREE
    assert rows(several, THREE)["label"].to_list() == [2, 1, 0]
    assert label_order("mine", made(["non-entailment"])) == TWO
    assert label_order("mine", made(["neutral"])) == THREE


def test_the_words_follow_the_labels() -> None:
    assert dict(zip(THREE, QUESTIONS[THREE][1], strict=True)) == {
        "entailment": "True",
        "neutral": "Neither",
        "contradiction": "False",
    }
    assert dict(zip(TWO, QUESTIONS[TWO][1], strict=True)) == {"entailment": "True", "non-entailment": "False"}


def test_parts_are_heuristics_and_labels() -> None:
    labels = ["entailment", "non-entailment"]
    assert rows(made(labels), TWO)["part"].to_list() == labels
    tagged = rows(made(labels, heuristic=["overlap", None]), TWO)
    assert tagged["part"].to_list() == ["overlap, entailment", "none, non-entailment"]
    assert tagged["tags"].to_list() == [{"heuristic": "overlap"}, {"heuristic": None}]


@settings(max_examples=50)
@given(st.lists(st.text(), unique=True))
def test_names_are_plain_and_different(names: list[str]) -> None:
    found = identifiers(names)
    assert len(set(found)) == len(names)
    assert all(name.isascii() and name.replace("_", "a").isalnum() for name in found)
