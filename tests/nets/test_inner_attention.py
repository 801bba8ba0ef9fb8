"""RC as its released code has it: attention normalised over the batch, padding taken for words."""

from __future__ import annotations

import torch
from batches import batch, random_net, random_sentences

from rightreasons.nets.inner_attention import InnerAttention, StateAttention

WIDTH = 100


def nets() -> tuple[torch.nn.Module, torch.nn.Module]:
    """Make the corrected and the literal form with the same weights."""
    return random_net("rc", 4), random_net("rc", 4, literal=True)


def test_alone_in_its_batch_every_state_counts_fully() -> None:
    _, literal = nets()
    assert isinstance(literal, InnerAttention)
    given = batch(random_sentences([5], WIDTH))
    states = literal.lstm(given.vectors, given.lengths)
    torch.testing.assert_close(literal.premise(states, given.mask), states.sum(dim=1))


def test_weights_add_up_to_one_over_the_batch_and_not_over_the_words() -> None:
    _, literal = nets()
    assert isinstance(literal, InnerAttention)
    ones = torch.ones(
        4, 6, 2 * WIDTH, dtype=torch.float64
    )  # of equal states the weighted sum shows the weights
    pooled = literal.premise(ones, torch.ones(4, 6, dtype=torch.bool))
    torch.testing.assert_close(pooled, torch.full_like(pooled, 6 / 4))


def test_corrected_weights_add_up_to_one_over_the_words() -> None:
    corrected, _ = nets()
    assert isinstance(corrected, InnerAttention)
    ones = torch.ones(4, 6, 2 * WIDTH, dtype=torch.float64)
    mask = torch.arange(6)[None, :] < torch.tensor([[6], [1], [3], [2]])
    pooled = corrected.premise(ones, mask)
    torch.testing.assert_close(pooled, torch.ones_like(pooled))


def test_the_answers_depend_on_the_other_pairs_of_the_batch() -> None:
    corrected, literal = nets()
    premises, hypotheses = random_sentences([5, 5, 5], WIDTH, 1), random_sentences([4, 4, 4], WIDTH, 2)
    for net, same in ((corrected, True), (literal, False)):
        whole = net(batch(premises), batch(hypotheses))[:2]
        part = net(batch(premises[:2]), batch(hypotheses[:2]))
        assert torch.allclose(whole, part) is same


def test_the_answers_depend_on_padding() -> None:
    corrected, literal = nets()
    premises, hypotheses = random_sentences([5, 3], WIDTH, 1), random_sentences([4, 2], WIDTH, 2)
    for net, same in ((corrected, True), (literal, False)):
        assert (
            torch.allclose(
                net(batch(premises), batch(hypotheses)), net(batch(premises, 3), batch(hypotheses))
            )
            is same
        )


def test_with_one_length_and_equal_pairs_only_the_scale_differs() -> None:
    """Three times the same pair of sentences: each state of the literal form weighs a third."""
    _, literal = nets()
    assert isinstance(literal, InnerAttention)
    given = batch(random_sentences([5], WIDTH) * 3)
    states = literal.lstm(given.vectors, given.lengths)
    torch.testing.assert_close(literal.hypothesis(states, given.mask), states.sum(dim=1) / 3)


def test_premise_and_hypothesis_have_an_attention_of_their_own() -> None:
    net, _ = nets()
    assert isinstance(net, InnerAttention)
    assert isinstance(net.premise, StateAttention)
    given = batch(random_sentences([5, 3], WIDTH))
    states = net.lstm(given.vectors, given.lengths)
    assert not torch.allclose(net.premise(states, given.mask), net.hypothesis(states, given.mask))
