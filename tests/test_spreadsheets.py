from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.spreadsheets import inert, restored

STARTS = st.text(alphabet="'=+-@＝＋－＠ \t\r\n", max_size=6)  # noqa: RUF001 - as in Chinese text


@given(st.builds(str.__add__, STARTS, st.text()))
def test_a_text_reads_back_and_is_no_formula(text: str) -> None:
    assert restored(inert(text)) == text
    assert not inert(text).lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋"))  # noqa: RUF001 - as above


@pytest.mark.parametrize("text", ["=1+1", "+1", "-2+3", "@SUM(A1)", "\t=1", "'=1", " =1", '=HYPERLINK("x")'])
def test_what_may_be_a_formula_gets_an_apostrophe(text: str) -> None:
    assert inert(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "a=b", "'tis", "3 - 2", "The man.", "''", "'"])
def test_other_texts_stay(text: str) -> None:
    assert inert(text) == text == restored(text)
