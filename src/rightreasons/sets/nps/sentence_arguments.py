"""Subjects and objects of verbs, and clauses, extracted from a parse.

Constituency parses are read in the Penn style, dependencies under the names that spaCy gives them.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from rightreasons.core import trees
from rightreasons.core.errors import InputError
from rightreasons.sets.nps.phrases import NOUNS, Clause, NounPhrase, SentenceArguments, lower_first_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rightreasons.language.spacy_adapter import SpacyToken

_VERBS = ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ")
_FINITE = ("VBD", "VBP", "VBZ", "MD")
_HAVE = ("have", "has", "had", "having", "'ve", "'d", "'s")
_BESIDE = ("ADVP", "PRN", "RB")
# What may stand before the subject of a clause and is left out with it.
_BEFORE = ("CC", "ADVP", "PP", "INTJ", "IN", "RB", "UH", ",", "SBAR")
# What may follow an object: not a second object, and nothing that could make the two of them a clause.
_AFTER = ("PP", "ADVP", "SBAR", "CC", "VP", "RB")
_PARTS = (
    *NOUNS,
    "DT",
    "PRP$",
    "JJ",
    "JJR",
    "JJS",
    "CD",
    "PRP",
    "POS",
    "ADJP",
    "QP",
    "NML",
    "NX",
    "VBG",
    "VBN",
    "PDT",
)
# After these a clause may lack a part (as tall as she is), or say what holds only there (if it has any).
_NOT_AFTER = ("than", "as", "like", "if", "whether", "unless", "lest")
_SUBJECTS = ("nsubj", "nsubjpass", "nsubj:pass")
_PASSIVE = ("nsubjpass", "nsubj:pass", "auxpass", "aux:pass")
_OBJECTS = ("dobj", "obj")
_MORE = ("ccomp", "xcomp", "oprd", "dative", "iobj")
_CLAUSES = ("ROOT", "root", "ccomp", "advcl", "conj", "parataxis")
_HELPERS = ("aux", "auxpass", "aux:pass", "cop")


def extract_from_constituency(tree: trees.Tree) -> SentenceArguments:
    """Read the subjects and objects of all verbs, and all clauses, off one parse."""
    return _ConstituencyTree(tree).extract_arguments()


class _ConstituencyTree:
    """A parse as numbered nodes, a parent before its children."""

    def __init__(self, tree: trees.Tree) -> None:
        self.words = trees.list_tree_words(tree)
        self.spans = trees.list_spans(tree)
        self.parents, self.children = _link_nodes(self.spans)

    @cached_property
    def tags(self) -> list[str]:
        """Return the label of the lowest node above each word."""
        tags = [""] * len(self.words)
        for span in self.spans:
            if span.stop == span.start + 1:
                tags[span.start] = span.label
        return tags

    def extract_arguments(self) -> SentenceArguments:
        arguments = SentenceArguments()
        for node, span in enumerate(self.spans):
            if (
                span.label in _VERBS
                and not self.children[node]
                and self.get_node_label(self.parents[node]) == "VP"
            ):
                self.add_verb_arguments(node, arguments)
            elif span.label == "S":
                arguments.clauses.extend(self.find_clause_at_node(node))
        return arguments

    def get_node_label(self, node: int) -> str:
        return self.spans[node].label if node >= 0 else ""

    # ------------------------------------------------------------------------------------------ verbs
    def add_verb_arguments(self, node: int, arguments: SentenceArguments) -> None:
        if self.spans[node].label == "VBN" and not self.is_perfect_participle(node):
            return  # a passive, or part of a noun phrase
        form = self.words[self.spans[node].start].lower()
        subject, object_ = self.find_subject(node), self.find_object(node)
        if subject is not None:
            arguments.subjects.append((form, subject))
        if object_ is not None:
            arguments.objects.append((form, object_))

    def is_perfect_participle(self, node: int) -> bool:
        """Return whether the auxiliary right above a participle is a form of have."""
        above = self.parents[self.parents[node]]
        if self.get_node_label(above) != "VP":
            return False
        first = self.spans[self.children[above][0]]
        return self.words[first.start].lower() in _HAVE

    def find_subject(self, node: int) -> NounPhrase | None:
        """Find the noun phrase before the topmost verb phrase that the verb is the head of."""
        top = self.parents[node]
        while self.get_node_label(self.parents[top]) == "VP":
            top = self.parents[top]
        above = self.parents[top]
        if self.get_node_label(above) != "S" or self.is_complement_of_have(above, top):
            return None
        before = [child for child in self.children[above] if child < top]
        while before and self.get_node_label(before[-1]) in _BESIDE:
            before.pop()
        return self.cut_noun_phrase(before[-1]) if before else None

    def is_complement_of_have(self, node: int, verbs: int) -> bool:
        """Return whether an S node is what someone has: in "we have reasons to believe it" no reasons believe."""
        siblings = (
            self.children[self.parents[node]] if self.get_node_label(self.parents[node]) == "VP" else [node]
        )
        has = self.words[self.spans[siblings[0]].start].lower() in _HAVE
        return has and self.tags[self.spans[verbs].start] == "TO"

    def find_object(self, node: int) -> NounPhrase | None:
        """Find the noun phrase right after the verb, where it is the verb's only object."""
        siblings = self.children[self.parents[node]]
        after = [child for child in siblings if child > node]
        if not after or self.get_node_label(after[0]) != "NP":
            return None
        rest = [self.get_node_label(child) for child in after[1:]]
        fits = all(label in _AFTER or not label.isalpha() for label in rest)
        return self.cut_noun_phrase(after[0]) if fits else None

    # ------------------------------------------------------------------------------------------ noun phrases
    def cut_noun_phrase(self, node: int) -> NounPhrase | None:
        """Cut a noun phrase down to what its noun ends; None where it has no such core."""
        if self.get_node_label(node) != "NP":
            return None
        while self.get_node_label(self.children[node][0]) == "NP" and not self.is_possessive(
            self.children[node][0]
        ):
            labels = [self.get_node_label(child) for child in self.children[node]]
            if "CC" in labels or labels.count("NP") > 1:
                return None
            node = self.children[node][0]
            if not self.children[node]:
                return None
        start, stop = self.spans[node].start, self.spans[node].stop
        if any(self.get_node_label(child) not in (*_PARTS, "NP") for child in self.children[node]):
            return None
        return self.make_noun_phrase(start, stop)

    def is_possessive(self, node: int) -> bool:
        return self.tags[self.spans[node].stop - 1] == "POS"

    def make_noun_phrase(self, start: int, stop: int) -> NounPhrase | None:
        tags = tuple(self.tags[start:stop])
        if tags[-1] not in (*NOUNS, "PRP"):
            return None
        words = lower_first_word(tuple(self.words[start:stop]), tags, first=start == 0)
        return NounPhrase(words, tags, len(words) - 1)

    # ------------------------------------------------------------------------------------------ clauses
    def find_clause_at_node(self, node: int) -> Iterator[Clause]:
        """Yield the clause that an S node is, from its subject to the end of its verb phrase."""
        if not self.is_complete_clause(node):
            return
        children = [child for child in self.children[node] if self.get_node_label(child).isalpha()]
        while children and self.get_node_label(children[0]) in _BEFORE:
            children.pop(0)
        labels = [
            self.get_node_label(child) for child in children if self.get_node_label(child) not in _BESIDE
        ]
        if labels != ["NP", "VP"] or self.get_node_label(children[-1]) != "VP":
            return
        subject = self.cut_noun_phrase(children[0])
        start, stop = self.spans[children[0]].start, self.spans[children[-1]].stop
        if subject is None or len(subject.words) != self.spans[children[0]].stop - start:
            return
        if self.tags[self.spans[children[-1]].start] not in _FINITE:
            return
        words = subject.words + tuple(self.words[start + len(subject.words) : stop])
        yield Clause(subject, words, tuple(self.tags[start:stop]), asks=self.words[-1] == "?")

    def is_complete_clause(self, node: int) -> bool:
        """Return whether an S node is complete: not a relative clause, question, comparison or condition."""
        above = self.parents[node]
        while self.get_node_label(above) == "S":
            above = self.parents[above]
        if self.get_node_label(above) != "SBAR":
            return self.get_node_label(above) in ("ROOT", "")
        opening = [
            child for child in self.children[above] if child < node and self.get_node_label(child) != "S"
        ]
        linked = all(
            self.get_node_label(child) == "IN"
            and self.words[self.spans[child].start].lower() not in _NOT_AFTER
            for child in opening
        )
        return linked and self.get_node_label(self.parents[above]) in ("VP", "S")


