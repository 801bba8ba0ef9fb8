"""Pairwise comparisons of the models on one set, and the errors that two models have in common."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.exhibit import Exhibit
from rightreasons.core.formatting import round_half_up, round_outwards, round_up
from rightreasons.core.labels import TWO_LABELS
from rightreasons.reports.choice import UNIT, explain_interval_disagreement
from rightreasons.reports.exhibits.accuracy import ALL_PAIRS
from rightreasons.reports.exhibits.published_comparison import make_slug
from rightreasons.reports.exhibits.seeds import note_seed_spread
from rightreasons.scoring.cells import ALL, choose_coarse_tag
from rightreasons.scoring.families import (
    CORRECTED,
    FAMILY_RULE,
    FAMILY_SIZE,
    compare_models,
    correct_family_p_values,
    count_common_errors,
    pair_models,
)
from rightreasons.scoring.interval_notes import describe_intervals

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rightreasons.core.exhibit import Format
    from rightreasons.runs.set_results import SetResults

CAPTION = (
    "Two models on the same pairs: the difference of their accuracies in percentage points with its 95% confidence "
    "interval, and McNemar's exact test (over clusters where pairs are clustered). The detectable difference is the "
    f"smallest difference that this test detects with 80% power on this number of pairs. {FAMILY_RULE}"
)
ERRORS = (
    "Pairs on which both models are wrong, by gold label and predictions; percentages are relative to all pairs "
    "on which both are wrong."
)
TANGO_INTERVALS = "95% confidence intervals (Tango)."
TEST_DECIDES = (
    "Whether a difference is significant is decided by the exact test after correction. The interval inverts a score "
    "test and is not corrected, so it may exclude 0 where no difference is significant, or include 0 where one is."
)
LEAST_P = 0.001
MOST_SENTENCES = 12  # below a table


@dataclass(frozen=True)
class SetComparisons:
    """The comparisons on one set, without its pairs, so that one set is in memory at a time; p is not corrected yet."""

    name: str
    rows: pl.DataFrame
    errors: pl.DataFrame
    common: tuple[Exhibit, ...]
    notes: tuple[str, ...]

    def make_comparison_exhibits(self, family: pl.DataFrame, *, wholes: bool = False) -> list[Exhibit]:
        """Show the comparisons of the set with corrected p values; describe all rows, or only those of whole sets."""
        own = family.filter(pl.col("set") == self.name).select(
            *self.rows.columns, CORRECTED, FAMILY_SIZE, "shown"
        )
        described = own.filter(pl.col("by") == "") if wholes else own
        if wholes and described["gold"].n_unique() > 1:
            # Gains on one label and losses on another would look like no difference if they were added up.
            described = described.filter(pl.col("gold") != ALL)
        return [make_comparison_table(self.name, own, described=described, notes=self.notes), *self.common]


def compare_models_on_set(
    results: SetResults, wanted: Sequence[tuple[str, str]], by: Sequence[str]
) -> SetComparisons:
    """Compare pairs of models on one set, as a whole and by tags."""
    rows = compare_models(results.pairs, results.predictions, wanted, [(), by])
    name = pl.lit(results.name).alias("set")
    return SetComparisons(
        results.name,
        rows.select(name, pl.all()),
        tabulate_common_errors(results, wanted).select(name, pl.all()),
        tuple(make_common_error_tables(results, wanted)),
        (f"Labels: {results.label_rule}.", *results.remarks, *note_seed_spread(results.pairs)),
    )


def compare_runs_between_models(
    results: SetResults, entries: Mapping[str, Sequence[str]]
) -> SetComparisons | None:
    """Compare every run of a model with every run of each other model; None if there is only one model."""
    whose = {run: entry for entry, runs in entries.items() for run in runs}
    wanted = [(a, b) for a, b in pair_models(results.requested_models) if whose[a] != whose[b]]
    tag = choose_coarse_tag(results.pairs)
    return compare_models_on_set(results, wanted, (tag,) if tag else ()) if wanted else None


def join_and_correct_comparisons(parts: Sequence[SetComparisons]) -> pl.DataFrame:
    """Join the comparisons on several sets, and correct the p values of each family."""
    if not parts:
        return pl.DataFrame()
    return correct_family_p_values(pl.concat([part.rows for part in parts], how="diagonal_relaxed"))


def make_comparison_table(
    name: str, rows: pl.DataFrame, *, described: pl.DataFrame, notes: Sequence[str] = ()
) -> Exhibit:
    """Show comparisons on one set, and describe some of them in sentences."""
    tags = [tag for tag in dict.fromkeys(",".join(rows["by"].unique(maintain_order=True)).split(",")) if tag]
    named = [pl.col(tag).cast(pl.String).fill_null("-") for tag in tags]
    part = pl.concat_str(named, separator=" / ") if tags else pl.lit(ALL_PAIRS)
    table = rows.with_columns(
        part=pl.when(pl.col("by") == "").then(pl.lit(ALL_PAIRS)).otherwise(part),
        difference_low=pl.col("low"),
        difference_high=pl.col("high"),
        couple=pl.concat_str("a", pl.lit(" - "), "b"),
    ).with_columns(where=pl.concat_str("part", pl.lit(", "), "gold"))
    several = rows.select("a", "b").n_unique() > 1
    a, b = ("A", "B") if several else (str(rows["a"][0]), str(rows["b"][0]))
    models: dict[str, Format] = {"a": "text", "b": "text"} if several else {}
    sentences = [describe_comparison(row, name) for row in described.head(MOST_SENTENCES).to_dicts()]
    return Exhibit(
        f"comparison-{make_slug(name)}",
        f"{name}: pairwise comparisons",
        CAPTION,
        table,
        models | _FORMATS,
        name,
        _make_difference_chart(),
        (
            *sentences,
            *describe_intervals(rows["interval"], TANGO_INTERVALS),
            *_note_interval_disagreement(rows),
            *notes,
        ),
        _HEADINGS
        | {"accuracy_a": a, "accuracy_b": b, "only_a": f"only {a} correct", "only_b": f"only {b} correct"}
        | {"part": " / ".join(tags) or "part"},
    )


def _note_interval_disagreement(rows: pl.DataFrame) -> tuple[str, ...]:
    """Note that the test decides if the interval of some row seems to contradict it."""
    return (TEST_DECIDES,) if any(explain_interval_disagreement(row) for row in rows.to_dicts()) else ()


_FORMATS: dict[str, Format] = {
    "part": "text",
    "gold": "text",
    "n": "count",
    "accuracy_a": "share",
    "accuracy_b": "share",
    "difference": "points",
    CORRECTED: "p",
    FAMILY_SIZE: "count",
    "detectable": "size",
    "both_right": "count",
    "only_a": "count",
    "only_b": "count",
    "both_wrong": "count",
}
_HEADINGS = {
    "a": "A",
    "b": "B",
    "gold": "gold label",
    "difference": f"difference ({UNIT})",
    CORRECTED: "p, corrected",
    FAMILY_SIZE: "tests in the family",
    "detectable": f"detectable difference ({UNIT})",
    "both_right": "both correct",
    "both_wrong": "both wrong",
}


def describe_comparison(row: Mapping[str, Any], name: str) -> str:
    """Describe one comparison in a sentence; `name` is that of the set."""
    tags = ["-" if row[tag] is None else str(row[tag]) for tag in str(row["by"]).split(",") if tag]
    where = " ".join([name, *tags, *([str(row["gold"])] if row["gold"] != ALL else [])])
    better, other, sign = (row["a"], row["b"], 1) if row["difference"] >= 0 else (row["b"], row["a"], -1)
    low, high = sorted((sign * row["low"], sign * row["high"]))
    interval = "95% CI {} to {}".format(*round_outwards(100 * low, 100 * high, 1))
    by = round_half_up(Fraction(100 * abs(row["only_a"] - row["only_b"]), row["n"]), 1)
    p = _format_p_value(row[CORRECTED])
    why = explain_interval_disagreement(row)
    aside = f"; {why}" if why else ""
    if row["shown"]:
        leads = f"{better} is {by} {UNIT} more accurate than {other} on {where} ({interval})"
        return f"{leads}, {p} after correction{aside}."
    seen = f"{better} ahead by {by} {UNIT}, {interval}; {p} after correction{aside}"
    could = row["detectable"]
    rest = (
        "too few pairs to detect any difference"
        if could is None
        else f"detectable difference {round_up(100 * could, 1)} {UNIT}"
    )
    return f"No significant difference between {row['a']} and {row['b']} on {where} ({seen}); {rest}."


def tabulate_common_errors(results: SetResults, wanted: Sequence[tuple[str, str]]) -> pl.DataFrame:
    """Count the errors that pairs of models have in common, by gold label and predictions."""
    parts = [
        count_common_errors(results.predictions[a], results.predictions[b]).select(
            pl.lit(a).alias("a"), pl.lit(b).alias("b"), pl.all()
        )
        for a, b in wanted
    ]
    return pl.concat(parts)


def make_common_error_tables(results: SetResults, wanted: Sequence[tuple[str, str]]) -> list[Exhibit]:
    """Show the errors that pairs of models have in common, if there is more than one wrong label."""
    found = tabulate_common_errors(results, wanted)
    if set(results.gold_labels) <= set(TWO_LABELS) or found.is_empty():
        return []
    formats: dict[str, Format] = {
        "a": "text",
        "b": "text",
        "gold": "text",
        "prediction_a": "text",
        "prediction_b": "text",
        "n": "count",
        "share": "percent",
    }
    named = {
        "a": "A",
        "b": "B",
        "gold": "gold label",
        "prediction_a": "A predicts",
        "prediction_b": "B predicts",
    }
    title = f"{results.name}: common errors"
    return [
        Exhibit(
            f"common-errors-{make_slug(results.name)}",
            title,
            ERRORS,
            found,
            formats,
            results.name,
            headings=named,
        )
    ]


def _format_p_value(value: float) -> str:
    return f"p<{LEAST_P}" if value < LEAST_P else f"p={value:.3f}"


def _make_difference_chart() -> dict[str, Any]:
    """Draw the differences with their intervals around 0."""
    across = {"type": "quantitative", "axis": {"format": "+.0%"}, "title": "difference of accuracies"}
    whose = {
        "y": {"field": "where", "type": "nominal", "sort": None, "title": None},
        "yOffset": {"field": "couple", "type": "nominal", "sort": None},
        "color": {"field": "couple", "type": "nominal", "sort": None, "title": "A - B"},
    }
    return {
        "layer": [
            {"mark": {"type": "rule", "strokeDash": [4, 4]}, "encoding": {"x": {"datum": 0, **across}}},
            {
                "mark": {"type": "rule"},
                "encoding": whose | {"x": {"field": "low", **across}, "x2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "tooltip": True},
                "encoding": whose | {"x": {"field": "difference", **across}},
            },
        ]
    }
