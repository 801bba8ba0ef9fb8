"""Models against people: SciPy's distances, zeros, ties, intervals, and how clusters widen them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy, pearsonr, spearmanr

from rightreasons.scoring.human_distributions import (
    SMALLEST,
    PeopleComparison,
    compare_with_people,
    compute_entropy,
    compute_js_distance,
    compute_kl_divergence,
)


def draw_shares(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    people = rng.multinomial(100, rng.dirichlet([0.6, 0.6, 0.6], n)) / 100
    model = rng.dirichlet([0.3, 0.3, 0.3], n)
    return people, model


def test_measures_are_those_of_scipy() -> None:
    people, model = draw_shares(300, 0)
    assert (people == 0).any()
    expected = [jensenshannon(h, m) for h, m in zip(people, model, strict=True)]
    np.testing.assert_allclose(compute_js_distance(people, model), expected, atol=1e-12)
    # The model's probabilities are raised as in the code of ChaosNLI.
    raised = np.where(model < SMALLEST, SMALLEST, model)
    raised /= raised.sum(axis=1, keepdims=True)
    expected = [entropy(h, m) for h, m in zip(people, raised, strict=True)]
    np.testing.assert_allclose(compute_kl_divergence(people, model), expected, atol=1e-12)
    np.testing.assert_allclose(compute_entropy(people), [entropy(row) for row in people], atol=1e-12)


def test_measures_of_extreme_shares() -> None:
    sure, other = np.array([[1.0, 0, 0]]), np.array([[0.0, 1, 0]])
    assert compute_js_distance(sure, sure)[0] == 0
    assert compute_kl_divergence(sure, sure)[0] == pytest.approx(0, abs=1e-14)
    assert compute_js_distance(sure, other)[0] == pytest.approx(np.sqrt(np.log(2)))
    assert compute_kl_divergence(sure, other)[0] == pytest.approx(-np.log(SMALLEST), abs=1e-9)
    # The direction: people who are unsure are far from a sure model, and less so the other way round.
    unsure = np.array([[0.5, 0.5, 0]])
    assert compute_kl_divergence(unsure, sure)[0] > 15
    assert compute_kl_divergence(sure, unsure)[0] == pytest.approx(np.log(2))
    assert compute_entropy(sure)[0] == 0


def test_comparison_of_a_model_with_people() -> None:
    people, model = draw_shares(500, 1)
    people[:3] = [[0.5, 0.5, 0], [0.4, 0.2, 0.4], [0.3, 0.4, 0.3]]
    predicted = model.argmax(axis=1)
    predicted[5] = -1  # a prediction without a label is wrong
    found = compare_with_people(people, predicted, model, np.full(500, 100))
    ordered = np.sort(people, axis=1)
    clear = ~np.isclose(ordered[:, -1], ordered[:, -2])
    right = predicted[clear] == people[clear].argmax(axis=1)
    assert (found.accuracy.value, found.accuracy.n) == (pytest.approx(right.mean()), clear.sum())
    assert found.ties == (~clear).sum() >= 2
    assert found.jsd.value == pytest.approx(compute_js_distance(people, model).mean())
    assert found.kl.value == pytest.approx(compute_kl_divergence(people, model).mean())
    assert found.majority_share.value == pytest.approx(people.max(axis=1).mean())
    entropies = compute_entropy(people), compute_entropy(model)
    assert found.pearson.value == pytest.approx(pearsonr(*entropies).statistic)
    assert found.spearman.value == pytest.approx(spearmanr(*entropies).statistic)
    assert found == compare_with_people(people, predicted, model, np.full(500, 100))
    for measure in (found.accuracy, found.jsd, found.kl, found.pearson, found.spearman, found.resampled):
        assert (measure.low or 0) < (measure.value or 0) < (measure.high or 0)
    # A few hundred judgements more change little; the model is much farther from people than people are.
    assert (found.resampled.high or 1) < 0.1 < (found.jsd.low or 0)


def test_what_is_unknown_is_left_out() -> None:
    people, model = draw_shares(50, 2)
    found = compare_with_people(people, model.argmax(axis=1))
    assert found.jsd.value is found.kl.value is found.pearson.value is found.resampled.value is None
    assert found.accuracy.value is not None
    constant = compare_with_people(people, model.argmax(axis=1), np.full((50, 3), 1 / 3))
    assert constant.pearson.value is constant.spearman.value is None
    all_tied = compare_with_people(np.full((4, 2), 0.5), np.zeros(4, dtype=np.int64))
    assert (all_tied.accuracy.value, all_tied.ties) == (None, 4)


def test_clusters_widen_intervals() -> None:
    people, model = draw_shares(100, 3)
    clusters = pl.Series(np.repeat(np.arange(100), 4))
    people, model = np.repeat(people, 4, axis=0), np.repeat(model, 4, axis=0)
    alone = compare_with_people(people, model.argmax(axis=1), model)
    shared = compare_with_people(people, model.argmax(axis=1), model, clusters=clusters)
    for name in ("accuracy", "jsd", "kl", "pearson"):
        assert _width(shared, name) == pytest.approx(2 * _width(alone, name), rel=0.25)
        assert getattr(shared, name).value == getattr(alone, name).value
    nobody = pl.Series([None] * 400, dtype=pl.Int64)
    assert compare_with_people(people, model.argmax(axis=1), model, clusters=nobody) == alone


def _width(found: PeopleComparison, name: str) -> float:
    measure = getattr(found, name)
    return float(measure.high - measure.low)


@pytest.mark.slow
def test_intervals_cover_the_truth() -> None:
    people, model = draw_shares(20_000, 4)
    truth = compare_with_people(people, model.argmax(axis=1), model)
    rng = np.random.default_rng(5)
    times, names = 100, ("accuracy", "jsd", "kl", "pearson")
    hits = dict.fromkeys(names, 0)
    for _ in range(times):
        rows = rng.choice(len(people), 300)
        found = compare_with_people(people[rows], model[rows].argmax(axis=1), model[rows])
        for name in names:
            measure = getattr(found, name)
            hits[name] += measure.low <= getattr(truth, name).value <= measure.high
    assert all(hit >= 88 for hit in hits.values())  # of 100, at 95% each
