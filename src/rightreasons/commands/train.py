"""`rightreasons train`: a model folder from pairs."""

from __future__ import annotations

import click

from rightreasons.commands import arguments


@click.command()
@click.argument("trainer", metavar="TRAINER")
@click.option(
    "--train", "train_files", multiple=True, required=True, metavar="FILE", help="Pairs to train on."
)
@click.option("--dev", required=True, metavar="FILE", help="Pairs to choose the best weights by.")
@click.option("--out", required=True, metavar="FOLDER", help="The model folder to make.")
@arguments.force
@arguments.options("An option of the trainer, such as encoder=FOLDER or epochs=2.")
def train(
    trainer: str, train_files: tuple[str, ...], dev: str, out: str, options: dict[str, str], *, force: bool
) -> None:
    """Train a model with TRAINER, which is `transformer`, and write a folder that `predict hf:FOLDER` can use.

    A run that was cut off goes on from its last checkpoint, in FOLDER.training, when the same command is given.
    """
    from rightreasons import train as train_model

    trained = train_model(trainer, train=train_files, dev=dev, out=out, force=force, **options)
    arguments.say(f"Dev accuracy {trained.best:.4f} at step {trained.best_step:,} of {trained.steps:,}.")
    arguments.say(f"Wrote the model to {out}. Ask it with: rightreasons evaluate hf:{out} --out RUN")
