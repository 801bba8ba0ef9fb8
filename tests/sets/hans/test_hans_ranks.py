from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rightreasons as rr
from rightreasons.core.pairs import compute_digest
from rightreasons.sets.hans.hans import MODES, Mode, load_hans_grammar
from rightreasons.sets.template_set import get_filler
from rightreasons.templates.recognise import STYLES, Recogniser

if TYPE_CHECKING:
    from rightreasons.templates.grammar import Grammar, Variant

# How many different pairs the original templates can make, by subcase.
SUPPORTS = {
    "ln_subject/object_swap": 15_360,
    "ln_preposition": 12_902_400,
    "ln_relative_clause": 154_828_800,
    "ln_passive": 13_440,
    "ln_conjunction": 1_720_320,
    "le_relative_clause": 51_609_600,
    "le_around_prepositional_phrase": 2_150_400,
    "le_around_relative_clause": 26_050_560,
    "le_conjunction": 860_160,
    "le_passive": 13_440,
    "sn_NP/S": 1_286_400,
    "sn_PP_on_subject": 2_188_800,
    "sn_relative_clause_on_subject": 13_148_160,
    "sn_past_participle": 764_800,
    "sn_NP/Z": 19_729_920,
    "se_conjunction": 867_840,
    "se_adjective": 62_464,
    "se_understood_object": 2_688,
    "se_relative_clause_on_obj": 26_050_560,
    "se_PP_on_obj": 2_150_400,
    "cn_embedded_under_if": 698_664_960,
    "cn_after_if_clause": 349_332_480,
    "cn_embedded_under_verb": 2_599_680,
    "cn_disjunction": 349_332_480,
    "cn_adverb": 62_464,
    "ce_embedded_under_since": 1_222_663_680,
    "ce_after_since_clause": 1_571_996_160,
    "ce_embedded_under_verb": 1_751_040,
    "ce_conjunction": 349_332_480,
    "ce_adverb": 109_312,
}
FEW = 100_000
SAMPLE = 60
USED = {mode: [v for v in load_hans_grammar(mode).variants if v.source.weight > 0] for mode in MODES}
RECOGNISERS = {mode: Recogniser(load_hans_grammar(mode), mode) for mode in MODES}


def support(templates: Grammar, subcase: str) -> int:
    return sum(variant.space.count for variant in templates.get_variants(subcase))


def some_ranks(variant: Variant, draw: np.random.Generator) -> np.ndarray:
    """Take both ends of a space and some ranks between; all of it where it is that small."""
    if variant.space.count <= SAMPLE:
        return np.arange(variant.space.count)
    inner = draw.integers(0, variant.space.count, SAMPLE)
    return np.unique([0, variant.space.count - 1, *inner])


def check_round_trip(mode: Mode, style: str, ranks: dict[int, np.ndarray]) -> None:
    numbers = np.repeat(np.array(list(ranks), dtype=np.int16), [len(part) for part in ranks.values()])
    wanted = np.concatenate(list(ranks.values()))
    rows = get_filler(load_hans_grammar(mode), style, "none").fill_pairs(numbers, wanted)
    found = RECOGNISERS[mode].matches(rows)
    assert np.array_equal(found["row"].to_numpy(), np.arange(len(wanted)))  # one match a pair, and no more
    assert np.array_equal(found["number"].to_numpy(), numbers)
    assert np.array_equal(found["rank"].to_numpy(), wanted)


def test_faithful_spans_just_what_the_original_can_make() -> None:
    templates = load_hans_grammar("faithful")
    assert {subcase: support(templates, subcase) for subcase in templates.subcases} == SUPPORTS
    assert sum(SUPPORTS.values()) == 4_862_261_248


def test_corrected_spans_all_but_what_is_corrected() -> None:
    templates = load_hans_grammar("corrected")
    changed = {name: support(templates, name) - size for name, size in SUPPORTS.items()}
    assert {name: change for name, change in changed.items() if change} == {
        "ln_passive": 16 * 30 * 2,  # called: 16 lemmas twice, singular or plural, with 30 other nouns
        "le_passive": 16 * 30 * 2,
        "sn_past_participle": -6 * 16 * 15 * 2 * 2 * 5 * 5,  # clause-taking verbs before a reduced relative
        "ce_embedded_under_since": -SUPPORTS["ce_embedded_under_since"] // 7,  # before, one of seven
    }


