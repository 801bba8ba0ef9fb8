"""Bias models: what can be guessed without reading both texts, and never of a pair that was learnt."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
import pytest

from rightreasons.core.errors import InputError
from rightreasons.training.bias_models import (
    compute_overlap_features,
    encode_hypothesis_words,
    predict_with_bias_model,
)


def cued(count: int, share: float = 0.9) -> tuple[pl.DataFrame, np.ndarray]:
    """Make pairs with a word in the hypothesis that tells the label in a share of them."""
    chance = random.Random(0)  # noqa: S311 - no secret
    gold = np.array([chance.randrange(2) for _ in range(count)])
    cue = [label if chance.random() < share else 1 - label for label in gold]
    hypotheses = [f"{['yes', 'no'][one]} {chance.choice('abcdefgh')}" for one in cue]
    premises = [" ".join(chance.choices("abcdefgh", k=5)) + f" {number}" for number in range(count)]
    return pl.DataFrame({"premise": premises, "hypothesis": hypotheses}), gold


def test_words_are_told_by_their_presence() -> None:
    texts = ["The cat.", "the cat the cat", "A dog!", "the cat sleeps"]
    table = encode_hypothesis_words(pl.DataFrame({"hypothesis": texts})).toarray()
    assert table.tolist() == [[1, 1], [1, 1], [0, 0], [1, 1]]  # "cat" and "the"; the others are too rare


def test_overlap_tells_heuristics_and_shares() -> None:
    pairs = pl.DataFrame(
        {
            "premise": ["The judge saw the actor .", "The judge saw the actor ."],
            "hypothesis": ["The actor saw the judge .", "A dog sleeps ."],
        }
    )
    shared, covered, strange, longer, most_shared, lexical, run = compute_overlap_features(pairs).T
    assert shared.tolist() == most_shared.tolist() == [1, 0]
    assert covered.tolist() == [1, 0]
    assert strange.tolist() == [0, np.log(4)]
    assert np.allclose(longer, [0, np.log(3 / 4)])
    assert (lexical.tolist(), run.tolist()) == ([1, 0], [0, 0])


def test_a_cue_is_found_and_what_overlap_cant_see_is_not() -> None:
    pairs, gold = cued(800)
    by_words = np.exp(predict_with_bias_model(pairs, gold, 2, "hypothesis-only"))
    assert 0.85 < (by_words.argmax(axis=1) == gold).mean() < 0.95
    by_overlap = np.exp(predict_with_bias_model(pairs, gold, 2, "overlap"))
    assert np.abs(by_overlap - 0.5).max() < 0.25
    assert np.allclose(by_words.sum(axis=1), 1)


def test_pairs_are_answered_by_models_that_have_not_seen_them() -> None:
    pairs, _ = cued(600)
    unlearnable = np.random.default_rng(0).integers(0, 2, 600)
    rare = pairs.with_columns(hypothesis=pl.concat_str("hypothesis", pl.lit(" w"), pl.int_range(600) % 180))
    right = predict_with_bias_model(rare, unlearnable, 2, "hypothesis-only").argmax(axis=1) == unlearnable
    assert right.mean() < 0.6


def test_the_order_of_the_pairs_doesnt_matter() -> None:
    pairs, gold = cued(200)
    order = np.random.default_rng(3).permutation(200)
    there = predict_with_bias_model(pairs, gold, 2, "hypothesis-only")[order]
    here = predict_with_bias_model(pairs[order], gold[order], 2, "hypothesis-only")
    assert np.allclose(there, here, atol=1e-3)


def test_pairs_with_one_premise_alone_are_refused() -> None:
    pairs, gold = cued(40)
    with pytest.raises(InputError, match=r"same premise.*debias.*hypothesis-only"):
        predict_with_bias_model(pairs.with_columns(premise=pl.lit(".")), gold, 2, "hypothesis-only")
