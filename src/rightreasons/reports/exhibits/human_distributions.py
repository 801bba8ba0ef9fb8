"""A model against the shares of people who chose each label, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.errors import format_count
from rightreasons.core.exhibit import Exhibit

if TYPE_CHECKING:
    from rightreasons.scoring.human_distributions import PeopleComparison, PeopleMeasure

KEY = "against-people"
_NAMES = {
    "accuracy": "accuracy against the label of most people",
    "gold": "accuracy against the gold labels of these pairs",
    "jsd": "JSD",
    "resampled": "JSD of another sample of people",
    "kl": "KL",
    "pearson": "correlation of entropies (Pearson)",
    "spearman": "correlation of entropies (Spearman)",
    "model_entropy": "mean entropy of the model",
    "human_entropy": "mean entropy of people",
    "majority_share": "share of people with the label of most",
}
_CAPTION = (
    "JSD is the mean Jensen-Shannon distance (the root of the divergence) between the probabilities of the model and "
    "the shares of people; KL is the mean divergence of the model from people. Natural logarithms; for both, 0 is "
    "best. 95% confidence intervals from a cluster bootstrap over pairs."
)


def make_people_exhibit(
    comparison: PeopleComparison,
    gold: PeopleMeasure,
    *,
    pairs: int,
    judgements: int | None,
    notes: tuple[str, ...] = (),
) -> Exhibit:
    """List each figure with its interval and n; those that are undefined are left out."""
    measures: dict[str, PeopleMeasure] = {**vars(comparison), "gold": gold}
    rows = [
        {
            "figure": name,
            "key": key,
            "value": measures[key].value,
            "value_low": measures[key].low,
            "value_high": measures[key].high,
            "n": measures[key].n,
        }
        for key, name in _NAMES.items()
        if measures[key].value is not None
    ]
    people = f", {judgements:,} judgements of people" if judgements is not None else ""
    tied = comparison.ties
    about = f"{format_count(pairs, 'pair')}{people}."
    ties = f"{format_count(tied, 'pair')} without one label that most people chose." if tied else ""
    return Exhibit(
        KEY,
        "Against people",
        _CAPTION,
        pl.DataFrame(rows),
        {"figure": "text", "value": "figure", "n": "count"},
        notes=tuple(filter(None, (about, ties, *notes))),
    )
