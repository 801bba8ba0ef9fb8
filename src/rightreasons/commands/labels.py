"""`rightreasons labels`: which label each output of a model stands for, and how the order was determined."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from rightreasons.commands import shared_options
from rightreasons.commands.output import print_message, print_rendered

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rightreasons.models.output_labels import ClassifierHead

_SHOWN = 3  # label orders


@click.command()
@click.argument("model")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@shared_options.add_key_value_option(
    "An option of the model, such as labels=contradiction,entailment,neutral."
)
def labels(model: str, options: dict[str, str], *, as_json: bool) -> None:
    """Show which label each output of MODEL stands for, how the order was determined, and the evidence.

    MODEL is a name shown by `rightreasons list models`, such as hf:FOLDER or python:module:function. If the order
    can't be determined with certainty, the command fails: set the order with -o labels=... Models that predict labels
    by name need no order.
    """
    from rightreasons.core import registry

    part = registry.make_model(model, options)
    head: ClassifierHead | None = None if part.says_words else part.head
    if head is None:
        _print_order_not_needed(model, as_json=as_json)
        return
    if as_json:
        click.echo(json.dumps(_collect_label_order_facts(model, head), indent=2))
    else:
        print_rendered(lambda _: _render_output_labels(head))
        click.echo("\n" + "\n".join(_describe_label_order(head)))
    for warning in head.warnings:
        print_message(f"Warning: {warning}")


def _print_order_not_needed(model: str, *, as_json: bool) -> None:
    """Print that the model needs no label order."""
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
        click.echo(f"The model {model!r} predicts labels by name, so no label order is needed.")


def _collect_label_order_facts(model: str, head: ClassifierHead) -> dict[str, Any]:
    return {
        "model": model,
        "labels": list(head.order),
        "how": head.how,
        "evidence": head.evidence,
        "warnings": list(head.warnings),
    }


def _render_output_labels(head: ClassifierHead) -> RenderableType:
    from rightreasons.reports.renderers.terminal import render_name_table

    names = head.evidence.get("names", [""] * len(head.order))
    rows = [
        (str(place), name, label) for place, (name, label) in enumerate(zip(names, head.order, strict=True))
    ]
    return render_name_table(("output", "name", "label"), rows)


def _describe_label_order(head: ClassifierHead) -> list[str]:
    """Describe how the labels were resolved, and the accuracy on the unmistakable pairs."""
    from rightreasons.core.errors import format_count
    from rightreasons.reports.provenance import LABEL_SOURCES

    lines = [f"Label order: {', '.join(head.order)} ({LABEL_SOURCES[head.how]})."]
    accuracy: dict[str, float] = head.evidence.get("accuracy", {})
    if accuracy:
        by_type = ", ".join(f"{kind} {right}" for kind, right in head.evidence["right"].items())
        pairs = format_count(head.evidence["pairs"], "unmistakable pair")
        lines.append(f"Accuracy on {pairs} under the best label orders:")
        best = list(accuracy.items())[:_SHOWN]
        own = ",".join(head.order)
        best += [] if own in dict(best) else [(own, accuracy[own])]
        lines += [f"  {share:4.0%}  {order}{' (in use)' * (order == own)}" for order, share in best]
        lines.append(f"Correct predictions under the best order: {by_type}.")
    return lines
