"""HANS: 30 subcases in which the words, a subsequence or a clause of the premise make the hypothesis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rightreasons.core.parts import SetPart
from rightreasons.core.resources import DATA
from rightreasons.sets.hans import released_ranks as released
from rightreasons.sets.template_set import Disjoint, Parses, Short, Text, template_plan
from rightreasons.templates.grammar import load_grammar

if TYPE_CHECKING:
    from rightreasons.templates.grammar import Grammar
    from rightreasons.templates.plan import TemplatePlan
    from rightreasons.templates.recognise import Recogniser

Mode = Literal["corrected", "faithful"]
MODES: tuple[Mode, ...] = ("corrected", "faithful")
PAPER = "McCoy, Pavlick and Linzen 2019"
TAGS = ("set", "heuristic", "subcase", "template", "subvariant", "trigger", "category", "group", "rank")
FILE = DATA / "sets" / "hans.toml"


def grammar(mode: Mode) -> Grammar:
    """Return the templates of HANS: as released, or with its defects mended."""
    return load_grammar(FILE, None if mode == "corrected" else mode)


class Hans(SetPart):
    """HANS, from its templates: any size, any seed, evaluation and training apart."""

    name = "hans"
    version = 1
    labels = ("entailment", "non-entailment")
    paper = PAPER
    tags = TAGS

    def __init__(
        self,
        *,
        mode: Mode = "corrected",
        text: Text | None = None,
        parses: Parses = "labelled",
        disjoint: Disjoint = "pair",
        short: Short = "refuse",
    ) -> None:
        """Take the options.

        Args:
            mode: corrected, or faithful to the released distribution with its defects.
            text: natural, or tokenised with a space before every full stop; faithful is tokenised by default.
            parses: none, labelled, or labelled and binary.
            disjoint: what training and evaluation sets must not share; HANS keeps premises, and so pairs, apart in
                either case.
            short: refuse to give fewer pairs than were asked for, or allow it.
        """
        self.mode = mode
        self.text = text
        self.parses = parses
        self.disjoint = disjoint
        self.short = short

    def plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> TemplatePlan:
        """Plan a sample: `size` pairs per subcase (1000 unless told), or `limit` in all."""
        templates = grammar(self.mode)
        reserved = released.reserved(templates)
        return template_plan(self, templates, reserved, size=size, limit=limit, seed=seed, split=split)

    def recognisers(self) -> list[Recogniser]:
        """Return what finds pairs of this set again, the corrected mode first."""
        from rightreasons.templates.recognise import Recogniser

        return [Recogniser(grammar(mode), mode) for mode in MODES]
