"""`rightreasons train`: train a model and write a model folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rightreasons.commands import shared_options
from rightreasons.commands.output import print_message, print_remarks
from rightreasons.commands.overwriting import add_force_option

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command()
@click.argument("trainer", metavar="MODEL")
@click.option(
    "--train",
    "train_files",
    multiple=True,
    metavar="FILE",
    help="Pairs to train on. Can be repeated.",
)
@click.option("--dev", metavar="FILE", help="Pairs to select the best checkpoint on.")
@click.option("--out", required=True, metavar="FOLDER", help="Model folder to create.")
@click.option(
    "--edit",
    "edits",
    multiple=True,
    metavar="NAME:KEY=VALUE,...",
    help="Edit the training pairs: augment, withhold, merge, distract, drop-rule, hypothesis-only, swap or "
    "subsample. Can be repeated; edits are applied in order.",
)
@click.option(
    "--test",
    "tests",
    multiple=True,
    metavar="FILE",
    help="Pairs that must not occur in the training data. Can be repeated.",
)
@click.option(
    "--allow-overlap",
    is_flag=True,
    help="Allow training pairs that also occur in --dev, --test or the released HANS test set.",
)
@click.option(
    "--parser",
    metavar="NAME",
    help="Parser for spinn if the pairs have no parses: right-branching, balanced, link-grammar or spacy.",
)
@add_force_option
@shared_options.add_key_value_option(
    "An option of the model, such as preset=small, vectors=FILE or epochs=2."
)
def train(
    *,
    trainer: str,
    train_files: tuple[str, ...],
    dev: str | None,
    out: str,
    edits: tuple[str, ...],
    tests: tuple[str, ...],
    parser: str | None,
    options: dict[str, str],
    allow_overlap: bool,
    force: bool,
) -> None:
    """Train MODEL and write a model folder for predict, evaluate and serve.

    MODEL is a network over word vectors (da, esim, spinn, nb, ch, rc, infersent, bilstm, cbow, jiant), or transformer;
    these need --train and --dev. The model pretrain trains an encoder for jiant on -o material=FILE.
    To resume an interrupted run from its last checkpoint, in FOLDER.training, repeat the command.

    Example: rightreasons train esim --train train.jsonl --dev dev.jsonl -o preset=small --out my-esim
    """
    from rightreasons import train as train_model
    from rightreasons.corpora.generic_columns import NUMBERED
    from rightreasons.training.edits import get_edit
    from rightreasons.training.model_folder import ENCODER

    if parser is not None:
        options["parser"] = parser
    trained = train_model(
        trainer,
        train=train_files,
        dev=dev,
        out=out,
        edits=edits,
        test=tests,
        allow_overlap=allow_overlap,
        force=force,
        **options,
    )
    card = trained.card
    for source in (*card.get("train", []), card.get("dev", {})):
        print_remarks(
            f"{source['name']}: {remark}" for remark in source.get("remarks", []) if remark != NUMBERED
        )
    if card.get("left_out"):
        print_remarks([f"{card['left_out']:,} training pairs were excluded: {_describe_length_limit(card)}."])
    if trained.resumed_from:
        print_message(f"Resumed from the checkpoint at step {trained.resumed_from:,}.")
    print_message(f"Dev accuracy {trained.best:.4f} at step {trained.best_step:,} of {trained.steps:,}.")
    if (Path(out) / ENCODER).exists():
        print_message(
            f"Wrote the encoder to {out}. Use it with: rightreasons train jiant -o encoder={out} ..."
        )
        return
    kind = "net" if (Path(out) / "network.json").exists() else "hf"
    print_message(f"Wrote the model to {out}. Evaluate it with: rightreasons evaluate {kind}:{out} --out RUN")
    for name in dict.fromkeys(edit.partition(":")[0] for edit in edits):
        if get_edit(name).edits_tests:
            print_message(
                f"The model was trained with the edit {name}. Its predictions are valid only for pairs with this edit."
            )


def _describe_length_limit(card: Mapping[str, Any]) -> str:
    """Explain why training pairs were excluded."""
    if "reading" in card:
        return f"a sentence has more than {card['reading']['left_out_beyond']} words"
    return f"the hypothesis doesn't fit into {card['recipe']['max_length']} tokens"
