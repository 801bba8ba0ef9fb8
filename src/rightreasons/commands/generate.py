"""`rightreasons generate`: a challenge set, as a file or on stdout."""

from __future__ import annotations

import sys
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rightreasons.commands import shared_options
from rightreasons.commands.convert import FORMATS
from rightreasons.commands.output import print_message, print_remarks, print_table_batches
from rightreasons.commands.overwriting import add_force_option

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import polars as pl

    from rightreasons.core.parts import Plan
    from rightreasons.corpora.pair_formats import Format

STDOUT_BATCH = 8192
NEED_PARSES = ("hans", "hans-jsonl", "hf", "hf-jsonl")


@click.command()
@click.argument("set_name", metavar="SET")
@shared_options.add_size_options
@shared_options.add_corpus_option
@click.option(
    "--format", "format_name", metavar="FORMAT", help=f"{FORMATS}. Default: the file extension of FILE."
)
@click.option(
    "--parses",
    type=click.Choice(["none", "labelled", "binary"]),
    help="Parses to include with the pairs. Default: the default of the set.",
)
@click.option("--out", metavar="FILE", help="File to write. Default: stdout, as JSONL.")
@add_force_option
@shared_options.add_key_value_option("An option of the set, such as mode=faithful.")
def generate(
    *,
    set_name: str,
    size: int | None,
    limit: int | None,
    seed: int,
    split: str,
    corpus: tuple[str, ...],
    format_name: str | None,
    parses: str | None,
    out: str | None,
    force: bool,
    options: dict[str, Any],
) -> None:
    """Generate SET: a name shown by `rightreasons list sets`, or a template file (.toml).

    Example: rightreasons generate hans --limit 600 --out hans.parquet
    """
    from rightreasons import plan, write_pairs
    from rightreasons.core.errors import format_count

    chosen = _choose_format(format_name, out)
    options = _add_parses_option(set_name, options, parses, chosen) | ({"corpus": corpus} if corpus else {})
    set_plan = plan(set_name, size=size, limit=limit, seed=seed, split=split, **options)
    print_remarks(set_plan.card.remarks)
    if out is None:
        _print_pairs(set_plan, chosen)
        return
    card = write_pairs(set_plan, out, format=chosen.name, force=force)
    print_message(
        f"Wrote {format_count(card.rows or 0, 'pair')} to {out} and the dataset card to {out}.card.json."
    )


def _choose_format(name: str | None, out: str | None) -> Format:
    """Choose the format: by name, by the file extension (parquet without one), JSONL on stdout."""
    from rightreasons.corpora import pair_formats

    if name is not None:
        return pair_formats.find_format_by_name(name)
    if out is None:
        return pair_formats.find_format_by_name("jsonl")
    return (
        pair_formats.find_format_by_ending(Path(out))
        if Path(out).suffix
        else pair_formats.find_format_by_name("parquet")
    )


def _add_parses_option(
    set_name: str, options: dict[str, Any], parses: str | None, chosen: Format
) -> dict[str, Any]:
    """Add the option for parses: as given, or binary for the HANS formats, which require them."""
    from rightreasons.core import options as part_options
    from rightreasons.core import registry

    if parses is not None:
        return {**options, "parses": parses}
    needed = chosen.name in NEED_PARSES and "parses" in part_options.get_schema(
        registry.get_set_class(set_name)
    )
    return {"parses": "binary", **options} if needed else options


def _print_pairs(set_plan: Plan, chosen: Format) -> None:
    from rightreasons.core.progress import track_progress

    if chosen.table == "parquet":
        raise click.UsageError("Parquet can't be written to stdout. Add --out FILE.")
    batches: Iterable[pl.DataFrame] = _generate_pair_batches(set_plan, chosen)
    if not sys.stdout.isatty():  # on a terminal, the pairs themselves show the progress
        batches = track_progress(
            batches, ceil(len(set_plan) / STDOUT_BATCH), f"generating {set_plan.card.set}"
        )
    print_table_batches(batches, chosen.table)


def _generate_pair_batches(set_plan: Plan, chosen: Format) -> Iterator[pl.DataFrame]:
    for start in range(0, len(set_plan), STDOUT_BATCH):
        rows = set_plan.rows(start, min(start + STDOUT_BATCH, len(set_plan)))
        yield chosen.columns.convert_to_file(
            chosen.columns.simulate_round_trip(rows, start), set_plan.card.labels
        )
