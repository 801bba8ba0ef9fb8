"""`rightreasons experiment`: a published study, trained and tested anew, with the paper's table beside ours."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from rightreasons.commands import arguments
from rightreasons.commands.overwriting import force


def _roles(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, list[str]]:
    """Read ROLE=FILE; a role may have several files."""
    found: dict[str, list[str]] = {}
    for text in values:
        role, equals, file = text.partition("=")
        if not (role and equals and file):
            raise click.BadParameter(f"{text!r} is not ROLE=FILE.", ctx, param)
        found.setdefault(role, []).append(file)
    return found


@click.command()
@click.argument("name", metavar="NAME")
@click.option("--out", required=True, metavar="RUN", help="The run folder to make.")
@click.option(
    "--scale",
    default="quick",
    show_default=True,
    metavar="quick|paper|tiny",
    help="Small networks on some of the pairs, all as in the paper, or a few pairs to see that it runs.",
)
@click.option("--models", default="", metavar="NAME,NAME", help="Those of the experiment if left out.")
@click.option(
    "--seeds", type=arguments.number, default="1", show_default=True, help="How often to train each model."
)
@click.option(
    "--corpus",
    "corpora",
    multiple=True,
    metavar="ROLE=FILE",
    callback=_roles,
    help="The file that plays a role, such as mnli-train or mnli-dev-matched; what was fetched is found by itself. "
    "May be given several times.",
)
@click.option("--vectors", metavar="FILE", help="Word vectors for the networks.")
@click.option(
    "--workers",
    type=int,
    default=1,
    show_default=True,
    help="Child processes at a time, of one thread each: as many as there are cores to spare. 0 does without.",
)
@click.option(
    "--models-in",
    metavar="FOLDER",
    help="Where trained models are kept, for all experiments; the folder models beside RUN if left out.",
)
@click.option("--allow-overlap", is_flag=True, help="Train even on pairs of the tests.")
@force
def experiment(
    *,
    name: str,
    out: str,
    scale: str,
    models: str,
    seeds: int,
    corpora: dict[str, list[str]],
    vectors: str | None,
    workers: int,
    models_in: str | None,
    allow_overlap: bool,
    force: bool,
) -> None:
    """Train and test all that an experiment has, such as hans-main, and write a run folder with table.md.

    What was trained is kept: the same command goes on where a killed one stopped, and other experiments use the same
    models.
    """
    from rightreasons.experiments import run
    from rightreasons.experiments.catalogue import experiment as find
    from rightreasons.reports.forms import rich
    from rightreasons.verbs import tags

    found = run(
        name,
        out=out,
        scale=scale,
        models=tags(models),
        seeds=seeds,
        corpora=corpora,
        vectors=vectors,
        workers=workers,
        models_in=models_in,
        allow_overlap=allow_overlap,
        force=force,
        command=shlex.join(["rightreasons", *sys.argv[1:]]),
        say=arguments.say,
    )
    for table in find(name).tables(found):
        arguments.show(lambda width, table=table: rich(table.exhibit, width), sys.stdout)  # type: ignore[misc]
        click.echo()
    click.echo(f"Wrote the run to {out}; read {Path(out) / 'table.md'}.")
