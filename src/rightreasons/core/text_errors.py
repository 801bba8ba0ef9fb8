"""Find the line at fault in a text file: a slow pass, made only when something is wrong."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl
    from numpy.typing import NDArray

NEWLINE, RETURN, QUOTE = 10, 13, 34
_HALF_SURROGATE = re.compile(rb"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]")

_MAX_KEY_LENGTH = 60  # characters of a key in a message
MAX_LEVELS = 100  # of brackets in JSON: polars overflows the stack at some hundred more
_NOT_OPENING = bytes(byte for byte in range(256) if byte not in b"{[\n")
_JSON_TEXT = re.compile(rb'"(?:[^"\\]|\\.)*+"?')
_NULLS = (b'":null', b'": null', b'":\tnull')
_SPACED_KEYS = (b'" :', b'"\t:', b'"\r:')


class RepeatedKeyError(ValueError):
    """An object of JSON has a key twice."""


class Fault(NamedTuple):
    """What is wrong in which line, and what to do about it."""

    line: int
    what: str
    advice: str


class _Marks(NamedTuple):
    """The separators, quotes and newlines of a file: where they are and which they are."""

    body: NDArray[np.uint8]
    positions: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    quoted: NDArray[np.bool_]  # inside quotes, once the mark itself is read

    def find_line_number(self, mark: int) -> int:
        """Count the line that a mark is in, from 1."""
        return 1 + int(np.count_nonzero(self.kinds[:mark] == NEWLINE))


def find_line_number(data: bytes, position: int) -> int:
    """Count the line that a byte is in, from 1."""
    return 1 + data.count(b"\n", 0, position)


def find_utf8_fault(data: bytes) -> Fault | None:
    """Find the first byte that is not valid UTF-8."""
    nul = data.find(b"\0")
    if nul >= 0:
        what = "there is a NUL byte, so the file is binary or damaged"
        return Fault(find_line_number(data, nul), what, "Use a UTF-8 text file or a parquet file.")
    if data.isascii():
        return None
    try:
        data.decode()
    except UnicodeDecodeError as error:
        what = f"byte {data[error.start]:#04x} is not UTF-8"
        return Fault(find_line_number(data, error.start), what, "Save the file as UTF-8.")
    return None


def find_record_fault(data: bytes, separator: bytes, *, quoted: bool) -> Fault | None:
    """Find the first line with a stray or unclosed quote, or with more or fewer fields than the header."""
    marks = _find_marks(data, separator, quoted=quoted)
    return (_find_quote_fault(marks, separator[0]) if quoted else None) or _find_field_count_fault(marks)


def find_record_line(data: bytes, record: int, *, quoted: bool) -> int:
    """Count the line in which a record starts; the header is record 0."""
    marks = _find_marks(data, b"\n", quoted=quoted)
    ends = np.flatnonzero((marks.kinds == NEWLINE) & ~marks.quoted)
    return 1 if record == 0 else marks.find_line_number(int(ends[record - 1])) + 1


def iterate_json_lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the non-blank lines, each with its number."""
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            yield number, line


def find_nesting_fault(data: bytes) -> Fault | None:
    """Find the first line of JSON that is nested too deeply."""
    # Only a line with many opening brackets can be, and counting these is fast.
    if max(map(len, data.translate(None, _NOT_OPENING).split(b"\n"))) <= MAX_LEVELS:
        return None
    deep = (number for number, line in iterate_json_lines(data) if measure_nesting_depth(line) > MAX_LEVELS)
    number = next(deep, None)
    what = f"the object is nested more than {MAX_LEVELS} levels deep"
    return None if number is None else Fault(number, what, "Use flat objects.")


def measure_nesting_depth(data: bytes) -> int:
    """Count how deep the brackets of JSON go, those inside of texts left out."""
    depth = deepest = 0
    for sign in _JSON_TEXT.sub(b"", data):
        if sign in b"{[":
            depth += 1
            deepest = max(deepest, depth)
        elif sign in b"}]":
            depth -= 1
    return deepest


def split_into_line_chunks(data: bytes, count: int) -> Iterator[bytes]:
    """Split a text into chunks of so many lines, without the blank ones."""
    ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == NEWLINE)[count - 1 :: count]
    for start, end in zip([0, *(ends + 1).tolist()], [*(ends + 1).tolist(), len(data)], strict=True):
        if data[start:end].strip():
            yield data[start:end]


def may_have_half_surrogates(data: bytes) -> bool:
    """Return whether there may be an escaped half of a surrogate pair, which polars would read as NUL."""
    escaped = b"\\ud" in data or b"\\uD" in data  # plain search is far faster, and mostly enough
    return escaped and _HALF_SURROGATE.search(data) is not None


