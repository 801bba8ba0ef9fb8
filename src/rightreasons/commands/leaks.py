"""`rightreasons leaks`: what of a set a training file has, too."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import click

from rightreasons.commands import arguments
from rightreasons.commands.overwriting import force

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
    help="Also look for near duplicates, which takes longer.",
)
@click.option(
    "--split", default="eval", show_default=True, metavar="eval|train", help="Split of a named SET."
)
@click.option("--csv", "as_csv", is_flag=True, help="Print the counts as comma-separated values.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print one JSON object: counts, examples and a sentence for each set.",
)
@click.option("--out", metavar="FILE", help="Write to a file instead of stdout.")
@force
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
    """
    if as_csv and as_json:
        raise click.UsageError("Choose one of --csv and --json.")
    from rightreasons import read_corpus
    from rightreasons.audits.leaks import audit_leaks
    from rightreasons.core.progress import progress
    from rightreasons.evaluation.sets import expand_sets
    from rightreasons.io.outputs import check_free

    if out is not None:
        check_free(out, force=force)
    with progress(label=f"reading {training}"):
        known = read_corpus(training)
    arguments.say_remarks(known.card.remarks)
    found = [audit_leaks(known, _made(name, split), near=near, name=name) for name in expand_sets(sets)]
    _put(_shown(found, as_csv=as_csv, as_json=as_json), found, out, force=force)


def _made(name: str, split: str) -> ChallengeSet:
    """Read a file of pairs, or make a set."""
    from rightreasons.commands.files import read_columns
    from rightreasons.core.pairs import TEXTS

    return read_columns(name, TEXTS) or arguments.make_set(name, split)


def _shown(found: list[LeakReport], *, as_csv: bool, as_json: bool) -> str:
    """Show the counts as CSV, or all of it as JSON; a table for people is made when its width is known."""
    import json

    from rightreasons.reports.exhibits.leaks import leak_tables
    from rightreasons.reports.renderers import render_csv

    if as_json:
        return json.dumps({"sets": [one.to_dict() for one in found]}, indent=2, ensure_ascii=False) + "\n"
    return render_csv(leak_tables(found)[0]) if as_csv else ""


def _put(text: str, found: list[LeakReport], out: str | None, *, force: bool) -> None:
    from rich.console import Group, RenderableType
    from rich.text import Text

    from rightreasons.io.outputs import replacing
    from rightreasons.reports.exhibits.leaks import leak_tables
    from rightreasons.reports.renderers import render_terminal

    def page(width: int) -> RenderableType:
        return Group(
            *(part for one in leak_tables(found) for part in (render_terminal(one, width), Text("")))
        )

    if out is None and text:
        click.echo(text, nl=False)
    elif out is None:
        arguments.show(page, sys.stdout)
    else:
        whole = io.StringIO(text)
        if not text:
            arguments.show(page, whole)
        with replacing(out, force=force) as part:
            part.write_text(whole.getvalue(), encoding="utf-8")
        arguments.say(f"Wrote the leaks to {out}.")
