"""The table of tokens: one shape whatever the texts, tags from parses or from the tagger."""

from __future__ import annotations

import subprocess
import sys
from itertools import chain
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core.errors import UnknownNameError
from rightreasons.language import tokens as door
from rightreasons.language.parse_alignment import align_parse
from rightreasons.language.tokenizer import tokenize
from rightreasons.language.tokens import tokens

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = {
    "row": pl.UInt32,
    "number": pl.Int64,
    "start": pl.Int64,
    "end": pl.Int64,
    "token": pl.String,
    "tag": pl.String,
}
PARSE = "(ROOT (S (NP (PRP We)) (VP (VBP duck)) (. .)))"


@pytest.mark.parametrize("texts", [[], [""], [None], [" \n"], [None, "A dog barks.", ""]])
@pytest.mark.parametrize("tagged", [True, False])
def test_the_columns_are_always_the_same(texts: list[str | None], tagged: bool) -> None:
    found = tokens(pl.Series(texts, dtype=pl.String), tagged=tagged)
    assert dict(found.schema) == SCHEMA
    assert found.height == sum(len(tokenize(text or "")) for text in texts)
    assert found["tag"].null_count() == (0 if tagged else found.height)


def test_rows_numbers_and_places_are_those_of_the_texts() -> None:
    found = tokens(pl.Series(["He's in.", None, "Go!", "He's in."]))
    assert found.select("row", "number", "start", "end", "token").rows() == [
        *[(0, 0, 0, 2, "He"), (0, 1, 2, 4, "'s"), (0, 2, 5, 7, "in"), (0, 3, 7, 8, ".")],
        *[(2, 0, 0, 2, "Go"), (2, 1, 2, 3, "!")],
        *[(3, 0, 0, 2, "He"), (3, 1, 2, 4, "'s"), (3, 2, 5, 7, "in"), (3, 3, 7, 8, ".")],
    ]


def test_a_parse_that_fits_gives_the_tags_and_another_does_not() -> None:
    texts, parses = pl.Series(["We duck.", "We duck.", "We duck."]), pl.Series([PARSE, None, PARSE[:-1]])
    found = tokens(texts, parses).partition_by("row")
    assert found[0]["tag"].to_list() == ["PRP", "VBP", "."]
    assert found[1]["tag"].to_list() == found[2]["tag"].to_list() == tokens(texts[:1])["tag"].to_list()


def test_tags_are_those_of_the_parse_even_where_the_tagger_differs() -> None:
    odd = PARSE.replace("VBP", "FW")
    found = [
        tokens(pl.Series(["We duck."]), pl.Series([parse]))["tag"][1] for parse in (odd, None, odd, PARSE)
    ]
    assert found == ["FW", found[1], "FW", "VBP"]
    assert found[1] != "FW"


def test_without_tags_the_places_are_the_same() -> None:
    texts, parses = pl.Series(["We duck.", "They don't."]), pl.Series([PARSE, None])
    with_tags, without = tokens(texts, parses), tokens(texts, parses, tagged=False)
    assert with_tags.drop("tag").equals(without.drop("tag"))
    assert without["tag"].null_count() == without.height


@given(st.lists(st.one_of(st.none(), st.text(), st.text(alphabet="ab'.\U0001f600 N5-"))))
def test_order_and_company_make_no_difference(texts: list[str | None]) -> None:
    together = tokens(pl.Series(texts, dtype=pl.String))
    alone = [tokens(pl.Series([text], dtype=pl.String)).drop("row") for text in texts]
    kept = [together.filter(pl.col("row") == row).drop("row") for row in range(len(texts))]
    assert all(one.equals(other) for one, other in zip(alone, kept, strict=True))
    slices = [
        (texts[row] or "")[start:end] for row, start, end in together.select("row", "start", "end").rows()
    ]
    assert together["token"].to_list() == slices


def test_what_is_remembered_is_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = pl.Series(["A cat sleeps.", "Dogs bark at night."])
    door._get_token_cache.cache_clear()
    first = tokens(texts)
    assert tokens(texts).equals(first)
    monkeypatch.setattr(door, "_MOST", 1)  # now all is forgotten after each call
    assert tokens(texts).equals(first)
    assert not door._get_token_cache("default", True)
    assert tokens(texts).equals(first)


def test_another_process_finds_the_same() -> None:
    code = (
        "import polars as pl; from rightreasons.language.tokens import tokens\n"
        "print(tokens(pl.Series(['The new run was a fast one, I think.', 'time flies']))['tag'].to_list())"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1


def test_an_unknown_tagger_is_named() -> None:
    with pytest.raises(UnknownNameError, match=r"tagger .*'defualt'.*default"):
        tokens(pl.Series(["a"]), tagger="defualt")


@pytest.mark.parametrize(
    ("name", "least"), [("mnli_dev_matched_1000", 0.998), ("mnli_dev_mismatched_1000", 0.997)]
)
def test_tokens_agree_with_those_of_the_stanford_parser(shared_data: Path, name: str, least: float) -> None:
    path = shared_data / "parsed" / f"{name}.tsv"
    table = pl.read_csv(path, separator="\t", quote_char=None, infer_schema=False)
    sides = [table.select(f"sentence{side}", f"sentence{side}_parse").rows() for side in (1, 2)]
    fits = [(text, align_parse(text, parse)) for text, parse in dict.fromkeys(chain(*sides))]
    theirs = {(text, *place) for text, found in fits if found for place in found[0]}
    ours = {(text, *place) for text, found in fits if found for place in tokenize(text)}
    assert sum(found is None for _, found in fits) <= 0.002 * len(fits)
    assert 2 * len(theirs & ours) / (len(theirs) + len(ours)) >= least
