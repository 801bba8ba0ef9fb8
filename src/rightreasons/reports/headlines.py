"""The verdict on a model over all its sets: a tone and a sentence per set, and one sentence over all sets.

Tones and words follow from counts and intervals by the rule that `RULE` states.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.core.formatting import format_percent, replace_unprintable
from rightreasons.core.labels import CONTRADICTION, NEUTRAL, NO_LABEL, NON_ENTAILMENT
from rightreasons.reports import takeaways, verdicts
from rightreasons.reports.report_data import TONES, Finding, Headline
from rightreasons.reports.score_cells import choose_main_tag, collect_group_cells, collect_total_cells
from rightreasons.reports.verdicts import HIGH
from rightreasons.scoring.accuracy import ALL
from rightreasons.scoring.sharing import MIN_CLUSTERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from rightreasons.core.formatting import Cell
    from rightreasons.reports.report_data import Tone
    from rightreasons.reports.takeaways import LabelCounts

# The phenomenon that a set tests, and the name of the set; other sets are called by their own name.
TOPICS = {
    "hans": "lexical overlap (HANS)",
    "hans-released": "lexical overlap (HANS)",
    "nps": "garden paths (NPS)",
    "stress/antonymy": "antonymy (stress test)",
    "stress/numerical": "numerical reasoning (stress test)",
    "stress/word-overlap": "distraction by word overlap (stress test)",
    "stress/negation": "distraction by negation (stress test)",
    "stress/length-mismatch": "distraction by length mismatch (stress test)",
    "stress/spelling": "spelling errors (stress test)",
    "stress/source": "unmodified pairs (stress test)",
    "random-pair": "unrelated sentences (Random Pair)",
    "simple-pair": "subject\N{EN DASH}predicate binding (Simple Pair)",
}
# How a headline introduces the sets of each tone.
_OPENINGS: dict[Tone, str] = {
    "bad": "Fails on",
    "open": "Mixed results on",
    "good": "Reliable on",
    "few": "Too few pairs for a verdict on",
}
_ORDER = {tone: place for place, tone in enumerate(TONES)}  # the worst first
_MAX_TOPICS = 4  # topics of one tone that a headline names; the others are counted

RULE = (
    f"{takeaways.RULE} {verdicts.TONE_RULE} "
    f'If a set has heuristics, "{TONES["good"].lower()}" must hold for the entailed and the non-entailed pairs of each '
    f'heuristic. "{TONES["bad"]}" also applies if the model follows or relies on a heuristic, nearly always predicts '
    "the same label for entailed and non-entailed pairs, is below chance on the pairs of one label, or is at chance; "
    f"and if more than {takeaways.MAX_UNLABELLED:.0%} of the predictions have no label. A heuristic is excluded from "
    f"the verdict if it has fewer than {verdicts.FEWEST_PAIRS} pairs, unless the intervals show one of these patterns "
    f"other than chance, or if its pairs share fewer than {MIN_CLUSTERS} groups, sources or premises. "
    "The verdict on a model is its worst verdict on any set."
)


def make_headline(model: str, sets: Sequence[tuple[str, pl.DataFrame, LabelCounts]]) -> Headline:
    """Judge one model over some sets: each with its name, its scores and how often each label was predicted."""
    scored = [
        (name, scores, predicted)
        for name, scores, predicted in sets
        if ALL in collect_total_cells(scores, model)
    ]
    judged = [_judge_set(name, scores, model, predicted) for name, scores, predicted in scored]
    findings = tuple(
        Finding(name, takeaways.summarize_model_on_set(scores, model, predicted), tone)
        for (name, scores, predicted), (tone, _, _) in zip(scored, judged, strict=True)
    )
    phrases = {
        tone: _list_topics_with_reasons([verdict[1:] for verdict in judged if verdict[0] == tone])
        for tone in _OPENINGS
    }
    constant = _describe_constant_prediction([predicted for _, _, predicted in scored])
    # If all predictions are the same label, a high accuracy means nothing.
    shown_tones = [
        tone for tone in _OPENINGS if phrases[tone] and not (constant and tone in ("open", "good"))
    ]
    parts = [constant, *(f"{_OPENINGS[tone]} {_join_first_phrases(phrases[tone])}." for tone in shown_tones)]
    parts.append(
        _note_run_spread({name: collect_total_cells(scores, model)[ALL] for name, scores, _ in scored})
    )
    worst: Tone = next((tone for tone in _OPENINGS if phrases[tone]), "open")
    worst = "bad" if constant and worst != "few" else worst
    return Headline(model, " ".join(filter(None, parts)) or "No scores.", worst, findings)


def _list_topics_with_reasons(reasons: Sequence[tuple[str, str]]) -> list[str]:
    """List each topic once, with the reason of its first set."""
    first = dict(reversed(reasons))
    return [f"{topic}: {first[topic]}" for topic in dict.fromkeys(topic for topic, _ in reasons)]


def _describe_constant_prediction(predicted: Sequence[LabelCounts]) -> str:
    """Report a model that predicts one label for all pairs of all sets."""
    words = {word for counts in predicted for word, count in counts.items() if count}
    finer = words - {NON_ENTAILMENT}
    # Where labels were merged, neutral and contradiction are called non-entailment.
    same = finer in ({NEUTRAL}, {CONTRADICTION}) if NON_ENTAILMENT in words else len(finer) == 1
    if words == {NON_ENTAILMENT} or (same and not finer & set(NO_LABEL)):
        return f"Predicts {next(iter(finer or words))} for every pair."
    return ""


def _note_run_spread(wholes: Mapping[str, Cell]) -> str:
    """Note that figures are means over several runs, and on which set the runs differ most."""
    spreads = {name: cell.spread for name, cell in wholes.items() if cell.spread}
    if not spreads:
        return ""
    widest = max(spreads, key=lambda name: spreads[name].most - spreads[name].least)
    spread = spreads[widest]
    where = f" most on {replace_unprintable(widest)}," if len(wholes) > 1 else ""
    ends = f"{takeaways.format_percentage_points(spread.least)}% to {takeaways.format_percentage_points(spread.most)}%"
    return (
        f"Figures are means over {spread.runs} runs; accuracies vary{where} from {ends} "
        f"(standard deviation {takeaways.format_percentage_points(spread.sd)} percentage points)."
    )


def _join_first_phrases(phrases: Sequence[str]) -> str:
    more = len(phrases) - _MAX_TOPICS
    tail = [f"{more} more {'topic' if more == 1 else 'topics'}"] if more > 0 else []
    return "; ".join([*phrases[:_MAX_TOPICS], *tail])


def _judge_set(name: str, scores: pl.DataFrame, model: str, predicted: LabelCounts) -> tuple[Tone, str, str]:
    """Return the tone of a set, its topic, and the reason."""
    whole = collect_total_cells(scores, model)
    groups = collect_group_cells(scores, "heuristic", model) if choose_main_tag(scores) == "heuristic" else {}
    known = "hans" if set(verdicts.NESTED_HEURISTICS) <= groups.keys() else name
    topic = TOPICS.get(known, replace_unprintable(name))
    baseline = verdicts.compute_baseline(whole, predicted)
    tone, why = (
        verdicts.judge_accuracy(whole[ALL], baseline),
        verdicts.explain_accuracy_judgement(whole[ALL], baseline),
    )
    if tone == "few":
        return tone, topic, why
    if takeaways.has_many_unlabelled(predicted, whole[ALL].n):
        absent = takeaways.count_unlabelled(predicted)
        return "bad", topic, f"{format_percent(absent, whole[ALL].n)} of the predictions have no label"
    judged = {group: cells for group, cells in groups.items() if _counts_in_verdict(cells)}
    sided = {group: cells for group, cells in judged.items() if _has_both_labels(cells)}
    if sided:
        worst, summary = verdicts.summarize_heuristic_verdicts(sided)
        if _ORDER[worst] <= _ORDER[tone]:
            tone, why = worst, summary
    rest = [cells[ALL] for group, cells in judged.items() if group not in sided and ALL in cells]
    if tone == "good" and any(
        cell.low <= HIGH for cell in rest
    ):  # pairs of one label, which no verdict covers
        tone, why = "open", verdicts.explain_accuracy_judgement(whole[ALL], baseline)
    few = [replace_unprintable(group) for group in groups if group not in judged]
    return tone, topic, f"{why} (too few {verdicts.name_heuristics(few)} pairs for a verdict)" if few else why


def _has_both_labels(cells: Mapping[str, Cell]) -> bool:
    """Whether a heuristic has pairs of both labels."""
    return all(side in cells for side in verdicts.HEURISTIC_LABELS)


def _counts_in_verdict(cells: Mapping[str, Cell]) -> bool:
    """Whether a heuristic counts in the verdict: it has enough pairs, or its few pairs show a bad pattern.

    Too few pairs can't show a good result, so its absence is not a finding; a bad pattern is one.
    """
    if any(cell.few_clusters for cell in cells.values()):
        return False
    if sum(cell.n for gold, cell in cells.items() if gold != ALL) >= verdicts.FEWEST_PAIRS:
        return True
    if not _has_both_labels(cells):
        return ALL in cells and cells[ALL].high < HIGH
    verdict = verdicts.judge_heuristic(cells)
    return verdicts.SUMMARIES[verdict][0] == "bad" and verdict in verdicts.CONCLUSIVE_VERDICTS
