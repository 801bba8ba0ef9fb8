"""The sets of a run: names, patterns of names, template files and files of pairs; and which corpora each set reads."""

from __future__ import annotations

import fnmatch
import inspect
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rightreasons.core import options as part_options
from rightreasons.core import registry
from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.formatting import make_slugs
from rightreasons.core.options import normalize_option_key
from rightreasons.core.pairs import PARSE_COLUMNS, ChallengeSet
from rightreasons.core.parts import SetPart, get_class_hook
from rightreasons.evaluation.specification import (
    Options,
    choose_short_names,
    list_option_owners,
    select_owned_options,
    select_plain_options,
    split_names,
)
from rightreasons.evaluation.steps import describe_skipped_set, generate_set
from rightreasons.sets.corpus_set import NoPairsError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rightreasons.corpora.texts import CorpusKind
    from rightreasons.evaluation.models import ModelEntry
    from rightreasons.evaluation.specification import Specification

ALL = "all"
CORPUS = "corpus"
SIZES = ("size", "limit", "seed", "split")  # the same for every set of a run
_WORDS: dict[CorpusKind, str] = {
    "texts": "texts such as word problems",
    "pairs": "pairs",
    "parses": "parses",
}


@dataclass(frozen=True)
class SetEntry:
    """A set of a run: a registered name, a template file, or a file of pairs."""

    name: str
    given: str
    slug: str
    options: dict[str, object]
    is_file: bool
    remarks: tuple[str, ...] = ()
    fallback: str | None = None  # the remark if its corpora give no pair and its own corpus is used instead

    def generate(self, *, size: int | None, limit: int | None, seed: int, split: str) -> ChallengeSet:
        """Generate the set, or read it if it is a file of pairs."""
        if not self.is_file:
            challenge_set = self._generate_or_fall_back(size=size, limit=limit, seed=seed, split=split)
            return ChallengeSet(
                challenge_set.pairs,
                replace(challenge_set.card, remarks=(*challenge_set.card.remarks, *self.remarks)),
            )
        if size is not None or limit is not None:
            raise InputError(
                f"{self.given!r} is a file of pairs, and --size and --limit work for named sets only. "
                "Remove these options, or sample the file first."
            )
        return read_pairs_file(self.given)

    def _generate_or_fall_back(self, **sizes: Any) -> ChallengeSet:
        try:
            return generate_set(self.given, **{**sizes, **self.options})
        except NoPairsError:
            if self.fallback is None:
                raise
        challenge_set = generate_set(self.given, **{**sizes, **_remove_corpus_option(self.options)})
        return ChallengeSet(
            challenge_set.pairs,
            replace(challenge_set.card, remarks=(*challenge_set.card.remarks, self.fallback)),
        )


def is_pairs_file(name: str) -> bool:
    """Distinguish a file of pairs from a registered set and from a template file."""
    return Path(name).is_file() and not name.endswith(".toml") and not registry.is_set_name(name)


def read_pairs_file(name: str) -> ChallengeSet:
    """Read a file of pairs."""
    from rightreasons.corpora import read_pairs

    return read_pairs(Path(name))


def expand_set_patterns(names: Sequence[str]) -> tuple[str, ...]:
    """Replace a pattern such as stress/* by the sets that match, and `all` by every set."""
    expanded: list[str] = []
    for name in names:
        pattern = "*" if name == ALL else name
        is_pattern = "*" in pattern and not is_pairs_file(name)
        matching = fnmatch.filter(registry.list_working_sets(), pattern) if is_pattern else [name]
        if not matching:
            broken = describe_broken_sets([name])
            raise (
                InputError(broken[0]) if broken else UnknownNameError("set", name, registry.list_set_names())
            )
        expanded += matching
    return tuple(expanded)


