"""Noun phrases and clauses of a corpus, and filters that keep those a person might say."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from rightreasons.language.english_words import is_word
from rightreasons.language.wordnet import wordnet

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from rightreasons.sets.nps.verbs import Verb

NOUNS = ("NN", "NNS", "NNP", "NNPS")
PLURAL = ("NNS", "NNPS")
_NAMES = ("NNP", "NNPS")
_TO_THE_LEFT = re.compile(r" (n't|'s|'S|'re|'ve|'ll|'d|'m|'|[.,;:!?%]|-RRB-)(?= |$)")
_TO_THE_RIGHT = re.compile(r"(^| )([$#]) (?=\d)")
_FINITE = ("VBD", "VBP", "VBZ", "MD")
# Right after a noun these belong to it, not to the verb: a trade off, a run down, a check in.
_PARTICLES = ("off", "out", "up", "down", "in", "on", "over", "back", "away", "by", "through", "about")
# Verbs whose past looks like their infinitive; with all others that tag is a slip: "a cat awake at night".
_UNCHANGED = frozenset(
    """
    bet bid broadcast burst cast cost cut fit forecast hit hurt knit let put quit read rid set shed shut slit split
    spread thrust upset wed wet
    """.split()  # noqa: SIM905 - words read best as text
)
_WORD = re.compile(r"(?:[A-Za-z]+(?:-[A-Za-z]+)*|\d[\d,]*|'s|n't|'ve|'ll|'d|')")
_AN = re.compile(r"[aeiou](?!ni[cfqtv]|se|ne |ur|u)|hon|hour|heir", re.IGNORECASE)
_ODD_TAGS = frozenset(["FW", "UH", "SYM", "LS", "WP", "WP$", "WDT", "WRB", "EX", "X", "$", "#"])
_OPENERS = ("DT", "PRP$", "CD", "NNP", "NNPS")
_UNFINISHED = ("IN", "TO", "DT", "CC", "MD", "PRP$", "VBP", "VBZ", "POS")
_OBJECT = ("DT", "PRP", "PRP$", "NN", "NNS", "NNP", "NNPS", "CD", "JJ")
_LONGEST = 14
_LONGEST_SUBJECT = 5


@dataclass(frozen=True)
class NounPhrase:
    """A noun phrase without what follows its noun: its words, their tags, and which of them is the head."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    head: int

    @property
    def lower_text(self) -> str:
        """Return the words in lower case: phrases with the same lower text are the same."""
        return " ".join(self.words).lower()

    @property
    def noun(self) -> str:
        """Return the head in lower case."""
        return self.words[self.head].lower()

    @property
    def head_tag(self) -> str:
        """Return the head's part of speech."""
        return self.tags[self.head]

    @property
    def text(self) -> str:
        """Return the phrase as text."""
        return join_words(self.words)


@dataclass(frozen=True)
class Clause:
    """A clause with a subject and a finite verb, from its subject on; `asks` where its sentence is a question."""

    subject: NounPhrase
    words: tuple[str, ...]
    tags: tuple[str, ...]
    asks: bool = False

    @property
    def predicate(self) -> tuple[tuple[str, str], ...]:
        """Return words and tags after the subject."""
        after = len(self.subject.words)
        return tuple(zip(self.words[after:], self.tags[after:], strict=True))

    @property
    def verb(self) -> tuple[str, str]:
        """Return the finite verb in lower case and its tag: the first word after the subject that is not an adverb."""
        word, tag = next((part for part in self.predicate if part[1] != "RB"), self.predicate[-1])
        return word.lower(), tag

    @property
    def text(self) -> str:
        """Return the clause as text."""
        return join_words(self.words)


@dataclass
class SentenceArguments:
    """What a sentence shows: the subjects and objects of verbs, by the verb's form, and its clauses."""

    subjects: list[tuple[str, NounPhrase]] = field(default_factory=list)
    objects: list[tuple[str, NounPhrase]] = field(default_factory=list)
    clauses: list[Clause] = field(default_factory=list)


def lower_first_word(words: tuple[str, ...], tags: tuple[str, ...], *, first: bool) -> tuple[str, ...]:
    """Lower-case the first word of a sentence unless it is a name, I, or has other capitals."""
    if not first or tags[0] in _NAMES or words[0] == "I" or words[0][1:] != words[0][1:].lower():
        return words
    return (words[0][:1].lower() + words[0][1:], *words[1:])


def join_words(words: tuple[str, ...]) -> str:
    """Join words of a parse with natural spaces."""
    joined = " ".join(words).replace("can not", "cannot")
    return _TO_THE_RIGHT.sub(r"\1\2", _TO_THE_LEFT.sub(r"\1", joined))


def make_sentence(text: str) -> str:
    """Add the capital and the full stop of a sentence."""
    return f"{text[:1].upper()}{text[1:]}."


