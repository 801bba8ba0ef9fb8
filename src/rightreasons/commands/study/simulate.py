"""`rightreasons study simulate`: fill a study with simulated participants."""

from __future__ import annotations

import click


@click.command()
@click.argument("study", metavar="STUDY")
@click.option(
    "--participants", type=int, metavar="N", help="How many participants. Default: one for each form."
)
@click.option(
    "--mix",
    metavar="KIND=SHARE,...",
    help="The shares of careful, careless, always-entailment and random participants. "
    "Default: careful=0.5,careless=0.3,always-entailment=0.1,random=0.1.",
)
@click.option(
    "--accuracy",
    metavar="LABEL=SHARE,...",
    help="The accuracy of careful participants by gold label. Default: entailment=0.75,non-entailment=0.77, as in the "
    "study of HANS, and 0.76 for other labels.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the simulation.")
@click.option("--database", metavar="URL", help="Database of the study. Default: study.db in its folder.")
@click.option(
    "--force",
    is_flag=True,
    help="Replace simulated participants, and add simulated ones to a study with real participants.",
)
def simulate(
    *,
    study: str,
    participants: int | None,
    mix: str | None,
    accuracy: str | None,
    seed: int,
    database: str | None,
    force: bool,
) -> None:
    """Fill STUDY with simulated participants, to try its analysis before people take part.

    They are marked as simulated. A study with real participants refuses them.

    Example: rightreasons study simulate human-hans --mix careful=0.9,random=0.1
    """
    from rightreasons.core.errors import format_count
    from rightreasons.people.simulated_store import add_simulated_judgements
    from rightreasons.people.simulation import parse_shares, simulate_judgements
    from rightreasons.people.study import open_study

    opened = open_study(study)
    simulated = simulate_judgements(
        opened,
        participants=participants,
        mix=parse_shares(mix, "--mix") if mix else None,
        accuracies=parse_shares(accuracy, "--accuracy") if accuracy else None,
        seed=seed,
    )
    add_simulated_judgements(simulated, url=database, force=force)
    judged = simulated.answers.select("participant", "item").unique().height
    click.echo(
        f"Added {format_count(simulated.participants.height, 'simulated participant')} and "
        f"{format_count(judged, 'judgement')}, controls included, to {study}."
    )
