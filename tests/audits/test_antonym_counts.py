"""Antonyms across premise and hypothesis, against loops over the pairs."""

from __future__ import annotations

from typing import Literal

import polars as pl
import pytest
from corpora_by_hand import make_corpus
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.audits.antonym_counts import (
    AntonymsAcross,
    AntonymTable,
    count_antonym_contradictions,
    find_words_across,
    load_antonyms,
)
from rightreasons.language.word_codes import number_pair_words

E, C = "entailment", "contradiction"
PAIRS = pl.DataFrame({"first": ["big", "cold", "cold"], "second": ["small", "hot", "warm"]})
texts = st.lists(st.sampled_from(["big", "small", "cold", "hot", "warm", "dog"]), max_size=5).map(" ".join)
text_pairs = st.lists(st.tuples(texts, texts), max_size=6)


def find_by_loop(rows: list[tuple[str, str]]) -> list[tuple[int, int, bool]]:
    """List row, antonyms, and whether neither word is in both texts."""
    found = []
    for row, (premise, hypothesis) in enumerate(rows):
        here, there = set(premise.split()), set(hypothesis.split())
        for place, (one, other) in enumerate(PAIRS.iter_rows()):
            if (one in here and other in there) or (other in here and one in there):
                found.append((row, place, not {one, other} & here & there))
    return found


@pytest.mark.parametrize("compared", ["lemmas", "as-written"])
@given(rows=text_pairs)
def test_antonyms_across_are_those_of_a_loop(
    compared: Literal["lemmas", "as-written"], rows: list[tuple[str, str]]
) -> None:
    columns = pl.DataFrame(rows, schema={"premise": pl.String, "hypothesis": pl.String}, orient="row")
    words = number_pair_words(columns["premise"], columns["hypothesis"])
    across = AntonymsAcross.from_words(words, PAIRS, compared)
    assert across.found.rows() == find_by_loop(rows)
    used = set(PAIRS["first"]) | set(PAIRS["second"])
    counts = {word: sum(word in f"{p} {h}".split() for p, h in rows) for word in used}
    assert across.frequency == {word: count for word, count in counts.items() if count}


@given(text_pairs)
def test_premise_and_hypothesis_can_be_exchanged(rows: list[tuple[str, str]]) -> None:
    tables = [
        pl.DataFrame(
            [(row, word) for row, text in enumerate(side) for word in dict.fromkeys(text.split())],
            schema={"row": pl.Int64, "word": pl.String},
            orient="row",
        )
        for side in ([premise for premise, _ in rows], [hypothesis for _, hypothesis in rows])
    ]
    there, back = (set(find_words_across(*each, PAIRS).rows()) for each in (tables, tables[::-1]))
    assert there == back


def test_base_forms_count_only_if_words_are_compared_by_lemma() -> None:
    words = number_pair_words(
        pl.Series(["Bigger dogs", "The coldest day"]), pl.Series(["small dogs", "a hot day"])
    )
    assert AntonymsAcross.from_words(words, PAIRS, "lemmas").found.rows() == [(0, 0, True), (1, 1, True)]
    assert AntonymsAcross.from_words(words, PAIRS, "as-written").found.is_empty()


def test_shares_of_the_target_label_by_hand() -> None:
    rows = [
        ("The big dog ran.", "The small dog ran.", C),
        ("The big dog ran.", "The big, not small dog ran.", E),
        ("It is cold.", "It is hot.", C),
        ("It is cold.", "It rains.", E),
    ]
    table = AntonymTable.from_corpus(make_corpus(rows), "as-written")
    assert table.target == C
    assert (table.whole_share.hits, table.whole_share.n) == (2, 4)
    assert (table.across_share.hits, table.across_share.n) == (2, 3)
    counts = {
        name: (number, pairs, times)
        for name, number, pairs, times in table.antonyms.filter(pl.col("pairs") > 0)
        .select("words", "antonyms", "pairs", "times")
        .iter_rows()
    }
    number, pairs, times = counts["big / small"]
    assert (pairs, times) == (2, 1)
    assert table.select_rows(number).tolist() == [0, 1]
    assert table.select_rows(number, replaced=True).tolist() == [0]
    assert counts["cold / hot"][1:] == (1, 1)


def test_groups_are_parts_of_their_list() -> None:
    table = AntonymTable.from_corpus(make_corpus([("a", "b", E), ("c", "d", C)]), "lemmas")
    names = {name: set(group["antonyms"]) for name, group in table.groups.items()}
    for name, numbers in names.items():
        whole = name.partition(",")[0]
        assert numbers <= names[whole]
    assert (
        set().union(*(numbers for name, numbers in names.items() if name.startswith("WordNet,")))
        == names["WordNet"]
    )
    assert names["curated"] | names["WordNet"] == set(range(load_antonyms().height))


def test_contradictions_are_counted_once_per_pair_and_by_contradictions_alone() -> None:
    training = pl.DataFrame(
        [
            ("Big big dogs.", "SMALL dogs, big dogs.", C),
            ("small", "big", C),
            ("big", "small", E),
            ("It is cold", "It isn't hot-tempered", C),
        ],
        schema=["premise", "hypothesis", "label"],
        orient="row",
    )
    counted = count_antonym_contradictions(pl.concat([PAIRS, PAIRS]), training)
    assert counted.rows() == [("big", "small", 2)]
