from __future__ import annotations

from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.io.csv_injection import escape_formula, format_csv, unescape_formula

STARTS = st.text(alphabet="'=+-@＝＋－＠ \t\r\n;,|\ufeff\u200b\u2060\u00a0\x00", max_size=6)  # noqa: RUF001 - as in Chinese text


@given(st.builds(str.__add__, STARTS, st.text()))
def test_a_text_reads_back_and_is_no_formula(text: str) -> None:
    assert unescape_formula(escape_formula(text)) == text
    assert not escape_formula(text).lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋"))  # noqa: RUF001 - as above


@pytest.mark.parametrize("text", ["=1+1", "+1", "-2+3", "@SUM(A1)", "\t=1", "'=1", " =1", '=HYPERLINK("x")'])
def test_what_may_be_a_formula_gets_an_apostrophe(text: str) -> None:
    assert escape_formula(text) == f"'{text}"


@pytest.mark.parametrize(
    "start",
    [
        "\ufeff",
        "\u200b",
        "\u200b \u2060",
        "\u202e",
        "\u00ad",
        "\u00a0",
        "\u3000",
        "\u2028",
        "\x00",
        "\x1f",
        ";",
        " ; ",
        "|",
        ",",
    ],
)
@pytest.mark.parametrize("sign", ["=", "+", "-", "@"])
def test_what_programs_drop_before_a_formula_hides_none(start: str, sign: str) -> None:
    text = f"{start}{sign}1"
    assert escape_formula(text) == f"'{text}"
    assert unescape_formula(f"'{text}") == text
    assert escape_formula(f"'{text}") == f"''{text}"


@pytest.mark.parametrize("text", ["\u200bcat", "; a", ";a=b", "\ufeff", "\u200b1", " 3 - 2"])
def test_what_has_nothing_of_a_formula_stays_whatever_it_begins_with(text: str) -> None:
    assert escape_formula(text) == text == unescape_formula(text)


def test_numbers_stay_numbers() -> None:
    table = pl.DataFrame(
        {"a": [-1.5, 2.0], "b": [-3, 4], "c": [Decimal("-1.5"), None], "d": ["\u200b=1", "x"]}
    )
    assert format_csv(table) == "a,b,c,d\n-1.5,-3,-1.5,'\u200b=1\n2.0,4,,x\n"


@pytest.mark.parametrize("text", ["", "a=b", "'tis", "3 - 2", "The man.", "''", "'"])
def test_other_texts_stay(text: str) -> None:
    assert escape_formula(text) == text == unescape_formula(text)
