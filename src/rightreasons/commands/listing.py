"""`rightreasons list`: the sets and models that can be named."""

from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING

import click

from rightreasons.commands import arguments

if TYPE_CHECKING:
    from collections.abc import Iterator


@click.command("list")
@click.argument("what", type=click.Choice(["sets", "models"]))
def listing(what: str) -> None:
    """List the sets or the models, with a line on each."""
    from rightreasons.reports.table import show_list

    columns = ("name", "what it is", "pairs", "labels") if what == "sets" else ("name", "what it is")
    rows = list(_sets() if what == "sets" else _models())
    arguments.show(lambda _: show_list(columns, rows), sys.stdout)


def _sets() -> Iterator[tuple[str, ...]]:
    from rightreasons import plan, registry

    for name in registry.set_names():
        part = registry.make_set(name, {})
        yield name, _line(type(part)), f"{len(plan(name)):,}", ", ".join(part.labels)


def _models() -> Iterator[tuple[str, ...]]:
    from rightreasons import registry

    for name in registry.model_names():
        yield name, _line(registry.model_class(name))


def _line(part: object) -> str:
    return (inspect.getdoc(part) or "-").splitlines()[0].rstrip(".")
