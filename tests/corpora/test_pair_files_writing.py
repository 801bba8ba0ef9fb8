"""Sets on their way to disk: streamed, sealed, whole or absent."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from rightreasons import generate
from rightreasons.core.edits import undo_edits
from rightreasons.core.errors import InputError, OutputError
from rightreasons.core.pairs import Card, ChallengeSet, compute_digest
from rightreasons.corpora import get_card_path, read_pairs, write_pairs
from rightreasons.corpora.pair_formats import FORMATS

WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8).filter(str.strip)
NASTY = st.text(st.sampled_from(list("\"',\t\n\r\\😀שa")), min_size=1, max_size=8).filter(str.strip)


@dataclass
class CountingPlan:
    """A plan whose rows say where they are, and which remembers what it was asked for."""

    count: int
    asked: list[tuple[int, int]]
    fails_at: int | None = None
    card = Card("counting", 1, labels=("entailment",))
    schema: Any = None

    def __post_init__(self) -> None:
        self.schema = self.rows(0, 0).schema

    def __len__(self) -> int:
        return self.count

    def rows(self, start: int, stop: int) -> pl.DataFrame:
        if self.fails_at is not None and start >= self.fails_at:
            raise InputError("The plan failed.")
        self.asked.append((start, stop))
        number = pl.int_range(start, stop)
        text = pl.format("Sentence {} .", number)
        frame = pl.select(id=pl.format("ex{}", number), premise=text, hypothesis=text)
        return frame.with_columns(label=pl.lit("entailment"))


@pytest.mark.parametrize("ending", ["parquet", "jsonl", "csv", "tsv"])
def test_a_plan_is_streamed_in_order(tmp_path: Path, ending: str) -> None:
    plan = CountingPlan(300_000, [])
    card = write_pairs(plan, tmp_path / f"t.{ending}")
    whole = plan.rows(0, 300_000)
    assert max(stop - start for start, stop in plan.asked[:-1]) == 131_072
    assert (card.rows, card.digest) == (300_000, compute_digest([whole]))
    back = read_pairs(tmp_path / f"t.{ending}")
    assert_frame_equal(back.pairs, whole)
    assert back.card == card == Card.from_json(get_card_path(tmp_path / f"t.{ending}").read_text())


def test_a_plan_that_fails_midway_leaves_nothing(tmp_path: Path) -> None:
    for ending in ("parquet", "csv"):
        with pytest.raises(InputError, match="The plan failed"):
            write_pairs(CountingPlan(300_000, [], fails_at=200_000), tmp_path / f"t.{ending}")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_replaced_unless_forced(tmp_path: Path) -> None:
    plan, target = CountingPlan(3, []), tmp_path / "t.csv"
    write_pairs(plan, target)
    with pytest.raises(OutputError, match=r"t\.csv .*--force"):
        write_pairs(plan, target)
    target.unlink()
    with pytest.raises(OutputError, match=r"t\.csv\.card\.json .*--force"):
        write_pairs(plan, target)
    assert not target.exists()
    write_pairs(CountingPlan(4, []), target, force=True)
    assert len(read_pairs(target)) == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.csv", "t.csv.card.json"]


def test_an_unknown_extension_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"t\.xlsx .*\.csv"):
        write_pairs(CountingPlan(3, []), tmp_path / "t.xlsx")
    write_pairs(CountingPlan(3, []), tmp_path / "t.xlsx", format="jsonl")


def test_a_table_without_ids_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no column id"):
        write_pairs(ChallengeSet(pl.DataFrame({"premise": ["p"]}), Card("x")), tmp_path / "t.csv")
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(WORDS | NASTY, WORDS | NASTY, NASTY | st.none()), min_size=1, max_size=5), st.data()
)
def test_any_texts_survive_or_are_refused(
    rows: list[tuple[str, str, str | None]], data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(["parquet", "jsonl", "csv", "tsv"]))
    columns = {"premise": pl.String, "hypothesis": pl.String, "trigger": pl.String}
    texts = pl.DataFrame(rows, schema=columns, orient="row")
    pairs = texts.select(
        pl.format("ex{}", pl.int_range(pl.len())).alias("id"),
        "premise",
        "hypothesis",
        pl.lit("neutral").alias("label"),
        "trigger",
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "t")
        try:
            card = write_pairs(ChallengeSet(pairs, Card("x", labels=("neutral",))), path, format=name)
        except OutputError:
            assert name in ("csv", "tsv")
            assert list(Path(folder).iterdir()) == []
            return
        back = read_pairs(path)
        assert_frame_equal(back.pairs, pairs)
        assert back.card == card


@given(st.lists(st.integers(0, 40_000), max_size=4))
@settings(max_examples=10, deadline=None)
def test_the_digest_does_not_depend_on_the_cuts(cuts: list[int]) -> None:
    whole = CountingPlan(40_000, []).rows(0, 40_000)
    bounds = [0, *sorted(cuts), 40_000]
    assert compute_digest(whole[a:b] for a, b in pairwise(bounds)) == compute_digest([whole])
    assert compute_digest([whole[1:]]) != compute_digest([whole])


def test_every_format_has_the_same_parts() -> None:
    for name, chosen in FORMATS.items():
        assert chosen.name == name
        assert chosen.table in ("parquet", "jsonl", "csv", "tsv")


@pytest.mark.parametrize("ending", ["parquet", "jsonl", "csv", "tsv"])
@pytest.mark.parametrize("name", ["stress/negation", "stress/spelling", "stress/antonymy"])
def test_edited_pairs_come_back_from_every_format(name: str, ending: str, tmp_path: Path) -> None:
    made = generate(name, limit=40)
    path = tmp_path / f"pairs.{ending}"
    write_pairs(made, path)
    again = read_pairs(path)
    assert again.pairs.equals(made.pairs)
    assert undo_edits(again.pairs).equals(undo_edits(made.pairs))
