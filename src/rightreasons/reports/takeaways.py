"""One sentence per model on what it goes by, drawn from the figures by a stated rule."""

from __future__ import annotations

from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from rightreasons.core.errors import counted
from rightreasons.core.formatting import Cell, SeedSpread, half_up, percent
from rightreasons.core.labels import NO_LABEL
from rightreasons.reports import verdicts
from rightreasons.reports.grids import cells_of, headline_tag, wholes_of
from rightreasons.reports.tones import FEWEST_PAIRS
from rightreasons.scoring.accuracy import ALL
from rightreasons.scoring.intervals import wilson

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from rightreasons.runs.folder import Run

MANY = 0.1  # so much more often than it is true, a label is said too often
FEW = 0.01  # of so few answers without a label, the rest still speaks for all
# How often each answer was given; over several runs of one model, the mean.
Said: TypeAlias = "Mapping[str, int] | Mapping[str, int | Fraction]"
UNKNOWN: Said = MappingProxyType({})
MOST_WHOLE = 2  # a label and the sum over it, which are the same

RULE = (
    f"{verdicts.RULE} Where more than {FEW:.0%} of the answers have no label, no pattern is told. "
    f"Too few to show a pattern are fewer than {FEWEST_PAIRS} pairs of a heuristic that show none. "
    "Not clearly better than a constant means that the interval does not lie above the majority baseline; "
    f"too often, that the interval of a label's share in the answers begins {100 * MANY:.0f} points above its "
    "share in the set; weakest, that the interval of a part ends below that of the whole. "
    "On a set with one true label, a model that always gives it is right on all: look at the other sets too. "
    "Of several runs of one model figures are means, and what is said holds for the interval of each run."
)


def said_by(run: Run, name: str, model: str) -> Said:
    """Find how often a model gave each answer on a set; runs of older versions don't know."""
    notes = (note for note in run.notes if (note.set, note.model) == (name, model))
    return next((note.predicted for note in notes), UNKNOWN)


def takeaway(scores: pl.DataFrame, model: str, said: Said = UNKNOWN) -> str:
    """Say in one sentence what a model goes by on one set; the model's name is left to the caller.

    `said` counts its answers by label, where that is known.
    """
    whole = wholes_of(scores, model)
    if ALL not in whole:
        return "has no scores."
    if has_gaps(said, whole[ALL].n):
        absent = percent(without_label(said), whole[ALL].n)
        return f"{_accuracy(whole)}; {absent} of its answers have no label.{_over_runs(whole)}"
    tag = headline_tag(scores)
    groups = cells_of(scores, tag, model) if tag else {}
    judged = {name: cells for name, cells in groups.items() if all(side in cells for side in verdicts.SIDES)}
    if tag == "heuristic" and judged:
        few = {name: cells for name, cells in judged.items() if _says_nothing(cells)}
        rest = {name: cells for name, cells in groups.items() if name not in judged}
        told = verdicts.clauses({name: cells for name, cells in judged.items() if name not in few})
        told += [*map(_too_few, few, few.values()), *map(_one_sided, rest, rest.values())]
        return f"{'; '.join(told)}.{_over_runs(whole)}"
    more = (_no_better(whole), _instead(whole, said), _weakest(groups, whole[ALL]))
    return f"{'; '.join([_accuracy(whole), *filter(None, more)])}.{_over_runs(whole)}"


def without_label(said: Said) -> int | Fraction:
    """Count the answers that have no label."""
    return sum(said.get(word, 0) for word in NO_LABEL)


def has_gaps(said: Said, n: int) -> bool:
    """Tell whether so many of n answers have no label that the rest doesn't speak for all."""
    return without_label(said) > FEW * n


def _says_nothing(cells: Mapping[str, Cell]) -> bool:
    """Tell whether a heuristic shows no pattern for lack of pairs."""
    entailed, other = (cells[side] for side in verdicts.SIDES)
    return entailed.n + other.n < FEWEST_PAIRS and verdicts.verdict(entailed, other) not in verdicts.SHOWN


