"""`rightreasons leaks`: count the pairs of sets that also occur in a training file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rightreasons.commands import shared_options
from rightreasons.commands.output import print_remarks, render_exhibits, write_or_print
from rightreasons.commands.overwriting import add_force_option

if TYPE_CHECKING:
    from rightreasons.audits.leaks import LeakReport
    from rightreasons.core.pairs import ChallengeSet


@click.command()
@click.argument("training", metavar="TRAINING-FILE")
@click.argument("sets", nargs=-1, required=True, metavar="SET...")
@click.option(
    "--near/--no-near",
    default=True,
    show_default=True,
    help="Also search for near duplicates, which takes longer.",
)
@click.option(
    "--split", default="eval", show_default=True, metavar="eval|train", help="Split of a named SET."
)
@click.option("--csv", "as_csv", is_flag=True, help="Print the counts as comma-separated values.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print one JSON object: counts, examples and a summary for each set.",
)
@click.option("--out", metavar="FILE", help="Write to a file instead of stdout.")
@add_force_option
def leaks(
    *,
    training: str,
    sets: tuple[str, ...],
    near: bool,
    split: str,
    as_csv: bool,
    as_json: bool,
    out: str | None,
    force: bool,
) -> None:
    """Count the pairs, swapped pairs, premises and hypotheses of each SET that also occur in TRAINING-FILE.

    TRAINING-FILE is any corpus: a file, pocket, hf:NAME or a name printed by fetch. A SET is a name, a template
    file or a file of pairs.

    Example: rightreasons leaks train.jsonl hans --no-near
    """
    if as_csv and as_json:
        raise click.UsageError("Choose one of --csv and --json.")
    from rightreasons import read_corpus
    from rightreasons.audits.leaks import audit_leaks
    from rightreasons.core.progress import show_progress
    from rightreasons.evaluation.sets import expand_set_patterns
    from rightreasons.io.outputs import check_output_path
    from rightreasons.reports.exhibits.leaks import make_leak_tables

    if out is not None:
        check_output_path(out, force=force)
    with show_progress(label=f"reading {training}"):
        known = read_corpus(training)
    print_remarks(known.card.remarks)
    reports = [
        audit_leaks(known, _load_set_texts(name, split), near=near, name=name)
        for name in expand_set_patterns(sets)
    ]
    text = _render_leak_counts(reports, as_csv=as_csv, as_json=as_json)
    exhibits = make_leak_tables(reports)
    write_or_print(text, lambda width: render_exhibits(exhibits, width), out, force=force, name="the leaks")


def _load_set_texts(name: str, split: str) -> ChallengeSet:
    """Read the texts of a file of pairs, or generate a set."""
    from rightreasons.core.pairs import TEXTS

    return shared_options.read_pair_columns(name, TEXTS) or shared_options.generate_set(name, split)


def _render_leak_counts(reports: list[LeakReport], *, as_csv: bool, as_json: bool) -> str:
    """Render the counts as CSV, or everything as JSON; empty for a table, whose width is known later."""
    import json

    from rightreasons.reports.exhibits.leaks import make_leak_tables
    from rightreasons.reports.renderers import render_csv

    if as_json:
        sets = [report.to_dict() for report in reports]
        return json.dumps({"sets": sets}, indent=2, ensure_ascii=False) + "\n"
    return render_csv(make_leak_tables(reports)[0]) if as_csv else ""
