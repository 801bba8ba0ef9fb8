"""Pairs as token ids: encoded in bulk, the hypothesis never cut, long premises cut or split into windows.

The tokenizer always gets premise and hypothesis as two texts, so that each architecture joins them in its own way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.models.failures import first_line, is_failure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from tokenizers import Encoding, Tokenizer

Numbers: TypeAlias = "NDArray[np.int64]"
Long = Literal["cut", "window-max", "window-mean"]

# What is encoded at a time: enough for all cores, little enough for memory. A token takes about 200 bytes.
_CHUNK_PAIRS = 4096
_CHUNK_CHARACTERS = 1 << 20


@dataclass(frozen=True)
class EncodedPairs:
    """Rows of token ids, laid end to end; a pair has one row, or several where its premise was split."""

    ids: NDArray[np.int32]
    types: NDArray[np.uint8]
    starts: Numbers  # row i is ids[starts[i] : starts[i + 1]]
    owners: Numbers  # the pair that each row belongs to, rising
    long: NDArray[np.bool_]  # by pair: the premise did not fit
    refused: Numbers  # pairs whose hypothesis alone leaves no room for a premise: they have no row

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.owners)

    @property
    def lengths(self) -> Numbers:
        """Count the tokens of each row."""
        return np.diff(self.starts)

    def padded(self, rows: Numbers, pad: int) -> tuple[Numbers, Numbers, Numbers]:
        """Lay rows side by side up to the longest of them: ids, types, and where tokens are."""
        lengths = self.lengths[rows]
        columns = np.arange(lengths.max())
        there = columns < lengths[:, None]
        places = np.where(there, self.starts[rows][:, None] + columns, 0)
        return (
            np.where(there, self.ids[places].astype(np.int64), pad),
            np.where(there, self.types[places].astype(np.int64), 0),
            there.astype(np.int64),
        )


def encode(
    tokenizer: Tokenizer,
    premises: Sequence[str],
    hypotheses: Sequence[str],
    max_length: int,
    long: Long = "cut",
) -> EncodedPairs:
    """Encode pairs; what doesn't fit into `max_length` tokens is taken from the premise alone."""
    tokenizer.no_truncation()
    tokenizer.no_padding()
    ids: list[NDArray[np.int32]] = []
    types: list[NDArray[np.uint8]] = []
    owners: list[int] = []
    refused: list[int] = []
    is_long = np.zeros(len(premises), dtype=bool)
    for start, stop in _chunks([*map(len, premises)], [*map(len, hypotheses)]):
        texts = list(zip(premises[start:stop], hypotheses[start:stop], strict=True))
        for pair, encoding in enumerate(encode_texts(tokenizer, texts), start):
            is_long[pair] = len(encoding.ids) > max_length
            rows = _rows(encoding, max_length, long) if is_long[pair] else [slice(None)]
            if not rows:
                refused.append(pair)
                continue
            row_ids, row_types = _numbers(encoding)
            ids += [row_ids[row] for row in rows]
            types += [row_types[row] for row in rows]
            owners += [pair] * len(rows)
    return EncodedPairs(
        ids=np.concatenate(ids or [np.empty(0, dtype=np.int32)]),
        types=np.concatenate(types or [np.empty(0, dtype=np.uint8)]),
        starts=np.cumsum([0, *map(len, ids)]),
        owners=np.array(owners, dtype=np.int64),
        long=is_long,
        refused=np.array(refused, dtype=np.int64),
    )


def _chunks(*lengths: list[int]) -> Iterator[tuple[int, int]]:
    """Cut the pairs into chunks of so many pairs and characters; a longer pair is a chunk of its own."""
    start = size = 0
    for pair, characters in enumerate(map(sum, zip(*lengths, strict=True))):
        if pair > start and (pair - start == _CHUNK_PAIRS or size + characters > _CHUNK_CHARACTERS):
            yield start, pair
            start, size = pair, 0
        size += characters
    if start < len(lengths[0]):
        yield start, len(lengths[0])


def encode_texts(tokenizer: Tokenizer, texts: Sequence[tuple[str, str]]) -> list[Encoding]:
    """Have the tokenizer encode pairs; one whose settings don't fit together fails only now."""
    try:
        return tokenizer.encode_batch(list(texts))
    except BaseException as error:
        if not is_failure(error):
            raise
        raise InputError(
            f"The model's tokenizer can't encode a text: {first_line(error)}. Save its tokenizer.json again."
        ) from error


def _numbers(encoding: Encoding) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    try:
        return np.array(encoding.ids, dtype=np.int32), np.array(encoding.type_ids, dtype=np.uint8)
    except OverflowError as error:
        raise InputError(
            f"The model's tokenizer numbers its tokens or texts beyond any table: {error}. "
            "Save its tokenizer.json again."
        ) from error


def _rows(encoding: Encoding, max_length: int, long: Long) -> list[Numbers]:
    """Choose the tokens of each row of a pair that is too long; none where no premise token would fit."""
    sequences = np.array([-1 if part is None else part for part in encoding.sequence_ids])
    premise = np.flatnonzero(sequences == 0)
    others = np.flatnonzero(sequences != 0)
    room = max_length - len(others)
    if room < 1:
        return []
    if long == "cut":
        windows = [premise[:room]]
    else:  # windows overlap by a half, so that no sentence shorter than that is torn in all of them
        step = max(1, room // 2)
        last = len(premise) - room
        windows = [premise[at : at + room] for at in [*range(0, last, step), last]]
    return [np.sort(np.concatenate([window, others])) for window in windows]
