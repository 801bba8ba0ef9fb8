"""What all sets made from templates have in common."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal, Protocol

from rightreasons import __version__
from rightreasons.core.options import get_options
from rightreasons.core.pairs import Card
from rightreasons.sets.attested_verbs import read_attested_verbs
from rightreasons.sets.corpus_set import Short  # noqa: TC001 - options are read from it
from rightreasons.templates.filling import Filler
from rightreasons.templates.plan import TemplatePlan, check_split, compute_subcase_sizes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rightreasons.templates.grammar import Grammar
    from rightreasons.templates.premise_splits import ReservedPremises

Parses = Literal["none", "labelled", "binary"]
Text = Literal["natural", "tokenised"]
Disjoint = Literal["pair", "premise"]
TEXT_HELP = "natural, or tokenised with a space before every full stop. Default: that of the templates."
PARSES_HELP = "Parses to add to each pair: none, labelled, or labelled and binary."
DISJOINT_HELP = (
    "What training and evaluation sets must not share: pairs, or premises (built-in sets share neither)."
)


@lru_cache(maxsize=16)
def get_filler(grammar: Grammar, style: str, parses: str) -> Filler:
    """Keep the phrase tables of the grammars in use."""
    return Filler(grammar, style, parses)


class TemplateOptions(Protocol):
    """The options that every set made from templates has."""

    @property
    def text(self) -> Text | None:
        """Natural or tokenised."""

    @property
    def parses(self) -> Parses:
        """The parses to add."""

    @property
    def short(self) -> Short:
        """What to do if there are fewer pairs than requested."""


def plan_template_set(
    chosen: TemplateOptions,
    grammar: Grammar,
    reserved: Mapping[str, ReservedPremises],
    *,
    size: int | None,
    limit: int | None,
    seed: int,
    split: str,
    attested: Path | None = None,
) -> TemplatePlan:
    """Plan a sample of a grammar; the card records all options of the set, with the style of text that they lead to.

    With `attested`, the sample has only verbs that this table of the audit frames attests.
    """
    document = grammar.document
    known = None if attested is None else read_attested_verbs(attested)
    restriction = None if known is None else known.restrict_words(grammar)
    left_out = known.list_left_out(grammar, restriction, short=chosen.short) if known and restriction else []
    sizes, remarks = compute_subcase_sizes(
        grammar,
        reserved,
        size=size,
        limit=limit,
        split=check_split(split),
        short=chosen.short,
        restriction=restriction,
    )
    style = chosen.text or document.text
    options = {"size": size, "limit": limit, "seed": seed, "split": split, **get_options(chosen)}
    card = Card(
        set=document.name,
        version=document.version,
        options=options | {"text": style},
        labels=document.labels,
        rows=sum(sizes.values()),
        made_with=f"rightreasons {__version__}",
        sources={} if known is None else {f"SHA-256 of {known.path}": known.digest},
        remarks=(*left_out, *remarks),
    )
    filler = get_filler(grammar, style, chosen.parses)
    return TemplatePlan(
        filler, card, sizes, seed=seed, split=split, reserved=reserved, restriction=restriction
    )
