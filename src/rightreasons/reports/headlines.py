"""What a practitioner takes away of a model: a tone and a sentence per set, and one sentence over all sets.

Tones and words follow from counts and intervals by the rule that `RULE` states; nothing is said that they don't bear.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.core.formatting import percent, plain
from rightreasons.core.labels import CONTRADICTION, NEUTRAL, NO_LABEL, NON_ENTAILMENT
from rightreasons.reports import takeaways, tones, verdicts
from rightreasons.reports.grids import cells_of, headline_tag, wholes_of
from rightreasons.reports.report import TONES, Finding, Headline
from rightreasons.reports.verdicts import Verdict
from rightreasons.scoring.accuracy import ALL
from rightreasons.scoring.sharing import FEWEST

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from rightreasons.core.formatting import Cell
    from rightreasons.reports.report import Tone
    from rightreasons.reports.takeaways import Said
    from rightreasons.runs.folder import Run

HIGH = verdicts.HIGH
# What a set is about, in the words of somebody who must choose a model; other sets go by their own name.
TOPICS = {
    "hans": "same words, other structure",
    "hans-released": "same words, other structure",
    "nps": "garden paths",
    "stress/antonymy": "antonyms",
    "stress/numerical": "numbers",
    "stress/word-overlap": "added words that mean nothing",
    "stress/negation": "added negation that changes nothing",
    "stress/length-mismatch": "long premises",
    "stress/spelling": "spelling errors",
    "stress/source": "plain pairs",
    "random-pair": "unrelated sentences",
    "simple-pair": "who does or is what",
}
_SHORT: dict[Verdict, tuple[Tone, str]] = {
    Verdict.RIGHT: ("good", "sees through {names}"),
    Verdict.FOLLOWS: ("bad", "follows {names}: calls {yes} of such pairs entailed, whether they are or not"),
    Verdict.REFUSES: ("bad", "calls {yes} of the {names} pairs entailed, whether they are or not"),
    Verdict.LEANS: ("bad", "leans on {names}: right on only {n} of such pairs that aren't entailed"),
    Verdict.AVOIDS: ("bad", "below chance on entailed {names} pairs, {e} right"),
    Verdict.ABOVE: ("open", "above chance on {names}, {e} of the entailed and {n} of the others right"),
    Verdict.GUESSES: ("bad", "can't be told from guessing on {names}"),
    Verdict.MIXED: ("open", "no clear pattern on {names}"),
}
# How a headline begins what it says of the sets of each tone.
_OPENINGS: dict[Tone, str] = {
    tone: f"{word} {'for' if tone == 'bad' else 'on'}" for tone, word in TONES.items()
}
_OPENINGS["few"] = f"{TONES['few']} for a verdict on"
_ORDER = {tone: place for place, tone in enumerate(TONES)}  # the worst first
_MOST = 4  # topics of one tone that a headline names; the others are counted

RULE = (
    f"{takeaways.RULE} {tones.TONE_RULE} "
    f"Where a set has heuristics, {TONES['good'].lower()} must hold for the pairs of each, entailed and not; it is "
    f'"{TONES["bad"].lower()}", too, where the model follows or leans on one, says the same whether entailed or not, '
    "is below chance on the pairs of one label, or can't be told from guessing. So it is where more than "
    f"{takeaways.FEW:.0%} of the answers have no label. A heuristic with fewer than {tones.FEWEST_PAIRS} pairs is left "
    "out of the verdict unless the intervals show one of these patterns, which guessing is not; one whose pairs share "
    f"fewer than {FEWEST} groups, sources or premises is left out. A model has the worst verdict that its sets have."
)


def headlines_of(run: Run) -> list[Headline]:
    """Judge every model that was asked for in a run, over all its sets."""
    return [
        headline(
            model,
            model,
            [(name, run.scores_of(name), takeaways.said_by(run, name, model)) for name in run.sets],
        )
        for model in run.requested_models
    ]


def headline(model: str, shown: str, sets: Sequence[tuple[str, pl.DataFrame, Said]]) -> Headline:
    """Judge one model over some sets: each with its name, its scores and how often each answer was given."""
    judged = [(name, scores, said) for name, scores, said in sets if ALL in wholes_of(scores, model)]
    told = [_judge(name, scores, model, said) for name, scores, said in judged]
    findings = tuple(
        Finding(name, takeaways.takeaway(scores, model, said), tone)
        for (name, scores, said), (tone, _, _) in zip(judged, told, strict=True)
    )
    phrases = {tone: _by_topic([each[1:] for each in told if each[0] == tone]) for tone in _OPENINGS}
    constant = _constant([said for _, _, said in judged])
    # Where all predictions are one label, a high accuracy says nothing.
    shown_tones = [
        tone for tone in _OPENINGS if phrases[tone] and not (constant and tone in ("open", "good"))
    ]
    parts = [constant, *(f"{_OPENINGS[tone]} {_listed(phrases[tone])}." for tone in shown_tones)]
    parts.append(_over_runs({name: wholes_of(scores, model)[ALL] for name, scores, _ in judged}))
    worst: Tone = next((tone for tone in _OPENINGS if phrases[tone]), "open")
    worst = "bad" if constant and worst != "few" else worst
    return Headline(shown, " ".join(filter(None, parts)) or "It has no scores.", worst, findings)


def _by_topic(told: Sequence[tuple[str, str]]) -> list[str]:
    """Give each topic once, with the reason of the first set that is about it."""
    whys = dict(reversed(told))
    return [f"{topic} ({whys[topic]})" for topic in dict.fromkeys(topic for topic, _ in told)]


def _constant(said: Sequence[Said]) -> str:
    """Say so if a model gives one answer to all pairs of all sets."""
    words = {word for counts in said for word, count in counts.items() if count}
    finer = words - {NON_ENTAILMENT}
    # Where labels were merged, neutral and contradiction are called non-entailment.
    same = finer in ({NEUTRAL}, {CONTRADICTION}) if NON_ENTAILMENT in words else len(finer) == 1
    if words == {NON_ENTAILMENT} or (same and not finer & set(NO_LABEL)):
        return f"It says {next(iter(finer or words))} to every pair here."
    return ""


def _over_runs(wholes: Mapping[str, Cell]) -> str:
    """Say of several runs of one model that figures are means, and where the runs differ most."""
    spreads = {name: cell.spread for name, cell in wholes.items() if cell.spread}
    if not spreads:
        return ""
    widest = max(spreads, key=lambda name: spreads[name].most - spreads[name].least)
    found = spreads[widest]
    where = f" on {plain(widest)}" if len(wholes) > 1 else ""
    ends = f"{takeaways.share(found.least)}% to {takeaways.share(found.most)}%"
    far = f"range{' most' if where else ''}{where} from {ends}"
    return (
        f"Figures are means over {found.runs} runs; their accuracies {far} "
        f"(standard deviation {takeaways.share(found.sd)} points)."
    )


def _listed(phrases: Sequence[str]) -> str:
    more = len(phrases) - _MOST
    tail = [f"{more} more {'topic' if more == 1 else 'topics'}"] if more > 0 else []
    return "; ".join([*phrases[:_MOST], *tail])


def _judge(name: str, scores: pl.DataFrame, model: str, said: Said) -> tuple[Tone, str, str]:
    """Say the tone of a set, its topic, and why."""
    whole = wholes_of(scores, model)
    groups = cells_of(scores, "heuristic", model) if headline_tag(scores) == "heuristic" else {}
    known = "hans" if set(verdicts.NESTED) <= groups.keys() else name
    topic = TOPICS.get(known, plain(name))
    baseline = tones.baseline_of(whole, said)
    tone, why = tones.tone_of(whole[ALL], baseline), tones.reason_of(whole[ALL], baseline)
    if tone == "few":
        return tone, topic, why
    if takeaways.has_gaps(said, whole[ALL].n):
        absent = takeaways.without_label(said)
        return "bad", topic, f"{percent(absent, whole[ALL].n)} of the answers have no label"
    judged = {group: cells for group, cells in groups.items() if _counts(cells)}
    sided = {group: cells for group, cells in judged.items() if _is_sided(cells)}
    if sided:
        found, seen = _heuristics(sided)
        if _ORDER[found] <= _ORDER[tone]:
            tone, why = found, seen
    rest = [cells[ALL] for group, cells in judged.items() if group not in sided and ALL in cells]
    if tone == "good" and any(
        cell.low <= HIGH for cell in rest
    ):  # pairs of one label, which no verdict covers
        tone, why = "open", tones.reason_of(whole[ALL], baseline)
    few = [group for group in groups if group not in judged]
    return tone, topic, f"{why}; too few {_named(few)} pairs for a verdict on these" if few else why


def _is_sided(cells: Mapping[str, Cell]) -> bool:
    """Tell whether a heuristic has pairs of both labels."""
    return all(side in cells for side in verdicts.SIDES)


def _counts(cells: Mapping[str, Cell]) -> bool:
    """Tell whether a heuristic counts in the verdict: it has enough pairs, or these few show that something is wrong.

    Of fewer pairs nothing good can be shown, so that it isn't says nothing; what they show all the same does count.
    """
    if any(cell.few_clusters for cell in cells.values()):
        return False
    if sum(cell.n for gold, cell in cells.items() if gold != ALL) >= tones.FEWEST_PAIRS:
        return True
    if not _is_sided(cells):
        return ALL in cells and cells[ALL].high < HIGH
    found = verdicts.verdict(*(cells[side] for side in verdicts.SIDES))
    return _SHORT[found][0] == "bad" and found in verdicts.SHOWN


def _heuristics(groups: Mapping[str, Mapping[str, Cell]]) -> tuple[Tone, str]:
    """Judge the heuristics together: the worst tone counts, and each verdict has its words."""
    by_verdict: dict[Verdict, list[str]] = {}
    for name, cells in groups.items():
        found = verdicts.verdict(*(cells[side] for side in verdicts.SIDES))
        by_verdict.setdefault(found, []).append(name)
    told = [(_SHORT[found][0], _why(found, names, groups)) for found, names in by_verdict.items()]
    worst = next(tone for tone in _OPENINGS if tone in [found for found, _ in told])
    return worst, "; ".join(text for found, text in told if found == worst)


def _why(found: Verdict, names: Sequence[str], groups: Mapping[str, Mapping[str, Cell]]) -> str:
    entailed, other = ([groups[name][side] for name in names] for side in verdicts.SIDES)
    right_e, n_e = sum(cell.correct for cell in entailed), sum(cell.n for cell in entailed)
    right_n, n_n = sum(cell.correct for cell in other), sum(cell.n for cell in other)
    return _SHORT[found][1].format(
        names=_named(names),
        e=percent(right_e, n_e),
        n=percent(right_n, n_n),
        yes=percent(right_e + n_n - right_n, n_e + n_n),
    )


def _named(names: Sequence[str]) -> str:
    """Name some heuristics: by the widest alone where it covers the others."""
    tails = {verdicts.NESTED[start:]: verdicts.NESTED[start] for start in range(len(verdicts.NESTED))}
    words = [plain(tails.get(tuple(names)) or name).replace("_", " ") for name in names]
    words = list(dict.fromkeys(words))
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
