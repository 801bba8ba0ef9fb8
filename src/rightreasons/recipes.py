"""What a run is asked to do: its sets and models, each with a name, its options and a file name."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rightreasons import options as part_options
from rightreasons import registry, verbs
from rightreasons.errors import InputError, UnknownNameError
from rightreasons.pairs import PARSES
from rightreasons.runs import slugs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rightreasons.pairs import ChallengeSet
    from rightreasons.registry import Model

BASELINES = ("majority", "random", "rules:lexical-overlap", "rules:subsequence", "rules:constituent")


@dataclass(frozen=True)
class Entry:
    """A model of a run."""

    name: str
    given: str
    slug: str
    options: dict[str, object]
    part: Model
    baseline: bool

    def card(self) -> dict[str, object]:
        """Say what a run's card holds of a model; a file it answers from has its sha256 there, once read."""
        facts = ("name", "given", "slug", "options", "baseline")
        return {fact: getattr(self, fact) for fact in facts} | {"sources": getattr(self.part, "sources", {})}


@dataclass(frozen=True)
class SetEntry:
    """A set of a run: a registered name, a template file, or a file of pairs."""

    name: str
    given: str
    slug: str
    options: dict[str, object]
    is_file: bool

    def generate(self, *, size: int | None, limit: int | None, seed: int, split: str) -> ChallengeSet:
        """Make the set, or read it where it is a file of pairs."""
        if not self.is_file:
            return verbs.generate(self.given, size=size, limit=limit, seed=seed, split=split, **self.options)
        if size is not None or limit is not None:
            raise InputError(f"{self.given!r} is a file of pairs, taken whole. Leave out size and limit.")
        return read_file(self.given)


def is_pairs_file(name: str) -> bool:
    """Tell a file of pairs from a registered set and from a template file."""
    return Path(name).is_file() and not name.endswith(".toml") and not registry.is_set_name(name)


def read_file(name: str) -> ChallengeSet:
    """Read a file of pairs."""
    from rightreasons.corpora import read_pairs

    return read_pairs(Path(name))


def model_entries(
    models: Sequence[str | Model], options: Mapping[str, object], *, baselines: bool
) -> list[Entry]:
    """Make the models that were asked for, then the baselines that were not."""
    if not models:
        raise InputError("No model was given. Name at least one.")
    asked: list[tuple[str | Model, bool]] = [(model, False) for model in models]
    asked += [(name, True) for name in BASELINES if baselines and name not in models]
    mine = [_own(model, options) if isinstance(model, str) else {} for model, _ in asked]
    parts = [
        registry.make_model(model, own) if isinstance(model, str) else model
        for (model, _), own in zip(asked, mine, strict=True)
    ]
    given = [model if isinstance(model, str) else verbs.name_of(model) for model, _ in asked]
    names = _names(given, [_short(verbs.name_of(part)) for part in parts])
    rows = zip(names, given, slugs(names), mine, parts, (extra for _, extra in asked), strict=True)
    return [Entry(*row) for row in rows]


def expanded(names: Sequence[str]) -> tuple[str, ...]:
    """Put the sets that match in the place of a pattern such as stress/*."""
    found: list[str] = []
    for name in names:
        matching = fnmatch.filter(registry.set_names(), name) if "*" in name else [name]
        if not matching:
            raise UnknownNameError("set", name, registry.set_names())
        found += matching
    return tuple(found)


def set_entries(
    names: Sequence[str], options: Mapping[str, object], models: Sequence[Entry]
) -> list[SetEntry]:
    """Settle the options of each set; parses are added where a model needs them and the set has them."""
    if not names:
        raise InputError("No set was given. Name at least one.")
    shown = _names(names, [_set_name(name) for name in names])
    parses = any(column in PARSES for model in models for column in verbs.needs_of(model.part))
    made = []
    for name, given, slug in zip(shown, names, slugs(shown), strict=True):
        is_file = is_pairs_file(given)
        own = {} if is_file else _set_options(given, name, options, parses=parses)
        made.append(SetEntry(name, given, slug, own, is_file))
    return made


def _set_name(given: str) -> str:
    """Name a file of pairs by its stem, a template file's set as it calls itself, any other as it is given."""
    if is_pairs_file(given):
        return Path(given).stem
    return registry.make_set(given, {}).name if registry.is_template_file(given) else given


def check_options(options: Mapping[str, object], sets: Sequence[SetEntry], models: Sequence[Entry]) -> None:
    """Refuse options that no set and no model takes."""
    owners = {owner for entry in sets for owner in (entry.name, entry.given)}
    owners |= {owner for entry in models for owner in (entry.given, entry.given.partition(":")[0])}
    schemas = [part_options.schema_of(registry.set_class(entry.given)) for entry in sets if not entry.is_file]
    known = {name for schema in schemas for name in schema}
    for key in options:
        owner, dot, name = key.rpartition(".")
        if dot and owner not in owners:
            raise UnknownNameError("set or model of this run", owner, owners)
        if not dot and name.replace("-", "_") not in known:
            raise UnknownNameError("option of these sets", key, known)


def _set_options(given: str, name: str, options: Mapping[str, object], *, parses: bool) -> dict[str, object]:
    """Choose a set's options: those with its name before a dot, and plain ones that it takes."""
    schema = part_options.schema_of(registry.set_class(given))
    plain = {
        key: value for key, value in options.items() if "." not in key and key.replace("-", "_") in schema
    }
    own: dict[str, Any] = {**plain, **_own(given, options), **_own(name, options)}
    if parses and "parses" in schema:
        own.setdefault("parses", "labelled")
    return own


def _own(name: str, options: Mapping[str, object]) -> dict[str, object]:
    """Choose the options whose part before the last dot is this name, or its kind."""
    split = ((key.rpartition("."), value) for key, value in options.items() if "." in key)
    return {key: value for (owner, _, key), value in split if owner in (name, name.partition(":")[0])}


def _short(name: str) -> str:
    """Leave the folders out of a name such as file:PATH."""
    kind, colon, argument = name.partition(":")
    return f"{kind}{colon}{Path(argument).name}" if "/" in argument else name


def _names(given: Sequence[str], short: Sequence[str]) -> list[str]:
    """Name parts shortly where that tells them apart, else as they were given."""
    names = [brief if short.count(brief) == 1 else full for brief, full in zip(short, given, strict=True)]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError(f"{twice[0]!r} is given twice. Name each set and model of a run once.")
    return names
