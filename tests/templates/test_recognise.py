"""From text back to ranks: round trips, refusals, and odd tables."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from random_sets import grammars
from small_sets import every_pair, grammar_of, read_grammar, set_text, subcase, template

from rightreasons.sets.hans.hans import Hans
from rightreasons.templates.recognise import RECOGNISED, Recogniser, recognise_pairs

WORDS = {
    "N": ["dog", "ice cream", "mother-in-law", "o'clock", "New York", "été", "hot dog stand"],
    "FOOD": ["corn", "(NN ice) (NN tea)", "(NP (JJ red) (NN tea))"],
    "PREP": ["(PP (IN near) *)", "(PP (IN in) (NP (NN front) (PP (IN of) *)))"],
    "V": "saw heard",
}
TEXT = set_text(
    WORDS,
    subcase(
        "plain",
        template("The {N1} {V1} the {N2}.", "The {N2} {V1} the {N1}.", "swap", trigger="{V1}"),
        template("{N1}, (so) {N2}: {N3}!", "Some {N3} - yes.", "signs"),
        template("The {N1} slept.", "The {N2} {V1}.", "free"),
        template("It rained.", "It was wet.", "fixed"),
        template("The {N1}'s {FOOD1} slept.", "{FOOD1}.", "owned"),
    ),
    subcase(
        "tree",
        template(
            "(S (NP (NN {N1})) {PREP (NP (DT the) {FOOD1})} (VBD {V1}) (, ,) (NN {N2}) (. .))",
            "(S (NP {FOOD1}) (VBD {V1}) (. .))",
            "tree",
            trigger="near",
        ),
        label="neutral",
    ),
)
GRAMMAR = read_grammar(TEXT)
ALL = every_pair(GRAMMAR)
RECOGNISER = Recogniser(GRAMMAR, "odd")


def found_in(pairs: pl.DataFrame, *recognisers: Recogniser) -> pl.DataFrame:
    return recognise_pairs(pairs, recognisers or [RECOGNISER])


def pair(premise: str | None, hypothesis: str | None) -> pl.DataFrame:
    texts = {"premise": [premise], "hypothesis": [hypothesis]}
    return pl.DataFrame(texts, schema=dict.fromkeys(texts, pl.String))


@pytest.mark.parametrize("style", ["natural", "tokenised"])
def test_all_pairs_are_found_where_they_come_from(style: str) -> None:
    pairs = every_pair(GRAMMAR, style)
    wanted = pairs.with_columns(mode=pl.lit("odd")).select(RECOGNISED)
    assert_frame_equal(found_in(pairs), wanted)


@pytest.mark.parametrize(
    ("words", "premise"),
    [
        ({"N": "dog cat"}, "The {N1}s slept."),
        ({"N": "happy kind"}, "An un{N1} dog slept."),
        ({"N": "dog cat"}, "(S (DT the) (NN {N1}) (VBD did) (RB n't) (VB sleep) (. .))"),
        ({"N": "dog cat"}, "(S (DT the) (NN {N1}) (POS 's) (NN cat) (. .))"),
        ({"N": ["May", "may", "Mary"]}, "{N1} saw the {N2}."),
        ({"N": ["May", "may", "will"]}, "The {N1} saw the {N2}."),
        (
            {"N": ["\u0939\u093f\u0928\u094d\u0926\u0940", "\u0915\u093f\u0924\u093e\u092c"]},
            "The {N1} slept.",
        ),
        ({"N": ["cafe\u0301", "bar"]}, "The {N1} slept."),
        ({"N": ["dog", "\U0001f436", "\u72ac", "\u72ac \u732b"]}, "The {N1} slept."),
        ({"N": ["A", "B"]}, "The {N1} is {N2}."),
        ({"N": ["$5", "5%", "1,000", "3.14"]}, "The {N1} is {N2}."),
        ({"N": ["dog_house", "dog-house", "dog house"]}, "The {N1} is {N2}."),
    ],
)
def test_round_trips_of_unusual_words(words: dict[str, object], premise: str) -> None:
    grammar = grammar_of(words, template(premise, "A {N1} did." if premise[0] != "(" else "(S (NN {N1}))"))
    pairs = every_pair(grammar).unique(["premise", "hypothesis"], maintain_order=True)
    found = found_in(pairs, Recogniser(grammar))
    assert found["rank"].to_list() == pairs["rank"].to_list()


@settings(deadline=None, max_examples=150)
@given(grammars())
def test_round_trips_of_random_sets(text: str) -> None:
    grammar = read_grammar(text)
    pairs = every_pair(grammar)
    found = found_in(pairs, Recogniser(grammar))
    known: dict[tuple[str, str], set[tuple[str, int]]] = {}
    for row in pairs.iter_rows(named=True):
        known.setdefault((row["premise"], row["hypothesis"]), set()).add((row["subvariant"], row["rank"]))
    for row, got in zip(pairs.iter_rows(named=True), found.iter_rows(named=True), strict=True):
        assert (got["subvariant"], got["rank"]) in known[row["premise"], row["hypothesis"]]


WRONG = {
    "lower": str.lower,
    "upper": str.upper,
    "cut": lambda text: text[:-1],
    "space after": lambda text: text + " ",
    "space before": lambda text: " " + text,
    "two spaces": lambda text: text.replace(" ", "  ", 1),
    "another word": lambda text: text.replace("The", "A"),
    "more": lambda text: text + " It rained.",
    "another sign": lambda text: text.replace(".", "?"),
    "a word less": lambda text: text.replace("the ", ""),
    "another form": lambda text: text.replace("saw", "seen").replace("heard", "hears"),
    "nothing": lambda _: "",
    "hard spaces": lambda text: text.replace(" ", "\u00a0"),
    "line breaks": lambda text: text.replace(" ", "\n"),
    "a null byte": lambda text: text + "\x00",
    "again and again": lambda text: text * 50,
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("side", ["premise", "hypothesis"])
def test_corrupted_text_is_refused(wrong: str, side: str) -> None:
    texts = pl.Series(side, [WRONG[wrong](text) for text in ALL[side]])
    pairs = ALL.with_columns(texts).filter(texts != ALL[side])
    assert pairs.height
    assert found_in(pairs)["rank"].null_count() == pairs.height


def test_illegal_draws_are_refused() -> None:
    assert found_in(pair("The dog saw the dog.", "The dog saw the dog."))["rank"].to_list() == [None]
    assert found_in(pair("The dog slept.", "The dog saw."))["rank"].to_list() == [None]
    assert found_in(pair("The dog saw the été.", "The été heard the dog."))["rank"].to_list() == [None]
    assert found_in(pair("The dog saw the été.", "The été saw the dog."))["rank"].null_count() == 0


@settings(deadline=None, max_examples=100)
@given(st.text(), st.text())
def test_any_text_is_recognised_or_not(premise: str, hypothesis: str) -> None:
    assert found_in(pair(premise, hypothesis))["rank"].to_list() == [None]


@pytest.mark.parametrize(
    ("premise", "hypothesis"),
    [(None, None), (None, "It was wet."), ("It rained.", None), ("", ""), (" ", "\x00")],
)
def test_nulls_and_blanks_are_found_nowhere(premise: str | None, hypothesis: str | None) -> None:
    found = found_in(pair(premise, hypothesis))
    assert found.row(0) == (None,) * len(RECOGNISED)


def test_an_empty_table_gives_an_empty_table() -> None:
    found = found_in(ALL.head(0))
    assert found.columns == list(RECOGNISED)
    assert found.height == 0
    assert recognise_pairs(ALL.head(0), []).columns == list(RECOGNISED)
    assert recognise_pairs(ALL.head(3), [])["rank"].null_count() == 3


def test_huge_text_is_refused_soon() -> None:
    long = "the dog saw " * 100_000
    assert found_in(pair(long, long))["rank"].to_list() == [None]
    assert found_in(pair("x" * 2_000_000, "(" * 500_000))["rank"].to_list() == [None]


def test_rows_keep_their_order_among_rows_that_are_found_nowhere() -> None:
    mixed = ALL.with_columns(
        premise=pl.when(pl.int_range(pl.len()) % 3 == 0).then(pl.lit("Nothing.")).otherwise("premise")
    ).sample(fraction=1.0, shuffle=True, seed=4)
    found = found_in(mixed)
    for row, got in zip(mixed.iter_rows(named=True), found.iter_rows(named=True), strict=True):
        expected = (None, None) if row["premise"] == "Nothing." else (row["subvariant"], row["rank"])
        assert (got["subvariant"], got["rank"]) == expected


def test_several_sets_are_asked_in_turn_and_the_first_that_knows_a_pair_answers() -> None:
    one = grammar_of({"N": "dog cat"}, template("The {N1} slept.", "It slept."), name="one")
    two = grammar_of({"N": "dog cat bird"}, template("The {N1} slept.", "It slept."), name="two")
    pairs = pl.concat([every_pair(two), ALL.head(4), every_pair(one)], how="diagonal")
    found = found_in(pairs, Recogniser(one), Recogniser(two), RECOGNISER)
    assert found["set"].to_list() == ["one", "one", "two", *["small"] * 4, "one", "one"]
    assert found["mode"].to_list() == [None] * 3 + ["odd"] * 4 + [None] * 2
    assert found["rank"].to_list() == [0, 1, 2, *ALL["rank"].head(4), 0, 1]


def test_templates_of_weight_zero_are_not_recognised() -> None:
    entries = [
        template("The {N1} slept.", "It did.", "in"),
        template("The {N1} ran.", "It did.", "out", weight=0),
    ]
    recogniser = Recogniser(grammar_of({"N": "dog cat"}, *entries))
    assert found_in(pair("The dog ran.", "It did."), recogniser)["rank"].to_list() == [None]
    assert found_in(pair("The dog slept.", "It did."), recogniser)["rank"].to_list() == [0]


def test_hans_in_both_modes_is_found_again() -> None:
    recognisers = Hans().recognisers()
    for mode, asked in (("corrected", [recognisers[0]]), ("faithful", [recognisers[1]])):
        plan = Hans(mode=mode, parses="none").plan(size=50, limit=None, seed=8, split="train")  # type: ignore[arg-type]
        pairs = plan.rows(0, len(plan))
        found = recognise_pairs(pairs, asked)
        wanted = pairs.with_columns(mode=pl.lit(mode)).select(RECOGNISED)
        assert_frame_equal(found, wanted)
