"""Labels by MACE: an independent implementation, known spammers, and agreement with Dawid and Skene."""

from __future__ import annotations

import numpy as np
import pytest
from annotator_examples import make_annotations, read_anaesthetists

from rightreasons.scoring.annotations import Annotations, find_majority_labels
from rightreasons.scoring.dawid_skene import fit_dawid_skene
from rightreasons.scoring.mace import MaceFit, fit_mace, infer_labels_with_spam


def simulate_spam(
    items: int, spamming: list[float], strategy: list[list[float]], each: int, seed: int
) -> tuple[Annotations, np.ndarray]:
    """Simulate annotators who give the true label or spam; return their labels and the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, items)
    item = np.repeat(np.arange(items), each)
    annotator = np.concatenate([rng.permutation(len(spamming))[:each] for _ in range(items)])
    limits = np.array(strategy)[annotator].cumsum(axis=1)
    spam = (rng.random((len(item), 1)) > limits).sum(axis=1).clip(0, 2)
    label = np.where(rng.random(len(item)) < np.array(spamming)[annotator], spam, truth[item])
    names = tuple(map(str, range(items))), tuple(map(str, range(len(spamming))))
    return Annotations(item, annotator, label, *names, ("e", "n", "c")), truth


def fit_with_loops(annotations: Annotations, smoothing: float, iterations: int) -> MaceFit:
    """Fit the model one label at a time, after the article's generative story."""
    labels, annotators = range(len(annotations.labels)), range(len(annotations.annotators))
    triples = list(zip(annotations.item, annotations.annotator, annotations.label, strict=True))
    posteriors = np.zeros((len(annotations.items), len(labels)))
    for i, _, given in triples:
        posteriors[i, given] += 1
    posteriors /= posteriors.sum(axis=1, keepdims=True)
    spamming = np.full(len(annotators), 0.5)
    strategy = np.full((len(annotators), len(labels)), 1 / len(labels))
    likelihood = 0.0
    for step in range(iterations + 1):
        if step:
            posteriors = np.full_like(posteriors, 1 / len(labels))
            for i, a, given in triples:
                for k in labels:
                    posteriors[i, k] *= spamming[a] * strategy[a, given] + (1 - spamming[a]) * (k == given)
            likelihood = np.log(posteriors.sum(axis=1)).sum()
            likelihood += smoothing * sum(
                np.log(values).sum() for values in (spamming, 1 - spamming, strategy)
            )
            posteriors /= posteriors.sum(axis=1, keepdims=True)
        spam = np.full((len(annotators), len(labels)), smoothing)
        counts = np.full((len(annotators), 2), smoothing)
        for i, a, given in triples:
            all_ways = spamming[a] * strategy[a, given] + 1 - spamming[a]
            knew = posteriors[i, given] * (1 - spamming[a]) / all_ways
            spam[a, given] += 1 - knew
            counts[a] += [1 - knew, knew]
        spamming, strategy = counts[:, 0] / counts.sum(axis=1), spam / spam.sum(axis=1, keepdims=True)
    return MaceFit(posteriors, spamming, strategy, likelihood, iterations, converged=False)


@pytest.mark.parametrize("smoothing", [0.1, 4.0])
def test_fit_is_that_of_the_equations(smoothing: float) -> None:
    annotations = read_anaesthetists()
    fit = fit_mace(annotations, smoothing=smoothing, restarts=0, iterations=9, tolerance=0)
    expected = fit_with_loops(annotations, smoothing / 4, 9)
    np.testing.assert_allclose(fit.posteriors, expected.posteriors, atol=1e-9)
    np.testing.assert_allclose(fit.spamming, expected.spamming, atol=1e-9)
    np.testing.assert_allclose(fit.strategy, expected.strategy, atol=1e-9)
    assert fit.log_likelihood == pytest.approx(expected.log_likelihood, abs=1e-9)


def test_likelihood_rises_with_every_iteration() -> None:
    annotations = read_anaesthetists()
    fits = [
        fit_mace(annotations, restarts=0, iterations=count, tolerance=0).log_likelihood
        for count in range(1, 15)
    ]
    assert np.diff(fits).min() > -1e-9


def test_known_spammers_are_recovered() -> None:
    spamming = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.95] * 2
    strategy = [[1, 0, 0], [1 / 3, 1 / 3, 1 / 3], [0.2, 0.7, 0.1], [0, 0, 1]] * 5
    annotations, truth = simulate_spam(3_000, spamming, strategy, 8, 1)
    fit = fit_mace(annotations)
    assert fit.converged
    assert np.abs(fit.spamming - spamming).max() < 0.06
    assert fit.competence.tolist() == (1 - fit.spamming).tolist()
    often = np.array(spamming) >= 0.4
    assert np.abs(fit.strategy - strategy)[often].max() < 0.07
    right = (fit.posteriors.argmax(axis=1) == truth).mean()
    assert right > (find_majority_labels(annotations.count_labels()) == truth).mean() + 0.03
    assert fit.posteriors.max(axis=1).mean() == pytest.approx(right, abs=0.01)


def test_mace_and_dawid_skene_agree() -> None:
    spamming = [0.1, 0.2, 0.3, 0.6, 0.9] * 4
    annotations, truth = simulate_spam(3_000, spamming, [[0.5, 0.3, 0.2]] * 20, 6, 2)
    mace, confusions = fit_mace(annotations), fit_dawid_skene(annotations)
    same = mace.posteriors.argmax(axis=1) == confusions.posteriors.argmax(axis=1)
    assert same.mean() > 0.98
    # The confusion matrix that a spammer has: the strategy, and the true label if the annotator knows it.
    implied = fit_implied_confusion(mace)
    assert np.abs(implied - confusions.confusion).max() < 0.08
    assert (mace.posteriors.argmax(axis=1) == truth).mean() > 0.95


def fit_implied_confusion(fit: MaceFit) -> np.ndarray:
    return np.asarray(
        fit.spamming[:, None, None] * fit.strategy[:, None, :] + fit.competence[:, None, None] * np.eye(3)
    )


def test_majority_is_the_case_of_equal_annotators() -> None:
    annotations, _ = simulate_spam(400, [0.4] * 12, [[1 / 3] * 3] * 12, 5, 3)
    posteriors, _ = infer_labels_with_spam(annotations, np.full(12, 0.4), np.full((12, 3), 1 / 3))
    majority = find_majority_labels(annotations.count_labels())
    clear = majority >= 0
    assert 200 < clear.sum() < 400
    assert (posteriors.argmax(axis=1) == majority)[clear].all()


def test_degenerate_labels() -> None:
    alone = fit_mace(make_annotations([("1", "a", "x"), ("2", "a", "y"), ("3", "a", "x")]))
    assert alone.posteriors.argmax(axis=1).tolist() == [0, 1, 0]
    one_label = fit_mace(make_annotations([("1", "a", "x"), ("1", "b", "x"), ("2", "b", "x")]))
    assert one_label.posteriors.tolist() == [[1.0], [1.0]]
    apart = make_annotations([(f"{i:02}", f"a{i % 4}", "xy"[i % 3 == 0]) for i in range(24)])
    assert fit_mace(apart).posteriors.argmax(axis=1).tolist() == apart.label.tolist()
    assert fit_mace(make_annotations([])).posteriors.shape == (0, 0)
    assert np.isfinite(fit_mace(apart, smoothing=0).posteriors).all()
