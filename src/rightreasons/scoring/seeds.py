"""Several runs of one model, such as one for each seed of its training, as one entry: mean, spread and range."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from rightreasons.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SPREAD_COLUMNS = ("runs", "n", "mean", "sd", "least", "most")


class ModelIdentity(NamedTuple):
    """A model as it is shown, the name it was asked by, and what tells its weights or predictions from another's."""

    display_name: str
    name: str
    identity: str


def group_seeds(asked: Sequence[ModelIdentity], patterns: Mapping[str, str]) -> dict[str, list[str]]:
    """Put runs of one model together: by entry, the names that they are shown by; a model alone is its own entry.

    Models of one name that differ in their weights are runs of one model; so are those whose name matches a
    pattern (* stands for anything), which are one entry under the name that was given to it.
    """
    found: dict[str, list[str]] = {}
    for entry, pattern in patterns.items():
        found[entry] = [one.display_name for one in asked if _matches_pattern(one, pattern)]
        if not found[entry]:
            known = ", ".join(one.display_name for one in asked)
            raise InputError(f"No model matches {pattern!r}, the runs of {entry!r}. There are: {known}.")
    _refuse_overlap(found)
    taken = {name for names in found.values() for name in names}
    rest = [one for one in asked if one.display_name not in taken]
    for one in rest:
        alike = [other for other in rest if other.name == one.name]
        differ = len({other.identity for other in alike}) == len(alike)
        entry = one.name if len(alike) > 1 and differ and one.name not in patterns else one.display_name
        if entry in patterns:
            raise InputError(
                f"The model {one.display_name!r} has the name that was given to the runs of {entry!r} "
                f"({patterns[entry]!r}), and isn't one of them. Choose another name for the runs."
            )
        found.setdefault(entry, []).append(one.display_name)
    return found


def _matches_pattern(one: ModelIdentity, pattern: str) -> bool:
    # A name such as file:run[1].csv is meant as it is, even if it doesn't match itself as a pattern.
    return (
        pattern in {one.display_name, one.name}
        or fnmatchcase(one.display_name, pattern)
        or fnmatchcase(one.name, pattern)
    )


def _refuse_overlap(found: Mapping[str, Sequence[str]]) -> None:
    """Refuse patterns that claim the same model."""
    owners: dict[str, str] = {}
    for entry, names in found.items():
        for name in names:
            if name in owners:
                raise InputError(
                    f"The model {name!r} would be a run of {owners[name]!r} and of {entry!r}. "
                    "Give patterns that don't overlap."
                )
            owners[name] = entry


def pool_seeds(scores: pl.DataFrame, runs: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    """Make one row of the rows that several runs of one model have in a table of scores; other models keep theirs.

    `runs` has the names of the runs by entry. `accuracy` is the mean, `correct` the sum over `runs` of them; `low` and
    `high` hold the intervals of all runs, and what lies between `inner_low` and `inner_high` is in each of them.
    """
    whose = {name: entry for entry, names in runs.items() for name in names}
    table = scores.with_columns(pl.col("model").replace(whose))
    figures = ("n", "correct", "accuracy", "low", "high", "interval")
    figure, low, high = pl.col("accuracy"), pl.col("low"), pl.col("high")
    return table.group_by([name for name in table.columns if name not in figures], maintain_order=True).agg(
        *(pl.col("n").min(), pl.col("correct").sum(), figure.mean(), low.min(), high.max()),
        pl.col("interval").first(),
        runs=pl.len().cast(pl.Int64),
        sd=figure.std(),
        least=figure.min(),
        most=figure.max(),
        inner_low=low.max(),
        inner_high=high.min(),
    )


def summarise_seeds(
    frames: Sequence[pl.DataFrame], figures: Sequence[str] = ("n", "accuracy")
) -> pl.DataFrame:
    """Sum up the scores of several runs of one model, cell by cell: runs, pairs, mean, standard deviation, range.

    Each frame has the scores of one run: tags and `gold`, `n` and `accuracy`. The standard deviation is that between
    runs (of a sample); of one run it is not known. `n` is the number of pairs, that of the smallest run if they differ.
    """
    size, share = figures
    keys = [
        name for name in frames[0].columns if name not in (size, share, "correct", "low", "high", "interval")
    ]
    table = pl.concat([frame.select(*keys, size, share) for frame in frames])
    figure = pl.col(share)
    return table.group_by(keys, maintain_order=True).agg(
        runs=pl.len().cast(pl.Int64),
        n=pl.col(size).min(),
        mean=figure.mean(),
        sd=figure.std(),
        least=figure.min(),
        most=figure.max(),
    )
