"""Misspellings of a word, the words of a text that may be misspelt, and the choice among them.

Two neighbouring letters are swapped, or one is replaced by its neighbour on the keyboard. Choices depend on draws that
belong to the text alone.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import polars as pl

from rightreasons.core.keyed_random import derive_numbers, scale_to_range
from rightreasons.language.english_words import are_words_or_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Operation = Literal["swap", "keyboard"]
OPERATIONS: tuple[Operation, ...] = ("swap", "keyboard")
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_TO_SMALL = np.uint32(32)  # from a capital of ASCII to its small letter
_ASCII = 127
Variant = Literal["swap", "keyboard", "content", "function"]
VARIANTS: tuple[Variant, ...] = ("swap", "keyboard", "content", "function")
CONTENT = ("NN", "NNS", "NNP", "NNPS", "JJ", "JJR", "JJS")
FUNCTION = ("IN", "TO", "CC", "DT", "PRP", "PRP$", "WP", "WP$")
_TAGS = {"content": CONTENT, "function": FUNCTION}
# Longer tokens are not words; a misspelling for each of their letters would exhaust the memory.
_LONGEST = 40
_WORD = r"^\p{Lu}*[\p{L}--\p{Lu}]\p{L}*$"  # letters, and not capitals alone
_GOES_ON = r"^[\p{L}\p{M}\p{N}_]"
_WENT_ON = r"[\p{L}\p{M}\p{N}_]$"
# How often a quick try is made for all before the rest is gone through one by one.
_QUICK = 2


def _map_neighbouring_keys(row: str) -> dict[str, str]:
    return {letter: row[max(at - 1, 0) : at] + row[at + 1 : at + 2] for at, letter in enumerate(row)}


# Neighbours in the same row of an American keyboard; letters at the end of a row have one.
KEYBOARD = {letter: keys for row in _ROWS for letter, keys in _map_neighbouring_keys(row).items()}


def list_misspellings(word: str, operation: Operation) -> tuple[tuple[int, str], ...]:
    """List the misspellings of a word, each with the number of the first letter that differs.

    Each is as long as the word. Capitals stay where they were: "The" becomes "Hte" and not "hTe".
    """
    plain = word.lower()
    changes = _list_swaps(plain) if operation == "swap" else _list_keyboard_slips(plain)
    if plain == word:
        return tuple(changes)
    cased = [(at, _match_case(new, word)) for at, new in changes]
    # Some letters are two in the other case, and some have none: what comes of those is left out.
    return tuple((at, new) for at, new in cased if len(new) == len(word) and new != word)


def swap_letters(word: str, at: int) -> str:
    """Swap the letter at a place with the next one."""
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _list_swaps(word: str) -> list[tuple[int, str]]:
    return [(at, swap_letters(word, at)) for at in range(len(word) - 1) if word[at] != word[at + 1]]


def _list_keyboard_slips(word: str) -> list[tuple[int, str]]:
    return [
        (at, word[:at] + key + word[at + 1 :])
        for at, letter in enumerate(word)
        for key in KEYBOARD.get(letter, "")
    ]


def _match_case(word: str, like: str) -> str:
    """Write capitals where another word has them."""
    letters = zip(word, like.ljust(len(word)), strict=False)
    return "".join(letter.upper() if model.isupper() else letter for letter, model in letters)


def draw_misspellings(
    words: Sequence[str], by_keyboard: NDArray[np.bool_], drawn: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], list[str]]:
    """Misspell each word in one place that is drawn, all at once: the places, and the new words.

    A new word is empty where the place drawn gives no misspelling, and for words that aren't in ASCII; of those that
    `list_misspellings` lists, each has the same chance.
    """
    letters, capital = _encode_letters(words)
    rows, lengths = np.arange(len(words)), np.count_nonzero(letters, axis=1)
    # A letter has two neighbouring keys, so one draw chooses a position and a side.
    slots = scale_to_range(drawn, np.where(by_keyboard, 2 * lengths, lengths - 1))
    at = np.where(by_keyboard, slots // 2, slots)
    old, after = letters[rows, at], letters[rows, np.minimum(at + 1, letters.shape[1] - 1)]
    new = np.where(by_keyboard, _KEYS[np.minimum(old, _ASCII), slots % 2], after)
    letters[rows, at] = new
    swaps = np.flatnonzero(~by_keyboard)
    letters[swaps, at[swaps] + 1] = old[swaps]
    letters[(new == old) | (new == 0) | (letters.max(axis=1) > _ASCII)] = 0
    letters[capital & (letters > 0)] -= _TO_SMALL
    return at, letters.view(f"<U{letters.shape[1]}").ravel().tolist()


def _encode_letters(words: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
    """Encode words as a table of lower-case letters, padded with zeros, and a mask of capitals."""
    table = np.array(words, dtype=str)
    letters = table.view(np.uint32).reshape(len(words), -1).copy()
    capital = (letters >= ord("A")) & (letters <= ord("Z"))
    letters[capital] += _TO_SMALL
    return letters, capital


def _build_keyboard_neighbours() -> NDArray[np.uint32]:
    table = np.zeros((_ASCII + 1, 2), dtype=np.uint32)
    for letter, keys in KEYBOARD.items():
        table[ord(letter), : len(keys)] = [ord(key) for key in keys]
    return table


_KEYS = _build_keyboard_neighbours()


def filter_misspellable_tokens(tokens: pl.DataFrame, variant: Variant) -> pl.DataFrame:
    """Keep the tokens that may be misspelt: whole words of at least two letters, of the tags of the variant.

    Words in capitals are left alone: an acronym with another letter is another acronym. So are parts of a word,
    such as the two of "can't".
    """
    fit = (tokens["end"] - tokens["start"]).is_between(2, _LONGEST)
    if variant in _TAGS:
        fit &= tokens["tag"].is_in(_TAGS[variant]).fill_null(value=False)
    places = fit.arg_true()
    places = places.filter(tokens["token"].gather(places).str.contains(_WORD))
    return tokens[_drop_parts_of_words(tokens, places.to_numpy().astype(np.int64))]


def _drop_parts_of_words(tokens: pl.DataFrame, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Drop tokens that are joined to letters or digits of a neighbouring token."""
    rows, starts, ends = (tokens[name].to_numpy() for name in ("row", "start", "end"))
    part = np.zeros(len(places), dtype=bool)
    for step, pattern in ((1, _GOES_ON), (-1, _WENT_ON)):
        near = np.clip(places + step, 0, len(rows) - 1)
        touches = starts[near] == ends[places] if step > 0 else ends[near] == starts[places]
        joined = np.flatnonzero((rows[near] == rows[places]) & touches)
        inside = tokens["token"].gather(near[joined]).str.contains(pattern)
        part[joined[inside.to_numpy()]] = True
    return places[~part]


