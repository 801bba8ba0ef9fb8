"""Simple Pair: sentences of a few words, of which another with some words exchanged neither follows nor is denied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.core.parts import SetPart
from rightreasons.core.resources import DATA
from rightreasons.sets.template_set import Disjoint, Parses, Short, Text, template_plan
from rightreasons.templates.grammar import load_grammar

if TYPE_CHECKING:
    from rightreasons.templates.grammar import Grammar
    from rightreasons.templates.plan import TemplatePlan
    from rightreasons.templates.recognise import Recogniser

FILE = DATA / "sets" / "simple-pair.toml"


def grammar() -> Grammar:
    """Return the templates of Simple Pair."""
    return load_grammar(FILE)


class SimplePair(SetPart):
    """Simple Pair: simple sentences with a word exchanged, swapped or negated, all of them neutral."""

    name = "simple-pair"
    version = 1
    labels = ("neutral",)
    paper = "Luo et al. 2022"
    tags = ("set", "subcase", "template", "subvariant", "category", "kind", "form", "group", "rank")

    def __init__(
        self,
        *,
        text: Text | None = None,
        parses: Parses = "labelled",
        disjoint: Disjoint = "pair",
        short: Short = "refuse",
    ) -> None:
        """Take the options.

        Args:
            text: natural, or tokenised with a space before every full stop.
            parses: none, labelled, or labelled and binary.
            disjoint: what training and evaluation sets must not share; Simple Pair keeps premises, and so pairs, apart
                in either case.
            short: refuse to give fewer pairs than were asked for, or allow it.
        """
        self.text = text
        self.parses = parses
        self.disjoint = disjoint
        self.short = short

    def plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> TemplatePlan:
        """Plan a sample: `size` pairs per subcase (those of the paper unless told), or `limit` in all."""
        return template_plan(self, grammar(), {}, size=size, limit=limit, seed=seed, split=split)

    def recognisers(self) -> list[Recogniser]:
        """Return what finds pairs of this set again."""
        from rightreasons.templates.recognise import Recogniser

        return [Recogniser(grammar())]
