"""`rightreasons labels`: which output of a model is which label, and how that is known."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from rightreasons.commands import arguments
from rightreasons.commands.output import print_message, print_page

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rightreasons.models.heads import ClassifierHead

HOW = {
    "names": "by the names of the outputs",
    "probe": "with the unmistakable pairs, since the names say nothing",
    "option": "by the option labels",
}
_SHOWN = 3


@click.command()
@click.argument("model")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@arguments.part_options("An option of the model, such as labels=contradiction,entailment,neutral.")
def labels(model: str, options: dict[str, str], *, as_json: bool) -> None:
    """Show which output of MODEL is which label, how this was determined, and the evidence.

    MODEL is a name shown by `rightreasons list models`, such as hf:FOLDER or python:module:function. If the labels
    can't be determined with certainty, the command fails: set them with -o labels=... Models that predict labels by
    name need no mapping.
    """
    from rightreasons.core import registry

    part = registry.make_model(model, options)
    head: ClassifierHead | None = None if part.says_words else part.head
    if head is None:
        _say_words(model, as_json=as_json)
        return
    if as_json:
        click.echo(json.dumps(_facts(model, head), indent=2))
    else:
        print_page(lambda _: _table(head))
        click.echo("\n" + "\n".join(_sentences(head)))
    for warning in head.warnings:
        print_message(f"Warning: {warning}")


def _say_words(model: str, *, as_json: bool) -> None:
    """Say that there is nothing to resolve."""
    if as_json:
        nothing: dict[str, Any] = {
            "model": model,
            "labels": None,
            "how": "words",
            "evidence": {},
            "warnings": [],
        }
        click.echo(json.dumps(nothing, indent=2))
    else:
        click.echo(
            f"The model {model!r} answers with the names of labels, so it has no outputs to tell apart."
        )


def _facts(model: str, head: ClassifierHead) -> dict[str, Any]:
    return {
        "model": model,
        "labels": list(head.order),
        "how": head.how,
        "evidence": head.evidence,
        "warnings": list(head.warnings),
    }


def _table(head: ClassifierHead) -> RenderableType:
    from rightreasons.reports.renderers.terminal import render_list

    names = head.evidence.get("names", [""] * len(head.order))
    rows = [
        (str(place), name, label) for place, (name, label) in enumerate(zip(names, head.order, strict=True))
    ]
    return render_list(("output", "its name", "label"), rows)


def _sentences(head: ClassifierHead) -> list[str]:
    """Say how the labels were found, and what the unmistakable pairs said."""
    from rightreasons.core.errors import counted

    lines = [f"Found {HOW[head.how]}."]
    accuracy: dict[str, float] = head.evidence.get("accuracy", {})
    if accuracy:
        kinds = ", ".join(f"{kind} {right}" for kind, right in head.evidence["right"].items())
        asked = counted(head.evidence["pairs"], "unmistakable pair")
        lines.append(f"Right answers to {asked}, if the outputs are")
        best = list(accuracy.items())[:_SHOWN]
        own = ",".join(head.order)
        best += [] if own in dict(best) else [(own, accuracy[own])]
        lines += [f"  {share:4.0%}  {order}{' (in use)' * (order == own)}" for order, share in best]
        lines.append(f"Right under the best of them: {kinds}.")
    return lines
