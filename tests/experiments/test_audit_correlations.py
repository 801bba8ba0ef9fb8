"""Figures of audits are correlated with accuracies only if all corpora have them; p values are corrected together."""

from __future__ import annotations

import pytest

from rightreasons.core.audit_result import AuditFigure
from rightreasons.experiments.audit_correlations import MAIN_FIGURE, _correlate_figures
from rightreasons.scoring.rank_correlation import compute_rank_correlation

OVERLAP = "partial-input.overlap"
OUTCOME = [0.1, 0.2, 0.4, 0.3, 0.7, 0.9, 0.8]


def make_figures(**values: float) -> dict[str, AuditFigure]:
    names = {"contradicting": MAIN_FIGURE, "overlap": OVERLAP}
    return {names[name]: AuditFigure(names[name], value, 100) for name, value in values.items()}


def test_correlations_are_those_of_the_figures_and_p_values_are_corrected_together() -> None:
    overlaps = [0.5, 0.3, 0.6, 0.2, 0.1, 0.4, 0.45]
    corpora = [
        make_figures(contradicting=accuracy / 10, overlap=overlap)
        for accuracy, overlap in zip(OUTCOME, overlaps, strict=True)
    ]
    found = _correlate_figures(corpora, OUTCOME)
    alone = compute_rank_correlation(overlaps, OUTCOME)
    assert alone is not None
    assert list(found) == [MAIN_FIGURE, OVERLAP]
    assert found[MAIN_FIGURE][0].rho == pytest.approx(1)
    assert found[MAIN_FIGURE][0].n == len(OUTCOME)
    assert found[OVERLAP][0] == alone
    assert found[MAIN_FIGURE][1] == pytest.approx(min(2 * found[MAIN_FIGURE][0].p, alone.p))
    assert found[OVERLAP][1] == pytest.approx(alone.p)


def test_a_figure_that_a_corpus_lacks_is_left_out() -> None:
    corpora = [make_figures(contradicting=accuracy, overlap=accuracy) for accuracy in OUTCOME]
    del corpora[3][MAIN_FIGURE]
    assert list(_correlate_figures(corpora, OUTCOME)) == [OVERLAP]
