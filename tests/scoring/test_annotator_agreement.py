"""Agreement of annotators: published examples, missing labels, and intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from rightreasons.scoring.annotator_agreement import (
    compute_fleiss_kappa,
    compute_item_agreement,
    compute_krippendorff_alpha,
    compute_pairwise_agreement,
    find_equal_items,
)
from rightreasons.scoring.intervals import wilson_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Counts = npt.NDArray[np.int64]

# Fleiss (1971), table 1: six psychiatrists, 30 patients, five diagnoses.
PSYCHIATRISTS = """
00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031
00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006
"""
# The example of the article on Fleiss' kappa in Wikipedia: 14 annotators, ten items, five labels.
FOURTEEN = (
    *([0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1]),
    *([7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]),
)
# Krippendorff (2011), examples A and C: two observers and ten units; four observers and twelve units, with gaps.
MEG_AND_OWEN = ("0100000010", "1110010000")
FOUR_OBSERVERS = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
# The example of the article on Krippendorff's alpha in Wikipedia.
THREE_CODERS = (".....34121133.3", "1.213343.......", "..21344.21133.4")


def count_labels(observers: Sequence[str]) -> Counts:
    """Count the labels of each unit, from one row of signs for each observer; a dot is a gap."""
    labels = sorted(set("".join(observers)) - {"."})
    return np.array([[unit.count(label) for label in labels] for unit in zip(*observers, strict=True)])


def draw_votes(items: int, annotators: int, seed: int) -> Counts:
    """Draw labels of annotators who agree more often than by chance."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet([0.4, 0.4, 0.4], size=items)
    return np.array([rng.multinomial(annotators, share) for share in shares])


def test_fleiss_kappa_of_published_examples() -> None:
    psychiatrists = np.array([[int(count) for count in row] for row in PSYCHIATRISTS.split()])
    kappa = compute_fleiss_kappa(psychiatrists)
    assert (round(kappa.value or 0, 3), kappa.n) == (0.430, 30)
    assert kappa.value == pytest.approx(0.43024452006014, abs=1e-12)
    fourteen = compute_fleiss_kappa(np.array(FOURTEEN))
    assert (round(fourteen.value or 0, 3), fourteen.n) == (0.210, 10)


def test_alpha_of_published_examples() -> None:
    four = compute_krippendorff_alpha(count_labels(FOUR_OBSERVERS))
    # Of 40 values, 904 / 1216 by Krippendorff's computation; the unit with one value is not pairable.
    assert (four.value, four.n) == (pytest.approx(904 / 1216, abs=1e-12), 11)
    two = compute_krippendorff_alpha(count_labels(MEG_AND_OWEN))
    assert two.value == pytest.approx(1 - 19 * 4 / (14 * 6), abs=1e-12)
    assert round(two.value or 0, 3) == 0.095
    three = compute_krippendorff_alpha(count_labels(THREE_CODERS))
    assert round(three.value or 0, 3) == 0.691


def test_fleiss_kappa_is_that_of_statsmodels() -> None:
    raters = pytest.importorskip("statsmodels.stats.inter_rater")
    counts = draw_votes(80, 5, 1)
    assert compute_fleiss_kappa(counts).value == pytest.approx(raters.fleiss_kappa(counts), abs=1e-12)


def test_kappa_takes_the_items_with_the_most_frequent_number() -> None:
    counts = np.array([[3, 0], [2, 1], [1, 2], [2, 0], [1, 1], [1, 0], [0, 0]])
    assert find_equal_items(counts).tolist() == [True] * 3 + [False] * 4
    assert compute_fleiss_kappa(counts) == compute_fleiss_kappa(counts[:3])
    assert find_equal_items(counts[1:5]).tolist() == [True, True, False, False]
    assert compute_pairwise_agreement(counts).n == compute_krippendorff_alpha(counts).n == 5


