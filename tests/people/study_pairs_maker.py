"""Pairs to plan studies from, made at random."""

from __future__ import annotations

import polars as pl
from hypothesis import strategies as st

from rightreasons.people.protocol import Protocol
from rightreasons.people.questions import Choice, Question

LABEL = Question(
    "label",
    "Does it follow?",
    choices=(Choice("entailment", "Yes", "y"), Choice("non-entailment", "No", "n")),
    gold="label",
)
SENSE = Question("sense", "Does it make sense?", choices=(Choice("yes", "Yes", "y"), Choice("no", "No", "n")))


def make_pairs(
    count: int, groups: list[int | None] | None = None, kinds: list[int] | None = None
) -> pl.DataFrame:
    """Make pairs with distinct texts, in groups, and of kinds that strata can be drawn by."""
    return pl.DataFrame(
        {
            "id": [f"p{number}" for number in range(count)],
            "premise": [f"The judge saw {number} actors." for number in range(count)],
            "hypothesis": [f"The judge saw {number + 1} actors." for number in range(count)],
            "label": ["entailment" if number % 2 else "non-entailment" for number in range(count)],
            "group": [None if each is None else f"g{each}" for each in groups or [None] * count],
            "type": [f"t{each}" for each in kinds or [0] * count],
        },
        schema_overrides={"group": pl.String},
    )


def make_protocol(**changes: object) -> Protocol:
    """Make a protocol that asks for two labels."""
    settings: dict[str, object] = {
        "name": "tests",
        "about": "A study for tests.",
        "judgements": 2,
        "items_per_participant": 4,
        "questions": (LABEL,),
        "texts": {"consent": "Do you?", "instructions": "Read.", "debriefing": "Thanks."},
        "strata": ("type",),
        **changes,
    }
    return Protocol(**settings)  # type: ignore[arg-type]


@st.composite
def draw_pairs(draw: st.DrawFn) -> pl.DataFrame:
    """Draw pairs, some of them twins, in a few strata."""
    count = draw(st.integers(1, 40))
    group = st.one_of(st.none(), st.integers(0, count // 2))
    groups = draw(st.lists(group, min_size=count, max_size=count))
    kinds = draw(st.lists(st.integers(0, 3), min_size=count, max_size=count))
    return make_pairs(count, groups, kinds)
