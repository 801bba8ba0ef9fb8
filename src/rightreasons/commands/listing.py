"""`rightreasons list`: sets, models, trainers, audits, exports and experiments, with their options."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rightreasons.commands.output import print_rendered
from rightreasons.core.resources import DATA_FOLDER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import polars as pl

    Block = tuple[str, str, dict[str, str]]  # a name, a line on what it is, and facts
KINDS = ("sets", "models", "trainers", "audits", "exports", "experiments")
SPLITS = ("eval", "train")
# The version, labels and digest of each set at its default size; written by scripts/golden.py, checked by tests.
DEFAULTS = DATA_FOLDER / "sets" / "defaults.json"
UNLIMITED_SIZE = 10**15


@click.command("list")
@click.argument("what", type=click.Choice(KINDS), required=False)
def listing(what: str | None) -> None:
    """List all parts, or the parts of one type, with descriptions and the options that -o accepts.

    Example: rightreasons list sets
    """
    from rightreasons.reports.renderers.terminal import render_name_descriptions

    describers = (
        _describe_sets,
        _describe_models,
        _describe_trainers,
        _describe_audits,
        _describe_exports,
        _describe_experiments,
    )
    describe = dict(zip(KINDS, describers, strict=True))
    for number, kind in enumerate([what] if what else KINDS):
        if number:
            click.echo()
        print_rendered(lambda _, kind=kind: render_name_descriptions(describe[kind]()))  # type: ignore[misc]


def _describe_sets() -> Iterator[Block]:
    """Describe every set; a broken plugin doesn't hide the others."""
    from rightreasons.core import registry

    known = json.loads(DEFAULTS.read_text(encoding="utf-8"))
    for name in registry.list_set_names():
        yield from _describe_unless_broken(name, lambda name=name: [_describe_set(name, known)])  # type: ignore[misc]


def _describe_set(name: str, known: Mapping[str, Any]) -> Block:
    from rightreasons.core import options, registry
    from rightreasons.core.parts import SetPart, get_class_hook

    part = registry.get_set_class(name)
    corpus = inspect.signature(part).parameters.get("corpus")
    facts = {
        "paper": get_class_hook(part, "paper", SetPart),
        "default": _describe_default_size(name, known),
        "corpus": _describe_corpus_option(options.get_schema(part), corpus and corpus.default),
        "pairs": "depends on the corpus" if corpus and corpus.default else _describe_split_sizes(name),
        "options": _format_options(part),
    }
    return name, _get_docstring_summary(part), facts


def _describe_unless_broken(name: str, describe: Callable[[], Iterable[Block]]) -> Iterable[Block]:
    """Describe a part, or explain why it can't be used: a plugin may fail, a built-in part may lack a package."""
    from rightreasons.core import registry
    from rightreasons.core.errors import InputError
    from rightreasons.core.plugins import convert_plugin_errors

    tables = (
        registry.SETS,
        registry.MODELS,
        registry.NETWORKS,
        registry.TRAINERS,
        registry.AUDITS,
        registry.EXPORTS,
    )
    if any(name in table for table in tables):
        try:
            return list(describe())
        except InputError as error:  # a package is missing, or a plugin has the same name
            return [(name, str(error), {})]
    try:
        with convert_plugin_errors(f"The plugin {name!r} fails"):
            return list(describe())
    except InputError as error:
        return [(name, f"Broken: {error}", {})]


def _describe_default_size(name: str, known: Mapping[str, Any]) -> str:
    """Describe the set at its default size, with the distribution of labels."""
    from rightreasons import generate

    labels = known[name]["labels"] if name in known else _count_labels(generate(name).pairs)
    rows = sum(labels.values())
    shares = ", ".join(f"{label} {count / rows:.0%}" for label, count in labels.items())
    return f"{rows:,} pairs: {shares}"


def _count_labels(pairs: pl.DataFrame) -> dict[str, int]:
    return dict(pairs["label"].value_counts().sort("label").rows())


def _describe_corpus_option(schema: Mapping[str, Any], default: object) -> str:
    """Describe which corpus the set is generated from."""
    if "corpus" not in schema:
        return "not used"
    return "pocket by default; use --corpus for another" if default else "optional, with --corpus"


def _describe_split_sizes(name: str) -> str:
    """Count all pairs of each split; a set may lack one."""
    from rightreasons import plan
    from rightreasons.core import options, registry
    from rightreasons.core.errors import InputError
    from rightreasons.core.plugins import PluginError

    unlimited: dict[str, Any] = {}
    if "short" in options.get_schema(registry.get_set_class(name)):
        unlimited = {"size": UNLIMITED_SIZE, "short": "allow"}
    counts: dict[str, int] = {}
    for split in SPLITS:
        try:
            counts[split] = len(plan(name, split=split, **unlimited))
        except PluginError:  # not a missing split, but a broken plugin
            raise
        except InputError:
            continue
    by_split = " and ".join(f"{count:,} in --split {split}" for split, count in counts.items())
    return f"{sum(counts.values()):,} in total: {by_split}"


