"""`audit-predicts`: does the audit of a training corpus predict what a model trained on it does on HANS?

Corpora and mixtures of equal size are audited and trained on. If the audits are right about what a corpus teaches, the
figures of the corpora are in the same order as the accuracies of the models.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

from rightreasons.audits.audit_corpus import AuditCorpus
from rightreasons.audits.run_audits import build_audits, run_possible_audits
from rightreasons.core.labels import ENTAILMENT, NON_ENTAILMENT
from rightreasons.core.pairs import Card, ChallengeSet
from rightreasons.experiments import hans_main
from rightreasons.experiments.audit_correlations import (
    BALANCED,
    FIGURES,
    MAIN_FIGURE,
    make_correlation_tables,
)
from rightreasons.experiments.declaration import Experiment, ExperimentPart, TestSet
from rightreasons.experiments.hans_augmented import LABEL
from rightreasons.experiments.learners import TRANSFORMER, find_learner
from rightreasons.experiments.results import HELD_OUT, LEAST, average_values, summarize_seeds
from rightreasons.experiments.tables import ExperimentTable
from rightreasons.io.polars_io import read_parquet
from rightreasons.reports.exhibits.published_comparison import FigureRow, FigureValue, TableHeading
from rightreasons.training.edits import apply_edits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rightreasons.core.audit_result import AuditFigure
    from rightreasons.core.exhibit import Format
    from rightreasons.experiments.declaration import Setting
    from rightreasons.experiments.results import ExperimentResults

SIZE = 6_000  # pairs of each corpus, as many as the smallest of them allows
TEST_PAIRS = 3_000
BOTH_LABELS = (300, 3_000)  # HANS-like pairs of both labels, to vary the number without the ratio
# Transformers take so long that they are trained on some corpora only, except at the scale `paper`.
FOR_TRANSFORMERS = (
    "MNLI",
    "SNLI",
    "LingNLI",
    "ConjNLI, automatic labels",
    "counterfactual SNLI",
    "MNLI and SICK",
    "MNLI + 300 contradicting",
    "MNLI + 3,000 contradicting",
)
AUDITS = ("heuristics", "partial-input", "cues", "shape")
OWN, CONTRADICTING = "own", "contradicting"
COLUMNS = {
    CONTRADICTING: "training pairs that contradict lexical overlap",
    OWN: HELD_OUT,
    "mnli": "MNLI",
    ENTAILMENT: "HANS, entailed",
    NON_ENTAILMENT: "HANS, non-entailed",
    BALANCED: "HANS, mean of both",
}
FIGURE_RULE = (
    "Figures of the audits of each training corpus, including added pairs, in percent with 95% confidence "
    "intervals."
)
HANS_RULE = (
    "Accuracy of models trained on each corpus, by the share of its pairs that contradict lexical overlap "
    "(nested rule). Held-out pairs: of the training corpus itself, on which the checkpoint was selected; a model "
    f"below {LEAST:.0%} there is too weak for a claim. On HANS, the most probable of three labels is the prediction; "
    "neutral and contradiction count as non-entailment."
)
AVERAGED = "The published accuracies on HANS are means over its three heuristics."


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
            for mix in _list_mixes_of_model(setting, model)
        ]

    def tables(self, results: ExperimentResults) -> list[ExperimentTable]:
        """Build the tables of the audits, of the models, and of their correlation."""
        audited = _audit_training_corpora(results)
        accuracies = {row: _read_accuracies(results, row) for row in results.rows}
        return [
            _make_audit_table(audited),
            _make_accuracy_table(results, audited, accuracies),
            *make_correlation_tables(results, audited, accuracies),
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


def _list_mixes_of_model(setting: Setting, model: str) -> list[TrainingMix]:
    mixes = list_training_mixes(setting)
    if setting.scale.name == "paper" or find_learner(model).trainer != TRANSFORMER:
        return mixes
    return [mix for mix in mixes if mix.name in FOR_TRANSFORMERS]


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


def _convert_figure(figure: AuditFigure) -> FigureValue:
    return FigureValue(figure.value, figure.low, figure.high, figure.n)


def _make_audit_table(audited: Mapping[str, Mapping[str, AuditFigure]]) -> ExperimentTable:
    rows = [
        FigureRow(
            corpus,
            {address: _convert_figure(figure) for address, figure in figures.items() if address in FIGURES},
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
    results: ExperimentResults,
    audited: Mapping[str, Mapping[str, AuditFigure]],
    accuracies: Mapping[str, Mapping[str, FigureValue]],
) -> ExperimentTable:
    rows = []
    for row, values in accuracies.items():
        figure = audited[results.list_parts(row)[0][0].variant].get(MAIN_FIGURE)
        share = {} if figure is None else {CONTRADICTING: _convert_figure(figure)}
        rows.append(results.make_row(row, {**share, **values}))
    heading = TableHeading("audit-predicts", "Accuracy by training corpus", HANS_RULE)
    published = [_average_published_row(row) for row in hans_main.read_table_3()]
    notes = (hans_main.NOT_TEST, AVERAGED)
    table = ExperimentTable.build_with_models_as_rows(heading, COLUMNS, [*published, *rows], notes)
    names = {column: f"c{place}" for place, column in enumerate(COLUMNS)}
    formats: dict[str, Format] = {**table.exhibit.formats, names[CONTRADICTING]: "percent"}
    chart = _draw_accuracies(names[CONTRADICTING], names[NON_ENTAILMENT])
    return replace(table, exhibit=replace(table.exhibit, formats=formats, chart=chart))


def _draw_accuracies(share: str, accuracy: str) -> dict[str, Any]:
    """Draw the accuracy on the non-entailed pairs of HANS by the share of contradicting pairs, for each model."""
    return {
        "transform": [
            {"filter": f"datum.{share} != null"},
            {"calculate": "split(datum.model, ',')[0]", "as": "network"},
        ],
        "mark": {"type": "point", "filled": True, "size": 60, "tooltip": {"content": "data"}},
        "encoding": {
            "x": {
                "field": share,
                "type": "quantitative",
                "scale": {"type": "symlog", "constant": 0.001},
                "axis": {"format": ".1%", "values": [0, 0.001, 0.01, 0.1, 0.5]},
                "title": COLUMNS[CONTRADICTING],
            },
            "y": {
                "field": accuracy,
                "type": "quantitative",
                "axis": {"format": "%"},
                "title": COLUMNS[NON_ENTAILMENT],
            },
            "color": {"field": "network", "type": "nominal", "title": "model"},
        },
    }


def _average_published_row(row: FigureRow) -> FigureRow:
    """Average the published accuracies over the heuristics, which have equally many pairs."""
    values = {"mnli": row.values[hans_main.MNLI]} if hans_main.MNLI in row.values else {}
    for label in (ENTAILMENT, NON_ENTAILMENT):
        names = [name for name, title in hans_main.CELLS.items() if title.endswith(f", {label}")]
        values[label] = FigureValue(fmean(row.values[name].mean for name in names))
    values[BALANCED] = FigureValue(fmean(values[label].mean for label in (ENTAILMENT, NON_ENTAILMENT)))
    return replace(row, values=values)
