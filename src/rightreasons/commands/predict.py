"""`rightreasons predict`: the answers of one model to one set, as a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rightreasons.commands import arguments

if TYPE_CHECKING:
    from rightreasons.pairs import ChallengeSet


@click.command()
@click.argument("model")
@click.argument("set_name", metavar="SET")
@click.option("--out", required=True, metavar="FILE", help="Answers: .parquet, .jsonl, .csv or .tsv.")
@arguments.force
@arguments.options("An option of the model.")
def predict(model: str, set_name: str, out: str, options: dict[str, str], *, force: bool) -> None:
    """Ask MODEL for its answers to SET, a file of pairs or a registered name.

    MODEL is a name that `rightreasons list models` shows, such as rules:subsequence or file:PATH.
    """
    from rightreasons import predict as ask
    from rightreasons import registry, verbs
    from rightreasons.outputs import check_free
    from rightreasons.tables import write_table

    check_free(out, force=force)
    part = registry.make_model(model, options)
    answers = ask(part, _load(set_name, verbs.needs_of(part)))
    write_table(answers, out, force=force)
    arguments.say(f"Wrote {answers.height:,} answers to {out}.")


def _load(name: str, needs: tuple[str, ...]) -> ChallengeSet:
    """Read of a file no more than the model needs, or make a registered set."""
    from rightreasons.commands.files import read_columns
    from rightreasons.pairs import TEXTS

    return read_columns(name, TEXTS, if_there=needs) or arguments.make_set(name)
