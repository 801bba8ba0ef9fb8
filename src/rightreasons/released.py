"""The released HANS files as numbers: the sub-variant and the rank of each of their 60,000 pairs.

The file holds a line of JSON (the sub-variants' names and bit widths, the rows of each split), then, for each split,
the sub-variant of each row, compressed, and the ranks of each sub-variant in turn, in just the bits that they need.
"""

from __future__ import annotations

import json
import lzma
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rightreasons.errors import InputError
from rightreasons.templates.plan import Reserved

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from rightreasons.templates.grammar import Grammar

FILE = Path(__file__).parent / "data" / "hans_released.ranks"


def pack(splits: Mapping[str, tuple[NDArray[np.int16], NDArray[np.int64]]], grammar: Grammar) -> bytes:
    """Put the sub-variants and ranks of both released files into bytes."""
    names = [variant.name for variant in grammar.variants]
    widths = [max(1, (variant.space.count - 1).bit_length()) for variant in grammar.variants]
    bodies, sections = [], {}
    for split, (numbers, ranks) in splits.items():
        ids = lzma.compress(
            numbers.astype(np.uint8).tobytes(), format=lzma.FORMAT_XZ, preset=9 | lzma.PRESET_EXTREME
        )
        bits = [_bits(ranks[numbers == number], width) for number, width in enumerate(widths)]
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
def _head() -> tuple[dict[str, Any], bytes]:
    text, _, body = FILE.read_bytes().partition(b"\n")
    return json.loads(text), body


@lru_cache(maxsize=2)
def ranks(split: str) -> tuple[tuple[str, ...], NDArray[np.int16], NDArray[np.int64]]:
    """Return the sub-variants' names and, for each row of a released file, its sub-variant and its rank."""
    head, body = _head()
    if split not in head["splits"]:
        raise InputError(f"There is no split {split!r}. Use eval or train.")
    start = 0
    for name, section in head["splits"].items():
        if name == split:
            break
        start += section["ids"] + section["ranks"]
    middle = start + section["ids"]
    numbers = np.frombuffer(lzma.decompress(body[start:middle]), dtype=np.uint8).astype(np.int16)
    bits = np.unpackbits(np.frombuffer(body[middle : middle + section["ranks"]], dtype=np.uint8))
    found = np.empty(len(numbers), dtype=np.int64)
    order = np.argsort(numbers, kind="stable")
    counts = np.bincount(numbers, minlength=len(head["widths"]))
    row = bit = 0
    for count, width in zip(counts, head["widths"], strict=True):
        part = bits[bit : bit + count * width].reshape(count, width)
        found[order[row : row + count]] = part @ (1 << np.arange(width - 1, -1, -1, dtype=np.int64))
        row, bit = row + count, bit + count * width
    return tuple(head["variants"]), numbers, found


@lru_cache(maxsize=4)
def reserved(grammar: Grammar) -> dict[str, Reserved]:
    """Return, by frame, the premises of the released files: whoever trains on one may test on our evaluation sets.

    A premise that both files have belongs to evaluation.
    """
    by_split = {split: _premises(grammar, split) for split in ("eval", "train")}
    nothing = np.empty(0, dtype=np.int64)
    found = {}
    for frame in {**by_split["eval"], **by_split["train"]}:
        first, last = (by_split[split].get(frame, nothing) for split in ("eval", "train"))
        found[frame] = Reserved(first, np.setdiff1d(last, first, assume_unique=True))
    return found


def _premises(grammar: Grammar, split: str) -> dict[str, NDArray[np.int64]]:
    """Return the sorted ranks of the premises of a released file, by frame."""
    names, numbers, found = ranks(split)
    frames: dict[str, list[NDArray[np.int64]]] = {}
    order = np.argsort(numbers, kind="stable")
    bounds = np.searchsorted(numbers[order], np.arange(len(names) + 1))
    for number in np.flatnonzero(np.diff(bounds)):
        mine = found[order[bounds[number] : bounds[number + 1]]]
        frames.setdefault(grammar.by_name[names[number]].frame, []).append(mine)
    return {frame: np.unique(np.concatenate(parts)) for frame, parts in frames.items()}


def _bits(values: NDArray[np.int64], width: int) -> NDArray[np.uint8]:
    shifts = np.arange(width - 1, -1, -1, dtype=np.int64)
    return ((values[:, None] >> shifts) & 1).astype(np.uint8).ravel()
