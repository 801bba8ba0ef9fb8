"""What people did on a set in the published studies: beside a study of ours, or as a note on a table of models."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.core.exhibit import Exhibit
from rightreasons.core.labels import NON_ENTAILMENT
from rightreasons.people.keep_rules import count_kept_items, parse_keep_rule
from rightreasons.reports.published import read_published_figures
from rightreasons.scoring.proportion import compute_clustered_proportion, compute_proportion

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rightreasons.people.question_labels import QuestionLabels
    from rightreasons.people.results import StudyResults
    from rightreasons.scoring.proportion import Proportion

NAME = "people"
KEY = "published-people"
_RELEASED = "-released"
_MAJORITY = re.compile(r"majority: ([a-z0-9-]+)(?:=([a-z-]+))?")
_KEPT = "kept: "
# Pairs that were selected by a model's scores: the tag that names the score, and the words for it in a published split.
_TOP = "top"
_SCORES = {"high contradiction scores": "p_contradiction", "high entailment scores": "p_entailment"}
_ABOUT_LABELS = {
    "accuracy": "the accuracy of {who} was",
    "majority: label": "the majority of {who} gave the gold label to",
    "majority: label=neutral": "the majority of {who} gave the label neutral to",
}
_CAPTION = (
    "People in the published studies of these sets, and in this study. A majority is more than half of the judgements "
    "of an item; an item without one counts as disagreeing. 95% confidence intervals."
)


def list_people_rows(sets: Iterable[str]) -> pl.DataFrame:
    """List the published figures of people on sets; a released set has those of the set."""
    names = [name.removesuffix(_RELEASED) for name in sets]
    return read_published_figures(NAME).filter(pl.col("subset").is_in(names))


def describe_people(set_name: str) -> tuple[str, ...]:
    """Describe the published figures of people about the labels of a set, as notes on a table of models."""
    rows = list_people_rows([set_name]).filter(pl.col("figure").is_in(_ABOUT_LABELS))
    found: dict[tuple[str, str, str, str], list[str]] = {}
    for row in rows.iter_rows(named=True):
        share = f"{row['value']:.1%}".replace(".0%", "%")
        where = (
            f" where the label is {row['gold']}"
            if row["gold"]
            else f" ({row['split']})"
            if row["split"]
            else ""
        )
        key = (row["figure"], row["model"], row["source"], row["table"])
        found.setdefault(key, []).append(share + where)
    return tuple(
        f"People on {set_name}: {_ABOUT_LABELS[figure].format(who=who)} {', '.join(shares)} "
        f"({', '.join(filter(None, (source, table)))})."
        for (figure, who, source, table), shares in found.items()
    )


def make_published_people_exhibit(results: StudyResults) -> Exhibit | None:
    """Show the published figures about the sets of a study, with ours where the study asked the same."""
    sets = _list_set_names(results)
    rows = []
    for row in list_people_rows(sets).iter_rows(named=True):
        only = _select_same_items(results, row["subset"], row["split"], several=len(sets) > 1)
        ours = None if only is None else _measure_same(results, row["figure"], row["gold"], only)
        who = ", ".join(filter(None, (row["model"], row["split"], row["note"])))
        source = ", ".join(filter(None, (row["source"], row["table"])))
        rows.append(
            {
                "set": row["subset"],
                "figure": row["figure"] + (f" of {row['gold']}" if row["gold"] else ""),
                "published": row["value"],
                **_make_our_columns(ours),
                "people": who,
                "source": source,
            }
        )
    if not rows:
        return None
    schema = dict.fromkeys(("published", "ours", "ours_low", "ours_high"), pl.Float64)
    frame = pl.DataFrame(rows, schema_overrides=schema, infer_schema_length=None)
    return Exhibit(
        KEY,
        "Published figures of people",
        _CAPTION,
        frame,
        {
            "set": "text",
            "figure": "text",
            "published": "percent",
            "ours": "percent",
            "n": "count",
            "people": "text",
            "source": "text",
        },
        headings={"ours": "this study"},
    )


def _make_our_columns(ours: Proportion | None) -> dict[str, float | None]:
    if ours is None or not ours.n:
        return {"ours": None, "ours_low": None, "ours_high": None, "n": None}
    return {**ours.to_columns("ours"), "n": ours.n}


def _list_set_names(results: StudyResults) -> list[str]:
    """List the sets that the items come from: by their tag, else by the card of the study."""
    items = results.study.items
    tags = items["set"].drop_nulls().unique().sort().to_list() if "set" in items.columns else []
    cards = results.study.card.get("set") or []
    cards = cards if isinstance(cards, list) else [cards]
    named = [str(card["set"]) for card in cards if isinstance(card, dict) and "set" in card]
    return list(dict.fromkeys([*tags, *named]))


def _select_same_items(results: StudyResults, subset: str, split: str, *, several: bool) -> pl.Expr | None:
    """Select the items that a published figure is about; None if the study selected its items in another way."""
    columns = results.study.items.columns
    inside = pl.col("set").str.strip_suffix(_RELEASED) == subset
    only = inside if several and "set" in columns else pl.lit(value=True)
    score = next((column for words, column in _SCORES.items() if words in (split or "")), None)
    if score is None:
        return only
    return only & pl.col(_TOP).str.ends_with(score) if _TOP in columns else None


def _measure_same(results: StudyResults, figure: str, gold: str, only: pl.Expr) -> Proportion | None:
    """Measure a published figure on some items of our study; None if the study doesn't ask for it."""
    if figure == "accuracy":
        accuracy = next(iter(results.accuracies.values()), None)
        # Merged labels have two gold answers; a study with three has no non-entailment.
        if accuracy is None or (gold == NON_ENTAILMENT and gold not in accuracy.answers["gold"]):
            return None
        return accuracy.measure(only & (pl.col("gold") == gold) if gold else only)
    if figure.startswith(_KEPT):
        return _measure_kept(results, figure.removeprefix(_KEPT))
    parsed = _MAJORITY.fullmatch(figure)
    labels = {each.question.name: each for each in results.questions}.get(parsed[1]) if parsed else None
    return None if labels is None or parsed is None else _measure_majority(labels, parsed[2], only)


def _measure_kept(results: StudyResults, rule: str) -> Proportion | None:
    """Measure how many judged items a rule keeps; None if the study was planned with other questions or numbers."""
    labels = {each.question.name: each for each in results.questions}
    try:
        chosen = parse_keep_rule(rule).select(labels, results.study.protocol.judgements)
    except InputError:
        return None
    return compute_proportion(*count_kept_items(labels, chosen))


def _measure_majority(labels: QuestionLabels, value: str | None, only: pl.Expr) -> Proportion | None:
    """Measure for how many items more than half of the participants gave an answer: the gold answer, or a value."""
    if value is not None and value not in labels.question.values:
        return None
    wanted = (
        labels.gold if value is None else pl.repeat(value, labels.items.height, dtype=pl.String, eager=True)
    )
    counts = [
        pl.Series(f"n {choice}", labels.counts[:, place])
        for place, choice in enumerate(labels.question.values)
    ]
    table = labels.items.hstack([wanted.alias("wanted value"), *counts])
    given = pl.lit(0)
    for choice in labels.question.values:
        given = pl.when(pl.col("wanted value") == choice).then(pl.col(f"n {choice}")).otherwise(given)
    total = pl.sum_horizontal(f"n {choice}" for choice in labels.question.values)
    used = table.filter(only & (total > 0) & pl.col("wanted value").is_not_null())
    return compute_clustered_proportion(used.select(hit=given * 2 > total)["hit"]) if used.height else None
