"""A tally of errors as exhibits: Table 6 of the stress-test paper with ours beside, and how the suggestions fared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rightreasons.audits.error_analysis import find_category
from rightreasons.reports.exhibits.exhibit import Exhibit
from rightreasons.reports.published import MATCHED, MISMATCHED, figures

if TYPE_CHECKING:
    from rightreasons.audits.error_analysis import ErrorTally

_PAPER = (
    "Naik et al. 2018 sorted 100 errors of one model on each dev set of MultiNLI; the matched add up to 101%."
)


def tally_exhibits(tally: ErrorTally) -> list[Exhibit]:
    """Show the kinds of errors with the published shares, and the agreement of suggestions and choices."""
    kinds = Exhibit(
        "error-kinds",
        "Kinds of errors: Table 6 of the stress-test paper",
        "Share of the sorted errors of each kind, with its 95% Wilson interval, beside the published shares.",
        tally.table.join(_published(), on="category", how="left", maintain_order="left"),
        {"category": "text", "n": "count", "share": "share", MATCHED: "share", MISMATCHED: "share"},
        notes=(_said(tally), _PAPER, *_antonyms(tally)),
        headings={MATCHED: "MultiNLI matched", MISMATCHED: "MultiNLI mismatched"},
    )
    agreement = Exhibit(
        "error-suggestions",
        "Suggested and chosen kinds",
        "How often the person chose the kind that the rules suggested, with a 95% Wilson interval.",
        tally.agreement,
        {"suggested": "text", "chosen": "count", "of": "count", "share": "share"},
    )
    return [kinds] if tally.agreement.is_empty() else [kinds, agreement]


def _published() -> pl.DataFrame:
    """Put the published shares of both dev sets side by side, by our names of the categories."""
    known = figures("error_kinds").with_columns(
        category=pl.col("subset").map_elements(find_category, return_dtype=pl.String)
    )
    parts = [
        known.filter(pl.col("split") == split).select("category", pl.col("value").alias(split))
        for split in (MATCHED, MISMATCHED)
    ]
    return parts[0].join(parts[1], on="category")


def _said(tally: ErrorTally) -> str:
    blank = f"; {tally.blank:,} lines are blank and not counted" if tally.blank else ""
    return f"n: {tally.sorted:,} errors were sorted{blank}."


def _antonyms(tally: ErrorTally) -> tuple[str, ...]:
    if not tally.antonyms:
        return ()
    types = ", ".join(f"{name} {n:,}" for name, n in tally.antonyms.items())
    return (f"Types of antonyms among the errors of antonymy: {types}.",)
