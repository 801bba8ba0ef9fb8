"""Speed of training in pairs per second of wall time, against the same network in a plain padded loop.

A step is a real training step: words are looked up and batched, forward, backward, clipping, Adam. In one run:
(a) the baseline, a plain loop: batches in random order, padded to the longest of the batch; for SPINN, words are
pushed on a stack and reduced step by step, in all trees of the batch at once, as in the code of its papers;
(b) ours: batches of pairs of similar length; SPINN goes level by level.
Both go over the same pairs with the same weights; they take turns, and the best of the repetitions counts. Their logits
are compared first. The goals are a ratio of 1.5 for the recurrent networks and of 2 for SPINN.

The pairs are MultiNLI with parses (../shared/data), or the pocket corpus with balanced trees if that is missing.
Networks have their small sizes, or with --paper those of their papers. --json prints one JSON object on the last line.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from measuring import CLOCK

import rightreasons as rr
from rightreasons.core.labels import THREE_LABELS
from rightreasons.nets import NETS, make_net
from rightreasons.nets.batches import EmbeddingNetwork
from rightreasons.nets.text.encoder import learn_vocabulary
from rightreasons.training.learner import encode_pairs, tokenize_both_texts
from rightreasons.training.loop import shuffle_batches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import polars as pl
    from numpy.typing import NDArray

    from rightreasons.nets.forests import Trees
    from rightreasons.nets.spinn import Spinn
    from rightreasons.training.learner import WordPairs

    Rows = NDArray[np.int64]

MNLI = Path(__file__).parents[2] / "shared" / "data" / "parsed" / "mnli_train_parsed.tsv"
RECURRENT = ("bilstm", "esim", "infersent", "rc", "nb", "ch", "jiant")
GOALS = dict.fromkeys(RECURRENT, 1.5) | {"spinn": 2.0}
CLIP = 10.0


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="*", help=f"some of {' '.join(GOALS)}; default: all")
    parser.add_argument("--paper", action="store_true", help="the sizes of the papers")
    parser.add_argument("--corpus", default=str(MNLI) if MNLI.is_file() else "pocket")
    parser.add_argument("--pairs", type=int, default=2048)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--cpu", action="store_true", help="count the process's CPU time; for one thread only"
    )
    parser.add_argument("--json", action="store_true", help="print the figures as one JSON object, last")
    options = parser.parse_args()
    if unknown := set(options.models) - set(GOALS):
        parser.error(f"unknown model: {', '.join(sorted(unknown))}")
    CLOCK[0] = time.process_time if options.cpu else time.perf_counter
    torch.set_num_threads(options.threads)
    pairs = rr.read_corpus(options.corpus).pairs
    pairs = pairs.filter(pairs["label"].is_in(THREE_LABELS))
    pairs = pairs.sample(min(options.pairs, pairs.height), seed=0)
    preset = "paper" if options.paper else "small"
    figures: dict[str, Any] = {
        key: getattr(options, key) for key in ("corpus", "pairs", "batch", "threads", "repeats")
    } | {"sizes": preset}
    for name in options.models or GOALS:
        figures |= measured(name, pairs, preset, options.batch, options.repeats)
    if options.json:
        print(json.dumps(figures))


def measured(name: str, pairs: pl.DataFrame, preset: Any, size: int, repeats: int) -> dict[str, Any]:
    """Measure one network both ways."""
    network, data = made(name, pairs, preset)
    lengths = np.stack((data.premise.lengths, data.hypothesis.lengths), axis=1)
    unsorted = np.random.default_rng(0).permutation(len(lengths))
    plain_rows = [unsorted[at : at + size] for at in range(0, len(unsorted), size)]
    our_rows = shuffle_batches(lengths, size, seed=0, epoch=0)
    plain = Stepwise(data) if name == "spinn" else data.compute_logits
    assert_same(network, plain, data, plain_rows[0])
    ways: dict[str, tuple[Callable[..., torch.Tensor], list[Rows]]] = {
        "a": (plain, plain_rows),
        "b": (data.compute_logits, our_rows),
    }
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    for ask, batches in ways.values():
        epoch(network, ask, data, batches[:2])
    for _ in range(repeats):
        for way, (ask, batches) in ways.items():
            start = CLOCK[0]()
            epoch(network, ask, data, batches)
            seconds[way].append(CLOCK[0]() - start)
    rates = {way: len(lengths) / min(taken) for way, taken in seconds.items()}
    widths = {way: padding(lengths, batches) for way, (_, batches) in ways.items()}
    ratio = rates["b"] / rates["a"]
    print(
        f"{name:10} (a) plain {rates['a']:>8,.1f} pairs a second, {widths['a']:.2f} columns a word   "
        f"(b) ours {rates['b']:>8,.1f}, {widths['b']:.2f}   {ratio:.2f} times (goal {GOALS[name]})",
        flush=True,
    )
    return {f"{name}_a_per_s": rates["a"], f"{name}_b_per_s": rates["b"], f"{name}_ratio": ratio}


def made(name: str, pairs: pl.DataFrame, preset: Any) -> tuple[EmbeddingNetwork, WordPairs]:
    """Make a network with random word vectors, and the pairs as it reads them."""
    config = NETS[name].make_text_config()
    sides = tokenize_both_texts(pairs, config, "balanced")
    torch.manual_seed(0)
    net = make_net(name, preset)
    width = 100 if preset == "small" else 300
    words = learn_vocabulary(sides, config, width=width)
    data, _ = encode_pairs(sides, pairs, words.encoder, THREE_LABELS, training=True)
    return EmbeddingNetwork(torch.from_numpy(words.table), net), data


def epoch(
    network: EmbeddingNetwork, ask: Callable[..., torch.Tensor], data: WordPairs, batches: list[Rows]
) -> None:
    """Train on all batches."""
    network.train()
    learnt = [parameter for parameter in network.parameters() if parameter.requires_grad]
    optimiser = torch.optim.Adam(learnt, lr=1e-5, fused=True)
    for rows in batches:
        loss = torch.nn.functional.cross_entropy(ask(network, rows), torch.from_numpy(data.gold[rows]))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learnt, CLIP)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)


@torch.no_grad()
def assert_same(
    network: EmbeddingNetwork, plain: Callable[..., torch.Tensor], data: WordPairs, rows: Rows
) -> None:
    """Stop where the two ways don't give the same logits, alone or padded."""
    network.eval()
    alone = torch.cat([data.compute_logits(network, rows[at : at + 1]) for at in range(len(rows))])
    torch.testing.assert_close(plain(network, rows), alone, rtol=1e-3, atol=1e-4)


