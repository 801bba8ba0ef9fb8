"""The table of `study power`: designs of a study, and how wide the interval of a figure becomes with each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.core.exhibit import Exhibit

if TYPE_CHECKING:
    import polars as pl

    from rightreasons.people.power import Figure, PowerAssumptions

_NAMES = {"accuracy": "accuracy", "alpha": "Krippendorff's alpha", "kappa": "Fleiss' kappa"}


def make_power_exhibit(
    table: pl.DataFrame, assumed: PowerAssumptions, figure: Figure, recommended: str
) -> Exhibit:
    """Make the exhibit; the notes state the assumptions and the recommended plan."""
    participants, items = assumed.describe_spread()
    assumptions = (
        f"Assumed: accuracy {assumed.accuracy:.2f}, with a standard deviation of {participants:.2f} over participants "
        f"and {items:.2f} over items; {assumed.excluded:.0%} of the participants excluded; {assumed.labels} labels; "
        f"{assumed.items_per_participant} items per participant."
    )
    return Exhibit(
        key="power",
        title=f"Power: {_NAMES[figure]}",
        caption=(
            f"Half-width of the 95% confidence interval of {_NAMES[figure]}, for other participants and other items, "
            "by simulation. Judgements and participants include those that are excluded."
        ),
        frame=table,
        formats={
            "judgements": "count",
            "items": "count",
            "total": "count",
            "participants": "count",
            "half_width": "figure",
        },
        headings={"judgements": "judgements per item", "total": "judgements", "half_width": "half-width"},
        notes=(assumptions, *([recommended] if recommended else [])),
    )
