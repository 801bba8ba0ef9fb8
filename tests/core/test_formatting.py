from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core.formatting import (
    Cell,
    format_fraction,
    format_percent,
    number_equal_names,
    replace_unprintable,
    round_down,
    round_outwards,
    round_up,
)


def test_halves_are_rounded_up_in_decimal() -> None:
    assert format_fraction(965, 1000, 2) == "0.97"
    assert format_fraction(985, 1000, 2) == "0.99"
    assert format_fraction(15, 1000, 2) == "0.02"
    assert format_fraction(1, 1, 2) == "1.00"
    assert format_fraction(0, 0, 2) == "-"
    assert format_percent(1, 3) == "33.3%"


@given(st.integers(1, 10**9), st.data())
def test_rounding_is_off_by_half_a_unit_at_most(n: int, data: st.DataObject) -> None:
    part = data.draw(st.integers(0, n))
    gap = Fraction(format_fraction(part, n, 3)) - Fraction(part, n)
    assert -Fraction(1, 2000) < gap <= Fraction(1, 2000)


def test_bounds_are_rounded_outwards() -> None:
    assert Cell(5000, 5000, 0.99923, 1.0).text() == "1.00 0.99-1.00"
    assert Cell(1000, 500, 0.469, 0.531).text() == "0.50 0.46-0.54"
    assert Cell(100, 30, 0.29, 0.29).text() == "0.30 0.29-0.29"


@given(st.text())
def test_plain_text_is_one_printable_line_of_the_same_length(text: str) -> None:
    shown = replace_unprintable(text)
    assert len(shown) == len(text)
    assert shown.isprintable()


def test_escape_sequences_never_reach_the_terminal() -> None:
    assert "\x1b" not in replace_unprintable("\x1b[31mred")
    assert replace_unprintable(None) == "-"


def test_intervals_are_rounded_outwards_and_exact_bounds_stay() -> None:
    assert round_outwards(0.1239, 0.4561, 2) == ("0.12", "0.46")
    assert round_outwards(0.29, 0.57, 2) == ("0.29", "0.57")  # a little off in binary
    assert round_outwards(-3.21, -0.04, 1) == ("-3.3", "0.0")
    assert (round_down(7.49, 1), round_up(7.41, 1)) == ("7.4", "7.5")


@given(st.floats(-1, 1), st.floats(-1, 1), st.integers(1, 3))
def test_a_rounded_interval_holds_the_interval(one: float, other: float, digits: int) -> None:
    low, high = sorted((one, other))
    shown = [float(bound) for bound in round_outwards(low, high, digits)]
    assert shown[0] <= low + 1e-6
    assert high <= shown[1] + 1e-6


def test_equal_names_are_numbered() -> None:
    assert number_equal_names(["a", "b", "a"]) == ["a (1)", "b", "a (2)"]
    assert number_equal_names(["a", "a", "a (1)"]) == ["a (2)", "a (3)", "a (1)"]


@given(st.lists(st.sampled_from(["a", "b", "a (1)", "a (2)"]), max_size=6))
def test_numbered_names_are_distinct_and_begin_as_before(names: list[str]) -> None:
    numbered = number_equal_names(names)
    assert len(set(numbered)) == len(names)
    for before, after in zip(names, numbered, strict=True):
        assert after.startswith(before)
        assert (after == before) == (names.count(before) == 1)
