"""The accuracies of a run, one by one: those of a model on a set or a part of it, for one gold label or all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons import __version__
from rightreasons.core.column_checks import RESERVED_PREFIX
from rightreasons.core.formatting import Cell, replace_unprintable
from rightreasons.reports.score_cells import choose_main_tag
from rightreasons.scoring.accuracy import ALL

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rightreasons.runs.folder import Run

_PART, _ALONE = (
    f"{RESERVED_PREFIX}part",
    f"{RESERVED_PREFIX}alone",
)  # beside tags, which may have any other name


@dataclass(frozen=True)
class SubsetAccuracy:
    """One accuracy: on which part of the set, such as a heuristic, and for which gold label; empty means all."""

    set: str
    part: str
    gold: str
    cell: Cell

    @property
    def accuracy(self) -> float:
        """Share of correct predictions."""
        return float(self.cell.correct / self.cell.n)

    @property
    def pairs_covered(self) -> str:
        """Which pairs of the set it covers."""
        gold = "" if self.gold == ALL else self.gold
        return ", ".join(word for word in (self.part, gold) if word) or "all pairs"


def list_accuracies(run: Run, model: str) -> list[SubsetAccuracy]:
    """List the accuracies of a model: each set as a whole, then by its first tag; for all labels, then for each.

    A part with one label has one accuracy.
    """
    return [figure for name in run.sets for figure in _list_set_accuracies(run, name, model)]


def describe_provenance(run: Run, model: str) -> dict[str, str]:
    """Return what determined the accuracies: versions, the label rule, the model with its options, the sets."""
    entry = next(entry for entry in run.card["models"] if entry["name"] == model)
    known: dict[str, Any] = {"model": entry["name"], "given": entry["given"], "rule": run.card["rule"]}
    known |= {f"option.{key}": value for key, value in entry["options"].items()}
    known |= {f"version.{key}": value for key, value in run.card["versions"].items()}
    known |= {"version.export": __version__, "started": run.card["started"], "command": run.card["command"]}
    for item in run.card["sets"]:
        known |= {f"set.{item['slug']}.digest": item["digest"], f"set.{item['slug']}.rows": item["rows"]}
    return {key: replace_unprintable(value) for key, value in known.items()}


def list_summary_files(folder: Path) -> list[Path]:
    """List the files that document a run: reports, scores, card; pairs and predictions are not among them."""
    names = ("report.html", "report.md", "scores.csv", "scores.json", "card.json")
    return [folder / name for name in names if (folder / name).is_file()]


def _list_set_accuracies(run: Run, name: str, model: str) -> Iterator[SubsetAccuracy]:
    scores = run.get_scores(name).filter(pl.col("model") == model)
    tag = choose_main_tag(scores)
    yield from _read_accuracies(scores.filter(pl.col("by") == ""), name, None)
    if tag:
        yield from _read_accuracies(scores.filter(pl.col("by") == tag), name, tag)


def _read_accuracies(scores: pl.DataFrame, name: str, tag: str | None) -> Iterator[SubsetAccuracy]:
    part = pl.lit("") if tag is None else pl.col(tag).cast(pl.String).fill_null("none")
    rows = scores.with_columns(part.alias(_PART)).with_columns((pl.len().over(_PART) == 2).alias(_ALONE))  # noqa: PLR2004 - a label and its sum
    kept = rows.filter(~pl.col(_ALONE) | (pl.col("gold") == ALL))
    ordered = kept.sort(pl.col("gold") != ALL, maintain_order=True)
    for part_name, gold, *cell in ordered.select(_PART, "gold", "n", "correct", "low", "high").iter_rows():
        yield SubsetAccuracy(name, replace_unprintable(part_name), gold, Cell(*cell))
