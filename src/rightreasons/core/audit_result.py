"""What an audit of a corpus returns: tables, named figures, and one sentence to take away."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from rightreasons.core.exhibit import Exhibit


@dataclass(frozen=True)
class AuditFigure:
    """A figure that gates and experiments refer to by name, with n and a 95% confidence interval.

    The name is unique within its audit, such as `hypothesis`; with the audit before it, it is the address of a gate:
    `partial-input.hypothesis`. `baseline` is the value that a corpus without the bias would have, if there is one.
    """

    name: str
    value: float
    n: int
    low: float | None = None
    high: float | None = None
    baseline: float | None = None

    def to_columns(self) -> dict[str, float | None]:
        """Return the value with its interval, n and the baseline as columns of a table."""
        interval = {"value": self.value, "value_low": self.low, "value_high": self.high}
        return {**interval, "n": self.n, "baseline": self.baseline}


@dataclass(frozen=True)
class AuditResult:
    """The result of one audit on one corpus.

    Tables of several corpora are joined by their key, so an audit returns the same columns for every corpus. `pairs`
    are sets of pairs to be written as files, by the name of the file without its ending.
    """

    exhibits: tuple[Exhibit, ...]
    figures: tuple[AuditFigure, ...] = ()
    summary: str = ""  # the main figure and what it means for a model trained on the corpus
    remarks: tuple[str, ...] = ()  # what was left out, and why
    pairs: Mapping[str, pl.DataFrame] = field(default_factory=dict)

    def get_figure(self, name: str) -> AuditFigure:
        """Return a figure by its name."""
        return next(figure for figure in self.figures if figure.name == name)
