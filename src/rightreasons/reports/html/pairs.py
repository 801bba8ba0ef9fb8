"""The pairs and predictions of a set as packed columns: few bytes in a page, and quick to search in the browser."""

from __future__ import annotations

import base64
import gzip
import json
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.labels import LABELS, NO_LABEL
from rightreasons.core.pairs import PARSES, REQUIRED, TEXTS
from rightreasons.reports.html.text import shorten_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.reports.report import Examples

# Characters that go into a page: of a premise or hypothesis, of a parse, of a tag's value.
TEXT, PARSE, TAG = 10_000, 20_000, 1_000
_USUAL = (*LABELS, *NO_LABEL)


def pair_columns(examples: Examples) -> dict[str, Any]:
    """Return the pairs of one set as plain lists, one per column."""
    pairs = examples.pairs
    tags = [name for name in pairs.columns if name not in (*REQUIRED, *PARSES)]
    parses = [name for name in PARSES if name in pairs.columns]
    return {
        "set": shorten_name(examples.set),
        "total": examples.total,
        "count": pairs.height,
        "remark": examples.remark,
        "id": _cut_texts(pairs["id"], TAG).to_list(),
        "gold": _encode(pairs["label"], usual=_USUAL),
        **{side: _cut_texts(pairs[side], TEXT).to_list() for side in TEXTS},
        "lengths": {side: _lengths(pairs[side]) for side in TEXTS},
        "tags": [{"name": shorten_name(name), **_encode_tag(pairs[name])} for name in tags],
        "parses": [{"name": name, "plain": _cut_texts(pairs[name], PARSE).to_list()} for name in parses],
        "models": [_encode_predictions(name, table) for name, table in examples.predictions.items()],
    }


def _encode_predictions(name: str, table: pl.DataFrame) -> dict[str, Any]:
    """Encode the predictions of a model; confidence in thousandths, if any is known."""
    known = table["confidence"].null_count() < table.height
    thousandths = (table["confidence"].cast(pl.Float64).fill_nan(None) * 1000).round().cast(pl.Int32)
    return {
        "name": shorten_name(name),
        "answer": _encode(table["prediction"], usual=_USUAL),
        "right": "".join("1" if right else "0" for right in table["right"]),
        "confidence": thousandths.to_list() if known else None,
    }


def _cut_texts(texts: pl.Series, most: int) -> pl.Series:
    return texts.cast(pl.String).str.slice(0, most)


def _lengths(texts: pl.Series) -> dict[str, int]:
    """Return the full length of each text that was cut, by row."""
    lengths = texts.cast(pl.String).str.len_chars()
    return {str(row): lengths[row] for row in (lengths > TEXT).arg_true()}


def _encode_tag(column: pl.Series) -> dict[str, Any]:
    """Encode a tag as codes of its values, or keep it if nearly every pair has its own."""
    texts = _cut_texts(column, TAG)
    if texts.n_unique() > max(2, column.len() // 2):
        return {"plain": texts.to_list()}
    order = column if column.dtype.is_numeric() else texts
    values = _cut_texts(order.unique().drop_nulls().sort(), TAG).unique(maintain_order=True)
    return _encode(texts, values.to_list())


def _encode(
    texts: pl.Series, values: Sequence[str] | None = None, usual: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the distinct values and the index of each row's value; -1 if it has none."""
    if values is None:
        found = texts.unique().drop_nulls().sort().to_list()
        values = [word for word in usual if word in found] + [word for word in found if word not in usual]
    codes = {value: place for place, value in enumerate(values)}
    coded = texts.replace_strict(codes, default=-1, return_dtype=pl.Int32) if codes else None
    places = [-1] * texts.len() if coded is None else coded.fill_null(-1).to_list()
    return {"values": list(values), "codes": places}


# The next level takes twice the time and saves 1%.
LEVEL = 6
# Characters that could end a script element, start a comment, or break a line in a script.
_ESCAPES = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}


def as_json(value: Any) -> str:
    """Dump a value as JSON that is safe inside a script element."""
    return _dumped(value).translate(_ESCAPES)


def pack(value: Any) -> str:
    """Dump a value as compressed JSON in base64."""
    return pack_text(_dumped(value))


def pack_text(text: str) -> str:
    """Compress a text to base64; the same text always gives the same output."""
    # A lone surrogate has no encoding.
    compressed = gzip.compress(text.encode("utf-8", "replace"), LEVEL, mtime=0)
    return base64.b64encode(compressed).decode("ascii")


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
