"""Rank correlation between the audits of training corpora and the accuracies of models on HANS, over the corpora."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rightreasons.core.labels import NON_ENTAILMENT
from rightreasons.experiments.tables import ExperimentTable
from rightreasons.reports.exhibits.published_comparison import FigureRow, FigureValue, TableHeading
from rightreasons.scoring.paired import correct_p_values
from rightreasons.scoring.rank_correlation import compute_rank_correlation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rightreasons.core.audit_result import AuditFigure
    from rightreasons.core.exhibit import Format
    from rightreasons.experiments.results import ExperimentResults
    from rightreasons.scoring.rank_correlation import RankCorrelation

MAIN_FIGURE = "heuristics.lexical_overlap.contradicting"
FIGURES = {
    "heuristics.lexical_overlap": "entailed, of pairs with full overlap",
    MAIN_FIGURE: "pairs that contradict lexical overlap",
    "heuristics.subsequence": "entailed, of pairs with a subsequence",
    "heuristics.subsequence.contradicting": "pairs that contradict subsequence",
    "shape.overlap": "largest deviation of a label by overlap",
    "partial-input.overlap": "accuracy from overlap and lengths",
    "partial-input.hypothesis": "accuracy from the hypothesis",
    "partial-input.premise": "accuracy from the premise",
}
P_VALUE = "p"
BALANCED = "mean of both"
SUBSETS = {"all": "all corpora", "natural": "corpora without HANS-like pairs"}
# Each accuracy on HANS, then the p value of its correlation.
CORRELATIONS = {
    NON_ENTAILMENT: "HANS, non-entailed",
    f"{NON_ENTAILMENT} p": P_VALUE,
    BALANCED: "HANS, mean of both",
    f"{BALANCED} p": P_VALUE,
}
CORRELATION_RULE = (
    "Spearman's rank correlation over the corpora, between a figure of the audit and the accuracy on HANS (mean over "
    "seeds), with a 95% confidence interval (Bonett and Wright 2000). p: permutation test, Benjamini-Hochberg "
    "corrected over the figures of one model."
)
FEW = (
    "Corpora are few and some share pairs (the mixtures, and those with added pairs), so intervals and p values are "
    "approximate."
)


def make_correlation_tables(
    results: ExperimentResults,
    audited: Mapping[str, Mapping[str, AuditFigure]],
    accuracies: Mapping[str, Mapping[str, FigureValue]],
) -> list[ExperimentTable]:
    """Correlate over all corpora, and over those without HANS-like pairs; accuracies are by row of the results."""
    return [_make_correlation_table(results, audited, accuracies, subset) for subset in SUBSETS]


def _make_correlation_table(
    results: ExperimentResults,
    audited: Mapping[str, Mapping[str, AuditFigure]],
    accuracies: Mapping[str, Mapping[str, FigureValue]],
    subset: str,
) -> ExperimentTable:
    """Correlate each figure with the accuracies of each model, over a subset of the corpora."""
    rows = []
    for model in dict.fromkeys(part.learner.display_name for part, _ in results.jobs):
        corpora = _list_corpora_of_model(results, model, natural=subset == "natural")
        cells: dict[str, dict[str, FigureValue]] = {}
        for target in (NON_ENTAILMENT, BALANCED):
            outcome = [accuracies[row][target].mean for row in corpora]
            found = _correlate_figures([audited[corpus] for corpus in corpora.values()], outcome)
            for address, (correlation, p) in found.items():
                rho = FigureValue(correlation.rho, correlation.low, correlation.high, correlation.n)
                cells.setdefault(address, {})[target] = rho
                cells[address][f"{target} p"] = FigureValue(p, n=correlation.n)
        rows += [FigureRow(f"{model}: {FIGURES[address]}", values) for address, values in cells.items()]
    key = "audit-correlations" if subset == "all" else f"audit-correlations-{subset}"
    title = f"Do the audits predict the accuracy on HANS? ({SUBSETS[subset]})"
    heading = TableHeading(key, title, CORRELATION_RULE, shown="correlation", counted="corpora")
    table = ExperimentTable.build_with_models_as_rows(heading, CORRELATIONS, rows, (FEW,))
    p_columns: dict[str, Format] = {
        name: "p" for name, shown in table.exhibit.headings.items() if shown == P_VALUE
    }
    headings = {**table.exhibit.headings, "model": "model and figure"}
    exhibit = replace(table.exhibit, formats={**table.exhibit.formats, **p_columns}, headings=headings)
    return replace(table, exhibit=exhibit)


def _list_corpora_of_model(results: ExperimentResults, model: str, *, natural: bool) -> dict[str, str]:
    """List the rows of a model, each with its corpus."""
    return {
        part.row: part.variant
        for part, _ in results.jobs
        if part.learner.display_name == model and not (natural and part.edits)
    }


def _correlate_figures(
    corpora: Sequence[Mapping[str, AuditFigure]], outcome: Sequence[float]
) -> dict[str, tuple[RankCorrelation, float]]:
    """Correlate every figure that all corpora have with an outcome; p values are corrected together."""
    found = {}
    for address in FIGURES:
        if all(address in figures for figures in corpora):
            values = [figures[address].value for figures in corpora]
            correlation = compute_rank_correlation(values, outcome)
            if correlation is not None:
                found[address] = correlation
    corrected = correct_p_values(np.array([each.p for each in found.values()]))
    return {address: (each, float(p)) for (address, each), p in zip(found.items(), corrected, strict=True)}
