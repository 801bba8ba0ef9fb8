"""The verdict on one accuracy: reliable, middling, not to be relied on, or too few pairs; and the rule in words.

Rule and words come from the same constants, and a test holds one against the other on a whole grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from statistics import NormalDist
from typing import TYPE_CHECKING

from rightreasons.core.formatting import percent
from rightreasons.core.labels import NON_ENTAILMENT, THREE, TWO
from rightreasons.reports.report import TONES
from rightreasons.reports.verdicts import HIGH
from rightreasons.scoring.accuracy import ALL
from rightreasons.scoring.sharing import FEWEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rightreasons.core.formatting import Cell
    from rightreasons.reports.report import Tone

_Z = NormalDist().inv_cdf(0.975)
# All of n right has Wilson's interval from n / (n + z^2) on: of fewer pairs it never lies above what reliable means.
FEWEST_PAIRS = floor(_Z * _Z * HIGH / (1 - HIGH)) + 1

TONE_RULE = (
    f"{TONES['few']} means fewer than {FEWEST_PAIRS}: not even a model that is right on all of them would have an "
    f"interval above {HIGH}, so there is no verdict. Nor is there one where nearly all pairs share fewer than "
    f"{FEWEST} values of group, source_id or premise: so few don't show how much the pairs of one value are alike. "
    f"{TONES['bad']}: the interval of the accuracy does not lie above chance, or not above the majority baseline. "
    f"{TONES['good']}: the whole interval lies above both, and above {HIGH}. {TONES['open']} is what is neither. "
    f"Chance is 1 / number of labels: 1/{len(TWO)} where neutral and contradiction are merged, else 1/{len(THREE)}. "
    "The majority baseline is the share of the most frequent gold label, on sets that have several."
)


@dataclass(frozen=True)
class Baseline:
    """What an accuracy must lie above: chance, and the majority baseline where the set has several gold labels."""

    chance: float
    majority: float | None = None

    @property
    def share(self) -> float:
        """The higher of the two."""
        return max(self.chance, self.majority or 0.0)


def baseline_of(whole: Mapping[str, Cell], predicted: Iterable[str] = ()) -> Baseline:
    """Find the baselines of a set from its cells by gold label and the labels that were predicted."""
    golds = {gold: cell.n for gold, cell in whole.items() if gold != ALL}
    two = NON_ENTAILMENT in golds or NON_ENTAILMENT in set(predicted)
    majority = max(golds.values()) / whole[ALL].n if len(golds) > 1 else None
    return Baseline(1 / len(TWO if two else THREE), majority)


def tone_of(cell: Cell, baseline: Baseline) -> Tone:
    """Judge an accuracy by its interval."""
    if cell.n < FEWEST_PAIRS or cell.few_clusters:
        return "few"
    if cell.low <= baseline.share:
        return "bad"
    return "good" if cell.low > HIGH else "open"


def reason_of(cell: Cell, baseline: Baseline) -> str:
    """Say what the verdict rests on."""
    right = f"{percent(cell.correct, cell.n)} right"
    tone = tone_of(cell, baseline)
    if tone == "few":
        pairs = f"{cell.n:,} {'pair' if cell.n == 1 else 'pairs'}"
        shared = f" that share fewer than {FEWEST} groups, sources or premises" if cell.few_clusters else ""
        return f"{pairs}{shared}, {right}"
    if tone == "bad":
        return f"{_below(cell, baseline)}, {right}"
    if tone == "open" and cell.correct > HIGH * cell.n:
        return f"{right}, not clearly above {HIGH:.0%}{' in every run' if cell.spread else ''}"
    return right


def _below(cell: Cell, baseline: Baseline) -> str:
    """Name the baseline that the interval does not lie above, and say whether it lies below it."""
    majority = baseline.majority or 0.0
    named = f"the majority baseline of {percent(round(1000 * majority), 1000)}"
    if cell.high < baseline.share:
        return "below chance" if cell.high < baseline.chance else f"below {named}"
    if cell.low <= baseline.chance:
        return "at chance" if cell.may_be(baseline.chance) else "not above chance in every run"
    return f"not above {named}{'' if cell.may_be(majority) else ' in every run'}"
