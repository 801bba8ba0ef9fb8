"""`rightreasons convert`: the same pairs in another format."""

from __future__ import annotations

import click

from rightreasons.commands.output import print_message, print_remarks
from rightreasons.commands.overwriting import add_force_option

FORMATS = "parquet, jsonl, csv, tsv, hans, hans-jsonl, hf or hf-jsonl"


@click.command()
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option(
    "--from", "from_format", metavar="FORMAT", help=f"{FORMATS}. Default: detected from the content."
)
@click.option("--to", "to_format", metavar="FORMAT", help=f"{FORMATS}. Default: the file extension of OUT.")
@add_force_option
def convert(source: str, target: str, from_format: str | None, to_format: str | None, *, force: bool) -> None:
    """Convert the pairs in the file IN to another format and write them to OUT.

    Example: rightreasons convert heuristics_evaluation_set.txt hans.parquet
    """
    from rightreasons.core.errors import format_count
    from rightreasons.corpora import list_losses, read_pairs, write_pairs

    challenge_set = read_pairs(source, from_format)
    lost = list_losses(challenge_set, target, format=to_format)
    card = write_pairs(challenge_set, target, format=to_format, force=force)
    print_remarks((*card.remarks, *lost))
    print_message(f"Wrote {format_count(card.rows or 0, 'pair')} to {target}.")
