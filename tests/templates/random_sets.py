"""Small sets at random, for properties that hold of every set."""

from __future__ import annotations

from typing import Any

from hypothesis import assume
from hypothesis import strategies as st
from small_sets import Entry, read_grammar, set_text, subcase, template

from rightreasons.errors import InputError

LOWER = ("a", "b", "c", "a b", "b c", "c a b")
MOST_PAIRS = 600


@st.composite
def grammars(
    draw: st.DrawFn, pool: tuple[str, ...] = LOWER, *, glue: bool = False, templates: int = 3
) -> str:
    """Draw the text of a set over a few words, so that its templates often say the same."""
    lists = {name: draw(word_lists(pool)) for name in ("N", "M")}
    many = draw(st.integers(1, templates))
    labels = st.sampled_from(["entailment", "neutral"])
    entries = [
        template(draw(sentences(pool, glue=glue)), draw(sentences(pool, glue=glue)), f"t{n}", label=draw(labels))
        for n in range(many)
    ]
    text = set_text(lists, subcase("one", *entries), distinct=draw(st.booleans()))
    _assume_small(text)
    return text


@st.composite
def word_lists(draw: st.DrawFn, pool: tuple[str, ...]) -> Entry | list[str]:
    words = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=4, unique=True))
    if draw(st.integers(0, 3)):
        return words
    lemmas = draw(st.lists(st.sampled_from("xy"), min_size=len(words), max_size=len(words)))
    return {"words": words, "lemma": lemmas}


@st.composite
def sentences(draw: st.DrawFn, pool: tuple[str, ...], *, glue: bool) -> str:
    """Draw a row of slots and fixed words, now and then without a space between."""
    parts = st.sampled_from(["{N1}", "{N2}", "{M1}", "{N1}", "{M1}", *pool])
    text = draw(parts)
    for part in draw(st.lists(parts, max_size=2)):
        text += ("" if glue and draw(st.booleans()) else " ") + part
    return text + draw(st.sampled_from(["", "."]))


def _assume_small(text: str) -> None:
    """Pass over what is refused with a reason, and what is too much to enumerate."""
    try:
        found: Any = read_grammar(text)
    except InputError:
        assume(condition=False)
    else:
        assume(sum(variant.space.count for variant in found.variants) <= MOST_PAIRS)
