"""The sets of a run: registered names, patterns of them or all, template files, and files of pairs."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rightreasons import options as part_options
from rightreasons import registry, verbs
from rightreasons.errors import InputError, UnknownNameError
from rightreasons.pairs import PARSES, ChallengeSet
from rightreasons.recipes import naming
from rightreasons.recipes.choices import Options, kinds, own, plain
from rightreasons.recipes.corpora import Corpora
from rightreasons.runs import slugs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rightreasons.recipes.models import Entry

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

    def generate(self, *, size: int | None, limit: int | None, seed: int, split: str) -> ChallengeSet:
        """Make the set, or read it where it is a file of pairs."""
        if not self.is_file:
            made = verbs.generate(self.given, size=size, limit=limit, seed=seed, split=split, **self.options)
            return ChallengeSet(made.pairs, replace(made.card, remarks=(*made.card.remarks, *self.remarks)))
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
        matching = fnmatch.filter(registry.set_names(), pattern) if "*" in pattern else [name]
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
    shown = naming.names(names, [_set_name(name) for name in names])
    parses = any(column in PARSES for model in models for column in verbs.needs_of(model.part))
    corpora = Corpora(options.get("corpus"))
    made = []
    for name, given, slug in zip(shown, names, slugs(shown), strict=True):
        if is_pairs_file(given):
            made.append(SetEntry(name, given, slug, {}, is_file=True))
            continue
        chosen, said = corpora.settled(given, _set_options(given, name, options, parses=parses))
        made.append(SetEntry(name, given, slug, chosen, is_file=False, remarks=said))
    corpora.check_used()
    return made


def _set_name(given: str) -> str:
    """Name a file of pairs by its stem, a template file's set as it calls itself, any other as it is given."""
    if is_pairs_file(given):
        return Path(given).stem
    return registry.make_set(given, {}).name if registry.is_template_file(given) else given


def _set_options(given: str, name: str, options: Mapping[str, object], *, parses: bool) -> Options:
    """Choose a set's options: those with its name before a dot, and plain ones that it takes."""
    schema = part_options.schema_of(registry.set_class(given))
    chosen = {**plain(options, schema), **own(options, *kinds(given), name)}
    if parses and "parses" in schema:
        chosen.setdefault("parses", "labelled")
    return chosen
