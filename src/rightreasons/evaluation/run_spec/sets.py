"""The sets of a run: registered names, patterns of them or all, template files, and files of pairs."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rightreasons.core import options as part_options
from rightreasons.core import registry
from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.pairs import PARSES, ChallengeSet
from rightreasons.core.slugs import slugs
from rightreasons.evaluation import steps as verbs
from rightreasons.evaluation.run_spec import naming
from rightreasons.evaluation.run_spec.choices import Options, kinds, own, plain
from rightreasons.evaluation.run_spec.corpora import CORPUS, RunCorpora, without
from rightreasons.sets.corpus_set import NoPairsError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rightreasons.evaluation.run_spec.models import ModelEntry

ALL = "all"
FULL = "full"


@dataclass(frozen=True)
class SetEntry:
    """A set of a run: a registered name, a template file, or a file of pairs."""

    name: str
    given: str
    slug: str
    options: dict[str, object]
    is_file: bool
    remarks: tuple[str, ...] = ()
    spare: str | None = (
        None  # what is remarked on if its corpora give no pair, and it is made from its own instead
    )

    def generate(self, *, size: int | None, limit: int | None, seed: int, split: str) -> ChallengeSet:
        """Make the set, or read it where it is a file of pairs."""
        if not self.is_file:
            made = self._made(size=size, limit=limit, seed=seed, split=split)
            return ChallengeSet(made.pairs, replace(made.card, remarks=(*made.card.remarks, *self.remarks)))
        if size is not None or limit is not None:
            raise InputError(f"{self.given!r} is a file of pairs, taken whole. Leave out size and limit.")
        return read_file(self.given)

    def _made(self, **sizes: Any) -> ChallengeSet:
        try:
            return verbs.generate(self.given, **{**sizes, **self.options})
        except NoPairsError:
            if self.spare is None:
                raise
        made = verbs.generate(self.given, **{**sizes, **without(self.options)})
        return ChallengeSet(made.pairs, replace(made.card, remarks=(*made.card.remarks, self.spare)))


def is_pairs_file(name: str) -> bool:
    """Tell a file of pairs from a registered set and from a template file."""
    return Path(name).is_file() and not name.endswith(".toml") and not registry.is_set_name(name)


def read_file(name: str) -> ChallengeSet:
    """Read a file of pairs."""
    from rightreasons.corpora import read_pairs

    return read_pairs(Path(name))


def size_of(size: int | str | None, limit: int | None) -> int | None:
    """Read the size of a run's sets: `full` is what each has by itself, as published or all that its corpus gives."""
    if size != FULL:
        if isinstance(size, str):
            raise InputError(f"The size can't be {size!r}. Give a number of pairs per subcase, or {FULL}.")
        return size
    if limit is not None:
        raise InputError(f"The size is {FULL}, and the limit {limit:,}. Leave one of them out.")
    return None


def expanded(names: Sequence[str]) -> tuple[str, ...]:
    """Put the sets that match in the place of a pattern such as stress/*, and every set in that of `all`."""
    found: list[str] = []
    for name in names:
        pattern = "*" if name == ALL else name
        is_pattern = "*" in pattern and not is_pairs_file(name)
        matching = fnmatch.filter(registry.working_sets(), pattern) if is_pattern else [name]
        if not matching:
            broken = left_out([name])
            raise InputError(broken[0]) if broken else UnknownNameError("set", name, registry.set_names())
        found += matching
    return tuple(found)


def left_out(names: Sequence[str]) -> list[str]:
    """Say which sets that match a pattern are left out, since they belong to broken plugins."""
    patterns = ["*" if name == ALL else name for name in names if name == ALL or "*" in name]
    if not patterns:
        return []
    broken = registry.broken_sets()
    matching = dict.fromkeys(one for pattern in patterns for one in fnmatch.filter(broken, pattern))
    return [f"The set {name!r} of a plugin was left out. {broken[name]}" for name in matching]


def set_entries(
    asked: Sequence[str],
    options: Mapping[str, object],
    models: Sequence[ModelEntry],
    *,
    at_most: bool = False,
) -> list[SetEntry]:
    """Settle the options of each set, given its name or a pattern for several.

    Parses are added where a model needs them and the set has them. With `at_most`, one of several sets may have fewer
    pairs than are asked for.
    """
    names = expanded(asked)
    if not names:
        raise InputError("No set was given. Name at least one.")
    shown = naming.names(names, [_set_name(name) for name in names])
    parts = [model.part for model in models]
    parses = any(column in PARSES for part in parts for column in (*part.needs, *part.wants))
    corpora = RunCorpora(options.get("corpus"))
    made = []
    for name, given, slug in zip(shown, names, slugs(shown), strict=True):
        if is_pairs_file(given):
            made.append(SetEntry(name, given, slug, {}, is_file=True))
            continue
        chosen = _set_options(given, name, options, parses=parses, short=at_most and len(names) > 1)
        settled = corpora.settled(given, chosen, by_pattern=given not in asked)
        made.append(SetEntry(name, given, slug, settled.options, False, settled.remarks, settled.spare))
    corpora.check_used()
    # Of corpora that are for one set alone, it is an error if they give no pair.
    using = [entry for entry in made if CORPUS in entry.options]
    return made if len(using) > 1 else [replace(entry, spare=None) for entry in made]


def _set_name(given: str) -> str:
    """Name a file of pairs by its stem, a template file's set as it calls itself, any other as it is given."""
    if is_pairs_file(given):
        return Path(given).stem
    return registry.make_set(given, {}).name if registry.is_template_file(given) else given


def _set_options(
    given: str, name: str, options: Mapping[str, object], *, parses: bool, short: bool
) -> Options:
    """Choose a set's options: those with its name before a dot, and plain ones that it takes."""
    schema = part_options.schema_of(registry.set_class(given))
    chosen = {**plain(options, schema), **own(options, *kinds(given), name)}
    if parses and "parses" in schema:
        chosen.setdefault("parses", "labelled")
    if short and "short" in schema:
        chosen.setdefault("short", "allow")
    return chosen
