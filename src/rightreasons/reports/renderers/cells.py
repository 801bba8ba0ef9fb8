"""Values and names as text, the same in every form of a report.

Shares, points and percentages are fractions of 1 in the frame: a share of 0.541 is shown as 0.54, as percent 54.1%,
and a difference of 0.041 as +4.1 points, its size as 4.1. Unknown values (null, nan) are a dash. Foreign text is shown
on one line, without control characters, and cut to a length that a page can hold.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from rightreasons.core.formatting import replace_unprintable, round_half_up, round_outwards, round_up

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from rightreasons.core.exhibit import Exhibit, Format

UNKNOWN = "-"
_TEXTS = ("text", "passage")
LOW, HIGH = "_low", "_high"
_LEAST_P = 0.001
_EXACT_DECIMALS = 12  # decimals to which a float is an exact share of counts


class _FigureFormat(NamedTuple):
    """How a figure with an interval is formatted: factor, decimals, unit and separator."""

    factor: int
    decimals: int
    unit: str = ""
    between: str = "-"
    signed: bool = False


_SCALES: dict[str, _FigureFormat] = {
    "share": _FigureFormat(1, 2),
    "figure": _FigureFormat(1, 4),
    "percent": _FigureFormat(100, 1, unit="%"),
    "decimal": _FigureFormat(1, 2),
    "correlation": _FigureFormat(1, 2, between=" to ", signed=True),
    "points": _FigureFormat(100, 1, between=" to ", signed=True),
}


@dataclass(frozen=True)
class Column:
    """A column to show: its name in the frame, its heading, its format, and the columns of its interval."""

    name: str
    heading: str
    format: Format
    low: str | None = None
    high: str | None = None

    @property
    def is_figure(self) -> bool:
        """Whether it holds figures, which are aligned right, rather than text."""
        return self.format not in _TEXTS


def list_shown_columns(exhibit: Exhibit) -> list[Column]:
    """List the columns to show; an interval goes into the cell of its figure."""
    has = set(exhibit.frame.columns)
    return [
        Column(
            name,
            replace_unprintable(exhibit.headings.get(name, name)),
            shown,
            *(f"{name}{end}" if f"{name}{end}" in has else None for end in (LOW, HIGH)),
        )
        for name, shown in exhibit.formats.items()
    ]


def format_exhibit_rows(exhibit: Exhibit) -> Iterator[list[str]]:
    """Format each row of an exhibit as texts, one per column, not escaped yet."""
    shown = list_shown_columns(exhibit)
    for row in exhibit.frame.iter_rows(named=True):
        yield [
            format_value(
                row[column.name],
                column.format,
                row[column.low] if column.low else None,
                row[column.high] if column.high else None,
            )
            for column in shown
        ]


def format_value(value: Any, shown: Format, low: float | None = None, high: float | None = None) -> str:
    """Format one value, with its interval if both bounds are known."""
    if _is_unknown(value):
        return UNKNOWN
    if shown in _TEXTS:
        return replace_unprintable(value)
    if shown == "count":
        known = not (_is_unknown(low) or _is_unknown(high))
        return (
            f"{_format_count(value)} ({_format_count(low)}-{_format_count(high)})"
            if known
            else _format_count(value)
        )
    if shown == "p":
        return _format_p_value(value)
    if shown == "size":
        return round_up(value * 100, 1)
    return _format_figure(value, _SCALES[shown], low, high)


def _format_count(value: Any) -> str:
    return f"{int(round_half_up(_to_exact_fraction(value), 0)):,}"


def _is_unknown(value: Any) -> bool:
    return value is None or (isinstance(value, float) and not math.isfinite(value))


def _format_p_value(value: float) -> str:
    return f"<{_LEAST_P}" if value < _LEAST_P else round_half_up(_to_exact_fraction(value), 3)


def _format_figure(value: float, scale: _FigureFormat, low: float | None, high: float | None) -> str:
    """Format a figure rounded half up, and the bounds of its interval rounded outwards."""
    figure = round_half_up(_to_exact_fraction(value) * scale.factor, scale.decimals)
    if scale.signed and Fraction(figure) > 0:
        figure = f"+{figure}"
    if low is None or high is None or _is_unknown(low) or _is_unknown(high):
        return f"{figure}{scale.unit}"
    ends = round_outwards(low * scale.factor, high * scale.factor, scale.decimals)
    between = " to " if ends[0].startswith("-") else scale.between  # a hyphen would look like a sign
    return f"{figure}{scale.unit} ({between.join(ends)})"


def _to_exact_fraction(value: float) -> Fraction:
    """Return the decimal that a float stands for: 0.965 is slightly less in binary, and would be rounded down."""
    return Fraction(f"{value:.{_EXACT_DECIMALS}f}") if isinstance(value, float) else Fraction(value)


MAX_NAME = 120  # characters of a model's or set's name, or of a cell
MAX_SENTENCE = 2_000
_BREAKS = re.compile(r"(?<=[_/.:-])(?=\w)")
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


def shorten_name(value: object) -> str:
    """Cut a long name or cell in the middle, because similar names often differ at their end."""
    text = replace_unprintable(value)
    if len(text) <= MAX_NAME:
        return text
    return f"{text[: MAX_NAME // 2]}{ELLIPSIS}{text[-MAX_NAME // 2 :]}"


def shorten_sentence(value: object) -> str:
    """Cut a long sentence at its end."""
    text = replace_unprintable(value)
    return text if len(text) <= MAX_SENTENCE else f"{text[:MAX_SENTENCE]}{ELLIPSIS}"


def make_breakable_name(value: object) -> Markup:
    """Escape a name, and let it break after punctuation but not inside words."""
    from markupsafe import Markup

    return Markup("<wbr>").join(_BREAKS.split(shorten_name(value)))


def format_times(value: str) -> str:
    """Format one or several times for people; anything else stays as it is."""
    return ", ".join(_format_time(each) for each in value.split(", "))


def _format_time(value: str) -> str:
    try:
        read = datetime.fromisoformat(value)
    except ValueError:
        return shorten_name(value)
    return f"{read:%Y-%m-%d %H:%M} {read.tzname() or ''}".strip()
