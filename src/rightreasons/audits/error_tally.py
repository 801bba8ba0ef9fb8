"""A sheet that was filled in, counted: how often each kind of error occurs, and how often the rules were right."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.audits.error_sheet import CATEGORIES, category_of, read_sheet
from rightreasons.core.errors import InputError
from rightreasons.scoring.intervals import wilson

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rightreasons.audits.error_sheet import SheetRow

_SHOWN = 5  # lines that are named in a message
SUGGESTED = CATEGORIES[:6]


@dataclass(frozen=True)
class ErrorTally:
    """The counts of one sheet.

    `table`: category, n, share of the sorted lines with its interval (low, high). `agreement`: for each category that
    was suggested and sorted, how often the person chose the same. `antonyms`: types among the lines sorted as such.
    """

    table: pl.DataFrame
    agreement: pl.DataFrame
    antonyms: dict[str, int]
    sorted: int
    blank: int


def tally(path: Path) -> ErrorTally:
    """Count a sheet; a category that doesn't exist is an error with its lines, a blank one is counted apart."""
    lines = read_sheet(path)
    chosen = [category_of(line.cells["category"]) if line.cells["category"].strip() else "" for line in lines]
    _refuse_unknown(lines, chosen, path)
    done = [(line, category) for line, category in zip(lines, chosen, strict=True) if category]
    if not done:
        raise InputError(f"{path}: no line has a category yet. Fill in the last column, then count it.")
    counts = Counter(category for _, category in done)
    types = Counter(line.cells.get("antonym_type", "") for line, category in done if category == "antonymy")
    rows = [(category, counts[category]) for category in CATEGORIES]
    return ErrorTally(
        _with_shares(rows, [len(done)] * len(rows), ("category", "n")),
        _agreement([(category_of(line.cells["suggested"]), category) for line, category in done]),
        {name or "unknown": n for name, n in sorted(types.items())},
        len(done),
        len(lines) - len(done),
    )


def _refuse_unknown(lines: Sequence[SheetRow], chosen: Sequence[str | None], path: Path) -> None:
    wrong = [line for line, category in zip(lines, chosen, strict=True) if category is None]
    if wrong:
        places = ", ".join(f"{line.number} ({line.cells['category'].strip()!r})" for line in wrong[:_SHOWN])
        more = f" and {len(wrong) - _SHOWN:,} more" if len(wrong) > _SHOWN else ""
        which = "line" if len(wrong) == 1 else "lines"
        raise InputError(
            f"{path}, {which} {places}{more}: there is no such category. Write one of {', '.join(CATEGORIES)}."
        )


def _agreement(both: Sequence[tuple[str | None, str]]) -> pl.DataFrame:
    """Count for each category that was suggested how often it was chosen, and for all together."""
    same = Counter(suggested for suggested, category in both if suggested == category)
    total = Counter(suggested for suggested, _ in both if suggested)
    rows = [(category, same[category]) for category in SUGGESTED if total[category]]
    sizes = [total[category] for category, _ in rows]
    if rows:
        rows.append(("all", sum(n for _, n in rows)))
        sizes.append(sum(sizes))
    return _with_shares(rows, sizes, ("suggested", "chosen")).with_columns(
        pl.Series("of", sizes, dtype=pl.Int64)
    )


def _with_shares(rows: Sequence[tuple[str, int]], of: Sequence[int], names: tuple[str, str]) -> pl.DataFrame:
    table = pl.DataFrame(rows, schema={names[0]: pl.String, names[1]: pl.Int64}, orient="row")
    low, high = wilson(table[names[1]].to_numpy(), of)
    share = pl.Series("share", [n / total for (_, n), total in zip(rows, of, strict=True)], dtype=pl.Float64)
    return table.with_columns(share, pl.Series("share_low", low), pl.Series("share_high", high))
