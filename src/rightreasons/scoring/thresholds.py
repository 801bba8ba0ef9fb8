"""What calling a pair entailed from some probability on gives: for those who choose the threshold themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.core.labels import ENTAILMENT, PROBABILITIES
from rightreasons.scoring.clustered_intervals import DRAWS, SEED
from rightreasons.scoring.intervals import wilson_interval
from rightreasons.scoring.proportion import LEVEL

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Counts = npt.NDArray[np.int64]

STEPS = 100
GRID: Floats = np.arange(STEPS + 1) / STEPS
LIMIT = 0.05  # of the pairs that aren't entailed, so many may be called so


@dataclass(frozen=True)
class ThresholdSweep:
    """For each threshold of the grid, how many entailed and other pairs lie at or above it."""

    true_positives: Counts  # entailed pairs called entailed
    false_positives: Counts  # other pairs called entailed
    entailed: int
    other: int

    def to_table(self) -> pl.DataFrame:
        """Show precision, recall, the share of false entailments and F1 at each threshold, with intervals."""
        called, union = self.true_positives + self.false_positives, self.entailed + self.false_positives
        figures = {
            "precision": (self.true_positives, called),
            "recall": (self.true_positives, np.full_like(self.true_positives, self.entailed)),
            "false_entailments": (self.false_positives, np.full_like(self.false_positives, self.other)),
        }
        columns: dict[str, object] = {"threshold": GRID, "called": called}
        for name, (part, whole) in figures.items():
            columns |= _make_rate_columns(name, part, whole)
        # F1 rises with the share of hits among all pairs that are entailed or called so, and so do its ends.
        jaccard = _make_rate_columns("f1", self.true_positives, union)
        columns |= {name: 2 * share / (1 + share) for name, share in jaccard.items()}
        return pl.DataFrame(columns).with_columns(pl.all().fill_nan(None))


def sweep_thresholds(predictions: pl.DataFrame) -> ThresholdSweep | None:
    """Count over all thresholds from gold and p_entailment; None unless there are both kinds of pairs with one."""
    name = PROBABILITIES[ENTAILMENT]
    if name not in predictions.columns:
        return None
    table = predictions.select(p=pl.col(name).cast(pl.Float64), entailed=pl.col("gold") == ENTAILMENT)
    table = table.filter(pl.col("p").is_finite())
    place = np.clip(np.searchsorted(GRID, table["p"].to_numpy(), side="right") - 1, 0, STEPS)
    entailed = table["entailed"].to_numpy()
    cells = np.stack([np.bincount(place[side], minlength=len(GRID)) for side in (entailed, ~entailed)])
    return _build_threshold_sweep(cells) if cells.sum(axis=1).all() else None


def find_best_f1_index(found: ThresholdSweep) -> int:
    """Find the place in the grid with the best F1; of equal ones the highest threshold, which claims least."""
    return int(
        _locate_best_f1(found.true_positives[None, :], found.false_positives[None, :], found.entailed)[0]
    )


def find_index_within_limit(found: ThresholdSweep, limit: float = LIMIT) -> int | None:
    """Find the lowest threshold at which no larger share of the pairs that aren't entailed is called so."""
    allowed = np.flatnonzero(found.false_positives <= limit * found.other)
    return int(allowed[0]) if len(allowed) else None


def bootstrap_best_threshold_interval(
    found: ThresholdSweep, *, seed: int = SEED, draws: int = DRAWS
) -> tuple[float, float]:
    """Return the thresholds between which the best lies when the pairs are drawn again."""
    rng = np.random.default_rng(seed)
    sides = [-np.diff(side, append=0) for side in (found.true_positives, found.false_positives)]
    drawn = [rng.multinomial(side.sum(), side / side.sum(), size=draws) for side in sides]
    above = [np.cumsum(part[:, ::-1], axis=1)[:, ::-1] for part in drawn]
    chosen = GRID[_locate_best_f1(above[0], above[1], found.entailed)]
    low, high = np.quantile(chosen, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def _build_threshold_sweep(cells: Counts) -> ThresholdSweep:
    above = np.cumsum(cells[:, ::-1], axis=1)[:, ::-1]
    return ThresholdSweep(above[0], above[1], int(above[0, 0]), int(above[1, 0]))


def _locate_best_f1(hits: Counts, alarms: Counts, entailed: int) -> Counts:
    share = hits / (entailed + alarms)
    return np.asarray(STEPS - np.argmax(share[:, ::-1], axis=1))


def _make_rate_columns(name: str, part: Counts, whole: Counts) -> dict[str, Floats]:
    low, high = wilson_interval(part, whole)
    with np.errstate(invalid="ignore", divide="ignore"):
        return {name: part / whole, f"{name}_low": low, f"{name}_high": high}