def describe_broken_sets(names: Sequence[str]) -> list[str]:
    """Describe the sets that match a pattern but are skipped because their plugins are broken."""
    patterns = ["*" if name == ALL else name for name in names if name == ALL or "*" in name]
    if not patterns:
        return []
    broken = registry.find_broken_sets()
    matching = dict.fromkeys(name for pattern in patterns for name in fnmatch.filter(broken, pattern))
    return [describe_skipped_set(name, broken[name]) for name in matching]


def make_set_entries(spec: Specification, models: Sequence[ModelEntry]) -> list[SetEntry]:
    """Resolve the options of each set of a run.

    Parses are added if a model needs them and the set has them. With a limit and no size, one of several sets may have
    fewer pairs than requested.
    """
    names = expand_set_patterns(spec.sets)
    if not names:
        raise InputError("No set was given. Pass at least one with --sets.")
    shown = choose_short_names(names, [_name_set(name) for name in names])
    parts = [model.part for model in models]
    parses = any(column in PARSE_COLUMNS for part in parts for column in (*part.needs, *part.wants))
    corpora = _RunCorpora(spec.options.get(CORPUS))
    entries = []
    for name, given, slug in zip(shown, names, make_slugs(shown), strict=True):
        if is_pairs_file(given):
            entries.append(SetEntry(name, given, slug, {}, is_file=True))
            continue
        chosen = _choose_set_options(
            given, name, spec.options, parses=parses, short=spec.is_capped and len(names) > 1
        )
        settled = corpora.assign_corpora(given, chosen, by_pattern=given not in spec.sets)
        entries.append(SetEntry(name, given, slug, settled.options, False, settled.remarks, settled.fallback))
    corpora.refuse_unused_corpora()
    # Corpora for one set alone must give pairs.
    using = [entry for entry in entries if CORPUS in entry.options]
    return entries if len(using) > 1 else [replace(entry, fallback=None) for entry in entries]


def refuse_unknown_options(
    options: Mapping[str, object], sets: Sequence[SetEntry], models: Sequence[ModelEntry]
) -> None:
    """Refuse options that no set and no model accepts."""
    owners = {owner for entry in sets for owner in (entry.name, *list_option_owners(entry.given))}
    owners |= {
        owner for entry in models if not entry.is_majority for owner in list_option_owners(entry.given)
    }
    _refuse_misplaced_options(options, sets, models)
    schemas = [
        part_options.get_schema(registry.get_set_class(entry.given)) for entry in sets if not entry.is_file
    ]
    known = {name for schema in (*schemas, *(entry.accepts for entry in models)) for name in schema}
    for key in options:
        owner, dot, _ = key.rpartition(".")
        if dot and owner not in owners:
            raise UnknownNameError("set or model of this run", owner, owners)
        if key == CORPUS and key not in known:
            raise InputError(
                "None of the sets uses a corpus. Remove --corpus, or add a set that uses a corpus."
            )
        if not dot and normalize_option_key(key) not in known:
            raise UnknownNameError("option of these sets and models", key, known)


def _refuse_misplaced_options(
    options: Mapping[str, object], sets: Sequence[SetEntry], models: Sequence[ModelEntry]
) -> None:
    """Refuse a size for one set, and any option for a file or a ready-made model."""
    for entry in sets:
        for key in select_owned_options(options, *list_option_owners(entry.given), entry.name):
            if key in SIZES:
                raise InputError(
                    f"The option {entry.name}.{key} can't be given for one set. Use {key} (--{key} on the "
                    "command line), which applies to all sets of a run."
                )
            if entry.is_file:
                raise InputError(
                    f"The option {entry.name}.{key} was given, but {entry.given} is a file of pairs and has no "
                    "options. Remove the option."
                )
    for model in models:
        given = select_owned_options(options, *list_option_owners(model.given)) if model.ready_made else {}
        if given:
            raise InputError(
                f"The option {next(iter(given))!r} was given for the model {model.name}, which was passed as an "
                "object. Set it on the object itself."
            )


def _name_set(given: str) -> str:
    """Name a file of pairs by its stem, a template file by the name of its set, and others as given."""
    if is_pairs_file(given):
        return Path(given).stem
    return registry.make_set(given, {}).name if registry.is_template_file(given) else given


