"""Folds of cross-validation, and predictions out of fold."""

from __future__ import annotations

from random import Random  # noqa: TC003 - hypothesis reads the annotation
from typing import TYPE_CHECKING

import numpy as np
import pytest
from corpora_by_hand import make_corpus
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from rightreasons.audits.cross_validation import Folds, assign_folds, predict_out_of_fold

if TYPE_CHECKING:
    from corpora_by_hand import Row

LABELS = ("entailment", "neutral", "contradiction")
PREMISES = ("A dog ran.", "a dog ran", "A cat sat.", "Birds sing.", "Fish swim.", "", "!", "No.", "x y", "z")
premise_lists = st.lists(st.sampled_from(PREMISES), min_size=1, max_size=30)


def make_rows(premises: list[str]) -> list[Row]:
    return [(premise, f"h{place}", LABELS[place % 3]) for place, premise in enumerate(premises)]


@given(premise_lists, st.integers(2, 6), st.integers(0, 3), st.randoms(use_true_random=False))
def test_folds_split_no_premise_and_ignore_the_order(
    premises: list[str], count: int, seed: int, chance: Random
) -> None:
    corpus = make_corpus(make_rows(premises))
    folds = assign_folds(corpus, count, seed)
    groups = corpus.premise_groups
    assert folds.count == min(count, len(set(groups.tolist())))
    assert set(folds.numbers.tolist()) == set(range(folds.count))
    for group in set(groups.tolist()):
        assert len(set(folds.numbers[groups == group].tolist())) == 1
    order = list(range(len(premises)))
    chance.shuffle(order)
    moved = assign_folds(make_corpus(make_rows([premises[place] for place in order])), count, seed)
    assert (moved.numbers == folds.numbers[order]).all()


@given(st.lists(st.sampled_from([*(f"g{number}" for number in range(30)), None]), min_size=60, max_size=60))
def test_folds_split_no_group_unless_they_say_so(groups: list[str | None]) -> None:
    folds = assign_folds(
        make_corpus(make_rows([f"p{place // 2}" for place in range(60)]), group=groups), 3, 0
    )
    assert folds.joined[0] == "premise"
    if set(groups) == {None}:
        return
    assert ("group" in folds.joined) != ("group" in folds.crossed)
    for group in set(groups) - {None} if "group" in folds.joined else ():
        inside = [fold for fold, name in zip(folds.numbers.tolist(), groups, strict=True) if name == group]
        assert len(set(inside)) == 1


def test_many_groups_are_respected_and_few_are_not() -> None:
    rows = make_rows([f"p{place}" for place in range(100)])
    many = assign_folds(make_corpus(rows, group=[f"g{place // 4}" for place in range(100)]), 5, 0)
    assert (many.joined, many.crossed) == (("premise", "group"), ())
    assert (many.numbers.reshape(25, 4) == many.numbers[::4, None]).all()
    few = assign_folds(make_corpus(rows, group=[f"g{place // 50}" for place in range(100)]), 5, 0)
    assert (few.joined, few.crossed) == (("premise",), ("group",))
    assert np.bincount(few.numbers).tolist() == [20] * 5


def test_groups_are_dealt_out_by_size() -> None:
    """Two premises with ten pairs each are in different folds, whatever the seed."""
    premises = [f"p{max(0, place - 9)}" for place in range(20)] + ["q"] * 10
    for seed in range(10):
        folds = assign_folds(make_corpus(make_rows(premises)), 2, seed)
        assert folds.numbers[0] != folds.numbers[-1]
        assert sorted(np.bincount(folds.numbers).tolist()) == [15, 15]


def test_another_seed_gives_other_folds() -> None:
    corpus = make_corpus(make_rows([f"p{place}" for place in range(40)]))
    found = {tuple(assign_folds(corpus, 4, seed).numbers.tolist()) for seed in range(5)}
    assert len(found) == 5


def make_folds(count: int, folds: int = 5) -> Folds:
    return Folds(np.arange(count) % folds, folds, ("premise",))


def test_no_pair_is_predicted_by_a_classifier_that_saw_it() -> None:
    """A feature for each pair gives its label away, but only to those that were trained on the pair."""
    gold = np.random.default_rng(0).integers(0, 2, 200)
    predicted = predict_out_of_fold(csr_matrix(np.eye(200)), gold, 2, make_folds(200))
    shares = np.log(np.bincount(gold) / 200)
    assert predicted == pytest.approx(np.tile(shares, (200, 1)))


def test_a_feature_that_gives_the_label_away_is_learnt() -> None:
    gold = np.arange(300) % 3
    predicted = predict_out_of_fold(csr_matrix(np.eye(3)[gold]), gold, 3, make_folds(300))
    assert (predicted.argmax(axis=1) == gold).all()
    assert np.exp(predicted).sum(axis=1) == pytest.approx(np.ones(300))
    assert (np.exp(predicted[np.arange(300), gold]) > 0.8).all()


def test_each_fold_is_predicted_from_the_other_folds_alone() -> None:
    """In fold 0 the feature means the other label: all its pairs are predicted wrongly, and the others correctly."""
    rng = np.random.default_rng(1)
    gold, folds = rng.integers(0, 2, 1_000), make_folds(1_000, 20)
    seen = np.where(folds.numbers == 0, 1 - gold, gold)
    predicted = predict_out_of_fold(csr_matrix(np.eye(2)[seen]), gold, 2, folds).argmax(axis=1)
    assert (predicted[folds.numbers == 0] != gold[folds.numbers == 0]).all()
    assert (predicted[folds.numbers != 0] == gold[folds.numbers != 0]).all()
