"""The misspellings of a word: two neighbouring letters swapped, or one replaced by its neighbour on the keyboard."""

from __future__ import annotations

from typing import Literal

Operation = Literal["swap", "keyboard"]
OPERATIONS: tuple[Operation, ...] = ("swap", "keyboard")
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


def _neighbours(row: str) -> dict[str, str]:
    return {letter: row[max(at - 1, 0) : at] + row[at + 1 : at + 2] for at, letter in enumerate(row)}


# Neighbours in the same row of an American keyboard; `p` and `l`, `a` and `m` have one.
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


def one_misspelling(word: str, operation: Operation, pick: int) -> tuple[int, str] | None:
    """Give one of the misspellings of a word in small letters by a pick of 32 bits; equal shares of the picks give None.

    That is quicker than listing them all to take one.
    """
    if not word.islower():
        return None
    if operation == "swap":
        at = pick * (len(word) - 1) >> 32
        return (at, swapped(word, at)) if word[at] != word[at + 1] else None
    at, key = divmod(pick * len(word) >> 31, 2)
    keys = KEYBOARD.get(word[at], "")
    return (at, word[:at] + keys[key] + word[at + 1 :]) if key < len(keys) else None


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