def test_there_are_138_sub_variants_in_30_subcases_and_60_templates() -> None:
    for mode, used in (("corrected", 133), ("faithful", 134)):
        templates = load_hans_grammar(mode)
        assert len(templates.variants) == 138
        assert len(USED[mode]) == used
        assert len(templates.subcases) == 30
        assert len({variant.source.template.tags["template"] for variant in templates.variants}) == 60


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("style", STYLES)
def test_random_ranks_of_every_sub_variant_come_back_from_their_text(mode: Mode, style: str) -> None:
    draw = np.random.default_rng(7)
    check_round_trip(mode, style, {variant.number: some_ranks(variant, draw) for variant in USED[mode]})


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "style"), [("corrected", "natural"), ("faithful", "tokenised")])
def test_every_rank_of_small_sub_variants_comes_back_from_its_text(mode: Mode, style: str) -> None:
    small = [variant for variant in USED[mode] if variant.space.count < FEW]
    assert len(small) >= 38
    check_round_trip(mode, style, {variant.number: np.arange(variant.space.count) for variant in small})


@settings(deadline=None)
@given(st.data())
def test_ranking_undoes_unranking_and_no_key_occurs_twice(data: st.DataObject) -> None:
    variant = data.draw(st.sampled_from(USED["faithful"] + USED["corrected"]))
    ranks = np.array(data.draw(st.lists(st.integers(0, variant.space.count - 1), min_size=1)))
    entries = variant.space.unrank(ranks)
    assert np.array_equal(variant.space.rank(entries), ranks)
    keys = np.array(
        [
            np.array(words.keys)[column]
            for words, column in zip(
                load_hans_grammar("faithful").get_slot_lists(variant), entries, strict=True
            )
        ]
    )
    assert all(len(set(column)) == len(column) for column in keys.T)


CHILD = """
import rightreasons as rr
from rightreasons.core.pairs import compute_digest
for mode in ("corrected", "faithful"):
    for split in ("eval", "train"):
        plan = rr.plan("hans", limit=400, seed=5, split=split, mode=mode, parses="binary")
        print(compute_digest([plan.rows(0, 400)]))
"""


@pytest.mark.parametrize(
    ("hash_seed", "threads"),
    [
        ("0", "1"),
        ("random", "2"),
        pytest.param("1", "2", marks=pytest.mark.slow),
        pytest.param("random", "1", marks=pytest.mark.slow),
    ],
)
def test_hash_seeds_and_threads_change_nothing(hash_seed: str, threads: str) -> None:
    env = {**os.environ, "PYTHONHASHSEED": hash_seed, "POLARS_MAX_THREADS": threads}
    done = subprocess.run([sys.executable, "-c", CHILD], env=env, capture_output=True, text=True, check=True)
    plans = [
        rr.plan("hans", limit=400, seed=5, split=split, mode=mode, parses="binary")
        for mode in ("corrected", "faithful")
        for split in ("eval", "train")
    ]
    assert done.stdout.split() == [compute_digest([plan.rows(0, 400)]) for plan in plans]
    assert len(set(done.stdout.split())) == 4


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("chunk", [1, 7, 1_000])
def test_the_size_of_chunks_changes_nothing(mode: Mode, chunk: int) -> None:
    plan = rr.plan("hans", limit=400, seed=5, mode=mode, parses="binary")
    parts = [plan.rows(start, start + chunk) for start in range(0, len(plan), chunk)]
    assert compute_digest(parts) == compute_digest([plan.rows(0, len(plan))])


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 30_000), st.integers(0, 30_000), st.integers(0, 3))
def test_any_range_names_the_same_ranks_as_the_whole(start: int, stop: int, seed: int) -> None:
    plan = rr.plan("hans", seed=seed, mode=MODES[seed % 2], parses="none")
    whole, part = plan.find_row_ranks(0, len(plan)), plan.find_row_ranks(start, stop)
    assert all(np.array_equal(mine[start:stop], alone) for mine, alone in zip(whole, part, strict=True))
