"""Noun phrases and clauses as they were met in a corpus: words with tags, and how they are written out."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

NOUNS = ("NN", "NNS", "NNP", "NNPS")
PLURAL = ("NNS", "NNPS")
_NAMES = ("NNP", "NNPS")
_TO_THE_LEFT = re.compile(r" (n't|'s|'S|'re|'ve|'ll|'d|'m|'|[.,;:!?%]|-RRB-)(?= |$)")
_TO_THE_RIGHT = re.compile(r"(^| )([$#]) (?=\d)")


@dataclass(frozen=True)
class NounPhrase:
    """A noun phrase without what follows its noun: its words, their tags, and which of them is the head."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    head: int

    @property
    def key(self) -> str:
        """Return the words in small letters: what makes two phrases the same."""
        return " ".join(self.words).lower()

    @property
    def noun(self) -> str:
        """Return the head in small letters."""
        return self.words[self.head].lower()

    @property
    def head_tag(self) -> str:
        """Return the head's part of speech."""
        return self.tags[self.head]

    @property
    def text(self) -> str:
        """Write the phrase out."""
        return written(self.words)


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
        """Return the finite verb in small letters, and its tag: the first word after the subject but for adverbs."""
        word, tag = next((part for part in self.predicate if part[1] != "RB"), self.predicate[-1])
        return word.lower(), tag

    @property
    def text(self) -> str:
        """Write the clause out."""
        return written(self.words)


@dataclass
class SentenceArguments:
    """What a sentence shows: the subjects and objects of verbs, by the verb's form, and its clauses."""

    subjects: list[tuple[str, NounPhrase]] = field(default_factory=list)
    objects: list[tuple[str, NounPhrase]] = field(default_factory=list)
    clauses: list[Clause] = field(default_factory=list)


def lowered(words: tuple[str, ...], tags: tuple[str, ...], *, first: bool) -> tuple[str, ...]:
    """Take the capital off a word that had it for standing first in its sentence."""
    if not first or tags[0] in _NAMES or words[0] == "I" or words[0][1:] != words[0][1:].lower():
        return words
    return (words[0][:1].lower() + words[0][1:], *words[1:])


def written(words: tuple[str, ...]) -> str:
    """Join words of a parse with natural spaces."""
    joined = " ".join(words).replace("can not", "cannot")
    return _TO_THE_RIGHT.sub(r"\1\2", _TO_THE_LEFT.sub(r"\1", joined))


def sentence(text: str) -> str:
    """Give a text its capital and its full stop."""
    return f"{text[:1].upper()}{text[1:]}."
