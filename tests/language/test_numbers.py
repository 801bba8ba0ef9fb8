"""Numbers are read with their exact value and place, written again in their style, and judged by their context."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.language.number_contexts import find_other_use
from rightreasons.language.numbers import (
    LIMIT,
    Style,
    compute_value,
    find_numbers,
    read_number_at,
    read_number_words,
    write_digits,
    write_number,
    write_number_words,
)


def styles(**parts: st.SearchStrategy[object]) -> st.SearchStrategy[Style]:
    return st.fixed_dictionaries(parts).map(lambda chosen: Style(**chosen))


STYLES = st.one_of(
    styles(
        sign=st.sampled_from(["", "$", "$ ", "£", "Rs. ", "Rs ", "US$"]),
        commas=st.booleans(),
        decimals=st.integers(0, 6),
        scale=st.sampled_from(["", " thousand", " million"]),
    ),
    styles(
        commas=st.booleans(),
        decimals=st.integers(0, 6),
        percent=st.sampled_from(["%", " %", " percent", " per cent"]),
    ),
    styles(
        words=st.just(value=True),
        joint=st.sampled_from("- "),
        conjunction=st.booleans(),
        capital=st.booleans(),
        percent=st.sampled_from(["", " percent"]),
    ),
)


def uses(text: str) -> dict[str, str | None]:
    found = find_numbers(text)
    return {text[one.start : one.end]: find_other_use(text, found, which) for which, one in enumerate(found)}


@given(STYLES, st.integers(0, 10**9))
def test_what_is_written_is_read_again(style: Style, digits: int) -> None:
    text = write_digits(digits, style)
    found = read_number_at(text, 0)
    assert found is not None
    assert text == write_number(compute_value(digits, style), style)
    assert (found.start, found.end, found.value) == (0, len(text), compute_value(digits, style))
    assert found.millionths == found.value * 10**6
    assert found.style.kind == style.kind
    assert write_number(found.value, found.style) == text or not style.commas or style.words


@given(STYLES, st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_style_that_was_read_writes_any_other_number(style: Style, digits: int, other: int) -> None:
    found = read_number_at(write_digits(digits, style), 0)
    assert found is not None
    again = read_number_at(write_digits(other, found.style), 0)
    assert again is not None
    assert again.value == compute_value(other, found.style)
    # "12 million" doesn't tell how many decimals another one may have.
    assert found.style.decimals == style.decimals or style.scale


@given(st.integers(0, LIMIT - 1), st.sampled_from("- "), st.booleans())
def test_words_are_read_as_they_were_written(value: int, joint: str, conjunction: bool) -> None:
    text = write_number_words(value, joint=joint, conjunction=conjunction)
    assert read_number_words(text) == value
    (found,) = find_numbers(f"All of {text} things")
    assert (found.start, found.end, found.digits) == (7, 7 + len(text), value)


@given(st.text() | st.text(alphabet="0123456789.,%$ one-hundred\n"))
def test_any_text_can_be_read(text: str) -> None:
    found = find_numbers(text)
    assert all(before.end <= after.start for before, after in pairwise(found))
    assert all(read_number_at(text, one.start) == one for one in found)
    for which in range(len(found)):
        find_other_use(text, found, which)


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("$1,234.50", Fraction("1234.5"), "currency"),
        ("£5 million", 5_000_000, "currency"),
        ("Rs. 300", 300, "currency"),
        ("12.5%", Fraction("12.5"), "percent"),
        ("twenty percent", 20, "percent"),
        ("0.75", Fraction("0.75"), "plain"),
        ("2.5 thousand", 2500, "plain"),
        ("Two hundred and five", 205, "word"),
        ("twelve hundred", 1200, "word"),
        ("thirty-two thousand four hundred", 32_400, "word"),
        ("a hundred", 100, "word"),
        ("a hundred and twenty", 120, "word"),
        ("a thousand five hundred", 1500, "word"),
        ("a hundred thousand and three", 100_003, "word"),
        ("a million", 10**6, "word"),
    ],
)
def test_values_and_kinds(text: str, value: Fraction, kind: str) -> None:
    (found,) = find_numbers(f"They counted {text} there.")
    assert (found.value, found.style.kind) == (value, kind)


@pytest.mark.parametrize(
    ("text", "digits", "written"),
    [
        ("$349.99", 1, "$0.01"),
        ("4,800", 950, "950"),
        ("950", 4800, "4,800"),
        ("1500", 4800, "4800"),
        ("$ 20", 5, "$ 5"),
        ("Twelve", 24, "Twenty-four"),
        ("fifty six", 24, "twenty four"),
        ("fifty thousand", 24, "twenty-four"),
        ("one hundred and six", 224, "two hundred and twenty-four"),
        ("a hundred and six", 224, "two hundred and twenty-four"),
        ("1.5 million", 120, "12 million"),
        ("$1.5 million", 125, "$12.5 million"),
        ("1.5", 120, "12.0"),
    ],
)
def test_other_numbers_are_written_in_the_same_way(text: str, digits: int, written: str) -> None:
    (found,) = find_numbers(text)
    assert write_digits(digits, found.style) == written


def test_what_a_style_cannot_express_is_refused() -> None:
    for value in (Fraction("0.5"), -1):
        with pytest.raises(ValueError, match="can't be written"):
            write_number(value, Style())


@pytest.mark.parametrize(
    ("text", "number", "use"),
    [
        ("He was born in 1998.", "1998", "year"),
        ("They came in 1067.", "1067", "year"),
        ("They paid 2001 taxes.", "2001", "year"),
        ("They met at 9 in the morning.", "9", "clock"),
        ("It opens at 9:15.", "9", "clock"),
        ("It opens at 9 am.", "9", "clock"),
        ("They met on May 12 in Rome.", "12", "date"),
        ("They met on 12 May in Rome.", "12", "date"),
        ("The score was 3 : 2 then.", "3", "ratio"),
        ("He ate 3/4 of it.", "3", "ratio"),
        ("It takes 5 to 7 hours.", "7", "ratio"),
        ("He returned 3 of the 8 shirts.", "3", "ratio"),
        ("He ate two thirds of it.", "two", "ratio"),
        ("It led to one of three gates.", "three", "ratio"),
        ("She came 4th there.", "4", "ordinal"),
        ("She slept in Room 12 there.", "12", "identifier"),
        ("See No. 5 there.", "5", "identifier"),
        ("Call 0123456 now.", "0123456", "identifier"),
        ("Then x = 5 holds.", "5", "formula"),
        ("Then 3 + 4 holds.", "3", "formula"),
        ("He has at least 5 cats.", "5", "modified"),
        ("He has about 5 cats.", "5", "modified"),
        ("He has another 5 cats.", "5", "modified"),
        ("He has 5 more cats.", "5", "modified"),
        ("He has 5 or more cats.", "5", "modified"),
        ("He has up to 5 cats.", "5", "modified"),
        ("He has half a million cats.", "a million", "modified"),
        ("He has several hundred twenty cats.", "twenty", "modified"),
        ("He has several hundred and twenty cats.", "twenty", "modified"),
        ("He has half of 24 cats.", "24", "ratio"),
        ("He has a quarter of a million cats.", "a million", "ratio"),
        ("He feeds the 5 cats.", "5", "definite"),
        ("He feeds Anna's 5 cats.", "5", "definite"),
        ("They flew with Apollo 11 then.", "11", "name"),
        ("They watched 12 Monkeys twice.", "12", "name"),
        ("A 5-year-old boy ran.", "5", "compound"),
        ("It lasts 5-7 hours.", "7", "compound"),
        ("Buy 3 and 4 and leave.", "3", "list"),
        ("It took 2 hours and 30 minutes.", "30", "measure"),
    ],
)
def test_numbers_that_are_no_free_quantities(text: str, number: str, use: str) -> None:
    assert uses(text)[number] == use


@pytest.mark.parametrize(
    "text",
    [
        "Anna bought 48 candles.",
        "Anna paid $20 for it.",
        "Anna spoke twelve words to 1,500 people.",
        "2000 people came, and 5km away sat 300.",
        "The price fell by 8 percent.",
        "For 20 years they came.",
        "He has 3 red cats and 4 black dogs.",
        "He has a hundred cats.",
    ],
)
def test_free_quantities(text: str) -> None:
    assert set(uses(text).values()) == {None}