def padding(lengths: Rows, batches: list[Rows]) -> float:
    """Count the columns that stand in the batches for each word."""
    columns = sum(len(rows) * lengths[rows].max(axis=0).sum() for rows in batches)
    return float(columns / lengths.sum())


class Stepwise:
    """SPINN step by step: in each tree of the batch a word is put on its stack, or the top two are joined."""

    def __init__(self, data: WordPairs) -> None:
        """Work out the steps of all trees beforehand: true joins, false takes the next word."""
        self.data = data
        self.sides = []
        for side in (data.premise, data.hypothesis):
            steps = [list(transitions(side.trees, row)) for row in range(len(side.counts))]
            self.sides.append([steps[sentence] for sentence in side.sentences])

    def __call__(self, network: EmbeddingNetwork, rows: Rows) -> torch.Tensor:
        """Compute the logits of some pairs."""
        tokens = [
            self.data.encoder.make_token_batch(side, rows)
            for side in (self.data.premise, self.data.hypothesis)
        ]
        steps = [side[row] for side in self.sides for row in rows]
        net: Spinn = network.net
        states = [net.leaf_dropout(net.leaf(network.words(side.words))) for side in tokens]  # (B, T, 2d)
        u, v = composed(net, [row for side in states for row in side.unbind()], steps).chunk(2)
        return net.classifier(torch.cat((u, v, u - v, u * v), dim=1))


def transitions(trees: Trees, row: int) -> Iterator[bool]:
    """Give the steps that make a tree: a node is made as soon as its right child is there."""
    length, node = int(trees.lengths[row]), 0
    right = trees.right[trees.starts[row] : trees.starts[row] + length - 1].tolist()
    for word in range(length):
        yield False
        last = word
        while node < len(right) and right[node] == last:
            yield True
            last = length + node
            node += 1


def composed(net: Spinn, words: list[torch.Tensor], steps: list[list[bool]]) -> torch.Tensor:
    """Compose trees together: those that take a word and those that join two parts, step after step."""
    queues = [iter(sentence.unbind()) for sentence in words]
    stacks: list[list[torch.Tensor]] = [[] for _ in steps]
    longest = max(map(len, steps))
    waits = [longest - len(one) for one in steps]  # all end with the last step
    for step in range(longest):
        joins = []
        for tree, wait in enumerate(waits):
            if step >= wait and steps[tree][step - wait]:
                joins.append(tree)
            elif step >= wait:
                stacks[tree].append(next(queues[tree]))
        if joins:
            right = torch.stack([stacks[tree].pop() for tree in joins])
            left = torch.stack([stacks[tree].pop() for tree in joins])
            for tree, state in zip(joins, joined(net, left, right).unbind(), strict=True):
                stacks[tree].append(state)
    return torch.stack([stack[0] for stack in stacks]).chunk(2, dim=1)[1]


def joined(net: Spinn, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """Join children to nodes: (M, 2d) each."""
    (c_l, h_l), (c_r, h_r) = left.chunk(2, dim=1), right.chunk(2, dim=1)
    i, f_l, f_r, o, g = net.compose(torch.cat((h_l, h_r), dim=1)).chunk(5, dim=1)
    c = (f_l + 1).sigmoid() * c_l + (f_r + 1).sigmoid() * c_r + i.sigmoid() * g.tanh()
    return torch.cat((c, o.sigmoid() * c.tanh()), dim=1)


if __name__ == "__main__":
    main()
