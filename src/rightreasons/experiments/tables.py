"""Tables of an experiment, with published rows above ours, and the sentences that say what they are based on."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import polars as pl

from rightreasons.core.errors import format_count
from rightreasons.experiments.corpora import find_role
from rightreasons.experiments.results import LEAST, LEAST_OF_TWO
from rightreasons.reports import published
from rightreasons.reports.exhibits.published_comparison import (
    WEAK,
    collect_published_notes,
    lay_out_models_as_columns,
    lay_out_models_as_rows,
    make_figure_row,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from rightreasons.core.exhibit import Exhibit
    from rightreasons.experiments.results import ExperimentResults
    from rightreasons.reports.exhibits.published_comparison import FigureRow, TableHeading


@dataclass(frozen=True)
class ExperimentTable:
    """A table to render, and the rows that it was built from."""

    exhibit: Exhibit
    rows: tuple[FigureRow, ...]
    columns: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def build_with_models_as_rows(
        cls,
        heading: TableHeading,
        columns: Mapping[str, str],
        rows: Sequence[FigureRow],
        notes: Sequence[str] = (),
    ) -> Self:
        """Build a table with a row per model; `columns` maps column names to headings."""
        return cls(lay_out_models_as_rows(heading, columns, rows, notes), tuple(rows), columns)

    @classmethod
    def build_with_models_as_columns(
        cls,
        heading: TableHeading,
        columns: Mapping[str, str],
        rows: Sequence[FigureRow],
        notes: Sequence[str] = (),
    ) -> Self:
        """Build a table with a column per model, and a row for each of `columns`."""
        return cls(lay_out_models_as_columns(heading, columns, rows, notes), tuple(rows), columns)


def read_published_rows(
    name: str, tables: Sequence[str], figure: str = "accuracy", *, cited: str = ""
) -> list[FigureRow]:
    """Read the rows of published tables from a file of published figures.

    Each row cites its table, or `cited` if several tables are merged.
    """
    rows = published.read_rows(name, tables, figure)
    return merge_rows(
        [replace(make_figure_row(row, f"{row.source}, {cited}" if cited else ""), pairs="") for row in rows]
    )


def merge_rows(rows: Sequence[FigureRow]) -> list[FigureRow]:
    """Merge rows with the same model, training data and source."""
    merged: dict[tuple[str, str, str], FigureRow] = {}
    for row in rows:
        key = (row.model, row.trained_on, row.source)
        values = {**merged[key].values, **row.values} if key in merged else row.values
        merged[key] = replace(row, values=values)
    return list(merged.values())


def read_published_notes(name: str, tables: Sequence[str], columns: Collection[str]) -> tuple[str, ...]:
    """Read the remarks on published figures in the given columns, such as misprints."""
    return collect_published_notes(published.read_rows(name, tables), columns)


def make_long_table(tables: Sequence[ExperimentTable]) -> pl.DataFrame:
    """Put all figures of all tables into one table with a row per figure."""
    rows = [
        {
            "table": table.exhibit.key,
            "model": row.model,
            "trained_on": row.trained_on,
            "source": row.source,
            "column": column,
            **row.values[column]._asdict(),
            "brackets": "range" if row.values[column].seeds > 1 else "interval",
            "too_weak": row.weak,
        }
        for table in tables
        for row in table.rows
        for column in table.columns
        if column in row.values
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def make_caption_sentences(results: ExperimentResults, vectors: Path | None) -> list[str]:
    """Say what a reader must know before comparing our rows with the published ones."""
    sentences = [*_describe_training_data(results), *_describe_test_sets(results)]
    sentences += [
        *_describe_models(results, vectors),
        _describe_brackets(results),
        _explain_weak_mark(results),
    ]
    return [sentence for sentence in sentences if sentence]


def _describe_training_data(results: ExperimentResults) -> list[str]:
    """Say what each model was trained on, and what that stands in for."""
    models_by_size: dict[str, dict[int, list[str]]] = {}
    facts: dict[str, dict[str, Any]] = {}
    for part, job in results.jobs:
        of_role = facts.setdefault(part.train, {**job.training.facts, "last": True, "edited": False})
        of_role["last"] &= part.options.get("keep") == "last"
        of_role["edited"] |= bool(part.edits)
        names = models_by_size.setdefault(part.train, {}).setdefault(job.training.facts["train"], [])
        if part.learner.display_name not in names:
            names.append(part.learner.display_name)
    return [_describe_training_role(name, facts[name], sizes) for name, sizes in models_by_size.items()]


def _describe_training_role(name: str, facts: dict[str, Any], sizes: dict[int, list[str]]) -> str:
    each = ", ".join(f"{size:,} ({', '.join(models)})" for size, models in sizes.items())
    if mixed := facts.get("mixed"):
        parts = " and ".join(f"{part['train']:,} from {part['files']} ({part['role']})" for part in mixed)
        return f"Trained on {each} pairs of a mixture: {parts}. The checkpoint was selected on other pairs of both."
    available, role = int(facts["pairs"]), find_role(name)
    amount = "all" if set(sizes) == {available} else f"{each} of the"
    small = role.pairs and available < role.pairs
    instead = f", in place of the {role.pairs:,} {role.about}" if small else ""
    held_out = int(facts["dev"])
    dev_role = str(facts.get("chosen_by", ""))
    edited = ", before pairs are removed or added" if facts["edited"] else ""
    selection = (
        "The last checkpoint was kept."
        if facts["last"]
        else f"The checkpoint was selected on {format_count(held_out, 'pair')}: {find_role(dev_role).about}."
        if dev_role
        else f"The checkpoint was selected on {held_out:,} other pairs from the same corpus, which "
        "share no premise with the training pairs."
    )
    source = f"{available:,} pairs of {facts['files']} ({name})"
    return f"Trained on {amount} {source}{edited}{instead}. {selection}"


def _describe_test_sets(results: ExperimentResults) -> list[str]:
    sizes = []
    for name, test in results.tests.items():
        whole = test.sampled_from
        of = f" of {whole:,}" if whole and whole != test.card.rows else ""
        sizes.append(f"{name} {test.card.rows:,}{of}")
    sentences = [f"Test sets (pairs): {'; '.join(sizes)}."]
    overlaps = [f"{test.left_out:,} from {name}" for name, test in results.tests.items() if test.left_out]
    if overlaps:
        sentences.append(f"Pairs that also occur in the training data were removed: {', '.join(overlaps)}.")
    return sentences


def _describe_models(results: ExperimentResults, vectors: Path | None) -> list[str]:
    """Say in which sizes networks were trained, and which model stands in for another."""
    learners = list({part.model: part.learner for part, _ in results.jobs}.values())
    sentences = [f"{one.display_name} stands in for {one.stands_for}." for one in learners if one.stands_for]
    sentences += [
        f"{one.display_name}'s encoder was pretrained for sentence similarity, on corpora that include {one.has_seen}."
        for one in learners
        if one.has_seen
    ]
    if any(one.takes_vectors for one in learners):
        if results.setting.scale.name != "paper":
            sentences.append("Networks have the sizes of their small presets, not those of the papers.")
        sentences.append(
            f"Their word vectors are from {vectors.name}, which stands in for GloVe."
            if vectors
            else "Their word vectors are random: no file of vectors was given."
        )
    return sentences


def _describe_brackets(results: ExperimentResults) -> str:
    seeds = len(results.setting.seeds)
    if seeds == 1:
        return "One seed, with a 95% confidence interval in brackets; it does not include the variation between seeds."
    return f"{seeds} seeds: their mean, with the range in brackets."


def _explain_weak_mark(results: ExperimentResults) -> str:
    if not any(results.is_weak(row) for row in results.rows):
        return ""
    tests = ", ".join(dict.fromkeys(part.claim for part, _ in results.jobs if part.claim))
    return (
        f"{WEAK.capitalize()}: accuracy below {LEAST:.0%} on {tests} with three labels "
        f"(below {LEAST_OF_TWO:.1%} as the mean over two labels)."
    )
