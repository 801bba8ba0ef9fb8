"""The sense of a word among others, by our rule and by those of NLTK."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.language.senses import (
    build_content_signature,
    build_definition_signature,
    choose_best_sense,
    lesk,
    list_context_words,
    list_sense_candidates,
)
from rightreasons.language.wordnet import WordNet, wordnet

BANK = "I went to the bank to deposit my money .".split()  # noqa: SIM905 - it is a sentence


@pytest.fixture(scope="module")
def known() -> WordNet:
    return wordnet()


def sense(known: WordNet, context: list[str], word: str, pos: str | None, tie: str) -> str:
    found = lesk(context, word, pos, tie=tie, wordnet=known)  # type: ignore[arg-type]
    assert found is not None
    return known.name(found)


def test_nltks_rules_of_then_and_now(known: WordNet) -> None:
    # "to" and "the" count as well; where nothing is shared all senses tie.
    assert sense(known, BANK, "bank", "n", "old") == "savings_bank.n.02"
    assert sense(known, ["x"], "bank", None, "old") == "trust.v.01"
    assert sense(known, ["x"], "bank", None, "new") == "bank.n.01"


def test_our_rule_goes_by_content_words(known: WordNet) -> None:
    assert sense(known, BANK, "bank", "n", "ours") == "depository_financial_institution.n.01"
    assert sense(known, ["the", "of", "a"], "bank", "n", "ours") == "bank.n.01"
    assert sense(known, ["river", "canoe"], "bank", "n", "ours") == "bank.n.01"


def test_the_part_of_speech_is_kept(known: WordNet) -> None:
    found = lesk(["x"], "hot", "a", wordnet=known)
    assert found is not None
    assert found.pos in ("a", "s")


def test_unknown_words_have_no_sense(known: WordNet) -> None:
    assert lesk(BANK, "xyzzy", wordnet=known) is None
    assert lesk(BANK, "xyzzy", tie="old", wordnet=known) is None


def test_signatures(known: WordNet) -> None:
    hot = known.synsets("hot", "a")[0]
    assert {"used", "of", "heat;"} <= build_definition_signature(hot)
    assert {"heat", "stove", "hot"} <= build_content_signature(hot)
    assert not {"of", "or", "heat;"} & build_content_signature(hot)


def test_the_word_itself_is_no_context() -> None:
    assert list_context_words(["The", "Hot", "stove", "is", "hot"], "HOT") == {"stove"}


@given(st.sets(st.sampled_from(["money", "river", "slope", "gambling", "the", "of"])), st.randoms())
def test_the_order_of_the_context_does_not_matter(words: set[str], random: object) -> None:
    shuffled = sorted(words)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    once, again = (lesk(order, "bank", "n", wordnet=wordnet()) for order in (sorted(words), shuffled))
    assert once == again


def test_the_first_of_equals_wins(known: WordNet) -> None:
    found = list_sense_candidates("bank", "n", "ours", known)
    assert choose_best_sense(set(), found) == found[0][0]
    assert choose_best_sense(set(), found[::-1]) == found[-1][0]
