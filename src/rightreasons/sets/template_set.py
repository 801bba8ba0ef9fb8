"""What all sets made from templates have in common."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal, Protocol

from rightreasons import __version__
from rightreasons.core.pairs import Card
from rightreasons.templates.filling import Filler
from rightreasons.templates.plan import TemplatePlan
from rightreasons.templates.sizes import check_split, sizes_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rightreasons.templates.grammar import Grammar
    from rightreasons.templates.splits import Reserved

Parses = Literal["none", "labelled", "binary"]
Text = Literal["natural", "tokenised"]
Short = Literal["refuse", "allow"]
Disjoint = Literal["pair", "premise"]


@lru_cache(maxsize=16)
def filler_of(grammar: Grammar, style: str, parses: str) -> Filler:
    """Keep the phrase tables of the grammars in use."""
    return Filler(grammar, style, parses)


class TemplateOptions(Protocol):
    """What every set made from templates lets choose; some have a mode beside it."""

    text: Text | None
    parses: Parses
    disjoint: Disjoint
    short: Short


def template_plan(
    chosen: TemplateOptions,
    grammar: Grammar,
    reserved: Mapping[str, Reserved],
    *,
    size: int | None,
    limit: int | None,
    seed: int,
    split: str,
    **more: str,
) -> TemplatePlan:
    """Plan a sample of a grammar; the card records what it takes to make it again, `more` options included."""
    document = grammar.document
    sizes, remarks = sizes_of(
        grammar, reserved, size=size, limit=limit, split=check_split(split), short=chosen.short
    )
    style = chosen.text or document.text
    modes = {"mode": chosen.mode} if hasattr(chosen, "mode") else {}
    options = {"size": size, "limit": limit, "seed": seed, "split": split, **more, **modes}
    options |= {"disjoint": chosen.disjoint, "text": style}
    card = Card(
        set=document.name,
        version=document.version,
        options={**options, "parses": chosen.parses, "short": chosen.short},
        labels=document.labels,
        rows=sum(sizes.values()),
        made_with=f"rightreasons {__version__}",
        remarks=tuple(remarks),
    )
    filler = filler_of(grammar, style, chosen.parses)
    return TemplatePlan(filler, card, sizes, seed=seed, split=split, reserved=reserved)
