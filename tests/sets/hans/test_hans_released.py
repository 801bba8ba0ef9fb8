from __future__ import annotations

import hashlib
import json
import lzma
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import rightreasons as rr
from rightreasons.cli import main
from rightreasons.core.errors import InputError
from rightreasons.corpora.hans_columns import HANS_COLUMNS
from rightreasons.sets.hans import released_ranks as released
from rightreasons.sets.hans.hans import load_hans_grammar
from rightreasons.templates.recognise import Recogniser

if TYPE_CHECKING:
    from pathlib import Path

SPLITS = ("eval", "train")
FILES = {"eval": "heuristics_evaluation_set.txt", "train": "heuristics_train_set.txt"}
BYTES = {"eval": 15_462_062, "train": 15_485_296}
SHA256 = {
    "eval": "c55b62feef9913070e88f38938dc2492018c945ac81f70139346472494124e79",
    "train": "49245bd5fdb0b185dcbfbf48f0f16513c62ad5bc9fad0b8800dc48d6818ee5cf",
}


@pytest.fixture(scope="module")
def rebuilt() -> dict[str, pl.DataFrame]:
    plans = {split: rr.plan("hans-released", split=split, parses="binary") for split in SPLITS}
    return {split: plan.rows(0, len(plan)) for split, plan in plans.items()}


@pytest.fixture(scope="module")
def real(hans_data: Path) -> dict[str, pl.DataFrame]:
    tables = {
        split: pl.read_csv(hans_data / name, separator="\t", quote_char=None, infer_schema=False)
        for split, name in FILES.items()
    }
    return {split: table.rename(HANS_COLUMNS) for split, table in tables.items()}


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("split", SPLITS)
def test_the_library_rebuilds_the_released_file_byte_for_byte(split: str, tmp_path: Path) -> None:
    path = tmp_path / FILES[split]
    rr.write_pairs(rr.plan("hans-released", split=split, parses="binary"), path, format="hans")
    assert path.stat().st_size == BYTES[split]
    assert sha256(path) == SHA256[split]


@pytest.mark.parametrize("split", SPLITS)
def test_the_command_rebuilds_the_released_file_byte_for_byte(split: str, tmp_path: Path) -> None:
    path = tmp_path / FILES[split]
    words = ["generate", "hans-released", "--split", split, "--format", "hans", "--out", str(path)]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert sha256(path) == SHA256[split]


def test_the_numbers_are_few_and_hold_no_text() -> None:
    shipped = released.FILE.read_bytes()
    assert len(shipped) <= 200_000
    first, _, body = shipped.partition(b"\n")
    head = json.loads(first)
    assert set(head) == {"set", "version", "variants", "widths", "splits"}
    assert head["variants"] == [variant.name for variant in load_hans_grammar("faithful").variants]
    assert all(isinstance(width, int) for width in head["widths"])
    words = {text for entry in load_hans_grammar("faithful").document.words.values() for text in entry.texts}
    long = [word for word in words if len(word) >= 5]  # shorter ones turn up in any noise
    assert len(long) > 100
    assert not [word for word in long if word.encode() in body]


