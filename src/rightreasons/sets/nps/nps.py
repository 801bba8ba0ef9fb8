"""NP/S: a clause whose subject looks like the object of the verb before it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from rightreasons.core.errors import InputError
from rightreasons.core.parts import SetPart
from rightreasons.core.resources import DATA
from rightreasons.sets.corpus_set import Sample, check_eval, corpus_plan
from rightreasons.sets.nps import verbs as nps_verbs
from rightreasons.sets.nps.corpus import TAGS, Rules, nps_table
from rightreasons.sets.template_set import Disjoint, Parses, Short, Text, template_plan
from rightreasons.templates.grammar import Grammar, load_grammar

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars as pl

    from rightreasons.core.parts import Plan
    from rightreasons.sets.corpus_set import TablePlan
    from rightreasons.sets.nps.attested import Attested
    from rightreasons.templates.plan import TemplatePlan
    from rightreasons.templates.recognise import Recogniser

Match = Literal["exact", "head"]
Negation = Literal["free", "any", "removed"]
PER_NOUN = 10
# Options of one way to make the set, with their defaults: with the other way they would do nothing.
_OF_A_CORPUS = {"match": "exact", "negation": "free", "plausible": True, "per_noun": PER_NOUN, "parser": None}
_OF_THE_LEXICON = {"controls": False, "text": None}
FILE = DATA / "sets" / "nps.toml"


def lexicon_verbs() -> list[str]:
    """List the verbs that have words and templates of their own."""
    return [subcase for subcase in load_grammar(FILE).subcases if not subcase.endswith("-control")]


@lru_cache(maxsize=16)
def grammar(verbs: tuple[str, ...], *, controls: bool) -> Grammar:
    """Return the templates of some verbs, with or without those whose object is an object."""
    document = load_grammar(FILE).document
    wanted = {*verbs, *(f"{verb}-control" for verb in verbs if controls)}
    templates = tuple(template for template in document.templates if template.subcase in wanted)
    labels = document.labels if controls else ("non-entailment",)
    return Grammar(replace(document, templates=templates, labels=labels))


class Nps(SetPart):
    """NP/S garden paths: "They heard the speech was canceled" does not say that they heard the speech."""

    name = "nps"
    version = 1
    labels: tuple[str, ...] = ("non-entailment",)
    paper = "McCoy and Linzen 2019"
    reads = "parses"
    tags: tuple[str, ...] = ("set", "subcase", "template", "subvariant", "verb", "group", "rank")
    mode = None
    disjoint: Disjoint = "pair"

    def __init__(
        self,
        *,
        corpus: tuple[str, ...] | None = None,
        verbs: tuple[str, ...] = nps_verbs.PAPER,
        match: Match = "exact",
        negation: Negation = "free",
        plausible: bool = True,
        per_noun: int = PER_NOUN,
        parser: str | None = None,
        controls: bool = False,
        text: Text | None = None,
        parses: Parses = "labelled",
        short: Short = "refuse",
    ) -> None:
        """Take the options.

        Args:
            corpus: corpora with parses to take subjects, objects and clauses from; if left out, a lexicon is used.
            verbs: verbs in the past tense, or all that are known.
            match: whether the clause's subject must be attested as an object word by word, or by its head noun.
            negation: clauses free of negation, any clauses, or any with their negation words removed.
            plausible: keep only subjects and clauses that a person might combine.
            per_noun: the largest number of pairs that a verb has with one noun.
            parser: spacy:MODEL to parse a corpus without parses.
            controls: with the lexicon, add entailed pairs in which the object is an object.
            text: with the lexicon, natural, or tokenised.
            parses: with the lexicon, none, labelled, or labelled and binary.
            short: refuse to give fewer pairs than were asked for, or allow it.
        """
        self.corpus = corpus
        self.tags = self.tags if corpus is None else TAGS
        self.labels = ("entailment", "non-entailment") if controls else self.labels
        self.verbs = verbs
        self.match = match
        self.negation = negation
        self.plausible = plausible
        self.per_noun = per_noun
        self.parser = parser
        self.controls = controls
        self.text: Text | None = text
        self.parses: Parses = parses
        self.short: Short = short
        self._check()

    def _check(self) -> None:
        if self.per_noun < 1:
            raise InputError(f"The option per_noun is {self.per_noun}. Ask for at least 1.")
        other, missing = ("a corpus", "Add") if self.corpus is None else ("the lexicon", "Leave out")
        for key, default in (_OF_A_CORPUS if self.corpus is None else _OF_THE_LEXICON).items():
            if getattr(self, key) != default:
                raise InputError(
                    f"The option {key} is for pairs from {other}. {missing} --corpus, or leave the option out."
                )

    def plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> Plan:
        """Plan a sample: `size` pairs per verb, or `limit` in all."""
        if self.corpus is None:
            return self._lexicon_plan(size=size, limit=limit, seed=seed, split=split)
        return self._corpus_plan(size=size, limit=limit, seed=seed, split=split)

    def _lexicon_plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> TemplatePlan:
        verbs = tuple(nps_verbs.chosen(self.verbs, lexicon_verbs()))
        templates = grammar(verbs, controls=self.controls)
        made = template_plan(self, templates, {}, size=size, limit=limit, seed=seed, split=split)
        kept = {key: value for key, value in made.card.options.items() if key not in ("mode", "disjoint")}
        own = {"verbs": list(self.verbs), "controls": self.controls}
        made.card = replace(made.card, options=kept | own)
        return made

    def _corpus_plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> TablePlan:
        from rightreasons.corpora import read_corpus

        check_eval(self.name, split)
        verbs = nps_verbs.wanted(self.verbs)
        corpus = read_corpus(self.corpus or ())
        known = self.attested(corpus.pairs)
        rules = Rules(self.match, self.negation, self.plausible, self.per_noun)
        table, said = nps_table(known, verbs, rules, self.name, self.version, seed)
        keys = ("match", "negation", "plausible", "per_noun", "parser")
        options = {"corpus": list(self.corpus or ()), "verbs": list(self.verbs)}
        return corpus_plan(
            self, table, Sample(size, limit, seed, split),
            options=options | {key: getattr(self, key) for key in keys}, sources=corpus.card.sources,
            remarks=[*corpus.card.remarks, *known.remarks, *said, *_unlisted(verbs)],
        )  # fmt: skip

    def attested(self, pairs: pl.DataFrame) -> Attested:
        """Gather what a corpus attests, from its parses or by the parser that was named."""
        from rightreasons.sets.nps import attested as nps_attested
        from rightreasons.sets.nps import clauses_dependencies

        if self.parser is None:
            return nps_attested.from_parses(pairs)
        return clauses_dependencies.from_texts(pairs, self.parser)

    def recognisers(self) -> list[Recogniser]:
        """Return what finds pairs of the lexicon again."""
        from rightreasons.templates.recognise import Recogniser

        return [Recogniser(grammar(tuple(lexicon_verbs()), controls=True), None)]


def _unlisted(verbs: Iterable[nps_verbs.Verb]) -> list[str]:
    """Warn of verbs whose clauses may bring their noun phrase along: nobody has looked at them."""
    names = [verb.past for verb in verbs if verb.past not in nps_verbs.VERBS]
    return (
        [f"Not on the list of verbs, so read their pairs before you use them: {', '.join(names)}."]
        if names
        else []
    )
