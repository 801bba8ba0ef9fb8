"""What `rightreasons train` prints at the end."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

import rightreasons as rr
from command_line import inside, refused

pytest.importorskip("torch")


def _train_and_return_output(folder: Path, monkeypatch: pytest.MonkeyPatch, *more: str) -> str:
    monkeypatch.chdir(folder)
    pairs = rr.read_corpus("pocket").pairs.select("id", "premise", "hypothesis", "label")
    unlabelled = pairs.head(60).with_columns(label=pairs["label"].head(60).scatter([3], "-"))
    unlabelled.write_csv("train.csv")
    pairs.tail(30).write_csv("dev.csv")
    files = ("--train", "train.csv", "--dev", "dev.csv", "--out", "model")
    code, out, err = inside("train", "cbow", *files, "-o", "preset=small", "-o", "epochs=1", *more)
    assert code == 0, err
    return out + err


def test_unlabelled_pairs_and_edits_that_change_the_task_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = _train_and_return_output(tmp_path, monkeypatch, "--edit", "swap", "--edit", "merge")
    assert "train: 1 of 60 pairs" in output
    assert "the edit swap" in output
    assert "the edit merge" not in output, "labels are merged for all test sets"


def test_the_next_command_is_printed_without_notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = _train_and_return_output(tmp_path, monkeypatch)
    assert " evaluate net:model " in output
    assert "edit" not in output


def test_excluded_long_pairs_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert re.search(r"\b2 training pairs .* 50 words", out + err)
    assert "no ids" not in out + err, "ids mean nothing here"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no place that nobody can write to")
def test_an_unwritable_folder_is_refused_before_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    message = refused(inside, "train", "cbow", "--train", "no.csv", "--dev", "no.csv", "--out", "/proc/model")
    assert "/proc:" in message