def test_agreement_of_items() -> None:
    counts = np.array([[5, 0, 0], [3, 1, 1], [1, 1, 0], [1, 0, 0], [0, 0, 0]])
    expected = [1, 0.3, 0, np.nan, np.nan]
    np.testing.assert_allclose(compute_item_agreement(counts), expected)
    assert compute_pairwise_agreement(counts).value == pytest.approx((1 + 0.3 + 0) / 3)


def test_items_that_nobody_disputes_have_an_interval() -> None:
    estimate = compute_pairwise_agreement(np.array([[5, 0]] * 10 + [[0, 5]] * 10))
    assert (estimate.value, estimate.high) == (1, 1)
    assert estimate.low == pytest.approx(float(wilson_interval(20, 20)[0]))
    none = compute_pairwise_agreement(np.array([[1, 1]] * 20))
    assert (none.value, none.low) == (0, pytest.approx(0))
    assert none.high == pytest.approx(1 - float(wilson_interval(20, 20)[0]))


def test_measures_are_undefined_without_different_labels() -> None:
    one_label = np.array([[5, 0], [5, 0]])
    assert compute_pairwise_agreement(one_label).value == 1
    assert compute_fleiss_kappa(one_label).value is compute_krippendorff_alpha(one_label).value is None
    for nothing in (np.zeros((3, 2), dtype=np.int64), np.zeros((0, 0), dtype=np.int64), np.eye(3, dtype=int)):
        assert compute_fleiss_kappa(nothing).value is compute_krippendorff_alpha(nothing).value is None
        assert compute_pairwise_agreement(nothing).n == 0
    assert compute_krippendorff_alpha(np.array([[1, 1]])).value == pytest.approx(0)


def test_clusters_widen_the_interval_and_few_of_them_are_ignored() -> None:
    votes = draw_votes(40, 5, 2)
    repeated, clusters = np.repeat(votes, 4, axis=0), pl.Series(np.repeat(np.arange(40), 4))
    alone, shared = compute_krippendorff_alpha(repeated), compute_krippendorff_alpha(repeated, clusters)
    assert alone.value == shared.value
    assert _width(shared) == pytest.approx(2 * _width(alone), rel=0.1)
    assert compute_krippendorff_alpha(repeated, clusters // 5) == alone
    # A null is a cluster of its own.
    nobody = pl.Series([None] * 40, dtype=pl.Int64)
    assert compute_krippendorff_alpha(votes, nobody) == compute_krippendorff_alpha(votes)


def _width(estimate: object) -> float:
    return float(estimate.high - estimate.low)  # type: ignore[attr-defined]


@pytest.mark.slow
@pytest.mark.parametrize(("items", "alike"), [(60, 1), (240, 1), (240, 3)])
def test_intervals_cover_the_truth(items: int, alike: int) -> None:
    rng = np.random.default_rng(3)
    settings = {compute_fleiss_kappa: 0.0, compute_krippendorff_alpha: 0.0, compute_pairwise_agreement: 0.0}
    truth = {measure: measure(_draw_population(rng, 100_000, 1)[0]).value for measure in settings}
    times = 1_000
    for _ in range(times):
        counts, clusters = _draw_population(rng, items, alike)
        for measure in settings:
            estimate = measure(counts, clusters)
            settings[measure] += (estimate.low or 0) <= (truth[measure] or 0) <= (estimate.high or 0)
    for covered in settings.values():
        assert 0.93 <= covered / times <= 0.97


def _draw_population(rng: np.random.Generator, items: int, alike: int) -> tuple[Counts, pl.Series]:
    """Draw five labels for each item: a gold label, and others as often as the cluster of the item is difficult."""
    clusters = np.repeat(np.arange(items // alike), alike)
    hard = rng.beta(0.5, 1.5, size=items // alike)[clusters, None]
    gold = np.eye(3)[rng.choice(3, size=items, p=[0.5, 0.3, 0.2])]
    shares = (1 - hard) * gold + hard * rng.dirichlet([1, 1, 1], size=items)
    return rng.multinomial(5, shares), pl.Series(clusters)
