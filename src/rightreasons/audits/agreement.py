"""Agreement of the annotators, where a corpus keeps their labels, and the gold label against their majority."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rightreasons.audits.annotator_labels import (
    MOST_LISTED,
    NO_MAJORITY,
    AnnotatorLabels,
    name_divisions,
    rank_division,
)
from rightreasons.core.audit_result import AuditFigure, AuditResult
from rightreasons.core.exhibit import Exhibit
from rightreasons.core.keyed_random import draw_numbers
from rightreasons.core.labels import LABELS
from rightreasons.core.options import option, require_at_least
from rightreasons.core.pairs import TEXTS
from rightreasons.core.parts import Audit
from rightreasons.scoring.annotator_agreement import (
    AgreementEstimate,
    compute_fleiss_kappa,
    compute_item_agreement,
    compute_krippendorff_alpha,
    compute_pairwise_agreement,
)
from rightreasons.scoring.proportion import compute_clustered_proportion

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rightreasons.audits.audit_corpus import AuditCorpus
    from rightreasons.core.exhibit import Format

COLUMN = "annotator_labels"
UNANIMOUS, PAIRWISE, FLEISS, ALPHA, MAJORITY = "unanimous", "pairwise", "fleiss", "alpha", "majority"
DISPUTED = "disputed"
_NO_GOLD_LABEL, _ALL = "no gold label", "all"
_MOST_NAMED = 5  # words in a remark
_MEASURES = {
    UNANIMOUS: "pairs on which all annotators agree",
    PAIRWISE: "pairwise agreement",
    FLEISS: "Fleiss' kappa",
    ALPHA: "Krippendorff's alpha",
    MAJORITY: "pairs whose gold label is the majority",
}
_CAPTION = (
    "Pairwise agreement is the probability that two annotators of a pair agree. Fleiss' kappa and Krippendorff's alpha "
    "(nominal) correct it for chance: 1 is perfect agreement, 0 is chance. The majority is the most frequent label of "
    "a pair. 95% confidence intervals, cluster-robust if pairs share a premise, source or group."
)
_GROUP_CAPTION = (
    "Agreement of the annotators by {what}: the share of pairs on which all agree, and the probability that two of a "
    "pair agree. 95% confidence intervals as above."
)
_DIVISION_CAPTION = (
    "How the annotators of a pair divide, most frequent label first: 3/1/1 means that three agree and two chose two "
    f"other labels. Pairs of more than {MOST_LISTED} annotators are grouped by the share of the most frequent label."
)
_MAJORITY_CAPTION = (
    "Number of pairs by gold label, and by the most frequent label of at least two annotators. A pair whose most "
    "frequent labels are tied has no majority."
)
_DISPUTED_CAPTION = "The pairs with the lowest agreement; pairs of equal agreement are in random order."


@dataclass(frozen=True, kw_only=True)
class AgreementAudit(Audit):
    """Agreement of the annotators, and the gold label against their majority."""

    name = "agreement"
    needs_labels = False
    needs = (COLUMN,)
    examples: int = option(20, help="Number of disputed pairs to show.")

    def __post_init__(self) -> None:
        """Check the options."""
        require_at_least("examples", self.examples, 0)

    def audit(self, corpus: AuditCorpus) -> AuditResult:
        """Measure the agreement over all pairs, by gold label and by genre."""
        votes = AnnotatorLabels.from_columns(corpus.pairs[COLUMN], corpus.pairs["label"])
        measured = _measure_agreement(corpus, votes)
        golds = corpus.pairs["label"].fill_null(_NO_GOLD_LABEL)
        exhibits = [
            _make_measure_exhibit(measured),
            _make_division_exhibit(corpus, votes),
            _make_group_exhibit(corpus, votes, "gold label", golds, [*LABELS, _NO_GOLD_LABEL]),
        ]
        if corpus.has_values("genre"):
            genres = corpus.genres
            exhibits.append(
                _make_group_exhibit(corpus, votes, "genre", genres, genres.unique().sort().to_list())
            )
        if votes.are_named:
            exhibits.append(_make_majority_exhibit(votes))
        exhibits.append(_make_disputed_exhibit(corpus, votes, self.examples))
        return AuditResult(
            tuple(exhibits),
            tuple(_list_agreement_figures(measured)),
            _summarize_agreement(measured),
            tuple(_list_agreement_remarks(votes, measured)),
            {DISPUTED: corpus.pairs.filter(_differs_from_gold(votes))} if votes.are_named else {},
        )


def _measure_agreement(corpus: AuditCorpus, votes: AnnotatorLabels) -> dict[str, AgreementEstimate]:
    """Compute every measure over all pairs; without labels that mean something, gold labels are not compared."""
    clusters = corpus.sharing.coarsest_clusters
    measured = {
        UNANIMOUS: _compute_agreement_share(corpus, votes.unanimous, votes.equal),
        PAIRWISE: compute_pairwise_agreement(votes.counts, clusters),
        FLEISS: compute_fleiss_kappa(votes.counts, clusters),
        ALPHA: compute_krippendorff_alpha(votes.counts, clusters),
    }
    if votes.are_named:
        both = votes.usable & votes.gold.is_not_null()
        measured[MAJORITY] = _compute_agreement_share(corpus, ~_differs_from_gold(votes), both)
    return measured


def _differs_from_gold(votes: AnnotatorLabels) -> pl.Series:
    """Say which pairs have a gold label that is not the most frequent one, or as frequent as another."""
    same = votes.comparable
    return (same.majority != same.gold).fill_null(value=False) & votes.usable


def _compute_agreement_share(corpus: AuditCorpus, hits: pl.Series, among: pl.Series) -> AgreementEstimate:
    clusters = corpus.sharing.clusters
    share = compute_clustered_proportion(
        hits.filter(among), None if clusters is None else clusters.filter(among)
    )
    return AgreementEstimate(share.share, share.n, share.low, share.high)


def _make_measure_exhibit(measured: Mapping[str, AgreementEstimate]) -> Exhibit:
    rows = [
        {"measure": _MEASURES[name], "pairs": each.n, **each.to_columns("value")}
        for name, each in measured.items()
    ]
    formats: dict[str, Format] = {"measure": "text", "pairs": "count", "value": "figure"}
    schema = {"value": pl.Float64, "value_low": pl.Float64, "value_high": pl.Float64}
    frame = pl.DataFrame(rows, schema_overrides=schema)
    return Exhibit("agreement", "Agreement of the annotators", _CAPTION, frame, formats)


def _make_group_exhibit(
    corpus: AuditCorpus, votes: AnnotatorLabels, name: str, groups: pl.Series, order: list[str]
) -> Exhibit:
    """Measure the agreement in groups of pairs; the last row is over all."""
    clusters = corpus.sharing.coarsest_clusters
    rows: list[dict[str, Any]] = []
    groupings = [(group, votes.usable & (groups == group)) for group in order]
    for group, inside in [
        *((group, inside) for group, inside in groupings if inside.any()),
        (_ALL, votes.usable),
    ]:
        counts = votes.counts[inside.to_numpy()]
        pairwise = compute_pairwise_agreement(counts, None if clusters is None else clusters.filter(inside))
        unanimous = _compute_agreement_share(corpus, votes.unanimous, inside & votes.equal)
        rows.append(
            {
                name: group,
                "pairs": pairwise.n,
                **unanimous.to_columns(UNANIMOUS),
                **pairwise.to_columns("pairwise agreement"),
            }
        )
    formats: dict[str, Format] = {
        name: "text",
        "pairs": "count",
        UNANIMOUS: "percent",
        "pairwise agreement": "percent",
    }
    shares = (UNANIMOUS, "pairwise agreement")
    schema = {f"{share}{end}": pl.Float64 for share in shares for end in ("", "_low", "_high")}
    frame = pl.DataFrame(rows, schema_overrides=schema, infer_schema_length=None)
    key = f"agreement-{name.split(maxsplit=1)[0]}"
    return Exhibit(key, f"Agreement by {name}", _GROUP_CAPTION.format(what=name), frame, formats)


def _make_division_exhibit(corpus: AuditCorpus, votes: AnnotatorLabels) -> Exhibit:
    """Count the pairs by how their annotators divide."""
    divisions = name_divisions(votes.counts)
    known = divisions.filter(votes.usable)
    rows = []
    for name in sorted(known.unique(), key=rank_division):
        share = _compute_agreement_share(corpus, divisions == name, votes.usable)
        rows.append({"annotators": name, "pairs": int((known == name).sum()), **share.to_columns("share")})
    schema = {"annotators": pl.String, "pairs": pl.Int64} | {
        f"share{end}": pl.Float64 for end in ("", "_low", "_high")
    }
    frame = pl.DataFrame(rows, schema=schema)
    formats: dict[str, Format] = {"annotators": "text", "pairs": "count", "share": "percent"}
    title = "How the annotators of a pair divide"
    return Exhibit("agreement-divisions", title, _DIVISION_CAPTION, frame, formats, chart=_draw_divisions())


def _draw_divisions() -> dict[str, Any]:
    """Draw a bar for each division."""
    return {
        "mark": {"type": "bar", "tooltip": True},
        "encoding": {
            "y": {"field": "annotators", "type": "nominal", "sort": None, "title": None},
            "x": {
                "field": "share",
                "type": "quantitative",
                "axis": {"format": "%"},
                "title": "share of the pairs",
            },
        },
    }


def _make_majority_exhibit(votes: AnnotatorLabels) -> Exhibit:
    """Count pairs by gold label and majority."""
    same = votes.comparable
    table = pl.DataFrame(
        {"gold label": same.gold.fill_null(_NO_GOLD_LABEL), "majority": same.majority}
    ).filter(votes.usable)
    names = [*same.categories, NO_MAJORITY]
    counted = table.group_by("gold label").agg(
        *((pl.col("majority") == name).sum().cast(pl.Int64).alias(name) for name in names),
        pl.len().cast(pl.Int64).alias("pairs"),
    )
    order = pl.Enum([*LABELS, _NO_GOLD_LABEL])
    frame = counted.sort(pl.col("gold label").cast(order, strict=False))
    formats: dict[str, Format] = {"gold label": "text", **dict.fromkeys((*names, "pairs"), "count")}
    return Exhibit("agreement-majority", "Gold label and majority", _MAJORITY_CAPTION, frame, formats)


def _make_disputed_exhibit(corpus: AuditCorpus, votes: AnnotatorLabels, count: int) -> Exhibit:
    """Show the pairs with the lowest agreement."""
    agreement = compute_item_agreement(votes.counts)
    rows = np.flatnonzero(agreement < 1)
    if len(rows) > count > 0:  # none of the others can be among them
        rows = rows[agreement[rows] <= np.partition(agreement[rows], count - 1)[count - 1]]
    drawn = draw_numbers(corpus.pairs["id"].cast(pl.String)[rows], "disputed pairs")
    chosen = rows[np.lexsort((drawn, agreement[rows]))[:count]]
    labels = [
        ", ".join(f"{n} {name}" for n, name in zip(counts, votes.categories, strict=True) if n)
        for counts in votes.counts[chosen].tolist()
    ]
    frame = corpus.pairs[chosen].select(
        pl.col("label").fill_null("").alias("gold label"),
        pl.Series("annotators", labels, dtype=pl.String),
        "premise",
        "hypothesis",
        pl.col("id").cast(pl.String),
    )
    formats: dict[str, Format] = {name: "passage" if name in TEXTS else "text" for name in frame.columns}
    return Exhibit("agreement-disputed", "Disputed pairs to read", _DISPUTED_CAPTION, frame, formats)


def _list_agreement_figures(measured: Mapping[str, AgreementEstimate]) -> list[AuditFigure]:
    return [
        AuditFigure(name, each.value, each.n, each.low, each.high)
        for name, each in measured.items()
        if each.value is not None
    ]


def _summarize_agreement(measured: Mapping[str, AgreementEstimate]) -> str:
    unanimous, alpha = measured[UNANIMOUS], measured[ALPHA]
    if unanimous.value is None:
        return "No pair has the labels of two annotators, so that their agreement can't be measured."
    corrected = (
        "is undefined, since all labels are the same"
        if alpha.value is None
        else f"is {alpha.value:.2f} [{alpha.low:.2f}, {alpha.high:.2f}]"
    )
    return (
        f"All annotators agree on {unanimous.value:.1%} of the pairs [{unanimous.low:.1%}, {unanimous.high:.1%}] "
        f"(n = {unanimous.n:,}), and Krippendorff's alpha {corrected}. On the other {1 - unanimous.value:.1%}, a model "
        "trained on the gold labels learns a certainty that the annotators don't have."
    )


def _list_agreement_remarks(votes: AnnotatorLabels, measured: Mapping[str, AgreementEstimate]) -> list[str]:
    """Note what was left out, and of which figure."""
    total, annotators = len(votes), votes.annotators
    none, one = int((annotators == 0).sum()), int((annotators == 1).sum())
    usable = annotators[annotators > 1]
    kappa = measured[FLEISS]
    remarks = []
    if none:
        remarks.append(f"{none:,} of {total:,} pairs have no labels of annotators, and are left out.")
    if one:
        remarks.append(f"{one:,} of {total:,} pairs have the label of one annotator only, and are left out.")
    if kappa.n < len(usable):
        remarks.append(
            "Unanimity and Fleiss' kappa need equal numbers of annotators: they are of the "
            f"{kappa.n:,} pairs with the most frequent number, and leave out {len(usable) - kappa.n:,} others."
        )
    if len(usable) and measured[ALPHA].value is None:
        remarks.append("All annotators chose the same label, so kappa and alpha are undefined.")
    strange = [name for name in votes.categories if name not in LABELS]
    if strange:
        ending = "" if votes.are_named else ", so the gold labels were not compared with them"
        words = ", ".join(strange[:_MOST_NAMED])
        remarks.append(
            f"The annotators' words {words} are no labels, and each is a category of its own{ending}."
        )
    return remarks
