"""The trained weights of the tagger, read from their file and laid out as tables of whole numbers.

The file is compressed JSON. A group of weights has keys (names, one a line, or numbers in rising order as steps from
one to the next), for each key how many tags it has weights for, then all those tags and weights, one key after the
other. These numbers are written as one character each, since long lists are slow to read. Whole numbers add up alike
on every machine.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Table = NDArray[np.int16]

NAME = "tagger.json.gz"
MOST = 900  # the largest weight, either way
ZERO = 1000  # the character that stands for 0
UNKNOWN = 0  # the kind of words that fall into none


@dataclass(frozen=True)
class WeightLookup:
    """A table with numbers as keys, in rising order; its row 0 is empty."""

    keys: NDArray[np.int64]
    table: Table

    def rows(self, wanted: NDArray[np.int64]) -> Table:
        """Return the weights of each key; unknown keys weigh nothing."""
        places = np.searchsorted(self.keys, wanted)
        places[np.take(self.keys, places, mode="clip") != wanted] = -1
        return self.table[places + 1]

    def index(self, size: int) -> NDArray[np.int32]:
        """Return the row of every key below a size, for lookup by index instead of search."""
        rows = np.zeros(size, dtype=np.int32)
        rows[self.keys] = np.arange(1, self.keys.size + 1)
        return rows


@dataclass(frozen=True)
class Weights:
    """All that was learnt: names with their numbers, the tags of words known well, and the tables."""

    tags: list[str]
    kinds: dict[str, int]
    allowed: dict[str, list[int]]
    views: dict[str, int]
    spelling: Table
    left_word: WeightLookup
    word_right: WeightLookup
    left_right: WeightLookup
    two_tags: WeightLookup
    tag_word: WeightLookup
    tag_right: WeightLookup


@lru_cache(maxsize=1)
def load_weights() -> Weights:
    """Read the weights that come with the package."""
    packed = files("rightreasons").joinpath("data", "language", NAME).read_bytes()
    return build_weight_tables(json.loads(gzip.decompress(packed)))


def build_weight_tables(saved: dict[str, Any]) -> Weights:
    """Make the tables from what the file holds."""
    groups, tags = saved["groups"], saved["tags"]
    lookups = {
        name: WeightLookup(np.cumsum(group["keys"], dtype=np.int64), _build_weight_table(group, len(tags)))
        for name, group in groups.items()
        if name != "spelling"
    }
    return Weights(
        tags,
        {kind: number for number, kind in enumerate(saved["kinds"])},
        saved["allowed"],
        {name: number for number, name in enumerate(groups["spelling"]["keys"].split("\n"), start=1)},
        _build_weight_table(groups["spelling"], len(tags)),
        **lookups,
    )


def pack_numbers(numbers: NDArray[np.int64]) -> str:
    """Write numbers from -MOST to MOST, one character each."""
    return (numbers + ZERO).astype("<u2").tobytes().decode("utf-16-le")


def unpack_numbers(text: str) -> NDArray[np.int64]:
    """Read numbers that were written one character each."""
    return np.frombuffer(text.encode("utf-16-le"), dtype="<u2").astype(np.int64) - ZERO


def _build_weight_table(group: dict[str, Any], tags: int) -> Table:
    """Spread the weights of a group over one row for each key, after an empty row."""
    sizes = unpack_numbers(group["sizes"])
    table = np.zeros((sizes.size + 1, tags), dtype=np.int16)
    rows = np.repeat(np.arange(1, sizes.size + 1), sizes)
    table[rows, unpack_numbers(group["tags"])] = unpack_numbers(group["weights"])
    return table
