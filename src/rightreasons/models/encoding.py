"""Pairs as token ids: encoded in bulk, the hypothesis never cut, long premises cut or split into windows.

The tokenizer always gets premise and hypothesis as two texts, so that each architecture joins them in its own way.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.models.loading import first_line, is_failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray
    from tokenizers import Encoding, Tokenizer

    from rightreasons.core.parts import Rows


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
            row_ids, row_types = _to_array(encoding)
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


def _to_array(encoding: Encoding) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
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


WASTE = 0.03  # of a full batch, the most that may be padding
REPAID = 50  # a job must be so many times the trial of its batch sizes
BETTER = 1.03  # a batch size must be so much faster than the usual one to be preferred
_TRIES = 2  # the first time that a shape is seen, memory is laid out for it


@dataclass(frozen=True)
class Limit:
    """How much goes into a batch: tokens, padding among them, or pairs; one pair always does."""

    tokens: int | None = None
    pairs: int | None = None

    def room(self, length: int) -> int:
        """Count the tokens of a full batch whose longest row has that many."""
        return self.tokens or (self.pairs or 1) * length


def deal(lengths: NDArray[np.int64], rows: NDArray[np.int64], limit: Limit) -> list[Rows]:
    """Deal pairs into batches by the length of each pair's longest row, and by how many rows it has.

    The longest come first, so that memory that doesn't suffice is found out at once.
    """
    order = np.argsort(-lengths, kind="stable")
    sizes, widths = lengths[order], rows[order]
    batches: list[Rows] = []
    start = 0
    while start < len(order):
        stop = start + _fitting(sizes[start:], widths[start:], limit)
        batches.append(order[start:stop])
        start = stop
    return batches


def deal_both(lengths: NDArray[np.int64], limit: Limit) -> list[Rows]:
    """Deal pairs into batches in which premises are about as long, and hypotheses, too: each side is padded by itself.

    `lengths` has a column for each side (pairs, 2). About the longest come first, as in `deal`.
    """
    order = np.argsort(-interleaved(lengths), kind="stable")
    batches: list[Rows] = []
    start = premise = hypothesis = 0
    for place, (first, second) in enumerate(lengths[order].tolist()):
        premise, hypothesis = max(premise, first), max(hypothesis, second)
        pairs = place + 1 - start
        if pairs > 1 and pairs * (premise + hypothesis) > limit.room(premise + hypothesis):
            batches.append(order[start:place])
            start, premise, hypothesis = place, first, second
    return [*batches, order[start:]] if len(order) else []


def interleaved(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Make one number of two, bit by bit in turn: numbers that are near each other have both lengths alike."""
    key = np.zeros(len(lengths), dtype=np.int64)
    for bit in range(int(lengths.max(initial=1)).bit_length()):
        first, second = (lengths >> bit & 1).T
        key |= (first << 2 * bit + 1) | (second << 2 * bit)
    return key


def _fitting(sizes: NDArray[np.int64], widths: NDArray[np.int64], limit: Limit) -> int:
    """Count the pairs of the next batch, of pairs that are sorted from the longest."""
    longest = int(sizes[0])
    room = limit.room(longest)
    near = slice(0, limit.pairs or max(1, room // longest))
    area = np.cumsum(widths[near]) * longest
    padding = area - np.cumsum(widths[near] * sizes[near])
    fits = padding <= WASTE * room
    if limit.tokens:
        fits &= area <= room
    return max(1, int(fits.sum()))


def best_tokens(
    usual: int, others: Sequence[int], lengths: NDArray[np.int64], ask: Callable[[NDArray[np.int64]], object]
) -> int:
    """Find how many tokens a batch should have, by a short trial if the job is large enough to repay it.

    Args:
        usual: taken where there is no trial.
        others: to be tried beside the usual one.
        lengths: of all rows of the job.
        ask: answers some rows; the trial asks about rows of the middle length.
    """
    sizes = (usual, *others)
    if not others or int(lengths.sum()) < REPAID * _TRIES * sum(sizes):
        return usual
    order = np.argsort(lengths, kind="stable")
    middle = int(lengths[order[len(order) // 2]])
    rates = {size: _rate(order, max(1, size // middle), ask) for size in sizes}
    best = max(rates, key=lambda size: rates[size])
    return best if rates[best] > BETTER * rates[usual] else usual


def _rate(order: NDArray[np.int64], rows: int, ask: Callable[[NDArray[np.int64]], object]) -> float:
    """Measure rows a second on the rows in the middle; a batch that memory doesn't hold has none."""
    start = max(0, (len(order) - rows) // 2)
    batch = order[start : start + rows]
    seconds = []
    for _ in range(_TRIES):
        begin = time.perf_counter()
        try:
            ask(batch)
        except MemoryError:
            return 0.0
        seconds.append(time.perf_counter() - begin)
    return len(batch) / min(seconds)
