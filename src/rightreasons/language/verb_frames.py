"""The frame of each verb in a phrase structure parse: intransitive, with an object, with a clause, passive, and so on.

Penn parses don't tell complements from adjuncts. So an infinitive or -ing clause right behind the verb counts whatever
its role, and a prepositional phrase never decides. Other adjuncts are recognised by the word they begin with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rightreasons.language.frame_names import (
    ADJECTIVE,
    ATTRIBUTIVE,
    BARE_CLAUSE,
    INFINITIVE,
    ING_CLAUSE,
    INTRANSITIVE,
    OBJECT,
    OBJECT_COMPLEMENT,
    OTHER,
    PARENTHETICAL,
    PP,
    REDUCED_RELATIVE,
    THAT_CLAUSE,
    WH_CLAUSE,
)
from rightreasons.language.parse_nodes import CLAUSES, NOUN_PHRASES, SUBORDINATE, link_word_nodes
from rightreasons.language.phrase_shapes import OBLIQUE
from rightreasons.language.verb_classes import (
    MODIFIED_NOUNS,
    MOSTLY_INTRANSITIVE,
    NAMING,
    OBJECT_CLAUSE,
    OBJECT_INFINITIVE,
    OBJECT_PARTICIPLE,
    OPINION,
    REPORTING,
    TAKING_GERUND,
)
from rightreasons.language.verb_complements import Complements
from rightreasons.language.verb_gaps import (
    has_object_gap,
    is_afterthought,
    is_beside_quotation,
    is_parenthetical,
)
from rightreasons.language.verb_voice import (
    ACTIVE,
    find_voice,
    follows_noun,
    get_topmost_phrase,
    is_adjunct,
    is_predicate,
)

if TYPE_CHECKING:
    from rightreasons.core.trees import Tree
    from rightreasons.language.parse_nodes import ParseNode
    from rightreasons.language.verb_forms import VerbForms

_MODIFIED = ("NP", "NX", "NML", "ADJP", "NAC", "QP", "WHNP")
_WRITING = frozenset(["learn", "read", "write"])
_DETERMINERS = ("a", "an", "the", "his", "its", "my", "our", "their", "your", "no")
_TAKING_BARE = (
    "help",
    "let",
    "go",
    "went",
    "com",
    "came",
    "ma",
    "dar",
    "do",
    "did",
    "be",
    "was",
    "been",
    "had",
    "hav",
)
_BEFORE_SLEEP = ("go", "goes", "going", "went", "gone", "off", "back")
_VERB_PHRASES = ("VP", *CLAUSES, "FRAG", "ROOT", "", "X", "UCP", "PRN", "RRC")


class VerbOccurrence(NamedTuple):
    """A verb in a sentence: its base form, its frame, and the number of the word."""

    lemma: str
    frame: str
    word: int


def find_verb_frames(tree: Tree, forms: VerbForms) -> list[VerbOccurrence]:
    """Find the verbs of a parse that are forms of the given ones, with the frame of each."""
    found = []
    for node in link_word_nodes(tree):
        lemma = forms.get_lemma(node.word or "", node.label)
        if lemma is not None:
            found.append(VerbOccurrence(lemma, classify_frame(node, lemma), node.number))
    return found


def classify_frame(verb: ParseNode, lemma: str) -> str:
    """Return the frame of a verb in its parse."""
    if _is_noun(verb, lemma):
        return OTHER
    if _modifies_noun(verb, lemma):
        return ATTRIBUTIVE
    if verb.parent_label in _MODIFIED and not is_predicate(verb):
        return _classify_outside_verb_phrase(verb, lemma)
    if verb.parent_label not in (*_VERB_PHRASES, *_MODIFIED):
        return OTHER
    voice = find_voice(verb, lemma)
    if voice == REDUCED_RELATIVE and _follows_subject_people(verb):
        voice = OBJECT
    return _classify_active(verb, lemma) if voice == ACTIVE else voice


def _modifies_noun(verb: ParseNode, lemma: str) -> bool:
    """Return whether a participle modifies a noun, whatever it is parsed as: the lowest paid, running shoes."""
    shoes = verb.next_word in MODIFIED_NOUNS and lemma in MOSTLY_INTRANSITIVE | _WRITING
    superlative = verb.label in ("VBG", "VBN") and verb.previous_label == "JJS"
    return superlative or (verb.label == "VBG" and shoes)


def _follows_subject_people(verb: ParseNode) -> bool:
    """Return whether people is the subject of a clause without that: the price people paid, more than people paid."""
    phrase = verb.parent
    before = [] if phrase is None or verb.previous_word != "people" else phrase.list_before()[-1:]
    words = [] if not before else before[0].list_leaves()
    behind_noun = len(words) > 1 and words[-2].label.startswith("NN")
    return bool(words) and (behind_noun or words[0].previous_word == "than")


def _is_noun(verb: ParseNode, lemma: str) -> bool:
    """Return whether a noun was tagged as a verb: deep in thought, a winter feel, opening presents, go to sleep."""
    if (verb.previous_word, verb.word) in (("in", "thought"), ("in", "writing")):
        return True
    if verb.word == "thought" and verb.previous_label in ("JJ", "PRP$", "DT"):
        return True
    if verb.previous_word.lower() in _DETERMINERS and verb.label not in ("VBG", "VBN"):
        return True
    behind_verb = verb.previous_label in ("VB", "VBD", "VBG", "VBN")
    if behind_verb and (verb.label in ("VBZ", "VBP") or _is_bare_noun(verb)):
        return True  # laid claim, opening presents
    above = [] if verb.parent is None else verb.parent.list_before()[-1:]
    return lemma == "sleep" and any(one.previous_word in _BEFORE_SLEEP for one in above)


def _is_bare_noun(verb: ParseNode) -> bool:
    """Return whether a bare verb follows a verb that takes no infinitive: playing hide and seek, but helping build."""
    word = verb.previous_word.lower()
    return verb.label == "VB" and verb.previous_label != "VB" and not word.startswith(_TAKING_BARE)


def _classify_outside_verb_phrase(verb: ParseNode, lemma: str) -> str:
    """Classify a verb that is parsed as part of a noun or adjective phrase."""
    if follows_noun(verb, lemma):
        # A band playing in the park, parsed as (a band playing) in the park.
        phrase = verb.parent
        after = [] if phrase is None else [sister.label for sister in phrase.list_after()[:1]]
        inside = [sister.label[:2] for sister in verb.list_after()]
        active = (
            OBJECT
            if "NN" in inside
            else {"PP": PP, "NP": OBJECT}.get(after[0] if after else "", INTRANSITIVE)
        )
        return REDUCED_RELATIVE if verb.label in ("VBN", "VBD") else active
    if verb.label in ("VBG", "VBN"):
        if not is_adjunct(verb):
            return ATTRIBUTIVE
        return _classify_active(verb, lemma) if verb.label == "VBG" else REDUCED_RELATIVE
    # Cars stop in town, with stop parsed as an adjective.
    before = [] if verb.parent is None else verb.parent.list_before()
    follows = bool(before) and before[-1].label == "NP" and not verb.list_before()
    return _classify_active(verb, lemma) if follows else OTHER


def _classify_active(verb: ParseNode, lemma: str) -> str:
    if lemma == "help" and verb.next_word == "but":
        return INFINITIVE  # could not help but notice
    found = Complements.from_verb(verb, lemma)
    if found.swallowed and lemma in NAMING and verb.label == "VBD":
        # A museum called the wing is open; but they called it treason.
        return OBJECT_COMPLEMENT if verb.next_word.lower() in OBLIQUE else REDUCED_RELATIVE
    if lemma in REPORTING:
        _correct_for_reporting(found)
        if _stands_beside_clause(verb, found):
            return PARENTHETICAL
    if found.objects:
        return _classify_with_object(verb, found)
    return found.clause or _classify_without_object(verb, found)


def _classify_without_object(verb: ParseNode, found: Complements) -> str:
    """Classify a verb without an object or a clause behind it: the object may stand elsewhere."""
    if found.adjective:
        return ADJECTIVE
    lemma = found.lemma
    if has_object_gap(verb, lemma, tough=not (found.pp and lemma in MOSTLY_INTRANSITIVE | OPINION)):
        return OBJECT
    intransitive = PP if found.pp else INTRANSITIVE
    return OTHER if found.pro_clause and lemma in REPORTING else intransitive


def _correct_for_reporting(found: Complements) -> None:
    """Correct what verbs of saying and thinking don't take: said hi has an object, thought going was best a clause."""
    if found.lemma != "feel" and (found.adjective or found.clause == ADJECTIVE):
        found.objects, found.adjective, found.clause = found.objects + 1, False, None
    if found.clause == ING_CLAUSE and not found.objects and found.lemma not in TAKING_GERUND:
        found.clause = BARE_CLAUSE