def has_finite_verb(clause: Clause) -> bool:
    """Return whether what the parser took for a finite verb can be one, and follows the whole subject.

    A possessive does not count: "this month's offer" is not a clause about a month.
    """
    word, tag = clause.verb
    if clause.predicate[0][0].lower() in _PARTICLES or tag not in _FINITE:
        return False
    forms = wordnet().base_forms(word, "v")
    return tag == "MD" or (bool(forms) and (tag != "VBD" or forms != [word] or word in _UNCHANGED))


def may_be_infinitive(clause: Clause) -> bool:
    """Return whether the verb has the form of an infinitive: the dogs play, the carpenters saw wood."""
    word, tag = clause.verb
    return tag != "MD" and word in wordnet().base_forms(word, "v")


def verb_agrees(clause: Clause) -> bool:
    """Return whether verb and subject agree in number; where they don't, the parse or the sentence is wrong."""
    word, tag = clause.verb
    plural = clause.subject.head_tag in PLURAL
    if word in ("was", "is", "has") or tag == "VBZ":
        return not plural
    if word in ("were", "are", "have") or tag == "VBP":
        return plural or clause.subject.noun == "people"
    return tag in ("VBD", "MD")


def _split_into_word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEGATION = _split_into_word_set(
    "not n't no never nobody nothing none neither nor nowhere without cannot noone hardly barely scarcely"
)
# Clauses with these say that their subject holds: who believed the story was true believed the story.
TRUTH = _split_into_word_set(
    "true right correct false accurate honest truthful reliable credible convincing valid lying lie lied truth real "
    "trustworthy"
)
# Who can be the subject of these can hear, believe or claim something.
THINKING = _split_into_word_set(
    "say says said saying think thinks thought thinking believe believes believed want wants wanted tell tells told "
    "ask asks asked hope hopes hoped wish wishes wished speak speaks spoke talk talks talked talking argue argues "
    "argued insist insists insisted agree agrees agreed smile smiles smiled laugh laughs laughed laughing write writes "
    "wrote complain complained promise promised remember remembered listen listens listening"
)
_PRONOUNS = _split_into_word_set("i you he she we they")
_ONE_WORD = _split_into_word_set(
    "someone everyone somebody everybody"
)  # with another word before it a slip of the parser
_SOMEONE = _ONE_WORD | {"people", "others"}
# Nouns that stand for anything, and noises of speech that parsers take for nouns.
_EMPTY = _split_into_word_set(
    "something anything everything nothing someone anyone everyone somebody anybody thing things one ones lot lots "
    "kind sort rest way time times day days year years today night morning bit part number none nobody stuff percent "
    "uh um yeah huh hum oh okay um-hum uh-huh gosh i the"
)
_SPEECH = _split_into_word_set("uh um yeah huh hum oh okay um-hum uh-huh gosh well i etc yes mm ha th")
_AUXILIARIES = _split_into_word_set(
    "is are was were be been being am has have had do does did will would can could should may might must 's"
)
# Verbs that want an object: a clause that ends in one is the rest of a relative clause.
_WANTING = _split_into_word_set(
    "include includes included have has had provide provides provided give gives gave take takes took make makes made "
    "want wants wanted need needs needed require requires required use uses used get gets got say says said contain "
    "contains contained"
)
# Participles that are followed by what would follow a verb: a book called so, work intended to please.
_PARTICIPLES = _split_into_word_set(
    "called named titled entitled dubbed labeled labelled intended designed based located provided related devoted "
    "dedicated associated aimed"
)
# Words that need a negation, a question or a condition, none of which a clause brings along.
_POLAR = _split_into_word_set("any anything anybody anyone anywhere ever yet")


@dataclass
class NounUsage:
    """What a corpus shows of nouns: which can think, which are common nouns, and how often names occur."""

    thinking: set[str] = field(default_factory=set)
    common: set[str] = field(default_factory=set)
    names: Counter[str] = field(default_factory=Counter)

    def add_sentence(self, arguments: SentenceArguments) -> None:
        """Add the nouns of one sentence."""
        self.thinking.update(phrase.noun for form, phrase in arguments.subjects if form in THINKING)
        for _, phrase in (*arguments.subjects, *arguments.objects):
            tagged = zip(phrase.words, phrase.tags, strict=True)
            self.common.update(word for word, tag in tagged if tag not in _NAMES and word.islower())
        words = {word for clause in arguments.clauses for word in clause.words if not word.islower()}
        self.names.update(words)


def has_negation(words: Collection[str]) -> bool:
    """Return whether some word is a negation."""
    return any(word.lower() in NEGATION for word in words)


def can_be_thinker(phrase: NounPhrase, nouns: NounUsage) -> bool:
    """Return whether a phrase can be the subject of a verb of thought: a pronoun, a name, or a noun that thinks."""
    if phrase.head_tag == "PRP":
        return len(phrase.words) == 1 and phrase.noun in _PRONOUNS
    if not _is_well_formed_phrase(phrase, nouns) or phrase.noun in _EMPTY - _SOMEONE:
        return False
    if phrase.noun in _PRONOUNS | _ONE_WORD and len(phrase.words) > 1:
        return False
    return phrase.noun in nouns.thinking and (_needs_no_article(phrase) or phrase.noun in _SOMEONE)


