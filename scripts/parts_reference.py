"""Make docs/reference/parts.md, all parts with their options, from the registry; with --check, say if it is stale."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rightreasons.core import registry
from rightreasons.core.options import describe_type, get_option_help, get_schema, list_allowed_words
from rightreasons.experiments.declaration import EXPERIMENTS, find_experiment
from rightreasons.nets.declaration import NetworkOptions, summarize_network

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "parts.md"
HEAD = """# All parts and their options

This page is made by `scripts/parts_reference.py` from the declarations of the parts. On the command line, options are
given as `-o name=value`; in Python, as keyword arguments. `rightreasons list` prints the same parts, with those of
installed plugins.
"""
ABOUT = {
    "sets": "For `generate`, `evaluate --sets`, `predict` and `score`. All sets take a size, limit, seed and split.",
    "models": "For `evaluate`, `predict`, `labels` and `serve`. The word before the colon is the kind of model.",
    "networks": "For `train`. All networks have these options; a network's own options are listed below its name.",
    "trainers": "For `train`, like the networks.",
    "audits": "For `audit`. The options apply to every audit that has them, or to one: `-o cues.top=100`.",
    "exports": "For `export --to`.",
    "experiments": "For `experiment`; see its `--help` for the options that all experiments share.",
}


def render_page() -> str:
    """Render the page: one section per kind of part, one heading per part."""
    sections = [
        ("sets", _render_parts(registry.SETS)),
        ("models", _render_parts(registry.MODELS)),
        ("networks", _render_networks()),
        ("trainers", _render_parts(registry.TRAINERS)),
        ("audits", _render_parts(registry.AUDITS)),
        ("exports", _render_parts(registry.EXPORTS)),
        ("experiments", _render_experiments()),
    ]
    parts = [HEAD]
    for kind, blocks in sections:
        parts += [f"## {kind.capitalize()}\n", f"{ABOUT[kind]}\n", *blocks]
    return "\n".join(parts)


def _render_parts(table: Any) -> Iterator[str]:
    for name in table:
        part = table.load(name)
        yield f"### {name}\n"
        yield f"{(inspect.getdoc(part) or '-').splitlines()[0]}\n"
        yield from _render_options(part)


def _render_networks() -> Iterator[str]:
    yield from _render_options(NetworkOptions)
    for name in registry.NETWORKS:
        about, parameters = summarize_network(name)
        yield f"### {name}\n"
        size = f" {parameters[0]:,} parameters without word vectors." if parameters else ""
        yield f"{about[0].upper()}{about[1:].rstrip('.')}.{size}\n"
        yield from _render_options(registry.get_trainer_class(name), without=get_schema(NetworkOptions))


def _render_experiments() -> Iterator[str]:
    for name in EXPERIMENTS:
        experiment = find_experiment(name)
        yield f"### {name}\n"
        end = "" if experiment.about.endswith("?") else "."
        yield f"{experiment.about[0].upper()}{experiment.about[1:].rstrip('.')}{end}\n"
        yield f"Models: {', '.join(experiment.models)}; with `--scale paper`: {', '.join(experiment.paper_models)}.\n"


def _render_options(part: Callable[..., object], without: dict[str, Any] | None = None) -> Iterator[str]:
    schema = {name: kind for name, kind in get_schema(part).items() if name not in (without or {})}
    if not schema:
        return
    defaults = {name: parameter.default for name, parameter in inspect.signature(part).parameters.items()}
    help_lines = get_option_help(part)
    yield "| option | values | default | |"
    yield "| --- | --- | --- | --- |"
    for name, kind in schema.items():
        cells = (
            f"`{name}`",
            _describe_values(kind),
            _describe_default(defaults[name]),
            help_lines.get(name, ""),
        )
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
    yield ""


def _describe_values(kind: Any) -> str:
    words = list_allowed_words(kind)
    return ", ".join(f"`{word}`" for word in words) if words else describe_type(kind)


def _describe_default(default: object) -> str:
    if default is inspect.Parameter.empty:
        return "required"
    if default is None:
        return "none"
    if isinstance(default, tuple | list):
        return f"`{','.join(map(str, default))}`" if default else "none"
    text = str(default).lower() if isinstance(default, bool) else str(default)
    return f"`{text}`" if text else "empty"


@click.command()
@click.option("--check", is_flag=True, help="Exit with 1 if the page is stale; write nothing.")
def run(*, check: bool) -> None:
    """Make the page, or check it."""
    page = render_page()
    if not check:
        PAGE.write_text(page, encoding="utf-8")
        print(f"Wrote {PAGE}.")
    elif not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != page:
        print("docs/reference/parts.md is stale. Run scripts/parts_reference.py.")
        sys.exit(1)


if __name__ == "__main__":
    run()
