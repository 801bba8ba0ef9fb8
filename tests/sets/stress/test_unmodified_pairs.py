"""The pairs of a corpus as they are, beside the sets that are made from them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import rightreasons as rr
from rightreasons.core.errors import InputError, TooFewPairsError
from rightreasons.corpora import read_corpus
from rightreasons.sets.stress.unmodified_pairs import Source

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl


def made(limit: int | None = None, seed: int = 0, **options: object) -> pl.DataFrame:
    plan = Source(**options).plan(size=None, limit=limit, seed=seed, split="eval")  # type: ignore[arg-type]
    return plan.rows(0, len(plan))


def test_pairs_are_those_of_the_corpus() -> None:
    columns = ["id", "premise", "hypothesis", "label"]
    assert made().select(columns).equals(read_corpus("pocket").pairs.select(columns))


def test_tags_are_those_of_the_sets_made_from_it() -> None:
    pairs = made()
    assert tuple(pairs.columns[4:]) == Source.tags
    assert pairs["source_id"].equals(pairs["id"], check_names=False)
    assert pairs["source_label"].equals(pairs["label"], check_names=False)
    assert pairs["set"].unique().to_list() == ["stress/source"]


@pytest.mark.parametrize(
    "name", ["stress/word-overlap", "stress/negation", "stress/length-mismatch", "stress/spelling"]
)
def test_every_changed_pair_has_its_source_here(name: str) -> None:
    changed = rr.generate(name).pairs.select("source_id", "label")
    both = changed.join(made().select("id", was="label"), left_on="source_id", right_on="id")
    assert both.height == changed.height
    assert (both["label"] == both["was"]).all()


def test_a_limit_is_level_over_labels_and_goes_by_the_seed() -> None:
    first, again, other = made(30, 1), made(30, 1), made(30, 2)
    assert first.equals(again)
    assert not first.equals(other)
    assert first["label"].value_counts()["count"].to_list() == [10, 10, 10]


def test_more_than_there_is_and_training_are_refused() -> None:
    with pytest.raises(TooFewPairsError, match="short=allow"):
        made(100_000)
    assert made(100_000, short="allow").height == made().height
    with pytest.raises(InputError, match="--corpus"):
        Source().plan(size=None, limit=None, seed=0, split="train")


def test_a_corpus_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    row = {"id": "one", "premise": "A dog runs.", "hypothesis": "It rains.", "label": "neutral"}
    file.write_text(json.dumps(row) + "\n", encoding="utf-8")
    pairs = made(corpus=(str(file),))
    assert pairs["id"].to_list() == ["one"]
    assert pairs["genre"].to_list() == [None]