def _stands_beside_clause(verb: ParseNode, found: Complements) -> bool:
    """Return whether the clause that a verb reports is none of its complements."""
    gap = has_object_gap(verb, found.lemma)
    if found.lemma == "know" and found.clause != THAT_CLAUSE and _is_discourse_marker(verb):
        return not (found.noun or found.question or gap)
    complete = found.clause in (THAT_CLAUSE, BARE_CLAUSE, WH_CLAUSE) or gap
    if not complete and is_beside_quotation(verb, found.lemma):
        return True
    if found.clause is not None or found.adjective or (found.objects and _has_subject(verb)):
        return False
    if is_parenthetical(verb, found.lemma):
        return True
    alone = not found.objects and (not found.pp or found.lemma == "say") and not gap
    return alone and is_afterthought(verb, found.lemma)


def _classify_with_object(verb: ParseNode, found: Complements) -> str:
    """Decide whether what follows an object is said of the object."""
    lemma = found.lemma
    belongs = {
        INFINITIVE: lemma in OBJECT_INFINITIVE and not found.clause_noun,
        ING_CLAUSE: lemma in OBJECT_PARTICIPLE,
        THAT_CLAUSE: lemma in OBJECT_CLAUSE,
        BARE_CLAUSE: lemma in OBJECT_CLAUSE,
        WH_CLAUSE: lemma in OBJECT_CLAUSE,
        OBJECT_COMPLEMENT: True,
        ADJECTIVE: True,
    }
    # They called it a mistake; what they called a mistake.
    named = lemma in NAMING and (found.objects > 1 or has_object_gap(verb, lemma))
    return OBJECT_COMPLEMENT if named or found.adjective or belongs.get(found.clause or "") else OBJECT


def _has_subject(verb: ParseNode) -> bool:
    """Return whether the subject stands before the verb, so that a noun phrase behind it is no subject."""
    before = [sister.label for sister in get_topmost_phrase(verb).list_before()]
    clauses = any(label in (*CLAUSES, *SUBORDINATE, "PRN") for label in before)
    separated = before[-1:] in ([","], ["''"], ["PRN"])
    inverted = separated and (clauses or before.count(",") + before.count("''") == 1)
    return not inverted and any(label in NOUN_PHRASES for label in before)


def _is_discourse_marker(verb: ParseNode) -> bool:
    """Return whether this is `you know` in front of a main clause, as in talks on the telephone."""
    before = [] if verb.parent is None else verb.parent.list_before()
    if any(node.label == "SBAR" for node in before):
        return False  # when it rains, you know it
    words = [word for node in before for word in node.list_words()]
    return verb.label == "VBP" and words[-1:] == ["you"]
