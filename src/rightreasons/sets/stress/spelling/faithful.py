"""The spelling test as the released scripts made it, with draws in the place of their unseeded chance.

A word is drawn from the tokens, lower-cased where no tags are needed, and the first place in the text where its letters
stand is changed, be it inside another word. The capitalised form is changed if it is anywhere; in the released file of
swaps, only if the small one is nowhere. Pairs without a candidate are left out. Singular nouns are no content words.
Where a script would go on for ever, for want of a letter on the keyboard, the pair is left out too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from rightreasons.core.keyed_random import further
from rightreasons.sets.stress.spelling.misspellings import KEYBOARD, Operation, swapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from rightreasons.sets.stress.spelling.misspellable import Variant

CONTENT = ("NNP", "NNS", "NNPS", "JJ", "JJR", "JJS")
FUNCTION = ("IN", "CC", "DT", "PRP", "PRP$", "WP", "WP$")
_TAGS = {"content": CONTENT, "function": FUNCTION}
_TRIES = 5
_FEWEST = 3  # different letters of a word whose letters are swapped
_HALF = np.uint64(32)
Word = tuple[str, str | None]  # with its tag


class SpellingEdit(NamedTuple):
    """What a script did to a text, and to which word it meant to do it; nothing was done where `edit_to` is null."""

    operation: str
    word: str
    misspelling: str
    position: int
    word_tag: str | None
    edit_at: int | None
    edit_from: str | None
    edit_to: str | None


SCHEMA = {
    "row": pl.UInt32,
    **dict.fromkeys(SpellingEdit._fields, pl.String),
    "position": pl.Int64,
    "edit_at": pl.Int64,
}


class Chance:
    """The numbers drawn for one text, one after the other."""

    def __init__(self, numbers: Sequence[int]) -> None:
        """Take numbers of 32 bits."""
        self._numbers = iter(numbers)

    def below(self, bound: int) -> int:
        """Give the next number, from 0 up to a bound."""
        return next(self._numbers) * bound >> 32


def edits(texts: pl.Series, found: pl.DataFrame, drawn: NDArray[np.uint64], variant: Variant) -> pl.DataFrame:
    """Say what the scripts do to each text, given its tokens; texts that they leave out are not there."""
    numbers = np.stack([further(drawn, number) >> _HALF for number in range(2 * _TRIES)], axis=1).tolist()
    token = pl.col("token") if variant in _TAGS else pl.col("token").str.to_lowercase()
    grouped = found.select("row", token, "tag").group_by("row", maintain_order=True).all()
    made = []
    for row, words, tags in grouped.iter_rows():
        edit = _edit(texts[row], list(zip(words, tags, strict=True)), variant, Chance(numbers[row]))
        if edit:
            made.append((row, *edit))
    return pl.DataFrame(made, schema=SCHEMA, orient="row")


def _edit(text: str, words: list[Word], variant: Variant, chance: Chance) -> SpellingEdit | None:
    fit = [word for word in words if _fits(*word, variant)]
    if not fit:
        return None
    if variant == "swap":
        return _swap(text, fit, chance)
    word = fit[chance.below(len(fit))]
    by_keyboard = variant == "keyboard" or chance.below(2)
    return _made(text, word, "keyboard" if by_keyboard else "swap", chance, capital_first=True)


def swaps(text: str, words: Iterable[str]) -> set[str]:
    """List all texts that the swaps can make of one, given its tokens in lower case."""
    made = set()
    for word in {word for word in words if _fits(word, None, "swap")}:
        for at in range(len(word) - 1):
            change = replaced(text, word, swapped(word, at), capital_first=False)
            if change:
                made.add(text[: change[0]] + change[2] + text[change[0] + len(change[1]) :])
    return made


def _fits(word: str, tag: str | None, variant: Variant) -> bool:
    """Tell whether a script takes a word; the words for swaps have more than two different characters."""
    if variant == "swap":
        return "-" not in word and len(set(word)) >= _FEWEST
    if variant == "keyboard":
        return len(word) > 1 and not KEYBOARD.keys().isdisjoint(word)
    return len(word) > 1 and tag in _TAGS[variant]


def _swap(text: str, fit: list[Word], chance: Chance) -> SpellingEdit | None:
    """Try a few times to swap two letters of some word so that the text changes."""
    for _ in range(_TRIES):
        edit = _made(text, fit[chance.below(len(fit))], "swap", chance, capital_first=False)
        if edit.edit_to is not None:
            return edit
    return None


def _made(
    text: str, word: Word, operation: Operation, chance: Chance, *, capital_first: bool
) -> SpellingEdit:
    """Change a letter of the word, where there is one that can be changed, and put the result into the text."""
    letters, tag = word
    places = [at for at, letter in enumerate(letters) if letter in KEYBOARD]
    if operation == "swap":
        at = chance.below(len(letters) - 1)
        new = swapped(letters, at)
    elif places:
        at = places[chance.below(len(places))]
        keys = KEYBOARD[letters[at]]
        new = letters[:at] + keys[chance.below(len(keys))] + letters[at + 1 :]
    else:
        at, new = 0, letters
    change = replaced(text, letters, new, capital_first=capital_first)
    return SpellingEdit(operation, letters, new, at, tag, *(change or (None, None, None)))


def replaced(text: str, word: str, new: str, *, capital_first: bool) -> tuple[int, str, str] | None:
    """Find where a word's letters stand first, in small or capitalised; None where nothing changes."""
    if word.capitalize() in text and (capital_first or word not in text):
        word, new = word.capitalize(), new.capitalize()
    if word == new or word not in text:
        return None
    return text.index(word), word, new