def _describe_models() -> Iterator[Block]:
    """Describe every type of model; a broken plugin doesn't hide the others."""
    from rightreasons.core import registry

    load = registry.get_model_class
    for kind in registry.list_model_kinds():
        yield from _describe_unless_broken(kind, lambda kind=kind: _describe_model(kind, load(kind)))  # type: ignore[misc]


def _describe_model(kind: str, part: Callable[..., object]) -> Iterator[Block]:
    """Describe a type of model under each of its names, such as rules:subsequence."""
    from rightreasons.core import options
    from rightreasons.core.parts import Model, get_class_hook

    facts = {"options": _format_options(part)}
    if extra := get_class_hook(part, "extra", Model):
        facts["install"] = f"pip install 'rightreasons[{extra}]'"
    needed = options.list_required_options(part)
    words = (
        options.list_allowed_words(options.get_schema(part)[needed[0]]) or (needed[0].upper(),)
        if needed
        else ()
    )
    about = get_class_hook(part, "about", Model)
    for word in words:
        yield f"{kind}:{word}", about.get(word) or _get_docstring_summary(part), facts
    if not words:
        yield kind, _get_docstring_summary(part), facts


def _describe_trainers() -> Iterator[Block]:
    """Describe what `train` trains: the networks, then the other trainers."""
    from rightreasons.core import registry

    for name in registry.NETWORKS.list_names():
        yield from _describe_unless_broken(name, partial(_describe_network, name))
    for name, target in registry.TRAINERS.find_targets().items():
        yield from _describe_unless_broken(name, partial(_describe_trainer, name, target))


def _describe_trainer(name: str, target: str) -> list[Block]:
    """Describe a trainer by the docstring in its source: importing it would import torch, which takes seconds."""
    module, _, attribute = target.partition(":")
    spec = importlib.util.find_spec(module)
    tree = ast.parse(Path(str(spec and spec.origin)).read_text(encoding="utf-8"))
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == attribute]
    about = ast.get_docstring(classes[0]) if classes else None
    return [(name, (about or "-").splitlines()[0].rstrip("."), {})]


def _describe_network(name: str) -> Iterator[Block]:
    from rightreasons.nets.declaration import summarize_network

    about, parameters = summarize_network(name)
    facts = {}
    if parameters:
        paper, small = parameters
        facts["parameters"] = f"{paper:,} without word vectors; {small:,} with -o preset=small"
    yield name, about[0].upper() + about[1:], facts


def _describe_audits() -> Iterator[Block]:
    """Describe every audit; a broken plugin doesn't hide the others."""
    from rightreasons.core import registry

    for name in registry.AUDITS.list_names():
        yield from _describe_unless_broken(name, partial(_describe_audit, name))


def _describe_audit(name: str) -> Iterator[Block]:
    from rightreasons.core import registry
    from rightreasons.core.parts import Audit, get_class_hook

    part = registry.get_audit_class(name)
    columns = ["gold labels"] if get_class_hook(part, "needs_labels", Audit) else []
    needed = [*columns, *get_class_hook(part, "needs", Audit)]
    yield (
        name,
        _get_docstring_summary(part),
        {"needs": ", ".join(needed) or "-", "options": _format_options(part)},
    )


def _describe_exports() -> Iterator[Block]:
    from rightreasons.core import registry

    for name in registry.EXPORTS.list_names():
        yield from _describe_unless_broken(name, partial(_describe_export, name, registry.get_export_class))


def _describe_export(name: str, find: Callable[[str], Callable[..., object]]) -> list[Block]:
    part = find(name)
    return [(name, _get_docstring_summary(part), {"options": _format_options(part)})]


def _describe_experiments() -> Iterator[Block]:
    from rightreasons.experiments.declaration import EXPERIMENTS, find_experiment

    for name in EXPERIMENTS:
        experiment = find_experiment(name)
        about = experiment.about[0].upper() + experiment.about[1:]
        facts = {"models": ", ".join(experiment.models), "paper": ", ".join(experiment.paper_models)}
        yield name, about, facts


def _format_options(part: Callable[..., object]) -> str:
    """List the options that -o accepts, with their choices, except the argument after the colon."""
    from rightreasons.core import options

    # The corpus has an option of the command, and a line of its own in the list.
    schema = {
        key: "|".join(options.list_allowed_words(kind))
        for key, kind in options.get_schema(part).items()
        if key != "corpus"
    }
    named = options.list_required_options(part)
    shown = [f"{key}={words}" if words else key for key, words in schema.items() if key not in named]
    return ", ".join(shown) or "-"


def _get_docstring_summary(part: object) -> str:
    return (inspect.getdoc(part) or "-").splitlines()[0].rstrip(".")
