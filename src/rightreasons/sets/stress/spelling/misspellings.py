"""The misspellings of a word: two neighbouring letters swapped, or one replaced by its neighbour on the keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from rightreasons.core.keyed_random import below

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Operation = Literal["swap", "keyboard"]
OPERATIONS: tuple[Operation, ...] = ("swap", "keyboard")
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_TO_SMALL = np.uint32(32)  # from a capital of ASCII to its small letter


def _neighbours(row: str) -> dict[str, str]:
    return {letter: row[max(at - 1, 0) : at] + row[at + 1 : at + 2] for at, letter in enumerate(row)}


# Neighbours in the same row of an American keyboard; letters at the end of a row have one.
KEYBOARD = {letter: keys for row in _ROWS for letter, keys in _neighbours(row).items()}


def misspellings(word: str, operation: Operation) -> tuple[tuple[int, str], ...]:
    """List the misspellings of a word, each with the number of the first letter that differs.

    Each is as long as the word. Capitals stay where they were: "The" becomes "Hte" and not "hTe".
    """
    plain = word.lower()
    found = _swaps(plain) if operation == "swap" else _slips(plain)
    if plain == word:
        return tuple(found)
    cased = [(at, _cased(new, word)) for at, new in found]
    # Some letters are two in the other case, and some have none: what comes of those is left out.
    return tuple((at, new) for at, new in cased if len(new) == len(word) and new != word)


def swapped(word: str, at: int) -> str:
    """Swap the letter at a place with the next one."""
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _swaps(word: str) -> list[tuple[int, str]]:
    return [(at, swapped(word, at)) for at in range(len(word) - 1) if word[at] != word[at + 1]]


def _slips(word: str) -> list[tuple[int, str]]:
    return [
        (at, word[:at] + key + word[at + 1 :])
        for at, letter in enumerate(word)
        for key in KEYBOARD.get(letter, "")
    ]


def _cased(word: str, like: str) -> str:
    """Write capitals where another word has them."""
    letters = zip(word, like.ljust(len(word)), strict=False)
    return "".join(letter.upper() if model.isupper() else letter for letter, model in letters)


def drawn_misspellings(
    words: Sequence[str], by_keyboard: NDArray[np.bool_], drawn: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], list[str]]:
    """Misspell each word in one place that is drawn, all at once: the places, and the new words.

    A new word is empty where the place drawn gives no misspelling, and for words that aren't in ASCII; of those that
    `misspellings` lists, each has the same chance.
    """
    letters, capital = _letters(words)
    rows, lengths = np.arange(len(words)), np.count_nonzero(letters, axis=1)
    # A letter has two keys beside it, so a draw for a key is one for a place and a side.
    slots = below(drawn, np.where(by_keyboard, 2 * lengths, lengths - 1))
    at = np.where(by_keyboard, slots // 2, slots)
    old, after = letters[rows, at], letters[rows, np.minimum(at + 1, letters.shape[1] - 1)]
    new = np.where(by_keyboard, _KEYS[np.minimum(old, _ASCII), slots % 2], after)
    letters[rows, at] = new
    swaps = np.flatnonzero(~by_keyboard)
    letters[swaps, at[swaps] + 1] = old[swaps]
    letters[(new == old) | (new == 0) | (letters.max(axis=1) > _ASCII)] = 0
    letters[capital & (letters > 0)] -= _TO_SMALL
    return at, letters.view(f"<U{letters.shape[1]}").ravel().tolist()


def _letters(words: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
    """Write words as a table of letters in small, with zeros to the right; and say where capitals were."""
    table = np.array(words, dtype=str)
    letters = table.view(np.uint32).reshape(len(words), -1).copy()
    capital = (letters >= ord("A")) & (letters <= ord("Z"))
    letters[capital] += _TO_SMALL
    return letters, capital


def _key_table() -> NDArray[np.uint32]:
    table = np.zeros((_ASCII + 1, 2), dtype=np.uint32)
    for letter, keys in KEYBOARD.items():
        table[ord(letter), : len(keys)] = [ord(key) for key in keys]
    return table


_ASCII = 127
_KEYS = _key_table()
