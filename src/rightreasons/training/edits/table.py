"""The edits by name, and how one is read from a text such as `augment:size=30000,seed=1`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rightreasons.core import options
from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.lazy_table import LazyTable
from rightreasons.training.edits.edit import Edited

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import polars as pl


class Edit(NamedTuple):
    """Where an edit is, and what else must be edited alike."""

    target: str
    dev: bool = False  # the dev pairs, since it changes what is asked
    asked: bool = False  # pairs that are asked later as well: it changes texts, not only labels


EDITS = LazyTable(
    "edit",
    {
        "augment": Edit("rightreasons.training.edits.augment:augment"),
        "withhold": Edit("rightreasons.training.edits.withhold:withhold"),
        "merge": Edit("rightreasons.training.edits.merge:merge", dev=True),
        "distract": Edit("rightreasons.training.edits.distract:distract"),
        "drop-rule": Edit("rightreasons.training.edits.drop_rule:drop_rule"),
        "hypothesis-only": Edit(
            "rightreasons.training.edits.hypothesis_only:hypothesis_only", dev=True, asked=True
        ),
        "swap": Edit("rightreasons.training.edits.swap:swap", dev=True, asked=True),
        "subsample": Edit("rightreasons.training.edits.subsample:subsample"),
    },
)


def apply(pairs: pl.DataFrame, edit: str) -> pl.DataFrame:
    """Edit pairs by one edit with its options, written name:key=value,key=value."""
    return edited(pairs, [edit]).pairs


def edited(pairs: pl.DataFrame, edits: Sequence[str], *, dev: bool = False) -> Edited:
    """Edit pairs by several edits in order, and say for each what it did.

    With `dev`, only those are done that the dev pairs must have, too, since they change what is asked.
    """
    done: list[dict[str, Any]] = []
    for text in check(edits):
        name, given = read(text)
        if dev and not EDITS[name].dev:
            continue
        before, made = pairs.height, _with(name, given, pairs)
        pairs = made.pairs
        if pairs.is_empty():
            raise InputError(f"The edit {text!r} leaves no pair of {before:,}. Give it other options.")
        done.append({"edit": text, "before": before, "after": pairs.height, **made.facts})
    return Edited(pairs, {"edits": done})


def check(edits: Sequence[str]) -> Sequence[str]:
    """Refuse edits that there aren't, and options that they don't have, before any of them is done."""
    if isinstance(edits, str):
        raise InputError(f"The edits are one text, {edits!r}. Give a list of texts.")
    for text in edits:
        name, given = read(text)
        known = list(options.schema_of(_function(name)))[1:]
        if given and not known:
            raise InputError(f"The edit {name} takes no options. Write {name} alone.")
        for key in given:
            if key.replace("-", "_") not in known:
                raise UnknownNameError(f"option of the edit {name}", key, known)
        lacking = [key for key in options.required(_function(name))[1:] if key not in given]
        if lacking:
            raise InputError(
                f"The edit {name} needs the option {lacking[0]!r}. Write {name}:{lacking[0]}=..."
            )
    return edits


def read(text: str) -> tuple[str, dict[str, str]]:
    """Split an edit from its options; a word without = goes on with the value before it, as in a list."""
    name, _, rest = text.partition(":")
    if name not in EDITS:
        raise UnknownNameError("edit", name, EDITS)
    given: dict[str, str] = {}
    last = ""
    for word in rest.split(",") if rest else ():
        key, equals, value = word.partition("=")
        if equals and key.strip() in given:
            raise InputError(f"The edit {text!r} has the option {key.strip()!r} twice. Leave one out.")
        if equals:
            last = key.strip()
            given[last] = value.strip()
        elif last:
            given[last] += f",{word.strip()}"
        else:
            raise InputError(f"{word!r} in the edit {text!r} is no key=value. Write {name}:key=value.")
    return name, given


def _function(name: str) -> Callable[..., Edited]:
    function: Callable[..., Edited] = EDITS.load(name)
    return function


def _with(name: str, given: dict[str, str], pairs: pl.DataFrame) -> Edited:
    try:
        return options.build(_function(name), {"pairs": pairs, **given})
    except InputError as error:
        if name in str(error):
            raise
        raise InputError(f"The edit {name}: {error}") from error
