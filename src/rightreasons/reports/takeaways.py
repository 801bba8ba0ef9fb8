"""One sentence on one model and one set, derived from the scores by a stated rule."""

from __future__ import annotations

from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from rightreasons.core.errors import format_count
from rightreasons.core.formatting import Cell, SeedSpread, format_percent, round_half_up
from rightreasons.core.labels import NO_LABEL
from rightreasons.reports import verdicts
from rightreasons.reports.score_cells import choose_main_tag, collect_group_cells, collect_total_cells
from rightreasons.reports.verdicts import FEWEST_PAIRS, HEURISTIC_LABELS, judge_heuristic
from rightreasons.scoring.accuracy import ALL
from rightreasons.scoring.intervals import wilson_interval

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from rightreasons.runs.folder import Run

MIN_EXCESS = 0.1  # a label is predicted too often if it is so much more frequent than in the set
MAX_UNLABELLED = 0.01  # up to this share of predictions without a label, the others are judged
# How often each label was predicted; over several runs of one model, the mean.
LabelCounts: TypeAlias = "Mapping[str, int] | Mapping[str, int | Fraction]"
NO_COUNTS: LabelCounts = MappingProxyType({})
MOST_WHOLE = 2  # a label and the sum over it, which are the same

RULE = (
    f"{verdicts.PATTERN_RULE} No pattern is reported if more than {MAX_UNLABELLED:.0%} of the predictions have no "
    f"label, or for fewer than {FEWEST_PAIRS} pairs of a heuristic that show none. "
    "An accuracy is not above the majority baseline if its interval is not. A label is predicted too often if the "
    f"interval of its share of the predictions begins {100 * MIN_EXCESS:.0f} percentage points above its share "
    "of the gold labels. A part is the weakest if its interval ends below that of the whole set. "
    "On a set with one gold label, a model that always predicts it is correct on all pairs: look at the other sets, "
    "too. For several runs of one model, figures are means, and a verdict holds for the interval of every run."
)


def get_predicted_label_counts(run: Run, name: str, model: str) -> LabelCounts:
    """Look up how often a model predicted each label on a set; older runs don't record this."""
    notes = (note for note in run.notes if (note.set, note.model) == (name, model))
    return next((note.predicted for note in notes), NO_COUNTS)


def summarize_model_on_set(scores: pl.DataFrame, model: str, predicted: LabelCounts = NO_COUNTS) -> str:
    """Describe in one sentence how a model does on one set; its name is left to the caller.

    `predicted` counts its predictions by label, if that is known.
    """
    whole = collect_total_cells(scores, model)
    if ALL not in whole:
        return "has no scores."
    if has_many_unlabelled(predicted, whole[ALL].n):
        absent = format_percent(count_unlabelled(predicted), whole[ALL].n)
        return f"{_describe_accuracy(whole)}; {absent} of its predictions have no label.{_describe_run_spread(whole)}"
    tag = choose_main_tag(scores)
    groups = collect_group_cells(scores, tag, model) if tag else {}
    judged = {
        name: cells for name, cells in groups.items() if all(side in cells for side in HEURISTIC_LABELS)
    }
    if tag == "heuristic" and judged:
        few = {name: cells for name, cells in judged.items() if _lacks_pairs_for_pattern(cells)}
        rest = {name: cells for name, cells in groups.items() if name not in judged}
        clauses = verdicts.describe_heuristic_verdicts(
            {name: cells for name, cells in judged.items() if name not in few}
        )
        clauses += [
            *map(_describe_few_pairs, few, few.values()),
            *map(_describe_single_label, rest, rest.values()),
        ]
        return f"{'; '.join(clauses)}.{_describe_run_spread(whole)}"
    more = (
        _describe_majority_shortfall(whole),
        _describe_overpredicted_label(whole, predicted),
        _describe_weakest_part(groups, whole[ALL]),
    )
    return f"{'; '.join([_describe_accuracy(whole), *filter(None, more)])}.{_describe_run_spread(whole)}"


def count_unlabelled(predicted: LabelCounts) -> int | Fraction:
    """Count the predictions that have no label."""
    return sum(predicted.get(word, 0) for word in NO_LABEL)


def has_many_unlabelled(predicted: LabelCounts, n: int) -> bool:
    """Whether so many of n predictions have no label that the others don't represent them all."""
    return count_unlabelled(predicted) > MAX_UNLABELLED * n


def _lacks_pairs_for_pattern(cells: Mapping[str, Cell]) -> bool:
    """Whether a heuristic shows no pattern for lack of pairs."""
    n = sum(cells[side].n for side in HEURISTIC_LABELS)
    return n < FEWEST_PAIRS and judge_heuristic(cells) not in verdicts.CONCLUSIVE_VERDICTS


