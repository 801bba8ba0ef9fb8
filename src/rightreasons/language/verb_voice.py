"""Active or passive: the auxiliary of a participle, and what its phrase belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.language.parse_nodes import CLAUSES, NOUN_PHRASES
from rightreasons.language.verb_classes import BE, GET, HAVE, MOSTLY_INTRANSITIVE, NAMING, OPINION, PEOPLE
from rightreasons.language.verb_forms import find_verb_lemma

if TYPE_CHECKING:
    from rightreasons.language.parse_nodes import ParseNode

ACTIVE, PASSIVE, REDUCED_RELATIVE, PARTICIPLE = "active", "passive", "reduced-relative", "participle"
_PARTICIPLES = ("VBN", "VBD")  # parsers confuse the two
# Verbs whose passive keeps an object: a man called Max, a man paid a fortune.
_KEEPING_OBJECT = NAMING | frozenset(
    ["ask", "award", "deny", "give", "grant", "offer", "owe", "pay", "show", "teach", "tell"]
)
_RAISING = ("believe", "know", "understand")
_NAMED = ("called", "named", "entitled", "titled", "dubbed")
_PRONOUNS = ("i", "you", "he", "she", "we", "they")


def is_predicate(verb: ParseNode) -> bool:
    """Return whether a participle in an adjective or noun phrase is the predicate of be: it is best known."""
    phrase = verb.parent
    while phrase is not None and phrase.label in ("ADJP", "UCP") and phrase.parent_label in ("ADJP", "UCP"):
        phrase = phrase.parent
    if phrase is None or phrase.parent_label != "VP" or verb.label not in ("VBN", "VBG"):
        return False
    before = [sister for sister in phrase.list_before() if sister.is_verb]
    alone = all(sister.label in ("RB", "RBS", "RBR", "ADVP") for sister in verb.list_before())
    noun = any(sister.label.startswith("NN") for sister in verb.list_after())
    return alone and not noun and bool(before) and (before[-1].word or "").lower() in BE


def follows_noun(verb: ParseNode, lemma: str) -> bool:
    """Return whether a verb is parsed as the end of a noun phrase, behind its noun: a band playing, the money left."""
    before, after = verb.list_before(), verb.list_after()
    if not before or not before[-1].label.startswith("NN"):
        return False
    # A man performing stunts, but a game winning point.
    article = (before[0].word or "").lower() in ("a", "an")
    person = (before[-1].word or "").lower() in PEOPLE
    clash = (
        before[-1].label in ("NNS", "NNPS")
        or person
        or (article and bool(after) and after[-1].label == "NNS")
    )
    return not after or (verb.label == "VBN" and lemma in NAMING) or (verb.label == "VBG" and clash)


def is_adjunct(verb: ParseNode) -> bool:
    """Return whether a participle is parsed as an adjective or noun that no noun follows: they stand (performing)."""
    phrase = verb.parent
    if phrase is None or any(one.label not in ("RB", "RBR", "RBS", "ADVP") for one in verb.list_before()):
        return False
    behind = any(one.label in ("NP", "VP", ",") or one.is_verb for one in phrase.list_before())
    after = [*verb.list_after(), *phrase.list_after()]
    behind = behind or phrase.parent_label == "PRN"
    return behind and not any(one.label.startswith(("NN", "NP", "JJ", "CC")) for one in after)


def find_voice(verb: ParseNode, lemma: str) -> str:
    """Return active, passive (with be or get), reduced-relative (behind a noun), or participle (any other passive)."""
    if verb.label not in _PARTICIPLES:
        return ACTIVE
    if verb.previous_word == "getting" and not verb.list_after():
        return PASSIVE  # worry about getting paid, with paid parsed as the main verb
    if verb.parent_label not in ("VP", *CLAUSES):
        return PASSIVE if is_predicate(verb) else PARTICIPLE
    kept = lemma in _KEEPING_OBJECT and verb.next_word.lower() not in ("him", "her", "it", "me", "us", "them")
    has_object = not kept and any(sister.label == "NP" for sister in verb.list_after())
    by_auxiliary = _find_voice_by_auxiliary(verb, lemma, has_object=has_object)
    if by_auxiliary is not None or _names_preceding_noun(verb):
        return by_auxiliary or REDUCED_RELATIVE
    if verb.label == "VBD" and not _modifies_noun_phrase(verb):
        # Is common and accepted by society; social insurance taxes paid by employers.
        # But the slave walked, pushed by one and helped by another.
        behind_noun = REDUCED_RELATIVE if verb.previous_label.startswith(("NN", "RB", "PRP")) else PARTICIPLE
        passive = PASSIVE if _follows_copula(verb) else behind_noun
        return passive if _has_agent(verb, lemma) or _has_raised_subject(verb, lemma) else ACTIVE
    return _find_voice_without_auxiliary(verb, lemma, has_object=has_object)


def _is_kept(phrase: ParseNode) -> bool:
    """Return whether a noun phrase and a participle are what is made or kept: made their voices heard."""
    before = [(one.word or "").lower() for one in phrase.list_before()]
    kept = GET | {"make", "makes", "made", "keep", "keeps", "kept"}
    return phrase.parent_label == "VP" and any(word in kept for word in before)


def _follows_copula(verb: ParseNode) -> bool:
    """Return whether a verb phrase is coordinated with one that begins with be."""
    before = [] if verb.parent is None else verb.parent.list_before()
    firsts = [one.get_first_verb() for one in before if one.label == "VP"]
    return any(first is not None and (first.word or "").lower() in BE for first in firsts)


def _has_agent(verb: ParseNode, lemma: str) -> bool:
    """Return whether by and a noun phrase follow a form that may be a participle, and no object: taxes paid by them."""
    after = verb.list_after()
    labels = [child.label for one in after[:1] if one.label == "PP" for child in one.children]
    agent = labels == ["IN", "NP"] and after[0].list_words()[0] == "by"
    word = verb.word or ""
    return (
        agent
        and lemma not in MOSTLY_INTRANSITIVE
        and (word.endswith("ed") or word in ("paid", "heard", "read"))
    )


def _has_raised_subject(verb: ParseNode, lemma: str) -> bool:
    """Return whether an infinitive follows a form that has none in the active: towers believed to be parts."""
    after = verb.list_after()[:1]
    first = after[0].get_first_verb() if after and after[0].label == "S" else None
    raising = lemma in _RAISING or (lemma == "say" and _follows_copula(verb))
    return raising and first is not None and first.label == "TO" and after[0].find_subject() is None


def _find_voice_by_auxiliary(verb: ParseNode, lemma: str, *, has_object: bool) -> str | None:
    """Return the voice that the verb above a participle makes; None without one."""
    auxiliary = find_auxiliary(verb)
    if auxiliary is None:
        return None
    word = (auxiliary.word or "").lower()
    outside = auxiliary.parent is not verb.parent
    if word in BE and outside and (_has_noun_between(auxiliary) or _follows_existential(auxiliary, lemma)):
        return REDUCED_RELATIVE  # there is nothing left, there's plenty left
    if word in HAVE and outside and not has_object and _has_noun_between(auxiliary):
        return PARTICIPLE  # have it done; has it that treasure lies there, hidden by them
    if word in BE | GET:
        return ACTIVE if word == "'s" and has_object else PASSIVE  # 's may be short for has
    if auxiliary.label == "MD" or word in HAVE or word in ("do", "did", "does") or verb.label == "VBD":
        return ACTIVE
    return REDUCED_RELATIVE if lemma in NAMING else PARTICIPLE  # a name that they use called X; became known


def _follows_existential(auxiliary: ParseNode, lemma: str) -> bool:
    subject = get_topmost_phrase(auxiliary).list_before()[-1:]
    there = bool(subject) and [one.label for one in subject[0].list_leaves()] == ["EX"]
    return there and lemma not in OPINION | frozenset(_RAISING)


def find_auxiliary(verb: ParseNode) -> ParseNode | None:
    """Return the auxiliary right above a verb: was in `was often called`, had in `had called`."""
    node = verb
    while node.parent is not None and node.parent_label in ("VP", "UCP", *CLAUSES):
        before = [sister for sister in node.list_before() if sister.is_verb and not _is_conjunct(sister)]
        if before:
            return before[-1]
        if node.parent_label in CLAUSES:
            return None
        node = node.parent
    return None


def get_topmost_phrase(verb: ParseNode) -> ParseNode:
    """Return the whole verb phrase of a verb, over coordination and auxiliaries."""
    node = verb
    while node.parent is not None and node.parent_label == "VP":
        node = node.parent
    return node


def is_naming_past(verb: ParseNode) -> bool:
    """Return whether this is called or the like, tagged as a past tense, which parsers confuse with the participle."""
    return verb.label == "VBD" and (verb.word or "").lower() in _NAMED


def _names_preceding_noun(verb: ParseNode) -> bool:
    """Return whether a noun and its name were parsed as a clause, as in wrote a book called X."""
    top = get_topmost_phrase(verb)
    clause = top.parent
    before = [one.label for one in top.list_before()]
    agent = any(one.label == "PP" and one.list_words()[0] == "by" for one in verb.list_after())
    if is_naming_past(verb) and verb.next_word == "``" and verb.previous_label.startswith("NN"):
        return True  # a ride called ``X''
    if is_naming_past(verb) and (before[-1:] == ["S"] or "VP" in before or agent):
        return True  # (I heard of a book) called; it rises from a stone, a disk called; tribes called this by them
    while clause is not None and clause.label in ("S", "SBAR") and clause.children[0].label in ("S", "NP"):
        if clause.parent_label == "PP":
            return is_naming_past(verb)
        if clause.parent_label == "VP":
            above = clause.list_before()[:1]
            lemma = find_verb_lemma(above[0].word) if above and above[0].word else None
            definite = clause.list_words()[0] == "the"
            return is_naming_past(verb) and lemma not in OPINION and not definite
        clause = clause.parent
    return False


def _has_noun_between(auxiliary: ParseNode) -> bool:
    """Return whether there is a noun phrase between an auxiliary and the phrase of the verb, but in a question."""
    between = [sister for sister in auxiliary.list_after() if sister.number < 0]
    labels = [sister.label for sister in between]
    return (
        auxiliary.parent_label == "VP" and "NP" in labels[: labels.index("VP")] if "VP" in labels else False
    )


def _is_conjunct(verb: ParseNode) -> bool:
    """Return whether a verb is coordinated with what follows, as sang in `sang and danced`."""
    after = [sister.label for sister in verb.list_after()[:1]]
    return after == ["CC"] or (after == [","] and any(sister.label == "CC" for sister in verb.list_after()))


def _modifies_noun_phrase(verb: ParseNode) -> bool:
    top = get_topmost_phrase(verb)
    return top.parent_label in NOUN_PHRASES and any(one.label in NOUN_PHRASES for one in top.list_before())


def _find_voice_without_auxiliary(verb: ParseNode, lemma: str, *, has_object: bool) -> str:
    """Return the voice of a participle by what its phrase stands in."""
    top = get_topmost_phrase(verb)
    before = [sister.label for sister in top.list_before()]
    if top.parent_label == "RRC" or ("VP" in before and "CC" not in before):
        return REDUCED_RELATIVE  # away from its noun: a copy is there discovered in a cave
    if top.parent is None or top.parent_label not in (*CLAUSES, *NOUN_PHRASES):
        return PARTICIPLE
    subjects = [sister for sister in top.list_before() if sister.label in NOUN_PHRASES]
    if top.parent_label in NOUN_PHRASES:
        return _find_voice_behind_noun(verb, lemma, top.parent, subjects, has_object=has_object)
    if subjects:
        return _find_voice_behind_subject(verb, top.parent, subjects[-1], has_object=has_object)
    return _find_voice_without_subject(top.parent, has_object=has_object)


def _find_voice_behind_noun(
    verb: ParseNode, lemma: str, phrase: ParseNode, nouns: list[ParseNode], *, has_object: bool
) -> str:
    """Return the voice of a participle that is parsed as part of a noun phrase."""
    if not nouns or (_is_kept(phrase) and not has_object):
        return PARTICIPLE
    agent = any("by" in one.list_words()[:1] for one in verb.list_after())
    # Watched a dog run away: an infinitive.
    infinitive = verb.word == lemma and bool(verb.list_after()) and not agent and phrase.parent_label == "VP"
    # Nothing modifies I or they, and passives have no objects: then it is a past tense, tagged as a participle.
    return ACTIVE if _is_pronoun(nouns[-1]) or has_object or infinitive else REDUCED_RELATIVE


def _find_voice_behind_subject(
    verb: ParseNode, clause: ParseNode, subject: ParseNode, *, has_object: bool
) -> str:
    """Return the voice of a participle with a subject: of a small clause (saw it moved), or tagged wrongly."""
    pronoun = _is_pronoun(subject)
    nominative = pronoun and subject.list_words() != ["you"]
    inverted = pronoun and any((one.word or "").lower() in HAVE for one in clause.list_before())
    if clause.parent_label in ("VP", "PP") and not (nominative or inverted):
        return PARTICIPLE
    # In captions, a noun phrase and what modifies it may be parsed as a clause: people seen through a window.
    passive = not (pronoun or has_object) and (verb.word or "").endswith(("een", "wn", "dden", "tten"))
    return REDUCED_RELATIVE if passive else ACTIVE


def _find_voice_without_subject(clause: ParseNode, *, has_object: bool) -> str:
    if clause.parent_label == "VP" and any((one.word or "").lower() in GET for one in clause.list_before()):
        return PASSIVE
    opener = clause.list_before()[-1:] if clause.parent_label == "SBAR" else []
    is_relative = bool(opener) and opener[0].label == "WHNP"
    return ACTIVE if is_relative or has_object else PARTICIPLE


def _is_pronoun(phrase: ParseNode) -> bool:
    return phrase.list_words()[-1] in _PRONOUNS
