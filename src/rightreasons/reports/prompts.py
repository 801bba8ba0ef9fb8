"""How much the wording of the question matters: one model asked with several prompts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from rightreasons.reports.cells import Cell, percent
from rightreasons.reports.grids import wholes_of
from rightreasons.scoring.accuracy import ALL
from rightreasons.scoring.intervals import half_up

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rightreasons.runs import Run

COLUMNS = ("model", "set", "prompts", "lowest", "mean", "highest", "spread in points")


@dataclass(frozen=True)
class Spread:
    """The accuracies of one model on one set, by prompt, from the lowest to the highest."""

    model: str
    set: str
    by_prompt: Mapping[str, Cell]

    @property
    def ends(self) -> tuple[tuple[str, Cell], tuple[str, Cell]]:
        """The prompts with the lowest and the highest accuracy."""
        lowest, *_, highest = self.by_prompt.items()
        return lowest, highest

    @property
    def points(self) -> str:
        """The distance of the two in points."""
        (_, low), (_, high) = self.ends
        return half_up(100 * (_share(high) - _share(low)), 1)

    def row(self) -> tuple[str, ...]:
        """Show it as a line of the table."""
        (lowest, low), (highest, high) = self.ends
        mean = sum(map(_share, self.by_prompt.values()), Fraction(0)) / len(self.by_prompt)
        ends = (f"{_percent(cell)} ({prompt})" for prompt, cell in ((lowest, low), (highest, high)))
        least, most = ends
        shown_mean = f"{half_up(100 * mean, 1)}%"
        return self.model, self.set, str(len(self.by_prompt)), least, shown_mean, most, self.points

    def sentence(self) -> str:
        """Say what to take away: a difference, or that these pairs don't show one."""
        (_, low), (_, high) = self.ends
        moves = f"from {_percent(low)} to {_percent(high)}"
        if low.high < high.low:
            return f"The wording alone moves the accuracy of {self.model} on {self.set} {moves}."
        return (
            f"The accuracy of {self.model} on {self.set} goes {moves} with the wording, "
            f"which {low.n:,} pairs don't tell from chance: the intervals overlap."
        )


def spreads(run: Run) -> list[Spread]:
    """Collect the accuracies of each model that was asked with several prompts."""
    asked: dict[str, dict[str, str]] = {}
    for entry in run.card["models"]:
        if entry.get("prompt") and entry.get("of"):
            asked.setdefault(entry["of"], {})[entry["prompt"]] = entry["name"]
    several = {model: names for model, names in asked.items() if len(names) > 1}
    return [_spread(run, model, name, names) for model, names in several.items() for name in run.sets]


def _spread(run: Run, model: str, name: str, names: Mapping[str, str]) -> Spread:
    scores = run.scores_of(name)
    cells = {prompt: wholes_of(scores, entry)[ALL] for prompt, entry in names.items()}
    return Spread(model, name, dict(sorted(cells.items(), key=lambda item: _share(item[1]))))


def _share(cell: Cell) -> Fraction:
    return Fraction(cell.correct, cell.n)


def _percent(cell: Cell) -> str:
    return percent(cell.correct, cell.n)
