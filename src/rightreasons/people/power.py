"""Power of a study: how wide the interval of a figure becomes with so many items and judgements, by simulation.

Many studies are simulated with the model of `probit`, each with new participants and new items. The half-width is 1.96
standard deviations of their figures: what a 95% confidence interval has to cover that holds for other participants and
other items.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10, sqrt
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.people.probit import JudgementSpread, compute_joint_accuracy, convert_accuracy_spread

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Figure = Literal["accuracy", "alpha", "kappa"]
FIGURES: tuple[Figure, ...] = ("accuracy", "alpha", "kappa")
DEFAULT_JUDGEMENTS = (1, 2, 3, 5, 7, 10)
SIMULATIONS = 2000
_MOST_ITEMS = 1000  # that are simulated: with more items, widths shrink like the root of their number
_LARGEST = 1_000_000  # items of a study
_FIRST_TRY, _TRIES = 300, 10
_CLOSE = 0.95  # of the wanted width
_AT_A_TIME = 4_000_000  # judgements in memory
_DEVIATIONS = 1.96  # on each side of the middle 95% of a normal distribution
_FEWEST = 2  # labels of an item that can agree


@dataclass(frozen=True)
class PowerAssumptions:
    """What is assumed of participants and items."""

    accuracy: float = 0.76
    spread: JudgementSpread = JudgementSpread()  # noqa: RUF009 - frozen
    excluded: float = 0.0  # share of the participants that the analysis excludes
    labels: int = 2
    items_per_participant: int = 57

    @classmethod
    def from_accuracies(
        cls,
        accuracy: float,
        participants: float,
        items: float,
        *,
        excluded: float = 0.0,
        labels: int = 2,
        items_per_participant: int = 57,
    ) -> PowerAssumptions:
        """Build assumptions from the standard deviations of the accuracies of participants and of items."""
        if not 0 < accuracy < 1:
            raise InputError(f"The accuracy can't be {accuracy:g}. It must be above 0 and below 1.")
        if not 0 <= excluded < 1:
            raise InputError(f"The share of excluded participants can't be {excluded:g}. Use 0 to below 1.")
        spread = convert_accuracy_spread(accuracy, participants, items)
        return cls(accuracy, spread, excluded, labels, items_per_participant)

    def describe_spread(self) -> tuple[float, float]:
        """Return the standard deviations of the accuracies of participants, and of items."""
        squares = [
            compute_joint_accuracy(self.accuracy, (each / self.spread.total) ** 2) - self.accuracy**2
            for each in (self.spread.participant, self.spread.item)
        ]
        return sqrt(max(squares[0], 0)), sqrt(max(squares[1], 0))


@dataclass(frozen=True)
class StudyDesign:
    """How many items a study has, and how many judgements of each."""

    items: int
    judgements: int

    def count_participants(self, items_per_participant: int) -> int:
        """Count the participants, including those who are excluded."""
        per_person = min(items_per_participant, self.items)
        return max(ceil(self.items * self.judgements / per_person), self.judgements)


def compute_half_width(
    design: StudyDesign, assumed: PowerAssumptions, figure: Figure, *, simulations: int, seed: int
) -> float:
    """Compute the half-width of the 95% interval of a figure; beyond 1,000 items, it is extrapolated."""
    simulated = StudyDesign(min(design.items, _MOST_ITEMS), design.judgements)
    figures = simulate_figures(simulated, assumed, figure, simulations=simulations, seed=seed)
    return _DEVIATIONS * float(np.nanstd(figures, ddof=1)) * sqrt(simulated.items / design.items)


def simulate_figures(
    design: StudyDesign, assumed: PowerAssumptions, figure: Figure, *, simulations: int, seed: int
) -> Floats:
    """Simulate studies, and compute the figure of each; not a number where nothing was retained."""
    rng = np.random.default_rng([abs(seed), int(seed < 0), design.items, design.judgements])
    at_a_time = max(1, _AT_A_TIME // (design.items * design.judgements))
    parts = [
        _simulate_some(design, assumed, figure, min(at_a_time, simulations - start), rng)
        for start in range(0, simulations, at_a_time)
    ]
    return np.concatenate(parts)


def find_design(
    width: float, judgements: int, assumed: PowerAssumptions, figure: Figure, *, simulations: int, seed: int
) -> tuple[StudyDesign, float] | None:
    """Find the fewest items for a half-width, rounded up to two digits; None if no study is large enough."""
    items, best = _FIRST_TRY, None
    for _ in range(_TRIES):
        design = StudyDesign(items, judgements)
        found = compute_half_width(design, assumed, figure, simulations=simulations, seed=seed)
        if found <= width and (best is None or items < best[0].items):
            best = design, found
        if not found > 0 or _CLOSE * width <= found <= width:
            break
        # The width shrinks nearly like the root of the number of items.
        scaled = _round_up(max(2, items * (found / width) ** 2))
        items = max(scaled, items + 1) if found > width else scaled
        if items > _LARGEST or (best is not None and items >= best[0].items):
            break
    return best


def _round_up(number: float) -> int:
    """Round up to two significant digits."""
    unit = int(10 ** max(0, floor(log10(number)) - 1))
    return ceil(number / unit) * unit


def _simulate_some(
    design: StudyDesign, assumed: PowerAssumptions, figure: Figure, count: int, rng: np.random.Generator
) -> Floats:
    """Simulate studies at once: axes are studies, items, judgements."""
    people = design.count_participants(assumed.items_per_participant)
    form = np.arange(design.items * design.judgements).reshape(design.items, design.judgements) % people
    spread = assumed.spread
    threshold = float(spread.compute_thresholds(np.array(assumed.accuracy)))
    value = rng.standard_normal((count, design.items, design.judgements), np.float32)
    value += np.float32(threshold)
    if spread.item:
        value += np.float32(spread.item) * rng.standard_normal((count, design.items, 1), np.float32)
    if spread.participant:
        ability = np.float32(spread.participant) * rng.standard_normal((count, people), np.float32)
        value += ability[:, form]
    right = value > 0
    kept = np.ones_like(right)
    if assumed.excluded:
        kept = (rng.random((count, people)) >= assumed.excluded)[:, form]
    if figure == "accuracy":
        with np.errstate(invalid="ignore"):
            return np.asarray((right & kept).sum(axis=(1, 2)) / kept.sum(axis=(1, 2)))
    return compute_chance_corrected(_count_labels(right, kept, assumed.labels, rng), figure)


def _count_labels(
    right: NDArray[np.bool_], kept: NDArray[np.bool_], labels: int, rng: np.random.Generator
) -> Floats:
    """Count the labels of each item; gold labels are equally frequent, wrong ones are any of the others."""
    studies, items, _ = right.shape
    gold = np.broadcast_to(np.arange(items) % labels, (studies, items))[:, :, None]
    given = np.where(right, gold, (gold + rng.integers(1, labels, right.shape)) % labels)
    counts = [((given == label) & kept).sum(axis=2) for label in range(labels)]
    return np.stack(counts, axis=-1).astype(np.float64)


def compute_chance_corrected(counts: Floats, figure: Figure) -> Floats:
    """Compute Krippendorff's alpha, or Fleiss' kappa, of studies at once: axes are studies, items, labels.

    Items with fewer than two labels are left out. With unequal numbers of labels, kappa is the mean over items.
    """
    totals = counts.sum(axis=-1, keepdims=True)
    used = totals >= _FEWEST
    counts = np.where(used, counts, 0)
    totals = np.where(used, totals, _FEWEST)
    pairs = (counts * (counts - 1)).sum(axis=-1) / (totals[..., 0] - 1)
    label_sums = counts.sum(axis=1)
    n = label_sums.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        if figure == "alpha":
            agreed = pairs.sum(axis=-1) / n
            chance = (label_sums * (label_sums - 1)).sum(axis=-1) / (n * (n - 1))
        else:
            agreed = (pairs / totals[..., 0]).sum(axis=-1) / used[..., 0].sum(axis=-1)
            chance = ((label_sums / n[:, None]) ** 2).sum(axis=-1)
        return np.asarray((agreed - chance) / (1 - chance))


def make_power_table(
    assumed: PowerAssumptions,
    figure: Figure,
    *,
    width: float | None = None,
    judgements: Sequence[int] = DEFAULT_JUDGEMENTS,
    items: Sequence[int] = (),
    simulations: int = SIMULATIONS,
    seed: int = 0,
) -> pl.DataFrame:
    """Make a table of designs and half-widths: for given items, or the items that a half-width takes."""
    usable = [count for count in judgements if figure == "accuracy" or count >= _FEWEST]
    if not usable:
        raise InputError(f"For the {figure}, each item needs at least 2 judgements. Raise --judgements.")
    if items:
        designs = [StudyDesign(number, count) for number in items for count in usable]
        widths = [
            compute_half_width(design, assumed, figure, simulations=simulations, seed=seed)
            for design in designs
        ]
        return _tabulate(zip(designs, widths, strict=True), assumed)
    if width is None or not 0 < width < 1:
        raise InputError(f"The half-width can't be {width}. It must be above 0 and below 1.")
    tried = [
        find_design(width, count, assumed, figure, simulations=simulations, seed=seed) for count in usable
    ]
    return _tabulate((each for each in tried if each is not None), assumed)


def recommend_design(table: pl.DataFrame, width: float) -> dict[str, int] | None:
    """Choose the design that takes the fewest judgements, of equals that with fewer items; None if none is enough."""
    enough = table.filter(pl.col("half_width") <= width).sort("total", "items")
    return enough.row(0, named=True) if enough.height else None


def _tabulate(found: Iterable[tuple[StudyDesign, float]], assumed: PowerAssumptions) -> pl.DataFrame:
    schema = {
        **dict.fromkeys(("judgements", "items", "total", "participants"), pl.Int64()),
        "half_width": pl.Float64(),
    }
    rows = [
        (
            design.judgements,
            design.items,
            design.items * design.judgements,
            design.count_participants(assumed.items_per_participant),
            width,
        )
        for design, width in found
    ]
    return pl.DataFrame(rows, schema=schema, orient="row")
