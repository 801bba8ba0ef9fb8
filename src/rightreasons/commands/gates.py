"""The options that hold figures against gates, for the commands that have figures, and what a missed gate ends in."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from rightreasons.commands import arguments
from rightreasons.commands.exit_codes import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rightreasons.evaluation.gates import Gate, MissedGate


def gates(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --fail-under and --fail-under-low; the command gets the gates that were given, read, as `gates`."""

    @wraps(command)
    def gated(*, fail_under: tuple[str, ...], fail_under_low: tuple[str, ...], **given: Any) -> Any:
        return command(**given, gates=_read(fail_under, fail_under_low))

    return _accuracy(_lower_end(gated))


def hold(missed: Sequence[MissedGate]) -> None:
    """Say which gates were missed, and end with the exit code for that; what was written is whole all the same."""
    for one in missed:
        arguments.say(f"Failed: {one.reason()}")
    if missed:
        raise click.exceptions.Exit(ExitCode.GATE_MISSED)


def _read(accuracies: tuple[str, ...], lower_ends: tuple[str, ...]) -> list[Gate]:
    if not accuracies and not lower_ends:
        return []
    from rightreasons.evaluation.gates import parse_gate

    return [*(parse_gate(text) for text in accuracies), *(parse_gate(text, low=True) for text in lower_ends)]


_accuracy = click.option(
    "--fail-under",
    multiple=True,
    metavar="GATE",
    help="Exit with code 1 if an accuracy is below a threshold, as in hans.non-entailment=0.5. GATE is SET, SET.LABEL, "
    "SET.TAGVALUE or SET.TAGVALUE.LABEL, then =NUMBER; put MODEL@ first to check one model only. "
    "May be given several times.",
)
_lower_end = click.option(
    "--fail-under-low",
    multiple=True,
    metavar="GATE",
    help="Like --fail-under, for the lower bound of the 95% confidence interval.",
)
