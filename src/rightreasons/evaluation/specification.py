"""The specification of a run: names, sizes and options, and which option goes to which set or model.

Nothing here builds a model, generates a set or reads a file.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rightreasons.core import labels, registry
from rightreasons.core import options as part_options
from rightreasons.core.errors import InputError
from rightreasons.core.options import normalize_option_key
from rightreasons.core.parts import complete_model, is_model

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from rightreasons.core.parts import Model, Predictor

Options = dict[str, object]
FULL = "full"


@dataclass(frozen=True)
class Specification:
    """The models, sets, sizes and options of a run, as they were given."""

    models: tuple[str | Model, ...]
    sets: tuple[str, ...] = ("hans",)
    size: int | None = None  # pairs per subcase; None is the default of each set
    limit: int | None = None  # pairs in total
    seed: int = 0
    split: str = "eval"
    rule: str = labels.AUTO
    by: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    baselines: bool = True
    flags: Mapping[str, object] = field(default_factory=dict)  # options for models, given as flags
    options: Mapping[str, object] = field(default_factory=dict)

    @property
    def generation_options(self) -> dict[str, int | str | None]:
        """Return what every set is generated with."""
        return {"size": self.size, "limit": self.limit, "seed": self.seed, "split": self.split}

    @property
    def is_capped(self) -> bool:
        """Return whether one of several sets may have fewer pairs than requested."""
        return self.limit is not None and self.size is None


def parse_set_size(size: int | str | None, limit: int | None) -> int | None:
    """Read the size of a run's sets: `full` is the default of each set, as published or all that its corpus gives."""
    if size != FULL:
        if isinstance(size, str):
            raise InputError(
                f"{size!r} is not a size. Use a number of pairs per subcase, or {FULL} for the default of each set."
            )
        return size
    if limit is not None:
        raise InputError(f"Both --size {FULL} and --limit {limit:,} are given. Remove one.")
    return None


def split_names(names: str | Sequence[str]) -> tuple[str, ...]:
    """Read names, such as tags, from a sequence or from one text with commas."""
    if isinstance(names, str):
        return tuple(name.strip() for name in names.split(",") if name.strip())
    return tuple(names)


def list_given_models(models: str | Predictor | Sequence[str | Predictor]) -> tuple[str | Model, ...]:
    """Read one or several models, given by name or as objects."""
    alone = isinstance(models, str) or is_model(models)
    several = [models] if alone else cast("Sequence[str | Predictor]", models)
    return tuple(model if isinstance(model, str) else complete_model(model) for model in several)


def shorten_name(name: str) -> str:
    """Drop the folders from a name such as file:PATH, and the URL from openai:MODEL@URL."""
    kind, colon, argument = name.partition(":")
    if argument.startswith("//"):  # a model given as a URL, such as http://host:port/path
        return name
    argument = argument.partition("@http")[0]
    return f"{kind}{colon}{Path(argument).name}" if "/" in argument else f"{kind}{colon}{argument}"


def choose_short_names(given: Sequence[str], short: Sequence[str]) -> list[str]:
    """Choose the short name of each part if it is unique, else the name as given."""
    chosen = [brief if short.count(brief) == 1 else full for brief, full in zip(short, given, strict=True)]
    repeated = [name for name in chosen if chosen.count(name) > 1]
    if repeated:
        raise InputError(f"{repeated[0]!r} is given twice. Pass each set and model once.")
    return chosen


def select_plain_options(options: Mapping[str, object], accepted: Collection[str]) -> Options:
    """Select the options without an owner that a part accepts."""
    named = {normalize_option_key(key): value for key, value in options.items() if "." not in key}
    return {key: value for key, value in named.items() if key in accepted}


def select_owned_options(options: Mapping[str, object], *owners: str) -> Options:
    """Select the options of these owners, which precede the last dot; the last owner takes precedence."""
    split = [
        (normalize_option_key(key).rpartition("."), value) for key, value in options.items() if "." in key
    ]
    return {key: value for owner in owners for (name, _, key), value in split if name == owner}


def list_option_owners(name: str) -> tuple[str, ...]:
    """List what may precede the dot for a model or a set: its kind and its name."""
    return (name.partition(":")[0], name)


def list_accepted_options(model: str) -> frozenset[str]:
    """List the options that a model accepts besides the one in its name."""
    schema = list(part_options.get_schema(registry.get_model_class(model)))
    return frozenset(schema[1:] if ":" in model else schema)


def convert_flags_to_options(model: str, flags: Mapping[str, object]) -> Options:
    """Turn the flags of a command into options of a single model; refuse a flag that it does not accept."""
    check_flags(flags, {model: list_accepted_options(model)})
    return select_plain_options(flags, list_accepted_options(model))


def check_flags(flags: Mapping[str, object], accepted: Mapping[str, Collection[str]]) -> None:
    """Refuse a flag that no model accepts; `accepted` maps each model to its options."""
    for flag in flags:
        if not any(normalize_option_key(flag) in options for options in accepted.values()):
            names = ", ".join(repr(model) for model in accepted)
            whose = f"None of the models {names} accepts" if len(accepted) > 1 else f"{names} does not accept"
            raise InputError(f"{whose} --{flag.replace('_', '-')}. Remove the option.")


def render_evaluate_command(
    models: Sequence[str], flags: Mapping[str, object], options: Mapping[str, object]
) -> str:
    """Render the command that repeats the run."""
    words = list(dict.fromkeys(models))
    for name, value in flags.items():
        words += (
            [] if value is None or value == () else [f"--{name.replace('_', '-')}", _join_with_commas(value)]
        )
    for key, value in options.items():
        if key == "corpus":
            words += [word for corpus in _split_at_commas(value) for word in ("--corpus", corpus)]
        else:
            words += ["-o", f"{key}={_join_with_commas(value)}"]
    return shlex.join(["rightreasons", "evaluate", *words])


def _split_at_commas(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, tuple | list) else str(value).split(",")


def _join_with_commas(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
