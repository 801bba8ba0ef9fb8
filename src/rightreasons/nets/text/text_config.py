"""How a network reads words: case, marks, limits, and what becomes of words that it doesn't know.

Each network reads as its paper's code did, save what that code did by mistake: that is read only with `literal`.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from rightreasons.core.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Unknown = Literal["zero", "random", "delete", "look-up"]
UNKNOWN_WORDS: dict[Unknown, str] = {
    "zero": "a word outside the training pairs is a vector of zeros",
    "random": "a word outside the training pairs is one random vector, the same for all of them",
    "delete": "a word outside the training pairs keeps its vector; one without a vector is left out of the sentence",
    "look-up": "a word outside the training pairs keeps its vector; one without a vector is one random vector",
}
MOST_LETTERS = 1_000  # of a word
NULL, BEGIN, END, UNKNOWN_MARK = "<null>", "<s>", "</s>", "<unknown>"
_NUMERAL = re.compile(r"[+-]?[.,]?\d+(?:[.,:/]\d+)*")


@dataclass(frozen=True)
class Reading:
    """How words are read; a model's folder keeps it."""

    unknown: Unknown
    lower: bool = False  # all words in lower case
    other_case: bool = (
        True  # a word that is not known as it is written is looked up in lower, then in upper case
    )
    null: bool = False  # a word that stands for nothing ends each sentence
    markers: bool = False  # marks at the beginning and the end of each sentence
    numerals: bool = True  # numerals are words like others; if not, all are unknown
    draws: bool = True  # training words without a vector get one at random; if not, they are unknown as well
    letters: int = 0  # letters that are read of each word, at most
    spells_unknown: bool = True  # unknown words are spelled as they are; if not, as the mark of the unknown
    longest: int | None = None  # words of a sentence, beyond which it is cut
    longest_in_training: int | None = None  # the same for training pairs
    left_out_beyond: int | None = None  # training pairs with a sentence of more words are left out
    forest: bool = False  # words come from parses

    def __post_init__(self) -> None:
        """Refuse what can't be."""
        if self.unknown not in get_args(Unknown):
            raise UnknownNameError("way with unknown words", str(self.unknown), get_args(Unknown))
        limits = {field.name: getattr(self, field.name) for field in fields(self) if "long" in field.name}
        for name, value in {**limits, "left_out_beyond": self.left_out_beyond}.items():
            if value is not None and (type(value) is not int or value < 1):
                raise InputError(f"The option {name} can't be {value!r}. Give a number of at least 1.")
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(field.default, bool) and not isinstance(value, bool):
                raise InputError(f"The option {field.name} can't be {value!r}. Give true or false.")
        if type(self.letters) is not int or not 0 <= self.letters <= MOST_LETTERS:
            raise InputError(
                f"The option letters can't be {self.letters!r}. Give a number up to {MOST_LETTERS:,}, 0 for none."
            )
        if self.forest and (self.unknown == "delete" or any(limits.values()) or self.null or self.markers):
            raise InputError(
                "A network that reads parses reads all of their words and no others. "
                "Choose another way with unknown words, and no limits, marks or word for nothing."
            )

    @property
    def keeps_vectors(self) -> bool:
        """Tell whether words outside the training pairs keep their vectors."""
        return self.unknown in ("delete", "look-up")

    @property
    def marks(self) -> tuple[str, ...]:
        """List the words that are no words of texts."""
        return (*((BEGIN, END) if self.markers else ()), *((NULL,) if self.null else ()))

    def spelled(self, words: Sequence[str]) -> list[str]:
        """Write words as they are looked up."""
        return [word.lower() for word in words] if self.lower else list(words)

    def is_unreadable(self, word: str) -> bool:
        """Tell words that are unknown whatever the training pairs hold."""
        return not self.numerals and _NUMERAL.fullmatch(word) is not None

    def forms(self, word: str) -> tuple[str, ...]:
        """List the forms of a word, in the order in which they are looked up."""
        return (word, word.lower(), word.upper()) if self.other_case else (word,)

    def facts(self) -> dict[str, Any]:
        """Give all fields, as JSON values."""
        return asdict(self)


def reading_of(net: str, *, literal: bool = False, **changes: Any) -> Reading:
    """Say how a network reads; what is changed must be a field of Reading."""
    if net not in READINGS:
        raise UnknownNameError("network", net, READINGS)
    chosen = replace(READINGS[net], **(_LITERAL.get(net, {}) if literal else {}))
    return read_facts({**chosen.facts(), **changes})


def reads_literally(net: str) -> bool:
    """Tell whether a network's code read words otherwise than the paper says."""
    return net in _LITERAL


def read_facts(facts: Mapping[str, Any]) -> Reading:
    """Make a reading of its facts."""
    known = [field.name for field in fields(Reading)]
    for name in facts:
        if name not in known:
            raise UnknownNameError("way of reading words", name, known)
    return Reading(**facts)


# No pair of MultiNLI or SNLI is that long. One of 30,000 words would pad its whole batch.
_GUARD = 500
READINGS: dict[str, Reading] = {
    "da": Reading("random", lower=True, null=True, left_out_beyond=_GUARD),
    "esim": Reading("random", lower=True, left_out_beyond=_GUARD),
    "spinn": Reading("look-up", forest=True, left_out_beyond=50),
    "nb": Reading("look-up", longest=150, longest_in_training=60),
    "ch": Reading("random", markers=True, letters=24, longest=450, longest_in_training=450),
    "rc": Reading("random", lower=True, left_out_beyond=200),
    "infersent": Reading("delete", markers=True, left_out_beyond=_GUARD),
    "bilstm": Reading("zero", left_out_beyond=_GUARD),
    "cbow": Reading("zero", left_out_beyond=_GUARD),
    "jiant": Reading("look-up", left_out_beyond=_GUARD),
}
_AT_50 = {"longest": 50, "longest_in_training": 50}
_LITERAL: dict[str, dict[str, Any]] = {
    "rc": {"numerals": False},
    "ch": {"spells_unknown": False},
    "infersent": {"draws": False},
    "bilstm": _AT_50,
    "cbow": _AT_50,
    "jiant": {"longest": 40, "longest_in_training": 40},
}
