"""What holds for every network: padding and neighbours change nothing, all parts learn, states can be kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from batches import Sentence, batch, literal_forms, ragged, random_net, random_sentences, width_of
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from rightreasons.nets import NETS, make_net

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rightreasons.nets.batches import Sentences

Pairs = tuple[list[Sentence], list[Sentence]]


@pytest.fixture(autouse=True)
def _generator() -> Iterator[None]:
    """Seed torch's generator for each test, and give it back as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield


def pairs_for(name: str, size: int) -> Pairs:
    width = width_of(name)
    premises = random_sentences(ragged(size, 1), width, 1)
    return premises, random_sentences(ragged(size, 2, longest=8)[::-1], width, 2)


def logits(net: torch.nn.Module, pairs: Pairs, padding: int = 0) -> torch.Tensor:
    with torch.no_grad():
        answer: torch.Tensor = net(batch(pairs[0], padding), batch(pairs[1], padding))
    return answer


def single(sentences: Sentences) -> Sentences:
    return sentences._replace(vectors=sentences.vectors.float())


@pytest.mark.parametrize("name", NETS)
def test_padding_changes_nothing(name: str) -> None:
    net, pairs = random_net(name), pairs_for(name, 5)
    torch.testing.assert_close(logits(net, pairs, padding=4), logits(net, pairs), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", NETS)
def test_a_batch_of_one_equals_a_batch_of_64(name: str) -> None:
    net, pairs = random_net(name), pairs_for(name, 64)
    alone = [logits(net, ([p], [h])) for p, h in zip(*pairs, strict=True)]
    torch.testing.assert_close(torch.cat(alone), logits(net, pairs), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", NETS)
def test_padding_and_neighbours_change_nothing_in_single_precision(name: str) -> None:
    net = make_net(name, "small").eval()  # other kernels than in double precision
    premises, hypotheses = pairs_for(name, 16)
    with torch.no_grad():
        whole = net(single(batch(premises)), single(batch(hypotheses)))
        padded = net(single(batch(premises, 5)), single(batch(hypotheses, 5)))
        alone = [
            net(single(batch([p])), single(batch([h]))) for p, h in zip(premises, hypotheses, strict=True)
        ]
    torch.testing.assert_close(padded, whole, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(torch.cat(alone), whole, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["da", "cbow"])
@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), length=st.integers(2, 12))
def test_a_bag_of_words_knows_no_order(name: str, seed: int, length: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = tuple(random_sentences([length, 3], width_of(name), seed + side) for side in (0, 1))
    mixed = tuple([one._replace(vectors=rng.permutation(one.vectors)) for one in side] for side in pairs)
    net = random_net(name)
    torch.testing.assert_close(logits(net, mixed), logits(net, pairs), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", sorted(set(NETS) - {"da", "cbow"}))
def test_all_other_networks_know_the_order_of_words(name: str) -> None:
    premises, hypotheses = pairs_for(name, 2)  # the first premise is one word, the second twelve
    turned = [one._replace(vectors=one.vectors[::-1].copy(), letters=one.letters[::-1]) for one in premises]
    net = random_net(name)
    moved = (logits(net, (turned, hypotheses)) - logits(net, (premises, hypotheses))).abs()
    assert moved[0].max() < 1e-10
    assert moved[1].min() > 1e-6


@pytest.mark.parametrize("name", NETS)
def test_every_parameter_learns(name: str) -> None:
    net = make_net(name, "small")
    premises, hypotheses = pairs_for(name, 32)
    answers = net(single(batch(premises)), single(batch(hypotheses)))
    torch.nn.functional.cross_entropy(answers, torch.arange(32) % 3).backward()
    for part, parameter in net.named_parameters():
        if parameter.requires_grad:
            assert parameter.grad is not None, part
            assert torch.isfinite(parameter.grad).all(), part
            assert parameter.grad.abs().max() > 0, part


@pytest.mark.parametrize("name", NETS)
def test_the_word_vectors_get_gradients_and_padding_none(name: str) -> None:
    net, (premises, hypotheses) = random_net(name), pairs_for(name, 4)
    sides = [batch(side, padding=2) for side in (premises, hypotheses)]
    for side in sides:
        side.vectors.requires_grad_()
    net(*sides).square().sum().backward()
    for side in sides:
        gradient = side.vectors.grad
        assert gradient is not None
        assert (gradient[side.mask].abs().amax(dim=1) > 0).any()
        assert gradient[~side.mask].abs().max() == 0


@pytest.mark.parametrize("name", NETS)
def test_a_saved_state_gives_the_same_logits(name: str, tmp_path: Path) -> None:
    net, pairs = random_net(name), pairs_for(name, 4)
    save_file(net.state_dict(), tmp_path / "weights.safetensors")
    other = random_net(name, seed=1)
    assert not torch.equal(logits(other, pairs), logits(net, pairs))
    other.load_state_dict(load_file(tmp_path / "weights.safetensors"))
    assert torch.equal(logits(other, pairs), logits(net, pairs))


@pytest.mark.parametrize("name", NETS)
@pytest.mark.parametrize("threads", [1, pytest.param(2, marks=pytest.mark.slow)])  # slow on a busy machine
def test_the_same_seed_gives_the_same_bits(name: str, threads: int) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        first, second = step_of_training(name), step_of_training(name)
    finally:
        torch.set_num_threads(before)
    assert first.keys() == second.keys()
    for part in first:
        assert torch.equal(first[part], second[part]), part


def step_of_training(name: str) -> dict[str, Any]:
    torch.manual_seed(3)
    net = make_net(name, "small")
    premises, hypotheses = pairs_for(name, 16)
    answers = net(single(batch(premises)), single(batch(hypotheses)))
    torch.nn.functional.cross_entropy(answers, torch.arange(16) % 3).backward()
    gradients = {part: weight.grad for part, weight in net.named_parameters() if weight.grad is not None}
    return {"logits": answers.detach(), **gradients}


@pytest.mark.parametrize("name", NETS)
def test_the_literal_form_differs_where_there_is_one(name: str) -> None:
    pairs = pairs_for(name, 6)
    forms = [random_net(name, **({"literal": True} if literal else {})) for literal in literal_forms(name)]
    corrected, literal = forms[0], forms[-1]
    assert torch.equal(logits(corrected, pairs), logits(literal, pairs)) == (len(forms) == 1)


def test_infersent_takes_the_zeros_of_padding_for_words_in_its_literal_form() -> None:
    sentences = random_sentences([2, 6], width_of("infersent"))
    vectors = {}
    for literal in (False, True):
        net = random_net("infersent", literal=literal)
        with torch.no_grad():
            for name, weight in net.lstm.named_parameters():  # candidates below zero: so are all states
                weight.zero_() if "weight" in name else weight.fill_(-1.0)
            vectors[literal] = net.encode_sentences(batch(sentences))
    assert (vectors[False] < 0).all()
    assert (vectors[True][0] == 0).all()
    torch.testing.assert_close(vectors[True][1], vectors[False][1])
