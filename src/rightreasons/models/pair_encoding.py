"""Pairs as token ids: encoded in bulk; hypotheses are never cut, long premises are cut or split into windows.

The tokenizer always gets premise and hypothesis as two texts, so that each architecture joins them in its own way.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.models.library_errors import is_code_failure, summarize_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray
    from tokenizers import Encoding, Tokenizer

    from rightreasons.core.parts import Rows


Numbers: TypeAlias = "NDArray[np.int64]"
LongPremises = Literal["cut", "window-max", "window-mean"]

# Size of a chunk for the tokenizer: enough for all cores, little enough for memory. A token takes about 200 bytes.
_SAVE_TOKENIZER = "Save the tokenizer.json of the model again."
_CHUNK_PAIRS = 4096
_CHUNK_CHARACTERS = 1 << 20


@dataclass(frozen=True)
class EncodedPairs:
    """Rows of token ids, concatenated; a pair has one row, or several if its premise was split."""

    ids: NDArray[np.int32]
    types: NDArray[np.uint8]
    starts: Numbers  # row i is ids[starts[i] : starts[i + 1]]
    pair_indices: Numbers  # the pair of each row, ascending
    is_long: NDArray[np.bool_]  # for each pair: whether the premise did not fit
    refused: Numbers  # pairs whose hypothesis alone leaves no room for a premise: they have no row

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.pair_indices)

    @property
    def lengths(self) -> Numbers:
        """Count the tokens of each row."""
        return np.diff(self.starts)

    def pad_rows(self, rows: Numbers, pad_id: int) -> tuple[Numbers, Numbers, Numbers]:
        """Pad rows to the longest of them; return ids, types and mask."""
        lengths = self.lengths[rows]
        columns = np.arange(lengths.max())
        mask = columns < lengths[:, None]
        places = np.where(mask, self.starts[rows][:, None] + columns, 0)
        return (
            np.where(mask, self.ids[places].astype(np.int64), pad_id),
            np.where(mask, self.types[places].astype(np.int64), 0),
            mask.astype(np.int64),
        )


def tokenize_pairs(
    tokenizer: Tokenizer,
    premises: Sequence[str],
    hypotheses: Sequence[str],
    max_length: int,
    long: LongPremises = "cut",
) -> EncodedPairs:
    """Encode pairs; to fit into `max_length` tokens, only the premise is cut or split."""
    tokenizer.no_truncation()
    tokenizer.no_padding()
    ids: list[NDArray[np.int32]] = []
    types: list[NDArray[np.uint8]] = []
    owners: list[int] = []
    refused: list[int] = []
    is_long = np.zeros(len(premises), dtype=bool)
    for start, stop in _split_into_chunks([*map(len, premises)], [*map(len, hypotheses)]):
        texts = list(zip(premises[start:stop], hypotheses[start:stop], strict=True))
        for pair, encoding in enumerate(run_tokenizer(tokenizer, texts), start):
            is_long[pair] = len(encoding.ids) > max_length
            rows = _choose_tokens_by_row(encoding, max_length, long) if is_long[pair] else [slice(None)]
            if not rows:
                refused.append(pair)
                continue
            row_ids, row_types = _convert_encoding_to_arrays(encoding)
            ids += [row_ids[row] for row in rows]
            types += [row_types[row] for row in rows]
            owners += [pair] * len(rows)
    return EncodedPairs(
        ids=np.concatenate(ids or [np.empty(0, dtype=np.int32)]),
        types=np.concatenate(types or [np.empty(0, dtype=np.uint8)]),
        starts=np.cumsum([0, *map(len, ids)]),
        pair_indices=np.array(owners, dtype=np.int64),
        is_long=is_long,
        refused=np.array(refused, dtype=np.int64),
    )


def _split_into_chunks(*lengths: list[int]) -> Iterator[tuple[int, int]]:
    """Split the pairs into chunks of limited numbers of pairs and characters; a longer pair is a chunk of its own."""
    start = size = 0
    for pair, characters in enumerate(map(sum, zip(*lengths, strict=True))):
        if pair > start and (pair - start == _CHUNK_PAIRS or size + characters > _CHUNK_CHARACTERS):
            yield start, pair
            start, size = pair, 0
        size += characters
    if start < len(lengths[0]):
        yield start, len(lengths[0])


def run_tokenizer(tokenizer: Tokenizer, texts: Sequence[tuple[str, str]]) -> list[Encoding]:
    """Encode pairs of texts; a tokenizer with contradictory settings fails only here."""
    try:
        return tokenizer.encode_batch(list(texts))
    except BaseException as error:
        if not is_code_failure(error):
            raise
        raise InputError(
            f"The model's tokenizer can't encode a text: {summarize_error(error)}. {_SAVE_TOKENIZER}"
        ) from error


def _convert_encoding_to_arrays(encoding: Encoding) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    try:
        return np.array(encoding.ids, dtype=np.int32), np.array(encoding.type_ids, dtype=np.uint8)
    except OverflowError as error:
        raise InputError(
            f"The model's tokenizer uses token ids or type ids that are too large: {error}. {_SAVE_TOKENIZER}"
        ) from error


def _choose_tokens_by_row(encoding: Encoding, max_length: int, long: LongPremises) -> list[Numbers]:
    """Choose the tokens of each row of a pair that is too long; no rows if no token of the premise would fit."""
    sequences = np.array([-1 if part is None else part for part in encoding.sequence_ids])
    premise = np.flatnonzero(sequences == 0)
    others = np.flatnonzero(sequences != 0)
    room = max_length - len(others)
    if room < 1:
        return []
    if long == "cut":
        windows = [premise[:room]]
    else:  # windows overlap by half, so a sentence shorter than that is complete in one of them
        step = max(1, room // 2)
        last = len(premise) - room
        windows = [premise[at : at + room] for at in [*range(0, last, step), last]]
    return [np.sort(np.concatenate([window, others])) for window in windows]


MAX_PADDING = 0.03  # largest share of padding in a full batch
MIN_TRIAL_PAYOFF = 50  # a job must be this many times as large as the trial of batch sizes
MIN_SPEEDUP = 1.03  # a batch size is preferred to the usual one if it is faster by this factor
_RUNS_PER_TRIAL = 2  # the first run of a shape also allocates memory for it


@dataclass(frozen=True)
class BatchLimit:
    """The size of a batch: in tokens, including padding, or in pairs; one pair always fits."""

    tokens: int | None = None
    pairs: int | None = None

    def compute_token_capacity(self, length: int) -> int:
        """Count the tokens of a full batch whose longest row has that many."""
        return self.tokens or (self.pairs or 1) * length


def make_batches_by_length(
    lengths: NDArray[np.int64], rows: NDArray[np.int64], limit: BatchLimit
) -> list[Rows]:
    """Divide pairs into batches by the length of each pair's longest row, and by its number of rows.

    The longest come first, so that a lack of memory shows at once.
    """
    order = np.argsort(-lengths, kind="stable")
    sizes, widths = lengths[order], rows[order]
    batches: list[Rows] = []
    start = 0
    while start < len(order):
        stop = start + _count_fitting_pairs(sizes[start:], widths[start:], limit)
        batches.append(order[start:stop])
        start = stop
    return batches


def make_batches_by_both_lengths(lengths: NDArray[np.int64], limit: BatchLimit) -> list[Rows]:
    """Divide pairs into batches with premises of similar length and hypotheses of similar length.

    Each side is padded separately; `lengths` has a column for each side (pairs, 2). Roughly, the longest come first.
    """
    order = np.argsort(-compute_morton_codes(lengths), kind="stable")
    batches: list[Rows] = []
    start = premise = hypothesis = 0
    for place, (first, second) in enumerate(lengths[order].tolist()):
        premise, hypothesis = max(premise, first), max(hypothesis, second)
        pairs = place + 1 - start
        if pairs > 1 and pairs * (premise + hypothesis) > limit.compute_token_capacity(premise + hypothesis):
            batches.append(order[start:place])
            start, premise, hypothesis = place, first, second
    return [*batches, order[start:]] if len(order) else []


def compute_morton_codes(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Interleave the bits of two lengths (Morton code): pairs with similar codes have both lengths alike."""
    key = np.zeros(len(lengths), dtype=np.int64)
    for bit in range(int(lengths.max(initial=1)).bit_length()):
        first, second = (lengths >> bit & 1).T
        key |= (first << 2 * bit + 1) | (second << 2 * bit)
    return key


