"""Rows of a score table as cells: by group, gold label and model."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.formatting import Cell, SeedSpread, replace_unprintable
from rightreasons.core.labels import LABELS
from rightreasons.scoring.accuracy import ALL
from rightreasons.scoring.sharing import has_few_clusters

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# The order of rows within a group.
_ORDER = (*LABELS, ALL)
# The columns of a cell; the last ones exist if a table pools several runs of one model.
_FIGURES = (
    *("n", "correct", "low", "high", "interval"),
    *("runs", "sd", "least", "most", "inner_low", "inner_high"),
)


def choose_main_tag(scores: pl.DataFrame) -> str | None:
    """Choose the tag of the main table: the first single tag the scores were counted by."""
    single = [by for by in scores["by"].unique(maintain_order=True) if by and "," not in by]
    return single[0] if single else None


def collect_group_cells(scores: pl.DataFrame, tag: str, model: str) -> Mapping[str, Mapping[str, Cell]]:
    """Collect one model's cells by the groups of a tag, then by gold label."""
    found: dict[str, dict[str, Cell]] = {}
    for (group, gold), by_model in _collect_cells(scores, (tag,)).items():
        if model in by_model:
            found.setdefault(replace_unprintable(group), {})[str(gold)] = by_model[model]
    return found


def collect_total_cells(scores: pl.DataFrame, model: str) -> dict[str, Cell]:
    """Collect one model's cells over all pairs, by gold label and for all labels."""
    return {
        str(gold): by_model[model]
        for (gold,), by_model in _collect_cells(scores, ()).items()
        if model in by_model
    }


def _build_score_cell(row: Mapping[str, Any]) -> Cell:
    """Build a cell; for several runs, with their mean and their spread."""
    few = has_few_clusters(row.get("interval") or "")
    if "inner_low" not in row or row["runs"] == 1:
        return Cell(row["n"], row["correct"], row["low"], row["high"], few_clusters=few)
    inner = (row["inner_low"], row["inner_high"])
    spread = SeedSpread(row["runs"], row["sd"], row["least"], row["most"], inner)
    correct = Fraction(row["correct"], row["runs"])
    return Cell(row["n"], correct, row["low"], row["high"], spread, few)


def _collect_cells(scores: pl.DataFrame, by: Sequence[str]) -> dict[tuple[object, ...], dict[str, Cell]]:
    """Collect cells by group and gold label, then by model: groups as they occur, labels in their order."""
    chosen = scores.filter(pl.col("by") == ",".join(by))
    found: dict[tuple[object, ...], dict[str, Cell]] = {}
    figures = [name for name in _FIGURES if name in chosen.columns]
    keys, cells = chosen.select(*by, "gold").iter_rows(), chosen.select(figures).iter_rows(named=True)
    for key, model, row in zip(keys, chosen["model"], cells, strict=True):
        found.setdefault(key, {})[model] = _build_score_cell(row)
    groups = {group: place for place, group in enumerate(dict.fromkeys(key[:-1] for key in found))}
    order = sorted(found, key=lambda key: (groups[key[:-1]], _ORDER.index(str(key[-1]))))
    return {key: found[key] for key in order}
