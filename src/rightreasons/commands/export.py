"""`rightreasons export`: export a run, a set or a network for other tools."""

from __future__ import annotations

from typing import Any

import click

from rightreasons.commands import shared_options
from rightreasons.commands.output import print_message, print_remarks
from rightreasons.commands.overwriting import add_force_option
from rightreasons.core.registry import EXPORTS


@click.command()
@click.argument("what", metavar="RUN|SET|net:FOLDER")
@click.option(
    "--to",
    required=True,
    metavar="EXPORT",
    help=f"{', '.join(EXPORTS)}; see `rightreasons list exports`. "
    "onnx needs a trained network; model-card, mlflow and wandb need a run.",
)
@click.option(
    "--out",
    metavar="FOLDER",
    help="Folder to create. mlflow and wandb also append to an existing folder; by default they log to their "
    "configured destination.",
)
@shared_options.add_size_options
@shared_options.add_corpus_option
@shared_options.add_key_value_option(
    "An option of the export, such as project=nli, or of the set, such as mode=faithful."
)
@add_force_option
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
    """Export a run folder, a set (a name, a template file or a file of pairs) or a network for another tool.

    Example: rightreasons export hans --to lm-eval --limit 6000 --out tasks
    """
    from rightreasons.exports import export as write

    part_options = options | ({"corpus": corpus} if corpus else {})
    remarks = write(
        what, to=to, out=out, size=size, limit=limit, seed=seed, split=split, force=force, **part_options
    )
    print_remarks(remarks)
    if out is not None:
        print_message(f"Exported {what} to {out}.")
