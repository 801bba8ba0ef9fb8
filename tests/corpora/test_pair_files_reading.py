"""Reading some columns of a file, and no more of it than that."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.corpora import read_pairs, write_pairs
from rightreasons.corpora.pair_files import ROWS_CHANGED
from rightreasons.corpora.pair_formats import FORMATS

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.core.pairs import ChallengeSet


def spoilt(small_set: ChallengeSet, **columns: pl.Expr) -> ChallengeSet:
    return replace(small_set, pairs=small_set.pairs.with_columns(**columns))


@pytest.mark.parametrize("name", FORMATS)
def test_some_columns_are_those_of_the_whole(small_set: ChallengeSet, tmp_path: Path, name: str) -> None:
    write_pairs(small_set, tmp_path / "t", format=name)
    whole = read_pairs(tmp_path / "t")
    some = read_pairs(tmp_path / "t", columns=["subcase", "heuristic"], if_there=["premise", "nowhere"])
    expected = ["id", "premise", "label", "heuristic", "subcase"]
    assert_frame_equal(some.pairs, whole.pairs.select(expected))
    assert some.card == replace(whole.card, digest=None)
    assert read_pairs(tmp_path / "t", columns=()).pairs.columns == ["id", "label"]


def test_a_tag_that_is_not_there_is_an_error_with_those_that_are(
    small_set: ChallengeSet, tmp_path: Path
) -> None:
    write_pairs(small_set, tmp_path / "t.parquet")
    with pytest.raises(UnknownNameError, match=r"'hueristic'.* heuristic"):
        read_pairs(tmp_path / "t.parquet", columns=["hueristic"])
    with pytest.raises(
        UnknownNameError, match=r"'colour'.* heuristic, rank, set, subcase, template, trigger"
    ):
        read_pairs(tmp_path / "t.parquet", columns=["colour"])


def test_trees_of_parquet_are_checked_when_they_are_read(small_set: ChallengeSet, tmp_path: Path) -> None:
    bad = spoilt(small_set, premise_parse=pl.lit("(ROOT (S"))
    write_pairs(bad, tmp_path / "t.parquet")
    assert len(read_pairs(tmp_path / "t.parquet", columns=["subcase"])) == 5
    for words in ({}, {"columns": (), "if_there": ("premise_parse",)}):
        with pytest.raises(InputError, match=r"row 1: .*premise_parse"):
            read_pairs(tmp_path / "t.parquet", **words)


@pytest.mark.parametrize(
    ("ids", "message"),
    [(pl.lit("one"), "row 2: the id 'one' "), (pl.lit(" "), "row 1: the id is blank")],
)
def test_ids_are_always_checked(small_set: ChallengeSet, tmp_path: Path, ids: pl.Expr, message: str) -> None:
    write_pairs(spoilt(small_set, id=ids), tmp_path / "t.parquet")
    with pytest.raises(InputError, match=message):
        read_pairs(tmp_path / "t.parquet", columns=())


def test_rows_that_are_gone_are_remarked_on_without_a_digest(small_set: ChallengeSet, tmp_path: Path) -> None:
    write_pairs(small_set, tmp_path / "t.parquet")
    assert read_pairs(tmp_path / "t.parquet", columns=()).card.remarks == ()
    small_set.pairs[:4].write_parquet(tmp_path / "t.parquet")
    (remark,) = read_pairs(tmp_path / "t.parquet", columns=()).card.remarks
    assert remark == ROWS_CHANGED
