"""Write a table batch by batch, so that memory stays the same however many rows there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.errors import OutputError, UnknownNameError
from rightreasons.io.polars_io import sink_parquet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from polars._typing import SchemaDict

BATCH_ROWS = 131_072
FORMATS = ("parquet", "jsonl", "csv", "tsv")
SEPARATORS = {"csv": ",", "tsv": "\t"}


def stream_table(
    batches: pl.DataFrame | Iterable[pl.DataFrame],
    path: Path,
    format: str,  # noqa: A002 - as above
    schema: SchemaDict | None = None,
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write batches to a path as they come, never holding more than a few of them."""
    if format not in FORMATS:
        raise UnknownNameError("table format", format, FORMATS)
    if isinstance(batches, pl.DataFrame):
        schema, batches = dict(batches.schema), [batches]
    if schema is None:
        raise OutputError("A stream of batches needs a schema. Pass the names and types of its columns.")
    fitted = (batch.select(pl.col(name).cast(schema[name]) for name in schema) for batch in batches)
    if format == "parquet":
        _stream_parquet(fitted, path, schema, dict(metadata or {}))
    elif format == "jsonl":
        _stream_jsonl(fitted, path)
    else:
        _stream_csv_or_tsv(fitted, path, format, schema)


def _stream_parquet(
    batches: Iterator[pl.DataFrame], path: Path, schema: SchemaDict, metadata: dict[str, str]
) -> None:
    from polars.io.plugins import register_io_source

    def source(columns: list[str] | None, *_: object) -> Iterator[pl.DataFrame]:
        for batch in batches:
            yield batch if columns is None else batch.select(columns)

    frame = register_io_source(source, schema=schema)
    sink_parquet(frame, path, row_group_size=BATCH_ROWS, metadata=metadata)


def _stream_jsonl(batches: Iterator[pl.DataFrame], path: Path) -> None:
    with path.open("wb") as file:
        for batch in batches:
            batch.write_ndjson(file)


def _stream_csv_or_tsv(
    batches: Iterator[pl.DataFrame],
    path: Path,
    format: str,  # noqa: A002 - as above
    schema: SchemaDict,
) -> None:
    options: dict[str, Any] = {"separator": SEPARATORS[format]}
    options["quote_style"] = "necessary" if format == "csv" else "never"
    forbidden = "\0" if format == "csv" else "\0\t\n\r"
    start = 0
    with path.open("wb") as file:
        _refuse_unstorable_values(pl.DataFrame(schema=schema), forbidden, format, 0)
        pl.DataFrame(schema=schema).write_csv(file, **options)
        for batch in batches:
            _refuse_unstorable_values(batch, forbidden, format, start)
            batch.write_csv(file, include_header=False, **options)
            start += batch.height


def _refuse_unstorable_values(batch: pl.DataFrame, forbidden: str, format: str, start: int) -> None:  # noqa: A002 - as above
    """Refuse what the format can't store, before it is written."""
    for name, kind in batch.schema.items():
        if kind.is_nested():
            raise OutputError(
                f"Column {name} contains lists, which {format} can't store. Use parquet or jsonl."
            )
        if kind != pl.String:
            continue
        bad = batch[name].str.contains(f"[{forbidden}]").arg_true()
        if len(bad):
            where = f"Row {start + bad[0] + 1}, column {name}"
            raise OutputError(
                f"{where}: {batch[name][bad[0]]!r} contains a character that {format} can't store. "
                "Use parquet or jsonl; csv can store tabs and line breaks."
            )
