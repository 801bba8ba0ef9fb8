"""Templates with several hypotheses: one premise, one group, words in common, and no pair twice."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from small_sets import grammar_of, read_grammar, set_text, subcase

from rightreasons.core.errors import TooFewPairsError
from rightreasons.sets.simple_pair import SimplePair
from rightreasons.sets.template_set import plan_template_set
from rightreasons.templates.apportionment import Stratum, apportion_seats, order_seats
from rightreasons.templates.collisions import check_collisions
from rightreasons.templates.recognise import Recogniser, recognise_pairs

if TYPE_CHECKING:
    from rightreasons.templates.grammar import Grammar
    from rightreasons.templates.plan import TemplatePlan

NOUNS, WORDS = ("ant", "bee", "cat", "dog", "elk"), ("big", "cold", "dry", "old")
KINDS = {
    "noun": "The {N2} is {A1}.",
    "word": "The {N1} is {A2}.",
    "both": "The {N2} is {A2}.",
    "not": "The {N2} is not {A1}.",
    "swap": "The {N1} isn't {A1}.",
}
PREMISE = "The {N1} is {A1}."


def bundle(name: str = "b", kinds: tuple[str, ...] = tuple(KINDS), **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "premise": PREMISE,
        "hypotheses": {kind: KINDS[kind] for kind in kinds},
        **more,
    }


def plan_of(grammar: Grammar, *, split: str = "eval", seed: int = 0, **asked: Any) -> TemplatePlan:
    chosen = SimplePair(parses="none", short=asked.pop("short", "refuse"))
    asked = {"size": None, "limit": None, **asked}
    return plan_template_set(chosen, grammar, {}, seed=seed, split=split, **asked)


def rows_of(grammar: Grammar, **asked: Any) -> pl.DataFrame:
    plan = plan_of(grammar, **asked)
    return plan.rows(0, len(plan))


GRAMMAR = grammar_of({"N": list(NOUNS), "A": list(WORDS)}, bundle())


def test_each_hypothesis_is_a_sub_variant_named_after_its_template() -> None:
    assert [variant.name for variant in GRAMMAR.variants] == [f"b.{kind}" for kind in KINDS]
    (together,) = GRAMMAR.get_variants_by_bundle("one")
    assert together == tuple(GRAMMAR.variants)
    assert {variant.bundle for variant in together} == {together[0].bundle}


def test_every_premise_comes_once_with_all_its_hypotheses_side_by_side() -> None:
    pairs = rows_of(GRAMMAR, size=50)
    groups = pairs.group_by("group", maintain_order=True).agg("template", pl.col("premise").n_unique())
    assert groups.height == pairs["premise"].n_unique() == 10
    assert (groups["premise"] == 1).all()
    assert groups["template"].to_list() == [list(KINDS)] * 10
    assert (pairs["group"].rle_id().n_unique()) == 10


def test_the_hypotheses_of_a_premise_draw_their_words_together() -> None:
    for one in rows_of(GRAMMAR, size=50).partition_by("group"):
        hypotheses = dict(one.select("template", "hypothesis").rows())
        noun, word = hypotheses["both"].split()[1], hypotheses["both"].split()[3].rstrip(".")
        first, second = one["premise"][0].split()[1], one["premise"][0].split()[3].rstrip(".")
        assert noun != first
        assert word != second
        assert hypotheses["noun"] == f"The {noun} is {second}."
        assert hypotheses["word"] == f"The {first} is {word}."
        assert hypotheses["not"] == f"The {noun} is not {second}."


def test_words_outside_the_premise_are_drawn_independently() -> None:
    """What a premise lacks is no function of what it has."""
    pairs = pl.concat([rows_of(GRAMMAR, size=50, seed=seed) for seed in range(150)])
    met = pairs.filter(template="both").select("premise", "hypothesis").unique()
    assert met.height == 10 * 4 * 3


def test_a_premise_is_not_used_twice_and_missing_pairs_are_reported() -> None:
    with pytest.raises(TooFewPairsError, match=r"one, eval split.* 50 .*\b100 .*\b51 "):
        plan_of(GRAMMAR, size=51)
    assert len(plan_of(GRAMMAR, size=51, short="allow")) == 50


@st.composite
def grammars(draw: st.DrawFn) -> Grammar:
    """Draw a set with a bundle, often beside templates of one hypothesis."""
    kinds = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, unique=True))
    words = {"N": list(NOUNS[: draw(st.integers(2, 5))]), "A": list(WORDS[: draw(st.integers(2, 4))])}
    entries = [bundle(kinds=tuple(kinds), weight=draw(st.integers(1, 3)))]
    if draw(st.booleans()):
        entries.append(
            {"name": "and", "premise": "The {N1} and the {N2} ran.", "hypothesis": "The {N1} ran."}
        )
    if draw(st.booleans()):
        entries.append({"name": "free", "premise": PREMISE, "hypothesis": "The {N2} ran."})
    other = {"name": "or", "premise": "The {N1} or the {N2} ran.", "hypothesis": "The {N1} ran."}
    return read_grammar(set_text(words, subcase("one", *entries), subcase("two", other)))


@settings(deadline=None, max_examples=60)
@given(grammars(), st.integers(1, 60), st.integers(0, 3), st.data())
def test_ranges_ranks_and_splits_are_consistent(
    grammar: Grammar, size: int, seed: int, data: st.DataObject
) -> None:
    check_collisions(grammar)
    plans = {
        split: plan_of(grammar, size=size, seed=seed, split=split, short="allow")
        for split in ("eval", "train")
    }
    whole = {split: plan.rows(0, len(plan)) for split, plan in plans.items()}
    pairs = pl.concat(whole.values())
    assert pairs.select("premise", "hypothesis").n_unique() == pairs["id"].n_unique() == pairs.height
    assert not set(whole["eval"]["premise"]) & set(whole["train"]["premise"])
    start = data.draw(st.integers(0, len(plans["eval"])))
    stop = data.draw(st.integers(start, len(plans["eval"])))
    assert_frame_equal(plans["eval"].rows(start, stop), whole["eval"][start:stop])
    found = recognise_pairs(pairs, [Recogniser(grammar)])
    assert found["rank"].equals(pairs["rank"])
    assert found["subvariant"].equals(pairs["subvariant"])


@settings(deadline=None, max_examples=40)
@given(grammars(), st.integers(1, 40), st.integers(1, 40))
def test_a_larger_sample_begins_like_a_smaller_one(grammar: Grammar, small: int, large: int) -> None:
    small, large = sorted((small, large))
    few, many = (rows_of(grammar, size=size, short="allow").filter(subcase="one") for size in (small, large))
    assert_frame_equal(few, many.head(few.height))


@settings(deadline=None, max_examples=80)
@given(
    st.lists(st.tuples(st.integers(1, 5), st.integers(1, 6), st.integers(0, 9)), min_size=1, max_size=4),
    st.integers(0, 100),
    st.integers(0, 100),
)
def test_pairs_that_fall_due_together_stay_together(
    drawn: list[tuple[int, int, int]], start: int, stop: int
) -> None:
    strata = [Stratum(Fraction(weight, 3), step * bundles, step=step) for weight, step, bundles in drawn]
    start, stop = sorted(min(bound, sum(stratum.room for stratum in strata)) for bound in (start, stop))
    before, after = apportion_seats(strata, start), apportion_seats(strata, stop)
    assert all(low <= high for low, high in zip(before, after, strict=True))
    cut = [number for number, stratum in enumerate(strata) if after[number] % stratum.step]
    assert len(cut) <= 1
    whole = np.stack(order_seats(strata, 0, stop))
    assert (np.stack(order_seats(strata, start, stop)) == whole[:, start:]).all()


def test_hypotheses_may_have_labels_and_tags_of_their_own() -> None:
    entry = bundle(kinds=("noun",))
    entry["hypotheses"]["same"] = {"hypothesis": "An {N1} is {A1}.", "label": "neutral", "order": "{N1}"}
    pairs = rows_of(grammar_of({"N": list(NOUNS), "A": list(WORDS)}, entry), size=8)
    assert pairs["label"].to_list() == ["entailment", "neutral"] * 4
    assert pairs["order"].to_list()[::2] == [None] * 4
    assert pairs["order"].to_list()[1::2] == [text.split()[1] for text in pairs["premise"][1::2]]


def test_a_choice_is_made_for_all_hypotheses_of_a_premise() -> None:
    phrases = {"VP": {"slept": "(VP (VBD slept))", "saw": "(VP (VBD saw) (NP (DT the) {N}))"}}
    entry = {
        "name": "c",
        "premise": "(S (NP (DT the) {N1}) <VP1> (. .))",
        "hypotheses": {"it": "(S (NP (PRP it)) <VP1> (. .))", "two": "(S (NP (DT a) {N2}) <VP1> (. .))"},
    }
    grammar = grammar_of({"N": {"tag": "NN", "words": list(NOUNS)}}, entry, phrases=phrases)
    assert [variant.name for variant in grammar.variants] == [
        "c.it.slept",
        "c.two.slept",
        "c.it.saw",
        "c.two.saw",
    ]
    for one in rows_of(grammar, size=20, short="allow").partition_by("group"):
        assert len({" ".join(text.split()[2:]) for text in (one["premise"][0], one["hypothesis"][1])}) == 1
        assert one["template"].to_list() == ["it", "two"]


def test_modes_change_and_leave_out_whole_templates() -> None:
    text = set_text(
        {"N": list(NOUNS), "A": list(WORDS)}, subcase("one", bundle(), bundle("c", premise="A {N1} is {A1}."))
    )
    text += '[modes.odd.weights]\nb = 0\n[modes.odd.templates.c.hypotheses]\nonly = "The {N1} was {A1}."\n'
    pairs = rows_of(read_grammar(text, "odd"), size=5)
    assert set(pairs["subvariant"]) == {"c.only"}


def test_a_subcase_states_its_own_size() -> None:
    words = {"N": list(NOUNS), "A": list(WORDS)}
    entry = {"name": "or", "premise": "The {N1} or the {N2} ran.", "hypothesis": "The {N1} ran."}
    text = set_text(words, {**subcase("one", bundle()), "size": 15}, subcase("two", entry))
    grammar = read_grammar(text)
    assert plan_of(grammar).sizes == {"one": 15, "two": 10}
    assert plan_of(grammar, size=5).sizes == {"one": 5, "two": 5}
    assert plan_of(grammar, limit=8).sizes == {"one": 4, "two": 4}
    assert plan_of(grammar, size=7, limit=8).sizes == {"one": 4, "two": 4}
    big = read_grammar(text.replace("size = 15", "size = 999"))
    assert plan_of(big).sizes == {"one": 50, "two": 10}
    assert re.search(r"one, eval split.* 50 .* 999 ", plan_of(big).card.remarks[0])


def test_bundles_are_weighed_by_their_weight_alone() -> None:
    entries = [
        bundle("b", ("noun", "word")),
        bundle("c", ("noun", "word"), premise="An {N1} is {A1}.", weight=2),
    ]
    pairs = rows_of(grammar_of({"N": list(NOUNS), "A": list(WORDS)}, *entries), size=24)
    counts = dict(pairs["subvariant"].value_counts().rows())
    assert counts == {"b.noun": 4, "b.word": 4, "c.noun": 8, "c.word": 8}