class WordMisspellings(NamedTuple):
    """Misspellings of some words: operations by number, letters by place, and the new words; empty ones are none."""

    operation: NDArray[np.int64]
    position: NDArray[np.int64]
    new: NDArray[np.object_]

    def select(self, places: NDArray[np.int64]) -> WordMisspellings:
        """Select some of them."""
        return WordMisspellings(self.operation[places], self.position[places], self.new[places])


def choose_misspellings(
    words: pl.DataFrame, drawn: NDArray[np.uint64], variant: Variant, *, avoid: bool
) -> pl.DataFrame:
    """Choose one of the candidates of each text, and a misspelling of it; texts without any are left out.

    `drawn` has a number for each text. Of the candidates that have a misspelling, the one with the highest draw is
    taken; most have one, so it is tried before the others.
    """
    rows = words["row"].to_numpy()
    weights = derive_numbers(drawn[rows], words["number"].to_numpy())
    left, tables = np.arange(len(rows)), []
    for attempt in range(_QUICK + 1):
        tried = left[_find_highest_per_row(rows[left], weights[left])] if attempt < _QUICK else left
        slips = _misspell_words(words["token"].gather(tried), weights[tried], variant, avoid=avoid)
        able = np.flatnonzero(slips.new != "")
        able = able[_find_highest_per_row(rows[tried[able]], weights[tried[able]])]
        tables.append(_make_edit_columns(words[tried[able]], slips.select(able)))
        left = np.setdiff1d(left[~np.isin(rows[left], rows[tried[able]])], tried)
        if not len(left):
            break
    return pl.concat(tables).sort("row")


