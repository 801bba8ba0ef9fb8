"""Pairs that support and contradict the heuristics of HANS: lexical overlap, subsequence, constituent.

A pair that fits a heuristic supports it if its gold label is entailment, and contradicts it otherwise. A model that
follows the heuristic is right on the first kind only, so a corpus with few of the second kind never corrects it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

import polars as pl

from rightreasons.audits.overlap_rules import BOTH, CONSTITUENT, NESTED, PUBLISHED, RULES
from rightreasons.core.audit_result import AuditFigure, AuditResult
from rightreasons.core.exhibit import Exhibit
from rightreasons.core.keyed_random import draw_numbers
from rightreasons.core.labels import ENTAILMENT
from rightreasons.core.options import option, require_at_least
from rightreasons.core.pairs import REQUIRED_COLUMNS, TEXTS
from rightreasons.core.parts import Audit
from rightreasons.scoring.proportion import compute_clustered_proportion

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rightreasons.audits.audit_corpus import AuditCorpus
    from rightreasons.audits.overlap_rules import Fits
    from rightreasons.core.exhibit import Format
    from rightreasons.scoring.proportion import Proportion

MNLI_TRAIN_PAIRS = 392_702
# Support and contradict in the MultiNLI training set, as HANS reports them (McCoy et al. 2019, table 2).
PUBLISHED_COUNTS = {"lexical_overlap": (2_158, 261), "subsequence": (1_274, 72), "constituent": (1_004, 58)}
CONTRADICTING = "contradicting"
# Of the pairs of a corpus. In the experiment hans-dose, networks still follow the heuristics if 0.3% of their training
# pairs contradict them, and hardly do so if 3% do.
FEW_CONTRADICTING = 0.01
_RULE_NOTES = {
    NESTED: "nested: words without case and punctuation; a subsequence is a run of words, a constituent any node of "
    "the premise's parse. Every constituent is a subsequence, and every subsequence has lexical overlap.",
    PUBLISHED: "published: the literal rules of the HANS authors' scripts. Words keep the punctuation at their ends, a "
    "subsequence is a substring of characters, a constituent is a bracketed phrase of the binary parse.",
}
_COUNT_CAPTION = (
    "Pairs that fit each heuristic, by gold label. Support: the label is entailment; contradict: any other. The share "
    "of support has a 95% confidence interval, cluster-robust if pairs share a premise, source or group."
)
_GENRE_CAPTION = (
    "Pairs that fit each heuristic by the nested rule, by genre. 95% confidence intervals as above."
)
_SCALED_CAPTION = (
    f"Counts by the published rule, scaled to the {MNLI_TRAIN_PAIRS:,} pairs of the MultiNLI training set, beside the "
    "counts that HANS reports for it. 95% confidence intervals as above."
)
_EXAMPLE_CAPTION = (
    "A random sample of the pairs that fit lexical overlap and are not entailed. Read them before you trust the "
    "count: some are annotation errors."
)


@dataclass(frozen=True, kw_only=True)
class HeuristicsAudit(Audit):
    """Pairs that support and contradict lexical overlap, subsequence and constituent."""

    name = "heuristics"
    rule: Literal["nested", "published", "both"] = option(
        BOTH, help="Count by nested rules over words, by the published rules, or by both."
    )
    examples: int = option(20, help="Number of contradicting pairs to show.")

    def __post_init__(self) -> None:
        """Check the options."""
        require_at_least("examples", self.examples, 0)

    def audit(self, corpus: AuditCorpus) -> AuditResult:
        """Count the pairs that fit each heuristic, by rule, label and genre."""
        corpus = corpus.labelled
        rules = [NESTED, PUBLISHED] if self.rule == BOTH else [self.rule]
        counts = {
            rule: [
                _HeuristicCount.from_fits(corpus, name, fits) for name, fits in RULES[rule](corpus).items()
            ]
            for rule in rules
        }
        main = counts[rules[0]]
        exhibits = [_make_count_exhibit(corpus, counts)]
        if PUBLISHED in counts:
            exhibits.append(_make_scaled_exhibit(counts[PUBLISHED]))
        if corpus.has_values("genre"):
            exhibits.append(_make_genre_exhibit(corpus, main))
        contradicting = _select_contradicting_pairs(corpus, main)
        exhibits.append(_make_example_exhibit(contradicting, self.examples))
        return AuditResult(
            tuple(exhibits),
            tuple(_list_figures(corpus, counts)),
            _summarize_lexical_overlap(corpus, main[0]),
            tuple(_list_parse_remarks(main)),
            {CONTRADICTING: contradicting},
        )


@dataclass(frozen=True)
class _HeuristicCount:
    """The pairs of a corpus that fit a heuristic: which, and the share that supports it."""

    name: str
    fits: Fits  # null without a parse
    support: Proportion  # of the pairs that fit
    supporting: Proportion  # of all pairs whose fit is known
    contradicting: Proportion

    @classmethod
    def from_fits(cls, corpus: AuditCorpus, name: str, fits: Fits) -> _HeuristicCount:
        """Count the pairs that fit, by whether they are entailed."""
        entailed = corpus.pairs["label"] == ENTAILMENT
        clusters = corpus.sharing.clusters
        known, matching = fits.is_not_null(), fits.fill_null(value=False)
        share = partial(_compute_share, clusters=clusters)
        return cls(
            name,
            fits,
            share(entailed, matching),
            share(matching & entailed, known),
            share(matching & ~entailed, known),
        )


def _compute_share(hits: pl.Series, among: pl.Series, *, clusters: pl.DataFrame | None) -> Proportion:
    return compute_clustered_proportion(
        hits.filter(among), None if clusters is None else clusters.filter(among)
    )


def _make_count_exhibit(corpus: AuditCorpus, counts: Mapping[str, list[_HeuristicCount]]) -> Exhibit:
    labels = corpus.pairs["label"]
    rows = [
        {
            "rule": rule,
            "heuristic": each.name.replace("_", " "),
            "support": each.support.hits,
            "contradict": each.support.n - each.support.hits,
            **each.support.to_columns("support share"),
            **{
                label: int((labels.filter(each.fits.fill_null(value=False)) == label).sum())
                for label in corpus.labels
            },
            "pairs": each.supporting.n,
        }
        for rule, several in counts.items()
        for each in several
    ]
    formats: dict[str, Format] = {
        "rule": "text",
        "heuristic": "text",
        "support": "count",
        "contradict": "count",
        "support share": "percent",
        **dict.fromkeys(corpus.labels, "count"),
        "pairs": "count",
    }
    notes = tuple(_RULE_NOTES[rule] for rule in counts)
    frame = pl.DataFrame(rows, infer_schema_length=None)
    title = "Pairs that support and contradict each heuristic"
    return Exhibit("heuristics", title, _COUNT_CAPTION, frame, formats, chart=_draw_counts(), notes=notes)


def _draw_counts() -> dict[str, object]:
    """Draw a stacked bar of support and contradiction for each heuristic, by the first rule."""
    return {
        "transform": [
            {"joinaggregate": [{"op": "min", "field": "rule", "as": "first_rule"}]},
            {"filter": "datum.rule == datum.first_rule"},
            {"fold": ["support", "contradict"], "as": ["kind", "number of pairs"]},
        ],
        "mark": {"type": "bar", "tooltip": True},
        "encoding": {
            "y": {"field": "heuristic", "type": "nominal", "sort": None, "title": None},
            "x": {"field": "number of pairs", "type": "quantitative", "title": "pairs"},
            "color": {"field": "kind", "type": "nominal", "sort": ["support", "contradict"], "title": None},
            "order": {"field": "kind", "type": "nominal", "sort": "descending"},
        },
    }


def _make_scaled_exhibit(counts: list[_HeuristicCount]) -> Exhibit:
    rows = []
    for each in counts:
        support, contradict = PUBLISHED_COUNTS.get(each.name, (None, None))
        rows.append(
            {
                "heuristic": each.name.replace("_", " "),
                **_scale_to_mnli("support", each.supporting),
                "HANS: support": support,
                **_scale_to_mnli("contradict", each.contradicting),
                "HANS: contradict": contradict,
            }
        )
    names = ("support", "HANS: support", "contradict", "HANS: contradict")
    formats: dict[str, Format] = {"heuristic": "text", **dict.fromkeys(names, "count")}
    title = "Counts by the published rule, at the size of MultiNLI"
    return Exhibit(
        "heuristics-published", title, _SCALED_CAPTION, pl.DataFrame(rows, infer_schema_length=None), formats
    )


def _scale_to_mnli(name: str, share: Proportion) -> dict[str, int | None]:
    """Scale a share and its interval to the number of pairs in the MultiNLI training set."""
    return {
        column: None if value is None else round(value * MNLI_TRAIN_PAIRS)
        for column, value in share.to_columns(name).items()
    }


def _make_genre_exhibit(corpus: AuditCorpus, counts: list[_HeuristicCount]) -> Exhibit:
    """Count support and contradiction by genre; the last row of each heuristic is over all genres."""
    entailed = (corpus.pairs["label"] == ENTAILMENT).rename("entailed")
    rows, genres = [], corpus.flag_genres()
    for each in counts:
        matching = each.fits.fill_null(value=False)
        for genre, inside in genres:
            share = _compute_share(entailed, matching & inside, clusters=corpus.sharing.clusters)
            rows.append(
                {
                    "heuristic": each.name.replace("_", " "),
                    "genre": genre,
                    "support": share.hits,
                    "contradict": share.n - share.hits,
                    **share.to_columns("support share"),
                }
            )
    formats: dict[str, Format] = {
        "heuristic": "text",
        "genre": "text",
        "support": "count",
        "contradict": "count",
        "support share": "percent",
    }
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return Exhibit("heuristics-genre", "Heuristics by genre", _GENRE_CAPTION, frame, formats)


def _select_contradicting_pairs(corpus: AuditCorpus, counts: list[_HeuristicCount]) -> pl.DataFrame:
    """Select the pairs that contradict lexical overlap, with the narrowest heuristic that they fit as a tag."""
    heuristic = pl.Series("heuristic", [None] * len(corpus), dtype=pl.String)
    for each in counts:
        if each.name in PUBLISHED_COUNTS:
            heuristic = heuristic.set(each.fits.fill_null(value=False), each.name)
    contradicts = heuristic.is_not_null() & (corpus.pairs["label"] != ENTAILMENT)
    pairs = corpus.pairs.drop("heuristic", strict=False).with_columns(heuristic)
    return pairs.filter(contradicts)


def _make_example_exhibit(contradicting: pl.DataFrame, count: int) -> Exhibit:
    drawn = pl.Series(draw_numbers(contradicting["id"], "contradicting examples"))
    frame = contradicting.select(*REQUIRED_COLUMNS, "heuristic")[drawn.arg_sort()[:count].sort()]
    shown = frame.select("label", *TEXTS, pl.col("heuristic").str.replace("_", " "), "id")
    formats: dict[str, Format] = {name: "passage" if name in TEXTS else "text" for name in shown.columns}
    return Exhibit("heuristics-examples", "Contradicting pairs to read", _EXAMPLE_CAPTION, shown, formats)


def _list_figures(corpus: AuditCorpus, counts: Mapping[str, list[_HeuristicCount]]) -> list[AuditFigure]:
    """List the share of support of each heuristic, and the share of contradicting pairs in the corpus."""
    entailed = _compute_entailed_share(corpus)
    figures = []
    for rule, several in counts.items():
        ending = ".published" if rule == PUBLISHED else ""
        for each in several:
            if each.name not in PUBLISHED_COUNTS:
                continue
            for name, share, baseline in (
                (each.name, each.support, entailed),
                (f"{each.name}.{CONTRADICTING}", each.contradicting, None),
            ):
                if share.share is not None:
                    figures.append(
                        AuditFigure(name + ending, share.share, share.n, share.low, share.high, baseline)
                    )
    return figures


def _compute_entailed_share(corpus: AuditCorpus) -> float:
    return int((corpus.pairs["label"] == ENTAILMENT).sum()) / len(corpus)


def _summarize_lexical_overlap(corpus: AuditCorpus, overlap: _HeuristicCount) -> str:
    support, contradict = overlap.support.hits, overlap.support.n - overlap.support.hits
    if not overlap.support.n:
        return f"None of the {len(corpus):,} pairs has full lexical overlap: the corpus does not teach the heuristic."
    share, all_pairs = overlap.support.share or 0.0, contradict / len(corpus)
    entailed = _compute_entailed_share(corpus)
    return (
        f"{support:,} pairs support the lexical-overlap heuristic and {contradict:,} ({all_pairs:.2%} of the corpus) "
        f"contradict it: {share:.1%} of the pairs with full overlap are entailed [{overlap.support.low:.1%}, "
        f"{overlap.support.high:.1%}], against {entailed:.1%} of all pairs. "
        + _say_what_follows(overlap.support, entailed, all_pairs)
    )


def _say_what_follows(support: Proportion, entailed: float, contradicting: float) -> str:
    """Say whether following the heuristic pays off, as far as the interval shows it, and what to expect."""
    if (support.low or 0.0) > entailed and contradicting < FEW_CONTRADICTING:
        return (
            "Following the heuristic pays off, and so few pairs contradict it that a model trained on the corpus can "
            "be expected to fail on such pairs."
        )
    if (support.low or 0.0) > entailed:
        return "Following the heuristic pays off, but a model can learn from many pairs that it is not always right."
    if (support.high or 1.0) < entailed:
        return "On this corpus, full overlap is evidence against entailment."
    return "The confidence interval includes the share of all pairs, so no preference for the heuristic is shown."


def _list_parse_remarks(counts: list[_HeuristicCount]) -> list[str]:
    """Note pairs without a parse, for which the constituent heuristic is unknown."""
    by_name = {each.name: each for each in counts}
    if CONSTITUENT not in by_name:
        return ["The corpus has no parses of its premises, so the constituent heuristic was not counted."]
    missing = by_name[CONSTITUENT].fits.null_count()
    total = len(by_name[CONSTITUENT].fits)
    return (
        [
            f"{missing:,} of {total:,} pairs have no usable parse, and are left out of the constituent heuristic."
        ]
        if missing
        else []
    )
