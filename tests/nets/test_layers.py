"""Padding counts for nothing in softmax, maximum, mean and sum."""

from __future__ import annotations

import torch

from rightreasons.nets.layers import masked_max, masked_mean, masked_softmax, masked_sum

MASK = torch.tensor([[True, True, False], [True, False, False]])
STATES = torch.tensor([[[-1.0, -4.0], [-3.0, -2.0], [9.0, 9.0]], [[-5.0, 5.0], [9.0, 9.0], [9.0, 9.0]]])


def test_a_masked_softmax_is_that_of_the_words_alone() -> None:
    scores = torch.tensor([[1.0, 2.0, 50.0], [-1e30, 3.0, 3.0]])
    expected = torch.cat([torch.softmax(scores[0, :2], dim=0), torch.zeros(1)])
    weights = masked_softmax(scores, MASK)
    torch.testing.assert_close(weights[0], expected)
    assert weights[1].tolist() == [1.0, 0.0, 0.0]


def test_a_row_of_padding_gives_zeros_and_no_gradient() -> None:
    scores = torch.randn(1, 3, requires_grad=True)
    weights = masked_softmax(scores, torch.zeros(1, 3, dtype=torch.bool))
    weights.sum().backward()
    assert weights.tolist() == [[0.0, 0.0, 0.0]]
    assert scores.grad is not None
    assert scores.grad.tolist() == [[0.0, 0.0, 0.0]]


def test_pooling_leaves_padding_out() -> None:
    assert masked_max(STATES, MASK).tolist() == [[-1.0, -2.0], [-5.0, 5.0]]
    assert masked_mean(STATES, MASK).tolist() == [[-2.0, -3.0], [-5.0, 5.0]]
    assert masked_sum(STATES, MASK).tolist() == [[-4.0, -6.0], [-5.0, 5.0]]
