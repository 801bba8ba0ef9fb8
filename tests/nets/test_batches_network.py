"""A network over a table of words: the table is trained or not, its row of padding never."""

from __future__ import annotations

import pytest
import torch
from batches import random_net

from rightreasons.nets.batches import EmbeddingNetwork, TokenBatch


def tokens(*rows: list[int]) -> TokenBatch:
    words = torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True)
    return TokenBatch(words, torch.tensor([len(row) for row in rows]))


@pytest.mark.parametrize("trained", [False, True])
def test_a_table_is_trained_where_asked_and_padding_never(*, trained: bool) -> None:
    generator = torch.Generator().manual_seed(0)
    table = torch.randn(6, 100, generator=generator, dtype=torch.float64)
    table[0] = 0
    network = EmbeddingNetwork(table.clone(), random_net("esim"), trained=trained)
    network(tokens([1, 2, 3], [4]), tokens([2], [5, 1])).sum().backward()
    gradient = network.words.weight.grad
    assert (gradient is not None) == trained
    if gradient is not None:
        assert (gradient.abs().amax(dim=1) > 0).tolist() == [False, True, True, True, True, True]
    assert torch.equal(network.words.weight, table)
