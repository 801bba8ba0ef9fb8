"""Pairwise comparison of models on shared sets: which is better, by how much, and which is correct on which pairs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.pairs import PARSE_COLUMNS, REQUIRED_COLUMNS
from rightreasons.core.progress import track_progress
from rightreasons.io.csv_injection import format_csv
from rightreasons.io.polars_io import read_parquet, read_parquet_schema
from rightreasons.reports.exhibits.comparison import (
    compare_models_on_set,
    describe_comparison,
    join_and_correct_comparisons,
)
from rightreasons.runs.collection import RunCollection, load_runs, refuse_mixed_rules
from rightreasons.scoring.cells import choose_coarse_tag
from rightreasons.scoring.families import (
    CORRECTED,
    FAMILY_RULE,
    FAMILY_SIZE,
    MODEL_COLUMNS,
    name_correct_models,
    pair_models,
)
from rightreasons.scoring.paired import COMPARISON_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from rightreasons.core.exhibit import Exhibit
    from rightreasons.reports.exhibits.comparison import SetComparisons
    from rightreasons.runs.set_results import SetResults

OUR_COLUMNS = ("set", *MODEL_COLUMNS, *COMPARISON_COLUMNS, CORRECTED, FAMILY_SIZE, "shown")


@dataclass(frozen=True)
class Comparisons:
    """Comparisons of models: a row for each pair of models, each set and each of its parts, corrected by families.

    `errors` counts the errors that two models have in common; `left_out` lists the sets that could not be compared.
    """

    rows: pl.DataFrame
    errors: pl.DataFrame
    exhibits: tuple[Exhibit, ...]
    left_out: tuple[str, ...] = ()

    @property
    def sentences(self) -> list[str]:
        """Describe each comparison in a sentence."""
        return [describe_comparison(row, str(row["set"])) for row in self.rows.to_dicts()]

    def to_json(self) -> str:
        """Show all as one JSON object."""
        shown: dict[str, Any] = {
            "rows": [
                {**row, "sentence": text}
                for row, text in zip(self.rows.to_dicts(), self.sentences, strict=True)
            ],
            "families": FAMILY_RULE,
            "common_errors": self.errors.to_dicts(),
            "left_out": list(self.left_out),
        }
        return json.dumps(shown, indent=2, ensure_ascii=False) + "\n"

    def to_csv(self) -> str:
        """Show the rows as CSV."""
        return format_csv(self.rows)


def compare_runs(
    runs: RunCollection | str | Path | Sequence[str | Path],
    *,
    models: Sequence[str] = (),
    against: str | None = None,
    by: tuple[str, ...] = (),
) -> Comparisons:
    """Compare all pairs of models, or all models with one, on every set that two of them share.

    Unless tags are given, a set is split by its heuristics, else by its subcases.
    """
    collection = runs if isinstance(runs, RunCollection) else load_runs(runs)
    refuse_mixed_rules(collection)
    shared = _find_shared_sets(collection, _choose_models(collection, models, against), against)
    split = _choose_split_tags(collection, list(shared), by)
    parts = [
        _compare_models_on_set(collection.load_set_results(name), names, against, split[name])
        for name, names in track_progress(list(shared.items()), len(shared), "comparing")
    ]
    family = join_and_correct_comparisons(parts)
    tags = [name for name in family.columns if name not in OUR_COLUMNS]
    rows = family.select("set", *MODEL_COLUMNS, *tags, *COMPARISON_COLUMNS, CORRECTED, FAMILY_SIZE, "shown")
    left_out = (name for name in collection.set_names if name not in shared)
    return Comparisons(
        rows,
        pl.concat([part.errors for part in parts]),
        tuple(exhibit for part in parts for exhibit in part.make_comparison_exhibits(rows)),
        tuple(f"{name}: run by fewer than two of the models" for name in left_out),
    )


def _compare_models_on_set(
    results: SetResults, models: Sequence[str], against: str | None, by: tuple[str, ...]
) -> SetComparisons:
    """Compare the models on one set; a baseline whose labels don't fit the set has no predictions there."""
    return compare_models_on_set(
        results, pair_models([model for model in models if model in results.predictions], against), by
    )


