"""Plans hold each pair once, waste little, and keep to their limit; the trial chooses by rates."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.models.pair_encoding import (
    MAX_PADDING,
    BatchLimit,
    choose_tokens_per_batch,
    make_batches_by_both_lengths,
    make_batches_by_length,
)

PAIRS = st.lists(st.tuples(st.integers(1, 200), st.integers(1, 4)), max_size=120)
LIMITS = st.one_of(
    st.builds(lambda tokens: BatchLimit(tokens=tokens), st.integers(1, 2000)),
    st.builds(lambda pairs: BatchLimit(pairs=pairs), st.integers(1, 50)),
)


@given(PAIRS, LIMITS)
def test_a_plan_holds_each_pair_once_and_keeps_to_its_limit(
    pairs: list[tuple[int, int]], limit: BatchLimit
) -> None:
    lengths, rows = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    batches = make_batches_by_length(lengths, rows, limit)
    assert sorted(np.concatenate([*batches, np.empty(0)]).tolist()) == list(range(len(pairs)))
    for batch in batches:
        longest = int(lengths[batch].max())
        area = int(rows[batch].sum()) * longest
        padding = area - int((rows[batch] * lengths[batch]).sum())
        assert padding <= MAX_PADDING * limit.compute_token_capacity(longest)
        assert len(batch) == 1 or len(batch) <= (limit.pairs or len(batch))
        assert len(batch) == 1 or area <= (limit.tokens or area)


def test_pairs_of_like_length_go_together_the_longest_first() -> None:
    lengths = np.array([10, 30, 10, 30, 10])
    batches = make_batches_by_length(lengths, np.ones(5, dtype=np.int64), BatchLimit(tokens=60))
    assert [batch.tolist() for batch in batches] == [[1, 3], [0, 2, 4]]


@given(st.lists(st.tuples(st.integers(1, 200), st.integers(1, 200)), max_size=120), LIMITS)
def test_a_plan_by_both_lengths_holds_each_pair_once_and_keeps_to_its_limit(
    pairs: list[tuple[int, int]], limit: BatchLimit
) -> None:
    lengths = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    batches = make_batches_by_both_lengths(lengths, limit)
    assert sorted(np.concatenate([*batches, np.empty(0)]).tolist()) == list(range(len(pairs)))
    for batch in batches:
        width = int(lengths[batch].max(axis=0).sum())
        assert len(batch) == 1 or len(batch) <= (limit.pairs or len(batch))
        assert len(batch) == 1 or len(batch) * width <= (limit.tokens or len(batch) * width)


def test_sentences_of_like_length_go_together_on_both_sides() -> None:
    """Premises and hypotheses are padded each by themselves: a sum of lengths would not tell which is long."""
    chance = np.random.default_rng(0)
    lengths = np.stack((chance.poisson(20, 2000) + 1, chance.poisson(20, 2000) + 1), axis=1)

    def columns(batches: list[np.ndarray]) -> float:
        return sum(len(batch) * lengths[batch].max(axis=0).sum() for batch in batches) / lengths.sum()

    by_sum = make_batches_by_length(
        lengths.sum(axis=1), np.ones(len(lengths), dtype=np.int64), BatchLimit(tokens=2048)
    )
    both = make_batches_by_both_lengths(lengths, BatchLimit(tokens=2048))
    assert columns(both) < 1.2 < columns(by_sum)
    assert len(both) < 1.5 * lengths.sum() / 2048


def test_many_pairs_are_hardly_padded() -> None:
    lengths = np.random.default_rng(0).poisson(39, 2000) + 5
    batches = make_batches_by_length(lengths, np.ones_like(lengths), BatchLimit(tokens=1024))
    area = sum(len(batch) * int(lengths[batch].max()) for batch in batches)
    assert area / lengths.sum() < 1 + MAX_PADDING
    assert len(batches) < 1.3 * lengths.sum() / 1024


@pytest.mark.parametrize(
    ("cost", "best"), [(lambda rows: 0.02 + rows * 1e-5, 200), (lambda rows: rows * 1e-4, 100)]
)
def test_the_trial_takes_a_larger_batch_only_where_it_is_faster(cost: object, best: int) -> None:
    lengths = np.full(100_000, 1)
    found = choose_tokens_per_batch(100, (200,), lengths, lambda rows: time.sleep(cost(len(rows))))  # type: ignore[operator]
    assert found == best


def test_a_small_job_and_batches_without_memory_are_not_tried() -> None:
    asked = []
    assert choose_tokens_per_batch(100, (200,), np.full(50, 10), asked.append) == 100
    assert asked == []

    def fail(rows: np.ndarray) -> None:
        asked.append(len(rows))
        if len(rows) > 100:
            raise MemoryError

    assert choose_tokens_per_batch(100, (200,), np.full(100_000, 1), fail) == 100
    assert asked == [100, 100, 200]
