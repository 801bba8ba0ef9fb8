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
    """The shown name of a model, its requested name, and what identifies its weights or predictions."""

    display_name: str
    name: str
    identity: str


def group_runs_by_model(models: Sequence[ModelIdentity], patterns: Mapping[str, str]) -> dict[str, list[str]]:
    """Group the runs of one model: the display names of the runs by entry; a single model is its own entry.

    Models with the same name but different weights are runs of one model; so are models whose name matches a pattern
    (* stands for anything), which form one entry under the name of the pattern.
    """
    entries: dict[str, list[str]] = {}
    for entry, pattern in patterns.items():
        entries[entry] = [model.display_name for model in models if _matches_pattern(model, pattern)]
        if not entries[entry]:
            known = ", ".join(model.display_name for model in models)
            raise InputError(f"No model matches the pattern {pattern!r} for {entry!r}. Models: {known}.")
    _refuse_overlapping_patterns(entries)
    taken = {name for names in entries.values() for name in names}
    rest = [model for model in models if model.display_name not in taken]
    for model in rest:
        alike = [other for other in rest if other.name == model.name]
        differ = len({other.identity for other in alike}) == len(alike)
        entry = model.name if len(alike) > 1 and differ and model.name not in patterns else model.display_name
        if entry in patterns:
            raise InputError(
                f"The name {entry!r} of the runs that match {patterns[entry]!r} is also the name of another model. "
                "Choose another name for the runs."
            )
        entries.setdefault(entry, []).append(model.display_name)
    return entries


def _matches_pattern(model: ModelIdentity, pattern: str) -> bool:
    # A name such as file:run[1].csv is also taken literally, because it doesn't match itself as a pattern.
    names = (model.display_name, model.name)
    return pattern in names or any(fnmatchcase(name, pattern) for name in names)


def _refuse_overlapping_patterns(entries: Mapping[str, Sequence[str]]) -> None:
    """Refuse patterns that match the same model."""
    owners: dict[str, str] = {}
    for entry, names in entries.items():
        for name in names:
            if name in owners:
                raise InputError(
                    f"The model {name!r} matches the patterns of both {owners[name]!r} and {entry!r}. "
                    "Use patterns that don't overlap."
                )
            owners[name] = entry


def pool_run_scores(scores: pl.DataFrame, runs: Mapping[str, Sequence[str]]) -> pl.DataFrame:
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


def summarise_run_scores(
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
