"""`rightreasons predict`: the answers of one model to one set, as a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rightreasons.commands import arguments
from rightreasons.commands.overwriting import force

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
    type=arguments.number,
    help="Total number of pairs of a named set, balanced over subcases and labels.",
)
@force
@arguments.options("An option of the model.")
@arguments.asking
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
    A named set is made at its default size, which is 30,000 pairs for hans, or with --limit pairs; a file is
    taken whole, and its pairs need no labels.
    """
    from rightreasons.core.errors import counted
    from rightreasons.evaluation.specification import read_flags
    from rightreasons.evaluation.steps import build_model, run_model
    from rightreasons.inference.unfinished import until_in_place
    from rightreasons.io.outputs import check_free
    from rightreasons.io.tables import ending_format, write_table

    check_free(out, force=force)
    ending_format(out)
    part = build_model(model, {**read_flags(model, flags), **options})
    part.precheck()  # before a set is made for nothing
    with until_in_place(out) as journal:
        answered = run_model(part, _load(set_name, part.needs, limit), journal)
        write_table(answered.answers, out, force=force)
    kept = answered.facts.get("kept")
    were = "was" if kept == 1 else "were"
    earlier = f"; {kept:,} of them {were} kept from an unfinished run" if kept else ""
    for line in _told(answered.facts):
        arguments.say(line)
    arguments.say(f"Wrote {counted(answered.answers.height, 'answer')} to {out}{earlier}.")


def _told(facts: Mapping[str, Any]) -> Iterator[str]:
    """Say what a report would say: where the labels come from, what is doubtful, what was cut or refused."""
    from rightreasons.reports.provenance import AMISS, FOUND

    head = facts.get("head")
    if head:
        yield f"Labels found {FOUND[head['how']]}: {', '.join(head['order'])}."
        yield from (f"Warning: {warning}" for warning in head["warnings"])
    for fact, words in AMISS.items():
        if facts.get(fact):
            yield f"Note: {words}: {facts[fact]:,} of {facts['pairs']:,}."


def _load(name: str, needs: tuple[str, ...], limit: int | None) -> ChallengeSet:
    """Read of a file no more than the model needs, or make a registered set."""
    from rightreasons.commands.files import read_columns
    from rightreasons.core.errors import InputError
    from rightreasons.core.pairs import TEXTS

    read = read_columns(name, TEXTS, if_there=needs, labelled=False)
    if read is not None and limit is not None:
        raise InputError(f"{name!r} is a file of pairs, taken whole. Leave out --limit.")
    return arguments.make_set(name, limit=limit) if read is None else read
