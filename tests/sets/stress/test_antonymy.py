"""Antonyms in safe places only: whole words, in their own sense, with number, degree, article and case right."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core.edits import has_consistent_edit, select_other_text, undo_edits
from rightreasons.core.errors import InputError, TooFewPairsError
from rightreasons.core.pairs import REQUIRED_COLUMNS
from rightreasons.language.tokens import tokens
from rightreasons.language.wordnet import wordnet
from rightreasons.sets.stress.antonym_edits import list_opposite_words, load_curated_antonyms
from rightreasons.sets.stress.antonymy import Antonymy, build_antonym_pairs, list_distinct_sentences

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.core.parts import Plan


def corpus(*texts: str) -> pl.DataFrame:
    ids = [f"s{number}" for number in range(len(texts))]
    others = [f"The number of this row is {number}." for number in range(len(texts))]
    columns = {"id": ids, "premise": list(texts), "hypothesis": others, "label": ["neutral"] * len(texts)}
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String)).with_columns(genre=pl.lit("tests"))


def made(*texts: str, seed: int = 0, tree: str | None = None, **options: str) -> pl.DataFrame:
    sentences = list_distinct_sentences(corpus(*texts), sides="premise")
    found = tokens(sentences["text"], pl.Series([tree] * sentences.height, dtype=pl.String))
    return build_antonym_pairs(sentences, found, seed=seed, known=wordnet(), **options)  # type: ignore[arg-type]


def altered(*texts: str, **options: Any) -> list[str]:
    pairs = made(*texts, **options)
    new = pl.when(pl.col("side") == "premise").then("premise").otherwise("hypothesis")
    return pairs.select(new.alias("new"))["new"].to_list()


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("The room was very small.", "The room was very large."),
        ("It is an easy question.", "It is a difficult question."),
        ("The village has a  beautiful view.", "The village has an  ugly view."),
        ("Rome is the largest city in Italy.", "Rome is the smallest city in Italy."),
        ("The second hotel is cheaper.", "The second hotel is more expensive."),
        ("The harvest was a failure.", "The harvest was a success."),
        ("The teachers were women.", "The teachers were men."),
        ("There was an increase in sales.", "There was a decrease in sales."),
        ("The office is at the top of the street.", "The office is at the bottom of the street."),
        ("The majority of voters came early.", "A minority of voters came early."),
        ("THE MAJORITY of voters came early.", "A MINORITY of voters came early."),
        ("A minority of voters came early.", "A majority of voters came early."),
        ("The farmers are the majority in this town.", "The farmers are the minority in this town."),
        ("The water is safe to drink.", "The water is dangerous to drink."),
        ("It is a safe place.", "It is a dangerous place."),
        ("The carriage is new.", "The carriage is old."),
        ("The tax was the beginning of a long dispute.", "The tax was the end of a long dispute."),
        ("The first one is small.", "The first one is large."),
        ("'Stop!' She left. The room was small.", "'Stop!' She left. The room was large."),
        ("They will be able to swim.", "They will be unable to swim."),
        ("The dog is tiny.", "The dog is huge."),  # both are satellites
    ],
)
def test_what_is_written(text: str, new: str) -> None:
    assert altered(text) == [new]


@pytest.mark.parametrize(
    "text",
    [
        "The room was not small.",
        "The room wasn't small.",
        "Was the room small?",
        "The room could be small.",
        "If the room is small, we will move.",
        "He said the room was small.",
        "She believes the room is small.",
        "Some of the rooms were small.",
        "One of the rooms was small.",
        "Ten rooms were small.",
        "The room was as small as mine.",
        "The rooms were small or large.",
        "The old rooms were small and the new ones large.",
        "The room which was small was sold.",
        "He looked for a small room.",
        "A man walked in.",
        "Yes, the room is small.",
        "The room is 'small'.",
        "The room is small-minded.",
        "It is a hot dog.",
        "He is a man who loves his garden.",
        "Her teachers were women.",
        "The work is done by the end of the year.",
        "He is responsible for it.",
        "I am well aware of it.",
        "The village has a small door.",
        "They have an advantage.",
        "In the window was a small desk.",
        "The desk was too small to use.",
        "The seats were hard.",
        "It is a small room and a small price.",
        "'The room is small!', is what they could say.",
        '"The room is small!" is what they could say.',
        '"The room is small!" she said.',
        "The room is small?, they asked.",
        "Everyone on the plane is safe.",
        "The children were safe by noon.",
        "They are dangerous.",
        "The waiter is new at the bar.",
        "It was a good beginning.",
        "They are the weakest minority in the country.",
        "They are an overwhelming majority.",
        "The officials became aware of it.",
        "The play was a horrible failure.",
        "They have a good chance of winning.",
        "The goal is to have a small effect.",
        "One is small.",
        "I have two dogs, and one is small.",
        "The girls are sisters.",
        "He is the worst enemy of the town.",
        "It is clear to her that he left.",
        "They joined to get the majority of the shares.",
        "The street is alive with music.",
        "The club has an interesting swimming pool.",
        "'You are correct', I mumbled.",
    ],
)
def test_what_is_left_alone(text: str) -> None:
    assert altered(text) == []


def test_columns_tags_and_label() -> None:
    pairs = made("The room was small.", "It was a success.")
    assert tuple(pairs.columns) == (*REQUIRED_COLUMNS, *Antonymy.tags)
    first, second = pairs.rows(named=True)
    assert first["id"] == "antonymy-s0-p3-large"
    assert (first["label"], first["source_label"], first["genre"]) == ("contradiction", "neutral", "tests")
    assert (first["source_id"], first["group"], first["source_side"]) == ("s0", "s0", "premise")
    assert (first["word"], first["antonym"], first["synset"]) == ("small", "large", "01391351-a")
    assert (first["subcase"], first["antonym_type"], first["position"]) == ("adjective", "gradable", 3)
    assert (second["subcase"], second["antonym_type"]) == ("noun", "complementary")


def test_one_word_of_a_sentence_or_all() -> None:
    text = "The room was small, clean and quiet."
    assert len(altered(text)) == 1
    assert len(altered(text, per_sentence="all")) == 3
    assert {altered(text, seed=seed)[0] for seed in range(20)} == set(altered(text, per_sentence="all"))


def test_the_sides_are_balanced_and_belong_to_the_seed() -> None:
    texts = [f"Room {number} was small." for number in range(400)]
    sides = made(*texts)["side"]
    assert 150 < (sides == "premise").sum() < 250
    assert made(*texts)["side"].equals(sides)
    assert not made(*texts, seed=1)["side"].equals(sides)


def test_choices_do_not_depend_on_order_or_neighbours() -> None:
    texts = [f"Room {number} was small, clean and quiet." for number in range(40)]
    whole = set(made(*texts).select("premise", "hypothesis").rows())
    assert set(made(*reversed(texts)).select("premise", "hypothesis").rows()) == whole
    assert set(made(*texts[:5]).select("premise", "hypothesis").rows()) <= whole


def test_the_same_sentence_is_taken_once() -> None:
    pairs = made("The room was small.", "The room was small.")
    assert pairs["source_id"].to_list() == ["s0"]


def test_all_antonyms_reach_beyond_the_list() -> None:
    tree = "(ROOT (S (NP (DT The) (NN road)) (VP (VBZ is) (ADJP (JJ paved))) (. .)))"
    assert made("The road is paved.", tree=tree).is_empty()
    pairs = made("The road is paved.", tree=tree, antonyms="all")
    assert pairs["antonym"].to_list() == ["unpaved"]
    assert pairs["antonym_type"].to_list() == [None]


def test_capitals_are_kept_throughout() -> None:
    tree = "(ROOT (S (NP (DT THIS)) (VP (VBZ IS) (NP (DT A) (JJ POPULAR) (NN PLACE))) (. .)))"
    assert altered("THIS IS A POPULAR PLACE.", tree=tree) == ["THIS IS AN UNPOPULAR PLACE."]


def test_every_entry_of_the_list_is_an_antonym_in_wordnet() -> None:
    known = wordnet()
    for (pos, lemma), entries in load_curated_antonyms().items():
        words = frozenset[str]().union(
            *(list_opposite_words(synset, known) for synset in known.synsets(lemma, pos))
        )
        for entry in entries:
            assert entry.antonym in words, (lemma, entry.antonym)
            assert entry.kind in ("gradable", "complementary", "relational")
            assert entry.frames


WORDS = [
    "The room",
    "was",
    "is a",
    "very",
    "small",
    "SMALL",
    "Good",
    "women",
    "an",
    "easy",
    ".",
    "?",
    "not",
    "😀",
    "\t",
    "\n",
]
TEXTS = st.lists(st.one_of(st.text(), st.lists(st.sampled_from(WORDS)).map(" ".join)), max_size=8)


@given(TEXTS, st.sampled_from(["curated", "all"]), st.sampled_from(["one", "all"]))
def test_any_text_undone_is_the_source(texts: list[str], antonyms: str, per_sentence: str) -> None:
    pairs = made(*texts, antonyms=antonyms, per_sentence=per_sentence)
    assert has_consistent_edit(pairs).all()
    source = dict(zip(corpus(*texts)["id"], texts, strict=True))
    assert undo_edits(pairs).to_list() == [source[one] for one in pairs["source_id"]]
    assert undo_edits(pairs).to_list() == pairs.select(select_other_text().alias("other"))["other"].to_list()
    assert pairs["id"].n_unique() == pairs.height


def test_long_and_foreign_texts() -> None:
    long = "The room was small. " * 500
    assert altered(long) == []  # the word is there more than once
    assert altered("הבית קטן.", "البيت صغير.", "😀😀😀", "1234 !!!", "") == []
    text = f"The room was small and {'quite ' * 2000}clean."
    assert len(altered(text)) == 1


@cache
def plan(**options: object) -> Plan:
    return Antonymy(**options).plan(size=None, limit=None, seed=1, split="eval")  # type: ignore[arg-type]


def test_the_pocket_corpus_gives_pairs() -> None:
    table = plan().rows(0, len(plan()))
    assert set(table["subcase"]) == {"noun", "adjective"}
    assert table.select("premise", "hypothesis").n_unique() == table.height > 20
    assert plan().card.options["antonyms"] == "curated"
    assert re.match(r"[\d,]+ of [\d,]+ ", plan().card.remarks[-1])


def test_one_side_only() -> None:
    table = plan(sides="hypothesis").rows(0, 1000)
    assert set(table["source_side"]) == {"hypothesis"}


def test_a_corpus_without_antonyms_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "none.jsonl"
    path.write_text('{"premise": "A b.", "hypothesis": "C d.", "label": "neutral"}\n', encoding="utf-8")
    with pytest.raises(TooFewPairsError, match=r"stress/antonymy.*--corpus"):
        Antonymy(corpus=(str(path),)).plan(size=None, limit=None, seed=0, split="eval")


def test_a_folder_without_wordnet_is_refused() -> None:
    with pytest.raises(InputError, match="wordnet=FOLDER"):
        Antonymy(wordnet="/nowhere").plan(size=None, limit=None, seed=0, split="eval")
