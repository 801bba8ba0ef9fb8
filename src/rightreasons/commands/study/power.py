"""`rightreasons study power`: how many items and judgements a study needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rightreasons.commands.output import render_exhibits, write_or_print
from rightreasons.commands.overwriting import add_force_option
from rightreasons.commands.shared_options import parse_count

if TYPE_CHECKING:
    from rightreasons.people.power import Figure, PowerAssumptions


def _parse_counts(text: str) -> tuple[int, ...]:
    """Parse whole numbers separated by commas."""
    return tuple(parse_count(part.strip()) for part in text.split(",") if part.strip())


@click.command()
@click.option(
    "--of",
    "figure",
    type=click.Choice(["accuracy", "alpha", "kappa"]),
    default="accuracy",
    show_default=True,
    help="The figure: accuracy, Krippendorff's alpha or Fleiss' kappa.",
)
@click.option(
    "--width", type=float, default=0.03, show_default=True, metavar="W", help="The wanted half-width."
)
@click.option(
    "--items",
    type=_parse_counts,
    default="",
    metavar="N,N",
    help="Numbers of items. Default: as many as the half-width takes.",
)
@click.option(
    "--judgements",
    type=_parse_counts,
    default="1,2,3,5,7,10",
    show_default=True,
    metavar="N,N",
    help="Numbers of judgements per item to try.",
)
@click.option(
    "--from",
    "pilot",
    metavar="STUDY",
    help="A pilot study to estimate the assumptions below from. Default: as stated.",
)
@click.option(
    "--question", metavar="NAME", help="With --from, the question. Default: the first with a gold answer."
)
@click.option(
    "--database", metavar="URL", help="With --from, the database of the study, if it is not in its folder."
)
@click.option(
    "--accuracy", type=float, default=0.76, show_default=True, help="Mean accuracy of those retained."
)
@click.option(
    "--participant-spread",
    type=float,
    default=0.1,
    show_default=True,
    help="Standard deviation of the accuracies of participants.",
)
@click.option(
    "--item-spread",
    type=float,
    default=0.2,
    show_default=True,
    help="Standard deviation of the accuracies of items.",
)
@click.option(
    "--excluded", type=float, default=0.0, show_default=True, help="Share of participants that are excluded."
)
@click.option("--labels", type=click.IntRange(2), default=2, show_default=True, help="Number of labels.")
@click.option(
    "--items-per-participant",
    type=parse_count,
    metavar="N",
    default="57",
    show_default=True,
    help="Items that each participant judges.",
)
@click.option(
    "--simulations",
    type=click.IntRange(20),
    default=2000,
    show_default=True,
    help="Simulated studies per design.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the simulation.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the table as comma-separated values.")
@click.option("--out", metavar="FILE", help="Write to a file instead of stdout.")
@add_force_option
def power(
    *,
    figure: Figure,
    width: float,
    items: tuple[int, ...],
    judgements: tuple[int, ...],
    pilot: str | None,
    question: str | None,
    database: str | None,
    accuracy: float,
    participant_spread: float,
    item_spread: float,
    excluded: float,
    labels: int,
    items_per_participant: int,
    simulations: int,
    seed: int,
    as_csv: bool,
    out: str | None,
    force: bool,
) -> None:
    """Estimate how many items and judgements a study needs for an interval of a wanted half-width.

    The assumptions are stated with options, or estimated from a pilot study.

    Example: rightreasons study power --of alpha --width 0.05 --from pilot
    """
    from rightreasons.core.progress import show_progress
    from rightreasons.people.power import PowerAssumptions, make_power_table, recommend_design
    from rightreasons.reports.exhibits.study_power import make_power_exhibit
    from rightreasons.reports.renderers import render_csv

    if pilot is None:
        assumed = PowerAssumptions.from_accuracies(
            accuracy,
            participant_spread,
            item_spread,
            excluded=excluded,
            labels=labels,
            items_per_participant=items_per_participant,
        )
    else:
        assumed = _read_pilot(pilot, question, database)
    with show_progress(label="simulating studies"):
        table = make_power_table(
            assumed,
            figure,
            width=width,
            judgements=judgements,
            items=items,
            simulations=simulations,
            seed=seed,
        )
    best = recommend_design(table, width)
    exhibit = make_power_exhibit(table, assumed, figure, _describe_recommendation(best, width))
    text = render_csv(exhibit) if as_csv else ""
    write_or_print(text, lambda size: render_exhibits([exhibit], size), out, force=force, name="the table")


def _read_pilot(folder: str, question: str | None, database: str | None) -> PowerAssumptions:
    from contextlib import closing

    from rightreasons.people.pilot import estimate_from_pilot
    from rightreasons.people.store import open_store
    from rightreasons.people.study import open_study

    with closing(open_store(open_study(folder), database)) as store:
        return estimate_from_pilot(store.read_judgements(), question)


def _describe_recommendation(best: dict[str, int] | None, width: float) -> str:
    from rightreasons.core.errors import format_count

    if best is None:
        return (
            f"None of these designs reaches a half-width of {width:g}. Allow more items, or a larger width."
        )
    return (
        f"Recommended, with the fewest judgements for a half-width of {width:g}: {best['items']:,} items, "
        f"{format_count(best['judgements'], 'judgement')} of each, {best['participants']:,} participants."
    )
