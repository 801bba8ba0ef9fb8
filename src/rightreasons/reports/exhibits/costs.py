"""What each change of the pairs costs a model, and what it does to the kinds of error."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.edits import EDIT
from rightreasons.core.errors import InputError
from rightreasons.core.labels import NON_ENTAILMENT
from rightreasons.core.pairs import TEXTS
from rightreasons.reports.exhibits.exhibit import Exhibit
from rightreasons.reports.exhibits.intervals import intervals_of, remark_on
from rightreasons.reports.exhibits.sources import TAGS, answered, changed_sets, sources_of
from rightreasons.scoring import confusions
from rightreasons.scoring.costs import (
    Cost,
    differ_in_labels,
    find_clusters,
    has_two_golds,
    join_sources,
    matches_source,
    measure_cost,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rightreasons.reports.exhibits.exhibit import Format
    from rightreasons.runs.collection import RunCollection
    from rightreasons.scoring.proportion import Proportion

_TITLE = "What each stress test costs"
LEAST = 10  # pairs with their source: of fewer, no row is made
_ASIDE = "_before"
_CAPTION = (
    "Pairs that a stress test changed, against the same pairs as they were ({sources}): the accuracy on both, and the "
    "points lost, with the 95% confidence interval of a paired difference; a premise with all that was made of it is a "
    "cluster. Only changed pairs whose "
    "source was answered too count; none has another label than its source."
)
_BY_TWO = "{whose}: one of the two sets was compared by two labels, so both are here, by the rule {rule}."
_OTHERS = (
    "{whose}: left out are {n:,} pairs whose source_id is that of another text in {source}: undoing their edit doesn't "
    "give it. Evaluate both sets from the same corpus."
)
_BY_ID = "{whose}: the set doesn't tell what was edited, so its pairs and their sources are matched by their ids alone."
_NO_SOURCE = (
    "What these sets cost can't be told: of the pairs as they were before the change, fewer than {least} were asked "
    "about. Evaluate with stress/source among the sets, from the same corpus and of the same size."
)
_NAMED = {"errors": "errors", "neutral": "false neutrals", "ec": "E->C", "nc": "N->C"}
_KINDS = (
    "The same pairs before and after: the share of the errors that are false neutrals, and how many pairs are wrongly "
    "called contradiction (E->C: entailed ones, N->C: neutral ones). Shares have {}."
)


@dataclass
class _CostRows:
    """What is gathered from set to set."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    errors: list[dict[str, Any]] = field(default_factory=list)
    shares: list[Proportion] = field(default_factory=list)  # of the errors
    sources: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)


def across(gathered: RunCollection) -> list[Exhibit]:
    """Show what each changed set costs each model where the run has the pairs before the change, too."""
    found, changed = _CostRows(), dict(changed_sets(gathered))
    for name, others in changed.items():
        after = gathered.results(name)
        for model, (source, before, rule) in sources_of(gathered, after.requested, others).items():
            made = answered(after, model, *TAGS, "group", "subcase", *TEXTS, *EDIT)
            # Where one of the two sets has two labels, its rule is that of both.
            _add(
                found,
                (name, model, source),
                before,
                made,
                after.rules[model] if has_two_golds(made) else rule,
            )
    if not found.rows:
        return [_without_source(gathered, list(changed), found.notes)] if changed else []
    shown = [_exhibit(found)]
    return [*shown, _kinds(found)] if found.errors else shown


def _add(
    found: _CostRows, where: tuple[str, str, str], before: pl.DataFrame, after: pl.DataFrame, rule: str
) -> None:
    """Add the rows of one model on one set, and what is to be said of them."""
    name, model, source = where
    whose = f"{name}, {model}"
    try:
        both = join_sources(before, after, rule)
    except InputError as error:
        found.notes.append(
            f"{whose}: left out, since one of the two sets was compared by two labels. {error}"
        )
        return
    same = matches_source(both)
    others = 0 if same is None else int((~same).sum())
    kept = both if same is None else both.filter(same)
    made = list(_rows(name, model, kept))
    found.rows += made
    found.errors += list(_errors(found, name, model, kept))
    found.sources |= {source} if made else set()
    told = {
        _BY_TWO: bool(made) and differ_in_labels(before, after),
        _BY_ID: bool(made) and same is None,
        _OTHERS: others > 0,
    }
    found.notes += [
        note.format(whose=whose, rule=rule, n=others, source=source) for note, is_so in told.items() if is_so
    ]


