"""`rightreasons study plan`: a study folder, from a set and a protocol."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any

import click

from rightreasons.commands import shared_options
from rightreasons.commands.output import print_message
from rightreasons.commands.overwriting import add_force_option

if TYPE_CHECKING:
    from rightreasons.people.study import Study


@click.command()
@click.argument("sets", nargs=-1, required=True, metavar="SET...")
@click.option(
    "--protocol",
    required=True,
    metavar="NAME|FILE",
    help="A built-in protocol, as listed by study protocol, or a TOML file.",
)
@click.option("--out", required=True, metavar="STUDY", help="Study folder to create.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the draw and of the forms.")
@click.option("--name", metavar="NAME", help="Name of the study. Default: the names of the sets.")
@click.option(
    "--judgements", type=int, metavar="N", help="Judgements of each item, instead of the protocol's."
)
@click.option("--each", type=int, metavar="N", help="Items of each stratum, instead of the protocol's.")
@click.option(
    "--items-per-participant",
    type=int,
    metavar="N",
    help="Items of each participant without controls, instead of the protocol's.",
)
@click.option("--from", "run", metavar="RUN", help="A run folder whose predictions select the pairs.")
@click.option(
    "--top-by",
    default="",
    metavar="COLUMN,COLUMN",
    help="With --from, draw from the pairs with the highest p_entailment, p_neutral or p_contradiction.",
)
@click.option(
    "--top",
    type=shared_options.parse_count,
    default="100",
    show_default=True,
    metavar="N",
    help="With --top-by, how many pairs to select for each model and column.",
)
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="MODEL",
    help="With --from, a model of the run. Default: all of them. Can be repeated.",
)
@shared_options.add_corpus_option
@add_force_option
@shared_options.add_key_value_option("An option of the set, such as mode=faithful.")
def plan(
    *,
    sets: tuple[str, ...],
    protocol: str,
    out: str,
    seed: int,
    name: str | None,
    judgements: int | None,
    each: int | None,
    items_per_participant: int | None,
    run: str | None,
    top_by: str,
    top: int,
    models: tuple[str, ...],
    corpus: tuple[str, ...],
    force: bool,
    options: dict[str, Any],
) -> None:
    """Plan a study on items of SET, and write a study folder.

    SET is a set as printed by list sets, a file of pairs, or, with --from, a set of the run. Items are drawn by strata,
    controls are added, and every participant's form is fixed, as the protocol says.

    An exclusion rule of a protocol is MEASURE COMPARISON NUMBER, as in controls_wrong > 0. Measures of a participant:

    \b
      controls_wrong        controls answered incorrectly
      controls_wrong_share  the same as a share of the controls answered
      controls_judged       controls answered
      judged                items answered, without controls
      median_seconds        median time per item in seconds, with controls
      mean_seconds          mean time per item in seconds, with controls
      minimum_seconds       shortest time on an item in seconds, with controls
      same_answer_share     share of the most frequent answer to the first question
      accuracy              share of items answered as the gold answer says

    Example: rightreasons study plan hans-released --protocol hans --out human-hans
    """  # noqa: D301 - \b keeps the lines of the list
    from rightreasons import plan_study
    from rightreasons.people.protocol_checks import describe_placeholders

    study = plan_study(
        sets,
        protocol=protocol,
        out=out,
        seed=seed,
        name=name,
        judgements=judgements,
        each=each,
        items_per_participant=items_per_participant,
        run=run,
        top_by=top_by,
        top=top,
        models=models,
        force=force,
        command=shlex.join(["rightreasons", *sys.argv[1:]]),
        **options,
        **({"corpus": corpus} if corpus else {}),
    )
    for remark in study.card["remarks"]:
        print_message(f"Note: {remark}")
    if placeholders := describe_placeholders(study.protocol):
        print_message(f"Warning: {placeholders}")
    _print_plan(study, out)


def _print_plan(study: Study, out: str) -> None:
    from rightreasons.core.errors import format_count

    counts, protocol = study.card["counts"], study.protocol
    controls = protocol.identity_controls + protocol.negation_controls
    sizes = study.forms.group_by("form").len()["len"].to_list()
    low, high = min(sizes) - controls, max(sizes) - controls
    shown = f"{low}" if low == high else f"{low} or {high}"
    strata = "1 stratum" if counts["strata"] == 1 else f"{counts['strata']:,} strata"
    click.echo(
        f"{format_count(counts['items'], 'item')} from {strata}, "
        f"{format_count(protocol.judgements, 'judgement')} of each: {counts['judgements']:,} in all."
    )
    click.echo(
        f"{format_count(counts['participants'], 'participant')}, each with {shown} items and "
        f"{format_count(controls, 'control')}."
    )
    rules = "; ".join(protocol.exclude) or "none"
    click.echo(f"Excluded from the analysis, fixed from now on: {rules}.")
    click.echo(f"Wrote the study to {out}.")
