"""The tables of the audit of duplicates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rightreasons.audits.leaks import HOW, SIDES
from rightreasons.core.exhibit import Exhibit
from rightreasons.core.pairs import TEXTS
from rightreasons.scoring.proportion import compute_clustered_proportion

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from rightreasons.audits.audit_corpus import AuditCorpus
    from rightreasons.audits.repeated_pairs import NearPair, RepeatedPairs
    from rightreasons.core.exhibit import Format
    from rightreasons.scoring.proportion import Proportion

    Flags = npt.NDArray[np.bool_]
    Numbers = npt.NDArray[np.int64]

# How many pairs share a text: from, and the name of the bin.
_SHARED_BY = {
    1: "1 pair",
    2: "2 pairs",
    3: "3 pairs",
    4: "4 to 9 pairs",
    10: "10 to 99 pairs",
    100: "100 and more",
}
_INTERVALS = "95% confidence intervals, cluster-robust if pairs share a premise, source or group."
_KIND_CAPTION = (
    "Pairs that occur more than once: verbatim, with the same letters and digits (normalised), or with at least 4/5 of "
    "their shingles in common (runs of three characters) and half of those of each text (near). Each of these includes "
    "those before it. Swapped pairs, premises and hypotheses are normalised. Surplus: what is left over if each is "
    "kept once. " + _INTERVALS
)
_SHARING_CAPTION = (
    "Pairs by the number of pairs that have the same premise, and the same hypothesis; texts with the same letters and "
    "digits are the same."
)
_HYPOTHESIS_CAPTION = "The hypotheses that most pairs share, with the gold labels of their pairs."
_AGAINST_CAPTION = (
    "Pairs, premises and hypotheses of {other} that occur in the corpus, by their closest match: exact, normalised "
    "(the same letters and digits), or near duplicate. " + _INTERVALS
)
_SPLIT_CAPTION = (
    "Pairs of each split whose premise, or the pair itself, also occurs in another split. " + _INTERVALS
)


def compute_row_share(corpus: AuditCorpus, hits: pl.Series, among: pl.Series) -> Proportion:
    """Compute the share of hits among some pairs of a corpus."""
    clusters = corpus.sharing.clusters
    return compute_clustered_proportion(
        hits.filter(among), None if clusters is None else clusters.filter(among)
    )


def _list_column_types(first: str, *others: str) -> dict[str, Any]:
    """List the types of columns: a text, then counts, and a share with its interval."""
    types: dict[str, Any] = {first: pl.String}
    for name in others:
        is_share = name == "share"
        types |= (
            dict.fromkeys(("share", "share_low", "share_high"), pl.Float64) if is_share else {name: pl.Int64}
        )
    return types


def make_kind_exhibit(shares: Mapping[str, Proportion], surplus: Mapping[str, int]) -> Exhibit:
    """Make the table of duplicates by kind."""
    rows = [
        {
            "duplicate": kind,
            "pairs": share.n,
            "repeated": share.hits,
            **share.to_columns("share"),
            "surplus": surplus.get(kind),
        }
        for kind, share in shares.items()
    ]
    formats: dict[str, Format] = {
        "duplicate": "text",
        "pairs": "count",
        "repeated": "count",
        "share": "percent",
    }
    formats["surplus"] = "count"
    frame = pl.DataFrame(
        rows, schema=_list_column_types("duplicate", "pairs", "repeated", "share", "surplus")
    )
    return Exhibit("duplicates", "Duplicates", _KIND_CAPTION, frame, formats, chart=_draw_kinds())


def _draw_kinds() -> dict[str, Any]:
    """Draw a bar for each kind, with its interval."""
    axis = {"type": "quantitative", "axis": {"format": "%"}, "title": "share of the pairs"}
    kind = {"field": "duplicate", "type": "nominal", "sort": None, "title": None}
    interval = {"y": kind, "x": {"field": "share_low", **axis}, "x2": {"field": "share_high"}}
    return {
        "layer": [
            {
                "mark": {"type": "bar", "tooltip": True},
                "encoding": {"y": kind, "x": {"field": "share", **axis}},
            },
            {"mark": {"type": "rule"}, "encoding": interval},
        ]
    }


def make_sharing_exhibit(repeated: RepeatedPairs) -> Exhibit:
    """Count texts and pairs by how many pairs share a text."""
    edges, rows = list(_SHARED_BY), []
    for place, side in enumerate(TEXTS):
        times = repeated.count_text(place).times
        bins = np.searchsorted(edges, times, side="right") - 1
        texts = np.bincount(bins, minlength=len(edges)).tolist()
        pairs = np.bincount(bins, weights=times, minlength=len(edges)).astype(np.int64).tolist()
        rows += [
            {
                "text": side,
                "shared by": name,
                "texts": texts[at],
                "pairs": pairs[at],
                "share": pairs[at] / max(1, int(times.sum())),
            }
            for at, name in enumerate(_SHARED_BY.values())
        ]
    formats: dict[str, Format] = {
        "text": "text",
        "shared by": "text",
        "texts": "count",
        "pairs": "count",
        "share": "percent",
    }
    title = "Premises and hypotheses that pairs share"
    return Exhibit(
        "duplicates-texts", title, _SHARING_CAPTION, pl.DataFrame(rows), formats, chart=_draw_sharing()
    )


def _draw_sharing() -> dict[str, Any]:
    """Draw a stacked bar for premises, and one for hypotheses."""
    return {
        "transform": [{"window": [{"op": "row_number", "as": "place"}]}],
        "mark": {"type": "bar", "tooltip": True},
        "encoding": {
            "y": {"field": "text", "type": "nominal", "sort": None, "title": None},
            "x": {
                "field": "share",
                "type": "quantitative",
                "stack": "zero",
                "axis": {"format": "%"},
                "title": "share of the pairs",
            },
            "color": {
                "field": "shared by",
                "type": "ordinal",
                "sort": list(_SHARED_BY.values()),
                "scale": {"scheme": "blues"},
                "title": "shared by",
            },
            "order": {"field": "place", "type": "quantitative"},
        },
    }


def make_near_example_exhibit(corpus: AuditCorpus, found: Sequence[NearPair], count: int) -> Exhibit:
    """Show near duplicates, the least similar first."""
    pairs = corpus.pairs.select(pl.col("label").fill_null(""), *TEXTS)
    own, other = pairs[[each.row for each in found]], pairs[[each.other for each in found]]
    similarity = pl.DataFrame(
        {"similarity": [each.similarity for each in found]}, schema={"similarity": pl.Float64}
    )
    frame = (
        pl.concat([similarity, own, other.rename("near {}".format)], how="horizontal")
        .sort("similarity", *TEXTS)
        .head(count)
    )
    formats: dict[str, Format] = {
        name: "text" if name.endswith("label") else "passage" for name in frame.columns
    }
    formats["similarity"] = "share"
    caption = "Pairs with the near duplicate that was found first; the least similar come first."
    return Exhibit("duplicates-near", "Near duplicates to read", caption, frame, formats)


def make_hypothesis_exhibit(corpus: AuditCorpus, repeated: RepeatedPairs, count: int) -> Exhibit:
    """Show the hypotheses that most pairs share."""
    same = repeated.count_text(1)
    order = np.lexsort((np.arange(len(same.times)), -same.times))
    chosen = order[same.times[order] > 1][:count]
    kept = np.isin(same.number, chosen)
    places = pl.Series(same.number[kept]).replace_strict(
        chosen, np.arange(len(chosen)), return_dtype=pl.Int64
    )
    table = corpus.pairs.select("hypothesis", "label").filter(pl.Series(kept)).with_columns(place=places)
    frame = (
        table.group_by("place")
        .agg(
            pl.col("hypothesis").min(),
            pl.len().cast(pl.Int64).alias("pairs"),
            *((pl.col("label") == label).sum().cast(pl.Int64).alias(label) for label in corpus.labels),
        )
        .sort("place")
        .drop("place")
    )
    formats: dict[str, Format] = {
        "hypothesis": "text",
        "pairs": "count",
        **dict.fromkeys(corpus.labels, "count"),
    }
    return Exhibit("duplicates-hypotheses", "Repeated hypotheses", _HYPOTHESIS_CAPTION, frame, formats)


def make_against_exhibit(matches: pl.DataFrame, shares: Mapping[str, Proportion], other: str) -> Exhibit:
    """Make the table of what the corpus shares with another one: the rows of a leak table, with intervals."""
    counts = {(what, how): n for what, how, n in matches.group_by("what", "how").len().iter_rows()}
    rows = [
        {
            "text": what,
            **{how: counts.get((what, how), 0) for how in HOW},
            "of": shares[what].n,
            **shares[what].to_columns("share"),
        }
        for what in SIDES
    ]
    frame = pl.DataFrame(rows, schema=_list_column_types("text", *HOW, "of", "share"))
    formats: dict[str, Format] = {"text": "text", **dict.fromkeys((*HOW, "of"), "count"), "share": "percent"}
    caption = _AGAINST_CAPTION.format(other=other)
    return Exhibit(
        "duplicates-against",
        "Texts shared with another corpus",
        caption,
        frame,
        formats,
    )


def make_split_exhibit(corpus: AuditCorpus, repeated: RepeatedPairs) -> tuple[Exhibit, Proportion]:
    """Count the pairs of each split whose premise or whole pair occurs in another; return the share of premises too."""
    splits = corpus.pairs["split"].cast(pl.String)
    known = splits.is_not_null()
    crossing = {
        "premise": _find_crossing_rows(splits, repeated.letters[0]),
        "pair": _find_crossing_rows(splits, repeated.normalised.number),
    }
    rows = []
    for name in [*splits.drop_nulls().unique().sort(), None]:
        inside = known if name is None else (splits == name).fill_null(value=False)
        shares = {text: compute_row_share(corpus, flags, inside) for text, flags in crossing.items()}
        rows.append(
            {
                "split": name or "all",
                "pairs": shares["pair"].n,
                **shares["premise"].to_columns("premise in another split"),
                **shares["pair"].to_columns("pair in another split"),
            }
        )
    formats: dict[str, Format] = {
        "split": "text",
        "pairs": "count",
        "premise in another split": "percent",
        "pair in another split": "percent",
    }
    exhibit = Exhibit(
        "duplicates-splits", "Texts that splits share", _SPLIT_CAPTION, pl.DataFrame(rows), formats
    )
    return exhibit, shares["premise"]


def _find_crossing_rows(splits: pl.Series, values: Numbers) -> pl.Series:
    """Flag the rows of a split whose value also occurs in another split; rows without a split do not count."""
    table = pl.DataFrame({"split": splits, "value": values})
    several = pl.col("split").drop_nulls().n_unique().over("value") > 1
    return table.select(several & pl.col("split").is_not_null()).to_series()