def _find_highest_per_row(rows: NDArray[np.uint32], weights: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the index of the highest weight of each row; rows must be sorted, ties go to the first."""
    starts = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]][: len(rows)])
    if not len(starts):
        return starts
    lengths = np.diff(np.r_[starts, len(rows)])
    top = np.flatnonzero(weights == np.repeat(np.maximum.reduceat(weights, starts), lengths))
    return top[np.r_[True, rows[top][1:] != rows[top][:-1]]]


def _misspell_words(
    words: pl.Series, weights: NDArray[np.uint64], variant: Variant, *, avoid: bool
) -> WordMisspellings:
    """Draw a misspelling of each word, where it has one.

    A place of each word is drawn first. Where that gives none, a further draw picks from the list of all that there
    are: so each has the same chance, and few words need a list.
    """
    slips = WordMisspellings(
        _choose_operations(weights, variant),
        np.zeros(len(words), dtype=np.int64),
        np.full(len(words), "", dtype=object),
    )
    left = np.arange(len(words))
    for number in range(1, 1 + _QUICK):
        if len(left):
            by_keyboard, draw = slips.operation[left] == 1, derive_numbers(weights[left], number)
            slips.position[left], misspelt = draw_misspellings(
                words.gather(left).to_list(), by_keyboard, draw
            )
            slips.new[left] = _blank_real_words(misspelt) if avoid else misspelt
            left = left[slips.new[left] == ""]
    _fill_missing_misspellings(words, slips, left, weights, variant, avoid=avoid)
    return slips


def _choose_operations(weights: NDArray[np.uint64], variant: Variant) -> NDArray[np.int64]:
    """Number the operation for each word: that of the variant, or either by draw for content and function words."""
    if variant in OPERATIONS:
        return np.full(len(weights), OPERATIONS.index(variant))
    return scale_to_range(derive_numbers(weights, 0), len(OPERATIONS))


def _blank_real_words(misspelt: list[str]) -> list[str]:
    return ["" if real else new for new, real in zip(misspelt, are_words_or_names(misspelt), strict=True)]


def _fill_missing_misspellings(
    words: pl.Series,
    slips: WordMisspellings,
    left: NDArray[np.int64],
    weights: NDArray[np.uint64],
    variant: Variant,
    *,
    avoid: bool,
) -> None:
    """Fill in the misspellings of some words from lists; the other operation serves where the first has none."""
    picks = (derive_numbers(weights[left], 1 + _QUICK) >> np.uint64(32)).tolist()
    for place, pick in zip(left.tolist(), picks, strict=True):
        first = int(slips.operation[place])
        for operation in [first] if variant in OPERATIONS else [first, 1 - first]:
            options = _list_usable_misspellings(words[place], OPERATIONS[operation], avoid)
            if options:
                slips.operation[place] = operation
                slips.position[place], slips.new[place] = options[pick * len(options) >> 32]
                break


@lru_cache(maxsize=65_536)
def _list_usable_misspellings(word: str, operation: Operation, avoid: bool) -> tuple[tuple[int, str], ...]:
    candidates = list_misspellings(word, operation)
    real = are_words_or_names([new for _, new in candidates]) if avoid else [False] * len(candidates)
    return tuple(one for one, no in zip(candidates, real, strict=True) if not no)


def _make_edit_columns(words: pl.DataFrame, slips: WordMisspellings) -> pl.DataFrame:
    """Return the choices as columns."""
    new = slips.new.tolist()
    return words.select(
        "row",
        pl.Series("operation", np.array(OPERATIONS)[slips.operation], dtype=pl.String),
        pl.col("token").alias("word"),
        pl.Series("misspelling", new, dtype=pl.String),
        pl.Series("position", slips.position, dtype=pl.Int64),
        pl.col("tag").alias("word_tag"),
        pl.col("start").alias("edit_at"),
        pl.col("token").alias("edit_from"),
        pl.Series("edit_to", new, dtype=pl.String),
    )
