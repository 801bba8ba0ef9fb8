"""The pairs that a study is planned from: of sets and files, or those that a model of a run is most certain of."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.errors import InputError, TooFewPairsError, UnknownNameError, format_count
from rightreasons.core.labels import PROBABILITIES
from rightreasons.core.pairs import PARSE_COLUMNS, ChallengeSet
from rightreasons.evaluation.sets import is_pairs_file
from rightreasons.evaluation.steps import generate_set

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rightreasons.runs.set_results import SetResults

SET, TOP = "set", "top"


@dataclass(frozen=True)
class TopPairs:
    """Which pairs of a run to select: the `count` with the highest probabilities in the columns `by`, of each model."""

    run: str | Path | None = None
    by: tuple[str, ...] = ()
    count: int = 100
    models: tuple[str, ...] = ()


@dataclass(frozen=True)
class StudyPairs:
    """Pairs to draw the items of a study from, the name of the study, and where the pairs come from."""

    pairs: pl.DataFrame
    name: str
    sources: list[dict[str, Any]]
    remarks: tuple[str, ...] = ()


def read_study_pairs(names: Sequence[str | Path], options: Mapping[str, object]) -> StudyPairs:
    """Read sets, by name or as files, and put their pairs together; the column `set` tells them apart."""
    if not names:
        raise InputError("No set was given. Pass the name of a set, or a file of pairs.")
    sets = [_load_set(str(name), options) for name in names]
    tables = [
        each.pairs.drop(column for column in PARSE_COLUMNS if column in each.pairs.columns) for each in sets
    ]
    named = [
        table if SET in table.columns else table.with_columns(pl.lit(each.card.set).alias(SET))
        for table, each in zip(tables, sets, strict=True)
    ]
    sources = [{**asdict(each.card), "rows": len(each)} for each in sets]
    remarks = tuple(remark for each in sets for remark in each.card.remarks)
    return StudyPairs(
        _concatenate(named, [each.card.set for each in sets]),
        " + ".join(each.card.set for each in sets),
        sources,
        remarks,
    )


def _load_set(name: str, options: Mapping[str, object]) -> ChallengeSet:
    if not is_pairs_file(name):
        return generate_set(name, **options)
    if options:
        raise InputError(
            f"{name!r} is a file of pairs, which has no options. Remove -o {next(iter(options))}."
        )
    from rightreasons.corpora import read_pairs

    read = read_pairs(Path(name), labelled=False)
    return ChallengeSet(read.pairs, replace(read.card, rows=read.pairs.height))


def _concatenate(tables: Sequence[pl.DataFrame], names: Sequence[str]) -> pl.DataFrame:
    """Put tables together; a column that has another type elsewhere becomes text."""
    kinds: dict[str, set[pl.DataType]] = {}
    for table in tables:
        for column, kind in table.schema.items():
            kinds.setdefault(column, set()).add(kind)
    mixed = [column for column, found in kinds.items() if len(found - {pl.Null()}) > 1]
    texts = [
        table.with_columns(pl.col(column).cast(pl.String) for column in mixed if column in table.columns)
        for table in tables
    ]
    joined = pl.concat(texts, how="diagonal_relaxed")
    if len(tables) > 1 and joined["id"].is_duplicated().any():
        shared = joined.filter(pl.col("id").is_duplicated())["id"][0]
        raise InputError(
            f"The sets {' and '.join(names)} share ids such as {shared!r}. Pass each set once, and give pairs of "
            "different files different ids."
        )
    return joined


def select_top_pairs(top: TopPairs, names: Sequence[str | Path]) -> StudyPairs:
    """Select, from the sets of a run, the pairs with the highest probability of a label, for each model and label.

    The column `top` lists by which.
    """
    from rightreasons.runs.collection import load_runs

    collection = load_runs(str(top.run))
    known = [model.name for model in collection.models]
    _refuse_unknown("model of the run", top.models, known)
    _refuse_unknown("set of the run", [str(name) for name in names], collection.set_names)
    _refuse_unknown("probability", top.by, PROBABILITIES.values())
    models = top.models or tuple(collection.requested_models)
    tables, sources = [], []
    for name in map(str, names):
        results = collection.load_set_results(name)
        tables.append(_mark_top_pairs(results, models, top))
        asked = {"run": str(top.run), "top": top.count, "by": list(top.by), "models": list(models)}
        sources.append({**results.card, **asked})
    return StudyPairs(
        _concatenate(tables, [str(name) for name in names]), " + ".join(map(str, names)), sources
    )


def _refuse_unknown(kind: str, names: Sequence[str], known: Iterable[str]) -> None:
    known = list(known)
    for name in names:
        if name not in known:
            raise UnknownNameError(kind, name, known)


def _mark_top_pairs(results: SetResults, models: Sequence[str], top: TopPairs) -> pl.DataFrame:
    """Return the pairs of a set that are at the top for a model, with the reasons."""
    run_on = [model for model in models if model in results.predictions]
    if not run_on:
        raise UnknownNameError(f"model on the set {results.name!r}", models[0], results.predictions)
    selected = [_select_of_model(results, model, column, top.count) for model in run_on for column in top.by]
    reasons = pl.concat(selected).group_by("id", maintain_order=True).agg(pl.col(TOP))
    pairs = results.pairs.join(reasons, on="id", how="inner", maintain_order="left")
    return pairs if SET in pairs.columns else pairs.with_columns(pl.lit(results.name).alias(SET))


def _select_of_model(results: SetResults, model: str, column: str, top: int) -> pl.DataFrame:
    """Select the ids of the pairs with the highest values of a probability; equal values in the order of ids."""
    table = results.predictions[model]
    if column not in table.columns or table[column].null_count() == table.height:
        raise InputError(
            f"The predictions of {model!r} on {results.name!r} have no {column}. Choose another --top-by, or a --model "
            "that predicts probabilities."
        )
    if table.height < top:
        raise TooFewPairsError(
            f"The set {results.name!r} of the run has {format_count(table.height, 'pair')}, but --top is {top}. "
            "Lower --top."
        )
    keyed = table.select(column).with_columns(results.pairs["id"])
    best = keyed.drop_nulls().sort(column, "id", descending=[True, False]).head(top)
    return best.select("id", pl.lit(f"{model} {column}").alias(TOP))
