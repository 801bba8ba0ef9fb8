"""Subjects and objects of verbs, and clauses, read off constituency parses in the Penn style."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from rightreasons.core import trees
from rightreasons.sets.nps.phrases import NOUNS, Clause, NounPhrase, SentenceArguments, lowered

if TYPE_CHECKING:
    from collections.abc import Iterator

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


def found_in(tree: trees.Tree) -> SentenceArguments:
    """Read the subjects and objects of all verbs, and all clauses, off one parse."""
    return _ConstituencyTree(tree).found()


class _ConstituencyTree:
    """A parse as numbered nodes, a parent before its children."""

    def __init__(self, tree: trees.Tree) -> None:
        self.words = trees.words(tree)
        self.spans = trees.spans(tree)
        self.parents, self.children = _links(self.spans)

    @cached_property
    def tags(self) -> list[str]:
        """Return the label of the lowest node above each word."""
        tags = [""] * len(self.words)
        for span in self.spans:
            if span.stop == span.start + 1:
                tags[span.start] = span.label
        return tags

    def found(self) -> SentenceArguments:
        found = SentenceArguments()
        for node, span in enumerate(self.spans):
            if span.label in _VERBS and not self.children[node] and self.label(self.parents[node]) == "VP":
                self.add_verb(node, found)
            elif span.label == "S":
                found.clauses.extend(self.clauses(node))
        return found

    def label(self, node: int) -> str:
        return self.spans[node].label if node >= 0 else ""

    # ------------------------------------------------------------------------------------------ verbs
    def add_verb(self, node: int, found: SentenceArguments) -> None:
        if self.spans[node].label == "VBN" and not self.is_perfect(node):
            return  # a passive, or part of a noun phrase
        form = self.words[self.spans[node].start].lower()
        subject, object_ = self.subject_of(node), self.object_of(node)
        if subject is not None:
            found.subjects.append((form, subject))
        if object_ is not None:
            found.objects.append((form, object_))

    def is_perfect(self, node: int) -> bool:
        """Tell whether the auxiliary right above a participle is a form of have."""
        above = self.parents[self.parents[node]]
        if self.label(above) != "VP":
            return False
        first = self.spans[self.children[above][0]]
        return self.words[first.start].lower() in _HAVE

    def subject_of(self, node: int) -> NounPhrase | None:
        """Find the noun phrase before the topmost verb phrase that the verb is the head of."""
        top = self.parents[node]
        while self.label(self.parents[top]) == "VP":
            top = self.parents[top]
        above = self.parents[top]
        if self.label(above) != "S" or self.is_had(above, top):
            return None
        before = [child for child in self.children[above] if child < top]
        while before and self.label(before[-1]) in _BESIDE:
            before.pop()
        return self.phrase(before[-1]) if before else None

    def is_had(self, node: int, verbs: int) -> bool:
        """Tell whether an S node is what someone has: in "we have reasons to believe it" no reasons believe."""
        beside = self.children[self.parents[node]] if self.label(self.parents[node]) == "VP" else [node]
        has = self.words[self.spans[beside[0]].start].lower() in _HAVE
        return has and self.tags[self.spans[verbs].start] == "TO"

    def object_of(self, node: int) -> NounPhrase | None:
        """Find the noun phrase right after the verb, where it is the verb's only object."""
        beside = self.children[self.parents[node]]
        after = [child for child in beside if child > node]
        if not after or self.label(after[0]) != "NP":
            return None
        rest = [self.label(child) for child in after[1:]]
        fits = all(label in _AFTER or not label.isalpha() for label in rest)
        return self.phrase(after[0]) if fits else None

    # ------------------------------------------------------------------------------------------ noun phrases
    def phrase(self, node: int) -> NounPhrase | None:
        """Cut a noun phrase down to what its noun ends; None where it has no such core."""
        if self.label(node) != "NP":
            return None
        while self.label(self.children[node][0]) == "NP" and not self.is_owner(self.children[node][0]):
            labels = [self.label(child) for child in self.children[node]]
            if "CC" in labels or labels.count("NP") > 1:
                return None
            node = self.children[node][0]
            if not self.children[node]:
                return None
        start, stop = self.spans[node].start, self.spans[node].stop
        if any(self.label(child) not in (*_PARTS, "NP") for child in self.children[node]):
            return None
        return self.cut(start, stop)

    def is_owner(self, node: int) -> bool:
        return self.tags[self.spans[node].stop - 1] == "POS"

    def cut(self, start: int, stop: int) -> NounPhrase | None:
        tags = tuple(self.tags[start:stop])
        if tags[-1] not in (*NOUNS, "PRP"):
            return None
        words = lowered(tuple(self.words[start:stop]), tags, first=start == 0)
        return NounPhrase(words, tags, len(words) - 1)

    # ------------------------------------------------------------------------------------------ clauses
    def clauses(self, node: int) -> Iterator[Clause]:
        """Yield the clause that an S node is, from its subject to the end of its verb phrase."""
        if not self.is_whole(node):
            return
        children = [child for child in self.children[node] if self.label(child).isalpha()]
        while children and self.label(children[0]) in _BEFORE:
            children.pop(0)
        labels = [self.label(child) for child in children if self.label(child) not in _BESIDE]
        if labels != ["NP", "VP"] or self.label(children[-1]) != "VP":
            return
        subject = self.phrase(children[0])
        start, stop = self.spans[children[0]].start, self.spans[children[-1]].stop
        if subject is None or len(subject.words) != self.spans[children[0]].stop - start:
            return
        if self.tags[self.spans[children[-1]].start] not in _FINITE:
            return
        words = subject.words + tuple(self.words[start + len(subject.words) : stop])
        yield Clause(subject, words, tuple(self.tags[start:stop]), asks=self.words[-1] == "?")

    def is_whole(self, node: int) -> bool:
        """Tell whether an S node can lack nothing: it is no relative clause, question, comparison or condition."""
        above = self.parents[node]
        while self.label(above) == "S":
            above = self.parents[above]
        if self.label(above) != "SBAR":
            return self.label(above) in ("ROOT", "")
        opening = [child for child in self.children[above] if child < node and self.label(child) != "S"]
        linked = all(
            self.label(child) == "IN" and self.words[self.spans[child].start].lower() not in _NOT_AFTER
            for child in opening
        )
        return linked and self.label(self.parents[above]) in ("VP", "S")


def _links(spans: list[trees.Span]) -> tuple[list[int], list[list[int]]]:
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
