"""The corpus as audits read it: labels, groups, and what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from corpora_by_hand import make_corpus

import rightreasons as rr
from rightreasons.audits.audit_corpus import MOST_GENRES, AuditCorpus
from rightreasons.core.pairs import Card, ChallengeSet

if TYPE_CHECKING:
    from corpora_by_hand import Row

ROWS: list[Row] = [
    ("The judge slept.", "He slept.", "entailment"),
    ("the judge slept", "He ate.", "contradiction"),
    ("A dog ran.", "It ran.", None),
    ("A dog ran.", "It sat.", "contradiction"),
]


def test_labels_come_in_their_usual_order_with_counts() -> None:
    corpus = make_corpus(ROWS)
    assert corpus.labels == ("entailment", "contradiction")
    assert corpus.label_codes.tolist() == [0, 1, -1, 1]
    assert corpus.label_counts.tolist() == [1, 2]
    assert corpus.labelled.pairs["id"].to_list() == ["ex0", "ex1", "ex3"]


def test_premises_with_the_same_letters_are_one_group() -> None:
    groups = make_corpus(ROWS).premise_groups
    assert groups[0] == groups[1] != groups[2] == groups[3]


def test_missing_columns_are_added() -> None:
    texts = pl.DataFrame({"premise": ["a"], "hypothesis": ["b"], "genre": ["x"]})
    corpus = AuditCorpus.from_challenge_set(ChallengeSet(texts, Card("bare")))
    assert corpus.pairs.columns == ["id", "premise", "hypothesis", "label", "genre"]
    assert corpus.pairs.row(0) == ("ex0", "a", "b", None, "x")
    assert (corpus.has_values("label"), corpus.has_values("genre"), corpus.has_values("group")) == (
        False,
        True,
        False,
    )
    assert corpus.labels == ()


def test_a_corpus_without_texts_is_refused() -> None:
    with pytest.raises(rr.InputError, match="'hypothesis'"):
        AuditCorpus.from_challenge_set(ChallengeSet(pl.DataFrame({"premise": ["a"]}), Card("half")))


def test_shares_of_labels_by_tag() -> None:
    corpus = make_corpus(ROWS).labelled
    table = corpus.count_labels_by(pl.DataFrame({"kind": ["x", "x", "y"]}))
    assert table.select("kind", "n", "entailment", "contradiction").rows() == [
        ("x", 2, 0.5, 0.5),
        ("y", 1, 0.0, 1.0),
        (None, 3, 1 / 3, 2 / 3),
    ]


def test_genres_that_are_unknown_or_rare_have_a_name() -> None:
    assert make_corpus(ROWS, genre=["x", None, "y", "x"]).genres.to_list() == ["x", "unknown", "y", "x"]
    count = 3 * MOST_GENRES
    rows: list[Row] = [(f"p{place}", "h", "neutral") for place in range(count)]
    names = [f"g{place // 2:03}" if place < 20 else f"h{place:03}" for place in range(count)]
    genres = make_corpus(rows, genre=names).genres
    # Ten genres have two pairs each; of those with one pair, the first by the alphabet are kept.
    assert genres.n_unique() == MOST_GENRES + 1
    assert genres.head(20 + MOST_GENRES - 10).to_list() == names[: 20 + MOST_GENRES - 10]
    assert set(genres.tail(count - 20 - MOST_GENRES + 10)) == {"other genres"}


def test_a_genre_may_be_called_all() -> None:
    rows: list[Row] = [("a", "b", "entailment"), ("c", "d", "neutral"), ("e", "f", "neutral")]
    corpus = make_corpus(rows, genre=["all", "x", None])
    assert [(name, flags.to_list()) for name, flags in corpus.flag_genres()] == [
        ("all", [True, False, False]),
        ("unknown", [False, False, True]),
        ("x", [False, True, False]),
        ("all", [True, True, True]),
    ]
