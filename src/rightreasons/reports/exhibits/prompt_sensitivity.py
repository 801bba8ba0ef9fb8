"""How much the wording of the prompt matters: one model run with several prompts."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.errors import format_count
from rightreasons.core.exhibit import PROMPTS, Exhibit
from rightreasons.core.formatting import Cell, format_percent, round_half_up
from rightreasons.reports.score_cells import collect_total_cells
from rightreasons.reports.takeaways import (
    MAX_UNLABELLED,
    count_unlabelled,
    get_predicted_label_counts,
    has_many_unlabelled,
)
from rightreasons.scoring.accuracy import ALL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rightreasons.runs.folder import Run

COLUMNS = (
    "model",
    "set",
    "prompts",
    "lowest",
    "mean",
    "highest",
    "spread (percentage points)",
    "excluded (no label)",
)
_CAPTION = (
    "Accuracy of the models that were run with several prompts: lowest, mean and highest over the prompts."
)


def make_prompt_tables(runs: Sequence[Run]) -> list[Exhibit]:
    """Show how accuracies differ between prompts, for the models that were run with several."""
    spreads = [spread for run in runs for spread in collect_prompt_spreads(run)]
    if not spreads:
        return []
    return [
        Exhibit(
            PROMPTS,
            "How much the wording of the prompt matters",
            _CAPTION,
            pl.DataFrame([spread.make_table_row() for spread in spreads], schema=list(COLUMNS), orient="row"),
            dict.fromkeys(COLUMNS, "text"),
            notes=tuple(spread.describe() for spread in spreads),
        )
    ]


@dataclass(frozen=True)
class PromptSpread:
    """The accuracies of one model on one set, by prompt, from the lowest to the highest.

    Prompts whose predictions often have no label are left out: they measure how well outputs are parsed.
    """

    model: str
    set: str
    by_prompt: Mapping[str, Cell]
    left_out: Mapping[str, str] = field(
        default_factory=dict
    )  # by prompt, the share of predictions without a label

    @property
    def is_comparable(self) -> bool:
        """Whether there are two accuracies to compare."""
        return len(self.by_prompt) > 1

    @property
    def lowest_and_highest(self) -> tuple[tuple[str, Cell], tuple[str, Cell]]:
        """The prompts with the lowest and the highest accuracy."""
        lowest, *_, highest = self.by_prompt.items()
        return lowest, highest

    @property
    def difference_in_points(self) -> str:
        """The difference of the highest and the lowest accuracy in percentage points."""
        (_, low), (_, high) = self.lowest_and_highest
        return round_half_up(100 * (_compute_accuracy(high) - _compute_accuracy(low)), 1)

    def make_table_row(self) -> tuple[str, ...]:
        """Return a row of the table, with the prompts that are left out in its last cell."""
        left_out = ", ".join(f"{prompt} ({share})" for prompt, share in self.left_out.items()) or "-"
        return self.model, self.set, str(len(self.by_prompt)), *self._format_accuracy_cells(), left_out

    def _format_accuracy_cells(self) -> tuple[str, ...]:
        if not self.is_comparable:
            return ("-",) * 4
        (lowest, low), (highest, high) = self.lowest_and_highest
        mean = sum(map(_compute_accuracy, self.by_prompt.values()), Fraction(0)) / len(self.by_prompt)
        ends = (f"{_format_accuracy(cell)} ({prompt})" for prompt, cell in ((lowest, low), (highest, high)))
        least, most = ends
        shown_mean = f"{round_half_up(100 * mean, 1)}%"
        return least, shown_mean, most, self.difference_in_points

    def describe(self) -> str:
        """Describe the difference, or that there is none, and what was left out."""
        if not self.left_out:
            return f"{self._describe_sensitivity()}."
        every = len(self.by_prompt) + len(self.left_out)
        why = f"more than {MAX_UNLABELLED:.0%} of their predictions have no label"
        left_out = f"{len(self.left_out)} of {every} prompts excluded, because {why}"
        return f"{self._describe_sensitivity()} ({left_out})."

    def _describe_sensitivity(self) -> str:
        if not self.is_comparable:
            return f"The effect of the wording on the accuracy of {self.model} on {self.set} is unknown"
        (_, low), (_, high) = self.lowest_and_highest
        moves = f"from {_format_accuracy(low)} to {_format_accuracy(high)}"
        if low.high < high.low:
            return f"The wording alone changes the accuracy of {self.model} on {self.set} {moves}"
        return (
            f"The accuracy of {self.model} on {self.set} varies {moves} with the wording, "
            f"which is within noise for {format_count(low.n, 'pair')}: the intervals overlap"
        )


def collect_prompt_spreads(run: Run) -> list[PromptSpread]:
    """Collect the accuracies of each model that was run with several prompts, set by set."""
    asked: dict[str, dict[str, str]] = {}
    for entry in run.card["models"]:
        if entry.get("prompt") and entry.get("of"):
            asked.setdefault(entry["of"], {})[entry["prompt"]] = entry["name"]
    several = {model: names for model, names in asked.items() if len(names) > 1}
    return [
        _collect_prompt_spread(run, model, name, names)
        for model, names in several.items()
        for name in run.sets
    ]


def _collect_prompt_spread(run: Run, model: str, name: str, names: Mapping[str, str]) -> PromptSpread:
    scores = run.get_scores(name)
    cells = {prompt: collect_total_cells(scores, entry)[ALL] for prompt, entry in names.items()}
    predicted = {prompt: get_predicted_label_counts(run, name, entry) for prompt, entry in names.items()}
    left_out = {
        prompt: format_percent(count_unlabelled(predicted[prompt]), cell.n)
        for prompt, cell in cells.items()
        if has_many_unlabelled(predicted[prompt], cell.n)
    }
    kept = {prompt: cell for prompt, cell in cells.items() if prompt not in left_out}
    return PromptSpread(
        model, name, dict(sorted(kept.items(), key=lambda item: _compute_accuracy(item[1]))), left_out
    )


def _compute_accuracy(cell: Cell) -> Fraction:
    return Fraction(cell.correct, cell.n)


def _format_accuracy(cell: Cell) -> str:
    return format_percent(cell.correct, cell.n)
