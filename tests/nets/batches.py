"""Random batches for any network, and what the tests of all networks expect of it.

The tests of this folder walk the table NETS: a new network is tested as soon as its line is in the table, given

tests/nets/reference_NAME.py
    one function `logits(weights, premise, hypothesis, *, literal=False) -> ndarray (B, labels)`: a plain numpy
    forward pass in float64, one sentence after the other, written from the equations and not from the torch code.
    `weights` is the state of the network as arrays, by name; sizes are read off their shapes. `premise` and
    `hypothesis` are lists of `Sentence` (below): `.vectors` (n, E), `.letters` and `.tree`, without padding.
    A literal quirk that depends on the batch pads inside the reference to the longest of the list.
    `equations.py` has the layers that several references share (linear, relu, softmax, bi-LSTM).

A network's corrected form (literal=False) must not see padding: neither further columns of words (T), nor further
columns of letters (L), nor the other pairs of the batch. Row 0 of letters is padding; letters here are 1 to 30.
The small preset holds all sizes that the tests use, `width` included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from rightreasons.nets import NETS, make_net
from rightreasons.nets.batches import Forest, Sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

Tree = Any  # the place of a word, or a pair of trees: ((0, 1), 2)


class Sentence(NamedTuple):
    """One sentence without padding."""

    vectors: np.ndarray[Any, Any]  # (n, E)
    letters: list[list[int]]  # the spelling of each word, each letter from 1
    tree: Tree


def literal_forms(name: str) -> list[bool]:
    """List the forms of a network: corrected, and literal where it has one."""
    return [False, True] if "literal" in NETS[name].module_parameters else [False]


def random_net(name: str, seed: int = 0, **options: Any) -> torch.nn.Module:
    """Make a small network for evaluation in float64 with all its parameters drawn anew, biases too."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net = make_net(name, "small", **options).double().eval()
        with torch.no_grad():
            for parameter in net.parameters():  # biases that start at zero would hide that one is left out
                parameter.normal_(std=0.2)
    return net


def width_of(name: str) -> int:
    """Tell how wide the word vectors of a small network are."""
    return int(NETS[name].get_default_size("width", "small"))


def random_sentences(lengths: Sequence[int], width: int, seed: int = 0) -> list[Sentence]:
    """Draw a sentence of each length, with spellings and a random tree."""
    rng = np.random.default_rng(seed)
    return [_sentence(length, width, rng) for length in lengths]


def ragged(size: int, seed: int = 0, longest: int = 12) -> list[int]:
    """Draw lengths from one word to the longest, both among them where there is room."""
    rng = np.random.default_rng(seed)
    return [1, longest, *rng.integers(1, longest + 1, size).tolist()][:size]


def batch(sentences: Sequence[Sentence], padding: int = 0) -> Sentences:
    """Put sentences into one batch, with further columns of padding for words and letters."""
    longest = max(len(sentence.vectors) for sentence in sentences) + padding
    letters = max(len(word) for sentence in sentences for word in sentence.letters) + padding
    vectors = torch.zeros(len(sentences), longest, sentences[0].vectors.shape[1], dtype=torch.float64)
    spelling = torch.zeros(len(sentences), longest, letters, dtype=torch.int64)
    for row, sentence in enumerate(sentences):
        vectors[row, : len(sentence.vectors)] = torch.from_numpy(sentence.vectors)
        for place, word in enumerate(sentence.letters):
            spelling[row, place, : len(word)] = torch.tensor(word)
    lengths = torch.tensor([len(sentence.vectors) for sentence in sentences])
    return Sentences(vectors, lengths, spelling, forest([one.tree for one in sentences], lengths, longest))


def forest(trees: Sequence[Tree], lengths: torch.Tensor, columns: int) -> Forest:
    """Number the nodes of trees: leaves first, then level by level."""
    rows: dict[tuple[int, Tree], int] = {}
    leaves = [(b, place) for b, length in enumerate(lengths.tolist()) for place in range(length)]
    for leaf in leaves:
        rows[leaf] = len(rows)
    levels = []
    nodes = [(b, node) for b, tree in enumerate(trees) for node in _inner(tree)]
    for height in range(1, max((_height(tree) for tree in trees), default=0) + 1):
        level = [(b, node) for b, node in nodes if _height(node) == height]
        left = torch.tensor([rows[b, node[0]] for b, node in level])
        right = torch.tensor([rows[b, node[1]] for b, node in level])
        levels.append((left, right))
        for b, node in level:
            rows[b, node] = len(rows)
    places = torch.tensor([b * columns + place for b, place in leaves])
    return Forest(places, tuple(levels), torch.tensor([rows[b, tree] for b, tree in enumerate(trees)]))


def weights_of(net: torch.nn.Module) -> dict[str, np.ndarray[Any, Any]]:
    """Read the state of a network as arrays by name."""
    return {name: value.detach().numpy() for name, value in net.state_dict().items()}


def _sentence(length: int, width: int, rng: np.random.Generator) -> Sentence:
    spelling = [rng.integers(1, 31, rng.integers(1, 10)).tolist() for _ in range(length)]
    return Sentence(rng.standard_normal((length, width)), spelling, _tree(0, length, rng))


def _tree(start: int, end: int, rng: np.random.Generator) -> Tree:
    if end - start == 1:
        return start
    split = int(rng.integers(start + 1, end))
    return (_tree(start, split, rng), _tree(split, end, rng))


def _inner(tree: Tree) -> list[Tree]:
    return [] if isinstance(tree, int) else [*_inner(tree[0]), *_inner(tree[1]), tree]


def _height(tree: Tree) -> int:
    return 0 if isinstance(tree, int) else 1 + max(_height(tree[0]), _height(tree[1]))
