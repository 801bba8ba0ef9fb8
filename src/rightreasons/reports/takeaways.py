"""One sentence per model on what it goes by, drawn from the figures by a stated rule."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from rightreasons.reports.cells import Cell, percent
from rightreasons.reports.grids import cells_of, headline_tag, whole_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

HIGH = 0.9
LOW = 0.1
CHANCE = 0.5
SIDES = ("entailment", "non-entailment")
# Each heuristic covers all that the next one covers, so whoever follows it follows those after it too.
NESTED = ("lexical_overlap", "subsequence", "constituent")

RULE = (
    "A sentence is said only where the 95% intervals bear it. "
    f"Nearly all means that the whole interval lies above {HIGH} (or below {LOW}, for errors); "
    f"above or below chance, that the whole interval lies on that side of {CHANCE}; "
    f"not told from guessing, that both intervals hold {CHANCE}."
)


class Verdict(Enum):
    """What a model's two accuracies on the pairs of one heuristic say; the value is the sentence."""

    RIGHT = "is right on nearly all {names} pairs, entailed ({e}) and not ({n}): no sign of the heuristic"
    FOLLOWS = "says entailment for {yes} of the {names} pairs, whether it holds or not: {cause}"
    REFUSES = "says non-entailment for {no} of the {names} pairs, whether entailed or not"
    LEANS = (
        "is right on {e} of the entailed {names} pairs but below chance on the others ({n}): "
        "it leans on the heuristic"
    )
    AVOIDS = "is right on {n} of the non-entailed {names} pairs but below chance on the entailed ({e})"
    ABOVE = (
        "is above chance on {names} pairs, entailed ({e}) and not ({n}): the heuristic alone is not its rule"
    )
    GUESSES = "can't be told from guessing on {names} pairs ({e} of the entailed, {n} of the others)"
    MIXED = "shows no clear pattern on {names} pairs ({e} of the entailed, {n} of the others right)"


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


def takeaway(scores: pl.DataFrame, model: str) -> str:
    """Say in one sentence what a model goes by on one set; the model's name is left to the caller."""
    tag = headline_tag(scores)
    groups = cells_of(scores, tag, model) if tag == "heuristic" else {}
    judged = {name: cells for name, cells in groups.items() if all(side in cells for side in SIDES)}
    if judged:
        return "; ".join(_clauses(judged)) + "."
    whole = whole_of(scores, model)
    return (
        f"is right on {percent(whole.correct, whole.n)} of {whole.n:,} pairs." if whole else "has no scores."
    )


def _clauses(groups: Mapping[str, Mapping[str, Cell]]) -> list[str]:
    """Say one clause per verdict, with the heuristics it holds for."""
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
        cause=_cause(names, always=len(names) == len(groups)),
    )


def _cause(names: Sequence[str], *, always: bool) -> str:
    """Name the one heuristic that explains entailment on these pairs, and the constant that may."""
    tails = {NESTED[start:]: NESTED[start] for start in range(len(NESTED))}
    widest = tails.get(tuple(names))
    heuristic = f"it follows {widest.replace('_', ' ')}" if widest else "it goes by the heuristic there"
    return f"{heuristic}, or says entailment always" if always else heuristic


def _holds_chance(cell: Cell) -> bool:
    return cell.low <= CHANCE <= cell.high


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
