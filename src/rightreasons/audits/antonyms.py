"""Antonyms across premise and hypothesis, by gold label: which of them a model sees in contradictions.

The stress tests (Naik et al. 2018, section 4.3) explain which antonyms models know by those that occur in
contradictions of the training data. The antonymy test replaces a word by its antonym; the antonyms that the package's
own test exchanges are the curated list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from rightreasons.audits.antonym_counts import CURATED, LEMMAS, WORDNET, AntonymTable
from rightreasons.core.audit_result import AuditFigure, AuditResult
from rightreasons.core.exhibit import Exhibit
from rightreasons.core.labels import CONTRADICTION
from rightreasons.core.options import option, require_at_least
from rightreasons.core.parts import Audit
from rightreasons.scoring.proportion import compute_proportion

if TYPE_CHECKING:
    from rightreasons.audits.antonym_counts import Rows
    from rightreasons.audits.audit_corpus import AuditCorpus
    from rightreasons.core.exhibit import Format
    from rightreasons.scoring.proportion import Proportion

ALL_PAIRS, ANY_ANTONYMS = "all pairs", "any antonyms"
SHARE, SHARE_IF_REPLACED = "share of contradiction", "share if replaced"
# How often antonyms were seen: from, and the name of the bin.
_TIMES = {0: "never", 1: "once", 2: "2 to 4", 5: "5 to 9", 10: "10 to 49", 50: "50 and more"}
_DRAWN = 14  # rows: all pairs, any antonyms, and the twelve most frequent
_CAPTION = (
    "Pairs with one word in the premise and its antonym in the hypothesis, by gold label: the antonyms that occur in "
    "most contradictions. Replaced: neither word is in both texts, so that one stands for the other. 95% confidence "
    "intervals, cluster-robust if pairs share a premise, source or group."
)
_LIST_CAPTION = (
    "How many antonyms of each list occur across premise and hypothesis, and how many of them in at least one "
    "contradiction. The curated list has the antonyms that the antonymy stress test exchanges; WordNet's are its "
    "direct antonyms of single words. 95% confidence intervals (Wilson)."
)
_TIMES_CAPTION = "Antonyms of each list by the number of contradictions that have one word on each side."
_UNSEEN_CAPTION = (
    "Antonyms of the curated list that occur in no contradiction, the most frequent first. Frequency: the number of "
    "pairs that have the word; of the two words, the rarer counts."
)


@dataclass(frozen=True, kw_only=True)
class AntonymsAudit(Audit):
    """Antonyms across premise and hypothesis, by gold label."""

    name = "antonyms"
    words: Literal["lemmas", "as-written"] = option(
        LEMMAS, help="Compare the base forms of words, or words as written in lower case."
    )
    top: int = option(50, help="Number of antonyms to show in a table.")

    def __post_init__(self) -> None:
        """Check the options."""
        require_at_least("top", self.top, 0)

    def audit(self, corpus: AuditCorpus) -> AuditResult:
        """Count the pairs with antonyms across, by antonym and label."""
        counts = AntonymTable.from_corpus(corpus.labelled, self.words)
        exhibits = (
            _make_antonym_exhibit(counts, self.top),
            _make_list_exhibit(counts),
            _make_times_exhibit(counts),
            _make_unseen_exhibit(counts, self.top),
        )
        remarks = () if counts.target == CONTRADICTION else (_NO_CONTRADICTIONS,)
        return AuditResult(
            exhibits, tuple(_list_antonym_figures(counts)), _summarize_antonyms(counts), remarks
        )


_NO_CONTRADICTIONS = "The corpus has no label contradiction: non-entailment was counted in its place."


def _make_antonym_exhibit(counts: AntonymTable, top: int) -> Exhibit:
    """Count labels for all pairs, for those with any antonyms, and for the antonyms seen in most contradictions."""
    corpus = counts.corpus
    whole = np.arange(len(corpus))
    rows = [
        _make_antonym_row(counts, ALL_PAIRS, "", whole, whole[:0]),
        _make_antonym_row(counts, ANY_ANTONYMS, "", counts.select_rows(), counts.select_rows(replaced=True)),
    ]
    chosen = counts.antonyms.filter(pl.col("pairs") > 0).sort(
        "times", "pairs", "words", descending=[True, True, False]
    )
    for number, words, kind in chosen.head(top).select("antonyms", "words", "type").iter_rows():
        within, replaced = counts.select_rows(number), counts.select_rows(number, replaced=True)
        rows.append(_make_antonym_row(counts, words, kind or "", within, replaced))
    shares = (SHARE, SHARE_IF_REPLACED)
    formats: dict[str, Format] = {
        "antonyms": "text",
        "type": "text",
        "pairs": "count",
        **{f"n {label}": "count" for label in corpus.labels},
        **dict.fromkeys(shares, "percent"),
    }
    schema = {f"{share}{end}": pl.Float64 for share in shares for end in ("", "_low", "_high")}
    frame = pl.DataFrame(rows, schema_overrides=schema, infer_schema_length=None)
    title = "Antonyms across premise and hypothesis"
    return Exhibit("antonyms", title, _CAPTION, frame, formats, chart=_draw_contradiction_shares())


def _draw_contradiction_shares() -> dict[str, Any]:
    """Draw the share of contradiction for the first rows, with its interval."""
    words = {"field": "antonyms", "type": "nominal", "sort": None, "title": None}
    axis = {"type": "quantitative", "axis": {"format": "%"}, "title": SHARE}
    ends = {"x": {"field": f"{SHARE}_low", **axis}, "x2": {"field": f"{SHARE}_high"}}
    return {
        "transform": [
            {"window": [{"op": "row_number", "as": "place"}], "groupby": ["corpus"]},
            {"filter": f"datum.place <= {_DRAWN}"},
        ],
        "layer": [
            {"mark": {"type": "rule"}, "encoding": {"y": words, **ends}},
            {
                "mark": {"type": "point", "filled": True, "size": 50, "tooltip": True},
                "encoding": {"y": words, "x": {"field": SHARE, **axis}},
            },
        ],
    }


def _make_antonym_row(
    counts: AntonymTable, words: str, kind: str, rows: Rows, replaced: Rows
) -> dict[str, Any]:
    labels = counts.corpus.pairs["label"][rows]
    return {
        "antonyms": words,
        "type": kind,
        "pairs": len(rows),
        **{f"n {label}": int((labels == label).sum()) for label in counts.corpus.labels},
        **counts.compute_target_share(rows).to_columns(SHARE),
        **counts.compute_target_share(replaced).to_columns(SHARE_IF_REPLACED),
    }


def _compute_seen_share(antonyms: pl.DataFrame, column: str = "times") -> Proportion:
    return compute_proportion(int((antonyms[column] > 0).sum()), antonyms.height)


def _make_list_exhibit(counts: AntonymTable) -> Exhibit:
    seen = "seen in a contradiction"
    rows = [
        {
            "list": name,
            "antonyms": antonyms.height,
            **_compute_seen_share(antonyms, "pairs").to_columns("across"),
            **_compute_seen_share(antonyms).to_columns(seen),
            "contradictions": int(antonyms["times"].sum()),
        }
        for name, antonyms in counts.groups.items()
    ]
    formats: dict[str, Format] = {
        "list": "text",
        "antonyms": "count",
        "across": "percent",
        seen: "percent",
        "contradictions": "count",
    }
    return Exhibit("antonyms-lists", "Antonyms seen, by list", _LIST_CAPTION, pl.DataFrame(rows), formats)


def _make_times_exhibit(counts: AntonymTable) -> Exhibit:
    """Count the antonyms of both lists by how often they were seen in contradictions."""
    rows = []
    for name in (CURATED, WORDNET):
        places = np.searchsorted(list(_TIMES), counts.groups[name]["times"].to_numpy(), side="right") - 1
        numbers = np.bincount(places, minlength=len(_TIMES)).tolist()
        rows += [
            {
                "list": name,
                "seen": times,
                "antonyms": n,
                **compute_proportion(n, counts.groups[name].height).to_columns("share"),
            }
            for times, n in zip(_TIMES.values(), numbers, strict=True)
        ]
    formats: dict[str, Format] = {"list": "text", "seen": "text", "antonyms": "count", "share": "percent"}
    title = "How often antonyms occur in contradictions"
    return Exhibit("antonyms-times", title, _TIMES_CAPTION, pl.DataFrame(rows), formats, chart=_draw_times())


def _draw_times() -> dict[str, Any]:
    """Draw a stacked bar for each list."""
    return {
        "transform": [{"window": [{"op": "row_number", "as": "place"}]}],
        "mark": {"type": "bar", "tooltip": True},
        "encoding": {
            "y": {"field": "list", "type": "nominal", "sort": None, "title": None},
            "x": {
                "field": "share",
                "type": "quantitative",
                "stack": "zero",
                "axis": {"format": "%"},
                "title": "share of the antonyms",
            },
            "color": {
                "field": "seen",
                "type": "ordinal",
                "sort": list(_TIMES.values()),
                "scale": {"scheme": "blues"},
                "title": "seen",
            },
            "order": {"field": "place", "type": "quantitative"},
        },
    }


def _make_unseen_exhibit(counts: AntonymTable, top: int) -> Exhibit:
    often = counts.across.frequency
    rows = [
        {"antonyms": words, "type": kind, "pairs": n, "frequency": min(often.get(a, 0), often.get(b, 0))}
        for words, kind, n, a, b in counts.antonyms.filter(pl.col(CURATED), times=0)
        .select("words", "type", "pairs", "first", "second")
        .iter_rows()
    ]
    schema = {"antonyms": pl.String, "type": pl.String, "pairs": pl.Int64, "frequency": pl.Int64}
    frame = (
        pl.DataFrame(rows, schema=schema).sort("frequency", "antonyms", descending=[True, False]).head(top)
    )
    formats: dict[str, Format] = {
        "antonyms": "text",
        "type": "text",
        "pairs": "count",
        "frequency": "count",
    }
    title = "Antonyms never seen in a contradiction"
    return Exhibit("antonyms-unseen", title, _UNSEEN_CAPTION, frame, formats)


def _list_antonym_figures(counts: AntonymTable) -> list[AuditFigure]:
    """List the share of contradiction, and the share of each list that is seen in one."""
    shares = {
        "contradiction": counts.across_share,
        "contradiction.replaced": counts.compute_target_share(counts.select_rows(replaced=True)),
        "seen": _compute_seen_share(counts.groups[CURATED]),
        "seen.wordnet": _compute_seen_share(counts.groups[WORDNET]),
    }
    return [
        AuditFigure(
            name,
            share.share,
            share.n,
            share.low,
            share.high,
            counts.whole_share.share if name.startswith("contradiction") else None,
        )
        for name, share in shares.items()
        if share.share is not None
    ]


def _summarize_antonyms(counts: AntonymTable) -> str:
    share, whole, target = counts.across_share, counts.whole_share, counts.target
    if target not in counts.corpus.labels:
        return f"The corpus has no pairs with the label {target}, so it can't teach what antonyms contradict."
    seen = _compute_seen_share(counts.groups[CURATED])
    never = (
        f"{seen.n - seen.hits} of the {seen.n} pairs of antonyms that the antonymy stress test exchanges occur in no "
        f"{target} pair, so the corpus doesn't teach them"
    )
    if share.share is None:
        return f"No pair has antonyms across premise and hypothesis; {never}."
    return (
        f"Of the {share.n:,} pairs with a word in the premise and its antonym in the hypothesis, {share.share:.1%} "
        f"have the label {target} [{share.low:.1%}, {share.high:.1%}], against {whole.share or 0:.1%} of all pairs; "
        f"{never}."
    )
