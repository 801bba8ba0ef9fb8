"""The stress-test paper: accuracy (Table 3), false neutrals (4), errors about antonyms (7), misspellings (8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.labels import CONTRADICTION, ENTAILMENT, NEUTRAL, THREE_LABELS
from rightreasons.io.polars_io import read_parquet, read_parquet_schema
from rightreasons.reports import published
from rightreasons.reports.exhibits.published_comparison import (
    TableHeading,
    compare_with_published,
    make_slug,
    measure_hit_share,
)
from rightreasons.reports.exhibits.published_people import describe_people

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rightreasons.core.exhibit import Exhibit
    from rightreasons.reports.published import PublishedRow
    from rightreasons.runs.collection import RunCollection
    from rightreasons.runs.set_results import SetResults
    from rightreasons.scoring.proportion import Proportion

Subsets = dict[str, pl.Expr]  # the paper's columns that a set has, with the pairs that each is about
SharesByRow = dict[tuple[str, str], dict[str, "Proportion"]]  # by model and by set, then by column
_PAPER = "the stress-test paper"
_FALSE_NEUTRAL = ("word_overlap", "length_mismatch", published.DEV)
_PREDICTED = {"C->E": ENTAILMENT, "C->N": NEUTRAL}
_CORPUS = "The published figures are for pairs derived from the MultiNLI dev sets; this run used pairs derived from {}."


def make_stress_tables(results: SetResults) -> list[Exhibit]:
    """Show Table 7 for antonyms and Table 8 for misspellings."""
    subsets = find_published_subsets(results)
    made = [_make_antonymy_table(results)] if "antonymy" in subsets else []
    variants = {name: pairs for name, pairs in subsets.items() if name in published.VARIANTS}
    return [*made, _make_spelling_table(results, variants)] if variants else made


def make_stress_overviews(gathered: RunCollection) -> list[Exhibit]:
    """Show Table 3, and Table 4 if a run has one of its sets."""
    found: SharesByRow = {}
    false: SharesByRow = {}
    made_from: dict[str, None] = {}
    for results in _iterate_stress_results(gathered):
        made_from |= dict.fromkeys(results.card["sources"])
        for name, pairs in find_published_subsets(results).items():
            for model in results.requested_models if name not in published.VARIANTS else ():
                predictions = _select_subset_predictions(results, model, pairs)
                row = (model, results.name)
                found.setdefault(row, {})[name] = measure_hit_share(results, predictions)
                if name in _FALSE_NEUTRAL:
                    false.setdefault(row, {})[name] = _measure_error_share(results, predictions, NEUTRAL)
    if not found:
        return []
    more = [_CORPUS.format(", ".join(made_from))] if made_from else []
    made = [_make_stress_accuracy_table(found, more)]
    return [*made, _make_false_neutral_table(false, more)] if false else made


def find_published_subsets(results: SetResults) -> Subsets:
    """Find the columns of the paper that a set has: by its tag `set`, or by the name of a released file."""
    pairs = results.pairs
    own = pairs["set"][0] if "set" in pairs.columns and pairs["set"].n_unique() == 1 else None
    ours = {**published.TESTS, **published.VARIANTS}
    subsets = {name: place.make_filter() for name, place in ours.items() if place.set == own}
    if not subsets and (known := published.parse_released_file_name(results.name)):
        subsets = {known[0]: pl.lit(value=True)}
        subsets |= {"content_word_swap": pl.lit(value=True)} if known[0] == "spelling" else {}
    return {name: within for name, within in subsets.items() if pairs.select(within.any()).item()}


def _iterate_stress_results(gathered: RunCollection) -> Iterator[SetResults]:
    """Read the sets of the paper, one at a time."""
    for place in gathered.sets:
        tagged = "set" in read_parquet_schema(place.file)
        own = read_parquet(place.file, columns=["set"], n_rows=1) if tagged else None
        ours = own is not None and own.height and str(own["set"][0]).startswith("stress/")
        if ours or published.parse_released_file_name(place.name):
            results = gathered.load_set_results(place.name)
            if set(results.gold_labels) <= set(THREE_LABELS):
                yield results


def _name_split_or_run(name: str) -> str:
    """Name the pairs of a set if several sets are of one test: by their split, or by their run."""
    known = published.parse_released_file_name(name)
    _, _, run = name.partition(" (")
    return known[1] if known else run[:-1] if run.endswith(")") else ""


def _select_subset_predictions(results: SetResults, model: str, within: pl.Expr) -> pl.DataFrame:
    """Select the predictions for the pairs of a subset, with their rows in the set."""
    mask = results.pairs.select(within.alias("_in")).to_series()
    predictions = results.predictions[model].with_row_index("_row")
    return predictions.filter(mask) if mask.len() == predictions.height else predictions


def _measure_error_share(results: SetResults, predictions: pl.DataFrame, label: str) -> Proportion:
    wrong = predictions.filter(~pl.col("right")).with_columns(hit=pl.col("prediction") == label)
    return measure_hit_share(results, wrong, "hit")


def _make_stress_accuracy_table(found: SharesByRow, more: list[str]) -> Exhibit:
    names = [name for name in (published.DEV, *published.TESTS) if any(name in row for row in found.values())]
    heading = TableHeading(
        "published-stress", f"Stress tests: Table 3 of {_PAPER}", "Accuracy on each test.", shown="percent"
    )
    printed = published.read_rows("stress", ["3", "4"])
    tests = [published.TESTS[name].set for name in names if name in published.TESTS]
    return compare_with_published(
        heading,
        _make_column_headings(names),
        _copy_figures_into_splits(printed, names),
        _merge_sets_into_rows(found),
        [*more, *(note for test in tests for note in describe_people(test))],
    )


def _copy_figures_into_splits(printed: list[PublishedRow], names: list[str]) -> list[PublishedRow]:
    """Copy figures that belong to neither dev set into the rows of both, unless they are the only ones."""
    alone = {(row.source, row.model, row.trained_on): row for row in printed if not row.split}
    if {column for row in alone.values() for column in row.values}.issuperset(names):
        return list(alone.values())
    return [
        row._replace(values=row.values | alone[row.source, row.model, row.trained_on].values)
        for row in printed
        if row.split
    ]


def _make_false_neutral_table(found: SharesByRow, more: list[str]) -> Exhibit:
    names = [name for name in _FALSE_NEUTRAL if any(name in row for row in found.values())]
    heading = TableHeading(
        "published-false-neutral",
        f"Stress tests: Table 4 of {_PAPER}",
        "Percentage of the errors in which the prediction is neutral.",
        shown="percent",
        counted="errors",
    )
    printed = published.read_rows("stress", ["4"], "false neutral")
    return compare_with_published(
        heading, _make_column_headings(names), printed, _merge_sets_into_rows(found), more
    )


def _merge_sets_into_rows(found: SharesByRow) -> dict[tuple[str, str], dict[str, Proportion]]:
    """Put the sets of a model into one row; several sets of one test and split get separate rows."""
    sets: dict[tuple[str, str], set[str]] = {}
    for (_, name), shares in found.items():
        for column in shares:
            sets.setdefault((_name_split_or_run(name), column), set()).add(name)
    apart = {name for names in sets.values() if len(names) > 1 for name in names}
    rows: dict[tuple[str, str, bool], dict[str, Proportion]] = {}
    for (model, name), shares in found.items():
        key = (model, name, True) if name in apart else (model, _name_split_or_run(name), False)
        rows.setdefault(key, {}).update(shares)
    return {(model, pairs): shares for (model, pairs, _), shares in rows.items()}


def _make_antonymy_table(results: SetResults) -> Exhibit:
    """Show what is predicted for contradictions due to an antonym."""
    ours = {}
    for model in results.requested_models:
        predictions = _select_subset_predictions(results, model, pl.lit(value=True)).filter(
            pl.col("gold") == CONTRADICTION
        )
        ours[model, ""] = {
            kind: _measure_error_share(results, predictions, label) for kind, label in _PREDICTED.items()
        }
    heading = TableHeading(
        f"published-antonymy-{make_slug(results.name)}",
        f"{results.name}: Table 7 of {_PAPER}",
        "Percentage of the errors in which a contradiction is predicted as entailment (C->E) or neutral (C->N).",
        shown="percent",
        counted="errors",
        set=results.name,
    )
    columns = {kind: kind for kind in _PREDICTED}
    return compare_with_published(heading, columns, published.read_rows_by_figure("stress", "7"), ours)


def _make_spelling_table(results: SetResults, variants: Subsets) -> Exhibit:
    ours = {}
    for model in results.requested_models:
        chosen = {
            name: _select_subset_predictions(results, model, within) for name, within in variants.items()
        }
        ours[model, ""] = {
            name: measure_hit_share(results, predictions) for name, predictions in chosen.items()
        }
    heading = TableHeading(
        f"published-spelling-{make_slug(results.name)}",
        f"{results.name}: Table 8 of {_PAPER}",
        "Accuracy by type of misspelling: swapped letters, neighbouring keys, content words, function words.",
        shown="percent",
        set=results.name,
    )
    names = [name for name in published.VARIANTS if name in variants]
    return compare_with_published(
        heading, _make_column_headings(names), published.read_rows("stress", ["8"]), ours
    )


def _make_column_headings(names: list[str]) -> dict[str, str]:
    return {name: "MultiNLI dev" if name == published.DEV else name.replace("_", " ") for name in names}
