"""A file of predictions as a model."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import polars as pl
import pytest

from rightreasons.core.errors import InputError
from rightreasons.models.prediction_file import File

if TYPE_CHECKING:
    from pathlib import Path

CONTENT = "pairID,gold_label\nex0,entailment\nex1,neutral\nex2,contradiction\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "answers.txt"
    file.write_text(CONTENT)
    return file


def test_a_file_answers_by_id_whatever_the_order_and_the_batches(path: Path) -> None:
    model = File(path)
    assert model.predict(pl.DataFrame({"id": ["ex2", "ex0"]})).rows() == [
        ("ex2", "contradiction"),
        ("ex0", "entailment"),
    ]
    assert model.predict(pl.DataFrame({"id": ["ex1"]}))["label"].to_list() == ["neutral"]
    assert model.name == f"file:{path}"
    assert model.needs == ()


def test_a_missing_or_repeated_id_is_refused(path: Path) -> None:
    with pytest.raises(InputError, match=r"answers\.txt, line 4: .* 1 of 2 ids.*'ex9'"):
        File(path).predict(pl.DataFrame({"id": ["ex0", "ex9"]}))
    path.write_text(CONTENT + "ex0,neutral\n")
    with pytest.raises(InputError, match=r"answers\.txt, line 5: .*'ex0'"):
        File(path).predict(pl.DataFrame({"id": ["ex1"]}))


def test_ids_that_nobody_asks_for_are_refused_or_left(path: Path) -> None:
    File(path).refuse_others(pl.Series(["ex2", "ex1", "ex0", "ex9"]))
    with pytest.raises(InputError, match=r"answers\.txt, line 3: .*'ex1' .*2 rows"):
        File(path).refuse_others(pl.Series(["ex0"]))
    File(path, others="leave").refuse_others(pl.Series(["ex0"]))


def test_the_file_is_known_by_its_hash_once_it_is_read(path: Path) -> None:
    model = File(path)
    assert model.sources == {}
    model.predict(pl.DataFrame({"id": ["ex1"]}))
    assert model.sources == {"answers.txt": hashlib.sha256(CONTENT.encode()).hexdigest()}


def test_the_file_is_read_only_when_asked(tmp_path: Path) -> None:
    model = File(tmp_path / "nowhere")
    with pytest.raises(InputError, match="nowhere"):
        model.predict(pl.DataFrame({"id": ["ex0"]}))


def test_a_file_may_hold_answers_without_a_label(path: Path) -> None:
    path.write_text("id,label,text\nex0,unreadable,well\nex1,refused,\nex2,entailment,Yes\n")
    given = File(path).predict(pl.DataFrame({"id": ["ex2", "ex1", "ex0"]}))
    assert given["label"].to_list() == ["entailment", "refused", "unreadable"]
    assert given["text"].to_list()[::2] == ["Yes", "well"]
