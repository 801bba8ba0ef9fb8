"""Draw partners without repeats: for every row some of a pool, none twice, none that is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rightreasons.core.keyed_random import below, further

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Rows = NDArray[np.int64]
    Refuses = Callable[[Rows, Rows], NDArray[np.bool_]]

_SPARE = 8
_CELLS = 1 << 21  # of rows times the pool, put in order at a time
_LATER = 1 << 32  # the numbers that order a whole pool come after those of the first draw


def partners(drawn: NDArray[np.uint64], pool: int, wanted: int, refuses: Refuses) -> tuple[Rows, Rows]:
    """Give every row its partners: as many as wanted where the pool has them, in the order of their draw.

    A row's partners follow from the number drawn for it and from the pool alone. Returned are rows and partners, flat.
    """
    rows, found = _first(drawn, pool, wanted, refuses)
    counts = np.bincount(rows, minlength=len(drawn))
    short = np.flatnonzero(counts < min(wanted, pool))
    if not len(short):
        return rows, found
    kept = counts[rows] >= min(wanted, pool)
    parts = [(rows[kept], found[kept])]
    step = max(1, _CELLS // pool)
    for start in range(0, len(short), step):
        some = short[start : start + step]
        taken = _taken(rows, found, some, pool)
        parts.append(_whole(drawn, some, taken, wanted, refuses))
    rows, found = (np.concatenate(side) for side in zip(*parts, strict=True))
    order = np.argsort(rows, kind="stable")
    return rows[order], found[order]


def _first(drawn: NDArray[np.uint64], pool: int, wanted: int, refuses: Refuses) -> tuple[Rows, Rows]:
    """Draw some more than are wanted, and keep the first of them that will do."""
    numbers = np.arange(2 * wanted + _SPARE)
    drawn_more = further(drawn[:, None], numbers[None, :])
    tried = below(drawn_more, pool)
    rows = np.repeat(np.arange(len(drawn)), len(numbers))
    good = ~_repeated(tried)
    good &= ~refuses(rows, tried.ravel()).reshape(tried.shape)
    good &= np.cumsum(good, axis=1) <= wanted
    return rows[good.ravel()], tried[good]


def _repeated(tried: Rows) -> NDArray[np.bool_]:
    """Tell in each row what has come before."""
    order = np.argsort(tried, axis=1, kind="stable")
    ordered = np.take_along_axis(tried, order, axis=1)
    again = np.zeros(tried.shape, dtype=np.bool_)
    again[:, 1:] = ordered[:, 1:] == ordered[:, :-1]
    found = np.empty_like(again)
    np.put_along_axis(found, order, again, axis=1)
    return found


def _taken(rows: Rows, found: Rows, some: Rows, pool: int) -> Rows:
    """Give the place of each partner that was drawn before: 0, 1, ...; those of the others come after."""
    places = np.full((len(some), pool), pool, dtype=np.int64)
    inside = np.isin(rows, some)
    number = np.searchsorted(some, rows[inside])
    first = np.searchsorted(rows[inside], some)
    places[number, found[inside]] = np.arange(int(inside.sum())) - first[number]
    return places


def _whole(
    drawn: NDArray[np.uint64], some: Rows, places: Rows, wanted: int, refuses: Refuses
) -> tuple[Rows, Rows]:
    """Put the whole pool in an order drawn for each row, what it has already first, and take the first that will do."""
    pool = places.shape[1]
    rest = further(drawn[some][:, None], (np.arange(pool) + _LATER)[None, :])
    order = np.lexsort((rest, places), axis=1)
    rows = np.repeat(some, pool)
    good = ~refuses(rows, order.ravel()).reshape(order.shape)
    good &= np.cumsum(good, axis=1) <= wanted
    return rows[good.ravel()], order[good]