def _count_fitting_pairs(sizes: NDArray[np.int64], widths: NDArray[np.int64], limit: BatchLimit) -> int:
    """Count the pairs that fit into the next batch; pairs are sorted from the longest."""
    longest = int(sizes[0])
    room = limit.compute_token_capacity(longest)
    near = slice(0, limit.pairs or max(1, room // longest))
    area = np.cumsum(widths[near]) * longest
    padding = area - np.cumsum(widths[near] * sizes[near])
    fits = padding <= MAX_PADDING * room
    if limit.tokens:
        fits &= area <= room
    return max(1, int(fits.sum()))


def choose_tokens_per_batch(
    usual: int, others: Sequence[int], lengths: NDArray[np.int64], run: Callable[[NDArray[np.int64]], object]
) -> int:
    """Choose the number of tokens in a batch, by a short trial if the job is large enough to make up for it.

    Args:
        usual: the number without a trial.
        others: numbers to try in addition to the usual one.
        lengths: of all rows of the job.
        run: predicts some rows; the trial runs it on rows of median length.
    """
    sizes = (usual, *others)
    if not others or int(lengths.sum()) < MIN_TRIAL_PAYOFF * _RUNS_PER_TRIAL * sum(sizes):
        return usual
    order = np.argsort(lengths, kind="stable")
    middle = int(lengths[order[len(order) // 2]])
    rates = {size: _measure_rows_per_second(order, max(1, size // middle), run) for size in sizes}
    best = max(rates, key=lambda size: rates[size])
    return best if rates[best] > MIN_SPEEDUP * rates[usual] else usual


def _measure_rows_per_second(
    order: NDArray[np.int64], rows: int, run: Callable[[NDArray[np.int64]], object]
) -> float:
    """Measure rows per second on rows of median length; 0 for a batch that does not fit into memory."""
    start = max(0, (len(order) - rows) // 2)
    batch = order[start : start + rows]
    seconds = []
    for _ in range(_RUNS_PER_TRIAL):
        begin = time.perf_counter()
        try:
            run(batch)
        except MemoryError:
            return 0.0
        seconds.append(time.perf_counter() - begin)
    return len(batch) / min(seconds)
