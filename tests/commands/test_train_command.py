"""What `rightreasons train` says when it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import rightreasons as rr
from command_line import inside

if TYPE_CHECKING:
    from pathlib import Path

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
    assert "trained with the edit swap: it means little for pairs that are not edited alike" in told
    assert "the edit merge" not in told, "labels are merged for whoever asks"


def test_the_way_to_ask_is_told_and_nothing_else_where_nothing_is_odd(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = said(tmp_path, monkeypatch)
    assert "Ask it with: rightreasons evaluate net:model --out RUN" in told
    assert "edit" not in told
