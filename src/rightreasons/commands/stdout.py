"""Tables on stdout, batch by batch, so that a pipe can be closed at any time."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars as pl


def put_tables(batches: Iterable[pl.DataFrame], kind: str) -> None:
    """Write batches of one table to stdout as jsonl, csv or tsv."""
    stream: BinaryIO = sys.stdout.buffer
    for number, batch in enumerate(batches):
        # By way of a text: a closed pipe must come up as BrokenPipeError, not as an error of polars.
        _write(stream, _text(batch, kind, header=number == 0).encode())
    stream.flush()


def _write(stream: BinaryIO, data: bytes) -> None:
    """Write all of it: an unbuffered stream may take only a part, without an error, when a pipe is closed."""
    left = memoryview(data)
    while left:
        left = left[stream.write(left) :]


def _text(batch: pl.DataFrame, kind: str, *, header: bool) -> str:
    if kind == "jsonl":
        return batch.write_ndjson()
    if kind == "tsv":
        return batch.write_csv(separator="\t", quote_style="never", include_header=header)
    return batch.write_csv(quote_style="necessary", include_header=header)
