"""Two models on one set: what all couples of their runs show, after correction."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.formatting import half_up, round_outwards, round_up
from rightreasons.scoring.cells import ALL
from rightreasons.scoring.paired import LEVEL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True)
class Duel:
    """Two models on the pairs of one set, or on those of one true label: a row for each couple of their runs.

    The differences of the rows are those of the first model from the second.
    """

    set: str
    gold: str
    models: tuple[str, str]
    rows: tuple[Mapping[str, Any], ...]
    labels: tuple[Duel, ...] = ()  # by true label, where the set has two

    @property
    def n(self) -> int:
        """Count the pairs."""
        return int(self.rows[0]["n"])

    @property
    def winner(self) -> str | None:
        """Name the model that is shown to be better, in all couples of runs; none if neither is."""
        for model, sign in zip(self.models, (1, -1), strict=True):
            if self.shown(sign) == len(self.rows):
                return model
        return None

    def shown(self, sign: int) -> int:
        """Count the couples of runs that show a difference for the first model (1) or for the second (-1)."""
        return sum(bool(row["shown"]) and sign * row["difference"] > 0 for row in self.rows)

    def lead(self) -> str:
        """Say by how much the winner leads, and on how many pairs."""
        sign = 1 if self.winner == self.models[0] else -1
        ends = sorted(abs(row["only_a"] - row["only_b"]) for row in self.rows)
        least, most = (half_up(Fraction(100 * end, self.n), 1) for end in (ends[0], ends[-1]))
        if len(self.rows) > 1:
            return f"by {least} to {most} points in all {len(self.rows)} couples of runs, n = {self.n:,}"
        low, high = sorted(sign * self.rows[0][end] for end in ("low", "high"))
        interval = "95% {} to {}".format(*round_outwards(100 * low, 100 * high, 1))
        why = disagreement(self.rows[0])
        return f"by {least} points, {interval}, n = {self.n:,}{f'; {why}' if why else ''}"

    def doubt(self) -> str:
        """Say why no difference is shown: what so many pairs would have shown, or that runs disagree."""
        if len(self.rows) > 1:
            told = [
                f"{self.shown(sign)} for {model}" for model, sign in zip(self.models, (1, -1), strict=True)
            ]
            return f"shown in {' and '.join(told)} of {len(self.rows)} couples of runs, n = {self.n:,}"
        could = self.rows[0]["detectable"]
        if could is None:
            return f"n = {self.n:,}, which can't show any difference"
        return f"n = {self.n:,}, which would have shown {round_up(100 * could, 1)} points"


def disagreement(row: Mapping[str, Any]) -> str:
    """Say why the interval has 0 in it though a difference is shown, or hasn't though none is; nothing if they agree.

    The verdict is that of the exact test, after correction. The interval inverts a score test, whose coverage is
    nearer to 95%, and belongs to one comparison. So the two may differ close to the limit.
    """
    has_zero = row["low"] <= 0 <= row["high"]
    if bool(row["shown"]) != has_zero:
        return ""
    if has_zero:
        return "the interval, which is more cautious than the test here, includes 0"
    if row["p"] < LEVEL:
        return "the interval is not corrected for the other tests of the family"
    return "the exact test, which decides, is more cautious than the interval"


def duels(family: pl.DataFrame, entries: Mapping[str, Sequence[str]]) -> list[Duel]:
    """Collect what a corrected family of comparisons says on whole sets, for each two models and each set."""
    rows = family.filter(pl.col("by") == "").to_dicts() if family.height else []
    found: list[Duel] = []
    for name in dict.fromkeys(str(row["set"]) for row in rows):
        own = [row for row in rows if row["set"] == name]
        for models in combinations(entries, 2):
            made = _duel([row for row in own if row["gold"] == ALL], models, entries)
            golds = dict.fromkeys(row["gold"] for row in own if row["gold"] != ALL)
            labels = [_duel([row for row in own if row["gold"] == gold], models, entries) for gold in golds]
            if made:
                whole = (made.set, made.gold, made.models, made.rows)
                found.append(Duel(*whole, tuple(label for label in labels if label)))
    return found


def _duel(
    rows: Sequence[Mapping[str, Any]], models: tuple[str, str], entries: Mapping[str, Sequence[str]]
) -> Duel | None:
    """Choose the couples of the two models' runs, turned so that the first model comes first."""
    first, second = (set(entries[model]) for model in models)
    kept = [dict(row) for row in rows if row["a"] in first and row["b"] in second]
    kept += [_turned(row) for row in rows if row["a"] in second and row["b"] in first]
    return Duel(str(kept[0]["set"]), str(kept[0]["gold"]), models, tuple(kept)) if kept else None


def _turned(row: Mapping[str, Any]) -> dict[str, Any]:
    swapped = {"only_a": row["only_b"], "only_b": row["only_a"]}
    ends = {"difference": -row["difference"], "low": -row["high"], "high": -row["low"]}
    return {**row, **swapped, **ends}
