"""`rightreasons convert`: the same pairs in another format."""

from __future__ import annotations

import click

from rightreasons.commands import arguments
from rightreasons.commands.overwriting import force

FORMATS = "parquet, jsonl, csv, tsv, hans, hans-jsonl, hf or hf-jsonl"


@click.command()
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option(
    "--from", "from_format", metavar="FORMAT", help=f"{FORMATS}. Default: detected from the content."
)
@click.option("--to", "to_format", metavar="FORMAT", help=f"{FORMATS}. Default: the file extension of OUT.")
@force
def convert(source: str, target: str, from_format: str | None, to_format: str | None, *, force: bool) -> None:
    """Convert the pairs in the file IN to another format and write them to OUT."""
    from rightreasons.core.errors import counted
    from rightreasons.corpora import list_losses, read_pairs, write_pairs

    made = read_pairs(source, from_format)
    lost = list_losses(made, target, format=to_format)
    card = write_pairs(made, target, format=to_format, force=force)
    arguments.say_remarks((*card.remarks, *lost))
    arguments.say(f"Wrote {counted(card.rows or 0, 'pair')} to {target}.")
