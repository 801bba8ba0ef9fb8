"""What all sets made from templates have in common."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from rightreasons.pairs import Card
from rightreasons.templates.filling import Filler
from rightreasons.templates.plan import TemplatePlan
from rightreasons.templates.sizes import check_split, sizes_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rightreasons.templates.divisions import Reserved
    from rightreasons.templates.grammar import Grammar

Parses = Literal["none", "labelled", "binary"]
Text = Literal["natural", "tokenised"]
Short = Literal["refuse", "allow"]
Disjoint = Literal["pair", "premise"]


@lru_cache(maxsize=16)
def filler_of(grammar: Grammar, style: str, parses: str) -> Filler:
    """Keep the phrase tables of the grammars in use."""
    return Filler(grammar, style, parses)


def template_plan(
    grammar: Grammar,
    *,
    size: int | None,
    limit: int | None,
    seed: int,
    split: str,
    text: str | None,
    parses: str,
    short: str,
    options: Mapping[str, Any],
    reserved: Mapping[str, Reserved],
) -> TemplatePlan:
    """Plan a sample of a grammar; the card records what it takes to make it again."""
    document = grammar.document
    sizes, remarks = sizes_of(
        grammar, reserved, size=size, limit=limit, split=check_split(split), short=short
    )
    style = text or document.text
    asked = {"size": size, "limit": limit, "seed": seed, "split": split}
    card = Card(
        set=document.name,
        version=document.version,
        options={**asked, **options, "text": style, "parses": parses, "short": short},
        labels=document.labels,
        rows=sum(sizes.values()),
        remarks=tuple(remarks),
    )
    filler = filler_of(grammar, style, parses)
    return TemplatePlan(filler, card, sizes, seed=seed, split=split, reserved=reserved)
