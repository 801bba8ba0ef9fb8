"""`rightreasons score`: accuracy of predictions by tags and gold label."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

import click

from rightreasons.commands import shared_options
from rightreasons.commands.output import print_message, write_or_print
from rightreasons.commands.overwriting import add_force_option

if TYPE_CHECKING:
    from rightreasons.core.pairs import ChallengeSet


@click.command()
@click.argument("set_name", metavar="SET")
@click.argument("predictions_path", metavar="PREDICTIONS")
@shared_options.add_by_option(
    "Tags to break scores down by, such as heuristic,subcase,template,trigger. Default: none."
)
@shared_options.add_rule_option
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
@click.option(
    "--against-people",
    metavar="FILE|STUDY",
    help="Compare the probabilities with how people divide over the labels: a file such as those of ChaosNLI, or the "
    "folder of a study.",
)
@click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated values.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: rows, label_rule, warnings.")
@click.option("--out", metavar="FILE", help="Write to a file instead of stdout.")
@add_force_option
def score(
    *,
    set_name: str,
    predictions_path: str,
    by: str,
    rule: str,
    split: str,
    layout: str,
    against_people: str | None,
    out: str | None,
    as_csv: bool,
    as_json: bool,
    force: bool,
) -> None:
    """Score the prediction file PREDICTIONS against SET, a file of pairs or a registered name such as hans-released.

    Example: rightreasons score hans-released predictions.csv --by heuristic
    """
    if as_csv + as_json + (layout == "hans") > 1:
        raise click.UsageError("Choose one of --csv, --json and --layout hans.")
    if against_people is not None:
        if by or layout == "hans":
            raise click.UsageError("--against-people can't be combined with --by or --layout hans.")
        pairs = _load_tagged_pairs(set_name, split, by, layout)
        given = PeopleArguments(against_people, predictions_path, rule)
        _score_against_people(pairs, given, out, as_csv=as_csv, as_json=as_json, force=force)
        return
    from rightreasons import score as score_predictions
    from rightreasons.io.outputs import check_output_path
    from rightreasons.io.predictions import read_predictions
    from rightreasons.reports.renderers.terminal import render_scores

    if out is not None:
        check_output_path(out, force=force)
    challenge_set = _load_tagged_pairs(set_name, split, by, layout)
    predictions = read_predictions(predictions_path)
    scores = score_predictions(challenge_set, predictions, by=by, rule=rule, path=predictions_path)
    if layout == "hans":
        from rightreasons.scoring.accuracy import render_hans_layout

        text = render_hans_layout(challenge_set.pairs, predictions, rule=rule, path=predictions_path)
    else:
        text = scores.to_json() if as_json else scores.to_csv() if as_csv else ""
    in_sight = (
        not text and out is None and sys.stdout.isatty()
    )  # the table on the terminal shows the warnings
    for warning in () if in_sight else scores.warnings:
        print_message(f"Warning: {warning}")
    if layout == "hans":
        print_message(f"Labels: {scores.label_rule}")
    write_or_print(text, lambda _: render_scores(scores), out, force=force, name="the scores")


class PeopleArguments(NamedTuple):
    """What is compared with what: the file or study of people, the predictions, and the label rule."""

    people: str
    predictions: str
    rule: str


def _score_against_people(
    pairs: ChallengeSet, given: PeopleArguments, out: str | None, *, as_csv: bool, as_json: bool, force: bool
) -> None:
    from rightreasons import score_against_people
    from rightreasons.io.outputs import check_output_path
    from rightreasons.io.predictions import read_predictions
    from rightreasons.reports.renderers import render_csv, render_terminal

    if out is not None:
        check_output_path(out, force=force)
    predictions = read_predictions(given.predictions)
    scores = score_against_people(pairs, predictions, given.people, rule=given.rule)
    exhibit = scores.make_exhibit()
    text = scores.to_json() if as_json else render_csv(exhibit) if as_csv else ""
    for note in (*scores.warnings, *filter(None, [scores.misleading])) if text else ():
        print_message(f"Warning: {note}")
    write_or_print(
        text, lambda width: render_terminal(exhibit, width), out, force=force, name="the comparison"
    )


def _load_tagged_pairs(name: str, split: str, by: str, layout: str) -> ChallengeSet:
    """Read the tags and the clustering columns of a file, or generate a named set."""
    from rightreasons.corpora.hans_columns import TAGS
    from rightreasons.evaluation.specification import split_names
    from rightreasons.scoring.sharing import COLUMNS

    shown = TAGS if layout == "hans" else ()
    columns = (*COLUMNS, *shown)
    return shared_options.read_pair_columns(
        name, split_names(by), if_there=columns
    ) or shared_options.generate_set(name, split)
