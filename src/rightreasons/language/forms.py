"""Whether letters make an English word, told fast: WordNet's words, their forms, and function words."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rightreasons.language.function_words import FUNCTION_WORDS
from rightreasons.language.wordnet import wordnet
from rightreasons.language.wordnet_files import PARTS, find_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

# Endings by their last letter, each with what may have stood in its place.
_ENDINGS = {
    "s": (("s", ""), ("es", ""), ("ies", "y"), ("ves", "f"), ("ves", "fe")),
    "d": (("ed", ""), ("ed", "e"), ("ied", "y")),
    "g": (("ing", ""), ("ing", "e")),
    "r": (("er", ""), ("er", "e"), ("ier", "y")),
    "t": (("est", ""), ("est", "e"), ("iest", "y")),
    "n": (("men", "man"),),
    "y": (("ly", ""),),
}
_SLURS = ("nig", "nigs")  # words too, though WordNet lacks them
_LAST = ("s", "ed", "ing", "er", "est", "men", "ly")


def is_word(word: str) -> bool:
    """Tell whether a word, in any case of letters, is an English word or a form of one."""
    return are_words([word])[0]


def are_words(words: Sequence[str]) -> list[bool]:
    """Tell of many words which are English words, or forms of one."""
    known = _known()
    return [
        word in known or (word.endswith(_LAST) and _is_form(word, known)) for word in map(str.lower, words)
    ]


def _is_form(word: str, known: frozenset[str]) -> bool:
    endings = _ENDINGS[word[-1]]
    return any(word.endswith(end) and word[: -len(end)] + before in known for end, before in endings)


@lru_cache(maxsize=1)
def _known() -> frozenset[str]:
    """Gather the words that need no ending: some 90,000, in a tenth of a second."""
    folder = find_folder()
    lists = [(folder / f"{part}.exc").read_text(encoding="utf-8") for part in PARTS.values()]
    irregular = [line.partition(" ")[0] for text in lists for line in text.splitlines()]
    lemmas = [lemma for lemma in wordnet().lemmas() if "_" not in lemma]
    return frozenset([*lemmas, *irregular, *FUNCTION_WORDS, *_SLURS])
