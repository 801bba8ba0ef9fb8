"""Tell a file of texts from a file of pairs, and read it as a table: any table, a JSON list, or lines of text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core import text_errors as lines
from rightreasons.core.column_checks import check_names
from rightreasons.core.errors import InputError
from rightreasons.corpora import formats
from rightreasons.corpora.generic import ID_NAMES, LABEL_NAMES, TEXT_NAMES
from rightreasons.corpora.problems import text_reader
from rightreasons.io.tables import collected

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.corpora.sources import CorpusSource

TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet")
USUAL = {*LABEL_NAMES, *ID_NAMES, *(name for pair in TEXT_NAMES for name in pair)}
_BOM = b"\xef\xbb\xbf"
_LONGEST = 200  # characters of a cause in a message


def text_table(source: CorpusSource) -> pl.DataFrame | None:
    """Give a table whose columns a reader of texts knows, or None where the source holds pairs."""
    plain = None if source.on_hub else _without_header(source.path)
    if plain is not None:
        return plain
    table = source.table()
    columns = list(table.collect_schema())
    if formats.by_columns(columns).fits(columns):
        return None
    if text_reader(columns) is None:
        _refuse(str(source.path), columns)
    return collected(table, source.path)


def _refuse(name: str, columns: list[str]) -> None:
    raise InputError(
        f"{name} has neither texts nor pairs in its columns {', '.join(columns[:12])}. "
        "Name a column text, or two of them premise and hypothesis beside a label."
    )


def _without_header(path: Path) -> pl.DataFrame | None:
    """Read a JSON list, or a text of which every line is one; None where it is another kind of table."""
    data = path.read_bytes().removeprefix(_BOM)
    start = data.lstrip()[:4]
    if start.startswith(b"["):
        return _json_list(path, data)
    if not start or start.startswith((b"{", b"PAR1")) or path.suffix.lower() in TABLES:
        return None
    header = data.partition(b"\n")[0].decode(errors="replace").strip()
    if any(_is_header(header.split(mark)) for mark in "\t,"):
        return None
    return _lines(path, data)


def _is_header(words: list[str]) -> bool:
    """Tell the names of columns from a sentence."""
    return text_reader(words) is not None or (len(words) > 1 and bool(USUAL & set(words)))


def _json_list(path: Path, data: bytes) -> pl.DataFrame:
    """Read a list of objects."""
    if lines.nesting(data) > lines.MOST_LEVELS:
        raise InputError(
            f"{path} is nested more than {lines.MOST_LEVELS} levels deep. Give a list of flat objects."
        )
    try:
        table = pl.DataFrame(json.loads(data, object_pairs_hook=lines.unique_keys), infer_schema_length=None)
    except (ValueError, TypeError, OverflowError, RecursionError, pl.exceptions.PolarsError) as error:
        cause = str(error).splitlines()[0][:_LONGEST]
        raise InputError(f"{path} is no whole JSON list of objects ({cause}). Correct it.") from error
    check_names(str(path), table.columns)
    if text_reader(table.columns) is None:
        _refuse(str(path), table.columns)
    return table


def _lines(path: Path, data: bytes) -> pl.DataFrame:
    """Take every line that is not blank for a text, and number them as an editor does."""
    fault = lines.text_fault(data)
    if fault is not None:
        raise InputError(f"{path}, line {fault.line}: {fault.what}. {fault.advice}")
    texts = pl.Series("text", data.decode().removesuffix("\n").split("\n")).str.strip_chars_end("\r")
    numbers = pl.format("line-{}", pl.int_range(1, pl.len() + 1)).alias("id")
    return texts.to_frame().with_columns(numbers).filter(pl.col("text").str.strip_chars() != "")
