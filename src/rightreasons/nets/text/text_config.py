"""How a network reads words: case, marks, limits, and unknown words.

Each network reads as the code of its paper did, except for its mistakes, which only `literal` reproduces.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, get_args

from rightreasons.core.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# What becomes of a word outside the training pairs:
# zero     a vector of zeros
# random   one random vector, shared by all of them
# delete   it keeps its vector; without a vector it is removed from the sentence
# look-up  it keeps its vector; without a vector it is one random vector, shared by all of them
Unknown = Literal["zero", "random", "delete", "look-up"]
MAX_LETTERS = 1_000  # of a word
# No sentence of MultiNLI or SNLI has that many words. One of 30,000 would pad its whole batch.
LONGEST_PAIR = 500
NULL, BEGIN, END, UNKNOWN_TOKEN = "<null>", "<s>", "</s>", "<unknown>"
_NUMERAL = re.compile(r"[+-]?[.,]?\d+(?:[.,:/]\d+)*")


@dataclass(frozen=True)
class TextConfig:
    """How words are read; stored in the model folder."""

    unknown: Unknown
    lower: bool = False  # all words in lower case
    other_case: bool = True  # a word without a vector is looked up in lower, then in upper case
    null: bool = False  # a null token ends each sentence
    markers: bool = False  # begin and end tokens around each sentence
    numerals: bool = True  # numerals are words; if not, all are unknown
    draws: bool = True  # training words without a vector get a random one; if not, they are unknown
    letters: int = 0  # maximum number of letters read of each word
    spells_unknown: bool = True  # unknown words are spelled as they are; if not, as the unknown token
    longest: int | None = None  # maximum number of words; the rest is cut off
    longest_in_training: int | None = None  # the same for training pairs
    left_out_beyond: int | None = None  # training pairs with a longer sentence are left out
    forest: bool = False  # words come from parses

    def __post_init__(self) -> None:
        """Refuse impossible values."""
        if self.unknown not in get_args(Unknown):
            raise UnknownNameError("treatment of unknown words", str(self.unknown), get_args(Unknown))
        limits = {field.name: getattr(self, field.name) for field in fields(self) if "long" in field.name}
        for name, value in {**limits, "left_out_beyond": self.left_out_beyond}.items():
            if value is not None and (type(value) is not int or value < 1):
                raise InputError(f"The option {name} is {value!r}. Use an integer of at least 1.")
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(field.default, bool) and not isinstance(value, bool):
                raise InputError(f"The option {field.name} is {value!r}. Use true or false.")
        if type(self.letters) is not int or not 0 <= self.letters <= MAX_LETTERS:
            raise InputError(
                f"The option letters is {self.letters!r}. Use an integer from 0 (reads no letters) to {MAX_LETTERS:,}."
            )
        if self.forest and (self.unknown == "delete" or any(limits.values()) or self.null or self.markers):
            raise InputError(
                "A network that reads parses reads exactly the words of the parses. "
                "Don't use unknown=delete, length limits, markers or null."
            )

    @property
    def keeps_further_vectors(self) -> bool:
        """Return whether words outside the training pairs keep their vectors."""
        return self.unknown in ("delete", "look-up")

    @property
    def special_tokens(self) -> tuple[str, ...]:
        """List the special tokens."""
        return (*((BEGIN, END) if self.markers else ()), *((NULL,) if self.null else ()))

    def normalize_words(self, words: Sequence[str]) -> list[str]:
        """Return words as they are looked up."""
        return [word.lower() for word in words] if self.lower else list(words)

    def is_always_unknown(self, word: str) -> bool:
        """Return whether a word is unknown whatever the training pairs are."""
        return not self.numerals and _NUMERAL.fullmatch(word) is not None

    def list_lookup_forms(self, word: str) -> tuple[str, ...]:
        """List the forms of a word in the order of lookup."""
        return (word, word.lower(), word.upper()) if self.other_case else (word,)

    def facts(self) -> dict[str, Any]:
        """Return all fields as JSON values."""
        return asdict(self)


def parse_text_config(facts: Mapping[str, Any]) -> TextConfig:
    """Make a configuration from JSON values, such as those in a model folder."""
    known = [field.name for field in fields(TextConfig)]
    for name in facts:
        if name not in known:
            raise UnknownNameError("text option", name, known)
    return TextConfig(**facts)
