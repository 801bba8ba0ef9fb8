"""Which model to choose, in a practitioner's words: only what paired comparisons show after correction.

One model is said to be better than another on a set only where every run of the one is shown better than every run of
the other. Where sets, labels or runs disagree, that is said; and what is not told apart is named with what its pairs
would have shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.reports.html import shown
from rightreasons.reports.pairwise import Duel, duels
from rightreasons.scoring.families import count_whole_tests, describe_chance_findings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from rightreasons.reports.report import Headline

_MOST = 4  # sets or models that a line names; the others are counted
BASIS = (
    "By paired tests on the same pairs; each pair of models on each set is a family of its own.{chance} "
    "It is about these answers and pairs like these."
)
RUNS = "Of several runs, each is compared with each of the other model: better means in all couples of runs."
BY_SET = "Choose by the set that your texts are like."
NOTHING = "The models share no set, so which is better can't be told."
MIXED = "The runs made two labels of three by different rules, so no model is chosen."


def choose(
    family: pl.DataFrame,
    entries: Mapping[str, Sequence[str]],
    headlines: Sequence[Headline] = (),
    *,
    mixed: bool = False,
) -> list[str]:
    """Say which of some models to choose, given the corrected comparisons of their runs; nothing for one model.

    The headlines tell where none of the models is to be relied on. Mixed are runs by different rules for labels.
    """
    if len(entries) < 2:  # noqa: PLR2004 - a choice is between two
        return []
    if mixed:
        return [MIXED]
    names = _short(entries)
    found = duels(family, names)
    if not found:
        return [NOTHING]
    told = _of_two(found) if len(names) == 2 else _of_many(found, list(names))  # noqa: PLR2004
    several = [RUNS] if any(len(runs) > 1 for runs in names.values()) else []
    return [
        *told,
        *_unreliable(headlines),
        *several,
        BASIS.format(chance=describe_chance_findings(count_whole_tests(family))),
    ]


def _unreliable(headlines: Sequence[Headline]) -> list[str]:
    """Name the sets that none of some models is to be relied on for: the better of two is not good yet."""
    tones: dict[str, list[str]] = {}
    for found in (found for headline in headlines for found in headline.findings):
        tones.setdefault(shown.name(found.set), []).append(found.tone)
    none = [name for name, of_set in tones.items() if len(of_set) > 1 and set(of_set) == {"bad"}]
    return [f"Better is not good yet: none of them is to be relied on for {_listed(none)}."] if none else []


def _short(entries: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """Cut long names; those that would be the same then get a number."""
    cut = [shown.name(entry) for entry in entries]
    told = [name if cut.count(name) == 1 else f"{name} ({place})" for place, name in enumerate(cut, 1)]
    return dict(zip(told, entries.values(), strict=True))


def _of_two(found: Sequence[Duel]) -> list[str]:
    """Say where each of two models is better, and where they are not told apart."""
    first, second = found[0].models
    won = {model: [duel for duel in found if duel.winner == model] for model in (first, second)}
    rest = [duel for duel in found if duel.winner is None]
    lines = []
    if won[first] and won[second]:
        counts = f"{first} is shown better on {len(won[first])}, {second} on {len(won[second])}"
        lines.append(f"The sets disagree: of {len(found)}, {counts}. {BY_SET}")
    for model, other in ((first, second), (second, first)):
        if won[model]:
            lines.append(
                f"{model} is shown better than {other} on {_listed([_win(duel) for duel in won[model]])}."
            )
    if rest:
        what = "Not told apart" if len(rest) < len(found) else f"{first} and {second} are not told apart"
        lines.append(f"{what} on {_listed([_draw(duel) for duel in rest])}.")
    return lines


def _win(duel: Duel) -> str:
    return f"{_set(duel)} ({duel.lead()}{_but(duel)})"


def _draw(duel: Duel) -> str:
    return f"{_set(duel)} ({duel.doubt()}{_but(duel)})"


def _but(duel: Duel) -> str:
    """Say on which labels it is otherwise than on the whole set."""
    others = [one for one in duel.labels if one.winner not in (None, duel.winner)]
    return "".join(f"; but {one.winner} is better on its {one.gold} pairs, {_by(one)}" for one in others)


def _by(duel: Duel) -> str:
    return duel.lead().split(",")[0]


def _of_many(found: Sequence[Duel], names: Sequence[str]) -> list[str]:
    """Name the models that are nowhere shown worse than another, then the best on each set."""
    known = [name for name in names if any(name in duel.models for duel in found)]
    beaten = {model for duel in found if duel.winner for model in duel.models if model != duel.winner}
    by_set = [
        [duel for duel in found if duel.set == name] for name in dict.fromkeys(one.set for one in found)
    ]
    by_set.sort(key=lambda of_set: not any(duel.winner for duel in of_set))
    # Who was not asked a set can't be shown worse on it, which is no merit.
    partly = [name for name in known if any(all(name not in duel.models for duel in each) for each in by_set)]
    top = [name for name in known if name not in beaten and name not in partly]
    first = [_top(top, known, found, partly)] if len(by_set) > 1 else []
    lines = [*first, *(_best(of_set) for of_set in by_set[:_MOST])]
    more = len(by_set) - _MOST
    lines += [f"{more} more {'set is' if more == 1 else 'sets are'} in the tables."] if more > 0 else []
    alone = [name for name in names if name not in known]
    return [*lines, f"No set in common with another model: {_listed(alone)}."] if alone else lines


def _top(top: Sequence[str], names: Sequence[str], found: Sequence[Duel], partly: Sequence[str]) -> str:
    if not any(duel.winner for duel in found):
        return f"No set shows a difference between any two of the {len(names)} models."
    if not top and len(partly) == len(names):
        return f"No model was run on all sets, so none is best overall. {BY_SET}"
    if not top:
        asked = f" that was asked all of them (not so {_listed(partly)})" if partly else ""
        return f"The sets disagree: each model{asked} is shown worse than another on some set. {BY_SET}"
    if len(top) > 1:
        return f"Nowhere shown worse than another model, and by no set told apart: {_listed(top)}.{_aside(partly)}"
    wins = {loser for duel in found if duel.winner == top[0] for loser in duel.models if loser != top[0]}
    if not wins:
        rest = "each of the others is worse on some set"
        return f"{top[0]} is nowhere shown better or worse than another model, and {rest}. {BY_SET}{_aside(partly)}"
    every = "each other" if len(wins) == len(names) - 1 else f"{len(wins)} of {len(names) - 1} others"
    told = f"{top[0]} is nowhere shown worse than another model, and on some set better than {every}."
    return told + _aside(partly)


def _aside(partly: Sequence[str]) -> str:
    """Name the models that were not asked all sets, and so are not chosen among."""
    return f" Not asked all of these sets: {_listed(partly)}." if partly else ""


def _best(of_set: Sequence[Duel]) -> str:
    """Say which model has the highest accuracy on one set, whom it is shown better than, and whom not."""
    best = _leader(of_set)
    own = {next(name for name in duel.models if name != best): duel for duel in of_set if best in duel.models}
    worse = [name for name, duel in own.items() if duel.winner == best]
    alike = [name for name, duel in own.items() if duel.winner is None]
    told = [f"shown better than {_listed(worse)}"] if worse else []
    told += [f"not told apart from {_listed(alike)}"] if alike else []
    return f"{_set(of_set[0])} (n = {of_set[0].n:,}): {best} has the highest accuracy; {'; '.join(told)}."


def _leader(of_set: Sequence[Duel]) -> str:
    """Find the model of which no other is ahead, by the mean over couples of runs."""
    behind = set()
    for duel in of_set:
        lead = sum(
            row["only_a"] - row["only_b"] for row in duel.rows
        )  # whole numbers, so that no tie is missed
        behind.add(duel.models[1] if lead >= 0 else duel.models[0])
    names = dict.fromkeys(name for duel in of_set for name in duel.models)
    return next(name for name in names if name not in behind)


def _set(duel: Duel) -> str:
    return shown.name(duel.set)


def _listed(words: Sequence[str]) -> str:
    more = len(words) - _MOST
    return "; ".join([*words[:_MOST], *([f"{more} more"] if more > 0 else [])])
