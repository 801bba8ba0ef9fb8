"""`rightreasons score`: how often the answers are right, by tags and true label."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import click

from rightreasons.commands import arguments
from rightreasons.commands.overwriting import force

if TYPE_CHECKING:
    from rightreasons.core.pairs import ChallengeSet
    from rightreasons.scoring.accuracy import Scores


@click.command()
@click.argument("set_name", metavar="SET")
@click.argument("answers_path", metavar="ANSWERS")
@arguments.by("Tags to break scores down by, such as heuristic,subcase,template,trigger.")
@arguments.rule
@click.option(
    "--split", default="eval", show_default=True, metavar="eval|train", help="Split of a named SET."
)
@click.option(
    "--layout",
    type=click.Choice(["table", "hans"]),
    default="table",
    show_default=True,
    help="hans prints the four blocks of the original HANS evaluator.",
)
@click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated values.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: rows, label_rule, warnings.")
@click.option("--out", metavar="FILE", help="Write to a file instead of stdout.")
@force
def score(
    *,
    set_name: str,
    answers_path: str,
    by: str,
    rule: str,
    split: str,
    layout: str,
    out: str | None,
    as_csv: bool,
    as_json: bool,
    force: bool,
) -> None:
    """Score the prediction file ANSWERS against SET, a file of pairs or a registered name such as hans-released."""
    if as_csv + as_json + (layout == "hans") > 1:
        raise click.UsageError("Choose one of --csv, --json and --layout hans.")
    from rightreasons import score as score_predictions
    from rightreasons.io.outputs import check_free
    from rightreasons.io.predictions import read_answers

    if out is not None:
        check_free(out, force=force)
    made = _load(set_name, split, by, layout)
    answers = read_answers(answers_path)
    scores = score_predictions(made, answers, by=by, rule=rule, path=answers_path)
    if layout == "hans":
        from rightreasons.scoring.accuracy import render_hans_layout

        text = render_hans_layout(made.pairs, answers, rule=rule, path=answers_path)
    else:
        text = scores.to_json() if as_json else scores.to_csv() if as_csv else ""
    _tell(scores, in_sight=not text and out is None and sys.stdout.isatty())
    if layout == "hans":
        arguments.say(f"Labels: {scores.label_rule}")
    _put(text, scores, out, force=force)


def _load(name: str, split: str, by: str, layout: str) -> ChallengeSet:
    """Read of a file no more than the tags to count by and what pairs may share, or make a registered set."""
    from rightreasons.commands.files import read_columns
    from rightreasons.corpora.hans_columns import TAGS
    from rightreasons.evaluation.specification import split_names
    from rightreasons.scoring.sharing import COLUMNS

    shown = TAGS if layout == "hans" else ()
    return read_columns(name, split_names(by), if_there=(*COLUMNS, *shown)) or arguments.make_set(name, split)


def _tell(scores: Scores, *, in_sight: bool) -> None:
    """Say the warnings on stderr, unless a table that begins with them is on the same screen."""
    for warning in () if in_sight else scores.warnings:
        arguments.say(f"Warning: {warning}")


def _put(text: str, scores: Scores, out: str | None, *, force: bool) -> None:
    """Write the text, or the table where there is none, to a file or to stdout."""
    from rightreasons.reports.renderers.terminal import render_scores

    if out is None and text:
        click.echo(text, nl=not text.endswith("\n"))
    elif out is None:
        arguments.show(lambda _: render_scores(scores), sys.stdout)
    else:
        from rightreasons.io.outputs import replacing

        page = io.StringIO(text)
        if not text:
            arguments.show(lambda _: render_scores(scores), page)
        with replacing(out, force=force) as part:
            part.write_text(page.getvalue(), encoding="utf-8")
        arguments.say(f"Wrote the scores to {out}.")
