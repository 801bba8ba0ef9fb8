"""Which pairs go together in a batch: shuffled, yet of about the same length, so that little is padding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rightreasons.models.batching import interleaved

if TYPE_CHECKING:
    from numpy.typing import NDArray

POOL = 64  # batches that are sorted by length together


def epoch_batches(
    lengths: NDArray[np.int64], batch_size: int, seed: int, epoch: int
) -> list[NDArray[np.int64]]:
    """Deal all pairs into batches; seed and epoch alone decide how, so a resumed run sees the same ones.

    A pair has one length (pairs,), or two (pairs, 2) where premise and hypothesis are padded each by itself.
    """
    key = lengths if lengths.ndim == 1 else interleaved(lengths)
    chance = np.random.default_rng([seed, epoch])
    order = chance.permutation(len(lengths))
    batches: list[NDArray[np.int64]] = []
    for start in range(0, len(order), POOL * batch_size):
        pool = order[start : start + POOL * batch_size]
        pool = pool[np.argsort(key[pool], kind="stable")]
        batches += [pool[at : at + batch_size] for at in range(0, len(pool), batch_size)]
    return [batches[place] for place in chance.permutation(len(batches))]