def list_shared_pairs(
    collection: RunCollection, models: Sequence[str] = (), against: str | None = None
) -> pl.DataFrame:
    """List every pair of the shared sets with its tags, the prediction of each model, and which models are correct."""
    shared = _find_shared_sets(collection, _choose_models(collection, models, against), against)
    parts = []
    for name, sharing in shared.items():
        results = collection.load_set_results(name)
        tables = {model: results.predictions[model] for model in sharing if model in results.predictions}
        predicted = [table["prediction"].alias(f"prediction: {model}") for model, table in tables.items()]
        gold = next(iter(tables.values()))["gold"].alias("label")
        outcomes = name_correct_models({model: table["right"] for model, table in tables.items()})
        parts.append(results.pairs.with_columns(gold, *predicted, outcomes, set=pl.lit(name)))
    table = pl.concat(parts, how="diagonal_relaxed")
    first = ("set", *REQUIRED_COLUMNS)
    last = [name for name in table.columns if name.startswith("prediction: ")]
    rest = [name for name in table.columns if name not in {*first, *last, "outcome", *PARSE_COLUMNS}]
    return table.select(*first, *rest, *last, "outcome")


def _choose_models(collection: RunCollection, models: Sequence[str], against: str | None) -> list[str]:
    """Check the names; without any, choose all requested models."""
    known = {model.name for model in collection.models}
    for name in (*models, *([against] if against else [])):
        if name not in known:
            raise UnknownNameError("model", name, known)
    wanted = list(dict.fromkeys([*(models or collection.requested_models), *([against] if against else [])]))
    if len(wanted) < 2:  # noqa: PLR2004 - a comparison is of two
        baselines = sorted(known - set(collection.requested_models))
        raise InputError(
            f"Only one model was given, {wanted[0]!r}. Add a run of another model, or compare with a baseline: "
            f"--against {baselines[0] if baselines else 'NAME'}."
        )
    return wanted


def _find_shared_sets(
    collection: RunCollection, wanted: Sequence[str], against: str | None
) -> dict[str, list[str]]:
    """Find the sets that two of the models share; with `against`, one of the two is that model."""
    models_by_set = {entry.name: {model.name for model, _, _ in entry.models} for entry in collection.sets}
    wanted_by_set = {
        name: [model for model in wanted if model in names] for name, names in models_by_set.items()
    }
    shared = {
        name: names
        for name, names in wanted_by_set.items()
        if pair_models(names, against) and _includes_against(against, names)
    }
    if not shared:
        sets_by_run = "; ".join(
            _describe_run_sets(folder.name, run.card)
            for folder, run in zip(collection.folders, collection.runs, strict=True)
        )
        raise InputError(
            f"No two of the models {', '.join(wanted)} share a set: {sets_by_run}. "
            "Evaluate both on the same set, generated with the same options, seed and version."
        )
    return shared


def _includes_against(against: str | None, names: Sequence[str]) -> bool:
    return against is None or against in names


def _describe_run_sets(name: str, card: dict[str, Any]) -> str:
    """Describe the sets of a run, with the digests that distinguish sets of one name."""
    sets = ", ".join(
        f"{each['name']} (version {each['version']}, digest {each['digest'][:8]})" for each in card["sets"]
    )
    return f"the run {name} has {sets}"


def _choose_split_tags(
    collection: RunCollection, names: Sequence[str], by: tuple[str, ...]
) -> dict[str, tuple[str, ...]]:
    """Choose the tags to split each set by; at least one set must have the requested tags."""
    taken = [tag for tag in by if tag in OUR_COLUMNS]
    if taken:
        raise InputError(
            f"The tag {taken[0]!r} has the same name as a column of the comparison table. Remove the tag from --by."
        )
    files = {place.name: place.file for place in collection.sets if place.name in names}
    has = {name: set(read_parquet_schema(file)) for name, file in files.items()}
    for tag in by:
        if not any(tag in columns for columns in has.values()):
            known = {column for columns in has.values() for column in columns}
            raise UnknownNameError("tag", tag, known - {*REQUIRED_COLUMNS, *PARSE_COLUMNS})
    if by:
        return {name: by if set(by) <= columns else () for name, columns in has.items()}
    return {name: _find_coarse_tag(file, has[name]) for name, file in files.items()}


def _find_coarse_tag(file: Path, columns: Collection[str]) -> tuple[str, ...]:
    known: list[str] = [tag for tag in ("heuristic", "subcase") if tag in columns]
    tag = choose_coarse_tag(read_parquet(file, columns=known))
    return (tag,) if tag else ()
