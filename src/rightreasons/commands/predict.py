"""`rightreasons predict`: run one model on one set and write its predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rightreasons.commands import shared_options
from rightreasons.commands.output import print_message
from rightreasons.commands.overwriting import add_force_option

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rightreasons.core.pairs import ChallengeSet


@click.command()
@click.argument("model")
@click.argument("set_name", metavar="SET")
@click.option(
    "--out", required=True, metavar="FILE", help="File for the predictions: .parquet, .jsonl, .csv or .tsv."
)
@click.option(
    "--limit",
    type=shared_options.parse_count,
    metavar="N",
    help="Total number of pairs of a named set, balanced over subcases and labels. Default: the default size of the "
    "set.",
)
@add_force_option
@shared_options.add_key_value_option("An option of the model; see `rightreasons list models`.")
@shared_options.add_model_options
def predict(
    *,
    model: str,
    set_name: str,
    out: str,
    limit: int | None,
    options: dict[str, str],
    flags: dict[str, object],
    force: bool,
) -> None:
    """Run MODEL on SET, a file of pairs or a registered name, and write its predictions.

    MODEL is a name shown by `rightreasons list models`, such as rules:subsequence or file:PATH.
    A named set is generated at its default size (30,000 pairs for hans), or with --limit pairs. All pairs of a file are
    used; they need no labels. To resume an interrupted run, repeat the command.

    Example: rightreasons predict default hans --limit 600 --out predictions.csv
    """
    from rightreasons.core.errors import format_count
    from rightreasons.evaluation.specification import convert_flags_to_options
    from rightreasons.evaluation.steps import build_model, run_model
    from rightreasons.inference.journal_folders import hold_journal_folder
    from rightreasons.io.outputs import check_output_path
    from rightreasons.io.tables import infer_format, write_table

    check_output_path(out, force=force)
    infer_format(out)
    part = build_model(model, {**convert_flags_to_options(model, flags), **options})
    part.precheck()  # before the set is generated
    with hold_journal_folder(out) as journal:
        result = run_model(part, _load_pairs(set_name, part.needs, limit), journal)
        write_table(result.predictions, out, force=force)
    for line in _describe_prediction_facts(result.facts):
        print_message(line)
    reused = result.facts.get("kept")
    earlier = f", {reused:,} of them from an unfinished run" if reused else ""
    print_message(f"Wrote {format_count(result.predictions.height, 'prediction')} to {out}{earlier}.")


def _describe_prediction_facts(facts: Mapping[str, Any]) -> Iterator[str]:
    """Describe how labels were resolved, warnings, and how many pairs were truncated or refused."""
    from rightreasons.reports.provenance import LABEL_SOURCES, PROBLEMS

    head = facts.get("head")
    if head:
        yield f"Label order: {', '.join(head['order'])} ({LABEL_SOURCES[head['how']]})."
        yield from (f"Warning: {warning}" for warning in head["warnings"])
    for fact, words in PROBLEMS.items():
        if facts.get(fact):
            yield f"Note: {words}: {facts[fact]:,} of {facts['pairs']:,}."


def _load_pairs(name: str, needs: tuple[str, ...], limit: int | None) -> ChallengeSet:
    """Read the columns of a file that the model needs, or generate a named set."""
    from rightreasons.core.errors import InputError
    from rightreasons.core.pairs import TEXTS

    read = shared_options.read_pair_columns(name, TEXTS, if_there=needs, labelled=False)
    if read is not None and limit is not None:
        raise InputError(
            f"{name!r} is a file of pairs, and --limit works for named sets only. Remove --limit."
        )
    return shared_options.generate_set(name, limit=limit) if read is None else read
