"""The formats of HANS, both ways without loss."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from rightreasons.core.errors import InputError, OutputError
from rightreasons.corpora import get_card_path, list_losses, read_pairs, write_pairs
from rightreasons.corpora.hans_columns import HANS_COLUMNS, HELD
from rightreasons.corpora.pair_files import ROWS_CHANGED

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.core.pairs import ChallengeSet

RELEASED = {
    "heuristics_evaluation_set.txt": "c55b62feef9913070e88f38938dc2492018c945ac81f70139346472494124e79",
    "heuristics_train_set.txt": "49245bd5fdb0b185dcbfbf48f0f16513c62ad5bc9fad0b8800dc48d6818ee5cf",
}
FORMATS = ("parquet", "jsonl", "csv", "tsv", "hans", "hans-jsonl", "hf", "hf-jsonl")


@pytest.mark.parametrize("name", RELEASED)
@pytest.mark.parametrize("between", [None, "parquet", "hans-jsonl", "hf"])
def test_the_released_files_survive(hans_data: Path, tmp_path: Path, name: str, between: str | None) -> None:
    pairs = read_pairs(hans_data / name)
    assert len(pairs) == 30_000
    if between:
        write_pairs(pairs, tmp_path / "between", format=between)
        pairs = read_pairs(tmp_path / "between")
    write_pairs(pairs, tmp_path / "back.txt")
    assert hashlib.sha256((tmp_path / "back.txt").read_bytes()).hexdigest() == RELEASED[name]


def test_binary_parses_are_derived_as_released(hans_data: Path, tmp_path: Path) -> None:
    whole = read_pairs(hans_data / "heuristics_evaluation_set.txt")
    some = whole.pairs[::97]
    bare = replace(whole, pairs=some.drop("premise_binary_parse", "hypothesis_binary_parse"))
    write_pairs(bare, tmp_path / "t.txt")
    assert_frame_equal(read_pairs(tmp_path / "t.txt").pairs, some)


@pytest.mark.parametrize("name", FORMATS)
def test_what_a_format_holds_is_read_back(small_set: ChallengeSet, tmp_path: Path, name: str) -> None:
    card = write_pairs(small_set, tmp_path / "t", format=name)
    back = read_pairs(tmp_path / "t")
    pairs = small_set.pairs if name in FORMATS[:4] else small_set.pairs.select(HELD)
    assert_frame_equal(back.pairs, pairs)
    assert back.card == card
    assert card.rows == 5
    assert card.remarks == ()
    assert_frame_equal(read_pairs(tmp_path / "t", name).pairs, pairs)


def test_hans_text_has_the_columns_in_order(hans_file: Path) -> None:
    header, first, *_ = hans_file.read_text().splitlines()
    assert header.split("\t") == list(HANS_COLUMNS)
    assert first.split("\t")[5] == 'The judge "0", slept .'


def test_hans_json_has_the_keys_in_order(small_set: ChallengeSet, tmp_path: Path) -> None:
    write_pairs(small_set, tmp_path / "t.jsonl", format="hans-jsonl")
    first = json.loads((tmp_path / "t.jsonl").read_text().splitlines()[0])
    assert list(first) == list(HANS_COLUMNS)


def test_the_hub_has_numbers_for_labels_and_keeps_ids_aside(small_set: ChallengeSet, tmp_path: Path) -> None:
    renamed = replace(small_set, pairs=small_set.pairs.with_columns(id=pl.format("mine{}", pl.col("id"))))
    card = write_pairs(renamed, tmp_path / "t.parquet", format="hf")
    table = pl.read_parquet(tmp_path / "t.parquet")
    assert table.columns[:4] == ["premise", "hypothesis", "label", "parse_premise"]
    assert table["label"].to_list() == [0, 1, 0, 1, 0]
    back = read_pairs(tmp_path / "t.parquet")
    assert back.pairs["id"].to_list() == [f"mineex{i}" for i in range(5)]
    assert back.card == card


def test_ids_that_do_not_fit_the_rows_are_not_taken(small_set: ChallengeSet, tmp_path: Path) -> None:
    renamed = replace(small_set, pairs=small_set.pairs.with_columns(id=pl.format("mine{}", pl.col("id"))))
    write_pairs(renamed, tmp_path / "t.parquet", format="hf")
    known = pl.read_parquet_metadata(tmp_path / "t.parquet")
    table = pl.read_parquet(tmp_path / "t.parquet")[:3]
    table.write_parquet(tmp_path / "cut.parquet", metadata={"rightreasons.ids": known["rightreasons.ids"]})
    table.write_parquet(tmp_path / "odd.parquet", metadata={"rightreasons.ids": "no JSON"})
    for name in ("cut.parquet", "odd.parquet"):
        assert read_pairs(tmp_path / name).pairs["id"].to_list() == ["ex0", "ex1", "ex2"]


def test_hub_json_numbers_the_pairs(small_set: ChallengeSet, tmp_path: Path) -> None:
    turned = replace(small_set, pairs=small_set.pairs.reverse())
    assert "ex0" in list_losses(turned, tmp_path / "t", format="hf-jsonl")[-1]
    card = write_pairs(turned, tmp_path / "t", format="hf-jsonl")
    back = read_pairs(tmp_path / "t")
    assert back.pairs["id"].to_list() == [f"ex{i}" for i in range(5)]
    assert back.card == card


@pytest.mark.parametrize("between", ["parquet", "hans-jsonl", "hf"])
def test_a_piece_of_the_released_file_survives(hans_data: Path, tmp_path: Path, between: str) -> None:
    lines = (hans_data / "heuristics_evaluation_set.txt").read_bytes().splitlines(keepends=True)
    piece = b"".join([lines[0], *lines[500:601]])
    (tmp_path / "piece.txt").write_bytes(piece)
    write_pairs(read_pairs(tmp_path / "piece.txt"), tmp_path / "between", format=between)
    write_pairs(read_pairs(tmp_path / "between"), tmp_path / "back.txt")
    assert (tmp_path / "back.txt").read_bytes() == piece


def test_losses_of_a_format_are_listed(small_set: ChallengeSet, tmp_path: Path) -> None:
    for name in FORMATS[:4]:
        assert list_losses(small_set, tmp_path / "t", format=name) == ()
    for name in FORMATS[4:]:
        (loss,) = list_losses(small_set, tmp_path / "t", format=name)
        assert f"format {name} " in loss
        assert loss.endswith(": set, trigger, rank.")
    bare = replace(small_set, pairs=small_set.pairs.select(HELD).reverse())
    assert list_losses(bare, tmp_path / "t.txt") == ()
    assert "metadata" in list_losses(bare, tmp_path / "t", format="hf")[0]


def test_the_hub_names_three_labels_in_its_metadata(small_set: ChallengeSet, tmp_path: Path) -> None:
    labels = pl.Series("label", ["neutral", "contradiction", "entailment", "neutral", "neutral"])
    three = replace(small_set, pairs=small_set.pairs.with_columns(labels))
    write_pairs(three, tmp_path / "t.parquet", format="hf")
    assert pl.read_parquet(tmp_path / "t.parquet")["label"].to_list() == [1, 2, 0, 1, 1]
    assert read_pairs(tmp_path / "t.parquet").pairs["label"].to_list() == labels.to_list()
    with pytest.raises(InputError, match=r"hf-jsonl .*\bhf\b"):
        write_pairs(three, tmp_path / "t.jsonl", format="hf-jsonl")
    mixed = replace(three, pairs=pl.concat([three.pairs, small_set.pairs]))
    with pytest.raises(InputError, match="contradiction, entailment, neutral, non-entailment"):
        write_pairs(mixed, tmp_path / "m.parquet", format="hf")
    assert not (tmp_path / "m.parquet").exists()


def test_a_set_without_parses_or_tags_is_refused(small_set: ChallengeSet, tmp_path: Path) -> None:
    for column, advice in (
        ("premise_parse", "with parses"),
        ("subcase", "parquet or jsonl"),
    ):
        lacking = replace(small_set, pairs=small_set.pairs.drop(column))
        with pytest.raises(InputError, match=f"{column}.*{advice}"):
            write_pairs(lacking, tmp_path / "t.txt")
    holes = small_set.pairs.with_columns(premise_parse=pl.when(pl.col("id") != "ex3").then("premise_parse"))
    with pytest.raises(InputError, match=r"ex3 .* premise_parse"):
        write_pairs(replace(small_set, pairs=holes), tmp_path / "t.txt")
    tabbed = small_set.pairs.with_columns(premise=pl.lit("a\tb"))
    with pytest.raises(OutputError, match="Row 1, column sentence1: 'a"):
        write_pairs(replace(small_set, pairs=tabbed), tmp_path / "t.txt")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("line", "old", "new", "message"),
    [
        (3, "(NN judge)", "(NN judge", "line 3: the tree in premise_parse is malformed"),
        (3, "( ( The judge )", "( ( The judge", "line 3: the tree in premise_binary_parse is malformed"),
        (4, "(VBD slept)", "(VBD)", "line 4: the tree in premise_parse is malformed"),
        (2, "entailment\t", "entailed?\t", "line 2: The word 'entailed?'"),
        (2, "\tex0\t", "\t\t", "line 2: the id is blank"),
        (
            6,
            "\tex4\t",
            "\tex1\t",
            "(FILE, line 3); 1 ids",
        ),
        (5, "\tThe judge slept .\t", "\t \t", "line 5: the hypothesis is blank"),
        (5, "\ttemp37", "", "line 5: the line has 10 fields, but the header has 11"),
        (1, "pairID", "pairid?", "line 1: the header has no pairID"),
    ],
)
def test_bad_lines_are_refused(hans_file: Path, line: int, old: str, new: str, message: str) -> None:
    lines = hans_file.read_text().splitlines()
    assert old in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new, 1)
    hans_file.write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError) as caught:
        read_pairs(hans_file, "hans")
    assert message.replace("FILE", str(hans_file)) in str(caught.value)


def test_a_file_without_a_header_is_refused(hans_file: Path) -> None:
    lines = hans_file.read_text().splitlines()
    hans_file.write_text(
        "\n".join([lines[1].replace("( The", "( A", 1).replace("(DT The", "(DT A", 1), *lines[2:]])
    )
    with pytest.raises(InputError, match=r"hans\.txt, line 1: .* premise and hypothesis"):
        read_pairs(hans_file)


def test_a_changed_file_is_remarked(hans_file: Path) -> None:
    assert read_pairs(hans_file).card.remarks == ()
    hans_file.write_text(hans_file.read_text().replace("The judge slept .", "The judge left ."))
    assert read_pairs(hans_file).card.remarks == (ROWS_CHANGED,)
    get_card_path(hans_file).write_text("no card")
    with pytest.raises(InputError, match=r"hans\.txt\.card\.json .*card \("):
        read_pairs(hans_file)
