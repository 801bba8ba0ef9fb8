"""What `rightreasons train` says when it is done."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import rightreasons as rr
from command_line import inside, refused

pytest.importorskip("torch")


def said(folder: Path, monkeypatch: pytest.MonkeyPatch, *more: str) -> str:
    monkeypatch.chdir(folder)
    pairs = rr.read_corpus("pocket").pairs.select("id", "premise", "hypothesis", "label")
    unlabelled = pairs.head(60).with_columns(label=pairs["label"].head(60).scatter([3], "-"))
    unlabelled.write_csv("train.csv")
    pairs.tail(30).write_csv("dev.csv")
    files = ("--train", "train.csv", "--dev", "dev.csv", "--out", "model")
    code, out, err = inside("train", "cbow", *files, "-o", "preset=small", "-o", "epochs=1", *more)
    assert code == 0, err
    return out + err


def test_pairs_without_a_label_and_edits_that_change_the_question_are_spoken_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = said(tmp_path, monkeypatch, "--edit", "swap", "--edit", "merge")
    assert "train: 1 of 60 pairs have no gold label" in told
    assert "trained with the edit swap" in told
    assert "the edit merge" not in told, "labels are merged for whoever asks"


def test_the_way_to_ask_is_told_and_nothing_else_where_nothing_is_odd(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = said(tmp_path, monkeypatch)
    assert "rightreasons evaluate net:model --out RUN" in told
    assert "edit" not in told


def test_pairs_that_are_too_long_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pairs = rr.read_corpus("pocket").pairs.select("premise", "hypothesis", "label")
    longer = pl.when(pl.int_range(pl.len()) < 2).then(pl.lit("a " * 60)).otherwise("premise").alias("premise")
    pairs.head(60).with_columns(longer).write_csv("train.csv")
    pairs.tail(30).write_csv("dev.csv")
    code, out, err = inside(
        *("train", "spinn", "--train", "train.csv", "--dev", "dev.csv", "--out", "model"),
        *("--parser", "balanced", "-o", "preset=small", "-o", "epochs=0.2"),
    )
    assert code == 0, err
    assert "2 training pairs were left out: a sentence has more than 50 words." in out + err
    assert "no ids" not in out + err, "ids mean nothing here"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no place that nobody can write to")
def test_a_place_that_cant_be_written_is_found_before_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told = refused(inside, "train", "cbow", "--train", "no.csv", "--dev", "no.csv", "--out", "/proc/model")
    assert "/proc:" in told
