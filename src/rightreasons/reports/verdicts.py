"""Verdicts on accuracies: on a set as a whole, and on the pairs of a heuristic by their gold label.

The rules in words come from the same constants as the code, and a test compares the two on a whole grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import floor
from statistics import NormalDist
from typing import TYPE_CHECKING

from rightreasons.core.formatting import format_percent
from rightreasons.core.labels import NON_ENTAILMENT, THREE_LABELS, TWO_LABELS
from rightreasons.reports.report_data import TONES
from rightreasons.scoring.accuracy import ALL
from rightreasons.scoring.sharing import MIN_CLUSTERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rightreasons.core.formatting import Cell
    from rightreasons.reports.report_data import Tone

HIGH = 0.9
LOW = 0.1
CHANCE = 0.5
HEURISTIC_LABELS = ("entailment", "non-entailment")
# Each heuristic covers all pairs that the next one covers, so a model that follows it follows those after it, too.
NESTED_HEURISTICS = ("lexical_overlap", "subsequence", "constituent")
_Z = NormalDist().inv_cdf(0.975)
# If all of n pairs are correct, Wilson's interval begins at n / (n + z^2): fewer pairs than this never lie above HIGH.
FEWEST_PAIRS = floor(_Z * _Z * HIGH / (1 - HIGH)) + 1

PATTERN_RULE = (
    "Verdicts are derived from the 95% confidence intervals. "
    f"On the pairs of a heuristic, which have two labels, a model is above or below chance if the interval lies above "
    f"or below {CHANCE}, and at chance if the intervals of both labels contain {CHANCE}; it is correct on nearly all "
    f"pairs if the interval lies above {HIGH}, and wrong on nearly all if it lies below {LOW}. "
    "It follows a heuristic if it is correct on nearly all entailed pairs and wrong on nearly all non-entailed ones, "
    "as if it predicted entailment wherever the heuristic does. It relies on a heuristic if it is above chance on the "
    "entailed pairs and below chance on the non-entailed ones."
)
TONE_RULE = (
    f"{TONES['few']}: fewer than {FEWEST_PAIRS}, so that even a model that is correct on all of them has an interval "
    f"that is not above {HIGH}; or nearly all pairs share fewer than {MIN_CLUSTERS} values of group, source_id or "
    "premise, too few to estimate how similar pairs with the same value are. "
    f"{TONES['bad']}: the interval of the accuracy does not lie above chance, or not above the majority baseline. "
    f"{TONES['good']}: the interval lies above both, and above {HIGH}. {TONES['open']}: neither. "
    f"Chance is 1 / number of labels: 1/{len(TWO_LABELS)} where neutral and contradiction are merged, "
    f"else 1/{len(THREE_LABELS)}. "
    "The majority baseline is the share of the most frequent gold label; it applies to sets with several gold labels."
)


class Verdict(Enum):
    """What the accuracies on the entailed and the non-entailed pairs of a heuristic show; the value is a clause."""

    RIGHT = "is correct on nearly all {names} pairs, entailed ({e}) and not entailed ({n}): no sign of the heuristic"
    FOLLOWS = "predicts entailment for {yes} of the {names} pairs, entailed or not: it follows {cause}"
    REFUSES = "predicts non-entailment for {no} of the {names} pairs, entailed or not"
    LEANS = (
        "is correct on {e} of the entailed {names} pairs but below chance on the non-entailed ones ({n}): "
        "it relies on {cause}"
    )
    AVOIDS = "is correct on {n} of the non-entailed {names} pairs but below chance on the entailed ones ({e})"
    ABOVE = (
        "is above chance on {names} pairs, entailed ({e}) and not entailed ({n}): "
        "the heuristic alone does not explain its predictions"
    )
    GUESSES = (
        "is at chance on {names} pairs (correct on {e} of the entailed and {n} of the non-entailed ones)"
    )
    MIXED = "shows no clear pattern on {names} pairs (correct on {e} of the entailed and {n} of the non-entailed ones)"


# The tone of a verdict in a headline, and its summary.
SUMMARIES: dict[Verdict, tuple[Tone, str]] = {
    Verdict.RIGHT: ("good", "correct on {e} of the entailed and {n} of the non-entailed {which}pairs"),
    Verdict.FOLLOWS: ("bad", "predicts entailment for {yes} of the {which}pairs, entailed or not"),
    Verdict.REFUSES: ("bad", "predicts non-entailment for {no} of the {which}pairs, entailed or not"),
    Verdict.LEANS: ("bad", "{n} of the non-entailed {which}pairs correct, chance is 50%"),
    Verdict.AVOIDS: ("bad", "{e} of the entailed {which}pairs correct, chance is 50%"),
    Verdict.ABOVE: ("open", "correct on {e} of the entailed and {n} of the non-entailed {which}pairs"),
    Verdict.GUESSES: ("bad", "at chance on the {which}pairs"),
    Verdict.MIXED: ("open", "no clear pattern on the {which}pairs"),
}
# Verdicts that hold whatever the number of pairs; the others may only mean that there are too few.
CONCLUSIVE_VERDICTS = (
    Verdict.RIGHT,
    Verdict.FOLLOWS,
    Verdict.REFUSES,
    Verdict.LEANS,
    Verdict.AVOIDS,
    Verdict.ABOVE,
)


def judge_heuristic(cells: Mapping[str, Cell]) -> Verdict:
    """Judge the accuracies on the entailed and the non-entailed pairs of a heuristic by their intervals."""
    entailed, other = (cells[side] for side in HEURISTIC_LABELS)
    rules = (
        (Verdict.RIGHT, entailed.low > HIGH and other.low > HIGH),
        (Verdict.FOLLOWS, entailed.low > HIGH and other.high < LOW),
        (Verdict.REFUSES, entailed.high < LOW and other.low > HIGH),
        (Verdict.LEANS, entailed.low > CHANCE and other.high < CHANCE),
        (Verdict.AVOIDS, entailed.high < CHANCE and other.low > CHANCE),
        (Verdict.ABOVE, entailed.low > CHANCE and other.low > CHANCE),
        (Verdict.GUESSES, entailed.includes(CHANCE) and other.includes(CHANCE)),
    )
    return next((verdict for verdict, holds in rules if holds), Verdict.MIXED)


def describe_heuristic_verdicts(groups: Mapping[str, Mapping[str, Cell]]) -> list[str]:
    """Return one clause per verdict, with the heuristics that have it; each group has both labels."""
    return [
        _fill_clause(verdict.value, verdict, names, groups)
        for verdict, names in _group_by_verdict(groups).items()
    ]


def summarize_heuristic_verdicts(groups: Mapping[str, Mapping[str, Cell]]) -> tuple[Tone, str]:
    """Judge the heuristics together: the worst tone counts, with the summaries of the verdicts that have it."""
    judged = [
        (SUMMARIES[verdict][0], _fill_clause(SUMMARIES[verdict][1], verdict, names, groups))
        for verdict, names in _group_by_verdict(groups).items()
    ]
    worst = next(tone for tone in TONES if tone in [tone for tone, _ in judged])
    return worst, ", and ".join(text for tone, text in judged if tone == worst)


def name_heuristics(names: Sequence[str]) -> str:
    """Name some heuristics: by the widest alone if it covers the others."""
    words = (
        [_find_widest_heuristic(names)]
        if _find_widest_heuristic(names)
        else [name.replace("_", " ") for name in names]
    )
    return join_words(words)


def join_words(words: Sequence[str]) -> str:
    """Join words with commas and a final "and"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _group_by_verdict(groups: Mapping[str, Mapping[str, Cell]]) -> dict[Verdict, list[str]]:
    by_verdict: dict[Verdict, list[str]] = {}
    for name, cells in groups.items():
        by_verdict.setdefault(judge_heuristic(cells), []).append(name)
    return by_verdict


