from __future__ import annotations

from math import sqrt

import numpy as np
import polars as pl
import pytest

from rightreasons.core.errors import InputError
from rightreasons.people.power import (
    PowerAssumptions,
    StudyDesign,
    compute_chance_corrected,
    compute_half_width,
    find_design,
    make_power_table,
    recommend_design,
    simulate_figures,
)
from rightreasons.scoring.annotator_agreement import compute_fleiss_kappa, compute_krippendorff_alpha

PLAIN = PowerAssumptions.from_accuracies(0.8, 0, 0)
SPREAD = PowerAssumptions.from_accuracies(0.76, 0.1, 0.2)


def test_without_spread_the_width_is_that_of_a_proportion() -> None:
    width = compute_half_width(StudyDesign(200, 3), PLAIN, "accuracy", simulations=4000, seed=0)
    assert width == pytest.approx(1.96 * sqrt(0.8 * 0.2 / 600), rel=0.05)


def test_the_width_has_the_variance_of_items_and_participants() -> None:
    """For accuracies: the variance of items over their number, that of participants over theirs, and the rest."""
    width = compute_half_width(StudyDesign(570, 5), SPREAD, "accuracy", simulations=4000, seed=0)
    rest = 0.76 * 0.24 - 0.1**2 - 0.2**2
    variance = 0.2**2 / 570 + 0.1**2 / 50 + rest / (570 * 5)
    assert width == pytest.approx(1.96 * sqrt(variance), rel=0.05)


def test_exclusions_widen_the_interval() -> None:
    excluded = PowerAssumptions.from_accuracies(0.8, 0, 0, excluded=0.5)
    figures = simulate_figures(StudyDesign(300, 2), excluded, "accuracy", simulations=2000, seed=0)
    assert np.nanmean(figures) == pytest.approx(0.8, abs=0.005)
    assert np.nanstd(figures) == pytest.approx(sqrt(0.8 * 0.2 / 300), rel=0.25)


def test_beyond_1000_items_the_width_shrinks_like_a_root() -> None:
    narrow, wide = (
        compute_half_width(StudyDesign(items, 2), SPREAD, "accuracy", simulations=200, seed=0)
        for items in (4000, 1000)
    )
    assert narrow == pytest.approx(wide / 2, rel=1e-9)


@pytest.mark.parametrize("figure", ["accuracy", "alpha", "kappa"])
def test_a_found_design_reaches_the_width_with_few_items(figure: str) -> None:
    found = find_design(0.05, 3, SPREAD, figure, simulations=1000, seed=0)  # type: ignore[arg-type]
    assert found is not None
    design, width = found
    assert 0.045 < width <= 0.05
    assert design.judgements == 3


def test_a_seed_gives_the_same_table() -> None:
    tables = [make_power_table(SPREAD, "alpha", width=0.1, simulations=100, seed=seed) for seed in (1, 1, 2)]
    assert tables[0].equals(tables[1])
    assert not tables[0].equals(tables[2])


@pytest.mark.parametrize("missing", [False, True])
def test_agreement_is_that_of_the_analysis(missing: bool) -> None:
    rng = np.random.default_rng(0)
    labels = rng.choice(3, (4, 60, 5), p=[0.6, 0.3, 0.1])
    kept = rng.random(labels.shape) < (0.5 if missing else 1)
    counts = np.stack([((labels == label) & kept).sum(axis=2) for label in range(3)], axis=-1)
    alphas = compute_chance_corrected(counts.astype(float), "alpha")
    assert alphas.tolist() == pytest.approx([compute_krippendorff_alpha(each).value for each in counts])
    if not missing:
        kappas = compute_chance_corrected(counts.astype(float), "kappa")
        assert kappas.tolist() == pytest.approx([compute_fleiss_kappa(each).value for each in counts])


def test_agreement_is_that_of_the_assumptions() -> None:
    """Two labels, equally frequent gold labels, no spread: people agree with chance p² + q²."""
    figures = simulate_figures(StudyDesign(500, 4), PLAIN, "alpha", simulations=400, seed=0)
    assert figures.mean() == pytest.approx(2 * (0.8**2 + 0.2**2) - 1, abs=0.005)


def test_given_items_make_a_row_for_each_design() -> None:
    table = make_power_table(SPREAD, "kappa", items=(50, 100), judgements=(1, 3, 5), simulations=50)
    assert table.select("items", "judgements", "total", "participants").rows() == [
        (50, 3, 150, 3),
        (50, 5, 250, 5),
        (100, 3, 300, 6),
        (100, 5, 500, 9),
    ]


def test_the_recommended_design_takes_the_fewest_judgements() -> None:
    table = pl.DataFrame(
        {
            "judgements": [1, 3, 5, 2],
            "items": [900, 200, 120, 300],
            "total": [900, 600, 600, 600],
            "half_width": [0.02, 0.03, 0.03, 0.031],
        }
    )
    best = recommend_design(table, 0.03)
    assert best is not None
    assert (best["items"], best["judgements"]) == (120, 5)
    assert recommend_design(table, 0.01) is None


def test_a_width_that_no_study_reaches_gives_no_row() -> None:
    assert make_power_table(SPREAD, "accuracy", width=1e-5, judgements=(2,), simulations=20).height == 0


@pytest.mark.parametrize(("judgements", "width"), [((1,), 0.1), ((3,), 0.0), ((3,), 1.0), ((3,), None)])
def test_impossible_requests_are_refused(judgements: tuple[int, ...], width: float | None) -> None:
    with pytest.raises(InputError, match=r"at least 2|half-width"):
        make_power_table(SPREAD, "alpha", width=width, judgements=judgements)


@pytest.mark.parametrize(("accuracy", "excluded"), [(0.0, 0.0), (1.0, 0.0), (0.5, 1.0), (0.5, -0.1)])
def test_impossible_assumptions_are_refused(accuracy: float, excluded: float) -> None:
    with pytest.raises(InputError):
        PowerAssumptions.from_accuracies(accuracy, 0.1, 0.1, excluded=excluded)


def test_the_spread_of_accuracies_can_be_read_back() -> None:
    assert SPREAD.describe_spread() == pytest.approx((0.1, 0.2), abs=1e-6)
