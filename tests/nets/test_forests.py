"""Forests: whole trees from transitions, and batches of them that keep every child in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.nets.forests import build_trees_from_transitions, make_forest, merge_forests

if TYPE_CHECKING:
    from rightreasons.nets.batches import Forest
    from rightreasons.nets.forests import Trees

SHAPES = st.recursive(st.just(0), lambda part: st.tuples(part, part), max_leaves=12)
FORESTS = st.lists(SHAPES, min_size=1, max_size=9)


def transitions(shape: Any) -> list[bool]:
    return [False] if shape == 0 else [*transitions(shape[0]), *transitions(shape[1]), True]


def trees_of(shapes: list[Any]) -> Trees:
    steps = [transitions(shape) for shape in shapes]
    counts = np.array([len(some) for some in steps])
    return build_trees_from_transitions(np.concatenate([np.array(some) for some in steps]), counts)


def spelled(shape: Any, places: Any) -> str:
    """Write a tree with the places of its words, taken in order."""
    return str(next(places)) if shape == 0 else f"({spelled(shape[0], places)} {spelled(shape[1], places)})"


def read_back(forest: Forest) -> list[str]:
    """Write the trees of a forest with the places of their words."""
    rows = [str(place) for place in forest.leaves.tolist()]
    for left, right in forest.levels:
        pairs = zip(left.tolist(), right.tolist(), strict=True)
        rows += [f"({rows[one]} {rows[two]})" for one, two in list(pairs)]
    return [rows[root] for root in forest.roots.tolist()]


def height(shape: Any) -> int:
    return 0 if shape == 0 else 1 + max(map(height, shape))


@given(FORESTS, st.randoms(use_true_random=False))
def test_a_forest_has_the_trees_of_its_sentences(shapes: list[Any], chance: Any) -> None:
    trees = trees_of(shapes)
    rows = [chance.randrange(len(shapes)) for _ in range(5)]
    width = int(trees.lengths.max()) + 2
    forest = make_forest(trees, np.array(rows), width)
    wanted = [spelled(shapes[row], iter(range(at * width, (at + 1) * width))) for at, row in enumerate(rows)]
    assert read_back(forest) == wanted
    assert len(forest.levels) == max(height(shapes[row]) for row in rows)


@given(FORESTS, FORESTS)
def test_two_forests_are_joined_into_one(one: list[Any], two: list[Any]) -> None:
    forests = [make_forest(trees_of(shapes), np.arange(len(shapes)), 12) for shapes in (one, two)]
    both = merge_forests(*forests, 12 * len(one))
    wanted = make_forest(trees_of(one + two), np.arange(len(one) + len(two)), 12)
    assert read_back(both) == read_back(wanted)
    assert len(both.levels) == len(wanted.levels)


def test_a_level_holds_the_nodes_of_one_height_in_all_trees() -> None:
    forest = make_forest(trees_of([((0, 0), (0, 0)), (0, (0, 0)), 0]), np.arange(3), 4)
    assert [len(left) for left, _ in forest.levels] == [3, 2]


@pytest.mark.parametrize("length", [1, 2, 100, 2000])
def test_no_tree_is_too_deep(length: int) -> None:
    steps = np.array([False] * length + [True] * (length - 1))
    trees = build_trees_from_transitions(steps, np.array([len(steps)]))
    forest = make_forest(trees, np.zeros(1, dtype=np.int64), length)
    assert len(forest.levels) == length - 1
    assert trees.heights.tolist() == list(range(1, length))
    assert trees.left[-1:].tolist() == [0] * (length > 1)