def _fill_clause(
    clause: str, verdict: Verdict, names: Sequence[str], groups: Mapping[str, Mapping[str, Cell]]
) -> str:
    """Fill in the names and the shares that a clause mentions."""
    entailed, other = ([groups[name][side] for name in names] for side in HEURISTIC_LABELS)
    right_e, n_e = sum(cell.correct for cell in entailed), sum(cell.n for cell in entailed)
    right_n, n_n = sum(cell.correct for cell in other), sum(cell.n for cell in other)
    yes, everywhere = right_e + n_n - right_n, len(names) == len(groups)
    return clause.format(
        names=join_words([name.replace("_", " ") for name in names]),
        which="" if everywhere else f"{name_heuristics(names)} ",
        e=format_percent(right_e, n_e),
        n=format_percent(right_n, n_n),
        yes=format_percent(yes, n_e + n_n),
        no=format_percent(n_e + n_n - yes, n_e + n_n),
        cause=_name_cause(names, verdict, everywhere=everywhere),
    )


def _name_cause(names: Sequence[str], verdict: Verdict, *, everywhere: bool) -> str:
    """Name the heuristic that explains predicting entailment on these pairs, and the bias that may also explain it."""
    heuristic = _find_widest_heuristic(names) or "the heuristic of these pairs"
    # Where all groups of pairs show it, a bias towards entailment looks the same.
    always = verdict is Verdict.FOLLOWS
    bias = "always predicts entailment" if always else "predicts entailment too often in general"
    return f"{heuristic}, or {bias}" if everywhere else heuristic


