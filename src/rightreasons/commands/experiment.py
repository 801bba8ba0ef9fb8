"""`rightreasons experiment`: rerun a published experiment and compare with the paper's table."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from rightreasons.commands import shared_options
from rightreasons.commands.output import print_message, print_rendered
from rightreasons.commands.overwriting import add_force_option


def _parse_role_files(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> dict[str, list[str]]:
    """Parse ROLE=FILE; a role may have several files."""
    roles: dict[str, list[str]] = {}
    for text in values:
        role, equals, file = text.partition("=")
        if not (role and equals and file):
            raise click.BadParameter(f"{text!r} is not of the form ROLE=FILE.", ctx, param)
        roles.setdefault(role, []).append(file)
    return roles


@click.command()
@click.argument("name", metavar="NAME")
@click.option("--out", required=True, metavar="RUN", help="Run folder to create.")
@click.option(
    "--scale",
    default="quick",
    show_default=True,
    metavar="quick|paper|tiny",
    help="quick: small networks on a sample of the pairs; paper: everything as in the paper; tiny: a smoke test.",
)
@click.option(
    "--models", default="", metavar="NAME,NAME", help="Models to train. Default: those of the experiment."
)
@click.option(
    "--seeds",
    type=shared_options.parse_count,
    metavar="N",
    default="1",
    show_default=True,
    help="Number of training runs per model, each with its own seed.",
)
@click.option(
    "--corpus",
    "corpora",
    multiple=True,
    metavar="ROLE=FILE",
    callback=_parse_role_files,
    help="File to use for a role, such as mnli-train or mnli-dev-matched. Fetched corpora are found automatically. "
    "Can be repeated.",
)
@click.option("--vectors", metavar="FILE", help="Pretrained word vectors for the networks.")
@click.option(
    "--workers",
    type=int,
    default=1,
    show_default=True,
    help="Number of worker processes, with one thread each. 0 runs everything in this process.",
)
@click.option(
    "--models-in",
    metavar="FOLDER",
    help="Folder for trained models, shared by all experiments. Default: the folder models next to RUN.",
)
@click.option("--allow-overlap", is_flag=True, help="Allow training pairs that also occur in the test sets.")
@add_force_option
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
    """Train and test the models of an experiment, such as hans-main, and write a run folder with table.md.

    Trained models are kept and shared with other experiments. To resume an interrupted experiment, repeat the command.

    Example: rightreasons experiment hans-main --scale tiny --out hans-main
    """
    from rightreasons.evaluation.specification import split_names
    from rightreasons.experiments import run
    from rightreasons.experiments.declaration import find_experiment
    from rightreasons.reports.renderers import render_terminal

    results = run(
        name,
        out=out,
        scale=scale,
        models=split_names(models),
        seeds=seeds,
        corpora=corpora,
        vectors=vectors,
        workers=workers,
        models_in=models_in,
        allow_overlap=allow_overlap,
        force=force,
        command=shlex.join(["rightreasons", *sys.argv[1:]]),
        say=print_message,
    )
    for table in find_experiment(name).tables(results):
        print_rendered(lambda width, table=table: render_terminal(table.exhibit, width))  # type: ignore[misc]
        click.echo()
    click.echo(f"Wrote the run to {out}. The tables are in {Path(out) / 'table.md'}.")
