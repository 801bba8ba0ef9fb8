"""Labels by the model of Dawid and Skene: their own data, an independent implementation, and known reliabilities."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from annotator_examples import make_annotations, read_anaesthetists

from rightreasons.scoring.annotations import Annotations, compute_label_shares, find_majority_labels
from rightreasons.scoring.dawid_skene import estimate_confusion, fit_dawid_skene, infer_true_labels


def simulate_labels(
    items: int, annotators: int, each: int, seed: int, reliable: tuple[float, float] = (6, 2)
) -> tuple[Annotations, np.ndarray, np.ndarray]:
    """Simulate labels with random confusion matrices; return them with the true labels and the matrices."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, size=items, p=[0.5, 0.3, 0.2])
    diagonal = rng.beta(*reliable, size=(annotators, 3))
    confusion = np.empty((annotators, 3, 3))
    for k in range(3):
        others = rng.dirichlet([1, 1], size=annotators) * (1 - diagonal[:, k : k + 1])
        confusion[:, k] = np.insert(others, [k], diagonal[:, k : k + 1], axis=1)
    item = np.repeat(np.arange(items), each)
    annotator = np.concatenate([rng.permutation(annotators)[:each] for _ in range(items)])
    limits = confusion[annotator, truth[item]].cumsum(axis=1)
    label = (rng.random((len(item), 1)) > limits).sum(axis=1)
    names = tuple(map(str, range(items))), tuple(map(str, range(annotators)))
    return Annotations(item, annotator, label, *names, ("e", "n", "c")), truth, confusion


def fit_with_loops(annotations: Annotations, smoothing: float, iterations: int) -> tuple[np.ndarray, ...]:
    """Fit the model one label at a time, as the article's equations say (2.3 to 2.5)."""
    labels, triples = (
        range(len(annotations.labels)),
        list(zip(annotations.item, annotations.annotator, annotations.label, strict=True)),
    )
    posteriors = np.zeros((len(annotations.items), len(labels)))
    for i, _, given in triples:
        posteriors[i, given] += 1
    posteriors /= posteriors.sum(axis=1, keepdims=True)
    for _ in range(iterations):
        prior = posteriors.mean(axis=0)
        confusion = np.full((len(annotations.annotators), len(labels), len(labels)), smoothing)
        for i, a, given in triples:
            for k in labels:
                confusion[a, k, given] += posteriors[i, k]
        confusion /= confusion.sum(axis=2, keepdims=True)
        posteriors = np.tile(prior, (len(posteriors), 1))
        for i, a, given in triples:
            posteriors[i] *= confusion[a, :, given]
        likelihood = np.log(posteriors.sum(axis=1)).sum()
        posteriors /= posteriors.sum(axis=1, keepdims=True)
    return posteriors, prior, confusion, likelihood


@pytest.mark.parametrize("smoothing", [0.0, 0.01, 1.0])
def test_fit_is_that_of_the_equations(smoothing: float) -> None:
    annotations = read_anaesthetists()
    fit = fit_dawid_skene(annotations, smoothing=smoothing, restarts=0, iterations=8, tolerance=0)
    posteriors, prior, confusion, likelihood = fit_with_loops(annotations, smoothing or 1e-300, 8)
    np.testing.assert_allclose(fit.posteriors, posteriors, atol=1e-9)
    again, likelihood_again = infer_true_labels(annotations, prior, confusion)
    np.testing.assert_allclose(again, posteriors, atol=1e-9)
    assert likelihood_again == pytest.approx(likelihood, abs=1e-9)
    penalty = smoothing * np.log(confusion).sum() if smoothing else 0
    assert fit.log_likelihood == pytest.approx(likelihood + penalty, abs=1e-9)


def test_labels_of_the_anaesthetists() -> None:
    annotations = read_anaesthetists()
    assert (len(annotations), annotations.annotators) == (315, tuple("ABCDE"))
    fit = fit_dawid_skene(annotations, smoothing=0, restarts=0)
    assert fit.converged
    assert fit.prior.round(2).tolist() == [0.40, 0.42, 0.11, 0.07]
    # The anaesthetist who labelled three times, by true and given label.
    expected = [[0.89, 0.11, 0, 0], [0.07, 0.88, 0.05, 0], [0, 0.34, 0.66, 0], [0, 0, 0.56, 0.44]]
    np.testing.assert_array_equal(fit.confusion[0].round(2), expected)
    # The model differs from the majority on patients 2 and 36, and decides the tie of patient 12.
    labels = fit.posteriors.argmax(axis=1)
    majority = find_majority_labels(annotations.count_labels())
    assert (labels != majority).nonzero()[0].tolist() == [1, 11, 35]
    assert (labels[[1, 11, 35]].tolist(), majority[[1, 11, 35]].tolist()) == ([3, 2, 3], [2, -1, 2])


def test_restarts_find_no_worse_fit_and_are_seeded() -> None:
    annotations, *_ = simulate_labels(60, 12, 3, 5, reliable=(2, 2))
    plain = fit_dawid_skene(annotations, restarts=0)
    several = [fit_dawid_skene(annotations, restarts=8, seed=seed) for seed in (1, 1, 2)]
    assert all(fit.log_likelihood >= plain.log_likelihood for fit in several)
    np.testing.assert_array_equal(several[0].posteriors, several[1].posteriors)


