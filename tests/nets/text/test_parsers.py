"""Parsers: every word once and in its order, trees where they find any, a clear word where they are missing."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.nets.text.binary_parses import mark_well_formed_parses
from rightreasons.nets.text.parsers import (
    make_balanced_parse,
    make_binary_parses,
    make_parse_from_constituents,
    make_right_branching_parse,
    tokenize_for_parse,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TEXTS = [
    "The judge advised the doctor.",
    "Of course, in spite of the rain we can't go (at 5 o'clock).",
    "yes",
    "!echo me",
    "I don't like the 18th-century U.S. stuff: it's \"old\"...",
    "xx yy the of and and",
    "The na\u00efve man's dog [sic] cost $5.00, or 50% of it",
    "( ( hm",
    "word " * 300,
]
RANGES = st.tuples(st.integers(0, 11), st.integers(1, 12)).filter(lambda span: span[0] < span[1])


def words_of(binary: str) -> list[str]:
    return [symbol for symbol in binary.split() if symbol not in ("(", ")")]


def test_right_branching_joins_each_word_with_the_rest() -> None:
    assert make_right_branching_parse(["a", "b", "c", "d"]) == "( a ( b ( c d ) ) )"


def test_balanced_halves() -> None:
    assert make_balanced_parse(["a", "b", "c", "d", "e"]) == "( ( ( a b ) c ) ( d e ) )"


@pytest.mark.parametrize("parser", ["right-branching", "balanced"])
def test_one_word_is_its_own_parse_and_no_word_has_none(parser: str) -> None:
    assert make_binary_parses(["yes", " "], parser) == ["yes", ""]


@given(st.lists(RANGES, max_size=9))
def test_constituents_that_nest_are_kept_and_words_stay_in_order(spans: list[tuple[int, int]]) -> None:
    words = [f"w{place}" for place in range(12)]
    binary = make_parse_from_constituents(words, spans)
    assert mark_well_formed_parses(pl.Series([binary])).all()
    assert words_of(binary) == words
    if len(spans) == 1:
        start, stop = spans[0]
        assert make_right_branching_parse(words[start:stop]) in binary


def test_of_crossing_constituents_the_later_is_left_out() -> None:
    assert make_parse_from_constituents(list("abcd"), [(1, 4), (0, 2)]) == "( ( a b ) ( c d ) )"


@pytest.mark.parametrize("parser", ["right-branching", "balanced", "link-grammar"])
def test_every_word_stands_once_and_in_order(parser: str) -> None:
    if parser == "link-grammar" and not shutil.which("link-parser"):
        pytest.skip("Link Grammar's program link-parser is not installed")
    found = make_binary_parses(TEXTS, parser)
    assert mark_well_formed_parses(pl.Series(found)).all()
    assert [words_of(binary) for binary in found] == [tokenize_for_parse(text) for text in TEXTS]


def test_link_grammar_finds_constituents() -> None:
    if not shutil.which("link-parser"):
        pytest.skip("Link Grammar's program link-parser is not installed")
    found = make_binary_parses([TEXTS[0], "The dog [sic] ran at 5 o'clock.", TEXTS[0]], "link-grammar")
    assert found[0] == "( ( The judge ) ( ( advised ( the doctor ) ) . ) )"
    assert "( 5 o'clock )" in found[1]
    assert found[2] == found[0]


def test_a_missing_program_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InputError, match=r"link-parser.*right-branching"):
        make_binary_parses(["a b"], "link-grammar")


@pytest.mark.parametrize("name", ["right-branchin", "balanced:x", ""])
def test_an_unknown_parser_is_refused(name: str) -> None:
    with pytest.raises(UnknownNameError, match="no parser called"):
        make_binary_parses(["a b"], name)


class Heads:
    """A part of a pipeline that sets the heads by hand."""

    heads: Sequence[int] = ()

    def __call__(self, document: Any) -> Any:
        """Set the head of each word."""
        from spacy.tokens import Doc

        words = [token.text for token in document]
        spaces = [bool(token.whitespace_) for token in document]
        return Doc(document.vocab, words, spaces, heads=list(self.heads), deps=["dep"] * len(words))


@pytest.fixture
def pipeline(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Stand a blank pipeline with heads set by hand where spaCy would load one."""
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    from rightreasons.language import spacy_adapter as spacy_door

    Heads.heads = ()
    if not spacy.Language.has_factory("heads_by_hand"):
        spacy.Language.factory("heads_by_hand", func=lambda nlp, name: Heads())  # noqa: ARG005
    blank = spacy.blank("en")
    blank.add_pipe("heads_by_hand")
    monkeypatch.setattr(spacy, "load", lambda _: blank)
    spacy_door._load_pipeline.cache_clear()
    yield Heads
    spacy_door._load_pipeline.cache_clear()


@pytest.mark.parametrize(
    ("text", "heads", "expected"),
    [
        ("Anna sees the dog.", (1, 1, 3, 1, 1), "( Anna ( ( sees ( the dog ) ) . ) )"),
        ("the old dog", (2, 2, 2), "( the ( old dog ) )"),
        ("Go. Run.", (0, 0, 2, 2), "( ( Go . ) ( Run . ) )"),  # two roots
        ("a (b)", (0, 2, 0, 2), "( a ( -LRB- ( b -RRB- ) ) )"),
        ("yes", (0,), "yes"),
    ],
)
def test_dependents_join_their_head(pipeline: Any, text: str, heads: tuple[int, ...], expected: str) -> None:
    pipeline.heads = heads
    assert make_binary_parses([text], "spacy:by-hand") == [expected]


def test_crossing_dependencies_keep_the_words_in_order(pipeline: Any) -> None:
    pipeline.heads = (2, 3, 2, 2)
    (found,) = make_binary_parses(["a b c d"], "spacy")
    assert words_of(found) == ["a", "b", "c", "d"]
    assert mark_well_formed_parses(pl.Series([found])).all()


def test_a_pipeline_without_a_parser_is_refused(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(InputError, match="spaCy pipeline"):
        make_binary_parses(["a b"], f"spacy:{tmp_path / 'blank'}")
