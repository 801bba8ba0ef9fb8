"""Each network gives the logits of its equations, written apart in numpy: wiring, not only size."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
import torch
from batches import batch, literal_forms, ragged, random_net, random_sentences, weights_of, width_of

from rightreasons.nets import NETS


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", NETS)
def test_a_network_gives_the_logits_of_its_equations(name: str, seed: int) -> None:
    reference = importlib.import_module(f"reference_{name}")
    premises = random_sentences(ragged(7, seed), width_of(name), seed)
    hypotheses = random_sentences(ragged(7, seed + 10, longest=9)[::-1], width_of(name), seed + 20)
    for literal in literal_forms(name):
        net = random_net(name, seed, **({"literal": True} if literal else {}))
        expected = reference.logits(weights_of(net), premises, hypotheses, literal=literal)
        with torch.no_grad():
            given = net(batch(premises), batch(hypotheses)).numpy()
        assert given.shape == (7, 3)
        assert np.ptp(expected, axis=0).min() > 0.01  # logits that hardly move would agree with anything
        np.testing.assert_allclose(given, expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", NETS)
def test_premise_and_hypothesis_are_not_interchangeable(name: str) -> None:
    sentences = random_sentences(ragged(4), width_of(name))
    others = random_sentences(ragged(4), width_of(name), seed=1)
    net = random_net(name)
    with torch.no_grad():
        one, other = net(batch(sentences), batch(others)), net(batch(others), batch(sentences))
    assert (one - other).abs().min() > 1e-6


def test_infersent_with_tanh_bends_both_layers() -> None:
    premises, hypotheses = (random_sentences(ragged(3), 100, seed) for seed in (0, 1))
    net = random_net("infersent", tanh=True)
    with torch.no_grad():
        u, v = net.encode_sentences(batch(premises)), net.encode_sentences(batch(hypotheses))
        hidden = torch.cat([u, v, (u - v).abs(), u * v], dim=1)
        for layer in (net.first, net.second):
            hidden = torch.tanh(hidden @ layer.weight.T + layer.bias)
        expected = hidden @ net.output.weight.T + net.output.bias
        torch.testing.assert_close(net(batch(premises), batch(hypotheses)), expected)
