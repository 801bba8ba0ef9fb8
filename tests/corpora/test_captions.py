"""Captions: COCO's with features, Flickr30k's, and pairs whose premise is several of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from rightreasons.core.errors import InputError
from rightreasons.corpora.captions import read_captions

if TYPE_CHECKING:
    from pathlib import Path

COCO = {
    "info": {"year": 2014},
    "images": [{"id": 9, "file_name": "COCO_9.jpg"}, {"id": 4, "file_name": "COCO_4.jpg"}],
    "annotations": [
        {"image_id": 4, "id": 1, "caption": "A dog runs. "},
        {"image_id": 9, "id": 2, "caption": "Two men eat."},
        {"image_id": 4, "id": 3, "caption": "A brown dog."},
    ],
}


@pytest.fixture
def coco(tmp_path: Path) -> str:
    (tmp_path / "captions_train2014.json").write_text(json.dumps(COCO), encoding="utf-8")
    return str(tmp_path / "captions_train2014.json")


def test_annotations_of_coco(coco: str) -> None:
    found = read_captions(coco)
    assert found.table.rows() == [("4", "A dog runs."), ("9", "Two men eat."), ("4", "A brown dog.")]
    assert found.features is None


def test_features_by_id_and_by_the_order_of_images(coco: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "by_id.npz", ids=np.array([4, 7]), features=np.array([[1.0, 2.0], [0.0, 0.0]]))
    found = read_captions([coco, str(tmp_path / "by_id.npz")])
    assert found.table["text"].to_list() == ["A dog runs.", "A brown dog."], "picture 9 has no features"
    assert found.features is not None
    assert found.features["4"].tolist() == [1.0, 2.0]
    np.save(tmp_path / "in_order.npy", np.array([[9.0], [4.0]]))
    in_order = read_captions([coco, str(tmp_path / "in_order.npy")]).features
    assert in_order is not None
    assert {name: one.tolist() for name, one in in_order.items()} == {"9": [9.0], "4": [4.0]}


def test_captions_of_flickr(tmp_path: Path) -> None:
    file = tmp_path / "results.token"
    file.write_text("12.jpg#0\tA girl sings .\n12.jpg#1\tA child .\n7.jpg#0\tA car .\n", encoding="utf-8")
    assert read_captions(str(file)).table.rows() == [
        ("12.jpg", "A girl sings ."),
        ("12.jpg", "A child ."),
        ("7.jpg", "A car ."),
    ]


def mpe(path: Path, premises: list[str]) -> str:
    table = pl.DataFrame({"id": [str(row) for row in range(len(premises))], "premise": premises})
    table.with_columns(hypothesis=pl.lit("A man."), label=pl.lit("neutral")).write_parquet(path)
    return str(path)


def test_sentences_of_a_premise_are_captions_of_one_picture(tmp_path: Path) -> None:
    several = "A boy eats. A child with a spoon! A toddler."
    table = read_captions(
        mpe(tmp_path / "mpe.parquet", [several, several, "A car. A red car.", "Alone."])
    ).table
    assert table["text"].to_list() == [
        "A boy eats.",
        "A child with a spoon!",
        "A toddler.",
        "A car.",
        "A red car.",
    ]
    assert table["picture"].n_unique() == 2


def test_files_without_captions_or_features_are_refused(coco: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="several captions"):
        read_captions(mpe(tmp_path / "plain.parquet", ["Alone.", "Alone again."]))
    (tmp_path / "other.json").write_text('{"annotations": [{"caption": "A dog."}]}', encoding="utf-8")
    with pytest.raises(InputError, match="image_id"):
        read_captions(str(tmp_path / "other.json"))
    np.save(tmp_path / "three.npy", np.zeros((3, 2)))
    with pytest.raises(InputError, match=r"\(3, 2\) .*\b2 pictures"):
        read_captions([coco, str(tmp_path / "three.npy")])
    np.savez(tmp_path / "others.npz", ids=np.array([1]), features=np.zeros((1, 2)))
    with pytest.raises(InputError, match=r"others\.npz "):
        read_captions([coco, str(tmp_path / "others.npz")])
    np.savez(tmp_path / "unnamed.npz", np.zeros((1, 2)))
    with pytest.raises(InputError, match=r"unnamed\.npz .*\.npy"):
        read_captions([coco, str(tmp_path / "unnamed.npz")])
    with pytest.raises(InputError, match=r"three\.npy"):
        read_captions([str(tmp_path / "three.npy")])
