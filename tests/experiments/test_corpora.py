"""Training pairs and the slice held out of them; corpora by role."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rightreasons as rr
from rightreasons.experiments.corpora import ROLES, ExperimentCorpora, hold_out_premises, write_training_files

if TYPE_CHECKING:
    from pathlib import Path

ROWS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 99)), min_size=8, max_size=60, unique=True)


def table(rows: list[tuple[int, int]]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "id": [f"{one}-{two}" for one, two in rows],
            "premise": [f"premise {one}" for one, _ in rows],
            "hypothesis": [f"hypothesis {two}" for _, two in rows],
            "label": ["neutral" for _ in rows],
        }
    )


@given(ROWS, st.integers(1, 10), st.randoms(use_true_random=False))
def test_no_premise_is_on_both_sides_whatever_the_order(
    rows: list[tuple[int, int]], dev: int, chance: object
) -> None:
    pairs = table(rows)
    train, held_out = hold_out_premises(pairs, dev)
    assert train.height + held_out.height == pairs.height
    assert not set(train["premise"]) & set(held_out["premise"])
    chance.shuffle(rows)  # type: ignore[attr-defined]
    assert set(hold_out_premises(table(rows), dev)[1]["id"]) == set(held_out["id"])


def test_training_pairs_are_sampled_and_kept(tmp_path: Path) -> None:
    corpora = ExperimentCorpora({"mnli-train": ["pocket"]})
    small = write_training_files(tmp_path, corpora, "mnli-train", size=100, dev=40)
    larger = write_training_files(tmp_path, corpora, "mnli-train", size=200, dev=40)
    assert (small.facts["train"], small.facts["pairs"]) == (100, 510)
    train, dev = pl.read_parquet(small.train), pl.read_parquet(small.dev)
    assert 40 <= dev.height < 50
    assert not set(train["premise"]) & set(dev["premise"])
    assert pl.read_parquet(larger.dev).equals(dev)
    before = small.train.stat().st_mtime_ns
    assert write_training_files(tmp_path, corpora, "mnli-train", size=100, dev=40) == small
    assert small.train.stat().st_mtime_ns == before


def test_models_that_read_trees_need_parses(tmp_path: Path) -> None:
    with pytest.raises(rr.InputError, match=r"parses.*SPINN"):
        write_training_files(
            tmp_path,
            ExperimentCorpora({"parsed-train": ["pocket"]}),
            "parsed-train",
            size=100,
            dev=40,
            parses=True,
        )
    whole = rr.generate("hans", limit=90, split="train").pairs
    whole[:60].write_parquet(tmp_path / "parsed.parquet")
    one = ExperimentCorpora({"parsed-train": [str(tmp_path / "parsed.parquet")]})
    parsed = write_training_files(tmp_path, one, "parsed-train", size=None, dev=12, parses=True)
    assert "premise_parse" in pl.read_parquet(parsed.train).columns
    plain = write_training_files(tmp_path, one, "parsed-train", size=None, dev=12)
    assert "premise_parse" not in pl.read_parquet(plain.train).columns


def test_one_error_lists_all_missing_corpora(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RIGHTREASONS_CACHE", str(tmp_path))
    with pytest.raises(rr.InputError) as error:
        ExperimentCorpora({"snli-test": ["pocket"]}).refuse_missing(
            ["mnli-train", "snli-test", "sick-train", "sick-test", "words"]
        )
    text = str(error.value)
    assert re.findall(r"([\w-]+) \(", text) == ["mnli-train", "sick", "words"]
    assert re.findall(r"--corpus ([\w-]+)=FILE", text) == ["mnli-train", "sick", "words"]
    assert re.findall(r"rightreasons fetch (\w+)", text) == ["multinli", "sick"]
    assert "snli" not in text


def test_unknown_and_partial_roles_are_refused() -> None:
    with pytest.raises(rr.InputError, match=r"'mnli-trian'.*mnli-train"):
        ExperimentCorpora({"mnli-trian": ["pocket"]})
    with pytest.raises(rr.InputError, match=r"'sick-test'.*'sick'"):
        ExperimentCorpora({"sick-test": ["pocket"]})


def test_a_part_of_a_file_plays_its_role(shared_data: Path) -> None:
    corpora = ExperimentCorpora({"sick": [str(shared_data / "sick" / "SICK_annotated.txt")]})
    assert corpora.read_pairs("sick-train").pairs.height == 4_439
    assert corpora.read_pairs("sick-test").pairs.height == 4_906
    with pytest.raises(rr.InputError, match=r"pocket.*SemEval_set"):
        ExperimentCorpora({"sick": ["pocket"]}).read_pairs("sick-train")


@pytest.mark.parametrize("name", ROLES)
def test_every_role_is_a_corpus_that_can_be_given_or_fetched(name: str) -> None:
    from rightreasons.io.archives import list_archive_corpora

    one = ROLES[name]
    assert one.part_of in ("", *ROLES)
    assert one.fetched in ("", *list_archive_corpora())
    assert not (one.part_of and one.fetched)


def test_a_mixture_has_equal_parts_of_its_roles(tmp_path: Path, tiny_corpora: dict[str, list[str]]) -> None:
    corpora = ExperimentCorpora(tiny_corpora)
    mixed = write_training_files(tmp_path, corpora, "mnli-train+sick-train", size=61, dev=40)
    alone = write_training_files(tmp_path, corpora, "mnli-train", size=31, dev=20)
    train, dev = pl.read_parquet(mixed.train), pl.read_parquet(mixed.dev)
    role = pl.col("id").str.split(":").list.first()
    assert dict(train.group_by(role).len().iter_rows()) == {"mnli-train": 31, "sick-train": 30}
    own = train.filter(role == "mnli-train").with_columns(pl.col("id").str.strip_prefix("mnli-train:"))
    assert own.select("id", "premise", "hypothesis", "label").equals(
        pl.read_parquet(alone.train).select("id", "premise", "hypothesis", "label")
    )
    assert (mixed.facts["train"], mixed.facts["dev"]) == (61, dev.height)
    assert mixed == write_training_files(tmp_path, corpora, "mnli-train+sick-train", size=61, dev=40)
    assert mixed.key != write_training_files(tmp_path, corpora, "sick-train+mnli-train", size=61, dev=40).key