def _choose_set_options(
    given: str, name: str, options: Mapping[str, object], *, parses: bool, short: bool
) -> Options:
    """Choose the options of a set: those with its name before a dot, and plain ones that it accepts."""
    schema = part_options.get_schema(registry.get_set_class(given))
    chosen = {
        **select_plain_options(options, schema),
        **select_owned_options(options, *list_option_owners(given), name),
    }
    if parses and "parses" in schema:
        chosen.setdefault("parses", "labelled")
    if short and "short" in schema:
        chosen.setdefault("short", "allow")
    return chosen


class _ResolvedSet(NamedTuple):
    """The options of a set with its corpora, remarks on the corpora, and the remark for corpora that give no pair."""

    options: Options
    remarks: tuple[str, ...] = ()
    fallback: str | None = None


class _RunCorpora:
    """The corpora of a run; named ones (mnli=FILE) go only to sets that can read them."""

    def __init__(self, given: object) -> None:
        """Read the value of the option corpus, if there is one."""
        from rightreasons.corpora.corpus_source import split_name_and_source

        self.given = given
        self.all = split_names(given if isinstance(given, str | tuple | list) else ())
        self.named = {corpus: name for corpus in self.all if (name := split_name_and_source(corpus)[0])}
        self.used: set[str] = set()
        self._kinds: dict[str, CorpusKind] = {}

    def assign_corpora(self, set_name: str, options: Options, *, by_pattern: bool) -> _ResolvedSet:
        """Give a set the corpora that it can read; if there are none, it uses its own, with a remark.

        A corpus without a name goes to every set; it may give no pair only if a pattern selected the set.
        """
        if not self.all or options.get(CORPUS) is not self.given:
            return _ResolvedSet(options)
        part = registry.get_set_class(set_name)
        wanted: CorpusKind = get_class_hook(part, "reads", SetPart)
        instead = _describe_fallback_corpus(part)
        fitting = tuple(
            corpus
            for corpus in self.all
            if corpus not in self.named or self._is_corpus_of_kind(corpus, wanted)
        )
        self.used.update(fitting)
        if not fitting:
            subject = _format_corpora_subject(list(self.named.values()), "has", "have")
            return _ResolvedSet(
                _remove_corpus_option(options), (f"{subject} no {_WORDS[wanted]}: {instead}",)
            )
        names = [self.named.get(corpus, corpus) for corpus in fitting]
        subject = _format_corpora_subject(names, "gives", "give")
        fallback = f"{subject} no pair: {instead}" if self.named or by_pattern else None
        return _ResolvedSet({**options, CORPUS: fitting} if self.named else options, fallback=fallback)

    def refuse_unused_corpora(self) -> None:
        """Refuse a named corpus that no set of the run reads."""
        for corpus in self.named:
            if corpus not in self.used:
                raise InputError(f"No set of this run uses the corpus {corpus}. Remove this --corpus.")

    def _is_corpus_of_kind(self, corpus: str, wanted: CorpusKind) -> bool:
        from rightreasons.corpora.texts import detect_corpus_kind

        if corpus not in self._kinds:
            self._kinds[corpus] = detect_corpus_kind(corpus)
        kind = self._kinds[corpus]
        return kind == wanted or (wanted == "pairs" and kind == "parses")


def _remove_corpus_option(options: Options) -> Options:
    return {key: value for key, value in options.items() if key != CORPUS}


def _describe_fallback_corpus(part: Callable[..., object]) -> str:
    """Describe what a set is generated from if no corpus is given."""
    own = inspect.signature(part).parameters[CORPUS].default
    return f"the set was generated {f'from the {own[0]} corpus instead' if own else 'without a corpus'}."


def _format_corpora_subject(names: Sequence[str], one: str, more: str) -> str:
    return f"The corpus {names[0]} {one}" if len(names) == 1 else f"The corpora {', '.join(names)} {more}"