def _too_few(name: str, cells: Mapping[str, Cell]) -> str:
    """Give the accuracy on the pairs of a heuristic that are too few to show a pattern."""
    both = [cells[side] for side in verdicts.SIDES]
    n, right = sum(cell.n for cell in both), sum(cell.correct for cell in both)
    return (
        f"is right on {percent(right, n)} of {n:,} {name.replace('_', ' ')} pairs, too few to show a pattern"
    )


def _one_sided(name: str, cells: Mapping[str, Cell]) -> str:
    """Give the accuracy on pairs of a heuristic that have one true label, on which no pattern can show."""
    whole = cells[ALL]
    what = f"{name.replace('_', ' ')} pairs (all are {next(iter(_golds(cells)))})"
    return f"is right on {percent(whole.correct, whole.n)} of {whole.n:,} {what}"


def _golds(whole: Mapping[str, Cell]) -> dict[str, Cell]:
    return {gold: cell for gold, cell in whole.items() if gold != ALL}


def _accuracy(whole: Mapping[str, Cell]) -> str:
    """Give the accuracy on all pairs, and by true label where there are several."""
    right = f"is right on {percent(whole[ALL].correct, whole[ALL].n)} of {counted(whole[ALL].n, 'pair')}"
    golds = _golds(whole)
    if len(golds) == 1:
        return f"{right} (all are {next(iter(golds))})"
    each = ", ".join(f"{gold} {percent(cell.correct, cell.n)}" for gold, cell in golds.items())
    return f"{right} ({each})" if each else right


def _over_runs(whole: Mapping[str, Cell]) -> str:
    """Say how several runs of one model differ, on all pairs and by true label."""
    spread = whole[ALL].spread
    if spread is None:
        return ""
    told = [("", whole[ALL]), *(_golds(whole).items() if len(whole) > MOST_WHOLE else ())]
    each = [_spread(gold, cell.spread) for gold, cell in told if cell.spread]
    return f" These are means over {spread.runs} runs; they range {', '.join(each)}."


def _spread(gold: str, spread: SeedSpread) -> str:
    ends = f"from {share(spread.least)}% to {share(spread.most)}%"
    where = f" on {gold} pairs" if gold else " on all pairs"
    return f"{ends}{where} (standard deviation {share(spread.sd)} points)"


def share(value: float) -> str:
    """Show a share in percent, or a difference of shares in points, with one decimal."""
    return half_up(Fraction(f"{100 * value:.10f}"), 1)


def _no_better(whole: Mapping[str, Cell]) -> str | None:
    """Say so if the commonest label alone may do as well."""
    golds = _golds(whole)
    if len(golds) <= 1:
        return None
    common = max(golds, key=lambda gold: golds[gold].n)
    if whole[ALL].low > golds[common].n / whole[ALL].n:
        return None
    better = "better in every run" if whole[ALL].spread else "better"
    return f"not clearly {better} than always saying {common} ({percent(golds[common].n, whole[ALL].n)})"


def _instead(whole: Mapping[str, Cell], said: Said) -> str | None:
    """Name the label that is said far more often than it is true."""
    golds, n = _golds(whole), whole[ALL].n
    excess = {word: count - (golds[word].n if word in golds else 0) for word, count in said.items()}
    if not excess:
        return None
    word = max(excess, key=lambda word: excess[word])
    true = said[word] - excess[word]
    if float(wilson(float(said[word]), n)[0]) < true / n + MANY:
        return None
    share = f"it says {word} for {percent(said[word], n)}"
    return f"{share}, where {percent(true, n)} are" if true else share


def _weakest(groups: Mapping[str, Mapping[str, Cell]], whole: Cell) -> str | None:
    """Name the part of the set where the model is clearly worse than on the whole."""
    parts = {name: cells[ALL] for name, cells in groups.items() if ALL in cells}
    if len(parts) <= 1:
        return None
    name = min(parts, key=lambda name: parts[name].correct / parts[name].n)
    if parts[name].high >= whole.low:
        return None
    return f"weakest on {name} ({percent(parts[name].correct, parts[name].n)})"
