"""The predicates of the three heuristics, by hand and on all released pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rightreasons.core import heuristics

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PARSE = (
    "(ROOT (S (SBAR (IN If) (S (NP (DT the) (NN judge)) (VP (VBD ran)))) (, ,) (S (NP a) (VP slept)) (. .)))"
)
TEXT = st.lists(st.sampled_from(["a", "b", "ab", "the", ",", ".", "?"]), max_size=6).map(" ".join)


def ask(
    predicate: Callable[[pl.Series, pl.Series], pl.Series], premise: str | None, hypothesis: str | None
) -> bool | None:
    columns = (pl.Series([premise], dtype=pl.String), pl.Series([hypothesis], dtype=pl.String))
    return predicate(*columns).item()


@pytest.mark.parametrize(
    ("premise", "hypothesis", "overlap", "run"),
    [
        ("The judge saw the actor .", "The actor saw the judge.", True, False),
        ("The judge saw the actor.", "the judge saw", True, True),
        ("The judge, the actor saw.", "judge the actor", True, True),
        ("She isn't.", "she is", False, False),
        ("not yourself", "not you", False, False),
        ("say it twice", "it it", True, False),
        ("3.5 men, 1,000 cats!", "1,000 cats", True, True),
        ("a b", "", False, False),
        ("a b", " . ?!", False, False),
        ("", "a", False, False),
        ("", "", False, False),
        ("a.b (c) [d] +", "a.b (c)", True, True),
        ("axb", "a.b", False, False),
    ],
)
def test_lexical_overlap_and_subsequence(premise: str, hypothesis: str, overlap: bool, run: bool) -> None:
    assert ask(heuristics.has_lexical_overlap, premise, hypothesis) is overlap
    assert ask(heuristics.is_subsequence, premise, hypothesis) is run


@pytest.mark.parametrize(
    ("hypothesis", "expected"),
    [
        ("The judge ran .", True),
        ("a slept.", True),
        ("If the judge ran, a slept.", True),
        ("the judge", False),
        ("judge ran", False),
        ("If the judge ran", False),
        ("", False),
    ],
)
def test_only_clauses_are_constituents(hypothesis: str, expected: bool) -> None:
    assert ask(heuristics.is_constituent, PARSE, hypothesis) is expected


def test_no_parse_has_no_answer() -> None:
    assert ask(heuristics.is_constituent, None, "a slept") is None
    assert heuristics.is_constituent(pl.Series([None]), pl.Series(["a"])).to_list() == [None]


@settings(deadline=None)
@given(st.lists(st.tuples(TEXT, TEXT), max_size=8))
def test_every_subsequence_overlaps_and_rows_are_apart(rows: list[tuple[str, str]]) -> None:
    premise = pl.Series([row[0] for row in rows], dtype=pl.String)
    hypothesis = pl.Series([row[1] for row in rows], dtype=pl.String)
    overlap, run = (
        f(premise, hypothesis) for f in (heuristics.has_lexical_overlap, heuristics.is_subsequence)
    )
    assert (overlap | ~run).all()
    assert run.to_list() == [ask(heuristics.is_subsequence, *row) for row in rows]


@settings(deadline=None)
@given(TEXT, TEXT, TEXT)
def test_a_middle_part_is_a_subsequence(before: str, middle: str, after: str) -> None:
    has_words = any(word not in ",.?" for word in middle.split())
    assert ask(heuristics.is_subsequence, f"{before} {middle} {after}", middle.upper()) is has_words


@pytest.mark.parametrize("name", ["heuristics_evaluation_set.txt", "heuristics_train_set.txt"])
def test_on_hans_the_heuristics_cover_what_they_should(shared_data: Path, name: str) -> None:
    table = pl.read_csv(shared_data / "hans" / name, separator="\t", quote_char=None, infer_schema=False)
    premise, hypothesis, heuristic = table["sentence1"], table["sentence2"], table["heuristic"]
    assert heuristics.has_lexical_overlap(premise, hypothesis).all()
    assert heuristics.is_subsequence(premise, hypothesis).equals(heuristic != "lexical_overlap")
    assert heuristics.is_constituent(table["sentence1_parse"], hypothesis).equals(heuristic == "constituent")
    natural = [text.str.replace_all(r" ([.,])", "${1}") for text in (premise, hypothesis)]
    assert heuristics.is_subsequence(*natural).equals(heuristic != "lexical_overlap")
