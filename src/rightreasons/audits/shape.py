"""Gold label by what can be seen without reading: lengths, difference of lengths, words in common, genre."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rightreasons.core.audit_result import AuditFigure, AuditResult
from rightreasons.core.exhibit import Exhibit
from rightreasons.core.labels import ENTAILMENT, LABELS
from rightreasons.core.options import option, require_at_least
from rightreasons.core.parts import Audit

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from rightreasons.audits.audit_corpus import AuditCorpus
    from rightreasons.core.exhibit import Format

    Floats = npt.NDArray[np.float64]

ALL, NO_WORDS = "all", "no words"

_MEASURES = {
    "hypothesis-length": "words of the hypothesis",
    "premise-length": "words of the premise",
    "length-difference": "words of the premise minus words of the hypothesis",
    "overlap": "share of the distinct words of the hypothesis that occur in the premise",
}
_CAPTION = (
    "Share of each gold label by {what}, in bins with about equal numbers of pairs. 95% confidence intervals, "
    "cluster-robust if pairs share a premise, source or group."
)
_GENRE_CAPTION = (
    "Share of each gold label by genre. 95% confidence intervals, cluster-robust if pairs share a premise, source or "
    "group."
)


@dataclass(frozen=True, kw_only=True)
class ShapeAudit(Audit):
    """Gold label by length, length difference, share of words in common, and genre."""

    name = "shape"
    bins: int = option(10, help="Number of bins for each measure.")

    def __post_init__(self) -> None:
        """Check the options."""
        require_at_least("bins", self.bins, 2)

    def audit(self, corpus: AuditCorpus) -> AuditResult:
        """Count labels by bin and by genre."""
        corpus = corpus.labelled
        premise, hypothesis = corpus.words.premise.lengths, corpus.words.hypothesis.lengths
        values = {
            "hypothesis-length": hypothesis.astype(np.float64),
            "premise-length": premise.astype(np.float64),
            "length-difference": (premise - hypothesis).astype(np.float64),
            "overlap": corpus.words.overlap,
        }
        tables = {name: self._count_labels_by_bin(corpus, of) for name, of in values.items()}
        exhibits = [_make_bin_exhibit(corpus, name, table) for name, table in tables.items()]
        if corpus.has_values("genre"):
            exhibits.append(_make_genre_exhibit(corpus))
        figures = [_find_largest_deviation(name, table, corpus.labels) for name, table in tables.items()]
        summary = _summarize_overlap(tables["overlap"], corpus.labels)
        return AuditResult(tuple(exhibits), tuple(filter(None, figures)), summary)

    def _count_labels_by_bin(self, corpus: AuditCorpus, values: Floats) -> pl.DataFrame:
        """Count the labels in bins of about equal size; the last row is over all pairs."""
        known = values[~np.isnan(values)]
        bins = min(self.bins, len(known))  # more would stay empty
        inner = np.linspace(0, 1, bins + 1)[1:-1]
        edges = np.unique(np.quantile(known, inner, method="inverted_cdf")) if len(known) else known
        numbers = np.where(np.isnan(values), len(edges) + 1, np.searchsorted(edges, values, side="left"))
        table = corpus.count_labels_by(pl.DataFrame({"bin": numbers}))
        spans = (
            pl.DataFrame({"bin": numbers, "value": values})
            .group_by("bin")
            .agg(pl.col("value").min().alias("from"), pl.col("value").max().alias("to"))
        )
        joined = table.join(spans, on="bin", how="left", nulls_equal=True, maintain_order="left")
        return joined.sort("bin", nulls_last=True, maintain_order=True)


def _make_bin_exhibit(corpus: AuditCorpus, name: str, table: pl.DataFrame) -> Exhibit:
    digits = "{:.2f}" if name == "overlap" else "{:.0f}"
    rows = [
        ALL if bin_ is None else NO_WORDS if math.isnan(low) else _format_span(digits, low, high)
        for bin_, low, high in table.select("bin", "from", "to").iter_rows()
    ]
    frame = table.with_columns(pl.Series("bin", rows))
    formats: dict[str, Format] = {"bin": "text", "n": "count", **dict.fromkeys(corpus.labels, "percent")}
    title = f"Gold label by {name.replace('-', ' ')}"
    caption = _CAPTION.format(what=_MEASURES[name])
    return Exhibit(f"shape-{name}", title, caption, frame, formats, chart=_draw_label_shares())


def _format_span(digits: str, low: float, high: float) -> str:
    ends = dict.fromkeys((digits.format(low), digits.format(high)))
    return " to ".join(ends)


def _make_genre_exhibit(corpus: AuditCorpus) -> Exhibit:
    table = corpus.count_labels_by(corpus.genres.to_frame()).sort("genre", nulls_last=True)
    frame = table.with_columns(pl.col("genre").fill_null(ALL))
    formats: dict[str, Format] = {"genre": "text", "n": "count", **dict.fromkeys(corpus.labels, "percent")}
    return Exhibit("shape-genre", "Gold label by genre", _GENRE_CAPTION, frame, formats)


def _find_largest_deviation(name: str, table: pl.DataFrame, labels: Sequence[str]) -> AuditFigure | None:
    """Find the bin and label whose share differs most from that of the whole corpus; None if there is one bin."""
    whole, bins = table.filter(pl.col("bin").is_null()), table.filter(pl.col("bin").is_not_null())
    if bins.height < 2:  # noqa: PLR2004 - a single bin is the whole corpus
        return None
    distances = {label: (bins[label] - whole[label][0]).abs() for label in labels}
    label = max(labels, key=lambda each: float(distances[each].max() or 0.0))
    row = int(distances[label].arg_max() or 0)
    low, high = (bins[f"{label}_{end}"][row] - whole[label][0] for end in ("low", "high"))
    nearest = max(low, -high, 0.0)  # 0 if the share of the whole corpus is inside the interval
    return AuditFigure(name, distances[label][row], bins["n"][row], nearest, max(-low, high), baseline=0.0)


def _summarize_overlap(table: pl.DataFrame, labels: Sequence[str]) -> str:
    """Say how often pairs with the highest overlap are entailed."""
    bins = table.filter(pl.col("bin").is_not_null() & pl.col("from").is_not_nan())
    if ENTAILMENT not in labels or bins.is_empty():
        return ""
    last, whole = bins.row(-1, named=True), table.row(-1, named=True)
    return (
        f"If {_format_span('{:.0%}', last['from'], last['to'])} of the distinct words of the hypothesis occur in the "
        f"premise, {last[ENTAILMENT]:.1%} of the pairs are entailed [{last[f'{ENTAILMENT}_low']:.1%}, "
        f"{last[f'{ENTAILMENT}_high']:.1%}] (n = {last['n']:,}), against {whole[ENTAILMENT]:.1%} of all pairs."
    )


def _draw_label_shares() -> dict[str, Any]:
    """Draw a stacked bar of the label shares for each bin; corpora side by side may have different labels."""
    return {
        "transform": [
            {"filter": f"datum.bin != '{ALL}'"},
            {"fold": list(LABELS), "as": ["label", "share"]},
            {"filter": "isValid(datum.share)"},
            {"calculate": f"indexof({list(LABELS)}, datum.label)", "as": "place"},
        ],
        "mark": {"type": "bar", "tooltip": True},
        "encoding": {
            "y": {"field": "bin", "type": "nominal", "sort": None, "title": None},
            "x": {
                "field": "share",
                "type": "quantitative",
                "stack": "zero",
                "axis": {"format": "%"},
                "title": None,
            },
            "color": {"field": "label", "type": "nominal", "sort": list(LABELS), "title": "gold label"},
            "order": {"field": "place", "type": "quantitative"},
        },
    }
