from __future__ import annotations

import random
from collections.abc import Callable

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.sets.hans.hans import MODES, load_hans_grammar
from rightreasons.templates.recognise import Recogniser
from slow_cases import slow_after

RECOGNISERS = [Recogniser(load_hans_grammar(mode), mode) for mode in MODES]
REAL = rr.plan("hans-released", parses="none").rows(0, 30_000)
SINGULAR = (
    "professor student president judge senator secretary doctor lawyer "
    "scientist banker tourist manager artist author actor athlete"
)
NOUNS = {form for noun in SINGULAR.split() for form in (noun, f"{noun}s".replace("ys", "ies"))}

# A corruption takes the words of both sentences and gives two sentences that no template can say, or nothing
# where it does not apply. Why none is legal by accident stands in each docstring.
Words = list[str]
Corruption = Callable[[Words, Words, random.Random], tuple[str, str] | None]


def join_words(premise: Words, hypothesis: Words) -> tuple[str, str]:
    return " ".join(premise), " ".join(hypothesis)


def swapped(premise: Words, hypothesis: Words, _: random.Random) -> tuple[str, str]:
    """Turn the first two words round: no hypothesis starts with a noun and an article, or with a verb."""
    first, second, *rest = hypothesis
    return join_words(premise, [second.capitalize(), first.lower(), *rest])


def repeated_noun(premise: Words, hypothesis: Words, draw: random.Random) -> tuple[str, str] | None:
    """Make two nouns of the premise one: a legal premise has no noun twice, in either number."""
    nouns = [word for word in premise if word in NOUNS]
    if len(nouns) < 2:
        return None
    old, new = draw.sample(nouns, 2)
    return join_words(*([new if word == old else word for word in side] for side in (premise, hypothesis)))


def unknown_word(premise: Words, hypothesis: Words, draw: random.Random) -> tuple[str, str]:
    """Put a noun that no list has."""
    old = draw.choice([word for word in premise if word in NOUNS])
    return join_words(
        *(["plumber" if word == old else word for word in side] for side in (premise, hypothesis))
    )


def dropped_word(premise: Words, hypothesis: Words, draw: random.Random) -> tuple[str, str] | None:
    """Take out an article inside the premise: only a first adjective may stand before a bare noun."""
    places = [place for place, word in enumerate(premise) if word == "the"]
    if not places:
        return None
    place = draw.choice(places)
    return join_words(premise[:place] + premise[place + 1 :], hypothesis)


def doubled_word(premise: Words, hypothesis: Words, draw: random.Random) -> tuple[str, str]:
    """Say a word of the premise twice in a row: no premise does."""
    place = draw.randrange(len(premise))
    return join_words([*premise[: place + 1], premise[place].lower(), *premise[place + 1 :]], hypothesis)


def small_start(premise: Words, hypothesis: Words, draw: random.Random) -> tuple[str, str]:
    """Start a sentence with a small letter."""
    side = draw.choice((premise, hypothesis))
    side[0] = side[0].lower()
    return join_words(premise, hypothesis)


def no_stop(premise: Words, hypothesis: Words, draw: random.Random) -> tuple[str, str]:
    """Leave a full stop out."""
    draw.choice((premise, hypothesis)).pop()
    return join_words(premise, hypothesis)


def extra_space(premise: Words, hypothesis: Words, draw: random.Random) -> tuple[str, str]:
    """Put a second space between two words, or one before or behind a sentence."""
    side = draw.choice((premise, hypothesis))
    side.insert(draw.choice((0, 1, len(side))), "")
    return join_words(premise, hypothesis)


def foreign_hypothesis(premise: Words, _: Words, draw: random.Random) -> tuple[str, str]:
    """Take another pair's hypothesis with a word that the premise lacks: no hypothesis has one."""
    known = {word.lower() for word in premise}
    others = REAL["hypothesis"]
    while True:
        other = others[draw.randrange(len(others))].split(" ")
        if not {word.lower() for word in other} <= known:
            return join_words(premise, other)


CORRUPTIONS: tuple[Corruption, ...] = (
    swapped,
    repeated_noun,
    unknown_word,
    dropped_word,
    doubled_word,
    small_start,
    no_stop,
    extra_space,
    foreign_hypothesis,
)


def corrupted(corruption: Corruption, count: int) -> pl.DataFrame:
    draw = random.Random(corruption.__name__)  # noqa: S311 - no secret
    made: list[tuple[str, str]] = []
    while len(made) < count:
        row = REAL.row(draw.randrange(REAL.height), named=True)
        pair = corruption(row["premise"].split(" "), row["hypothesis"].split(" "), draw)
        if pair is not None:
            made.append(pair)
    return pl.DataFrame(made, schema=["premise", "hypothesis"], orient="row")


@pytest.mark.parametrize("corruption", slow_after(4, CORRUPTIONS), ids=lambda function: function.__name__)
def test_corrupted_pairs_are_refused_by_every_sub_variant(corruption: Corruption) -> None:
    tokenised = corrupted(corruption, 112)  # nine kinds: over a thousand in all
    natural = tokenised.select(pl.all().str.replace_all(r"(\w) ([.,])", "${1}${2}"))
    for pairs in (tokenised, natural):
        assert rr.recognise(pairs)["rank"].null_count() == 112
        for recogniser in RECOGNISERS:
            assert recogniser.matches(pairs).height == 0


def test_the_same_pairs_are_recognised_uncorrupted() -> None:
    natural = REAL.with_columns(pl.col("premise", "hypothesis").str.replace_all(r"(\w) ([.,])", "${1}${2}"))
    for pairs in (REAL, natural):
        assert rr.recognise(pairs)["rank"].null_count() == 0
