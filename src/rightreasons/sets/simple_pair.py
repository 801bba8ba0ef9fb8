"""Simple Pair: short sentences paired with the same sentence after exchanging words; all pairs are neutral."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rightreasons.core.options import option
from rightreasons.core.parts import SetPart
from rightreasons.core.resources import DATA_FOLDER
from rightreasons.sets.corpus_set import SHORT_HELP, Short
from rightreasons.sets.template_set import (
    DISJOINT_HELP,
    PARSES_HELP,
    TEXT_HELP,
    Disjoint,
    Parses,
    Text,
    plan_template_set,
)
from rightreasons.templates.grammar import load_grammar

if TYPE_CHECKING:
    from rightreasons.templates.grammar import Grammar
    from rightreasons.templates.plan import TemplatePlan
    from rightreasons.templates.recognise import Recogniser

FILE = DATA_FOLDER / "sets" / "simple-pair.toml"


def load_simple_pair_grammar() -> Grammar:
    """Return the templates of Simple Pair."""
    return load_grammar(FILE)


@dataclass(frozen=True, kw_only=True)
class SimplePair(SetPart):
    """Simple Pair: simple sentences with a word exchanged, swapped or negated, all of them neutral."""

    name = "simple-pair"
    version = 1
    labels = ("neutral",)
    paper = "Luo et al. 2022"
    tags = ("set", "subcase", "template", "subvariant", "category", "kind", "form", "group", "rank")

    disjoint: Disjoint = option("pair", help=DISJOINT_HELP)
    text: Text | None = option(None, help=TEXT_HELP)
    parses: Parses = option("labelled", help=PARSES_HELP)
    short: Short = option("refuse", help=SHORT_HELP)

    def plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> TemplatePlan:
        """Plan a sample: `size` pairs per subcase (default: as in the paper), or `limit` in all."""
        return plan_template_set(
            self, load_simple_pair_grammar(), {}, size=size, limit=limit, seed=seed, split=split
        )

    def recognisers(self) -> list[Recogniser]:
        """Return what finds pairs of this set again."""
        from rightreasons.templates.recognise import Recogniser

        return [Recogniser(load_simple_pair_grammar())]
