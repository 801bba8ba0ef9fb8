"""NP/S: a clause whose subject looks like the object of the verb before it, and the verbs that allow both."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.options import get_options, option
from rightreasons.core.parts import SetPart
from rightreasons.core.resources import DATA
from rightreasons.sets.corpus_set import SHORT_HELP, Sample, Short, check_eval_split, plan_corpus_set
from rightreasons.sets.nps.corpus_pairs import TAGS, Rules, build_nps_table
from rightreasons.sets.template_set import PARSES_HELP, TEXT_HELP, Parses, Text, plan_template_set
from rightreasons.templates.grammar import Grammar, load_grammar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import polars as pl

    from rightreasons.core.parts import Plan
    from rightreasons.sets.corpus_set import TablePlan
    from rightreasons.sets.nps.corpus_pairs import Attested
    from rightreasons.templates.plan import TemplatePlan
    from rightreasons.templates.recognise import Recogniser

PAPER = ("heard", "believed", "felt", "claimed")
# Who heard a noise was loud heard the noise: with these objects the hypothesis would follow, or nearly.
_SOUNDS = (
    "noise noises sound sounds music voice voices footsteps scream cry shot shots shout ring bang news answer name "
    "names"
)
_SENSATIONS = (
    "pain heat cold warmth breeze wind sensation urge need desire sense effect effects fear tension thickness pressure "
    "pull push touch blow burden lack throbbing"
)
_CONTENTS = (
    "answer answers truth reason reasons problem problems fact facts cost costs price prices need needs difference "
    "importance risk risks name names purpose meaning situation position way level behavior cause words value rules "
    "solution danger limits consequences conflict conflicts ailments difficulty issue issues lesson lessons fate "
    "effect effects"
)
# Who read an article says so read the article: the reader takes the clause for a relative one.
_SAYING = (
    "say says said state states stated doubt doubts doubted claim claims claimed argue argues argued talk talks talked "
    "discuss discusses discussed report reports reported explain explains explained show shows showed suggest suggests "
    "suggested propose proposes proposed describe describes described tell tells told predict predicts predicted "
    "examine examines examined deplore deplores deplored promote promotes promoted include includes included contain "
    "contains contained cover covers covered compare compares compared"
)
_OWNERS = "his hers theirs mine ours yours belong belongs belonged"


@dataclass(frozen=True)
class Verb:
    """A verb by its past tense: all its forms, nouns that may not be its object, words that its clause may not have.

    Who heard the dogs play heard the dogs: a verb that perceives takes an infinitive that can look like a clause.
    """

    past: str
    forms: frozenset[str]
    not_of: frozenset[str] = frozenset()
    not_with: frozenset[str] = frozenset()
    perceives: bool = False


def _make_verb(
    forms: str, past: str, not_of: str = "", not_with: str = "", *, perceives: bool = False
) -> Verb:
    return Verb(
        past, frozenset(forms.split()), frozenset(not_of.split()), frozenset(not_with.split()), perceives
    )


# Left out: verbs whose clause brings its noun phrase along (saw, noticed, found, remembered, mentioned, reported,
# acknowledged, denied, doubted, proved): who mentioned the man was tall mentioned the man.
VERBS = {
    verb.past: verb
    for verb in (
        _make_verb("hear hears heard hearing", "heard", not_of=_SOUNDS, perceives=True),
        _make_verb("believe believes believed believing", "believed"),
        _make_verb("feel feels felt feeling", "felt", not_of=_SENSATIONS, perceives=True),
        _make_verb("claim claims claimed claiming", "claimed", not_with=_OWNERS),
        _make_verb("know knows knew known knowing", "knew", not_of=_CONTENTS),
        _make_verb("understand understands understood understanding", "understood", not_of=_CONTENTS),
        _make_verb("forget forgets forgot forgotten forgetting", "forgot", not_of=_CONTENTS),
        _make_verb("learn learns learned learnt learning", "learned", not_of=_CONTENTS),
        _make_verb("discover discovers discovered discovering", "discovered", not_of=_CONTENTS),
        _make_verb("read reads reading", "read", not_with=_SAYING),
        _make_verb("write writes wrote written writing", "wrote", not_with=_SAYING),
        _make_verb("accept accepts accepted accepting", "accepted", not_of=_CONTENTS),
        _make_verb("suggest suggests suggested suggesting", "suggested"),
        _make_verb("admit admits admitted admitting", "admitted", not_of=_CONTENTS),
        _make_verb("answer answers answered answering", "answered"),
        _make_verb("maintain maintains maintained maintaining", "maintained"),
        _make_verb("conclude concludes concluded concluding", "concluded"),
        _make_verb("declare declares declared declaring", "declared"),
        _make_verb("decide decides decided deciding", "decided", not_of=_CONTENTS),
        _make_verb("guess guesses guessed guessing", "guessed", not_of=_CONTENTS),
        _make_verb("fear fears feared fearing", "feared"),
        _make_verb("warn warns warned warning", "warned"),
    )
}


# After these a bare infinitive can look like a clause.
_PERCEPTION = frozenset({"see", "notice", "watch", "observe", "find", "witness", "spot", "sense", "smell"})


def look_up_verbs(names: Sequence[str]) -> list[Verb]:
    """Look up the requested verbs; for a verb that is not listed, take its forms from WordNet."""
    verbs = [
        verb
        for name in names
        for verb in (
            VERBS.values() if name == "all" else [VERBS[name] if name in VERBS else _make_unlisted_verb(name)]
        )
    ]
    return list(dict.fromkeys(verbs))


def _make_unlisted_verb(past: str) -> Verb:
    """Make an unlisted verb from its past tense, without restrictions on its objects and clauses."""
    from rightreasons.language.wordnet import wordnet

    known = wordnet()
    bases = [base for base in known.base_forms(past, "v") if base != past]
    if not bases:
        raise UnknownNameError("verb of nps, in the past tense,", past, VERBS)
    forms = [
        form for base in bases for form in (*_list_regular_forms(base), *known.irregular_forms(base, "v"))
    ]
    return Verb(past, frozenset((past, *forms)), perceives=not _PERCEPTION.isdisjoint(bases))


def _list_regular_forms(base: str) -> list[str]:
    """List the forms that a verb may have by rule; forms that don't exist are harmless."""
    stem = base.removesuffix("e")
    if base.endswith("y") and base[-2:-1] not in "aeiou":
        return [base, f"{base[:-1]}ies", f"{base[:-1]}ied", f"{base}ing"]
    doubled = [f"{base}{base[-1]}ed", f"{base}{base[-1]}ing"]
    return [base, f"{base}s", f"{base}es", f"{stem}ed", f"{stem}ing", f"{base}ing", *doubled]


