"""`rightreasons predict`: the answers of one model to one set, as a file."""

from __future__ import annotations

import click

from rightreasons.commands import arguments


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
    from rightreasons.outputs import check_free
    from rightreasons.tables import write_table

    check_free(out, force=force)
    answers = ask(model, arguments.load_set(set_name), **options)
    write_table(answers, out, force=force)
    arguments.say(f"Wrote {answers.height:,} answers to {out}.")