def test_the_body_is_one_number_and_one_rank_a_pair() -> None:
    first, _, body = released.FILE.read_bytes().partition(b"\n")
    head, start = json.loads(first), 0
    for split in SPLITS:
        section = head["splits"][split]
        numbers = lzma.decompress(body[start : start + section["ids"]])
        bits = sum(np.array(head["widths"])[list(numbers)])
        assert len(numbers) == section["rows"] == 30_000
        assert section["ranks"] == -(-int(bits) // 8)
        start += section["ids"] + section["ranks"]
    assert start == len(body)


@pytest.mark.parametrize("split", SPLITS)
def test_every_rank_lies_in_a_sub_variant_that_faithful_uses(split: str) -> None:
    names, numbers, ranks = released.load_ranks(split)
    variants = load_hans_grammar("faithful").variants
    assert names == tuple(variant.name for variant in variants)
    assert (ranks >= 0).all()
    assert (ranks < np.array([variant.space.count for variant in variants])[numbers]).all()
    assert all(variants[number].source.weight > 0 for number in set(numbers.tolist()))


@pytest.mark.parametrize("split", SPLITS)
def test_every_column_equals_the_real_file_letter_by_letter(
    split: str, real: dict[str, pl.DataFrame], rebuilt: dict[str, pl.DataFrame]
) -> None:
    assert real[split].height == 30_000
    for column in HANS_COLUMNS.values():
        assert rebuilt[split][column].equals(real[split][column]), column


@pytest.mark.parametrize("split", SPLITS)
def test_every_real_pair_is_recognised_by_exactly_one_sub_variant(
    split: str, real: dict[str, pl.DataFrame], rebuilt: dict[str, pl.DataFrame]
) -> None:
    found = Recogniser(load_hans_grammar("faithful"), "faithful").matches(real[split])
    assert found["row"].to_list() == list(range(30_000))
    for column in ("subcase", "template"):
        assert found[column].equals(real[split][column]), column
    for column in ("subvariant", "trigger", "rank"):
        assert found[column].equals(rebuilt[split][column]), column
    labels = {variant.name: variant.label for variant in load_hans_grammar("faithful").variants}
    assert found["subvariant"].replace_strict(labels).equals(real[split]["label"])


@pytest.mark.parametrize("split", SPLITS)
def test_the_public_verb_recognises_every_released_pair(split: str, rebuilt: dict[str, pl.DataFrame]) -> None:
    found = rr.recognise(rebuilt[split])
    assert found["template"].equals(rebuilt[split]["template"])
    assert found["subcase"].equals(rebuilt[split]["subcase"])
    assert found.null_count()["rank"].item() == 0


def test_known_rows_and_shape(rebuilt: dict[str, pl.DataFrame]) -> None:
    rows = rebuilt["eval"]
    assert rows["id"].to_list() == [f"ex{row}" for row in range(30_000)]
    texts = rows.select("premise", "hypothesis", "template")
    assert texts.row(0) == (
        "The president advised the doctor .",
        "The doctor advised the president .",
        "temp1",
    )
    assert texts.row(397) == ("The lawyer helped the artist .", "The artist helped the lawyer .", "temp1")
    assert rows["label"].value_counts()["count"].to_list() == [15_000, 15_000]
    assert rows["template"].n_unique() == 60
    assert rows["premise"].n_unique() == 29_913
    assert rows["hypothesis"].n_unique() == 14_720


def test_the_known_defects_are_all_there(rebuilt: dict[str, pl.DataFrame]) -> None:
    plural = pl.any_horizontal(
        pl.col("premise_parse", "hypothesis_parse").str.contains(r"\(NN (secretaries|\w+[^s]s)\)")
    )
    counts = {"eval": (100, 13, 6_534), "train": (85, 16, 6_622)}
    for split, (doubled, ice_cream, wrong_tags) in counts.items():
        rows = rebuilt[split]
        assert rows["hypothesis"].str.contains("the the", literal=True).sum() == doubled
        assert rows["premise_parse"].str.contains("(NN ice cream)", literal=True).sum() == ice_cream
        assert rows.select(plural.sum()).item() == wrong_tags
    before = rebuilt["eval"].filter(subcase="ce_embedded_under_since", trigger="before")
    assert before.height == 124


def test_natural_text_differs_in_spaces_alone(rebuilt: dict[str, pl.DataFrame]) -> None:
    natural = rr.plan("hans-released", text="natural", parses="none").rows(0, 30_000)
    for side in ("premise", "hypothesis"):
        glued = rebuilt["eval"][side].str.replace_all(r" ([.,])", "${1}")
        assert natural[side].equals(glued)


def test_size_takes_the_first_pairs_of_each_subcase(rebuilt: dict[str, pl.DataFrame]) -> None:
    few = rr.generate("hans-released", size=7, parses="binary").pairs
    whole = rebuilt["eval"].group_by("subcase", maintain_order=True).head(7)
    assert few.equals(whole.select(few.columns))


@pytest.mark.parametrize("limit", [1, 7, 31, 4_000, 30_000])
def test_limit_keeps_subcases_and_labels_level(limit: int, rebuilt: dict[str, pl.DataFrame]) -> None:
    few = rr.generate("hans-released", limit=limit, parses="none").pairs
    assert few.height == limit
    assert few.join(rebuilt["eval"], on=["id", "premise", "hypothesis", "label"], how="semi").height == limit
    sizes = [few.filter(subcase=name).height for name in rebuilt["eval"]["subcase"].unique()]
    assert max(sizes) - min(sizes) <= 1
    entailed = (few["label"] == "entailment").sum()
    assert abs(2 * entailed - limit) <= 1


@pytest.mark.parametrize("asked", [{"size": 1_001}, {"size": 0}, {"limit": 30_001}, {"split": "test"}])
def test_what_the_files_do_not_have_is_refused(asked: dict[str, int]) -> None:
    with pytest.raises(InputError):
        rr.plan("hans-released", **asked)


def test_any_range_equals_the_same_rows_of_the_whole(rebuilt: dict[str, pl.DataFrame]) -> None:
    plan = rr.plan("hans-released", split="train", parses="binary")
    for start, stop in ((0, 1), (999, 1_001), (12_345, 13_456), (29_990, 31_000), (5, 5)):
        assert plan.rows(start, stop).equals(rebuilt["train"][start:stop])
