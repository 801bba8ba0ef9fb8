"""Tables on disk: parquet, JSON lines, CSV and TSV, read strictly and written whole or not at all.

CSV is quoted where it must be, so any text survives. TSV is as in HANS and GLUE, never quoted: a text with a
tab or a line break can't be written, and an empty text is the same as none. Both are read as strings only.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core import text_errors
from rightreasons.core.column_checks import cast_to_plain_types, check_column_names, check_utf8_columns
from rightreasons.core.errors import InputError, OutputError, UnknownNameError
from rightreasons.io.inputs import get_spooled_path, spool_pipe
from rightreasons.io.outputs import write_atomically
from rightreasons.io.polars_io import build_read_error, explain_parquet_damage, scan_parquet
from rightreasons.io.table_writer import FORMATS, SEPARATORS, stream_table

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from polars._typing import SchemaDict

TABLE_EXTENSIONS = {
    ".parquet": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
}
_LINES_PER_CHUNK = 1_000  # of JSON, whose keys are found together
_BOM = b"\xef\xbb\xbf"
_COMPRESSED_STARTS = (b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ")


def read_table(
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002 - the word that users know
    *,
    required: Iterable[str] = (),
) -> pl.DataFrame:
    """Read a table, detecting its format from its content; anything wrong is an InputError with its line."""
    path = Path(path)
    table = collect_table(scan_table(path, format), path)
    missing = [name for name in required if name not in table.columns]
    if missing:
        has = ", ".join(table.columns)
        raise InputError(
            f"{path}, line 1: there is no column {', '.join(missing)} among {has}. Check the header."
        )
    return table


def scan_table(
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002 - as above
) -> pl.LazyFrame:
    """Scan a table: of parquet, only the selected columns are read; text is read completely.

    A pipe is read anew; later functions read the copy.
    """
    path = Path(path)
    _spool_input(path)
    detected = detect_format(path, format)
    if detected == "parquet":
        frame = scan_parquet(get_spooled_path(path))
        check_column_names(str(path), frame.collect_schema())
        return cast_to_plain_types(frame)
    return (_read_jsonl(path) if detected == "jsonl" else _read_csv_or_tsv(path, detected)).lazy()


def collect_table(frame: pl.LazyFrame, path: Path) -> pl.DataFrame:
    """Collect a scanned table."""
    with explain_parquet_damage(path):
        try:
            return frame.collect()
        except pl.exceptions.PolarsError:
            if detect_format(path) == "parquet":
                check_utf8_columns(str(path), scan_parquet(get_spooled_path(path)))
            raise


def detect_format(path: str | os.PathLike[str], format: str | None = None) -> str:  # noqa: A002 - as above
    """Detect the format of a file from its first bytes, and compare it with the requested one."""
    if format is not None and format not in FORMATS:
        raise UnknownNameError("table format", format, FORMATS)
    detected = _detect_content_format(Path(path))
    if format is None or format == detected:
        return detected
    if {format, detected} == {"csv", "tsv"}:
        return format  # a header can hold both commas and tabs
    raise InputError(f"{path} is {detected}, not {format}. Pass the right format, or omit it.")


def format_row_location(path: str | os.PathLike[str], row: int) -> str:
    """Name the file and line of a row of a table (from 0), for an error message."""
    path = Path(path)
    detected = detect_format(path)
    if detected == "parquet":
        return f"{path}, row {row + 1}"
    data = _read_bytes(path)
    if detected == "jsonl":
        number = next(
            number for i, (number, _) in enumerate(text_errors.iterate_json_lines(data)) if i == row
        )
    else:
        number = text_errors.find_record_line(data, row + 1, quoted=detected == "csv")
    return f"{path}, line {number}"


def write_table(
    batches: pl.DataFrame | Iterable[pl.DataFrame],
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002 - as above
    schema: SchemaDict | None = None,
    *,
    force: bool = False,
) -> None:
    """Write a table whole or not at all; the format is inferred from the extension if it is not named."""
    chosen = format or infer_format(path)
    with write_atomically(path, force=force) as part:
        stream_table(batches, part, chosen, schema)


def infer_format(path: str | os.PathLike[str]) -> str:
    """Infer from its extension the format in which a table is written."""
    ending = Path(path).suffix.lower()
    if ending not in TABLE_EXTENSIONS:
        what = (
            f"The extension {ending!r} of {path} is not a known format"
            if ending
            else f"{path} has no extension"
        )
        raise OutputError(f"{what}. Use one of {', '.join(TABLE_EXTENSIONS)}.")
    return TABLE_EXTENSIONS[ending]


def _spool_input(path: Path) -> None:
    try:
        spool_pipe(path)
    except OSError as error:
        raise build_read_error(path, error) from error


def _read_bytes(path: Path) -> bytes:
    """Read a file whole, without a byte-order mark."""
    try:
        return get_spooled_path(path).read_bytes().removeprefix(_BOM)
    except OSError as error:
        raise build_read_error(path, error) from error


def _detect_content_format(path: Path) -> str:
    try:
        with get_spooled_path(path).open("rb") as file:
            head = file.read(1 << 16).removeprefix(_BOM)
    except OSError as error:
        raise build_read_error(path, error) from error
    if not head.strip():
        raise InputError(f"{path} is empty. Use a file with a header and rows.")
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(_COMPRESSED_STARTS):
        raise InputError(f"{path} is compressed. Unpack it first.")
    if head.lstrip().startswith(b"["):
        raise InputError(f"{path}, line 1: this is a JSON array. Use JSON Lines, one object per line.")
    if head.lstrip().startswith(b"{"):
        return "jsonl"
    header = head.split(b"\n", 1)[0]
    if b"\t" in header and not (path.suffix.lower() == ".csv" and b"," in header):
        return "tsv"
    return "csv"


def _raise_if_fault(path: Path, fault: text_errors.Fault | None) -> None:
    if fault is not None:
        raise InputError(f"{path}, line {fault.line}: {fault.what}. {fault.advice}")


def _read_jsonl(path: Path) -> pl.DataFrame:
    data = _read_bytes(path)
    _raise_if_fault(path, text_errors.find_utf8_fault(data) or text_errors.find_nesting_fault(data))
    if text_errors.may_have_half_surrogates(data):
        _raise_if_fault(path, text_errors.find_json_fault(data))
    try:
        table = pl.read_ndjson(io.BytesIO(data), schema=_infer_json_schema(path, data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        _raise_if_fault(path, text_errors.find_json_fault(data))
        cause = str(error).splitlines()[0]
        raise InputError(
            f"{path} contains values of mixed types ({cause}). Use one type for each key."
        ) from error
    if text_errors.may_repeat_keys(data, table):
        _raise_if_fault(path, text_errors.find_json_fault(data))
    return table


def _infer_json_schema(path: Path, data: bytes) -> pl.Schema:
    """Find the keys and their types, a few lines at a time, so that too many keys are found before all is read."""
    types: dict[str, list[pl.DataType]] = {}
    for piece in text_errors.split_into_line_chunks(data, _LINES_PER_CHUNK):
        schema = pl.scan_ndjson(io.BytesIO(piece), infer_schema_length=None).collect_schema()
        for name, kind in schema.items():
            if kind not in types.setdefault(name, []):
                types[name].append(kind)
        check_column_names(str(path), types)
    if all(len(kinds) == 1 for kinds in types.values()):
        return pl.Schema({name: kind for name, (kind,) in types.items()})
    return pl.scan_ndjson(io.BytesIO(data), infer_schema_length=None).collect_schema()


def _read_csv_or_tsv(path: Path, format: str) -> pl.DataFrame:  # noqa: A002 - as above
    data, separator, quoted = _read_bytes(path), SEPARATORS[format], format == "csv"
    _raise_if_fault(path, text_errors.find_utf8_fault(data))
    header = _read_column_names(path, data, separator, quoted=quoted)
    check_column_names(f"{path}, line 1", header)
    if len(header) > 1:
        data = _strip_last_blank_lines(data)
    if (quoted and b'"' in data) or not _has_right_field_counts(data, separator.encode(), len(header)):
        _raise_if_fault(path, text_errors.find_record_fault(data, separator.encode(), quoted=quoted))
    options: dict[str, Any] = {"separator": separator, "infer_schema": False}
    try:
        return pl.read_csv(io.BytesIO(data), quote_char='"' if quoted else None, **options)
    except pl.exceptions.PolarsError as error:
        _raise_if_fault(path, text_errors.find_record_fault(data, separator.encode(), quoted=quoted))
        raise InputError(f"{path} is not valid {format} ({error}). Check the file.") from error


def _read_column_names(path: Path, data: bytes, separator: str, *, quoted: bool) -> list[str]:
    """Read the names of the columns."""
    text = data[: data.find(b"\n") + 1 or None].decode()
    plain = text.rstrip("\r\n")
    if "\r" in plain:
        what = f"{path}, line 1: there is a carriage return without a line feed"
        raise InputError(f"{what}. Save the file with Unix or Windows line endings.")
    try:
        return next(csv.reader([plain], delimiter=separator)) if quoted else plain.split(separator)
    except csv.Error as error:
        raise InputError(
            f"{path}, line 1: this is not a valid header ({error}). Use a header with the names of the columns."
        ) from error


def _strip_last_blank_lines(data: bytes) -> bytes:
    """Drop blank lines at the end, which editors add and polars would take for rows."""
    return data.rstrip(b"\r\n") + b"\n" if data.endswith((b"\n\n", b"\n\r\n")) else data


def _has_right_field_counts(data: bytes, separator: bytes, columns: int) -> bool:
    """Return, by counting alone, whether no line is too short; polars itself refuses those that are too long."""
    records = data.count(b"\n") + (not data.endswith(b"\n"))
    return data.count(separator) == records * (columns - 1)
