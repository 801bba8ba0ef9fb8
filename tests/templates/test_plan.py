"""Samples of a set: ranges, sizes, limits, seeds, and splits that never meet."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from small_sets import every_pair, grammar_of, read_grammar, set_text, subcase, template

from rightreasons.core.errors import InputError, TooFewPairsError
from rightreasons.sets.hans.hans import Hans
from rightreasons.sets.simple_pair import SimplePair
from rightreasons.sets.template_set import plan_template_set
from rightreasons.templates.collisions import check_shared_premises
from rightreasons.templates.premise_splits import DividedPremises, PremiseDivision, ReservedPremises

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rightreasons.sets.hans.hans import Mode
    from rightreasons.templates.grammar import Grammar
    from rightreasons.templates.plan import TemplatePlan

WORDS = {
    "SG": "dog cat bird horse",
    "PL": {"lemma": "SG", "words": "dogs cats birds horses"},
    "N": {"join": ["SG", "PL"]},
    "V": "saw heard met",
    "I": ["slept", "ran away"],
}
SWAP = template("The {N1} {V1} the {N2}.", "The {N2} {V1} the {N1}.", "swap", label="neutral")
KEEP = template("The {N1} {V1} the {N2}.", "The {N1} {V1} someone.", "keep")
AND = template("The {N1} and the {N2} {I1}.", "The {N2} {I1}.", "and")
OR = template("The {N1} or the {N2} {I1}.", "The {N2} {I1}.", "or", label="neutral", weight=3)
NOT = template("No {SG1} {I1}.", "Some {SG1} {I1}.", "not", label="neutral", weight="1/2")
FREE = template("The {N1} {V1} the {N2}.", "The {N3} {I1}.", "free", label="neutral")
TEXT = set_text(
    WORDS,
    subcase("a", SWAP, FREE, label="neutral"),
    subcase("b", KEEP),
    subcase("c", AND),
    subcase("d", OR, NOT),
)
GRAMMAR = read_grammar(TEXT)
SPLITS = ("eval", "train")


def plan_of(
    *,
    grammar: Grammar = GRAMMAR,
    size: int | None = None,
    limit: int | None = None,
    seed: int = 0,
    split: str = "eval",
    short: str = "refuse",
    reserved: dict[str, ReservedPremises] | None = None,
) -> TemplatePlan:
    chosen = SimplePair(parses="none", short=short)  # type: ignore[arg-type]
    return plan_template_set(chosen, grammar, reserved or {}, size=size, limit=limit, seed=seed, split=split)


def rows_of(**sizes: object) -> pl.DataFrame:
    plan = plan_of(**sizes)  # type: ignore[arg-type]
    return plan.rows(0, len(plan))


def texts(pairs: pl.DataFrame) -> set[tuple[str, str]]:
    return set(pairs.select("premise", "hypothesis").rows())


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 80), st.integers(0, 5), st.sampled_from(SPLITS), st.data())
def test_any_range_equals_the_same_rows_of_the_whole(
    size: int, seed: int, split: str, data: st.DataObject
) -> None:
    plan = plan_of(size=size, seed=seed, split=split, short="allow")
    whole = plan.rows(0, len(plan))
    assert whole.height == len(plan) == plan.card.rows
    start = data.draw(st.integers(0, len(plan)))
    stop = data.draw(st.integers(start, len(plan) + 3))
    part = plan_of(size=size, seed=seed, split=split, short="allow").rows(start, stop)
    assert_frame_equal(part, whole[start:stop])


def test_any_range_of_hans_equals_the_same_rows_of_the_whole() -> None:
    plan = Hans(mode="faithful").plan(size=200, limit=None, seed=3, split="train")
    whole = plan.rows(0, len(plan))
    for start in range(0, len(plan), 997):
        assert_frame_equal(plan.rows(start, start + 997), whole[start : start + 997])
    assert dict(whole.schema) == plan.schema


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 60), st.integers(1, 60), st.sampled_from(SPLITS))
def test_a_larger_sample_begins_like_a_smaller_one(small: int, large: int, split: str) -> None:
    small, large = sorted((small, large))
    few, many = (
        rows_of(size=size, seed=7, split=split, short="allow").partition_by("subcase", as_dict=True)
        for size in (small, large)
    )
    for name, rows in few.items():
        assert_frame_equal(rows, many[name].head(rows.height))


def test_no_pair_is_repeated_at_any_size() -> None:
    for split in SPLITS:
        pairs = rows_of(size=10**6, split=split, short="allow")
        assert len(texts(pairs)) == pairs.height == pairs["id"].n_unique()


@pytest.mark.parametrize("seeds", [(0, 0), (1, 2), (5, 0)])
def test_evaluation_and_training_share_no_premise_and_leave_nothing_out(seeds: tuple[int, int]) -> None:
    parts = [
        rows_of(size=10**6, seed=seed, split=split, short="allow")
        for seed, split in zip(seeds, SPLITS, strict=True)
    ]
    assert not set(parts[0]["premise"]) & set(parts[1]["premise"])
    assert not texts(parts[0]) & texts(parts[1])
    assert texts(parts[0]) | texts(parts[1]) == texts(every_pair(GRAMMAR))
    assert abs(parts[0].height - parts[1].height) < parts[0].height / 4


def test_frames_with_a_common_premise_are_refused_if_splits_share_no_premise() -> None:
    """Two templates draw on different lists, one is part of the other: their premises overlap."""
    entries = [
        template("The {N1} {I1}.", "Something {I1}.", "any"),
        template("The {SG1} {I1}.", "One thing {I1}.", "one"),
    ]
    with pytest.raises(InputError, match=r"any \(line \d+\) and one .*'The .*disjoint=pair"):
        check_shared_premises(grammar_of(WORDS, *entries))
    check_shared_premises(grammar_of(WORDS, entries[0], template("No {N1} {I1}.", "One thing {I1}.", "one")))


def test_the_same_premise_as_tree_and_as_plain_text_is_split_as_one() -> None:
    entries = [
        template("The {N1} slept.", "Something slept.", "plain"),
        template("(S (NP (DT the) (NN {N1})) (VP (VBD slept)) (. .))", "(S (NN it) (VBD slept))", "tree"),
    ]
    both = {
        split: rows_of(grammar=grammar_of(WORDS, *entries), size=10**6, split=split, short="allow")
        for split in SPLITS
    }
    assert not set(both["eval"]["premise"]) & set(both["train"]["premise"])


@settings(deadline=None, max_examples=150)
@given(st.integers(1, 40), st.data())
def test_a_division_is_a_partition_that_keeps_what_is_reserved(premises: int, data: st.DataObject) -> None:
    sides = np.array(
        data.draw(st.lists(st.sampled_from(["eval", "train", "free"]), min_size=premises, max_size=premises))
    )
    reserved = ReservedPremises(np.flatnonzero(sides == "eval"), np.flatnonzero(sides == "train"))
    division = PremiseDivision(premises, reserved, ("key",))
    parts = {}
    for split, size in division.sizes.items():
        places = np.arange(size)
        parts[split] = set(
            DividedPremises([division], split)
            .find_premise_ranks(np.zeros(size, dtype=np.int16), places)
            .tolist()
        )
        assert len(parts[split]) == size
        assert set(getattr(reserved, split)) <= parts[split]
    assert not parts["eval"] & parts["train"]
    assert parts["eval"] | parts["train"] == set(range(premises))


@pytest.mark.parametrize("mode", ["corrected", "faithful"])
@pytest.mark.parametrize("split", SPLITS)
def test_hans_plans_only_ranks_that_there_are(mode: Mode, split: str) -> None:
    plan = Hans(mode=mode, parses="none", short="allow").plan(size=3000, limit=None, seed=0, split=split)
    numbers, ranks = plan.find_row_ranks(0, len(plan))
    counts = np.array([variant.space.count for variant in plan.filler.grammar.variants])
    assert (ranks >= 0).all()
    assert (ranks < counts[numbers]).all()


@pytest.mark.parametrize("held", [[0, 1, 5, 90], range(3, 94), range(96)])
def test_training_never_gets_what_is_reserved(held: Sequence[int]) -> None:
    variant = GRAMMAR.by_name["and"]
    assert variant.space.premises == 96
    reserved = {variant.frame: ReservedPremises(np.array(held), np.empty(0, dtype=np.int64))}
    for seed in range(3):
        train, test = (
            rows_of(size=10**6, split=split, seed=seed, short="allow", reserved=reserved)
            for split in ("train", "eval")
        )
        assert not set(train.filter(subvariant="and")["rank"]) & set(held)
        assert set(held) <= set(test.filter(subvariant="and")["rank"])
        assert texts(train) | texts(test) == texts(every_pair(GRAMMAR))
        assert not texts(train) & texts(test)


def test_the_same_seed_gives_the_same_rows_and_another_gives_others() -> None:
    for split in SPLITS:
        samples = [rows_of(size=12, seed=seed, split=split) for seed in (0, 0, 1, 2)]
        assert_frame_equal(samples[0], samples[1])
        assert len({frozenset(texts(pairs)) for pairs in samples}) == 3


def test_neither_hash_seed_nor_threads_change_the_rows() -> None:
    code = (
        "from rightreasons import generate\n"
        "from rightreasons.core.pairs import compute_digest\n"
        "print(compute_digest([generate('hans', size=20, seed=5).pairs]))"
    )
    outputs = set()
    for number in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": number, "POLARS_MAX_THREADS": number}
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1


def test_the_first_rows_are_unchanged() -> None:
    """Pin a sample: a change here is a change of every set made from templates."""
    assert rows_of(size=2, seed=0)["id"].to_list() == [
        "small-swap-39",
        "small-free-980",
        "small-keep-39",
        "small-keep-136",
        "small-and-47",
        "small-and-15",
        "small-or-89",
        "small-or-65",
    ]


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 400), st.sampled_from(SPLITS))
def test_a_limit_is_shared_evenly(limit: int, split: str) -> None:
    plan = plan_of(limit=limit, split=split, short="allow")
    counts = plan.rows(0, len(plan)).group_by("subcase").len()["len"].to_list()
    whole = {name: plan_of(size=10**6, split=split, short="allow").sizes[name] for name in plan.sizes}
    assert sum(counts) == len(plan) == min(limit, sum(whole.values()))
    open_ones = [size for name, size in plan.sizes.items() if size < whole[name]]
    assert max(open_ones, default=0) - min(open_ones, default=0) <= 1
    assert all(size <= max(open_ones, default=size) for size in plan.sizes.values())
    if limit <= 40:
        labels = plan.rows(0, len(plan))["label"].value_counts()["count"].to_list()
        assert limit == 1 or abs(labels[0] - labels[1]) <= 1


@settings(deadline=None, max_examples=25)
@given(st.integers(1, 3000))
def test_a_limit_of_hans_is_shared_evenly_over_subcases_and_labels(limit: int) -> None:
    plan = Hans(parses="none").plan(size=None, limit=limit, seed=0, split="eval")
    assert len(plan) == limit
    assert max(plan.sizes.values()) - min(plan.sizes.values()) <= 1
    labels = {"entailment": 0, "non-entailment": 0}
    for name, size in plan.sizes.items():
        labels["entailment" if name[1] == "e" else "non-entailment"] += size
    assert abs(labels["entailment"] - labels["non-entailment"]) <= 1


def test_size_and_limit_together() -> None:
    assert len(plan_of(size=3, limit=5)) == 5
    assert len(plan_of(size=3, limit=1000)) == 12


def test_too_large_requests_are_refused_with_the_available_number() -> None:
    with pytest.raises(TooFewPairsError, match=r"d, eval split.*\b104 .* 5,000 .*short=allow"):
        plan_of(grammar=read_grammar(set_text(WORDS, subcase("d", OR, NOT))), size=5000)
    with pytest.raises(TooFewPairsError, match=r"se_understood_object.*\b2,688 .* 1,500 "):
        Hans().plan(size=1500, limit=None, seed=0, split="eval")
    whole = len(plan_of(size=10**6, short="allow"))
    with pytest.raises(TooFewPairsError, match=rf"whole eval split .*{whole:,} .* 99,999 "):
        plan_of(limit=99_999)


def test_short_allow_gives_fewer_pairs_with_a_remark() -> None:
    plan = plan_of(size=60, short="allow")
    assert plan.sizes == {"a": 60, "b": 60, "c": 48, "d": 52}
    assert len(plan.card.remarks) == 2
    assert re.search(r"c, eval split.* 48 .*\b96 .* 60 ", plan.card.remarks[0])
    assert not plan_of(size=40).card.remarks


@pytest.mark.parametrize("sizes", [{"size": 0}, {"limit": 0}, {"size": -1}, {"limit": -5}])
def test_sizes_below_1_are_refused(sizes: dict[str, int]) -> None:
    with pytest.raises(InputError, match=r"--(size|limit) .*\b1\b"):
        plan_of(**sizes)  # type: ignore[arg-type]


def test_unknown_splits_are_refused() -> None:
    with pytest.raises(InputError, match=r"'test'.* eval or train"):
        plan_of(size=1, split="test")


def test_templates_share_a_subcase_by_weight() -> None:
    counts = dict(rows_of(size=11).filter(subcase="d")["subvariant"].value_counts().rows())
    # Of the two nouns that OR draws, two in eight share the lemma of the first: 3 * 6/8 to 1/2.
    assert counts == {"or": 9, "not": 2}


def test_twins_share_their_premises() -> None:
    """The two labels of a frame take the same premises in a sample, so that groups are whole."""
    text = set_text(WORDS, subcase("a", SWAP, label="neutral"), subcase("b", KEEP))
    pairs = rows_of(grammar=read_grammar(text), size=40)
    sizes = pairs.group_by("group").agg(pl.len(), pl.col("label").n_unique())
    assert (sizes["len"] == 2).all()
    assert (sizes["label"] == 2).all()


def test_the_card_records_what_it_takes() -> None:
    card = plan_of(size=5, seed=9, split="train").card
    assert (card.set, card.version, card.rows) == ("small", 1, 20)
    assert card.options["seed"] == 9
    assert card.options["split"] == "train"
    assert card.labels == ("entailment", "neutral", "contradiction")
