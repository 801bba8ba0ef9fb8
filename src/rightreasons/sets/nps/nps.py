"""NP/S: a clause whose subject looks like the object of the verb before it."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import lru_cache
from pathlib import Path  # noqa: TC003 - options are read from it
from typing import TYPE_CHECKING, Literal

from rightreasons.core.errors import InputError
from rightreasons.core.options import get_options, option
from rightreasons.core.parts import SetPart
from rightreasons.core.resources import DATA_FOLDER
from rightreasons.sets.attested_verbs import ATTESTED_HELP
from rightreasons.sets.corpus_set import SHORT_HELP, SampleRequest, Short, check_eval_split, plan_corpus_set
from rightreasons.sets.nps.corpus_pairs import (
    TAGS,
    Rules,
    build_nps_pairs,
    collect_attested_from_parses,
    collect_attested_from_texts,
)
from rightreasons.sets.nps.verbs import PAPER, VERBS, choose_lexicon_verbs, look_up_verbs
from rightreasons.sets.template_set import PARSES_HELP, TEXT_HELP, Parses, Text, plan_template_set
from rightreasons.templates.grammar import Grammar, load_grammar

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars as pl

    from rightreasons.core.parts import Plan
    from rightreasons.sets.corpus_set import TablePlan
    from rightreasons.sets.nps.corpus_pairs import Attested
    from rightreasons.sets.nps.verbs import Verb
    from rightreasons.templates.plan import TemplatePlan
    from rightreasons.templates.recognise import Recogniser

Match = Literal["exact", "head"]
Negation = Literal["free", "any", "removed"]
# Options of one way to make the set, without effect in the other.
_OF_A_CORPUS = ("match", "negation", "plausible", "per_noun", "parser")
_OF_THE_LEXICON = ("controls", "text", "attested")
_LEXICON_TAGS = ("set", "subcase", "template", "subvariant", "verb", "group", "rank")
FILE = DATA_FOLDER / "sets" / "nps.toml"


def list_lexicon_verbs() -> list[str]:
    """List the verbs that have their own words and templates."""
    return [subcase for subcase in load_grammar(FILE).subcases if not subcase.endswith("-control")]


@lru_cache(maxsize=16)
def load_nps_grammar(verbs: tuple[str, ...], *, controls: bool) -> Grammar:
    """Return the templates of some verbs, with or without those whose object is an object."""
    document = load_grammar(FILE).document
    wanted = {*verbs, *(f"{verb}-control" for verb in verbs if controls)}
    templates = tuple(template for template in document.templates if template.subcase in wanted)
    labels = document.labels if controls else ("non-entailment",)
    return Grammar(replace(document, templates=templates, labels=labels))


@dataclass(frozen=True, kw_only=True)
class Nps(SetPart):
    """NP/S garden paths: "They heard the speech was canceled" does not say that they heard the speech."""

    name = "nps"
    version = 1
    paper = "McCoy and Linzen 2019"
    reads = "parses"

    corpus: tuple[str, ...] | None = option(
        None, help="Corpora with parses to take subjects, objects and clauses from. Default: a lexicon."
    )
    text: Text | None = option(None, help=f"With the lexicon: {TEXT_HELP}")
    parses: Parses = option("labelled", help=f"With the lexicon. {PARSES_HELP}")
    attested: Path | None = option(None, help=f"With the lexicon. {ATTESTED_HELP}")
    verbs: tuple[str, ...] = option(PAPER, help="Verbs in the past tense, or all.")
    controls: bool = option(
        False, help="With the lexicon: add entailed pairs in which the verb takes an object, not a clause."
    )
    match: Match = option(
        "exact", help="How a clause's subject must be attested as an object: exact, or by its head noun."
    )
    negation: Negation = option(
        "free", help="Clauses free of negation, any clauses, or any with negations removed."
    )
    plausible: bool = option(True, help="Keep only plausible combinations of subject and clause.")
    per_noun: int = option(10, help="Maximum number of pairs per verb and noun.")
    parser: str | None = option(None, help="spacy:MODEL to parse a corpus without parses.")
    short: Short = option("refuse", help=SHORT_HELP)

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels: controls are entailed."""
        return ("entailment", "non-entailment") if self.controls else ("non-entailment",)

    @property
    def tags(self) -> tuple[str, ...]:
        """Return the tags: pairs of a corpus have others than those of the lexicon."""
        return _LEXICON_TAGS if self.corpus is None else TAGS

    def __post_init__(self) -> None:
        """Refuse options without effect: some are for a corpus, others for the lexicon."""
        if self.per_noun < 1:
            raise InputError(f"The option per_noun is {self.per_noun}. Use at least 1.")
        other, missing = ("a corpus", "Add") if self.corpus is None else ("the lexicon", "Omit")
        defaults = {item.name: item.default for item in fields(self)}
        for key in _OF_A_CORPUS if self.corpus is None else _OF_THE_LEXICON:
            if getattr(self, key) != defaults[key]:
                raise InputError(
                    f"The option {key} applies to pairs from {other} only. {missing} --corpus, or omit the option."
                )

    def plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> Plan:
        """Plan a sample: `size` pairs per verb, or `limit` in all."""
        if self.corpus is None:
            return self._plan_from_lexicon(size=size, limit=limit, seed=seed, split=split)
        return self._plan_from_corpus(size=size, limit=limit, seed=seed, split=split)

    def _plan_from_lexicon(
        self, *, size: int | None, limit: int | None, seed: int, split: str
    ) -> TemplatePlan:
        verbs = tuple(choose_lexicon_verbs(self.verbs, list_lexicon_verbs()))
        templates = load_nps_grammar(verbs, controls=self.controls)
        plan = plan_template_set(
            self, templates, {}, size=size, limit=limit, seed=seed, split=split, attested=self.attested
        )
        # The card ends with the verbs and the controls; what concerns a corpus is left out.
        last = {key: plan.card.options.pop(key) for key in ("verbs", "controls")}
        first = {
            key: value for key, value in plan.card.options.items() if key not in ("corpus", *_OF_A_CORPUS)
        }
        plan.card = replace(plan.card, options=first | last)
        return plan

    def _plan_from_corpus(self, *, size: int | None, limit: int | None, seed: int, split: str) -> TablePlan:
        from rightreasons.corpora import read_corpus

        check_eval_split(self.name, split)
        verbs = look_up_verbs(self.verbs)
        corpus = read_corpus(self.corpus or ())
        known = self.collect_attested(corpus.pairs)
        rules = Rules(self.match, self.negation, self.plausible, self.per_noun)
        table, remarks = build_nps_pairs(known, verbs, rules, self.name, self.version, seed)
        options = {
            k: value for k, value in get_options(self).items() if k not in ("parses", *_OF_THE_LEXICON)
        }
        return plan_corpus_set(
            self, table, SampleRequest(size, limit, seed, split),
            options=options, sources=corpus.card.sources,
            remarks=[*corpus.card.remarks, *known.remarks, *remarks, *_describe_unlisted_verbs(verbs)],
        )  # fmt: skip

    def collect_attested(self, pairs: pl.DataFrame) -> Attested:
        """Collect what a corpus attests, from its parses or by the named parser."""
        return (
            collect_attested_from_parses(pairs)
            if self.parser is None
            else collect_attested_from_texts(pairs, self.parser)
        )

    def recognisers(self) -> list[Recogniser]:
        """Return what finds pairs of the lexicon again."""
        from rightreasons.templates.recognise import Recogniser

        return [Recogniser(load_nps_grammar(tuple(list_lexicon_verbs()), controls=True), None)]


def _describe_unlisted_verbs(verbs: Iterable[Verb]) -> list[str]:
    """Warn of verbs whose clauses may bring their noun phrase along: nobody has looked at them."""
    names = [verb.past for verb in verbs if verb.past not in VERBS]
    return (
        [f"Verbs not on the curated list (check their pairs before use): {', '.join(names)}."]
        if names
        else []
    )