def test_likelihood_rises_with_every_iteration() -> None:
    annotations, *_ = simulate_labels(80, 10, 4, 3)
    fits = [
        fit_dawid_skene(annotations, restarts=0, iterations=count, tolerance=0).log_likelihood
        for count in range(1, 12)
    ]
    assert np.diff(fits).min() > -1e-9


def test_known_reliabilities_are_recovered() -> None:
    annotations, truth, confusion = simulate_labels(4_000, 40, 10, 1)
    fit = fit_dawid_skene(annotations)
    known = np.einsum("akk,k->a", confusion, [0.5, 0.3, 0.2])
    assert fit.converged
    assert np.abs(fit.reliability - known).max() < 0.04
    assert np.abs(fit.confusion - confusion).mean() < 0.02
    assert (fit.posteriors.argmax(axis=1) == truth).mean() > 0.99
    # Posteriors are calibrated: their mean is the share of items with the right label.
    assert fit.posteriors.max(axis=1).mean() == pytest.approx(0.999, abs=0.004)


def test_the_model_beats_the_majority_where_annotators_differ() -> None:
    annotations, truth, _ = simulate_labels(2_000, 30, 5, 2, reliable=(1, 1))
    fit = fit_dawid_skene(annotations)
    majority = find_majority_labels(annotations.count_labels())
    by_model, by_majority = (fit.posteriors.argmax(axis=1) == truth).mean(), (majority == truth).mean()
    assert by_model > by_majority + 0.1


def test_majority_is_the_case_of_equal_annotators() -> None:
    annotations, *_ = simulate_labels(500, 20, 6, 4)
    equal = np.full((20, 3, 3), 0.15) + 0.55 * np.eye(3)
    posteriors, _ = infer_true_labels(annotations, np.full(3, 1 / 3), equal)
    counts = annotations.count_labels()
    majority = find_majority_labels(counts)
    clear = majority >= 0
    assert 300 < clear.sum() < 500
    assert (posteriors.argmax(axis=1) == majority)[clear].all()
    best = np.sort(posteriors, axis=1)[:, -2:]
    np.testing.assert_allclose(best[~clear, 0], best[~clear, 1])


def test_an_annotator_who_always_errs_is_used() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    item, annotator = np.repeat(np.arange(400), 4), np.tile(np.arange(4), 400)
    right = rng.random((400, 4)) < [0.85, 0.85, 0.85, 0.02]
    label = np.where(right, truth[:, None], 1 - truth[:, None]).ravel()
    names = tuple(map(str, range(400)))
    fit = fit_dawid_skene(Annotations(item, annotator, label, names, tuple("abcd"), ("no", "yes")))
    assert fit.reliability[3] == pytest.approx(0.02, abs=0.03)
    # The fourth annotator alone is right in 98% of the items if reversed.
    assert (fit.posteriors.argmax(axis=1) == truth).mean() > 0.97


def test_degenerate_labels() -> None:
    one_annotator = fit_dawid_skene(make_annotations([("1", "a", "x"), ("2", "a", "y"), ("3", "a", "x")]))
    assert one_annotator.posteriors.argmax(axis=1).tolist() == [0, 1, 0]
    one_label = fit_dawid_skene(make_annotations([("1", "a", "x"), ("1", "b", "x"), ("2", "b", "x")]))
    assert one_label.posteriors.tolist() == [[1.0], [1.0]]
    assert one_label.reliability.tolist() == [1.0, 1.0]
    apart = make_annotations([(f"{i:02}", f"a{i % 4}", "xy"[i % 3 == 0]) for i in range(24)])
    fit = fit_dawid_skene(apart)
    assert np.isfinite(fit.posteriors).all()
    assert fit.posteriors.argmax(axis=1).tolist() == apart.label.tolist()
    nothing = fit_dawid_skene(make_annotations([]))
    assert nothing.posteriors.shape == (0, 0)
    assert fit_dawid_skene(make_annotations([], ("x", "y"))).posteriors.shape == (0, 2)


def test_labels_of_a_table() -> None:
    table = pl.DataFrame(
        {"item": ["b", "a", "b", "b"], "annotator": ["q", "p", "p", "r"], "label": ["n", "e", "n", "other"]}
    )
    read = Annotations.from_table(table, ("e", "n", "c"), ("a", "b", "z"))
    assert (read.items, read.annotators, len(read)) == (("a", "b", "z"), ("p", "q"), 3)
    assert read.count_labels().tolist() == [[1, 0, 0], [0, 2, 0], [0, 0, 0]]
    assert find_majority_labels(read.count_labels()).tolist() == [0, 1, -1]
    assert compute_label_shares(read.count_labels())[2].tolist() == [1 / 3] * 3
    prior, confusion = estimate_confusion(read, compute_label_shares(read.count_labels()))
    assert prior.tolist() == pytest.approx([4 / 9, 4 / 9, 1 / 9])
    # Annotator q gave no label to an item of the first or third label: nothing is known there.
    assert confusion[1].tolist() == [[1 / 3] * 3, [0, 1, 0], [1 / 3] * 3]
