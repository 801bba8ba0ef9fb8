"""Answers without a label: what could not be read, what could not be asked, and how the rest fares."""

from __future__ import annotations

from fractions import Fraction

import polars as pl

from rightreasons.core import labels
from rightreasons.core.formatting import half_up

WHAT = {
    labels.UNREADABLE: "{part:,} of {n:,} answers ({share}%) could not be read as a label",
    labels.REFUSED: "{part:,} of {n:,} pairs ({share}%) could not be put to the model",
}


def warn_of_missing_labels(compared: pl.DataFrame) -> tuple[str, ...]:
    """Warn of answers without a label in a table of `gold` and `answer`, which stay wrong; one sentence or none."""
    n = compared.height
    counts = {word: int((compared["prediction"] == word).sum()) for word in labels.NO_LABEL}
    told = [
        WHAT[word].format(part=part, n=n, share=_format_percent(part, n))
        for word, part in counts.items()
        if part
    ]
    return (f"{', and '.join(told)}; they count as wrong.{_describe_labelled(compared)}",) if told else ()


def _describe_labelled(compared: pl.DataFrame) -> str:
    """Say how many of the answers with a label are right."""
    rest = compared.filter(labels.has_label(pl.col("prediction")))
    if rest.is_empty():
        return ""
    right = int((rest["gold"] == rest["prediction"]).sum())
    return f" Of the {rest.height:,} answers with a label {_format_percent(right, rest.height)}% are right."


def _format_percent(part: int, whole: int) -> str:
    return half_up(Fraction(100 * part, whole), 1)
