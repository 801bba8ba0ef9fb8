"""Score rows laid out as grids of text: one line per group and true label, one column per model."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.formatting import Cell, SeedSpread, plain
from rightreasons.core.labels import LABELS
from rightreasons.scoring.accuracy import ALL
from rightreasons.scoring.sharing import has_few_clusters

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rightreasons.runs.folder import Run

# The order of lines within a group.
_ORDER = (*LABELS, ALL)
# What a cell is made of; the last are there where a table sums up several runs of one model.
_FIGURES = (
    *("n", "correct", "low", "high", "interval"),
    *("runs", "sd", "least", "most", "inner_low", "inner_high"),
)


@dataclass(frozen=True)
class GridRow:
    """One line of a grid: its group and true label, then one cell per model."""

    group: str
    gold: str
    n: int
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Grid:
    """A table to show: what its groups are, and its models."""

    title: str
    models: tuple[str, ...]
    lines: tuple[GridRow, ...]

    def blocks(self, models_each: int) -> Iterator[Grid]:
        """Cut the grid into grids of at most so many models."""
        for start in range(0, len(self.models), models_each):
            cut = slice(start, start + models_each)
            lines = tuple(GridRow(line.group, line.gold, line.n, line.cells[cut]) for line in self.lines)
            yield Grid(self.title, self.models[cut], lines)


def headline(scores: pl.DataFrame, models: Sequence[str]) -> Grid:
    """Lay out the main table of a set: its coarsest groups by true label, then all pairs."""
    tag = headline_tag(scores)
    parts = grid(scores, (tag,), models, golds_apart=True).lines if tag else ()
    whole = grid(scores, (), models, golds_apart=False)
    return Grid(tag or "pairs", whole.models, parts + whole.lines)


def overview(run: Run) -> Grid:
    """Lay out one line per set: the accuracy of each model that was asked for, and the labels that the set has."""
    lines = []
    for name in run.sets:
        cells = {model: wholes_of(run.scores_of(name), model) for model in run.requested_models}
        golds = [gold for gold in next(iter(cells.values()), {}) if gold != ALL]
        shown = tuple(found[ALL].text() if ALL in found else "-" for found in cells.values())
        n = max((found[ALL].n for found in cells.values() if ALL in found), default=0)
        lines.append(GridRow(plain(name), plain(", ".join(golds)), n, shown))
    return Grid("set", tuple(run.requested_models), tuple(lines))


def headline_tag(scores: pl.DataFrame) -> str | None:
    """Choose the tag of the main table: the first single tag the scores were counted by."""
    single = [by for by in scores["by"].unique(maintain_order=True) if by and "," not in by]
    return single[0] if single else None


def grid(scores: pl.DataFrame, by: Sequence[str], models: Sequence[str], *, golds_apart: bool) -> Grid:
    """Lay out the scores that were counted by these tags; golds_apart leaves out the sums over labels.

    A model without any score here, such as a baseline that doesn't fit the set, has no column.
    """
    lines = []
    models = [model for model in models if model in set(scores["model"])]
    found = _cells(scores, by)
    labels = Counter(key[:-1] for key in found)
    for key, by_model in found.items():
        *tags, gold = key
        if gold == ALL and (golds_apart or labels[key[:-1]] == 2):  # noqa: PLR2004 - one label and its sum are the same
            continue
        group = " / ".join(plain(tag) for tag in tags) or ALL
        n = max(cell.n for cell in by_model.values())
        shown = tuple(by_model[model].text() if model in by_model else "-" for model in models)
        lines.append(GridRow(group, plain(gold), n, shown))
    return Grid(",".join(by) or "pairs", tuple(models), tuple(lines))


def cells_of(scores: pl.DataFrame, tag: str, model: str) -> Mapping[str, Mapping[str, Cell]]:
    """Collect one model's cells by the groups of a tag, then by true label."""
    found: dict[str, dict[str, Cell]] = {}
    for (group, gold), by_model in _cells(scores, (tag,)).items():
        if model in by_model:
            found.setdefault(plain(group), {})[str(gold)] = by_model[model]
    return found


def wholes_of(scores: pl.DataFrame, model: str) -> dict[str, Cell]:
    """Collect one model's cells over all pairs, by true label and for all of them."""
    return {
        str(gold): by_model[model] for (gold,), by_model in _cells(scores, ()).items() if model in by_model
    }


def _cell(row: Mapping[str, Any]) -> Cell:
    """Make a cell; that of several runs has their mean and their spread."""
    few = has_few_clusters(row.get("interval") or "")
    if "inner_low" not in row or row["runs"] == 1:
        return Cell(row["n"], row["correct"], row["low"], row["high"], few_clusters=few)
    inner = (row["inner_low"], row["inner_high"])
    spread = SeedSpread(row["runs"], row["sd"], row["least"], row["most"], inner)
    correct = Fraction(row["correct"], row["runs"])
    return Cell(row["n"], correct, row["low"], row["high"], spread, few)


def _cells(scores: pl.DataFrame, by: Sequence[str]) -> dict[tuple[object, ...], dict[str, Cell]]:
    """Collect cells by group and true label, then by model: groups as they come, labels in their order."""
    chosen = scores.filter(pl.col("by") == ",".join(by))
    found: dict[tuple[object, ...], dict[str, Cell]] = {}
    figures = [name for name in _FIGURES if name in chosen.columns]
    keys, cells = chosen.select(*by, "gold").iter_rows(), chosen.select(figures).iter_rows(named=True)
    for key, model, row in zip(keys, chosen["model"], cells, strict=True):
        found.setdefault(key, {})[model] = _cell(row)
    groups = {group: place for place, group in enumerate(dict.fromkeys(key[:-1] for key in found))}
    order = sorted(found, key=lambda key: (groups[key[:-1]], _ORDER.index(str(key[-1]))))
    return {key: found[key] for key in order}
