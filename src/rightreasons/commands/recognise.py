"""`rightreasons recognise`: find the template that each pair of a file comes from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rightreasons.commands.output import print_message, print_remarks, print_table_batches
from rightreasons.commands.overwriting import add_force_option

if TYPE_CHECKING:
    import polars as pl

SHOWN = ("id", "set", "mode", "subcase", "template", "subvariant", "trigger", "rank")
LONG, MANY = 30, 8  # characters and columns of a wrong header to quote


@click.command()
@click.argument("path", metavar="FILE")
@click.option(
    "--set",
    "set_name",
    metavar="SET",
    help="Set to search: a name or a template file. Default: all sets generated from templates.",
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(["jsonl", "csv", "parquet"]),
    help="Output format. Default: the file extension of --out.",
)
@click.option("--out", metavar="FILE", help="File to write. Default: stdout, as JSONL.")
@add_force_option
def recognise(*, path: str, set_name: str | None, kind: str | None, out: str | None, force: bool) -> None:
    """Find the set, subcase, template, sub-variant, trigger and rank of each pair in FILE.

    FILE needs a premise and a hypothesis per pair, under any of the usual column names. Labels are not needed.

    Example: rightreasons recognise pairs.csv --set hans --out templates.csv
    """
    if out is None and kind == "parquet":
        raise click.UsageError("Parquet can't be written to stdout. Add --out FILE.")
    from rightreasons.core.progress import show_progress
    from rightreasons.evaluation.steps import recognise_with_notes
    from rightreasons.io.outputs import check_output_path

    if out is not None:
        check_output_path(out, force=force)
    with show_progress(label=f"reading {path}"):
        pairs = _read_pair_texts(path)
    matches, notes = recognise_with_notes(pairs, set_name)
    print_remarks(notes)
    matches = matches.hstack(pairs.select("id")) if "id" in pairs.columns else matches
    shown = matches.select(name for name in SHOWN if name in matches.columns)
    _write_matches(shown, kind, out, force=force)
    known = shown["rank"].is_not_null().sum()
    wrote = "" if out is None else f"; wrote {out}"
    print_message(f"Recognised {known:,} of {shown.height:,} pairs{wrote}.")


def _read_pair_texts(path: str) -> pl.DataFrame:
    """Read the ids, if there are any, and both texts under our column names."""
    import polars as pl

    from rightreasons.core.column_checks import cast_column_to_string
    from rightreasons.core.errors import InputError
    from rightreasons.core.pairs import TEXTS
    from rightreasons.corpora.generic_columns import ID_NAMES, TEXT_NAMES
    from rightreasons.io.alignment import is_blank_value, refuse_wrong_rows
    from rightreasons.io.tables import read_table

    table = read_table(path)
    texts = next((names for names in TEXT_NAMES if set(names) <= set(table.columns)), None)
    if texts is None:
        has = ", ".join(name[:LONG] for name in table.columns[:MANY])
        raise InputError(
            f"{path}, line 1: no columns for premise and hypothesis. The columns are {has}. Check the header."
        )
    if table.is_empty():
        raise InputError(f"{path} has a header but no pairs. Give a file with at least one pair.")
    names = dict(zip(texts, TEXTS, strict=True))
    names |= dict.fromkeys([name for name in ID_NAMES if name in table.columns][:1], "id")
    pairs = pl.DataFrame(
        [cast_column_to_string(table[name], path).alias(ours) for name, ours in names.items()]
    )
    for name in TEXTS:
        refuse_wrong_rows(
            Path(path),
            is_blank_value(pairs[name]),
            f"the {name} is blank",
            "Add the text, or remove the pair.",
        )
    return pairs


def _write_matches(shown: pl.DataFrame, kind: str | None, out: str | None, *, force: bool) -> None:
    """Write the rows; CSV and TSV so that no spreadsheet reads an id as a formula."""
    from rightreasons.io.table_writer import SEPARATORS
    from rightreasons.io.tables import infer_format, write_table

    chosen = kind or ("jsonl" if out is None else infer_format(out))
    if chosen not in SEPARATORS:
        if out is not None:
            write_table(shown, out, chosen, force=force)
            return
        print_table_batches([shown], chosen)
        return
    from rightreasons.io.csv_injection import format_csv, write_csv
    from rightreasons.io.outputs import write_atomically

    if out is None:
        click.echo(format_csv(shown, SEPARATORS[chosen]), nl=False)
        return
    with write_atomically(out, force=force) as part:
        write_csv(shown, part, SEPARATORS[chosen])
