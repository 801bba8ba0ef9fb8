"""The pairs and answers of a set as columns: few bytes when packed, quick to search in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.labels import LABELS, NO_LABEL
from rightreasons.core.pairs import PARSES, REQUIRED, TEXTS
from rightreasons.reports.html import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.reports.report import Examples

# Characters that go into a page: of a premise or hypothesis, of a parse, of a tag's value.
TEXT, PARSE, TAG = 10_000, 20_000, 1_000
_USUAL = (*LABELS, *NO_LABEL)


def columns(examples: Examples) -> dict[str, Any]:
    """Give the pairs of one set as plain lists, one per column."""
    pairs = examples.pairs
    tags = [name for name in pairs.columns if name not in (*REQUIRED, *PARSES)]
    parses = [name for name in PARSES if name in pairs.columns]
    return {
        "set": shown.name(examples.set),
        "total": examples.total,
        "count": pairs.height,
        "remark": examples.remark,
        "id": _cut(pairs["id"], TAG).to_list(),
        "gold": _coded(pairs["label"], usual=_USUAL),
        **{side: _cut(pairs[side], TEXT).to_list() for side in TEXTS},
        "lengths": {side: _lengths(pairs[side]) for side in TEXTS},
        "tags": [{"name": shown.name(name), **_tag(pairs[name])} for name in tags],
        "parses": [{"name": name, "plain": _cut(pairs[name], PARSE).to_list()} for name in parses],
        "models": [_answers(name, table) for name, table in examples.answers.items()],
    }


def _answers(name: str, table: pl.DataFrame) -> dict[str, Any]:
    """Give the answers of a model; confidence in thousandths, where any is known."""
    known = table["confidence"].null_count() < table.height
    thousandths = (table["confidence"].cast(pl.Float64).fill_nan(None) * 1000).round().cast(pl.Int32)
    return {
        "name": shown.name(name),
        "answer": _coded(table["prediction"], usual=_USUAL),
        "right": "".join("1" if right else "0" for right in table["right"]),
        "confidence": thousandths.to_list() if known else None,
    }


def _cut(texts: pl.Series, most: int) -> pl.Series:
    return texts.cast(pl.String).str.slice(0, most)


def _lengths(texts: pl.Series) -> dict[str, int]:
    """Give the whole length of each text that was cut, by its row."""
    lengths = texts.cast(pl.String).str.len_chars()
    return {str(row): lengths[row] for row in (lengths > TEXT).arg_true()}


def _tag(column: pl.Series) -> dict[str, Any]:
    """Give a tag as codes of its values, or as it is where nearly every pair has its own."""
    texts = _cut(column, TAG)
    if texts.n_unique() > max(2, column.len() // 2):
        return {"plain": texts.to_list()}
    order = column if column.dtype.is_numeric() else texts
    values = _cut(order.unique().drop_nulls().sort(), TAG).unique(maintain_order=True)
    return _coded(texts, values.to_list())


def _coded(
    texts: pl.Series, values: Sequence[str] | None = None, usual: Sequence[str] = ()
) -> dict[str, Any]:
    """Give the different values and, for each row, the place of its own; -1 where it has none."""
    if values is None:
        found = texts.unique().drop_nulls().sort().to_list()
        values = [word for word in usual if word in found] + [word for word in found if word not in usual]
    codes = {value: place for place, value in enumerate(values)}
    coded = texts.replace_strict(codes, default=-1, return_dtype=pl.Int32) if codes else None
    places = [-1] * texts.len() if coded is None else coded.fill_null(-1).to_list()
    return {"values": list(values), "codes": places}
