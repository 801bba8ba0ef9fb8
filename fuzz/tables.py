"""Write a table of rows as CSV, TSV, JSON lines or parquet, without any code of the package."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

Row = dict[str, Any]
KINDS = ("csv", "tsv", "jsonl", "parquet")


def write_rows(rows: Sequence[Row], kind: str, *, columns: Sequence[str] | None = None) -> bytes:
    """Write rows; columns are those of all rows in the order in which they come unless they are given."""
    names = list(columns or dict.fromkeys(name for row in rows for name in row))
    if kind == "jsonl":
        return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode(
            "utf-8", errors="surrogatepass"
        )
    if kind == "parquet":
        return write_parquet({name: [row.get(name) for row in rows] for name in names})
    page = io.StringIO(newline="")
    if kind == "tsv":
        page.writelines("\t".join(map(_shown, line)) + "\n" for line in _lines(rows, names))
    else:
        csv.writer(page, lineterminator="\n").writerows(
            [[_shown(cell) for cell in line] for line in _lines(rows, names)]
        )
    return page.getvalue().encode("utf-8", errors="surrogatepass")


def _lines(rows: Sequence[Row], names: list[str]) -> list[list[Any]]:
    return [list(names), *([row.get(name) for name in names] for row in rows)]


def _shown(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)


def write_parquet(columns: dict[str, Any]) -> bytes:
    """Write columns with pyarrow; a value is a list or an array of pyarrow's own."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = io.BytesIO()
    pq.write_table(pa.table({name: _array(values) for name, values in columns.items()}), file)
    return file.getvalue()


def _array(values: Any) -> Any:
    """Let pyarrow find the type; values of mixed types become texts."""
    import pyarrow as pa

    if not isinstance(values, list):
        return values
    try:
        return pa.array(values)
    except (pa.ArrowException, ValueError, OverflowError):
        return pa.array([None if value is None else _shown(value) for value in values])


def read_parquet(content: bytes) -> list[Row] | None:
    """Read parquet with another library than the package does, or None where that can't."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rows: list[Row] = pq.read_table(io.BytesIO(content)).to_pylist()
    except (pa.ArrowException, OSError, ValueError, UnicodeDecodeError, MemoryError, OverflowError):
        return None
    return rows


def reshape_text(chance: random.Random, content: bytes) -> tuple[str, bytes]:
    """Write a text file in another way: line ends, marks, encodings, packing."""
    ways = {
        "byte-order mark": b"\xef\xbb\xbf" + content,
        "CRLF": content.replace(b"\n", b"\r\n"),
        "CR only": content.replace(b"\n", b"\r"),
        "no last line end": content.rstrip(b"\n"),
        "blank lines at the end": content + b"\n\n\n",
        "blank line inside": content.replace(b"\n", b"\n\n", 1),
        "written twice": content + content,
        "no header": content.partition(b"\n")[2],
        "semicolons": content.replace(b",", b";"),
        "tabs": content.replace(b",", b"\t"),
        "commas": content.replace(b"\t", b","),
        "UTF-16": content.decode("utf-8", errors="replace").encode("utf-16"),
        "Latin-1": content.decode("utf-8", errors="replace").encode("latin-1", errors="replace"),
        "gzip": gzip.compress(content, mtime=0),
        "gzip cut": gzip.compress(content, mtime=0)[:-9],
        "zip": _zipped({"a.csv": content}),
        "zip of two": _zipped({"a.csv": content, "b.csv": content}),
        "zip encrypted": _encrypted(_zipped({"a.csv": content})),
        "JSON array": b"[" + b",".join(content.strip().split(b"\n")) + b"]",
        "comment first": b"# made by hand\n" + content,
        "spaces before": b"  \n" + content,
        "only the header": content.partition(b"\n")[0] + b"\n",
        "empty": b"",
        "one byte": content[:1],
    }
    name = chance.choice(list(ways))
    return name, ways[name]


def _zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return packed.getvalue()


def _encrypted(archive: bytes) -> bytes:
    """Set the bit that says that the files are encrypted, in both places where it stands."""
    changed = bytearray(archive)
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = archive.find(mark)
        changed[at + offset] |= 1
    return bytes(changed)
