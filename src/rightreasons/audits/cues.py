"""Words and bigrams that predict the gold label: z-statistic, PMI and corrected p values (Gardner et al. 2021).

A cue is counted once per pair. It is significant for a label if the label is more frequent among the pairs with the cue
than in the corpus, after the Benjamini-Hochberg correction over all cues and labels that were tested.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from rightreasons.audits.corpus_cues import CorpusCues
from rightreasons.audits.cue_occurrences import find_cue_occurrences
from rightreasons.audits.cue_statistics import find_cue_clusters, measure_cues
from rightreasons.audits.negation_cues import measure_negation
from rightreasons.core.audit_result import AuditFigure, AuditResult
from rightreasons.core.errors import InputError
from rightreasons.core.exhibit import Exhibit
from rightreasons.core.options import option, require_at_least
from rightreasons.core.parts import Audit
from rightreasons.scoring.proportion import compute_clustered_proportion

if TYPE_CHECKING:
    import numpy.typing as npt

    from rightreasons.audits.audit_corpus import AuditCorpus
    from rightreasons.audits.cue_occurrences import CueOccurrences
    from rightreasons.core.exhibit import Format
    from rightreasons.language.word_codes import WordColumn
    from rightreasons.scoring.proportion import Proportion

    Numbers = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

OTHERS = 1_000  # cues that are not significant, for the plot
NAMED_RANKS = 15  # of words, for the plot
_RULE = (
    "{unit} with the cue, each counted once. Share: of them with the label, with a 95% confidence interval; the corpus "
    "share is that of the label in all pairs. z: (share - corpus share) / sqrt(corpus share x (1 - corpus share) / n); "
    "PMI: log2(share / corpus share). p: one-sided, binomial, after the Benjamini-Hochberg correction. p and the "
    "interval use the effective n, which is smaller than n where pairs with the cue share a premise, a group, a source "
    "or the whole text."
)
_TOP_CAPTION = (
    "The significant cues with the largest z, without bigrams whose share is no higher than that of one of their "
    "words. n: {rule}"
)
_FIGURE_NOTE = (
    "The figure cues.strong is the share of pairs with a significant cue for which (share - corpus share) / "
    "(1 - corpus share) is at least {part:g}; cues.certain, with a significant cue that occurs with one label only."
)
_ALL_CAPTION = (
    "Significant cues, the largest z first, then a sample of the others. Columns as above. Critical share: the least "
    "share that is significant for n independent pairs, the curve of the plot."
)


@dataclass(frozen=True, kw_only=True)
class CuesAudit(Audit):
    """Words and bigrams that predict the gold label, and negation words."""

    name = "cues"
    side: Literal["hypothesis", "premise"] = option("hypothesis", help="The text whose words are tested.")
    min_count: int = option(10, help="Test the words and bigrams that occur in at least this many pairs.")
    fdr: float = option(0.05, help="False discovery rate of the significant cues.")
    strong: float = option(
        0.5, help="A strong cue removes at least this part of the error of guessing its label: from 0 to 1."
    )
    top: int = option(50, help="Number of cues to show.")
    rows: int = option(2_000, help="Most significant cues in the table that has all of them.")

    def __post_init__(self) -> None:
        """Check the options."""
        for name, minimum in (("min_count", 1), ("top", 0), ("rows", 0)):
            require_at_least(name, getattr(self, name), minimum)
        for name in ("fdr", "strong"):
            if not 0 < getattr(self, name) <= 1:
                raise InputError(
                    f"The option {name} is {getattr(self, name)}. Use a number above 0, and at most 1."
                )

    def audit(self, corpus: AuditCorpus) -> AuditResult:
        """Test every word, bigram and first word against every label."""
        corpus = corpus.labelled
        column = corpus.words.hypothesis if self.side == "hypothesis" else corpus.words.premise
        clusters = find_cue_clusters(corpus.sharing, column)
        occurrences = find_cue_occurrences(column, self.min_count)
        statistics = measure_cues(occurrences, corpus.label_codes, corpus.label_counts, clusters)
        cues = CorpusCues(corpus, occurrences, statistics, self.fdr)
        strong = cues.find_strong(self.strong)
        shares = {
            "strong": _compute_pair_share(cues, strong),
            "certain": _compute_pair_share(cues, cues.find_certain()),
        }
        negation, negated = measure_negation(corpus, column, clusters, self.side)
        exhibits = (
            _make_top_exhibit(cues, self),
            _make_plot_exhibit(cues, self.rows),
            negation,
        )
        figures = [
            AuditFigure(name, share.share, share.n, share.low, share.high, baseline=0.0)
            for name, share in shares.items()
            if share.share is not None
        ]
        return AuditResult(
            exhibits,
            (*figures, *negated),
            _summarize_cues(cues, strong, shares["strong"], self),
            _list_rare_words(column, occurrences, self.min_count, self.side),
        )


_SHOWN: dict[str, Format] = {
    "cue": "text",
    "label": "text",
    "n": "count",
    "share": "percent",
    "corpus share": "percent",
    "effective n": "count",
    "z": "decimal",
    "PMI": "decimal",
    "p": "p",
}


def _make_top_exhibit(cues: CorpusCues, audit: CuesAudit) -> Exhibit:
    frame = cues.tabulate(cues.rank_distinct()[: audit.top])
    title = f"Words and bigrams of the {audit.side} that predict a label"
    rule = _RULE.format(unit="pairs" if audit.side == "premise" else "hypotheses")
    tested = int(cues.occurrences.is_word.sum())
    tests = (
        f"{cues.corpus.name}: {len(cues.ranking):,} of {cues.significant.size:,} combinations of cue and label are "
        f"significant at a false discovery rate of {cues.rate:g}. Tested: {tested:,} words, "
        f"{len(cues.occurrences.n) - tested:,} bigrams and first words (after <s>)."
    )
    notes = (_FIGURE_NOTE.format(part=audit.strong), tests)
    return Exhibit("cues", title, _TOP_CAPTION.format(rule=rule), frame, _SHOWN, notes=notes)


def _make_plot_exhibit(cues: CorpusCues, rows: int) -> Exhibit:
    """Tabulate significant and other cues with the critical share of each, and draw them."""
    strongest, others = cues.ranking[:rows], cues.draw_others(OTHERS)
    chosen = np.concatenate([strongest, others])
    threshold = cues.statistics.find_threshold(cues.rate)
    critical = cues.statistics.compute_critical_shares(chosen, threshold)
    rank = [*range(1, len(strongest) + 1), *[None] * len(others)]
    frame = cues.tabulate(chosen).with_columns(
        pl.Series("critical share", critical).fill_nan(None),
        pl.Series("rank", rank, dtype=pl.Int64),
        pl.Series("significant", np.where(np.arange(len(chosen)) < len(strongest), "yes", "no"), pl.String),
    )
    formats: dict[str, Format] = {"rank": "count", **_SHOWN, "critical share": "percent"}
    title = "Frequency of cues and share of the label"
    return Exhibit("cues-all", title, _ALL_CAPTION, frame, formats, chart=_draw_cues(cues.corpus.labels))


def _draw_cues(labels: tuple[str, ...]) -> dict[str, Any]:
    """Draw n against the share of the label, with the share from which a cue is significant."""
    n = {"field": "n", "type": "quantitative", "scale": {"type": "log"}, "title": "pairs with the cue"}
    share = {
        "field": "share",
        "type": "quantitative",
        "axis": {"format": "%"},
        "title": "share of the label",
    }
    colour = {"field": "label", "type": "nominal", "sort": list(labels), "title": "label"}
    points = {
        "mark": {"type": "point", "size": 18, "tooltip": {"content": "data"}},
        "encoding": {
            "opacity": {"condition": {"test": "datum.significant == 'yes'", "value": 0.8}, "value": 0.2},
            "color": colour,
        },
    }
    curve = {
        "mark": {"type": "line", "strokeWidth": 1.5},
        "encoding": {"y": {**share, "field": "critical share"}, "color": colour},
    }
    names = {
        "transform": [
            {"filter": f"datum.rank != null && datum.rank <= {NAMED_RANKS} && indexof(datum.cue, ' ') < 0"}
        ],
        "mark": {"type": "text", "align": "left", "dx": 6, "dy": -4},
        "encoding": {"text": {"field": "cue", "type": "nominal"}},
    }
    return {"height": 360, "encoding": {"x": n, "y": share}, "layer": [points, curve, names]}


def _compute_pair_share(cues: CorpusCues, chosen: Flags) -> Proportion:
    """Compute the share of pairs that have a chosen cue."""
    return compute_clustered_proportion(pl.Series(cues.flag_pairs(chosen)), cues.corpus.sharing.clusters)


def _summarize_cues(cues: CorpusCues, strong: Flags, share: Proportion, audit: CuesAudit) -> str:
    """Say how many pairs have a strong cue, and name the one with the largest z."""
    if not len(cues.ranking):
        return (
            f"No word or bigram of the {audit.side} predicts a label: none of {cues.significant.size:,} combinations "
            f"is significant at a false discovery rate of {cues.rate:g}."
        )
    ranked = cues.ranking[strong.ravel()[cues.ranking]]
    first = cues.tabulate((ranked if len(ranked) else cues.ranking)[:1]).row(0, named=True)
    return (
        f"{share.share or 0.0:.1%} of the pairs [{share.low or 0.0:.1%}, {share.high or 0.0:.1%}] have a strong cue: a "
        f"word or bigram of the {audit.side} that removes at least {audit.strong:.0%} of the errors of guessing its "
        f"label. For example, {first['share']:.1%} of the {first['n']:,} pairs with {first['cue']!r} are "
        f"{first['label']}, against {first['corpus share']:.1%} of all pairs."
    )


def _list_rare_words(
    column: WordColumn, occurrences: CueOccurrences, min_count: int, side: str
) -> tuple[str, ...]:
    """Note how many words were too rare to test."""
    words = int(np.count_nonzero(np.bincount(column.codes, minlength=1)))
    rare = words - int(occurrences.is_word.sum())
    if not rare:
        return ()
    text = (
        f"{rare:,} of the {words:,} different words of the {side} occur fewer than {min_count} times. They were not "
        "tested, nor were bigrams as rare."
    )
    return (text,)
