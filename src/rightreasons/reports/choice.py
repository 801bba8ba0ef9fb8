"""Which model to choose: only what pairwise comparisons show after correction.

One model is called better than another on a set only if each of its runs is significantly better than each run of the
other. Where sets, labels or runs disagree, this is reported; where no difference is significant, the report states
the detectable difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.formatting import round_half_up, round_outwards, round_up
from rightreasons.reports.renderers.cells import shorten_name
from rightreasons.scoring.cells import ALL
from rightreasons.scoring.families import count_whole_set_tests, describe_chance_findings
from rightreasons.scoring.paired import LEVEL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rightreasons.reports.report_data import Headline

UNIT = "percentage points"


@dataclass(frozen=True)
class PairwiseComparison:
    """Two models on the pairs of one set, or of one gold label: a row for each comparison of their runs.

    The differences in the rows are those of the first model minus the second.
    """

    set: str
    gold: str
    models: tuple[str, str]
    rows: tuple[Mapping[str, Any], ...]
    labels: tuple[PairwiseComparison, ...] = ()  # by gold label, if the set has two

    @property
    def n(self) -> int:
        """The number of pairs."""
        return int(self.rows[0]["n"])

    @property
    def winner(self) -> str | None:
        """The model that is significantly better in all comparisons of runs; None if neither is."""
        for model, sign in zip(self.models, (1, -1), strict=True):
            if self.count_significant_wins(sign) == len(self.rows):
                return model
        return None

    def count_significant_wins(self, sign: int) -> int:
        """Count the comparisons of runs in which the first model (1) or the second (-1) is significantly better."""
        return sum(bool(row["shown"]) and sign * row["difference"] > 0 for row in self.rows)

    def describe_margin(self) -> str:
        """Describe by how much the winner leads, and on how many pairs."""
        sign = 1 if self.winner == self.models[0] else -1
        ends = sorted(abs(row["only_a"] - row["only_b"]) for row in self.rows)
        least, most = (round_half_up(Fraction(100 * end, self.n), 1) for end in (ends[0], ends[-1]))
        if len(self.rows) > 1:
            return f"by {least} to {most} {UNIT} in all {len(self.rows)} comparisons of runs, n = {self.n:,}"
        low, high = sorted(sign * self.rows[0][end] for end in ("low", "high"))
        interval = "95% CI {} to {}".format(*round_outwards(100 * low, 100 * high, 1))
        why = explain_interval_disagreement(self.rows[0])
        return f"by {least} {UNIT}, {interval}, n = {self.n:,}{f'; {why}' if why else ''}"

    def explain_tie(self) -> str:
        """Explain why no difference is significant: the detectable difference, or that runs disagree."""
        if len(self.rows) > 1:
            counts = [
                f"{model} better in {self.count_significant_wins(sign)}"
                for model, sign in zip(self.models, (1, -1), strict=True)
            ]
            return f"{' and '.join(counts)} of {len(self.rows)} comparisons of runs, n = {self.n:,}"
        could = self.rows[0]["detectable"]
        if could is None:
            return f"n = {self.n:,}, too few to detect any difference"
        return f"n = {self.n:,}, detectable difference {round_up(100 * could, 1)} {UNIT}"


def explain_interval_disagreement(row: Mapping[str, Any]) -> str:
    """Explain an interval that contains 0 although a difference is significant, or the reverse; empty if they agree.

    The verdict is that of the exact test after correction. The interval inverts a score test, whose coverage is
    closer to 95%, for a single comparison. So the two may differ near the limit.
    """
    has_zero = row["low"] <= 0 <= row["high"]
    if bool(row["shown"]) != has_zero:
        return ""
    if has_zero:
        return "the interval, which is more conservative than the test here, includes 0"
    if row["p"] < LEVEL:
        return "the interval is not corrected for the other tests of the family"
    return "the exact test, which decides, is more conservative than the interval"


def collect_comparisons(
    family: pl.DataFrame, entries: Mapping[str, Sequence[str]]
) -> list[PairwiseComparison]:
    """Collect the comparisons on whole sets from a corrected family, for each pair of models and each set."""
    rows = family.filter(pl.col("by") == "").to_dicts() if family.height else []
    comparisons: list[PairwiseComparison] = []
    for name in dict.fromkeys(str(row["set"]) for row in rows):
        own = [row for row in rows if row["set"] == name]
        for models in combinations(entries, 2):
            total = _select_run_comparisons([row for row in own if row["gold"] == ALL], models, entries)
            golds = dict.fromkeys(row["gold"] for row in own if row["gold"] != ALL)
            labels = [
                _select_run_comparisons([row for row in own if row["gold"] == gold], models, entries)
                for gold in golds
            ]
            if total:
                whole = (total.set, total.gold, total.models, total.rows)
                comparisons.append(PairwiseComparison(*whole, tuple(label for label in labels if label)))
    return comparisons


def _select_run_comparisons(
    rows: Sequence[Mapping[str, Any]], models: tuple[str, str], entries: Mapping[str, Sequence[str]]
) -> PairwiseComparison | None:
    """Select the pairs of the two models' runs, swapped if needed so that the first model comes first."""
    first, second = (set(entries[model]) for model in models)
    kept = [dict(row) for row in rows if row["a"] in first and row["b"] in second]
    kept += [_swap_models(row) for row in rows if row["a"] in second and row["b"] in first]
    return (
        PairwiseComparison(str(kept[0]["set"]), str(kept[0]["gold"]), models, tuple(kept)) if kept else None
    )