def _find_widest_heuristic(names: Sequence[str]) -> str:
    """Name the widest of some nested heuristics if they are all that it covers."""
    tails = {NESTED_HEURISTICS[start:]: NESTED_HEURISTICS[start] for start in range(len(NESTED_HEURISTICS))}
    return tails.get(tuple(names), "").replace("_", " ")


@dataclass(frozen=True)
class Baseline:
    """What an accuracy must exceed: chance, and the majority baseline if the set has several gold labels."""

    chance: float
    majority: float | None = None

    @property
    def share(self) -> float:
        """The higher of the two."""
        return max(self.chance, self.majority or 0.0)


def compute_baseline(whole: Mapping[str, Cell], predicted: Iterable[str] = ()) -> Baseline:
    """Find the baselines of a set from its cells by gold label and the labels that were predicted."""
    golds = {gold: cell.n for gold, cell in whole.items() if gold != ALL}
    two = NON_ENTAILMENT in golds or NON_ENTAILMENT in set(predicted)
    majority = max(golds.values()) / whole[ALL].n if len(golds) > 1 else None
    return Baseline(1 / len(TWO_LABELS if two else THREE_LABELS), majority)


def judge_accuracy(cell: Cell, baseline: Baseline) -> Tone:
    """Judge an accuracy by its interval."""
    if cell.n < FEWEST_PAIRS or cell.few_clusters:
        return "few"
    if cell.low <= baseline.share:
        return "bad"
    return "good" if cell.low > HIGH else "open"


def explain_accuracy_judgement(cell: Cell, baseline: Baseline) -> str:
    """Describe the accuracy that a verdict is based on, and the baseline that it does not exceed."""
    correct = f"{format_percent(cell.correct, cell.n)} correct"
    tone = judge_accuracy(cell, baseline)
    if tone == "few":
        pairs = f"{cell.n:,} {'pair' if cell.n == 1 else 'pairs'}"
        shared = (
            f" that share fewer than {MIN_CLUSTERS} groups, sources or premises" if cell.few_clusters else ""
        )
        return f"{pairs}{shared}, {correct}"
    if tone == "bad":
        return f"{correct}, {_describe_missed_baseline(cell, baseline)}"
    if tone == "open" and cell.correct > HIGH * cell.n:
        return f"{correct}, not clearly above {HIGH:.0%}{' in every run' if cell.spread else ''}"
    return correct


def _describe_missed_baseline(cell: Cell, baseline: Baseline) -> str:
    """Name the baseline that the interval does not lie above, and whether it lies below it."""
    majority, chance = baseline.majority or 0.0, f"{baseline.chance:.0%}"
    named = f"the majority baseline ({format_percent(round(1000 * majority), 1000)})"
    if cell.high < baseline.share:
        return f"chance is {chance}" if cell.high < baseline.chance else f"below {named}"
    if cell.low <= baseline.chance:
        return (
            f"at chance ({chance})"
            if cell.includes(baseline.chance)
            else f"not above chance ({chance}) in every run"
        )
    return f"not above {named}{'' if cell.includes(majority) else ' in every run'}"
