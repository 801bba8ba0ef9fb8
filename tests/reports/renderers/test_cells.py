from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core.exhibit import Exhibit
from rightreasons.core.formatting import round_half_up
from rightreasons.reports.renderers.cells import format_exhibit_rows, format_value, list_shown_columns
from rightreasons.scoring.intervals import wilson_interval

if TYPE_CHECKING:
    from rightreasons.core.exhibit import Format


@pytest.mark.parametrize(
    ("value", "shown", "low", "high", "wanted"),
    [
        (0.54, "share", 0.521, 0.559, "0.54 (0.52-0.56)"),
        (0.965, "share", None, None, "0.97"),
        (1, "share", 1.0, 1.0, "1.00 (1.00-1.00)"),
        (0.041, "points", 0.0301, 0.0519, "+4.1 (3.0 to 5.2)"),
        (-0.041, "points", -0.0519, -0.0301, "-4.1 (-5.2 to -3.0)"),
        (0.0, "points", -0.01, 0.01, "0.0 (-1.0 to 1.0)"),
        (-0.0001, "points", None, None, "0.0"),
        (0.742, "percent", None, None, "74.2%"),
        (0.742, "percent", 0.7311, 0.7529, "74.2% (73.1-75.3)"),
        (12.345, "decimal", None, None, "12.35"),
        (-0.1267, "figure", -0.2075, -0.0489, "-0.1267 (-0.2075 to -0.0489)"),
        (-0.004, "decimal", None, None, "0.00"),
        (0.0004, "p", None, None, "<0.001"),
        (0.001, "p", None, None, "0.001"),
        (0.0495, "p", None, None, "0.050"),
        (1.0, "p", None, None, "1.000"),
        (1_234_567, "count", None, None, "1,234,567"),
        (1234.5, "count", None, None, "1,235"),
        (None, "share", None, None, "-"),
        (float("nan"), "points", None, None, "-"),
        (0.5, "share", float("nan"), 0.6, "0.50"),
        (float("inf"), "share", None, None, "-"),
        (None, "text", None, None, "-"),
        ("a\x1b[31m\nb", "text", None, None, "a�[31m�b"),
        ("a\x1b[31m\nb", "passage", None, None, "a�[31m�b"),
    ],
)
def test_values_are_shown_by_their_format(
    value: object, shown: Format, low: float | None, high: float | None, wanted: str
) -> None:
    assert format_value(value, shown, low, high) == wanted


@given(st.integers(1, 10**7), st.data())
def test_a_share_of_counts_is_rounded_as_the_counts_are(n: int, data: st.DataObject) -> None:
    part = data.draw(st.integers(0, n))
    assert format_value(part / n, "share") == round_half_up(Fraction(part, n), 2)
    assert format_value(part / n, "percent") == round_half_up(Fraction(100 * part, n), 1) + "%"


@given(st.integers(1, 10**6), st.data())
def test_an_interval_is_never_shown_narrower_than_it_is(n: int, data: st.DataObject) -> None:
    low, high = (float(end) for end in wilson_interval(data.draw(st.integers(0, n)), n))
    shown = format_value(0.5, "share", low, high)
    ends = shown[shown.index("(") + 1 : -1].split("-")
    assert float(ends[0]) <= low + 1e-8
    assert float(ends[1]) >= high - 1e-8
    assert float(ends[1]) - float(ends[0]) <= high - low + 0.02 + 1e-8


def test_an_interval_goes_into_the_cell_of_its_figure() -> None:
    frame = pl.DataFrame({"m": ["a"], "x": [0.5], "x_low": [0.4], "x_high": [0.6], "hidden": [1]})
    exhibit = Exhibit("k", "t", "c", frame, {"m": "text", "x": "share"}, headings={"x": "the\nshare"})
    assert [column.heading for column in list_shown_columns(exhibit)] == ["m", "the�share"]
    assert list(format_exhibit_rows(exhibit)) == [["a", "0.50 (0.40-0.60)"]]
