"""The faithful mode does what the released script did, accidents included."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core.edits import has_consistent_edit, undo_edits
from rightreasons.corpora import read_corpus
from rightreasons.language.tokens import tokens
from rightreasons.language.wordnet import wordnet
from rightreasons.sets.stress.antonymy import Antonymy, build_released_antonym_pairs, list_distinct_sentences

if TYPE_CHECKING:
    from pathlib import Path


def made(premise: str, hypothesis: str, tie: str = "old") -> pl.DataFrame:
    columns = {
        "id": ["s"],
        "premise": [premise],
        "hypothesis": [hypothesis],
        "label": ["neutral"],
        "genre": ["tests"],
    }
    sentences = list_distinct_sentences(pl.DataFrame(columns), mode="faithful")
    found = tokens(sentences["text"], tagged=False)
    return build_released_antonym_pairs(sentences, found, tie=tie, known=wordnet())  # type: ignore[arg-type]


def pairs_of(table: pl.DataFrame) -> set[tuple[str, str]]:
    return set(table.select("premise", "hypothesis").rows())


def test_the_new_sentence_is_the_premise_where_it_was_the_hypothesis() -> None:
    assert pairs_of(made("the two winners", "x")) == {
        ("the two winners", "the two loser")
    }  # its number is lost
    assert pairs_of(made("x", "the two winners")) == {("the two loser", "the two winners")}


def test_the_first_like_substring_is_replaced() -> None:
    table = made("he provides pro and con", "x")
    assert table["hypothesis"].to_list() == ["he amateurvides pro and con"]
    assert table["edit_at"].to_list() == [3]


def test_capitals_words_of_the_list_and_adjectives_are_passed_over() -> None:
    assert made("Winners run", "x").is_empty()
    assert made("the parents and the lady", "x").is_empty()
    assert made("a big house", "x").is_empty()


def test_the_tie_rule_matters() -> None:
    assert made("the love of peace", "x", "old").is_empty()
    assert made("the love of peace", "x", "new")["antonym"].to_list() == ["hate", "war"]


def test_all_antonyms_of_all_lemmas_make_pairs() -> None:
    table = made("the daughter", "x")
    assert set(table["antonym"]) == {"boy", "son"}
    assert table["id"].n_unique() == 2
    assert table["label"].unique().to_list() == ["contradiction"]


@given(
    st.text(),
    st.lists(st.sampled_from(["winners", "daughter", "pro", "provides", "Day", "increase", "the", "\n"])).map(
        " ".join
    ),
)
def test_any_text_undone_is_the_source(premise: str, hypothesis: str) -> None:
    table = made(premise, hypothesis)
    assert has_consistent_edit(table).all()
    sources = {"premise": premise, "hypothesis": hypothesis}
    assert undo_edits(table).to_list() == [sources[side] for side in table["source_side"]]


def released(path: Path) -> set[tuple[str, str]]:
    table = pl.read_csv(path, separator="\t", quote_char=None, infer_schema=False)
    return set(table.select("sentence1", "sentence2").rows())


def test_the_released_pairs_are_recovered(shared_data: Path) -> None:
    there = released(shared_data / "stress" / "multinli_0.9_antonym_matched.txt")
    part = Antonymy(corpus=(str(shared_data / "mnli" / "dev_matched.csv"),), mode="faithful")
    plan = part.plan(size=None, limit=None, seed=0, split="eval")
    found = pairs_of(plan.rows(0, len(plan)))
    assert len(there) == 1561
    assert len(found & there) >= 0.99 * len(there)
    assert len(found) == pytest.approx(len(there), rel=0.01)


def test_the_old_rule_is_another_than_the_new_one(shared_data: Path) -> None:
    pairs = read_corpus(str(shared_data / "mnli" / "dev_mismatched.csv")).pairs
    sentences = list_distinct_sentences(pairs, mode="faithful")
    found = tokens(sentences["text"], tagged=False)
    old, new = (
        build_released_antonym_pairs(sentences, found, tie=tie, known=wordnet()) for tie in ("old", "new")
    )
    assert old.height == pytest.approx(1734, rel=0.02)  # as published
    assert new.height == pytest.approx(2608, rel=0.02)  # as NLTK makes them today
