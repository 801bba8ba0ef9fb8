"""`rightreasons list`: the sets, models and experiments that can be named."""

from __future__ import annotations

import inspect
import json
from typing import TYPE_CHECKING, Any

import click

from rightreasons.commands.output import print_page
from rightreasons.core.resources import DATA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import polars as pl

    Block = tuple[str, str, dict[str, str]]  # a name, a line on what it is, and facts
SPLITS = ("eval", "train")
# What each set is by default: version, labels, digest; written by scripts/golden.py and held by the tests.
DEFAULTS = DATA / "sets" / "defaults.json"
MORE_THAN_THERE_IS = 10**15


@click.command("list")
@click.argument("what", type=click.Choice(["sets", "models", "experiments"]), required=False)
def listing(what: str | None) -> None:
    """List sets, models and experiments, or one of the three, with descriptions and the options that -o accepts."""
    from rightreasons.reports.renderers.terminal import render_blocks

    kinds = {"sets": _sets, "models": _models, "experiments": _experiments}
    for number, kind in enumerate([what] if what else kinds):
        if number:
            click.echo()
        print_page(lambda _, kind=kind: render_blocks(kinds[kind]()))  # type: ignore[misc]


def _sets() -> Iterator[Block]:
    """Describe every set; a plugin that is broken doesn't hide the others."""
    from rightreasons.core import registry

    known = json.loads(DEFAULTS.read_text(encoding="utf-8"))
    for name in registry.set_names():
        yield from _unless_broken(name, lambda name=name: [_described(name, known)])  # type: ignore[misc]


def _described(name: str, known: Mapping[str, Any]) -> Block:
    from rightreasons.core import options, registry
    from rightreasons.core.parts import SetPart, get_class_hook

    part = registry.set_class(name)
    corpus = inspect.signature(part).parameters.get("corpus")
    facts = {
        "paper": get_class_hook(part, "paper", SetPart),
        "default": _default(name, known),
        "corpus": _corpus(options.schema_of(part), corpus and corpus.default),
        "pairs": "as many as the corpus gives" if corpus and corpus.default else _room(name),
        "options": _options(part),
    }
    return name, _line(part), facts


def _unless_broken(name: str, describe: Callable[[], Iterable[Block]]) -> Iterable[Block]:
    """Describe a part, or say why it can't be used: a plugin may fail in any way, built-in parts never do."""
    from rightreasons.core import registry
    from rightreasons.core.errors import InputError
    from rightreasons.core.plugins import guarded

    if name in registry.SETS or name in registry.MODELS:
        try:
            return describe()
        except InputError as error:  # a plugin has the same name
            return [(name, str(error), {})]
    try:
        with guarded(f"The plugin {name!r} fails"):
            return list(describe())
    except InputError as error:
        return [(name, f"Broken: {error}", {})]


def _default(name: str, known: Mapping[str, Any]) -> str:
    """Say what is made unless told otherwise, with the balance of labels; the set itself where no file says it."""
    from rightreasons import generate

    labels = known[name]["labels"] if name in known else _counted(generate(name).pairs)
    rows = sum(labels.values())
    shares = ", ".join(f"{label} {count / rows:.0%}" for label, count in labels.items())
    return f"{rows:,} pairs: {shares}"


def _counted(pairs: pl.DataFrame) -> dict[str, int]:
    return dict(pairs["label"].value_counts().sort("label").rows())


def _corpus(schema: Mapping[str, Any], default: object) -> str:
    """Say whether the set is made from a corpus."""
    if "corpus" not in schema:
        return "none needed"
    return "the pocket corpus, or yours with --corpus" if default else "none needed, or yours with --corpus"


def _room(name: str) -> str:
    """Count the pairs that there are in each split; a set may lack one."""
    from rightreasons import plan
    from rightreasons.core import options, registry
    from rightreasons.core.errors import InputError
    from rightreasons.core.plugins import PluginError

    all_of_them: dict[str, Any] = {}
    if "short" in options.schema_of(registry.set_class(name)):
        all_of_them = {"size": MORE_THAN_THERE_IS, "short": "allow"}
    counts: dict[str, int] = {}
    for split in SPLITS:
        try:
            counts[split] = len(plan(name, split=split, **all_of_them))
        except PluginError:  # a plugin that fails doesn't lack a split, but is broken
            raise
        except InputError:
            continue
    each = " and ".join(f"{count:,} in --split {split}" for split, count in counts.items())
    return f"{sum(counts.values()):,} in all: {each}"


def _models() -> Iterator[Block]:
    """Describe every kind of model; one that can't be loaded, such as a broken plugin's, doesn't hide the others."""
    from rightreasons.core import registry

    for kind in registry.model_kinds():
        yield from _unless_broken(kind, lambda kind=kind: _forms(kind, registry.model_class(kind)))  # type: ignore[misc]
    yield from _networks()


def _forms(kind: str, part: Callable[..., object]) -> Iterator[Block]:
    """Describe a kind of model under each name that it is asked for by, such as rules:subsequence."""
    from rightreasons.core import options
    from rightreasons.core.parts import Model, get_class_hook

    facts = {"options": _options(part)}
    if extra := get_class_hook(part, "extra", Model):
        facts["install"] = f"pip install 'rightreasons[{extra}]'"
    needed = options.required(part)
    words = options.choices(options.schema_of(part)[needed[0]]) or (needed[0].upper(),) if needed else ()
    about = get_class_hook(part, "about", Model)
    for word in words:
        yield f"{kind}:{word}", about.get(word) or _line(part), facts
    if not words:
        yield kind, _line(part), facts


def _networks() -> Iterator[Block]:
    """Describe the networks that `train` makes."""
    from rightreasons.nets.network import NETS

    for name in NETS:
        yield from _unless_broken(f"train {name}", lambda name=name: _network(name))  # type: ignore[misc]


def _network(name: str) -> Iterator[Block]:
    from rightreasons.nets.network import summarize_network

    about, parameters = summarize_network(name)
    facts = {}
    if parameters:
        paper, small = parameters
        facts["parameters"] = f"{paper:,} without word vectors; {small:,} with -o preset=small"
    yield f"train {name}", about[0].upper() + about[1:], facts


def _experiments() -> Iterator[Block]:
    from rightreasons.experiments.declaration import EXPERIMENTS, find_experiment

    for name in EXPERIMENTS:
        found = find_experiment(name)
        about = found.about[0].upper() + found.about[1:]
        yield name, about, {"models": ", ".join(found.models), "paper": ", ".join(found.paper_models)}


def _options(part: Callable[..., object]) -> str:
    """List the options that -o takes, with their choices; what a name itself says is none."""
    from rightreasons.core import options

    # The corpus has an option of the command, and a line of its own in the list.
    schema = {
        key: "|".join(options.choices(kind))
        for key, kind in options.schema_of(part).items()
        if key != "corpus"
    }
    named = options.required(part)
    shown = [f"{key}={words}" if words else key for key, words in schema.items() if key not in named]
    return ", ".join(shown) or "-"


def _line(part: object) -> str:
    return (inspect.getdoc(part) or "-").splitlines()[0].rstrip(".")
