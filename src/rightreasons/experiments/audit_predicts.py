"""`audit-predicts`: does the audit of a training corpus predict what a model trained on it does on HANS?

Corpora and mixtures of equal size are audited and trained on. If the audits are right about what a corpus teaches, the
figures of the corpora are in the same order as the accuracies of the models.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from rightreasons.audits.audit_corpus import AuditCorpus
from rightreasons.audits.run_audits import build_audits, run_possible_audits
from rightreasons.core.labels import ENTAILMENT, NON_ENTAILMENT
from rightreasons.core.pairs import Card, ChallengeSet
from rightreasons.experiments import hans_main
from rightreasons.experiments.declaration import Experiment, ExperimentPart, TestSet
from rightreasons.experiments.hans_augmented import LABEL
from rightreasons.experiments.results import HELD_OUT, LEAST, average_values, summarize_seeds
from rightreasons.experiments.tables import ExperimentTable
from rightreasons.io.polars_io import read_parquet
from rightreasons.reports.exhibits.published_comparison import FigureRow, FigureValue, TableHeading
from rightreasons.scoring.paired import correct_p_values
from rightreasons.scoring.rank_correlation import compute_rank_correlation
from rightreasons.training.edits import apply_edits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rightreasons.core.audit_result import AuditFigure
    from rightreasons.core.exhibit import Format
    from rightreasons.experiments.declaration import Setting
    from rightreasons.experiments.results import ExperimentResults
    from rightreasons.scoring.rank_correlation import RankCorrelation

SIZE = 6_000  # pairs of each corpus, as many as the smallest of them allows
TEST_PAIRS = 3_000
BOTH_LABELS = (300, 3_000)  # HANS-like pairs of both labels, to vary the number without the ratio
AUDITS = ("heuristics", "partial-input", "cues", "shape")
FIGURES = {
    "heuristics.lexical_overlap": "entailed, of pairs with full overlap",
    "heuristics.lexical_overlap.contradicting": "pairs that contradict lexical overlap",
    "heuristics.subsequence": "entailed, of pairs with a subsequence",
    "heuristics.subsequence.contradicting": "pairs that contradict subsequence",
    "shape.overlap": "largest deviation of a label by overlap",
    "partial-input.overlap": "accuracy from overlap and lengths",
    "partial-input.hypothesis": "accuracy from the hypothesis",
    "partial-input.premise": "accuracy from the premise",
}
P_VALUE = "p"
NON_ENTAILED, BALANCED = "non-entailed", "mean of both"
OWN = "own"
COLUMNS = {
    OWN: HELD_OUT,
    "mnli": "MNLI",
    ENTAILMENT: "HANS, entailed",
    NON_ENTAILMENT: "HANS, non-entailed",
    BALANCED: "HANS, mean of both",
}
SUBSETS = {"all": "all corpora", "natural": "without HANS-like pairs"}
FIGURE_RULE = (
    "Figures of the audits of each training corpus, including added pairs, in percent with 95% confidence "
    "intervals."
)
HANS_RULE = (
    "Accuracy of models trained on each corpus. Held-out pairs: of the training corpus itself, on which the checkpoint "
    f"was selected; a model below {LEAST:.0%} there is too weak for a claim. On HANS, the most probable of three "
    "labels is the prediction; neutral and contradiction count as non-entailment."
)
CORRELATION_RULE = (
    "Spearman's rank correlation over the corpora, between a figure of the audit and the accuracy on HANS (mean over "
    "seeds), with a 95% confidence interval (Bonett and Wright 2000). p: permutation test, Benjamini-Hochberg "
    "corrected over the rows of one model and one accuracy."
)
AVERAGED = "The published accuracies on HANS are means over its three heuristics."
FEW = (
    "Corpora are few and some share pairs (the mixtures, and those with added pairs), so intervals and p values are "
    "approximate."
)


@dataclass(frozen=True)
class TrainingMix:
    """Training data: pairs of a role or of a mixture, with HANS-like pairs in place of some of them."""

    name: str
    train: str
    added: int = 0
    only: str = NON_ENTAILMENT

    @property
    def edits(self) -> tuple[str, ...]:
        """The edit that adds the HANS-like pairs."""
        return (f"augment:size={self.added},only={self.only}",) if self.added else ()


NATURAL = (
    TrainingMix("MNLI", "mnli-train"),
    TrainingMix("SNLI", "snli-train"),
    TrainingMix("LingNLI", "lingnli-train"),
    TrainingMix("ConjNLI, automatic labels", "conjnli-auto"),
    TrainingMix("counterfactual SNLI", "counterfactual-snli"),
    TrainingMix("MPE", "mpe-train"),
    TrainingMix("MNLI and SICK", "mnli-train+sick-train"),
    TrainingMix("SNLI and SICK", "snli-train+sick-train"),
    TrainingMix("MNLI and HELP, automatic labels", "mnli-train+help-auto"),
)


class AuditPredicts(Experiment):
    """The audits of training corpora next to the accuracy on HANS, and their rank correlation."""

    name = "audit-predicts"
    about = "do audits of training corpora predict the accuracy on HANS?"
    models = ("da", "esim", "minilm")
    paper_models = ("da", "esim", "bert")
    notes = (LABEL,)

    def test_sets(self, setting: Setting) -> list[TestSet]:  # noqa: ARG002 - the same for all models
        """HANS and the matched dev set of MultiNLI."""
        return [
            TestSet(hans_main.HANS, set="hans-released", role="hans-eval", limit=TEST_PAIRS),
            TestSet(hans_main.DEV, role="mnli-dev-matched", limit=TEST_PAIRS),
        ]

    def parts(self, setting: Setting) -> list[ExperimentPart]:
        """Train each model on each corpus; HANS-like pairs replace other pairs, so that all have the same size."""
        size = min(setting.scale.most_pairs or SIZE, SIZE)
        return [
            ExperimentPart(
                model,
                mix.train,
                seed,
                edits=mix.edits,
                tests=(hans_main.HANS, hans_main.DEV),
                claim=HELD_OUT,
                variant=mix.name,
                size=size - mix.added,
            )
            for seed in setting.seeds
            for model in setting.models
            for mix in list_training_mixes(setting)
        ]

    def tables(self, results: ExperimentResults) -> list[ExperimentTable]:
        """Build the tables of the audits, of the models, and of their correlation."""
        audited = _audit_training_corpora(results)
        accuracies = {row: _read_accuracies(results, row) for row in results.rows}
        return [
            _make_audit_table(audited),
            _make_accuracy_table(results, accuracies),
            _make_correlation_table(results, audited, accuracies),
        ]


def list_training_mixes(setting: Setting) -> list[TrainingMix]:
    """List the corpora: natural ones, then MultiNLI with HANS-like pairs that contradict, or of both labels."""
    largest = min(setting.scale.most_pairs or SIZE, SIZE) // 2
    contradicting = [
        TrainingMix(f"MNLI + {dose:,} contradicting", "mnli-train", dose)
        for dose in setting.scale.doses
        if 0 < dose <= largest
    ]
    both = [
        TrainingMix(f"MNLI + {dose:,} of both labels", "mnli-train", dose, "all")
        for dose in BOTH_LABELS
        if dose <= largest
    ]
    return [*NATURAL, *contradicting, *both]


def _audit_training_corpora(results: ExperimentResults) -> dict[str, Mapping[str, AuditFigure]]:
    """Audit the pairs that models were trained on, after edits: the figures by address, by name of the corpus."""
    audits = build_audits(AUDITS, {"heuristics.rule": "nested"})
    figures: dict[str, Mapping[str, AuditFigure]] = {}
    for part, job in results.jobs:
        if part.variant not in figures:
            pairs = apply_edits(read_parquet(job.training.train), part.edits).pairs
            corpus = AuditCorpus.from_challenge_set(ChallengeSet(pairs, Card(part.variant)))
            (audited,) = run_possible_audits([corpus], audits)
            figures[part.variant] = audited.list_figures()
    return figures


def _make_audit_table(audited: Mapping[str, Mapping[str, AuditFigure]]) -> ExperimentTable:
    rows = [
        FigureRow(
            corpus,
            {
                address: FigureValue(figure.value, figure.low, figure.high, figure.n)
                for address, figure in figures.items()
                if address in FIGURES
            },
        )
        for corpus, figures in audited.items()
    ]
    title = "What each corpus teaches"
    heading = TableHeading("audit-figures", title, FIGURE_RULE, shown="percent")
    table = ExperimentTable.build_with_models_as_rows(heading, FIGURES, rows)
    headings = {**table.exhibit.headings, "model": "training corpus"}
    return replace(table, exhibit=replace(table.exhibit, headings=headings))


def _read_accuracies(results: ExperimentResults, row: str) -> dict[str, FigureValue]:
    """Read the accuracies of a row on MNLI and HANS; the mean of both labels is taken for each seed."""
    by_label = results.compute_accuracies(row, hans_main.HANS)
    means = []
    for part, job in results.list_parts(row):
        scores = results.score_part(part, job, hans_main.HANS)
        cells = {label: scores.filter(gold=label) for label in (ENTAILMENT, NON_ENTAILMENT)}
        columns = ("accuracy", "low", "high", "n")
        means.append(average_values([FigureValue(*cell.select(columns).row(0)) for cell in cells.values()]))
    return {
        OWN: results.compute_held_out_accuracy(row),
        "mnli": results.compute_accuracy(row, hans_main.DEV),
        **{label: by_label[(label,)] for label in (ENTAILMENT, NON_ENTAILMENT)},
        BALANCED: summarize_seeds(means),
    }


def _make_accuracy_table(
    results: ExperimentResults, accuracies: Mapping[str, Mapping[str, FigureValue]]
) -> ExperimentTable:
    rows = [results.make_row(row, values) for row, values in accuracies.items()]
    heading = TableHeading("audit-predicts", "Accuracy by training corpus", HANS_RULE)
    published = [_average_published_row(row) for row in hans_main.read_table_3()]
    notes = (hans_main.NOT_TEST, AVERAGED)
    return ExperimentTable.build_with_models_as_rows(heading, COLUMNS, [*published, *rows], notes)


def _average_published_row(row: FigureRow) -> FigureRow:
    """Average the published accuracies over the heuristics, which have equally many pairs."""
    values = {"mnli": row.values[hans_main.MNLI]} if hans_main.MNLI in row.values else {}
    for label in (ENTAILMENT, NON_ENTAILMENT):
        names = [name for name, title in hans_main.CELLS.items() if title.endswith(f", {label}")]
        values[label] = FigureValue(fmean(row.values[name].mean for name in names))
    values[BALANCED] = FigureValue(fmean(values[label].mean for label in (ENTAILMENT, NON_ENTAILMENT)))
    return replace(row, values=values)


def _make_correlation_table(
    results: ExperimentResults,
    audited: Mapping[str, Mapping[str, AuditFigure]],
    accuracies: Mapping[str, Mapping[str, FigureValue]],
) -> ExperimentTable:
    """Correlate each figure with the accuracies of each model, over all corpora and without HANS-like pairs."""
    rows, columns = [], {}
    for target, title in ((NON_ENTAILMENT, NON_ENTAILED), (BALANCED, BALANCED)):
        for subset, corpora in SUBSETS.items():
            columns[f"{target} {subset}"] = f"{title}, {corpora}"
            columns[f"{target} {subset} p"] = f"{P_VALUE}, {title}, {corpora}"
    for model in dict.fromkeys(part.learner.display_name for part, _ in results.jobs):
        cells: dict[str, dict[str, FigureValue]] = {address: {} for address in FIGURES}
        for target in (NON_ENTAILMENT, BALANCED):
            for subset in SUBSETS:
                names = _list_corpora_of_model(results, model, natural=subset == "natural")
                outcome = [accuracies[row][target].mean for row in names]
                found = _correlate_figures([audited[corpus] for corpus in names.values()], outcome)
                for address, (correlation, p) in found.items():
                    cells[address][f"{target} {subset}"] = FigureValue(
                        correlation.rho, correlation.low, correlation.high, correlation.n
                    )
                    cells[address][f"{target} {subset} p"] = FigureValue(p, n=correlation.n)
        rows += [
            FigureRow(f"{model}: {FIGURES[address]}", values) for address, values in cells.items() if values
        ]
    title = "Do the audits predict the accuracy on HANS?"
    heading = TableHeading(
        "audit-correlations", title, CORRELATION_RULE, shown="correlation", counted="corpora"
    )
    table = ExperimentTable.build_with_models_as_rows(heading, columns, rows, (FEW,))
    p_columns: dict[str, Format] = {
        name: "p" for name, title in table.exhibit.headings.items() if title.startswith(f"{P_VALUE},")
    }
    formats = {**table.exhibit.formats, **p_columns}
    return replace(table, exhibit=replace(table.exhibit, formats=formats))


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
