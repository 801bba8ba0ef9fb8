"""The bi-LSTM equals torch's own over packed sentences, in its states and in its gradients."""

from __future__ import annotations

import pytest
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from rightreasons.nets.layers import BiLstmEncoder, reverse_sentences

LENGTHS = torch.tensor([3, 1, 7, 7, 2])


def packed(lstm: BiLstmEncoder, vectors: torch.Tensor) -> torch.Tensor:
    inner = torch.nn.LSTM(lstm.input_size, lstm.hidden_size, batch_first=True, bidirectional=True)
    inner.to(vectors.dtype)
    rows = pack_padded_sequence(vectors, LENGTHS, batch_first=True, enforce_sorted=False)
    states, _ = torch.func.functional_call(inner, dict(lstm.named_parameters()), (rows,))
    return pad_packed_sequence(states, batch_first=True, total_length=vectors.shape[1])[0]


@pytest.mark.parametrize(("kind", "near"), [(torch.float64, 1e-12), (torch.float32, 1e-5)])
def test_states_and_gradients_are_those_of_packed_sentences(kind: torch.dtype, near: float) -> None:
    generator = torch.Generator().manual_seed(0)
    lstm = BiLstmEncoder(5, 4).to(kind)
    vectors = torch.randn(5, 9, 5, generator=generator, dtype=kind)
    towards = torch.randn(5, 9, 8, generator=generator, dtype=kind)
    found = []
    for run in (lstm, lambda x, _: packed(lstm, x)):
        x = vectors.clone().requires_grad_()
        states = run(x, LENGTHS)
        found.append([states, *torch.autograd.grad((states * towards).sum(), [x, *lstm.parameters()])])
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=near, atol=near)


def test_states_past_the_end_are_zero() -> None:
    states = BiLstmEncoder(5, 4)(torch.randn(5, 9, 5), LENGTHS)
    for row, length in enumerate(LENGTHS.tolist()):
        assert (states[row, length:] == 0).all()
        assert (states[row, :length] != 0).all()


def test_a_sentence_is_turned_round_within_its_length() -> None:
    words = torch.arange(1, 9).view(2, 4, 1)
    assert reverse_sentences(words, torch.tensor([3, 4]))[:, :, 0].tolist() == [[3, 2, 1, 4], [8, 7, 6, 5]]
