"""A small study, written without the planner: items, twins, controls, and forms that are balanced by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.people.study import Study, write_study

if TYPE_CHECKING:
    from pathlib import Path

LABEL_QUESTION = {
    "name": "label",
    "text": "Is the second sentence true, given the first?",
    "gold": "label",
    "choices": [
        {"value": "entailment", "text": "Yes, it must be true"},
        {"value": "non-entailment", "text": "No, it may be false"},
    ],
}
SENSE_QUESTION = {
    "name": "sense",
    "text": "Do both sentences make sense?",
    "choices": [{"value": "yes", "text": "Yes"}, {"value": "no", "text": "No"}],
}
NOTE_QUESTION = {"name": "note", "text": "Anything to add?", "kind": "text", "required": False}


def make_protocol_content(**changes: Any) -> dict[str, Any]:
    return {
        "about": "A study for tests.",
        "judgements": 2,
        "items_per_participant": 4,
        "questions": [LABEL_QUESTION],
        "texts": {
            "title": "Sentences",
            "consent": "You will read pairs of sentences.\n\nYou can stop at any time.",
            "instructions": "Read the first sentence.\n\nThen decide about the second.",
            "debriefing": "Thank you for taking part.",
        },
        "exclude": ["controls_wrong > 0"],
        "pause_seconds": 0,
        "timeout_minutes": 60,
        "practice": [
            {
                "premise": "The dog barked.",
                "hypothesis": "The dog barked.",
                "answers": {"label": "entailment"},
                "feedback": "Both sentences are the same.",
            }
        ],
        **changes,
    }


def make_items(count: int, controls: int = 1, **changes: Any) -> pl.DataFrame:
    """Make items in pairs of twins, and controls."""
    items = [
        {
            "item": f"item-{number}",
            "kind": "item",
            "id": f"pair-{number}",
            "premise": f"The judge saw actor number {number}.",
            "hypothesis": f"Actor number {number} saw the judge.",
            "label": "non-entailment" if number % 2 else "entailment",
            "group": f"group-{number // 2}",
            "stratum": f"stratum-{number % 3}",
            **changes,
        }
        for number in range(count)
    ]
    known = [
        {
            "item": f"control-{number}",
            "kind": "control",
            "id": f"control-{number}",
            "premise": f"The author met {number} bankers.",
            "hypothesis": f"The author met {number} bankers.",
            "label": "entailment",
            "group": None,
            "stratum": "control",
        }
        for number in range(controls)
    ]
    return pl.DataFrame([*items, *known])


def make_forms(count: int, per_form: int, judgements: int, controls: int = 1) -> pl.DataFrame:
    """Divide items into forms without twins: the even items, then the odd ones, in every replicate."""
    order = [*range(0, count, 2), *range(1, count, 2)]
    rows = []
    form = 0
    for _ in range(judgements):
        for half in (order[: len(order) // 2], order[len(order) // 2 :]):
            for start in range(0, len(half), per_form):
                names = [f"item-{number}" for number in half[start : start + per_form]]
                names[1:1] = [f"control-{number}" for number in range(controls)]
                rows += [(form, position, name) for position, name in enumerate(names)]
                form += 1
    return pl.DataFrame(
        rows, schema={"form": pl.Int64, "position": pl.Int64, "item": pl.String}, orient="row"
    )


def make_study(folder: Path, count: int = 8, per_form: int = 4, controls: int = 1, **changes: Any) -> Study:
    """Write a study of `count` items, in forms of `per_form` items and some controls."""
    content = make_protocol_content(**{"items_per_participant": per_form, **changes})
    return write_study(
        folder,
        protocol_name="tests",
        protocol_content=content,
        items=make_items(count, controls),
        forms=make_forms(count, per_form, content["judgements"], controls),
        card={"name": "small", "version": "1"},
    )
