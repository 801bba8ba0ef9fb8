"""Agreement of participants: the figures of counts, exact fractions, and intervals for other participants."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import agreement_simulation as simulation
import numpy as np
import polars as pl
import pytest
from annotator_examples import make_annotations

from rightreasons.scoring.annotations import Annotations
from rightreasons.scoring.annotator_agreement import (
    compute_fleiss_kappa,
    compute_krippendorff_alpha,
    compute_pairwise_agreement,
)
from rightreasons.scoring.participant_agreement import measure_participant_agreement

# Krippendorff (2011), example C: four observers, twelve units, gaps.
FOUR_OBSERVERS = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")


def draw_study(design: simulation.Design, differ: float, seed: int = 0) -> Annotations:
    rng = np.random.default_rng(seed)
    assigned = simulation.assign_participants(design, rng)
    labels = simulation.draw_labels(assigned, design.participants, differ, rng)
    return simulation.make_annotations(assigned, labels, design.participants)


def compute_alpha_exactly(units: list[str]) -> Fraction:
    """Compute alpha from the matrix of coincidences, as Krippendorff defines it."""
    coincidences: dict[tuple[str, str], Fraction] = {}
    for unit in units:
        for pair in permutations(unit, 2):
            coincidences[pair] = coincidences.get(pair, Fraction(0)) + Fraction(1, len(unit) - 1)
    marginal = {
        value: sum((n for (first, _), n in coincidences.items() if first == value), Fraction(0))
        for value in {first for first, _ in coincidences}
    }
    n = sum(marginal.values())
    observed = sum(count for (first, second), count in coincidences.items() if first != second) / n
    expected = sum(
        marginal[first] * marginal[second] for first in marginal for second in marginal if first != second
    ) / (n * (n - 1))
    return 1 - observed / expected


def test_alpha_equals_exact_fractions() -> None:
    units = ["".join(unit).replace(".", "") for unit in zip(*FOUR_OBSERVERS, strict=True)]
    exact = compute_alpha_exactly(units)
    assert exact == Fraction(904, 1216)
    rows = [
        (f"{place:02}", f"observer {who}", value)
        for who, values in enumerate(FOUR_OBSERVERS)
        for place, value in enumerate(values)
        if value != "."
    ]
    four = measure_participant_agreement(make_annotations(rows))
    assert four.alpha.value == pytest.approx(float(exact), abs=1e-12)
    assert (four.alpha.n, four.over_participants) == (11, False)
    rng = np.random.default_rng(3)
    for _ in range(20):
        words = ["".join(rng.choice(list("abc"), size=rng.integers(1, 6))) for _ in range(15)]
        rows = [
            (f"{i:02}", str(who), label) for i, word in enumerate(words) for who, label in enumerate(word)
        ]
        alpha = measure_participant_agreement(make_annotations(rows)).alpha
        assert alpha.value == pytest.approx(float(compute_alpha_exactly(words)), abs=1e-12)


def test_figures_are_those_of_the_counts() -> None:
    annotations = draw_study(simulation.Design(60, 20, 5), 0.15)
    counts, both = annotations.count_labels(), measure_participant_agreement(annotations)
    assert both.pairwise.value == pytest.approx(compute_pairwise_agreement(counts).value, abs=1e-12)
    assert both.fleiss.value == pytest.approx(compute_fleiss_kappa(counts).value, abs=1e-12)
    assert both.alpha.value == pytest.approx(compute_krippendorff_alpha(counts).value, abs=1e-12)
    raters = pytest.importorskip("statsmodels.stats.inter_rater")
    assert both.fleiss.value == pytest.approx(raters.fleiss_kappa(counts), abs=1e-12)
    assert both.pairwise.n == both.fleiss.n == both.alpha.n == 60


def test_few_participants_have_intervals_over_items() -> None:
    annotations = draw_study(simulation.Design(50, 9, 3), 0.5)
    both = measure_participant_agreement(annotations)
    assert not both.over_participants
    assert both.alpha == compute_krippendorff_alpha(annotations.count_labels())


def test_participants_who_differ_widen_the_interval() -> None:
    annotations = draw_study(simulation.Design(400, 20, 3), 0.5)
    over_items = compute_pairwise_agreement(annotations.count_labels())
    both = measure_participant_agreement(annotations).pairwise
    assert (both.low or 1) < (over_items.low or 0) < (over_items.high or 1) < (both.high or 0)
    # The names and the order of participants don't matter.
    order = np.random.default_rng(1).permutation(20)
    renamed = Annotations(
        annotations.item,
        order[annotations.annotator],
        annotations.label,
        *(annotations.items,),
        *_names(annotations),
    )
    assert measure_participant_agreement(renamed).pairwise.low == pytest.approx(both.low, abs=1e-12)


def _names(annotations: Annotations) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return annotations.annotators, annotations.labels


def test_agreement_of_degenerate_labels() -> None:
    same = make_annotations([(str(i % 12), f"p{i // 12}", "x") for i in range(144)])
    both = measure_participant_agreement(same)
    assert (both.pairwise.value, both.fleiss.value, both.alpha.value) == (1, None, None)
    assert both.pairwise.low is not None
    assert both.pairwise.low < 1 == both.pairwise.high
    nothing = measure_participant_agreement(make_annotations([]))
    assert (nothing.pairwise.value, nothing.pairwise.n, nothing.over_participants) == (None, 0, False)
    table = pl.DataFrame({"item": ["1", "2"], "annotator": ["a", "b"], "label": ["x", "y"]})
    assert measure_participant_agreement(Annotations.from_table(table)).alpha.value is None


@pytest.mark.slow
@pytest.mark.parametrize("design", simulation.DESIGNS[:6])
def test_intervals_cover_the_truth(design: simulation.Design) -> None:
    truth = simulation.compute_truth(0.15)
    coverage = simulation.simulate_coverage(design, 0.15, 400, truth)
    for figure in simulation.FIGURES:
        assert 0.92 <= coverage[figure] <= 0.985
    # Items alone say too little about other participants.
    if design.participants < 200 and design.items >= 240:
        assert coverage["pairwise, items alone"] < 0.91
