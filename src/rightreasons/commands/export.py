"""`rightreasons export`: a run or a set in the form of another tool."""

from __future__ import annotations

from typing import Any

import click

from rightreasons.commands import arguments
from rightreasons.commands.overwriting import force

TARGETS = ("hf", "lm-eval", "inspect", "model-card", "mlflow", "wandb", "onnx")


@click.command()
@click.argument("what", metavar="RUN|SET|net:FOLDER")
@click.option(
    "--to",
    required=True,
    metavar="TARGET",
    help=f"{', '.join(TARGETS)}. onnx needs a trained network; model-card, mlflow and wandb need a run.",
)
@click.option(
    "--out",
    metavar="FOLDER",
    help="Folder to create. mlflow and wandb append to it; by default they log to their configured destination.",
)
@arguments.sizes
@arguments.corpus
@arguments.options("An option of the set, such as mode=faithful.")
@force
def export(
    *,
    what: str,
    to: str,
    out: str | None,
    size: int | None,
    limit: int | None,
    seed: int,
    split: str,
    corpus: tuple[str, ...],
    options: dict[str, Any],
    force: bool,
) -> None:
    """Export a run folder, a set (a name, a template file or a file of pairs) or a network for another tool."""
    from rightreasons.exports import export as write

    given = options | ({"corpus": corpus} if corpus else {})
    remarks = write(
        what, to=to, out=out, size=size, limit=limit, seed=seed, split=split, force=force, **given
    )
    arguments.say_remarks(remarks)
    if out is not None:
        arguments.say(f"Exported {what} to {out}.")
