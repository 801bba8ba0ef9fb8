"""Small sets at random, for properties that hold of every set."""

from __future__ import annotations

from typing import Any

from hypothesis import assume
from hypothesis import strategies as st
from small_sets import Entry, read_grammar, set_text, subcase, template

from rightreasons.core.errors import InputError

LOWER = ("a", "b", "c", "a b", "b c", "c a b")
SLOTS = ("{N1}", "{N2}", "{M1}")
MOST_PAIRS = 400
Sentences = tuple[list[str], list[str]]


@st.composite
def grammars(
    draw: st.DrawFn, pool: tuple[str, ...] = LOWER, *, glue: bool = False, templates: int = 3
) -> str:
    """Draw the text of a set over a few words, whose templates are often alike and so say the same."""
    lists = {name: draw(word_lists(pool)) for name in ("N", "M")}
    parts = st.sampled_from((*SLOTS, *SLOTS, *pool, *pool[:2]))
    first = (draw(st.lists(parts, min_size=1, max_size=3)), draw(st.lists(parts, min_size=1, max_size=3)))
    sentences = [first, *(draw(like(first, parts)) for _ in range(draw(st.integers(0, templates - 1))))]
    labels = st.sampled_from(["entailment", "neutral"])
    space = st.sampled_from(["", " "]) if glue else st.just(" ")
    entries = [
        template(*(joined(side, draw(space)) for side in sides), f"t{n}", label=draw(labels))
        for n, sides in enumerate(sentences)
    ]
    text = set_text(lists, subcase("one", *entries), distinct=draw(st.booleans()))
    assume_small(text)
    return text


@st.composite
def word_lists(draw: st.DrawFn, pool: tuple[str, ...]) -> Entry | list[str]:
    words = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=4, unique=True))
    if draw(st.integers(0, 3)):
        return words
    lemmas = draw(st.lists(st.sampled_from("xyz"), min_size=len(words), max_size=len(words)))
    return {"words": words, "lemma": lemmas}


@st.composite
def like(draw: st.DrawFn, sides: Sentences, parts: st.SearchStrategy[str]) -> Sentences:
    """Draw two sentences that differ from others in a place or two, or not at all."""
    found = (list(sides[0]), list(sides[1]))
    for _ in range(draw(st.integers(0, 2))):
        side = found[draw(st.integers(0, 1))]
        side[draw(st.integers(0, len(side) - 1))] = draw(parts)
    return found


def joined(parts: list[str], space: str) -> str:
    return space.join(parts) + "."


def assume_small(text: str) -> None:
    """Pass over what is refused with a reason, and what is too much to enumerate."""
    try:
        found: Any = read_grammar(text)
    except InputError:
        assume(condition=False)
    else:
        assume(sum(variant.space.count for variant in found.variants) <= MOST_PAIRS)