def _rows(name: str, model: str, both: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """Give a row for a set and, where it has several subcases, one for each."""
    parts = [("all", both)]
    if "subcase" in both.columns and both["subcase"].n_unique() > 1:
        parts += [(str(part), some) for (part,), some in both.group_by(["subcase"], maintain_order=True)]
    for part, some in parts:
        found = measure_cost(some, find_clusters(some))
        if found is not None and found.n >= LEAST:
            shown = name if part == "all" else f"{name}: {part}"
            yield {"set": shown, "model": model, **_figures(found)}


def _figures(found: Cost) -> dict[str, Any]:
    figures: dict[str, Any] = {"n": found.n, "sources": found.sources}
    figures |= {"cost": found.cost, "cost_low": found.low, "cost_high": found.high}
    for name in ("before", "after", "lost", "gained"):
        figures |= getattr(found, name).columns(name)
    return figures


def _errors(found: _CostRows, name: str, model: str, both: pl.DataFrame) -> Iterator[dict[str, Any]]:
    said = pl.concat([both[column] for column in ("gold", "prediction", "prediction_before")])
    if both.height < LEAST or NON_ENTAILMENT in said:
        return
    row: dict[str, Any] = {"set": name, "model": model, "n": both.height}
    for when, end in (("before", _ASIDE), ("after", "")):
        answers = both.select(gold=f"gold{end}", prediction=f"prediction{end}")
        counts = confusions.count_confusions(answers)
        neutral = confusions.error_kind_proportion(answers, confusions.FALSE_NEUTRAL, find_clusters(both))
        found.shares.append(neutral)
        row |= {f"errors_{when}": confusions.count_errors(counts), **neutral.columns(f"neutral_{when}")}
        row |= {
            f"ec_{when}": confusions.count_error_kind(counts, confusions.E_AS_C),
            f"nc_{when}": confusions.count_error_kind(counts, confusions.N_AS_C),
        }
    yield row


def _without_source(gathered: RunCollection, names: list[str], notes: list[str]) -> Exhibit:
    """Say where the costs would be why there are none, and what to do."""
    rows = [{"set": name, "n": gathered.place(name).card["rows"]} for name in names]
    return Exhibit(
        "costs",
        _TITLE,
        _NO_SOURCE.format(least=LEAST),
        pl.DataFrame(rows),
        {"set": "text", "n": "count"},
        notes=tuple(notes),
    )


def _exhibit(found: _CostRows) -> Exhibit:
    return Exhibit(
        "costs",
        _TITLE,
        _CAPTION.format(sources=", ".join(sorted(found.sources))),
        pl.DataFrame(found.rows, infer_schema_length=None),
        {
            "set": "text",
            "model": "text",
            "n": "count",
            "before": "share",
            "after": "share",
            "cost": "points",
            "lost": "percent",
            "gained": "percent",
        },
        chart=_chart(),
        notes=tuple(found.notes),
        headings={
            "cost": "points lost",
            "lost": "right before, wrong after",
            "gained": "wrong before, right after",
        },
    )


def _kinds(found: _CostRows) -> Exhibit:
    whens = ("before", "after")
    named = {f"{kind}_{when}": f"{text} {when}" for kind, text in _NAMED.items() for when in whens}
    formats: dict[str, Format] = {"set": "text", "model": "text", "n": "count"}
    formats |= {name: "percent" if name.startswith("neutral") else "count" for name in named}
    return Exhibit(
        "costs-kinds",
        "What each stress test does to the kinds of error",
        _KINDS.format(intervals_of(found.shares)),
        pl.DataFrame(found.errors, infer_schema_length=None),
        formats,
        notes=remark_on(found.shares),
        headings=named,
    )


def _chart() -> dict[str, Any]:
    """Draw the points lost with their interval, a row for each set."""
    points = {"type": "quantitative", "axis": {"format": "+.0%"}}
    return {
        "encoding": {
            "y": {"field": "set", "type": "nominal", "sort": None, "title": None},
            "yOffset": {"field": "model", "type": "nominal", "sort": None},
            "color": {"field": "model", "type": "nominal", "sort": None, "title": "model"},
        },
        "layer": [
            {
                "mark": {"type": "rule"},
                "encoding": {
                    "x": {"field": "cost_low", "title": "accuracy lost", **points},
                    "x2": {"field": "cost_high"},
                },
            },
            {
                "mark": {"type": "point", "filled": True, "tooltip": True},
                "encoding": {"x": {"field": "cost", **points}},
            },
        ],
    }