def may_repeat_keys(data: bytes, table: pl.DataFrame) -> bool:
    """Return, by counting alone, whether an object may have a key twice, of which polars would drop one value.

    Every value of the table has a key of its own in the text. If there are no more keys than values, none is repeated.
    A null in the text may be the second value of a key; it cannot be counted, since a missing key is a null too.
    """
    if any("\\" in name for name in table.columns) or any(mark in data for mark in (*_SPACED_KEYS, *_NULLS)):
        return True
    # A quote within a text is escaped, so only keys end in a plain quote and a colon.
    keys = data.count(b'":') - data.count(b'\\":')
    return keys != sum(table.height - int(count) for count in table.null_count().row(0))


def refuse_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object from its keys and values, for json.loads; raise RepeatedKeyError if a key occurs twice."""
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise RepeatedKeyError(f"the key {twice[:_MAX_KEY_LENGTH]!r} occurs twice")
    return values


def find_json_fault(data: bytes) -> Fault | None:
    """Find the first line that is not one whole JSON object, or has a key twice."""
    advice = "Each line must be one JSON object."
    for number, line in iterate_json_lines(data):
        try:
            value = json.loads(line, object_pairs_hook=refuse_repeated_keys)
            if may_have_half_surrogates(line):
                json.dumps(value, ensure_ascii=False).encode()
        except RepeatedKeyError as error:
            return Fault(number, str(error), "Give each key once.")
        except UnicodeEncodeError:
            return Fault(
                number,
                "a lone surrogate is not a character",
                "Remove its escape sequence, or complete the pair.",
            )
        except (ValueError, RecursionError) as error:
            return Fault(number, f"this is not a complete JSON object ({error})", advice)
        if not isinstance(value, dict):
            return Fault(number, f"this is a JSON {type(value).__name__}, not an object", advice)
    return None


def _find_marks(data: bytes, separator: bytes, *, quoted: bool) -> _Marks:
    body = np.frombuffer(data, dtype=np.uint8)
    wanted = (body == separator[0]) | (body == NEWLINE)
    if quoted:
        wanted |= body == QUOTE
    at = np.flatnonzero(wanted)
    kind = body[at]
    inside = (np.cumsum(kind == QUOTE) & 1).astype(np.bool_) if quoted else np.zeros(len(at), dtype=np.bool_)
    return _Marks(body, at, kind, inside)


def _find_quote_fault(marks: _Marks, separator: int) -> Fault | None:
    """Find a quote that neither starts nor ends a field, nor is doubled."""
    quotes = np.flatnonzero(marks.kinds == QUOTE)
    at, opens = marks.positions[quotes], marks.quoted[quotes]
    last = len(marks.body) - 1
    before = np.where(at > 0, marks.body[np.maximum(at - 1, 0)], NEWLINE)
    after = np.where(at < last, marks.body[np.minimum(at + 1, last)], NEWLINE)
    starts = opens & np.isin(before, (separator, NEWLINE))
    stray = np.flatnonzero(opens & ~starts & (before != QUOTE))
    broken = np.flatnonzero(~opens & ~np.isin(after, (separator, NEWLINE, RETURN, QUOTE)))
    if len(stray) and not (len(broken) and broken[0] < stray[0]):
        what = "there is a quote inside a field that is not quoted"
        return Fault(
            marks.find_line_number(int(quotes[stray[0]])),
            what,
            "Enclose the field in double quotes and double any quotes inside it.",
        )
    if len(broken) or len(quotes) % 2:
        end = int(broken[0]) if len(broken) else len(quotes) - 1
        first = int(np.flatnonzero(starts[: end + 1])[-1])
        what = "a quoted field starts here and is not closed properly"
        return Fault(
            marks.find_line_number(int(quotes[first])),
            what,
            "Close the field with a quote, and double any quotes inside it.",
        )
    return None


def _find_field_count_fault(marks: _Marks) -> Fault | None:
    """Find the first record whose number of fields is not the header's."""
    outside = np.flatnonzero(~marks.quoted & (marks.kinds != QUOTE))
    kind = marks.kinds[outside]
    ends = np.flatnonzero(kind == NEWLINE)
    if not len(marks.body) or marks.body[-1] != NEWLINE:
        ends = np.append(ends, len(kind))
    fields = np.diff(ends, prepend=-1)
    wrong = np.flatnonzero(fields != fields[0]) if len(fields) else fields
    if not len(wrong):
        return None
    record = int(wrong[0])
    line = marks.find_line_number(int(outside[ends[record - 1]])) + 1
    what = f"the line has {fields[record]} fields, but the header has {fields[0]}"
    return Fault(line, what, "Every line must have as many fields as the header.")