def _swap_models(row: Mapping[str, Any]) -> dict[str, Any]:
    swapped = {"only_a": row["only_b"], "only_b": row["only_a"]}
    ends = {"difference": -row["difference"], "low": -row["high"], "high": -row["low"]}
    return {**row, **swapped, **ends}


_MAX_NAMED = 4  # sets or models that a line names; the others are counted
BASIS = (
    "Based on paired significance tests; each pair of models on each set is a separate family of tests.{chance} "
    "The results apply to these predictions and to similar pairs."
)
SEVERAL_RUNS = (
    "Every run is compared with every run of the other model; better means better in all comparisons."
)
BY_SET = "Choose by the set that is closest to your data."
NO_COMMON_SET = "The models have no set in common, so they can't be compared."
DIFFERENT_RULES = "The models were scored by different label rules, so they can't be compared."


def recommend_models(
    family: pl.DataFrame,
    entries: Mapping[str, Sequence[str]],
    headlines: Sequence[Headline] = (),
    *,
    mixed: bool = False,
) -> list[str]:
    """Recommend one of several models, given the corrected comparisons of their runs; empty for one model.

    The headlines show on which sets all models fail. `mixed` runs were scored by different label rules.
    """
    if len(entries) < 2:  # noqa: PLR2004 - a choice is between two
        return []
    if mixed:
        return [DIFFERENT_RULES]
    names = _shorten_model_names(entries)
    comparisons = collect_comparisons(family, names)
    if not comparisons:
        return [NO_COMMON_SET]
    are_two = len(names) == 2  # noqa: PLR2004
    lines = _describe_two_models(comparisons) if are_two else _describe_many_models(comparisons, list(names))
    several = [SEVERAL_RUNS] if any(len(runs) > 1 for runs in names.values()) else []
    return [
        *lines,
        *_note_shared_failures(headlines),
        *several,
        BASIS.format(chance=describe_chance_findings(count_whole_set_tests(family))),
    ]


def _note_shared_failures(headlines: Sequence[Headline]) -> list[str]:
    """Name the sets on which all models fail: the better of two need not be good."""
    tones: dict[str, list[str]] = {}
    for finding in (finding for headline in headlines for finding in headline.findings):
        tones.setdefault(shorten_name(finding.set), []).append(finding.tone)
    none = [name for name, of_set in tones.items() if len(of_set) > 1 and set(of_set) == {"bad"}]
    return [f"Better does not mean good: all models fail on {_join_first_words(none)}."] if none else []