def _link_nodes(spans: list[trees.Span]) -> tuple[list[int], list[list[int]]]:
    """Find each node's parent (-1 for none) and children; nodes come a parent first."""
    parents: list[int] = []
    children: list[list[int]] = [[] for _ in spans]
    above: list[int] = []
    for number, span in enumerate(spans):
        while above and spans[above[-1]].stop <= span.start:
            above.pop()
        parents.append(above[-1] if above else -1)
        if above:
            children[above[-1]].append(number)
        above.append(number)
    return parents, children


def extract_from_dependencies(
    text: str, words: Sequence[SpacyToken], parser: str = "the parser"
) -> SentenceArguments:
    """Read the subjects and objects of all verbs, and all clauses, off one parsed text."""
    if any(word.head is None for word in words):
        raise InputError(
            f"{parser} finds no dependencies, which nps needs to find clauses. Use a pipeline with a parser."
        )
    return _DependencyTree(text, words).extract_arguments()


class _DependencyTree:
    """A text as numbered words, each with those that depend on it and the stretch that these cover."""

    def __init__(self, text: str, words: Sequence[SpacyToken]) -> None:
        self.words = [text[word.start : word.end] for word in words]
        self.tags = [word.tag or "" for word in words]
        self.relations = [word.dep or "" for word in words]
        self.heads = [number if word.head is None else word.head for number, word in enumerate(words)]
        self.children: list[list[int]] = [[] for _ in words]
        self.first, self.last = list(range(len(words))), list(range(len(words)))
        self.roots = [self.link_to_root(number) for number in range(len(words))]

    def link_to_root(self, number: int) -> int:
        """Go up from a word to its root, and stretch on the way what those above it cover."""
        at = number
        if self.heads[number] != number:
            self.children[self.heads[number]].append(number)
        for _ in self.words:
            self.first[at], self.last[at] = min(self.first[at], number), max(self.last[at], number)
            if self.heads[at] == at:
                break
            at = self.heads[at]
        return at

    def extract_arguments(self) -> SentenceArguments:
        arguments = SentenceArguments()
        for number, tag in enumerate(self.tags):
            if tag.startswith("VB"):
                self.add_verb_arguments(number, arguments)
            clause = self.cut_clause(number)
            if clause is not None:
                arguments.clauses.append(clause)
        return arguments

    def add_verb_arguments(self, verb: int, arguments: SentenceArguments) -> None:
        relations = {self.relations[child] for child in self.children[verb]}
        if relations.intersection(_PASSIVE):
            return
        for child in self.children[verb]:
            phrase, relation = self.cut_noun_phrase(child), self.relations[child]
            if phrase is not None and relation == "nsubj":
                arguments.subjects.append((self.words[verb].lower(), phrase))
            elif phrase is not None and relation in _OBJECTS and not relations.intersection(_MORE):
                arguments.objects.append((self.words[verb].lower(), phrase))

    def cut_noun_phrase(self, head: int) -> NounPhrase | None:
        """Cut a noun phrase from its first word to its noun; None for anything else, and for several in a row."""
        linked = any(self.relations[child] == "conj" for child in self.children[head])
        if self.tags[head] not in (*NOUNS, "PRP") or linked:
            return None
        start = self.first[head]
        tags = tuple(self.tags[start : head + 1])
        opens = start == self.first[self.roots[head]]
        words = lower_first_word(tuple(self.words[start : head + 1]), tags, first=opens)
        return NounPhrase(words, tags, len(words) - 1)

    def cut_clause(self, verb: int) -> Clause | None:
        """Cut a clause from its subject to its end; None where the verb isn't finite or the clause may lack a part."""
        subjects = [child for child in self.children[verb] if self.relations[child] in _SUBJECTS]
        if len(subjects) != 1 or self.relations[verb] not in _CLAUSES or not self.is_finite_clause(verb):
            return None
        head = subjects[0]
        subject = self.cut_noun_phrase(head)
        if subject is None or self.last[head] != head or head > verb or self.has_excluded_marker(verb):
            return None
        stop = self.last[verb] + 1
        while not any(character.isalnum() for character in self.words[stop - 1]):
            stop -= 1
        words = subject.words + tuple(self.words[head + 1 : stop])
        asks = self.words[self.last[self.roots[verb]]] == "?"
        return Clause(subject, words, tuple(self.tags[self.first[head] : stop]), asks=asks)

    def is_finite_clause(self, verb: int) -> bool:
        helpers = [child for child in self.children[verb] if self.relations[child] in _HELPERS]
        return self.tags[min([verb, *helpers])] in _FINITE

    def has_excluded_marker(self, verb: int) -> bool:
        marks = [child for child in self.children[verb] if self.relations[child] == "mark"]
        return any(self.words[mark].lower() in _NOT_AFTER for mark in marks)
