"""The verbs on one set and one model: plan, generate, recognise, predict, score."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from rightreasons import registry
from rightreasons.errors import InputError
from rightreasons.pairs import TEXTS, ChallengeSet
from rightreasons.progress import progress

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rightreasons.registry import Model, Plan
    from rightreasons.scoring.accuracy import Scores


def plan(
    name: str,
    /,
    *,
    size: int | None = None,
    limit: int | None = None,
    seed: int = 0,
    split: str = "eval",
    **options: object,
) -> Plan:
    """Say what a set will be, so that any range of its rows can be made alone."""
    return registry.make_set(name, options).plan(size=size, limit=limit, seed=seed, split=split)


def generate(
    name: str,
    /,
    *,
    size: int | None = None,
    limit: int | None = None,
    seed: int = 0,
    split: str = "eval",
    **options: object,
) -> ChallengeSet:
    """Make a set by name, or from a template file: size is pairs per subcase, limit a total.

    The card has no digest yet: hashing costs more than making the pairs, so it is left to writing them.
    """
    made = plan(name, size=size, limit=limit, seed=seed, split=split, **options)
    with progress(label=f"making {name}"):
        pairs = made.rows(0, len(made))
    return ChallengeSet(pairs, replace(made.card, rows=pairs.height))


def recognise(pairs: pl.DataFrame | ChallengeSet, name: str | None = None) -> pl.DataFrame:
    """Find set, mode, subcase, template, sub-variant, trigger and rank of each pair; null where none fits.

    A name, of a set or a template file, narrows the search to that set.
    """
    from rightreasons.templates.recognise import recognise as recognise_table

    parts = [registry.make_set(one, {}) for one in ([name] if name else registry.set_names())]
    able = [part for part in parts if hasattr(part, "recognisers")]
    if name and not able:
        raise InputError(f"The set {name!r} is not made from templates, so it can't recognise pairs.")
    with progress(label="recognising"):
        return recognise_table(table(pairs), [one for part in able for one in part.recognisers()])


def predict(model: str | Model, pairs: pl.DataFrame | ChallengeSet, /, **options: object) -> pl.DataFrame:
    """Ask a model, by name or any object with predict, for its answers; it never sees the labels."""
    if not isinstance(model, str) and options:
        raise InputError(
            f"Options {sorted(options)} were given for a ready-made model. Set them on the model."
        )
    part = registry.make_model(model, options) if isinstance(model, str) else model
    asked = _what_it_may_see(part, table(pairs))
    with progress(label=f"asking {name_of(part)}"):
        refuse_others(part, asked["id"])
        return ask(part, asked)


def ask(model: Model, pairs: pl.DataFrame) -> pl.DataFrame:
    """Ask a model about all or some of the pairs of a job, and hold it to its contract."""
    asked = _what_it_may_see(model, pairs)
    return _checked(model.predict(asked), asked, name_of(model))


def refuse_others(model: Model, ids: pl.Series) -> None:
    """Have a model whose answers are fixed, such as a file, refuse those to pairs that nobody asks about."""
    check = getattr(model, "refuse_others", None)
    if check is not None:
        check(ids)


def score(
    pairs: pl.DataFrame | ChallengeSet,
    answers: pl.DataFrame,
    by: str | Sequence[str] = (),
    rule: str = "argmax",
    path: str | Path | None = None,
    *,
    merge: bool = False,
) -> Scores:
    """Count right answers by tags and true label, with 95% intervals.

    With `merge`, three labels are merged into two even where they could be compared as they are.
    The path, where given, is the file that the answers were read from, and is named in errors.
    """
    from rightreasons.scoring.accuracy import score as score_table

    with progress(label="scoring"):
        return score_table(table(pairs), answers, by=tags(by), rule=rule, path=path, merge=merge)


def table(pairs: pl.DataFrame | ChallengeSet) -> pl.DataFrame:
    """Take the table of pairs out of a set."""
    return pairs.pairs if isinstance(pairs, ChallengeSet) else pairs


def tags(by: str | Sequence[str]) -> tuple[str, ...]:
    """Read tags from a sequence, or from one text with commas."""
    return tuple(tag.strip() for tag in by.split(",") if tag.strip()) if isinstance(by, str) else tuple(by)


def needs_of(model: Model) -> tuple[str, ...]:
    """List the columns a model needs beside ids and texts."""
    return tuple(getattr(model, "needs", ()))


def name_of(model: Model) -> str:
    """Name a model: as it calls itself, or by its class."""
    return str(getattr(model, "name", None) or type(model).__name__)


def _what_it_may_see(model: Model, pairs: pl.DataFrame) -> pl.DataFrame:
    columns = ("id", *TEXTS, *needs_of(model))
    missing = [column for column in columns if column not in pairs.columns]
    if missing:
        parses = (
            " Make the set with parses, if it can have them, or leave the model out."
            if "parse" in missing[0]
            else " Add it to the table."
        )
        raise InputError(f"The model {name_of(model)!r} needs the column {missing[0]!r}.{parses}")
    return pairs.select(columns)


def _checked(answers: pl.DataFrame, asked: pl.DataFrame, name: str) -> pl.DataFrame:
    """Hold a model to its contract: one answer, by id, to every pair."""
    from rightreasons.answers import align

    if not isinstance(answers, pl.DataFrame):
        raise InputError(f"The model {name!r} gave no table of answers. Mend its predict method.")
    try:
        return align(asked, answers)
    except InputError as error:
        raise InputError(f"The model {name!r}: {error}") from error