def _shorten_model_names(entries: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """Shorten long names, and number those that would be the same."""
    cut = [shorten_name(entry) for entry in entries]
    short = [name if cut.count(name) == 1 else f"{name} ({place})" for place, name in enumerate(cut, 1)]
    return dict(zip(short, entries.values(), strict=True))


def _describe_two_models(comparisons: Sequence[PairwiseComparison]) -> list[str]:
    """Describe on which sets each of two models is better, and on which no difference is significant."""
    first, second = comparisons[0].models
    won = {
        model: [comparison for comparison in comparisons if comparison.winner == model]
        for model in (first, second)
    }
    rest = [comparison for comparison in comparisons if comparison.winner is None]
    lines = []
    if won[first] and won[second]:
        counts = f"{first} is significantly better on {len(won[first])} and {second} on {len(won[second])}"
        lines.append(f"The sets disagree: of {len(comparisons)} sets, {counts}. {BY_SET}")
    for model, other in ((first, second), (second, first)):
        if won[model]:
            where = _join_first_words([_describe_win(comparison) for comparison in won[model]])
            lines.append(f"{model} is significantly better than {other} on {where}.")
    if rest:
        what = "No significant difference"
        what += "" if len(rest) < len(comparisons) else f" between {first} and {second}"
        lines.append(f"{what} on {_join_first_words([_describe_tie(comparison) for comparison in rest])}.")
    return lines


def _describe_win(comparison: PairwiseComparison) -> str:
    return f"{_shorten_set_name(comparison)} ({comparison.describe_margin()}{_describe_contrary_labels(comparison)})"


def _describe_tie(comparison: PairwiseComparison) -> str:
    return (
        f"{_shorten_set_name(comparison)} ({comparison.explain_tie()}{_describe_contrary_labels(comparison)})"
    )


def _describe_contrary_labels(comparison: PairwiseComparison) -> str:
    """Name the labels on which the other model is better."""
    others = [label for label in comparison.labels if label.winner not in (None, comparison.winner)]
    return "".join(
        f"; but {label.winner} is better on the {label.gold} pairs, {_describe_margin_briefly(label)}"
        for label in others
    )


def _describe_margin_briefly(comparison: PairwiseComparison) -> str:
    return comparison.describe_margin().split(",")[0]


def _describe_many_models(comparisons: Sequence[PairwiseComparison], names: Sequence[str]) -> list[str]:
    """Name the models that are on no set significantly worse than another, then the best on each set."""
    known = [name for name in names if any(name in comparison.models for comparison in comparisons)]
    beaten = {
        model
        for comparison in comparisons
        if comparison.winner
        for model in comparison.models
        if model != comparison.winner
    }
    by_set = [
        [comparison for comparison in comparisons if comparison.set == name]
        for name in dict.fromkeys(comparison.set for comparison in comparisons)
    ]
    by_set.sort(key=lambda of_set: not any(comparison.winner for comparison in of_set))
    # A model that was not run on a set can't be worse on it, which is no merit.
    partly = [
        name
        for name in known
        if any(all(name not in comparison.models for comparison in of_set) for of_set in by_set)
    ]
    top = [name for name in known if name not in beaten and name not in partly]
    first = [_describe_unbeaten_models(top, known, comparisons, partly)] if len(by_set) > 1 else []
    lines = [*first, *(_describe_best_on_set(of_set) for of_set in by_set[:_MAX_NAMED])]
    more = len(by_set) - _MAX_NAMED
    lines += [f"The tables show {more} more {'set' if more == 1 else 'sets'}."] if more > 0 else []
    alone = [name for name in names if name not in known]
    return [*lines, f"No set in common with another model: {_join_first_words(alone)}."] if alone else lines


def _describe_unbeaten_models(
    top: Sequence[str], names: Sequence[str], comparisons: Sequence[PairwiseComparison], partly: Sequence[str]
) -> str:
    if not any(comparison.winner for comparison in comparisons):
        return f"No set shows a significant difference between any two of the {len(names)} models."
    if not top and len(partly) == len(names):
        return f"No model was run on all sets, so none is best overall. {BY_SET}"
    if not top:
        everywhere = f" that was run on all sets (unlike {_join_first_words(partly)})" if partly else ""
        worse = "is significantly worse than another model on at least one set"
        return f"The sets disagree: each model{everywhere} {worse}. {BY_SET}"
    if len(top) > 1:
        return (
            "Not significantly worse than any other model on any set, and not significantly different from each other: "
            f"{_join_first_words(top)}.{_note_partly_run(partly)}"
        )
    wins = {
        loser
        for comparison in comparisons
        if comparison.winner == top[0]
        for loser in comparison.models
        if loser != top[0]
    }
    if not wins:
        return (
            f"{top[0]} is not significantly better or worse than any other model on any set; each other model is "
            f"significantly worse on at least one set. {BY_SET}{_note_partly_run(partly)}"
        )
    every = (
        "every other model"
        if len(wins) == len(names) - 1
        else f"{len(wins)} of {len(names) - 1} other models"
    )
    return (
        f"{top[0]} is not significantly worse than any other model on any set, and significantly better than {every} "
        f"on at least one set.{_note_partly_run(partly)}"
    )


def _note_partly_run(partly: Sequence[str]) -> str:
    """Name the models that were not run on all sets, and so are not compared overall."""
    return f" Run on only some of the sets: {_join_first_words(partly)}." if partly else ""


def _describe_best_on_set(of_set: Sequence[PairwiseComparison]) -> str:
    """Describe which model has the highest accuracy on one set, and which models it is significantly better than."""
    best = _find_most_accurate_model(of_set)
    own = {
        next(name for name in comparison.models if name != best): comparison
        for comparison in of_set
        if best in comparison.models
    }
    worse = [name for name, comparison in own.items() if comparison.winner == best]
    alike = [name for name, comparison in own.items() if comparison.winner is None]
    verdicts = [f"significantly better than {_join_first_words(worse)}"] if worse else []
    verdicts += [f"no significant difference from {_join_first_words(alike)}"] if alike else []
    name = f"{_shorten_set_name(of_set[0])} (n = {of_set[0].n:,})"
    return f"{name}: {best} has the highest accuracy; {'; '.join(verdicts)}."


def _find_most_accurate_model(of_set: Sequence[PairwiseComparison]) -> str:
    """Find the model with the highest accuracy, by the mean over comparisons of runs."""
    behind = set()
    for comparison in of_set:
        lead = sum(
            row["only_a"] - row["only_b"] for row in comparison.rows
        )  # integers, so that ties are exact
        behind.add(comparison.models[1] if lead >= 0 else comparison.models[0])
    names = dict.fromkeys(name for comparison in of_set for name in comparison.models)
    return next(name for name in names if name not in behind)


def _shorten_set_name(comparison: PairwiseComparison) -> str:
    return shorten_name(comparison.set)


def _join_first_words(words: Sequence[str]) -> str:
    more = len(words) - _MAX_NAMED
    return "; ".join([*words[:_MAX_NAMED], *([f"{more} more"] if more > 0 else [])])