def _describe_few_pairs(name: str, cells: Mapping[str, Cell]) -> str:
    """Describe the accuracy on the pairs of a heuristic that has too few pairs to show a pattern."""
    both = [cells[side] for side in HEURISTIC_LABELS]
    n, right = sum(cell.n for cell in both), sum(cell.correct for cell in both)
    pairs = f"{n:,} {name.replace('_', ' ')} pairs"
    return f"is correct on {format_percent(right, n)} of {pairs}, too few to show a pattern"


def _describe_single_label(name: str, cells: Mapping[str, Cell]) -> str:
    """Describe the accuracy on the pairs of a heuristic with one gold label, which can't show a pattern."""
    whole = cells[ALL]
    what = f"{name.replace('_', ' ')} pairs (gold label: {next(iter(_select_gold_cells(cells)))})"
    return f"is correct on {format_percent(whole.correct, whole.n)} of {whole.n:,} {what}"


def _select_gold_cells(whole: Mapping[str, Cell]) -> dict[str, Cell]:
    return {gold: cell for gold, cell in whole.items() if gold != ALL}


def _describe_accuracy(whole: Mapping[str, Cell]) -> str:
    """Describe the accuracy on all pairs, and by gold label if there are several."""
    right = f"is correct on {format_percent(whole[ALL].correct, whole[ALL].n)} of {format_count(whole[ALL].n, 'pair')}"
    golds = _select_gold_cells(whole)
    if len(golds) == 1:
        return f"{right} (gold label: {next(iter(golds))})"
    by_gold = ", ".join(f"{gold} {format_percent(cell.correct, cell.n)}" for gold, cell in golds.items())
    return f"{right} ({by_gold})" if by_gold else right


def _describe_run_spread(whole: Mapping[str, Cell]) -> str:
    """Describe how several runs of one model differ, on all pairs and by gold label."""
    spread = whole[ALL].spread
    if spread is None:
        return ""
    cells = [("", whole[ALL]), *(_select_gold_cells(whole).items() if len(whole) > MOST_WHOLE else ())]
    ranges = [_describe_accuracy_range(gold, cell.spread) for gold, cell in cells if cell.spread]
    return f" Means over {spread.runs} runs; accuracies range {', '.join(ranges)}."


def _describe_accuracy_range(gold: str, spread: SeedSpread) -> str:
    ends = f"from {format_percentage_points(spread.least)}% to {format_percentage_points(spread.most)}%"
    where = f" on {gold} pairs" if gold else " on all pairs"
    return f"{ends}{where} (standard deviation {format_percentage_points(spread.sd)} percentage points)"


def format_percentage_points(value: float) -> str:
    """Format a share in percent, or a difference of shares in percentage points, with one decimal."""
    return round_half_up(Fraction(f"{100 * value:.10f}"), 1)


def _describe_majority_shortfall(whole: Mapping[str, Cell]) -> str | None:
    """Report an accuracy that is not above the share of the most frequent gold label."""
    golds = _select_gold_cells(whole)
    if len(golds) <= 1:
        return None
    common = max(golds, key=lambda gold: golds[gold].n)
    majority = golds[common].n / whole[ALL].n
    if whole[ALL].low > majority:
        return None
    where = "below" if whole[ALL].high < majority else "not above"
    every = " in every run" if whole[ALL].spread and where == "not above" else ""
    share = format_percent(golds[common].n, whole[ALL].n)
    return f"{where} the majority baseline{every} (always {common}: {share})"


def _describe_overpredicted_label(whole: Mapping[str, Cell], predicted: LabelCounts) -> str | None:
    """Name the label that is predicted far more often than it is the gold label."""
    golds, n = _select_gold_cells(whole), whole[ALL].n
    excess = {word: count - (golds[word].n if word in golds else 0) for word, count in predicted.items()}
    if not excess:
        return None
    word = max(excess, key=lambda word: excess[word])
    gold = predicted[word] - excess[word]
    if float(wilson_interval(float(predicted[word]), n)[0]) < gold / n + MIN_EXCESS:
        return None
    share = f"predicts {word} for {format_percent(predicted[word], n)} of the pairs"
    return f"{share} (gold label of {format_percent(gold, n)})" if gold else share


def _describe_weakest_part(groups: Mapping[str, Mapping[str, Cell]], whole: Cell) -> str | None:
    """Name the part of the set on which the model is clearly worse than on the whole set."""
    parts = {name: cells[ALL] for name, cells in groups.items() if ALL in cells}
    if len(parts) <= 1:
        return None
    name = min(parts, key=lambda name: parts[name].correct / parts[name].n)
    if parts[name].high >= whole.low:
        return None
    return f"weakest on {name} ({format_percent(parts[name].correct, parts[name].n)})"