def is_usable_object(phrase: NounPhrase, verb: Verb) -> bool:
    """Return whether a phrase says something as an object of a verb, and leaves its readings apart."""
    return phrase.head_tag in NOUNS and phrase.noun not in _EMPTY and phrase.noun not in verb.not_of


def is_plausible_clause(clause: Clause, nouns: NounUsage) -> bool:
    """Return whether a clause can follow a verb in the past: a noun as subject, complete, short and not a question."""
    return (
        not clause.asks
        and clause.subject.head_tag in NOUNS
        and clause.subject.noun not in _EMPTY
        and _is_well_formed_phrase(clause.subject, nouns)
        and _needs_no_article(clause.subject)
        and len(clause.subject.words) + 2 <= len(clause.words) <= _LONGEST
        and _are_plain_words(clause.words, clause.tags)
        and _are_spelled_correctly(clause.words, nouns)
        and _is_finished_clause(clause)
        and has_finite_verb(clause)
        and verb_agrees(clause)
        and not _lacks_apostrophe_or_ending(clause)
        and not _may_be_participle(clause, nouns)
    )


def blocks_entailment(clause: Clause, verb: Verb) -> bool:
    """Return whether a clause keeps the hypothesis from following: nothing in it grants the noun phrase."""
    words = {word.lower() for word, _ in clause.predicate}
    return not words & (TRUTH | verb.not_with) and not (verb.perceives and may_be_infinitive(clause))


def _is_well_formed_phrase(phrase: NounPhrase, nouns: NounUsage) -> bool:
    """Return whether a phrase is short and well written: names, and only names, begin with a capital."""
    first, name = phrase.words[0], phrase.tags[0] in _NAMES
    return (
        len(phrase.words) <= _LONGEST_SUBJECT
        and _are_plain_words(phrase.words, phrase.tags)
        and first[:1].isupper() == name
        and not (name and (first.lower() in nouns.common or "-" in first))
    )


def _needs_no_article(phrase: NounPhrase) -> bool:
    """Return whether a phrase needs no article: it has one, or is a name or a plural."""
    return phrase.tags[0] in _OPENERS or phrase.head_tag in PLURAL


def _are_plain_words(words: Sequence[str], tags: Sequence[str]) -> bool:
    """Return whether all are plain words: no repetition, no filler, no question word, a and an used correctly."""
    low = [word.lower() for word in words]
    return (
        all(_WORD.fullmatch(word) for word in words)
        and not _ODD_TAGS.intersection(tags)
        and not (_SPEECH | _POLAR).intersection(low)
        and not any(one == two or _has_article_or_apostrophe_error(one, two) for one, two in pairwise(low))
        and not _repeats_three_words(low)
    )


def _repeats_three_words(words: Sequence[str]) -> bool:
    """Return whether a speaker began anew, and so three words in a row come again."""
    runs = [tuple(words[at : at + 3]) for at in range(len(words) - 2)]
    return len(set(runs)) < len(runs)


def _are_spelled_correctly(words: Sequence[str], nouns: NounUsage) -> bool:
    """Return whether all lower-case words (and their parts) are English, and no name occurs only once."""
    return all(
        all(is_word(part) for part in word.split("-")) if word.islower() else nouns.names[word] > 1
        for word in words
        if word[0].isalpha()
    )


def _has_article_or_apostrophe_error(one: str, two: str) -> bool:
    if two == "'":
        return not one.endswith("s")
    return one in ("a", "an") and (one == "an") != bool(_AN.match(f"{two} "))


def _is_finished_clause(clause: Clause) -> bool:
    """Return whether a clause has more than auxiliaries after its subject, and does not end in an unfinished phrase."""
    predicate = [word.lower() for word, tag in clause.predicate if tag != "RB"]
    pairs = [(one[0].lower(), two[1]) for one, two in pairwise(clause.predicate)]
    last, tag = clause.words[-1].lower(), clause.tags[-1]
    if tag in _UNFINISHED or last in _PRONOUNS | _WANTING or _AUXILIARIES.issuperset(predicate):
        return False
    return not any(word in ("have", "has", "receives") and after == "IN" for word, after in pairs)


def _may_be_participle(clause: Clause, nouns: NounUsage) -> bool:
    """Return whether the verb may be a participle after all, as in "the rates charged by banks", and no clause left."""
    (word, tag), *rest = (part for part in clause.predicate if part[1] != "RB")
    regular = tag == "VBD" and word.endswith("ed") and clause.subject.noun not in nouns.thinking
    return word in _PARTICIPLES or (regular and not (rest and rest[0][1] in _OBJECT))


def _lacks_apostrophe_or_ending(clause: Clause) -> bool:
    """Return whether an apostrophe (the mans house) or an ending (they are application) was forgotten."""
    within = pairwise(clause.subject.tags)
    after = [tag for _, tag in clause.predicate if tag != "RB"][1:2]
    bare = clause.subject.head_tag in PLURAL and clause.predicate[0][0] in ("are", "were") and after == ["NN"]
    return bare or any(one == "NNS" and two in NOUNS for one, two in within)
