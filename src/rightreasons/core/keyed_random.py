"""Random choices that belong to a text: the same whatever the order, the batch or the number of workers.

A choice is a number that a key and the text (mostly an id) determine alone. Integer arithmetic only, so that a seed
means the same choices on every machine.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars as pl
    from numpy.typing import NDArray


_INCREMENT = np.uint64(0x9E3779B97F4A7C15)
_FIRST_MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9)
_SECOND_MULTIPLIER = np.uint64(0x94D049BB133111EB)
_HALF_BITS = np.uint64(32)


def draw_numbers(texts: Iterable[str], *key: str | int) -> NDArray[np.uint64]:
    """Draw a 64-bit number for every text under a key, such as the set's name, its version and the seed."""
    start = hashlib.blake2b(join_fields(key).encode(), digest_size=8)
    digests = bytearray()
    for text in texts:
        state = start.copy()
        state.update(ROW_SEPARATOR.encode() + text.encode("utf-8", "surrogatepass"))
        digests += state.digest()
    return np.frombuffer(bytes(digests), dtype="<u8").astype(np.uint64)


def derive_numbers(drawn: NDArray[np.uint64], number: int | NDArray[np.integer]) -> NDArray[np.uint64]:
    """Derive from each drawn number the n-th of a sequence of further numbers."""
    # As an array: single numbers of numpy warn when they wrap, arrays wrap as they should here.
    steps = np.atleast_1d(number).astype(np.uint64) + np.uint64(1)
    mixed = drawn + steps * _INCREMENT
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _FIRST_MULTIPLIER
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _SECOND_MULTIPLIER
    mixed ^= mixed >> np.uint64(31)
    return np.asarray(mixed, dtype=np.uint64)


def scale_to_range(drawn: NDArray[np.uint64], bounds: int | NDArray[np.integer]) -> NDArray[np.int64]:
    """Scale drawn numbers to integers from 0 up to, not including, bounds, which are positive and below 2**32."""
    scaled = ((drawn >> _HALF_BITS) * np.asarray(bounds).astype(np.uint64)) >> _HALF_BITS
    return scaled.astype(np.int64)


FIELD_SEPARATOR, ROW_SEPARATOR, NULL_MARK = "\x1f", "\x1e", "\x00"
_ESCAPE = "\x1d"
_ESCAPES = {
    FIELD_SEPARATOR: f"{_ESCAPE}1",
    ROW_SEPARATOR: f"{_ESCAPE}2",
    NULL_MARK: f"{_ESCAPE}3",
    _ESCAPE: f"{_ESCAPE}0",
}
_ESCAPE_TABLE = str.maketrans(_ESCAPES)


def join_fields(fields: Iterable[object]) -> str:
    """Join values, as texts, unambiguously."""
    return FIELD_SEPARATOR.join(str(field).translate(_ESCAPE_TABLE) for field in fields)


def join_columns(columns: Iterable[str]) -> pl.Expr:
    """Join the cells of each row unambiguously; a missing value differs from any text."""
    import polars as pl

    cells = pl.col(list(columns)).cast(pl.String).str.replace_many(list(_ESCAPES), list(_ESCAPES.values()))
    return pl.concat_str(cells.fill_null(NULL_MARK), separator=FIELD_SEPARATOR)
