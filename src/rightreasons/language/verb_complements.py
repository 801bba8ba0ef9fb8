"""What follows a verb in its phrase: objects, a clause of some kind, a prepositional phrase, an adjective."""

from __future__ import annotations

from dataclasses import dataclass

from rightreasons.language.complement_kinds import (
    describes_object,
    is_measure,
    is_prepositional,
    is_question,
)
from rightreasons.language.frame_names import (
    ADJECTIVE,
    BARE_CLAUSE,
    INFINITIVE,
    ING_CLAUSE,
    OBJECT_COMPLEMENT,
    OTHER,
    PARENTHETICAL,
    THAT_CLAUSE,
    WH_CLAUSE,
)
from rightreasons.language.parse_nodes import (
    CLAUSES,
    NOUN_PHRASES,
    PUNCTUATION,
    SUBORDINATE,
    TO,
    ParseNode,
    find_first_conjunct,
)
from rightreasons.language.phrase_shapes import (
    classify_verb_phrase,
    has_singular_subject,
    is_contraction,
    is_imperative,
    is_name_with_participle,
    names_measure,
)
from rightreasons.language.verb_classes import (
    BARE_INFINITIVE,
    CLAUSE_NOUNS,
    CLAUSE_TAKING,
    COUNT_NOUNS,
    FLAT_ADVERBS,
    INTERROGATIVE,
    MOSTLY_INTRANSITIVE,
    NEVER_TRANSITIVE,
    OBJECT_PARTICIPLE,
    OPINION,
    REPORTING,
    WITHOUT_INFINITIVE,
)
from rightreasons.language.verb_voice import is_naming_past

_INVERTED = ("SQ", "SBARQ", "SINV")
_OPENERS = ("IN", "DT", "WDT", "TO")
_NOMINATIVE = ("i", "he", "she", "we", "they")
_AFTER_SO = frozenset(["at", "all", "too", "either", "indeed", "anyway", "then"])
_FEELINGS = frozenset(["bad", "best", "better", "close", "well", "worse", "worst"])
_RESULTS = frozenset(["alive", "loose", "true", "undone", "unstuck"])


