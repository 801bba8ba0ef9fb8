"""Subjects and objects of verbs, and clauses, read off dependencies as spaCy names them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.core.errors import InputError
from rightreasons.sets.nps.attested import Attested, attested, sentences_of
from rightreasons.sets.nps.phrases import NOUNS, Clause, NounPhrase, SentenceArguments, lowered

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from rightreasons.language.spacy_adapter import SpacyToken

_FINITE = ("VBD", "VBP", "VBZ", "MD")
_SUBJECTS = ("nsubj", "nsubjpass", "nsubj:pass")
_PASSIVE = ("nsubjpass", "nsubj:pass", "auxpass", "aux:pass")
_OBJECTS = ("dobj", "obj")
_MORE = ("ccomp", "xcomp", "oprd", "dative", "iobj")
_CLAUSES = ("ROOT", "root", "ccomp", "advcl", "conj", "parataxis")
_HELPERS = ("aux", "auxpass", "aux:pass", "cop")
_NOT_AFTER = ("than", "as", "like", "if", "whether", "unless", "lest")


def from_texts(pairs: pl.DataFrame, parser: str) -> Attested:
    """Gather what the texts of a corpus show, parsed by spacy:MODEL."""
    from rightreasons.language.spacy_adapter import analyses

    kind, _, model = parser.partition(":")
    if kind != "spacy" or not model:
        raise InputError(f"There is no parser {parser!r}. Write spacy:MODEL, such as spacy:en_core_web_sm.")
    texts = sentences_of(pairs, {"premise": "premise", "hypothesis": "hypothesis"})
    strings = texts["text"].to_list()
    words = analyses(strings, model)
    return attested(
        (source, found_in(text, found, parser))
        for source, text, found in zip(texts["source"], strings, words, strict=True)
    )


def found_in(text: str, words: Sequence[SpacyToken], parser: str = "the parser") -> SentenceArguments:
    """Read the subjects and objects of all verbs, and all clauses, off one parsed text."""
    if any(word.head is None for word in words):
        raise InputError(
            f"{parser} finds no dependencies, and so no clauses. Name a pipeline that has a parser."
        )
    return _DependencyTree(text, words).found()


class _DependencyTree:
    """A text as numbered words, each with those that depend on it and the stretch that these cover."""

    def __init__(self, text: str, words: Sequence[SpacyToken]) -> None:
        self.words = [text[word.start : word.end] for word in words]
        self.tags = [word.tag or "" for word in words]
        self.relations = [word.dep or "" for word in words]
        self.heads = [number if word.head is None else word.head for number, word in enumerate(words)]
        self.children: list[list[int]] = [[] for _ in words]
        self.first, self.last = list(range(len(words))), list(range(len(words)))
        self.roots = [self.climb(number) for number in range(len(words))]

    def climb(self, number: int) -> int:
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

    def found(self) -> SentenceArguments:
        found = SentenceArguments()
        for number, tag in enumerate(self.tags):
            if tag.startswith("VB"):
                self.add_verb(number, found)
            clause = self.clause(number)
            if clause is not None:
                found.clauses.append(clause)
        return found

    def add_verb(self, verb: int, found: SentenceArguments) -> None:
        relations = {self.relations[child] for child in self.children[verb]}
        if relations.intersection(_PASSIVE):
            return
        for child in self.children[verb]:
            phrase, relation = self.phrase(child), self.relations[child]
            if phrase is not None and relation == "nsubj":
                found.subjects.append((self.words[verb].lower(), phrase))
            elif phrase is not None and relation in _OBJECTS and not relations.intersection(_MORE):
                found.objects.append((self.words[verb].lower(), phrase))

    def phrase(self, head: int) -> NounPhrase | None:
        """Cut a noun phrase from its first word to its noun; None for anything else, and for several in a row."""
        linked = any(self.relations[child] == "conj" for child in self.children[head])
        if self.tags[head] not in (*NOUNS, "PRP") or linked:
            return None
        start = self.first[head]
        tags = tuple(self.tags[start : head + 1])
        opens = start == self.first[self.roots[head]]
        words = lowered(tuple(self.words[start : head + 1]), tags, first=opens)
        return NounPhrase(words, tags, len(words) - 1)

    def clause(self, verb: int) -> Clause | None:
        """Cut a clause from its subject to its end; None where the verb isn't finite or the clause may lack a part."""
        subjects = [child for child in self.children[verb] if self.relations[child] in _SUBJECTS]
        if len(subjects) != 1 or self.relations[verb] not in _CLAUSES or not self.is_finite(verb):
            return None
        head = subjects[0]
        subject = self.phrase(head)
        if subject is None or self.last[head] != head or head > verb or self.is_bound(verb):
            return None
        stop = self.last[verb] + 1
        while not any(character.isalnum() for character in self.words[stop - 1]):
            stop -= 1
        words = subject.words + tuple(self.words[head + 1 : stop])
        asks = self.words[self.last[self.roots[verb]]] == "?"
        return Clause(subject, words, tuple(self.tags[self.first[head] : stop]), asks=asks)

    def is_finite(self, verb: int) -> bool:
        helpers = [child for child in self.children[verb] if self.relations[child] in _HELPERS]
        return self.tags[min([verb, *helpers])] in _FINITE

    def is_bound(self, verb: int) -> bool:
        marks = [child for child in self.children[verb] if self.relations[child] == "mark"]
        return any(self.words[mark].lower() in _NOT_AFTER for mark in marks)
