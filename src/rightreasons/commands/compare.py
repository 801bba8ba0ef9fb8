"""`rightreasons compare`: paired comparisons of models on the same pairs, from their run folders."""

from __future__ import annotations

import click

from rightreasons.commands import shared_options
from rightreasons.commands.output import print_message, render_exhibits, write_or_print
from rightreasons.commands.overwriting import add_force_option


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--models",
    default="",
    metavar="NAME,NAME",
    help="Models to compare. Default: all except added baselines.",
)
@click.option(
    "--against",
    metavar="NAME",
    help="Compare all other models with this one, which may be a baseline. Default: every pair of models.",
)
@shared_options.add_by_option(
    "Tags to break comparisons down by. Default: heuristic, or subcase for sets without heuristics."
)
@click.option(
    "--pairs",
    metavar="FILE",
    help="Write each pair with the predictions of all models and which models are correct: .parquet, .csv, .tsv or "
    ".jsonl.",
)
@shared_options.add_rename_option
@click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated values.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object: rows, families, common_errors, left_out."
)
@click.option("--out", metavar="FILE", help="Write to a file instead of stdout.")
@add_force_option
def compare(
    *,
    runs: tuple[str, ...],
    models: str,
    against: str | None,
    by: str,
    pairs: str | None,
    rename: dict[str, str],
    as_csv: bool,
    as_json: bool,
    out: str | None,
    force: bool,
) -> None:
    """Compare the models of run folders on the sets that they share, with paired significance tests.

    Example: rightreasons compare run-a run-b --against default
    """
    if as_csv and as_json:
        raise click.UsageError("Choose one of --csv and --json.")
    from rightreasons import compare as compare_runs
    from rightreasons.io.outputs import check_output_path
    from rightreasons.runs.collection import load_runs

    for path in (pairs, out):
        if path is not None:
            check_output_path(path, force=force)
    collection = load_runs(runs, rename)
    comparisons = compare_runs(collection, models=models, against=against, by=by)
    if pairs is not None:
        from rightreasons.evaluation.compare import list_shared_pairs
        from rightreasons.evaluation.specification import split_names
        from rightreasons.io.tables import write_table

        table = list_shared_pairs(collection, split_names(models), against)
        write_table(table, pairs, force=force)
        print_message(f"Wrote {table.height:,} pairs to {pairs}.")
    for text in comparisons.left_out:
        print_message(f"Not compared: {text}.")
    text = comparisons.to_json() if as_json else comparisons.to_csv() if as_csv else ""
    write_or_print(
        text,
        lambda width: render_exhibits(comparisons.exhibits, width),
        out,
        force=force,
        name="the comparisons",
    )
