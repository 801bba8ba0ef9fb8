"""From the binary trees of sentences to the forest of a batch, without a loop over nodes.

The trees of a corpus are read once. A batch needs only offsets and one sort: its nodes are ordered by height, so that
all nodes of one height, in all trees, are composed together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from rightreasons.nets.batches import Forest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


class Trees(NamedTuple):
    """The binary trees of many sentences, their nodes concatenated in the order of composition.

    In a sentence of n words, 0 to n - 1 are its words and n to 2n - 2 its nodes, the last of which is the root.
    """

    lengths: Numbers  # (S,) words of each sentence, at least 1
    starts: Numbers  # (S,) where the nodes of each sentence start
    left: Numbers  # (K,) the left child of each node, as its sentence numbers it
    right: Numbers  # (K,)
    heights: Numbers  # (K,) 1 above two words, else 1 more than the higher child


def build_trees_from_transitions(reduces: NDArray[np.bool_], counts: Numbers) -> Trees:
    """Read well-formed transitions, concatenated: a word (False) is shifted, a node (True) reduces the top two."""
    sentences = np.repeat(np.arange(len(counts)), counts)
    starts = np.cumsum(counts) - counts
    depths = compute_stack_depths(reduces, counts)
    numbers = _number_words_and_nodes(reduces, starts, sentences)
    # The top of the stack, the right child, is the last item. The left child is the last item at this depth.
    by_depth = np.lexsort((depths, sentences))
    before = np.empty_like(by_depth)
    before[by_depth[1:]] = by_depth[:-1]
    nodes = np.flatnonzero(reduces)
    lengths = np.bincount(sentences[~reduces], minlength=len(counts))
    left, right = numbers[before[nodes]], numbers[nodes - 1]
    node_starts = np.cumsum(lengths - 1) - (lengths - 1)
    return Trees(lengths, node_starts, left, right, _compute_node_heights(left, right, lengths, node_starts))


def compute_stack_depths(reduces: NDArray[np.bool_], counts: Numbers) -> Numbers:
    """Count the items on the stack after each transition: 1 at the end of a well-formed sentence, never less."""
    depths: Numbers = np.cumsum(np.where(reduces, -1, 1))
    before = np.concatenate(([0], depths))[np.cumsum(counts) - counts]
    depths -= np.repeat(before, counts)
    return depths


def _number_words_and_nodes(reduces: NDArray[np.bool_], starts: Numbers, sentences: Numbers) -> Numbers:
    """Number the words and nodes of each sentence: the words first, then the nodes."""
    words, nodes = np.cumsum(~reduces), np.cumsum(reduces)  # up to and with each
    lengths = np.bincount(sentences[~reduces], minlength=len(starts))
    as_word: Numbers = words - words[starts][sentences]  # a sentence starts with a word, its first
    as_node = nodes - nodes[starts][sentences] - 1 + lengths[sentences]
    return np.where(reduces, as_node, as_word)


def _compute_node_heights(left: Numbers, right: Numbers, lengths: Numbers, starts: Numbers) -> Numbers:
    """Compute the height of all nodes, lowest first, in one pass per height."""
    sentences = np.repeat(np.arange(len(lengths)), lengths - 1)
    heights = np.zeros(len(left) + 1, dtype=np.int64)  # the last entry is that of all words
    shift = (starts - lengths)[sentences]
    children = [np.where(side < lengths[sentences], len(left), side + shift) for side in (left, right)]
    known = np.zeros(len(heights), dtype=np.bool_)
    known[-1] = True
    unknown = np.arange(len(left))
    height = 0
    while len(unknown):
        height += 1
        ready = known[children[0][unknown]] & known[children[1][unknown]]
        heights[unknown[ready]] = height
        known[unknown[ready]] = True
        unknown = unknown[~ready]
    return heights[:-1]


def make_forest(trees: Trees, rows: Numbers, width: int) -> Forest:
    """Make the forest of some sentences, whose words are in rows of a table of the given width."""
    lengths = trees.lengths[rows]
    words, nodes = int(lengths.sum()), int(lengths.sum()) - len(rows)
    first_word = np.cumsum(lengths) - lengths
    first_node = first_word - np.arange(len(rows))
    leaves = np.arange(words) + np.repeat(np.arange(len(rows)) * width - first_word, lengths)
    owners = np.repeat(np.arange(len(rows)), lengths - 1)
    picked = np.arange(nodes) + (trees.starts[rows] - first_node)[owners]
    heights = trees.heights[picked]
    order = np.argsort(heights, kind="stable")
    places = np.empty(words + nodes, dtype=np.int64)  # the row of each word and node; all words come first
    places[:words] = np.arange(words)
    places[words + order] = words + np.arange(nodes)
    as_word, as_node = first_word[owners], (words + first_node - lengths)[owners]
    left, right = (
        torch.from_numpy(places[side + np.where(side < lengths[owners], as_word, as_node)][order])
        for side in (trees.left[picked], trees.right[picked])
    )
    sizes = np.bincount(heights, minlength=1)[1:].tolist()
    roots = places[np.where(lengths == 1, first_word, words + first_node + lengths - 2)]
    levels = tuple(zip(torch.split(left, sizes), torch.split(right, sizes), strict=True))
    return Forest(torch.from_numpy(leaves), levels, torch.from_numpy(roots))


def merge_forests(first: Forest, second: Forest, words: int) -> Forest:
    """Merge two forests; the words of the second come after those of the first, which are `words` in all."""
    sizes = [[len(forest.leaves), *(len(left) for left, _ in forest.levels)] for forest in (first, second)]
    tall = max(map(len, sizes))
    table = torch.tensor([row + [0] * (tall - len(row)) for row in sizes])  # (2, levels)
    ends = table.sum(0).cumsum(0)
    starts = torch.stack((ends - table.sum(0), ends - table[1]))  # of each forest's rows of a level
    shifts = starts - (table.cumsum(1) - table)
    device = first.leaves.device
    sides = [
        _renumber_forest_rows(forest, torch.repeat_interleave(shift, count).to(device))
        for forest, shift, count in zip((first, second), shifts, table, strict=True)
    ]
    levels = tuple(_concatenate_level_nodes(sides, level) for level in range(tall - 1))
    leaves = torch.cat((first.leaves, second.leaves + words))
    return Forest(leaves, levels, torch.cat([moved.roots for moved in sides]))


def _renumber_forest_rows(forest: Forest, shifts: torch.Tensor) -> Forest:
    """Renumber the rows of a forest; each is shifted by its own number."""
    rows = torch.arange(len(shifts), device=shifts.device) + shifts
    sizes = [len(left) for left, _ in forest.levels]
    if not sizes:
        return forest._replace(roots=rows[forest.roots])
    left, right = (torch.split(rows[torch.cat(side)], sizes) for side in zip(*forest.levels, strict=True))
    return Forest(forest.leaves, tuple(zip(left, right, strict=True)), rows[forest.roots])


def _concatenate_level_nodes(forests: list[Forest], level: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Concatenate the nodes of one level."""
    levels = [forest.levels[level] for forest in forests if level < len(forest.levels)]
    left, right = zip(*levels, strict=True)
    return torch.cat(left), torch.cat(right)
