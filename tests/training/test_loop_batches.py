"""Batches: every pair once an epoch, like lengths together, decided by seed and epoch alone."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.training.loop import shuffle_batches

LENGTHS = st.lists(st.integers(1, 90), min_size=1, max_size=300).map(np.array)
SIZES = st.integers(1, 40)
SEEDS = st.integers(0, 2**32)


@given(LENGTHS, SIZES, SEEDS, st.integers(0, 9))
def test_every_pair_is_dealt_once(lengths: np.ndarray, size: int, seed: int, epoch: int) -> None:
    batches = shuffle_batches(lengths, size, seed, epoch)
    assert sorted(np.concatenate(batches)) == list(range(len(lengths)))
    assert len(batches) == -(-len(lengths) // size)
    assert all(len(batch) <= size for batch in batches)


@given(LENGTHS, SIZES, SEEDS)
def test_seed_and_epoch_decide_alone(lengths: np.ndarray, size: int, seed: int) -> None:
    np.random.default_rng().random()
    one, two = (shuffle_batches(lengths, size, seed, 3) for _ in range(2))
    assert [batch.tolist() for batch in one] == [batch.tolist() for batch in two]


def test_another_epoch_is_another_order() -> None:
    lengths = np.full(500, 7)
    one, two = (np.concatenate(shuffle_batches(lengths, 32, 1, epoch)).tolist() for epoch in (0, 1))
    assert one != two


def test_little_is_padding() -> None:
    lengths = np.random.default_rng(0).integers(5, 90, size=4096)
    widths = sum(len(batch) * lengths[batch].max() for batch in shuffle_batches(lengths, 32, 0, 0))
    assert widths < 1.05 * lengths.sum()


def test_little_is_padding_on_either_side() -> None:
    lengths = np.random.default_rng(0).integers(5, 60, size=(4096, 2))
    batches = shuffle_batches(lengths, 32, 0, 0)
    assert sorted(np.concatenate(batches)) == list(range(len(lengths)))
    widths = sum(len(batch) * lengths[batch].max(axis=0).sum() for batch in batches)
    by_sum = shuffle_batches(lengths.sum(axis=1), 32, 0, 0)
    assert widths < 1.25 * lengths.sum()
    assert widths < 0.85 * sum(len(batch) * lengths[batch].max(axis=0).sum() for batch in by_sum)
