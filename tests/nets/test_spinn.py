"""SPINN on trees of all shapes and on real parses: level by level equals one tree at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
import reference_spinn
import torch
from batches import Sentence, random_net, weights_of
from torch.utils._python_dispatch import TorchDispatchMode

import rightreasons as rr
from rightreasons.nets import make_net
from rightreasons.nets.batches import Sentences
from rightreasons.nets.forests import make_forest
from rightreasons.nets.spinn import Spinn
from rightreasons.nets.text.binary_parses import collect_binary_parses, tokenize_parses

if TYPE_CHECKING:
    from pathlib import Path

RIGHT = "( a " * 99 + "b" + " )" * 99
LEFT = "( " * 99 + "a" + " b )" * 99
PREMISES = ["one", "( a b )", "( ( a b ) ( c d ) )", RIGHT, "( a ( ( b c ) d ) )"]
HYPOTHESES = ["( a ( b c ) )", "x", LEFT, "y", "( ( ( a b ) c ) d )"]
TINY = {"width": 7, "model_dim": 12, "mlp": 10}


def nested(parse: str) -> Any:
    """Read a parse into the numbers of its words."""
    stack: list[Any] = []
    words = 0
    for symbol in parse.split():
        if symbol == ")":
            right, left = stack.pop(), stack.pop()
            stack.append((left, right))
        elif symbol != "(":
            stack.append(words)
            words += 1
    return stack[0]


def sentences(parses: list[str], seed: int, width: int = 7) -> list[Sentence]:
    chance = np.random.default_rng(seed)
    counts = [sum(symbol not in "()" for symbol in parse.split()) for parse in parses]
    return [
        Sentence(chance.standard_normal((count, width)), [], nested(parse))
        for count, parse in zip(counts, parses, strict=True)
    ]


def batch(parses: list[str], seed: int, width: int = 7) -> Sentences:
    """Lay the same sentences out as the package does: by way of the parses."""
    read = tokenize_parses(pl.Series(parses))
    assert read.trees is not None
    given = [torch.from_numpy(one.vectors) for one in sentences(parses, seed, width)]
    vectors = torch.nn.utils.rnn.pad_sequence(given, batch_first=True)
    forest = make_forest(read.trees, read.rows, vectors.shape[1])
    return Sentences(vectors, torch.tensor([len(one) for one in given]), None, forest)


def assert_equal_to_recursion(net: Any, premises: list[str], hypotheses: list[str]) -> None:
    with torch.no_grad():
        found = net(batch(premises, 1), batch(hypotheses, 2)).numpy()
    expected = reference_spinn.logits(weights_of(net), sentences(premises, 1), sentences(hypotheses, 2))
    np.testing.assert_allclose(found, expected, atol=1e-10)


@pytest.mark.parametrize("layers", [1, 2])
def test_one_word_and_a_hundred_in_a_chain_go_together(layers: int) -> None:
    assert_equal_to_recursion(random_net("spinn", **TINY, layers=layers), PREMISES, HYPOTHESES)


@pytest.mark.parametrize("name", ["hans/heuristics_evaluation_set.txt", "parsed/mnli_dev_matched_1000.tsv"])
def test_real_parses_are_composed_as_they_stand(shared_data: Path, name: str) -> None:
    pairs = rr.read_corpus(str(shared_data / name)).pairs
    pairs = pairs.gather_every(len(pairs) // 64)
    premises, hypotheses = (parses.to_list() for parses in collect_binary_parses(pairs))
    assert_equal_to_recursion(random_net("spinn", **TINY), premises, hypotheses)


class Cost(TorchDispatchMode):
    """Counts what is computed while it is on: matrix products, their multiply-adds, all calls, and numbers written."""

    def __init__(self) -> None:
        super().__init__()
        self.products = self.multiply_adds = self.calls = self.written = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        del types
        made = func(*args, **(kwargs or {}))
        if func.is_view or "empty" in func.name():  # nothing is computed
            return made
        self.calls += 1
        if "index_put" in func.name():  # gives the whole table, but writes some rows of it
            self.written += args[2].numel()
        elif isinstance(made, torch.Tensor):
            self.written += made.numel()
        if func.name().startswith(("aten::mm", "aten::addmm")):
            one, two = args[-2:]
            self.products += 1
            self.multiply_adds += one.shape[0] * one.shape[1] * two.shape[1]
        return made


def roots_step_by_step(net: Any, given: Sentences, parses: list[str]) -> torch.Tensor:
    """Compose trees as the code of the paper does: at each step those that can join the two tops of their stacks."""
    leaves = iter(net.leaf(given.vectors[given.mask]).unbind())
    words = [[next(leaves) for _ in range(length)] for length in given.lengths.tolist()]
    steps = [[symbol for symbol in parse.split() if symbol != "("] for parse in parses]
    stacks: list[list[torch.Tensor]] = [[] for _ in parses]
    for step in range(max(map(len, steps))):
        joining = []
        for tree, symbols in enumerate(steps):
            if step < len(symbols) and symbols[step] == ")":
                joining.append(stacks[tree])
            elif step < len(symbols):
                stacks[tree].append(words[tree].pop(0))
        if joining:
            right, left = (torch.stack([stack.pop() for stack in joining]) for _ in range(2))
            for stack, state in zip(joining, joined(net, left, right).unbind(), strict=True):
                stack.append(state)
    return torch.stack([stack[0] for stack in stacks]).chunk(2, dim=1)[1]


def joined(net: Any, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    (c_l, h_l), (c_r, h_r) = left.chunk(2, dim=1), right.chunk(2, dim=1)
    i, f_l, f_r, o, g = net.compose(torch.cat((h_l, h_r), dim=1)).chunk(5, dim=1)
    c = (f_l + 1).sigmoid() * c_l + (f_r + 1).sigmoid() * c_r + i.sigmoid() * g.tanh()
    return torch.cat((c, o.sigmoid() * c.tanh()), dim=1)


def test_a_batch_costs_at_most_half_the_calls_of_steps_and_wastes_no_row(shared_data: Path) -> None:
    pairs = rr.read_corpus(str(shared_data / "parsed/mnli_dev_matched_1000.tsv")).pairs.head(64)
    parses = [parse for side in collect_binary_parses(pairs) for parse in side.to_list()]
    net, given = random_net("spinn", **TINY), batch(parses, 1)
    with Cost() as levels:
        found = net.compose_trees(given.vectors.flatten(0, 1), given.forest)
        found.sum().backward()
    with Cost() as steps:
        expected = roots_step_by_step(net, given, parses)
        expected.sum().backward()
    torch.testing.assert_close(found, expected)  # both did the same work
    assert 2 * levels.products <= steps.products
    assert 2 * levels.calls <= steps.calls
    # Forward and for each gradient: weights of words and of nodes, and children of nodes. Padding would come on top.
    words, nodes = int(given.lengths.sum()), int(given.lengths.sum()) - len(parses)
    wanted = 2 * words * net.leaf.weight.numel() + 3 * nodes * net.compose.weight.numel()
    assert levels.multiply_adds == steps.multiply_adds == wanted
    assert levels.written <= 1.5 * steps.written  # a table copied anew for each level is far more


def test_the_shape_of_the_tree_counts() -> None:
    net = random_net("spinn", **TINY)
    with torch.no_grad():
        one, two = (net(batch([parse], 1), batch(["x"], 2)) for parse in ("( a ( b c ) )", "( ( a b ) c )"))
    assert (one - two).abs().max() > 1e-4


def test_gradients_are_those_of_the_equations() -> None:
    net = random_net("spinn", width=3, model_dim=4, mlp=3)
    sides = [batch(["one", "( a b )", "( ( a b ) ( c d ) )"], 1, 3)]
    sides.append(batch(["( a ( b c ) )", "x", "( ( a ( b c ) ) d )"], 2, 3))
    weights = dict(net.named_parameters())

    def logits(*given: torch.Tensor) -> Any:
        pairs = [side._replace(vectors=one) for side, one in zip(sides, given[:2], strict=True)]
        return torch.func.functional_call(net, dict(zip(weights, given[2:], strict=True)), tuple(pairs))

    vectors = [side.vectors.requires_grad_() for side in sides]
    assert torch.autograd.gradcheck(logits, (*vectors, *weights.values()))


def test_weights_are_drawn_by_fan_and_biases_are_zero() -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        net = make_net("spinn")
    assert isinstance(net, Spinn)
    assert net.compose.weight.std().item() == pytest.approx((2 / 150) ** 0.5, rel=0.02)
    assert net.leaf.weight.std().item() == pytest.approx((2 / 300) ** 0.5, rel=0.02)
    assert not net.compose.bias.any()


def test_sentences_without_trees_are_refused() -> None:
    given = batch(PREMISES, 1)._replace(forest=None)
    with pytest.raises(ValueError, match="forests"):
        Spinn(**TINY)(given, given)
