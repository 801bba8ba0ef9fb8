"""Sets for the datasets library and the hub: one parquet per set and split, and a dataset card."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.exports import dataset_card
from rightreasons.exports.questions import label_order
from rightreasons.exports.source import split_of
from rightreasons.io.table_writer import stream_table

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.exports.source import ExportSet, ExportSource

_TYPES = {pl.String: "string", pl.Boolean: "bool", pl.Float64: "float64", pl.Float32: "float32"}
_TYPES |= {pl.Int64: "int64", pl.Int32: "int32", pl.Int16: "int16", pl.Int8: "int8"}
_TYPES |= {pl.UInt64: "uint64", pl.UInt32: "uint32", pl.UInt16: "uint16", pl.UInt8: "uint8"}


def write(source: ExportSource, folder: Path | None) -> list[str]:
    """Write a parquet file for each set, and the card over all of them; return what was left out."""
    if folder is None:
        raise InputError("The target 'hf' needs a folder to write. Name one.")
    parts = [_write_set(one, folder) for one in source.sets]
    (folder / "README.md").write_text(dataset_card.page(parts, source), encoding="utf-8")
    return [remark for part in parts for remark in part.remarks]


def _write_set(one: ExportSet, folder: Path) -> dataset_card.WrittenSet:
    made = one.load()
    names = label_order(one.name, made)
    held = [name for name, kind in made.pairs.schema.items() if _dtype(kind)]
    left_out = [name for name in made.pairs.columns if name not in held]
    numbers = pl.col("label").replace_strict(names, range(len(names)), return_dtype=pl.Int64)
    table = made.pairs.select(held).with_columns(numbers)
    split = split_of(made.card)
    path = folder / one.slug / f"{split}.parquet"
    path.parent.mkdir()
    kinds = {name: _dtype(kind) for name, kind in table.schema.items()}
    stream_table(table, path, "parquet", metadata=_metadata(kinds, names))
    remarks = [f"Columns of {one.name} left out because of their type: {', '.join(left_out)}."]
    return dataset_card.WrittenSet(
        one, made.card, split, names, kinds, path.stat().st_size, tuple(remarks if left_out else ())
    )


def _dtype(kind: pl.DataType) -> str:
    """Name a type as the datasets library does; nothing for those that it would need a scheme for."""
    return _TYPES.get(kind.base_type(), "")


def _metadata(kinds: dict[str, str], names: tuple[str, ...]) -> dict[str, str]:
    """Say in the file, too, which number is which label: our own reader looks there, the library at the card."""
    features: dict[str, Any] = {name: {"dtype": kind, "_type": "Value"} for name, kind in kinds.items()}
    features["label"] = {"names": list(names), "_type": "ClassLabel"}
    return {"huggingface": json.dumps({"info": {"features": features}})}