@dataclass(slots=True)
class Complements:
    """What follows a verb, read from left to right: a count of objects, the first clause by its frame, and details."""

    lemma: str
    tag: str = ""
    objects: int = 0
    clause: str | None = None
    adjective: bool = False
    pp: bool = False
    pro_clause: bool = False  # so, not, or a clause with like or as if
    measures: int = 0  # objects that may be times or degrees
    measured: bool = False  # a time or degree that is no object
    clause_noun: bool = False  # an infinitive may belong to the object: the need to leave
    noun: bool = False  # an object is more than a pronoun
    question: bool = False  # the clause has a question word
    swallowed: bool = False  # a clause that the verb can't take
    comma: bool = False
    quoted: bool = False
    shared: bool = False  # another verb came in between: cook and eat

    @classmethod
    def from_verb(cls, verb: ParseNode, lemma: str) -> Complements:
        """Read what follows a verb."""
        found = cls(lemma, verb.label)
        for node in verb.list_after():
            found.add_sister(node)
        if found.clause in (THAT_CLAUSE, BARE_CLAUSE):
            found.objects -= found.measures  # said last week that
        return found

    def add_sister(self, node: ParseNode) -> None:
        """Add what a sister of the verb is."""
        if node.label in PUNCTUATION:
            self.comma = self.comma or node.label in (",", ":")
            self.quoted = self.quoted or node.label in ("``", "''")
        elif node.is_verb:
            self.shared = True
        elif node.label in NOUN_PHRASES:
            self._add_noun_phrase(node)
        elif node.label in ("PP", "PRT", "WHPP"):
            self._add_prepositional(node)
        elif node.label in ("ADJP", "JJ"):
            self._add_adjective(node)
        elif node.label in ("ADVP", "RB"):
            self._add_adverb(node)
        elif node.label == "INTJ" and self.lemma == "say" and not self.comma:
            self.objects += 1  # said no
        elif self.clause is None:
            self._add_clause(node)

    def _add_prepositional(self, node: ParseNode) -> None:
        """Add a prepositional phrase or particle; some are parsed around an object."""
        first = node.children[0]
        if node.label == "PP" and self.lemma in ("help", "pay") and first.word == "out":
            self.objects += 1  # helped out the poor
        elif node.label == "PP" and [one.label for one in first.children[:1]] == ["NP"]:
            self._add_noun_phrase(first.children[0])  # supported (the deal more) than the others
        else:
            self.pp = self.pp or (is_prepositional(self.lemma, node) and not self.shared)

    def _add_noun_phrase(self, node: ParseNode) -> None:
        before = node.list_before()[-1] if node.place else node
        prepositional = before.label == "PRT" and is_prepositional(self.lemma, before)
        addressed = before.label == "PP" and before.list_words()[0] == "to" and self.lemma in REPORTING
        # They said to them a few words; but they ran in the park, the dogs too.
        light = self.lemma in MOSTLY_INTRANSITIVE or self.lemma in REPORTING - BARE_INFINITIVE | {"feel"}
        behind_pp = self.pp and not self.objects and light and not addressed
        if prepositional or self.lemma in NEVER_TRANSITIVE or behind_pp:
            return
        if node.label == "WHNP":
            self.clause = self.clause or WH_CLAUSE  # know what kind that is
        elif self.lemma in REPORTING and (self.quoted or (is_contraction(node) and self.lemma != "see")):
            self.clause = self.clause or (PARENTHETICAL if self.quoted else BARE_CLAUSE)
        elif not (self.comma or self._is_adjunct_noun(node)):
            self._add_object(node)

    def _is_adjunct_noun(self, node: ParseNode) -> bool:
        shared = self.shared and self.lemma in MOSTLY_INTRANSITIVE
        return shared or is_measure(self.lemma, node, second=bool(self.objects))

    def _add_object(self, phrase: ParseNode) -> None:
        head = phrase.get_head_noun()
        self.objects += 1
        self.measures += names_measure(phrase)
        word = "" if head is None or head.word is None else head.word.lower()
        self.adjective = self.adjective or (
            self.lemma == "call" and word == "home" and len(phrase.children) > 1
        )
        self.clause_noun = word in CLAUSE_NOUNS or word.endswith("thing")
        if self.lemma in OBJECT_PARTICIPLE and is_name_with_participle(
            phrase, any_noun=self.lemma == "leave"
        ):
            self.clause = ING_CLAUSE  # saw Ann running
        self.noun = self.noun or (head is not None and head.label.startswith("N"))

    def _add_adjective(self, node: ParseNode) -> None:
        words = node.list_words()
        adverb = words[-1] in FLAT_ADVERBS or words[0] in ("due", "straight")
        self.adjective = self.adjective or not (self.comma or self.pp or adverb)

    def _add_adverb(self, node: ParseNode) -> None:
        words = node.list_words()
        for phrase in node.children:
            behind = [one.label for one in phrase.list_after()]
            if (
                phrase.label == "NP"
                and all(label == "PP" for label in behind)
                and (phrase.place or not behind)
            ):
                self._add_noun_phrase(phrase)  # paid (no attention), saw (as close a vision)
            self.pp = self.pp or (phrase.label == "PP" and is_prepositional(self.lemma, phrase))
        self.adjective = self.adjective or (self.lemma == "leave" and words == ["alone"])
        self.pro_clause = self.pro_clause or (words[0] in ("so", "not") and set(words[1:]) <= _AFTER_SO)
        state = {"feel": _FEELINGS, "come": _RESULTS}.get(self.lemma, frozenset())
        self.adjective = self.adjective or bool(state.intersection(words))

    # ------------------------------------------------------------------------------------------ clauses
    def _add_clause(self, node: ParseNode) -> None:
        """Add the frame that a clause makes; adjuncts make none."""
        if node.label in SUBORDINATE:
            kind = self._classify_subordinate(node)
        elif node.label in (*CLAUSES, "FRAG"):
            kind = self._classify_plain_clause(node)
        else:
            kind = classify_verb_phrase(node) if node.label == "VP" else None
            first = node.get_first_verb()
            kind = ADJECTIVE if self.lemma == "feel" and first is not None and first.label == "VBN" else kind
        if self.lemma in REPORTING and self.lemma != "feel" and self._is_quoted(node, kind):
            self.clause = PARENTHETICAL
        elif kind is not None and (not self.comma or (kind == THAT_CLAUSE and self.lemma in REPORTING)):
            self._add_close_clause(kind)
            self.question = kind == WH_CLAUSE and node.list_words()[0] != "if"

    def _is_quoted(self, node: ParseNode, kind: str | None) -> bool:
        marked = self.quoted or any(child.label == "``" for child in node.children)
        exclaimed = self.lemma == "say" and node.list_leaves()[0].label == "UH"  # said oh dear, it rains
        direct = node.label in _INVERTED or (is_imperative(node) and self.lemma not in BARE_INFINITIVE)
        return marked or exclaimed or direct or (self.comma and kind in (BARE_CLAUSE, OTHER))

    def _add_close_clause(self, kind: str) -> None:
        """Add the frame of a clause that no comma separates from the verb."""
        finite = kind in (BARE_CLAUSE, THAT_CLAUSE)
        if finite and not (self.lemma in REPORTING or self.lemma in CLAUSE_TAKING):
            # An object that was parsed as the subject of what follows.
            self.objects += kind == BARE_CLAUSE and not self.pp
            self.swallowed = kind == BARE_CLAUSE
        elif kind == INFINITIVE and self.lemma in WITHOUT_INFINITIVE and not self.objects:
            self.measured = True
        elif kind in (INFINITIVE, ING_CLAUSE) and (self.pp or self.measured) and not self.objects:
            pass  # a purpose or circumstance
        elif kind != OTHER:
            self.clause = kind

    def _classify_plain_clause(self, clause: ParseNode) -> str | None:
        """Classify a clause without a word that introduces it."""
        clause = find_first_conjunct(clause, CLAUSES)
        phrase, subject = clause.find_verb_phrase(), clause.find_subject()
        if phrase is None and clause.children[0].label.startswith("WH"):
            return WH_CLAUSE if self.lemma in INTERROGATIVE else None  # know how much
        if phrase is None:
            return self._classify_verbless_clause(clause, subject)
        first = phrase.get_first_verb()
        if subject is not None and first is None and self.lemma in BARE_INFINITIVE:
            self._add_object(subject)
            return OBJECT_COMPLEMENT  # heard people claim that, with claim tagged as a noun
        if subject is not None and first is not None:
            return self._classify_clause_with_subject(
                subject, first, finite=phrase.is_finite() or clause.label != "S"
            )
        return BARE_CLAUSE if phrase.is_finite() or clause.label != "S" else classify_verb_phrase(phrase)

    def _classify_clause_with_subject(
        self, subject: ParseNode, first: ParseNode, *, finite: bool
    ) -> str | None:
        """Classify a clause by its subject and first verb; the subject of a small clause is an object."""
        if is_naming_past(first) and self.lemma not in OPINION and subject.list_words()[0] != "the":
            self._add_object(subject)
            return None  # wrote a book called X, parsed as if a book called someone
        bare = self.lemma in BARE_INFINITIVE
        if finite:
            plain = bare and self.lemma not in REPORTING and first.label == "VBP"  # helped people find
            kind = (
                OBJECT_COMPLEMENT if plain or (bare and has_singular_subject(subject, first)) else BARE_CLAUSE
            )
        elif subject.list_words()[-1] in _NOMINATIVE or (first.label == "VB" and not bare):
            kind = BARE_CLAUSE  # a subjunctive: they recommended he go
        else:
            kind = {TO: INFINITIVE, "VB": INFINITIVE, "VBG": ING_CLAUSE}.get(first.label, OBJECT_COMPLEMENT)
        if kind != BARE_CLAUSE and (self.comma or is_measure(self.lemma, subject, second=bool(self.objects))):
            return None  # he called, his voice low; they wait three days to know
        if kind != BARE_CLAUSE:
            self._add_object(subject)
        return kind

    def _classify_verbless_clause(self, clause: ParseNode, subject: ParseNode | None) -> str | None:
        """Classify a clause without a verb: made them happy, saw something funny."""
        rest = [child for child in clause.main_children if child is not subject]
        if clause.label != "S" or (subject is None and not rest) or (self.comma and subject is not None):
            return OTHER
        if subject is None:
            return ADJECTIVE
        words = subject.list_words()
        if words[-1] in _NOMINATIVE:
            return BARE_CLAUSE
        self._add_object(subject)
        return OBJECT_COMPLEMENT if describes_object(self.lemma, words, rest) else None

    def _classify_subordinate(self, node: ParseNode) -> str | None:
        """Classify a clause by the word that introduces it."""
        node = find_first_conjunct(node, SUBORDINATE)
        clause = next((child for child in node.children if child.label in (*CLAUSES, "FRAG", "VP")), None)
        openers = node.children if clause is None else node.children[: clause.place]
        opener = next((one for one in openers if one.label in _OPENERS or one.label.startswith("WH")), None)
        leaf = node.list_leaves()[0]
        if (
            opener is None
            and self.lemma in INTERROGATIVE
            and leaf.label == "WRB"
            and leaf.word in ("how", "why")
        ):
            return WH_CLAUSE
        if opener is None:
            return None if clause is None else self._classify_plain_clause(clause)
        words = opener.list_words()
        if words == ["that"]:
            nested = any(one.label in ("IN", "SBAR") for one in openers[opener.place + 1 :])
            return self._classify_that_clause(None if nested else clause, openers[: opener.place])
        compared = words[0] == "like" or node.list_words()[:2] in (["as", "if"], ["as", "though"])
        self.pro_clause = self.pro_clause or compared
        # Wait for them to leave is often parsed as a prepositional phrase, too.
        self.pp = self.pp or words[0] == "for"
        if words[0] == "if" and self.lemma in OPINION and self.tag in ("VBD", "VBZ"):
            return BARE_CLAUSE  # said if it rained, they would stay
        return WH_CLAUSE if is_question(self.lemma, opener, words[0]) else None

    def _classify_that_clause(self, clause: ParseNode | None, before: list[ParseNode]) -> str | None:
        if clause is None:
            self.objects += 1  # know that, about them: a pronoun
            return None
        clause = find_first_conjunct(clause, CLAUSES)
        if clause.find_verb_phrase() is None or any(one.word in ("so", "now", "except") for one in before):
            return None
        subject = clause.find_subject()
        if subject is not None and subject.list_words()[0] in COUNT_NOUNS:
            return BARE_CLAUSE  # I think that kind is best
        # Without a subject, that is the subject: I think that is it.
        return BARE_CLAUSE if clause.label == "S" and subject is None else THAT_CLAUSE
