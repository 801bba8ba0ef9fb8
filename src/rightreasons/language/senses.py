"""Which sense a word has in a sentence: Lesk's way, by the words that its gloss and the sentence share.

Two rules are offered. *Ours*: content words of definition, examples and lemmas; of senses that tie, the most frequent
one. *NLTK's*: white-space tokens of the definition alone; of senses that tie, the one whose name comes last in the
alphabet (as in 2018, `tie="old"`) or the most frequent one (as today, `tie="new"`).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from rightreasons.language.english_words import FUNCTION_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from rightreasons.language.wordnet import Synset, WordNet

Tie = Literal["ours", "old", "new"]
Candidate = tuple["Synset", frozenset[str]]
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")


def lesk(
    context: Iterable[str], word: str, pos: str | None = None, *, tie: Tie = "ours", wordnet: WordNet
) -> Synset | None:
    """Choose the sense of a word among the words around it; none where WordNet doesn't know the word."""
    candidates = list_sense_candidates(word, pos, tie, wordnet)
    return (
        choose_best_sense(list_context_words(context, word) if tie == "ours" else set(context), candidates)
        if candidates
        else None
    )


@lru_cache(maxsize=1 << 16)
def list_sense_candidates(word: str, pos: str | None, tie: Tie, wordnet: WordNet) -> tuple[Candidate, ...]:
    """List the senses of a word with their signatures, so ordered that of those that tie the first wins."""
    senses = list(dict.fromkeys(wordnet.synsets(word, pos)))
    if tie == "old":
        senses.sort(key=wordnet.name, reverse=True)
    sign = build_content_signature if tie == "ours" else build_definition_signature
    return tuple((synset, sign(synset)) for synset in senses)


def choose_best_sense(context: AbstractSet[str], candidates: Sequence[Candidate]) -> Synset:
    """Choose the candidate whose signature shares most words with the context, the first where several do."""
    return max(candidates, key=lambda candidate: len(candidate[1] & context))[0]


def list_context_words(tokens: Iterable[str], word: str) -> set[str]:
    """Return the content words around a word."""
    return {token.lower() for token in tokens} - FUNCTION_WORDS - {word.lower()}


@lru_cache(maxsize=1 << 16)
def build_definition_signature(synset: Synset) -> frozenset[str]:
    """Split the definition at white space, function words and punctuation included."""
    return frozenset(synset.definition.split())


@lru_cache(maxsize=1 << 16)
def build_content_signature(synset: Synset) -> frozenset[str]:
    """Return the content words of the gloss, examples included, and of the lemmas."""
    text = f"{synset.gloss} {' '.join(synset.lemmas).replace('_', ' ')}".lower()
    return frozenset(_WORD.findall(text)) - FUNCTION_WORDS