def choose_lexicon_verbs(names: Sequence[str], known: Sequence[str]) -> list[str]:
    """List the requested verbs by their past tense; "all" stands for all known verbs."""
    chosen: list[str] = []
    for name in names:
        if name != "all" and name not in known:
            raise UnknownNameError("verb of nps", name, known)
        chosen += known if name == "all" else [name]
    return list(dict.fromkeys(chosen))


Match = Literal["exact", "head"]
Negation = Literal["free", "any", "removed"]
# Options of one way to make the set, without effect in the other.
_OF_A_CORPUS = ("match", "negation", "plausible", "per_noun", "parser")
_OF_THE_LEXICON = ("controls", "text")
_LEXICON_TAGS = ("set", "subcase", "template", "subvariant", "verb", "group", "rank")
FILE = DATA / "sets" / "nps.toml"


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
        None, help="Corpora with parses to take subjects, objects and clauses from; a lexicon if left out."
    )
    text: Text | None = option(None, help=f"With the lexicon: {TEXT_HELP}")
    parses: Parses = option("labelled", help=f"With the lexicon. {PARSES_HELP}")
    verbs: tuple[str, ...] = option(PAPER, help="Verbs in the past tense, or all.")
    controls: bool = option(
        False, help="With the lexicon: add entailed pairs in which the object is an object."
    )
    match: Match = option(
        "exact", help="How a clause's subject must be attested as an object: exact, or by its head."
    )
    negation: Negation = option(
        "free", help="Clauses free of negation, any clauses, or any with negations removed."
    )
    plausible: bool = option(True, help="Keep only subjects and clauses that a person might combine.")
    per_noun: int = option(10, help="Largest number of pairs of one verb and one noun.")
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
        other, missing = ("a corpus", "Add") if self.corpus is None else ("the lexicon", "Leave out")
        defaults = {item.name: item.default for item in fields(self)}
        for key in _OF_A_CORPUS if self.corpus is None else _OF_THE_LEXICON:
            if getattr(self, key) != defaults[key]:
                raise InputError(
                    f"The option {key} applies to pairs from {other} only. {missing} --corpus, or leave the option out."
                )

    def plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> Plan:
        """Plan a sample: `size` pairs per verb, or `limit` in all."""
        if self.corpus is None:
            return self._lexicon_plan(size=size, limit=limit, seed=seed, split=split)
        return self._corpus_plan(size=size, limit=limit, seed=seed, split=split)

    def _lexicon_plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> TemplatePlan:
        verbs = tuple(choose_lexicon_verbs(self.verbs, list_lexicon_verbs()))
        templates = load_nps_grammar(verbs, controls=self.controls)
        plan = plan_template_set(self, templates, {}, size=size, limit=limit, seed=seed, split=split)
        # The card ends with the verbs and the controls; what concerns a corpus is left out.
        last = {key: plan.card.options.pop(key) for key in ("verbs", "controls")}
        first = {
            key: value for key, value in plan.card.options.items() if key not in ("corpus", *_OF_A_CORPUS)
        }
        plan.card = replace(plan.card, options=first | last)
        return plan

    def _corpus_plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> TablePlan:
        from rightreasons.corpora import read_corpus

        check_eval_split(self.name, split)
        verbs = look_up_verbs(self.verbs)
        corpus = read_corpus(self.corpus or ())
        known = self.attested(corpus.pairs)
        rules = Rules(self.match, self.negation, self.plausible, self.per_noun)
        table, remarks = build_nps_table(known, verbs, rules, self.name, self.version, seed)
        options = {
            k: value for k, value in get_options(self).items() if k not in ("parses", *_OF_THE_LEXICON)
        }
        return plan_corpus_set(
            self, table, Sample(size, limit, seed, split),
            options=options, sources=corpus.card.sources,
            remarks=[*corpus.card.remarks, *known.remarks, *remarks, *_warn_of_unlisted_verbs(verbs)],
        )  # fmt: skip

    def attested(self, pairs: pl.DataFrame) -> Attested:
        """Gather what a corpus attests, from its parses or by the parser that was named."""
        from rightreasons.sets.nps import corpus_pairs as nps_attested

        if self.parser is None:
            return nps_attested.attest_from_parses(pairs)
        return nps_attested.attest_from_texts(pairs, self.parser)

    def recognisers(self) -> list[Recogniser]:
        """Return what finds pairs of the lexicon again."""
        from rightreasons.templates.recognise import Recogniser

        return [Recogniser(load_nps_grammar(tuple(list_lexicon_verbs()), controls=True), None)]


def _warn_of_unlisted_verbs(verbs: Iterable[Verb]) -> list[str]:
    """Warn of verbs whose clauses may bring their noun phrase along: nobody has looked at them."""
    names = [verb.past for verb in verbs if verb.past not in VERBS]
    return (
        [f"Verbs not on the curated list (check their pairs before use): {', '.join(names)}."]
        if names
        else []
    )
