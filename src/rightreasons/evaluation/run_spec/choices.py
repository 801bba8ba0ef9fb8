"""Which options go to which part: those with its name before a dot, plain ones that it takes, and flags."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from rightreasons.core import options as part_options
from rightreasons.core import registry
from rightreasons.core.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from rightreasons.evaluation.run_spec.models import ModelEntry
    from rightreasons.evaluation.run_spec.sets import SetEntry

Options = dict[str, object]
SIZES = ("size", "limit", "seed", "split")  # of a run: every set is given the same


def canonical(key: str) -> str:
    """Write the option in a key as its part does: batch-size is batch_size."""
    owner, dot, name = key.rpartition(".")
    return f"{owner}{dot}{name.replace('-', '_')}"


def plain(options: Mapping[str, object], taken: Collection[str]) -> Options:
    """Choose the options without an owner that a part takes."""
    named = {canonical(key): value for key, value in options.items() if "." not in key}
    return {key: value for key, value in named.items() if key in taken}


def own(options: Mapping[str, object], *owners: str) -> Options:
    """Choose the options of these owners, which stand before the last dot; the last owner has the last word."""
    split = [(canonical(key).rpartition("."), value) for key, value in options.items() if "." in key]
    return {key: value for owner in owners for (mine, _, key), value in split if mine == owner}


def kinds(name: str) -> tuple[str, ...]:
    """List what may stand before the dot for a model or a set: its kind and its name."""
    return (name.partition(":")[0], name)


def taken_by(model: str) -> frozenset[str]:
    """List the options that a model takes beside the one that is in its name."""
    schema = list(part_options.schema_of(registry.model_class(model)))
    return frozenset(schema[1:] if ":" in model else schema)


def flag_options(model: str, flags: Mapping[str, object]) -> Options:
    """Give a single model the flags of a command; one that it does not take is an error."""
    check_flags(flags, {model: taken_by(model)})
    return plain(flags, taken_by(model))


def check_flags(flags: Mapping[str, object], taken: Mapping[str, Collection[str]]) -> None:
    """Refuse a flag that no model takes; `taken` has the options of each model by its name."""
    for flag in flags:
        if not any(canonical(flag) in options for options in taken.values()):
            whose = " nor ".join(repr(model) for model in taken)
            neither = f"Neither {whose} takes" if len(taken) > 1 else f"The model {whose} does not take"
            raise InputError(f"{neither} --{flag.replace('_', '-')}. Leave it out.")


def check_options(
    options: Mapping[str, object], sets: Sequence[SetEntry], models: Sequence[ModelEntry]
) -> None:
    """Refuse options that no set and no model takes."""
    owners = {owner for entry in sets for owner in (entry.name, *kinds(entry.given))}
    owners |= {owner for entry in models for owner in kinds(entry.given)}
    _refuse_misplaced(options, sets, models)
    schemas = [part_options.schema_of(registry.set_class(entry.given)) for entry in sets if not entry.is_file]
    known = {name for schema in (*schemas, *(entry.takes for entry in models)) for name in schema}
    for key in options:
        owner, dot, _ = key.rpartition(".")
        if dot and owner not in owners:
            raise UnknownNameError("set or model of this run", owner, owners)
        if key == "corpus" and key not in known:
            raise InputError(
                "None of these sets is made from a corpus. Leave out --corpus, or name a set that is."
            )
        if not dot and canonical(key) not in known:
            raise UnknownNameError("option of these sets and models", key, known)


def _refuse_misplaced(
    options: Mapping[str, object], sets: Sequence[SetEntry], models: Sequence[ModelEntry]
) -> None:
    """Refuse options for one set or model that has none: sizes are for all sets, files and ready-made models fixed."""
    for entry in sets:
        for key in own(options, *kinds(entry.given), entry.name):
            if key in SIZES:
                raise InputError(
                    f"The option {entry.name}.{key} can't be given for one set. Use {key} (--{key} on the "
                    "command line), which is for all sets of a run."
                )
            if entry.is_file:
                raise InputError(
                    f"The option {entry.name}.{key} was given, but {entry.given} is a file of pairs, which has no "
                    "options. Leave it out."
                )
    for model in models:
        given = own(options, *kinds(model.given)) if model.ready_made else {}
        if given:
            raise InputError(
                f"The option {next(iter(given))!r} was given for a ready-made model, {model.name}. Set it on the "
                "model itself."
            )


def command_line(
    models: Sequence[ModelEntry], flags: Mapping[str, object], options: Mapping[str, object]
) -> str:
    """Say how the command line would make the same run."""
    words = list(dict.fromkeys(entry.given for entry in models if not entry.baseline))
    for name, value in flags.items():
        words += [] if value is None or value == () else [f"--{name.replace('_', '-')}", _shown(value)]
    for key, value in options.items():
        if key == "corpus":
            words += [word for one in _listed(value) for word in ("--corpus", one)]
        else:
            words += ["-o", f"{key}={_shown(value)}"]
    return shlex.join(["rightreasons", "evaluate", *words])


def _listed(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, tuple | list) else str(value).split(",")


def _shown(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
