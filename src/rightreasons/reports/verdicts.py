"""What a model goes by on the pairs of a heuristic, judged from its accuracies on entailed and other pairs."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from rightreasons.core.formatting import Cell, percent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HIGH = 0.9
LOW = 0.1
CHANCE = 0.5
SIDES = ("entailment", "non-entailment")
# Each heuristic covers all that the next one covers, so whoever follows it follows those after it too.
NESTED = ("lexical_overlap", "subsequence", "constituent")

RULE = (
    "A sentence is said only where the 95% intervals bear it. "
    f"Nearly all means that the whole interval lies above {HIGH} (or below {LOW}, for errors); "
    f"above or below chance on the pairs of a heuristic, which have two labels, that the whole interval lies on that "
    f"side of {CHANCE}; can't be told from guessing, that the intervals of both labels hold {CHANCE}. "
    "It follows a heuristic means that it is right on nearly all entailed pairs and wrong on nearly all of those "
    "not entailed, as if it said entailment wherever the heuristic does; "
    "it leans on it, that it is above chance on the entailed pairs and below chance on those not entailed."
)


class Verdict(Enum):
    """What a model's two accuracies on the pairs of one heuristic say; the value is the sentence."""

    RIGHT = "is right on nearly all {names} pairs, entailed ({e}) and not ({n}): no sign of the heuristic"
    FOLLOWS = "says entailment for {yes} of the {names} pairs, whether it holds or not: it follows {cause}"
    REFUSES = "says non-entailment for {no} of the {names} pairs, whether entailed or not"
    LEANS = (
        "is right on {e} of the entailed {names} pairs but below chance on those not entailed ({n}): "
        "it leans on {cause}"
    )
    AVOIDS = "is right on {n} of the non-entailed {names} pairs but below chance on the entailed ({e})"
    ABOVE = (
        "is above chance on {names} pairs, entailed ({e}) and not ({n}): the heuristic alone is not its rule"
    )
    GUESSES = (
        "can't be told from guessing on {names} pairs "
        "(right on {e} of the entailed, on {n} of those not entailed)"
    )
    MIXED = (
        "shows no clear pattern on {names} pairs (right on {e} of the entailed, on {n} of those not entailed)"
    )


def verdict(entailed: Cell, other: Cell) -> Verdict:
    """Judge the accuracies on entailed and on non-entailed pairs by their intervals."""
    rules = (
        (Verdict.RIGHT, entailed.low > HIGH and other.low > HIGH),
        (Verdict.FOLLOWS, entailed.low > HIGH and other.high < LOW),
        (Verdict.REFUSES, entailed.high < LOW and other.low > HIGH),
        (Verdict.LEANS, entailed.low > CHANCE and other.high < CHANCE),
        (Verdict.AVOIDS, entailed.high < CHANCE and other.low > CHANCE),
        (Verdict.ABOVE, entailed.low > CHANCE and other.low > CHANCE),
        (Verdict.GUESSES, _holds_chance(entailed) and _holds_chance(other)),
    )
    return next((name for name, holds in rules if holds), Verdict.MIXED)


# Verdicts that a model shows, whatever the number of pairs; the others may only say that pairs are lacking.
SHOWN = (Verdict.RIGHT, Verdict.FOLLOWS, Verdict.REFUSES, Verdict.LEANS, Verdict.AVOIDS, Verdict.ABOVE)


def clauses(groups: Mapping[str, Mapping[str, Cell]]) -> list[str]:
    """Say one clause per verdict, with the heuristics it holds for; each group has both sides."""
    by_verdict: dict[Verdict, list[str]] = {}
    for name, cells in groups.items():
        by_verdict.setdefault(verdict(cells[SIDES[0]], cells[SIDES[1]]), []).append(name)
    return [_clause(found, names, groups) for found, names in by_verdict.items()]


def _clause(found: Verdict, names: Sequence[str], groups: Mapping[str, Mapping[str, Cell]]) -> str:
    entailed = [groups[name][SIDES[0]] for name in names]
    other = [groups[name][SIDES[1]] for name in names]
    right_e, n_e = sum(cell.correct for cell in entailed), sum(cell.n for cell in entailed)
    right_n, n_n = sum(cell.correct for cell in other), sum(cell.n for cell in other)
    yes = right_e + n_n - right_n
    return found.value.format(
        names=_listed([name.replace("_", " ") for name in names]),
        e=percent(right_e, n_e),
        n=percent(right_n, n_n),
        yes=percent(yes, n_e + n_n),
        no=percent(n_e + n_n - yes, n_e + n_n),
        cause=_cause(names, found, everywhere=len(names) == len(groups)),
    )


def _cause(names: Sequence[str], found: Verdict, *, everywhere: bool) -> str:
    """Name the one heuristic that explains entailment on these pairs, and the bias that may as well."""
    tails = {NESTED[start:]: NESTED[start] for start in range(len(NESTED))}
    widest = tails.get(tuple(names))
    heuristic = widest.replace("_", " ") if widest else "the heuristic there"
    # Where no group of pairs is free of it, a taste for entailment looks the same.
    bias = "says entailment always" if found is Verdict.FOLLOWS else "says entailment too often in general"
    return f"{heuristic}, or {bias}" if everywhere else heuristic


def _holds_chance(cell: Cell) -> bool:
    return cell.may_be(CHANCE)


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
