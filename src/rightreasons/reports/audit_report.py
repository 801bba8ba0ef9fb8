"""From audits of corpora to one `Report`: a headline for each corpus, its figures, and the tables side by side."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.exhibit import Exhibit
from rightreasons.core.formatting import replace_unprintable
from rightreasons.reports.report_data import Finding, Headline, Report, ReportHeadings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rightreasons.audits.run_audits import CorpusAudit
    from rightreasons.core.exhibit import Format

TITLE = "What does the corpus teach?"
FIGURES, SIDE_BY_SIDE = "figures", "figures-by-corpus"
CORPUS = "corpus"
HEADINGS = ReportHeadings(
    headlines="In short",
    rule="How to read the figures",
    finding="audit",
    overview="Corpora side by side",
    notes="What was not audited",
)
RULE = (
    "A corpus teaches a shortcut if a part of its pairs, or a word in them, gives the gold label away more often than "
    "the baseline. The figures describe the pairs; whether a model learns the shortcut depends on the model too. "
    "Intervals are 95% confidence intervals, cluster-robust if pairs share a premise, a source or a group."
)
_FIGURE_CAPTION = (
    "Every figure with its 95% confidence interval, n, and the baseline: the value of a corpus without the bias. "
    "The name is the address of a gate, as in --fail-over partial-input.hypothesis=0.45."
)
_CHART_CAPTION = "The plot shows the first figure of each audit; a grey tick marks the baseline."
_SIDE_CAPTION = (
    "Values with 95% confidence intervals. The table of all figures has their n and baselines, and this table's names "
    "are the addresses of gates, as in --fail-over partial-input.hypothesis=0.45."
)
# What a chart has once; the rest is drawn for each corpus.
_SHARED_BY_FACETS = ("transform", "params", "config", "resolve")
_FACET_WIDTH = 520  # pixels


def build_audit_report(
    audits: Sequence[CorpusAudit],
    created: str,
    provenance: Mapping[str, str],
    left_out: Mapping[str, str] = MappingProxyType({}),
) -> Report:
    """Build the report on some corpora, which every renderer shows; `left_out`: audits that were not run, and why."""
    names = list(dict.fromkeys(name for each in audits for name in (*each.results, *each.skipped)))
    tables = [replace(exhibit, set=name) for name in names for exhibit in _join_exhibits(audits, name)]
    several = len(audits) > 1
    remarks = [
        f"{f'{each.corpus.name}, ' if several else ''}{name}: {remark}"
        for each in audits
        for name, result in each.results.items()
        for remark in result.remarks
    ]
    return Report(
        title=TITLE,
        created=created,
        headlines=tuple(_make_corpus_headline(each) for each in audits),
        rule=RULE,
        warnings=tuple(_list_corpus_warnings(audits)),
        exhibits=(
            *tables,
            *([make_side_by_side_exhibit(audits)] if several else []),
            make_figure_exhibit(audits),
        ),
        examples=(),
        model_notes=tuple(_list_skipped_audits(audits, left_out)),
        provenance=tuple(provenance.items()),
        remarks=tuple(remarks),
        headings=HEADINGS,
        fold=False,
    )


def _make_corpus_headline(audited: CorpusAudit) -> Headline:
    """Describe a corpus by its size and labels, with the summary of each audit."""
    corpus = audited.corpus
    counts = ", ".join(
        f"{count / max(1, len(corpus)):.1%} {label}"
        for label, count in zip(corpus.labels, corpus.label_counts, strict=True)
    )
    missing = len(corpus) - int(corpus.label_counts.sum())
    unlabelled = f"{missing / len(corpus):.1%} without a gold label" if missing else ""
    labels = ", ".join(filter(None, (counts, unlabelled)))
    findings = tuple(
        Finding(name, result.summary, "plain") for name, result in audited.results.items() if result.summary
    )
    return Headline(corpus.name, f"{len(corpus):,} pairs: {labels}.", "plain", findings)


def make_figure_exhibit(audits: Sequence[CorpusAudit]) -> Exhibit:
    """List the figures of all audits, with the addresses of their gates."""
    rows = [
        {
            CORPUS: each.corpus.name,
            "figure": f"{audit}.{figure.name}",
            **figure.to_columns(),
            "first": figure is result.figures[0],
        }
        for each in audits
        for audit, result in each.results.items()
        for figure in result.figures
    ]
    real = dict.fromkeys(("value", "value_low", "value_high", "baseline"), pl.Float64)
    schema = {CORPUS: pl.String, "figure": pl.String, "n": pl.Int64, "first": pl.Boolean, **real}
    frame = pl.DataFrame(rows, schema=schema)
    shown: dict[str, Format] = {
        CORPUS: "text",
        "figure": "text",
        "value": "figure",
        "n": "count",
        "baseline": "figure",
    }
    if len(audits) == 1:
        shown.pop(CORPUS)
        return Exhibit(FIGURES, "All figures", _FIGURE_CAPTION, frame, shown, set=FIGURES)
    # Without a set, it is in the overview, before the audits.
    caption = f"{_FIGURE_CAPTION} {_CHART_CAPTION}"
    return Exhibit(FIGURES, "All figures", caption, _sort_by_figure(frame), shown, chart=_draw_figures(frame))


def make_side_by_side_exhibit(audits: Sequence[CorpusAudit]) -> Exhibit:
    """List each figure once, with a column for each corpus."""
    headings = {f"{number}: {each.corpus.name}": each.corpus.name for number, each in enumerate(audits, 1)}
    known = [each.list_figures() for each in audits]
    addresses = list(dict.fromkeys(address for figures in known for address in figures))
    columns: dict[str, list[Any]] = {"figure": addresses}
    for name, figures in zip(headings, known, strict=True):
        several = [figures.get(address) for address in addresses]
        for ending, field in (("", "value"), ("_low", "low"), ("_high", "high")):
            columns[f"{name}{ending}"] = [getattr(each, field, None) for each in several]
    formats: dict[str, Format] = {"figure": "text", **dict.fromkeys(headings, "figure")}
    schema = {name: pl.String if name == "figure" else pl.Float64 for name in columns}
    frame = pl.DataFrame(columns, schema=schema)
    return Exhibit(SIDE_BY_SIDE, "Figures of each corpus", _SIDE_CAPTION, frame, formats, headings=headings)


def _draw_figures(frame: pl.DataFrame) -> dict[str, Any]:
    """Draw the first figure of each audit: a dot with its interval for each corpus, and a tick at the baseline."""
    axis = {"field": CORPUS, "type": "nominal", "sort": None, "title": None}
    low = {
        "field": "value_low",
        "type": "quantitative",
        "title": None,
        "scale": {"zero": False},
        "axis": {"tickCount": 4},
    }
    drawn = frame.filter("first")["figure"].unique(maintain_order=True).to_list()
    return {
        "transform": [{"filter": "datum.first"}],
        "facet": {"field": "figure", "type": "nominal", "sort": drawn, "title": None},
        "columns": 2,
        "spec": {
            "width": 240,
            "encoding": {"y": axis},
            "layer": [
                {
                    "transform": [{"filter": "datum.baseline != null"}],
                    "mark": {"type": "tick", "thickness": 2, "color": "gray"},
                    "encoding": {"x": {**low, "field": "baseline"}},
                },
                {"mark": "rule", "encoding": {"x": low, "x2": {"field": "value_high"}}},
                {
                    "mark": {"type": "point", "filled": True, "tooltip": True},
                    "encoding": {"x": {**low, "field": "value"}},
                },
            ],
        },
        "resolve": {"scale": {"x": "independent"}},
    }


def _sort_by_figure(frame: pl.DataFrame) -> pl.DataFrame:
    """Put the same figure of several corpora side by side."""
    order = {name: place for place, name in enumerate(frame["figure"].unique(maintain_order=True))}
    return frame.sort(pl.col("figure").replace_strict(order, return_dtype=pl.Int64), maintain_order=True)


def _join_exhibits(audits: Sequence[CorpusAudit], name: str) -> list[Exhibit]:
    """Join the tables that an audit made of several corpora: those with the same key become one."""
    by_key: dict[str, list[tuple[str, Exhibit]]] = {}
    for each in audits:
        if name in each.results:
            for exhibit in each.results[name].exhibits:
                by_key.setdefault(exhibit.key, []).append((each.corpus.name, exhibit))
    if len(audits) == 1:
        return [exhibit for several in by_key.values() for _, exhibit in several]
    return [_join_tables(several) for several in by_key.values()]


def _join_tables(several: Sequence[tuple[str, Exhibit]]) -> Exhibit:
    """Put tables under each other, with the name of the corpus before each row.

    A caption may name the labels or the folds of its corpus: those that differ from the first are notes.
    """
    first = several[0][1]
    frames = [exhibit.frame.select(pl.lit(corpus).alias(CORPUS), pl.all()) for corpus, exhibit in several]
    formats: dict[str, Format] = {CORPUS: "text"}
    headings: dict[str, str] = {}
    for _, exhibit in several:
        formats |= exhibit.formats
        headings |= exhibit.headings
    return replace(
        first,
        frame=pl.concat(frames, how="diagonal_relaxed"),
        formats=formats,
        headings=headings,
        chart=None
        if first.chart is None
        else _draw_chart_by_corpus(first.chart, [corpus for corpus, _ in several]),
        notes=(
            *dict.fromkeys(note for _, exhibit in several for note in exhibit.notes),
            *(f"{corpus}: {each.caption}" for corpus, each in several if each.caption != first.caption),
        ),
    )


def _draw_chart_by_corpus(chart: Mapping[str, Any], corpora: Sequence[str]) -> dict[str, Any]:
    """Draw a chart once for each corpus."""
    shared = {key: value for key, value in chart.items() if key in _SHARED_BY_FACETS}
    own = {key: value for key, value in chart.items() if key not in _SHARED_BY_FACETS}
    facet = {"field": CORPUS, "type": "nominal", "sort": list(corpora), "title": None}
    # Each corpus has bins and words of its own.
    axes = {"resolve": {"scale": {"y": "independent"}}} if _has_names_on_y(own) else {}
    return {**axes, **shared, "facet": facet, "columns": 1, "spec": {"width": _FACET_WIDTH, **own}}


def _has_names_on_y(chart: Mapping[str, Any]) -> bool:
    parts = [chart, *chart.get("layer", ())]
    return any(part.get("encoding", {}).get("y", {}).get("type") == "nominal" for part in parts)


def _list_skipped_audits(audits: Sequence[CorpusAudit], left_out: Mapping[str, str]) -> list[tuple[str, str]]:
    """List the audits that a corpus doesn't allow, or that were left out, and why."""
    names = [each.corpus.name for each in audits]
    by_reason = dict.fromkeys(left_out.items(), names)
    for each in audits:
        for name, reason in each.skipped.items():
            by_reason[name, reason] = [*by_reason.get((name, reason), ()), each.corpus.name]
    return [
        (
            name if len(corpora) == len(audits) else f"{name} on {', '.join(corpora)}",
            f"Skipped, because {reason}.",
        )
        for (name, reason), corpora in by_reason.items()
    ]


def _list_corpus_warnings(audits: Sequence[CorpusAudit]) -> list[str]:
    """Warn of what was left out when a corpus was read."""
    return [
        f"{each.corpus.name}: {replace_unprintable(remark)}"
        for each in audits
        for remark in each.corpus.card.remarks
    ]
