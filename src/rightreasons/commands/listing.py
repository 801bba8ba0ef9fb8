"""`rightreasons list`: the sets and models that can be named."""

from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING, Any

import click

from rightreasons.commands import arguments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import RenderableType

SPLITS = ("eval", "train")
MORE_THAN_THERE_IS = 10**15


@click.command("list")
@click.argument("what", type=click.Choice(["sets", "models"]), required=False)
def listing(what: str | None) -> None:
    """List the sets, or the models, or both: what they are, and the options that -o takes."""
    shown = [
        make() for kind, make in (("sets", _show_sets), ("models", _show_models)) if what in (None, kind)
    ]
    arguments.show(lambda _: shown[0], sys.stdout)
    for more in shown[1:]:
        click.echo()
        arguments.show(lambda _, more=more: more, sys.stdout)  # type: ignore[misc]


def _show_sets() -> RenderableType:
    from rightreasons.reports.table import show_blocks

    return show_blocks(_sets())


def _show_models() -> RenderableType:
    from rightreasons.reports.table import show_list

    return show_list(("model", "what it does", "options"), _models())


def _sets() -> Iterator[tuple[str, str, dict[str, str]]]:
    from rightreasons import registry

    for name in registry.set_names():
        part = registry.make_set(name, {})
        facts = {"labels": ", ".join(part.labels), "default": _default_size(name), "pairs": _room(name)}
        yield name, _line(type(part)), {**facts, "options": _options(registry.set_class(name))}


def _default_size(name: str) -> str:
    """Say what is made unless told otherwise, in the unit of --size."""
    from rightreasons import plan

    default, one = len(plan(name)), len(plan(name, size=1))
    return f"--size {default // one:,}, which makes {default:,} pairs"


def _room(name: str) -> str:
    """Count the pairs that there are in each split; a set may lack one."""
    from rightreasons import options, plan, registry
    from rightreasons.errors import InputError

    all_of_them: dict[str, Any] = {}
    if "short" in options.schema_of(registry.set_class(name)):
        all_of_them = {"size": MORE_THAN_THERE_IS, "short": "allow"}
    counts: dict[str, int] = {}
    for split in SPLITS:
        try:
            counts[split] = len(plan(name, split=split, **all_of_them))
        except InputError:
            continue
    each = " and ".join(f"{count:,} in --split {split}" for split, count in counts.items())
    return f"{sum(counts.values()):,} in all: {each}"


def _models() -> Iterator[tuple[str, str, str]]:
    from rightreasons import registry

    for name in registry.model_names():
        part = registry.model_class(name)
        about = getattr(part, "about", {}).get(name.partition(":")[2])
        yield name, about or _line(part), _options(part)


def _options(part: Callable[..., object]) -> str:
    """List the options that -o takes, with their choices; what a name itself says is none."""
    from rightreasons import options

    schema = {key: "|".join(options.choices(kind)) for key, kind in options.schema_of(part).items()}
    named = options.required(part)
    shown = [f"{key}={words}" if words else key for key, words in schema.items() if key not in named]
    return ", ".join(shown) or "-"


def _line(part: object) -> str:
    return (inspect.getdoc(part) or "-").splitlines()[0].rstrip(".")
