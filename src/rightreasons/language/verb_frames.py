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
    PARTICIPLE,
    PP,
    REDUCED_RELATIVE,
    THAT_CLAUSE,
    WH_CLAUSE,
)
from rightreasons.language.hidden_clauses import holds_hidden_clause, holds_hidden_verb
from rightreasons.language.parse_nodes import CLAUSES, NOUN_PHRASES, SUBORDINATE, link_word_nodes
from rightreasons.language.phrase_shapes import OBLIQUE
from rightreasons.language.verb_classes import (
    BARE_INFINITIVE,
    CLAUSE_TAKING,
    MOSTLY_INTRANSITIVE,
    MOVING_OR_HIDING,
    NAMING,
    OBJECT_CLAUSE,
    OBJECT_INFINITIVE,
    OBJECT_PARTICIPLE,
    OPINION,
    REPORTING,
    TAKING_GERUND,
)
from rightreasons.language.verb_complements import Complements
from rightreasons.language.verb_gaps import has_object_gap, has_stranded_preposition, modifies_as_infinitive
from rightreasons.language.verb_mistagging import is_mistagged_noun, lacks_object, modifies_noun
from rightreasons.language.verb_parentheticals import (
    is_afterthought,
    is_before_main_clause,
    is_beside_quotation,
    is_between_commas,
    is_parenthetical,
    is_set_off,
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
_CONDITIONS = ("If", "if", "once", "unless", "until", "whether")
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
    if is_mistagged_noun(verb, lemma):
        return OTHER
    if modifies_noun(verb, lemma):
        return ATTRIBUTIVE
    if verb.parent_label in _MODIFIED and not is_predicate(verb):
        return _classify_outside_verb_phrase(verb, lemma)
    if verb.parent_label not in (*_VERB_PHRASES, *_MODIFIED):
        return OTHER
    voice = find_voice(verb, lemma)
    if voice == REDUCED_RELATIVE and _follows_subject_people(verb):
        voice = OBJECT
    if voice != ACTIVE:
        return voice
    frame = _classify_active(verb, lemma)
    return REDUCED_RELATIVE if frame in (INTRANSITIVE, PP) and lacks_object(verb, lemma) else frame


def _follows_subject_people(verb: ParseNode) -> bool:
    """Return whether people is the subject of a clause without that: the price people paid, more than people paid."""
    phrase = verb.parent
    before = [] if phrase is None or verb.previous_word != "people" else phrase.list_before()[-1:]
    words = [] if not before else before[0].list_leaves()
    behind_noun = len(words) > 1 and words[-2].label.startswith("NN")
    return bool(words) and (behind_noun or words[0].previous_word == "than")


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
        if verb.label == "VBN" and _is_lone_predicate(verb):
            return PARTICIPLE
        if not (is_adjunct(verb) or (verb.label == "VBG" and _follows_comma_in_noun_phrase(verb))):
            return ATTRIBUTIVE
        return _classify_active(verb, lemma) if verb.label == "VBG" else REDUCED_RELATIVE
    # Cars stop in town, with stop parsed as an adjective.
    before = [] if verb.parent is None else verb.parent.list_before()
    follows = bool(before) and before[-1].label == "NP" and not verb.list_before()
    return _classify_active(verb, lemma) if follows else OTHER


def _is_lone_predicate(verb: ParseNode) -> bool:
    """Return whether a participle ends an adjective phrase that is a predicate: beautifully written."""
    phrase = verb.parent
    if phrase is None or phrase.label != "ADJP" or phrase.parent is None:
        return False
    adverbs = all(one.label in ("RB", "RBR", "RBS", "ADVP") for one in verb.list_before())
    return adverbs and not verb.list_after() and phrase.parent.label in ("VP", "ROOT", "FRAG", "")


def _follows_comma_in_noun_phrase(verb: ParseNode) -> bool:
    """Return whether an adjunct was parsed as part of the noun phrase before it: from the rear, running while."""
    before = verb.list_before()
    return verb.previous_word == "," and len(before) > 2 and before[0].label == "DT"  # noqa: PLR2004 - and a noun


def _classify_active(verb: ParseNode, lemma: str) -> str:
    if lemma == "help" and verb.next_word == "but":
        return INFINITIVE  # could not help but notice
    found = Complements.from_verb(verb, lemma)
    if found.swallowed and (frame := _classify_swallowing(verb, lemma)):
        return frame
    if lemma in REPORTING:
        _correct_for_reporting(found)
        if _stands_beside_clause(verb, found):
            return PARENTHETICAL
    elif lemma in CLAUSE_TAKING and found.clause is None and is_between_commas(verb):
        return PARENTHETICAL
    if found.objects:
        return BARE_CLAUSE if holds_hidden_clause(verb, lemma) else _classify_with_object(verb, found)
    return _classify_clause(verb, found) or _classify_without_object(verb, found)


def _classify_swallowing(verb: ParseNode, lemma: str) -> str | None:
    """Classify a verb of naming whose object was parsed as a clause: called it quits, a museum called X is open."""
    oblique = verb.next_word.lower() in OBLIQUE
    if lemma not in NAMING or not (verb.label == "VBD" or oblique):
        return None
    return OBJECT_COMPLEMENT if oblique else REDUCED_RELATIVE


def _classify_clause(verb: ParseNode, found: Complements) -> str | None:
    if found.clause == INFINITIVE and _depends_on_too(verb):
        return PP if found.pp else INTRANSITIVE
    seen = found.lemma in BARE_INFINITIVE & OBJECT_PARTICIPLE - {"help"}
    if seen and found.clause == ING_CLAUSE and has_object_gap(verb, found.lemma):
        return OBJECT_COMPLEMENT  # easy to see standing there
    return found.clause


def _classify_without_object(verb: ParseNode, found: Complements) -> str:
    """Classify a verb without an object or a clause behind it: the object may stand elsewhere."""
    if found.adjective:
        return ADJECTIVE
    lemma = found.lemma
    tough = not (found.pp and lemma in MOSTLY_INTRANSITIVE | OPINION)
    hiding = found.pp and lemma in MOVING_OR_HIDING and modifies_as_infinitive(verb)
    if not hiding and has_object_gap(verb, lemma, tough=tough):
        return OBJECT
    if lemma in REPORTING and not (found.pp or found.pro_clause) and is_before_main_clause(verb):
        return BARE_CLAUSE
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
    before_clause = found.clause is None and not found.objects and is_before_main_clause(verb)
    if found.pro_clause or (found.pp and has_stranded_preposition(verb)) or before_clause:
        return False  # I think not; some that they heard of; when they knew I was there
    if found.lemma == "know" and found.clause != THAT_CLAUSE and _is_discourse_marker(verb):
        return not (found.noun or found.question or gap)
    complete = found.clause in (THAT_CLAUSE, BARE_CLAUSE, WH_CLAUSE) or gap
    if not complete and is_beside_quotation(verb, found.lemma):
        return True
    # Don't say it: only a finite verb can follow what it reports, with its subject behind it.
    own = found.objects and (_has_subject(verb) or verb.label in ("VB", "VBG", "VBN"))
    if found.clause is not None or found.adjective or own:
        return False
    if is_parenthetical(verb, found.lemma):
        return True
    unlinked = found.lemma == "say" or (found.lemma in OPINION and is_set_off(verb))
    alone = not found.objects and (not found.pp or unlinked) and not gap
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
    named = lemma in NAMING and (found.objects > 1 or has_object_gap(verb, lemma) or _has_name_behind(verb))
    described = found.adjective or holds_hidden_verb(verb, lemma) or belongs.get(found.clause or "")
    return OBJECT_COMPLEMENT if named or described else OBJECT


def _has_name_behind(verb: ParseNode) -> bool:
    """Return whether a noun phrase follows the verb phrase of a question: why (call them) fixed stars?"""
    phrase = verb.parent
    inverted = phrase is not None and phrase.parent_label in ("SINV", "SQ")
    return inverted and phrase is not None and [one.label for one in phrase.list_after()[:1]] == ["NP"]


def _depends_on_too(verb: ParseNode) -> bool:
    """Return whether an infinitive belongs to an adjective before the verb: too busy studying to do anything."""
    clause = get_topmost_phrase(verb).parent
    before = [] if clause is None else clause.list_before()
    too = any("too" in one.list_words() for one in before if one.label in ("ADJP", "RB"))
    return verb.label == "VBG" and too


def _has_subject(verb: ParseNode) -> bool:
    """Return whether the subject stands before the verb, so that a noun phrase behind it is no subject."""
    before = [sister.label for sister in get_topmost_phrase(verb).list_before()]
    clauses = any(label in (*CLAUSES, *SUBORDINATE, "PRN") for label in before)
    if get_topmost_phrase(verb) is not verb.parent and any(
        sister.label == "CC" for sister in (verb.parent.list_after() if verb.parent is not None else [])
    ):
        return True  # made comments, suggested a tonic and insisted: one of several verb phrases
    separated = before[-1:] in ([","], ["''"], ["PRN"])
    inverted = separated and (clauses or before.count(",") + before.count("''") == 1)
    return not inverted and any(label in NOUN_PHRASES for label in before)


def _is_discourse_marker(verb: ParseNode) -> bool:
    """Return whether this is `you know` in front of a main clause, as in talks on the telephone."""
    before = [] if verb.parent is None else verb.parent.list_before()
    if any(node.label == "SBAR" for node in before):
        return False  # when it rains, you know it
    clause = get_topmost_phrase(verb).parent
    openers = [] if clause is None or clause.parent_label != "SBAR" else clause.list_before()
    if any(one.label.startswith("WH") or one.word in _CONDITIONS for one in openers):
        return False  # if you know of it
    words = [word for node in before for word in node.list_words()]
    return verb.label == "VBP" and words[-1:] == ["you"]
