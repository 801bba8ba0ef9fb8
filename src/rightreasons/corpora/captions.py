"""Captions of pictures, and the features of the pictures where there are any.

Three forms are read: the annotations of COCO (JSON with `images` and `annotations`), the captions of Flickr30k (lines
`PICTURE#NUMBER<tab>caption`), and pairs whose premise is several captions of one picture, as in MPE. Features are in
an .npz file with `ids` and `features`, or in an .npy file with a row for each of COCO's `images`, in their order.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.corpora.corpus import read_corpus
from rightreasons.corpora.corpus_source import list_corpus_names
from rightreasons.io.inputs import UNPACK_ERRORS, check_unpacked_array_size

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rightreasons.corpora.corpus_source import Names

_ARRAYS = (".npy", ".npz")
_FLICKR = r"^(.+)#\d+\t(.+)$"
_STOP = r"([.!?]) +"


@dataclass(frozen=True)
class CaptionTable:
    """A table of captions (picture, text), and the features of the pictures by name."""

    table: pl.DataFrame
    features: dict[str, NDArray[np.float32]] | None = None


def read_captions(names: Names) -> CaptionTable:
    """Read captions by name; files that end in .npy or .npz have the features of the pictures."""
    files = list_corpus_names(names)
    arrays = [name for name in files if Path(name).suffix in _ARRAYS]
    texts = [name for name in files if name not in arrays]
    if len(texts) != 1 or len(arrays) > 1:
        raise InputError(
            f"Expected one file of captions and at most one of features, not {', '.join(files)}. Pass one of each."
        )
    table, order = _read_caption_file(texts[0])
    captions = table.filter(pl.col("text") != "").unique(maintain_order=True)
    if not arrays:
        return CaptionTable(captions)
    features = _read_picture_features(Path(arrays[0]), order)
    known = captions.filter(pl.col("picture").is_in(list(features)))
    if not known.height:
        raise InputError(
            f"{arrays[0]} has no features for the pictures in {texts[0]}. Use features of the same pictures."
        )
    return CaptionTable(known, features)


def _read_caption_file(name: str) -> tuple[pl.DataFrame, list[str]]:
    """Read captions, and the pictures in the order of COCO's list of them where there is one."""
    path = Path(name)
    if path.suffix == ".json":
        return _read_coco_captions(path)
    if path.is_file() and path.suffix != ".parquet":
        lines = pl.Series(
            "line", path.read_text(encoding="utf-8", errors="replace").splitlines(), dtype=pl.String
        )
        if len(lines) and lines.str.contains(_FLICKR).all():
            text = pl.col("line").str.extract(_FLICKR, 2).str.strip_chars()
            return lines.to_frame().select(picture=pl.col("line").str.extract(_FLICKR, 1), text=text), []
    return _split_premises_into_captions(name), []


def _read_coco_captions(path: Path) -> tuple[pl.DataFrame, list[str]]:
    try:
        annotations = json.loads(path.read_text(encoding="utf-8"))
        rows = [
            (str(entry["image_id"]), str(entry["caption"]).strip()) for entry in annotations["annotations"]
        ]
        order = [str(image["id"]) for image in annotations.get("images", ())]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            f"{path} is not a file of COCO captions ({error!r}). Use annotations with image_id and caption."
        ) from error
    return pl.DataFrame(rows, schema={"picture": pl.String, "text": pl.String}, orient="row"), order


def _split_premises_into_captions(name: str) -> pl.DataFrame:
    """Read the sentences of each distinct premise as captions of one picture."""
    premises = read_corpus(name).pairs.select(picture="premise").unique(maintain_order=True)
    sentences = pl.col("picture").str.strip_chars().str.replace_all(_STOP, "$1\n").str.split("\n")
    table = premises.with_columns(text=sentences).filter(pl.col("text").list.len() > 1).explode("text")
    if not table.height:
        raise InputError(
            f"No premise of {name} has several captions. Use captions from COCO or Flickr30k, or pairs from MPE."
        )
    return table


def _read_picture_features(path: Path, order: list[str]) -> dict[str, NDArray[np.float32]]:
    """Read the features of pictures by name."""
    try:
        if path.suffix == ".npz":
            check_unpacked_array_size(path)
        held = np.load(path, allow_pickle=False)
        if path.suffix == ".npy":
            ids, rows = order, held
        else:
            ids, rows = [str(picture) for picture in held["ids"]], held["features"]
    except (*UNPACK_ERRORS, KeyError, MemoryError) as error:
        raise InputError(
            f"{path} contains no features ({error}). Use an .npz with ids and features, or an .npy."
        ) from error
    if rows.ndim != 2 or len(ids) != len(rows):  # noqa: PLR2004 - pictures and features
        raise InputError(
            f"{path} has an array of shape {rows.shape} for {len(ids):,} pictures. Use one row per picture."
        )
    return dict(zip(ids, rows.astype(np.float32), strict=True))
