"""The released HANS files as numbers: the sub-variant and the rank of each of their 60,000 pairs.

The file holds a line of JSON (the sub-variants' names and bit widths, the rows of each split), then, for each split,
the sub-variant of each row, compressed, and the ranks of each sub-variant in turn, in just the bits that they need.
"""

from __future__ import annotations

import json
import lzma
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.core.resources import DATA_FOLDER
from rightreasons.templates.premise_splits import ReservedPremises

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from rightreasons.templates.grammar import Grammar

FILE = DATA_FOLDER / "hans_released.ranks"
_RANK_BITS = 40


def pack_ranks(splits: Mapping[str, tuple[NDArray[np.int16], NDArray[np.int64]]], grammar: Grammar) -> bytes:
    """Encode the sub-variants and ranks of both released files."""
    names = [variant.name for variant in grammar.variants]
    widths = [max(1, (variant.space.count - 1).bit_length()) for variant in grammar.variants]
    bodies, sections = [], {}
    for split, (numbers, ranks) in splits.items():
        ids = lzma.compress(
            numbers.astype(np.uint8).tobytes(), format=lzma.FORMAT_XZ, preset=9 | lzma.PRESET_EXTREME
        )
        bits = [_encode_bits(ranks[numbers == number], width) for number, width in enumerate(widths)]
        packed = np.packbits(np.concatenate(bits)).tobytes()
        sections[split] = {"rows": len(numbers), "ids": len(ids), "ranks": len(packed)}
        bodies += [ids, packed]
    head = {
        "set": "hans",
        "version": grammar.document.version,
        "variants": names,
        "widths": widths,
        "splits": sections,
    }
    return json.dumps(head, separators=(",", ":")).encode() + b"\n" + b"".join(bodies)


@lru_cache(maxsize=1)
def _read_ranks_file() -> tuple[dict[str, Any], bytes]:
    text, _, body = FILE.read_bytes().partition(b"\n")
    return json.loads(text), body


@lru_cache(maxsize=2)
def load_ranks(split: str) -> tuple[tuple[str, ...], NDArray[np.int16], NDArray[np.int64]]:
    """Return the sub-variants' names and, for each row of a released file, its sub-variant and its rank."""
    head, body = _read_ranks_file()
    if split not in head["splits"]:
        raise InputError(f"Unknown split {split!r}. Use eval or train.")
    start = 0
    for name, section in head["splits"].items():
        if name == split:
            break
        start += section["ids"] + section["ranks"]
    middle = start + section["ids"]
    numbers = np.frombuffer(lzma.decompress(body[start:middle]), dtype=np.uint8).astype(np.int16)
    order = np.argsort(numbers, kind="stable")
    widths = np.array(head["widths"])[numbers[order]]
    ranks = np.empty(len(numbers), dtype=np.int64)
    ranks[order] = _unpack_numbers(body[middle : middle + section["ranks"]], widths)
    return tuple(head["variants"]), numbers, ranks


def _unpack_numbers(packed: bytes, widths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Read numbers of the given widths in bits, one behind the other."""
    ends = np.cumsum(widths)
    starts = ends - widths
    window = np.frombuffer(packed + bytes(8), dtype=np.uint8)[(starts >> 3)[:, None] + np.arange(8)]
    words = np.ascontiguousarray(window).view(">u8").ravel().astype(np.uint64)
    words >>= (64 - (starts & 7) - widths).astype(np.uint64)
    return (words & ((np.uint64(1) << widths.astype(np.uint64)) - np.uint64(1))).astype(np.int64)


@lru_cache(maxsize=4)
def reserve_released_premises(grammar: Grammar) -> dict[str, ReservedPremises]:
    """Return, by frame, the premises of the released files, so that models trained on them can be tested on our sets.

    A premise that both files have belongs to evaluation.
    """
    first, last = (_list_released_premises(grammar, split) for split in ("eval", "train"))
    at = np.minimum(np.searchsorted(first, last), len(first) - 1)
    last = last[first[at] != last]
    frames = list(grammar.frames)
    starts = np.arange(len(frames) + 1) << _RANK_BITS
    edges = [np.searchsorted(keys, starts) for keys in (first, last)]
    reserved = {}
    for number, frame in enumerate(frames):
        parts = [
            keys[edge[number] : edge[number + 1]] for keys, edge in zip((first, last), edges, strict=True)
        ]
        reserved[frame] = ReservedPremises(*(part - starts[number] for part in parts))
    return reserved


def _list_released_premises(grammar: Grammar, split: str) -> NDArray[np.int64]:
    """Return the premises of a released file, sorted: the number of the frame above the rank."""
    names, numbers, ranks = load_ranks(split)
    place = {frame: number for number, frame in enumerate(grammar.frames)}
    frame_of = np.array([place[grammar.by_name[name].frame] for name in names])
    keys = np.sort((frame_of[numbers] << _RANK_BITS) + ranks)
    return keys[np.flatnonzero(np.diff(keys, prepend=-1))]


def _encode_bits(values: NDArray[np.int64], width: int) -> NDArray[np.uint8]:
    shifts = np.arange(width - 1, -1, -1, dtype=np.int64)
    return ((values[:, None] >> shifts) & 1).astype(np.uint8).ravel()
