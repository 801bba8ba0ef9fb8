"""Every branch of the numerical test has the label that its texts have; new numbers stay on their side."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rightreasons.language.numbers import Style, find_numbers, read_number_at, write_digits
from rightreasons.sets.stress.numerical_amounts import (
    draw_larger_digits,
    draw_smaller_digits,
    get_highest_digits,
    get_lowest_digits,
    has_smaller_and_larger,
    label_texts_by_amount,
)
from rightreasons.sets.stress.numerical_pairs import Choices, NumberSentence, build_three_pairs

BRANCHES = {
    "compared_more": "entailment",
    "compared_less": "entailment",
    "swapped_more": "neutral",
    "swapped_less": "neutral",
    "wrong_more": "contradiction",
    "wrong_less": "contradiction",
    "other_larger": "contradiction",
    "other_smaller": "contradiction",
}
DIGITS = st.integers(2, 10**9)
STYLES = st.sampled_from(
    [
        Style(),
        Style(commas=False),
        Style(decimals=2),
        Style(sign="$"),
        Style(sign="$ ", decimals=2),
        Style(percent="%"),
        Style(percent=" percent", decimals=1),
        Style(scale=" million"),
        Style(scale=" million", decimals=1),
        Style(sign="$", scale=" million", decimals=1),
        Style(words=True),
        Style(words=True, conjunction=True, capital=True),
    ]
)
CHOICES = st.tuples(*[st.integers(0, bound - 1) for bound in (2, 2, 2**31, 2, 2, 2, 2**31)]).map(
    lambda drawn: Choices(*drawn)
)


@given(STYLES, DIGITS, CHOICES, st.sampled_from(["", "They saw "]), st.sampled_from(["less", "fewer"]))
def test_every_branch_has_the_label_that_its_texts_have(
    style: Style, digits: int, chosen: Choices, before: str, less: str
) -> None:
    text = f"{before}{write_digits(digits, style)} birds."
    number = read_number_at(text, len(before))
    assert number is not None
    if all(has_smaller_and_larger(number)):
        rows = build_three_pairs(NumberSentence(0, text, number), chosen, less)
        for _, premise, hypothesis, label, *_, branch in rows:
            assert label == label_texts_by_amount(premise, hypothesis, len(before)) == BRANCHES[branch]
        assert [row[3] for row in rows] == ["entailment", "neutral", "contradiction"]


@given(STYLES, DIGITS, st.integers(0, 1), st.integers(0, 2**31 - 1))
def test_other_numbers_stay_on_their_side_and_within_bounds(
    style: Style, digits: int, way: int, amount: int
) -> None:
    number = read_number_at(write_digits(digits, style), 0)
    assert number is not None
    below, above = has_smaller_and_larger(number)
    if below:
        assert get_lowest_digits(number) <= draw_smaller_digits(number, way, amount) < number.digits
    if above:
        top = get_highest_digits(number)
        assert number.digits < draw_larger_digits(number, way, amount) <= (top or 30 * number.digits)


def test_other_numbers_differ_in_magnitude() -> None:
    (number,) = find_numbers("48")
    found = {draw_larger_digits(number, way, amount) for way in (0, 1) for amount in range(60)}
    assert min(found) < 60
    assert max(found) == 20 * 48
    assert len(found) > 40
