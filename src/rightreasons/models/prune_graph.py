"""Graphs that compute no more than the head reads: of the last layer, the first position alone.

Heads of BERT and its kin read only the first token's vector. What comes before works on each position by itself, back
to the last attention, so the choice of the first position can be moved back to there: three quarters of the last
layer's work falls away, and each number that is left is computed as before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Operations that treat each position by itself; MatMul does so with constant weights.
_ALONE = ("Add", "Sub", "Mul", "Div", "Pow", "Sqrt", "Erf", "Gelu", "Relu", "Sigmoid", "Tanh", "Identity")
_BY_POSITION = {*_ALONE, "LayerNormalization", "MatMul"}
_POSITIONS = 1  # the axis


def narrow(source: Path, out: Path) -> int:
    """Write a graph that computes the first position only where it can; say how many nodes do."""
    import onnx

    model = onnx.load(source)
    graph = _Graph(model.graph)
    narrowed, chosen = graph.narrowed()
    for node in narrowed:
        for place, name in enumerate(node.input):
            if name in chosen:
                node.input[place] = f"{name}_first"
    _insert(model.graph, chosen)
    del model.graph.value_info[:]  # the shapes that it states are those of before
    onnx.save(model, out)
    return len(narrowed)


class _Graph:
    """A graph with its constants and who reads what."""

    def __init__(self, graph: Any) -> None:
        from onnx import numpy_helper

        self.graph = graph
        self.constants = {one.name: tuple(one.dims) for one in graph.initializer}
        self.values = {one.name: one for one in graph.initializer if not one.dims}
        for node in graph.node:
            if node.op_type == "Constant" and node.attribute[0].name == "value":
                self.constants[node.output[0]] = tuple(node.attribute[0].t.dims)
                self.values[node.output[0]] = node.attribute[0].t
        self.values = {name: numpy_helper.to_array(value) for name, value in self.values.items()}
        self.readers: dict[str, list[Any]] = {one.name: [None] for one in graph.output}
        for node in graph.node:
            for name in node.input:
                self.readers.setdefault(name, []).append(node)

    def narrowed(self) -> tuple[list[Any], list[str]]:
        """List the nodes that need one position only, and the tensors of which it must be chosen before them.

        Whoever reads a tensor stands after it, so going backwards all its readers are known.
        """
        firsts = [node for node in self.graph.node if self._chooses_first(node)]
        done = {id(node) for node in firsts}
        wanted = {node.input[0] for node in firsts}
        narrowed, chosen = [], set(wanted)
        for node in reversed(self.graph.node):
            name = node.output[0] if node.output else ""
            if name not in wanted or not all(id(reader) in done for reader in self.readers[name]):
                continue
            if node.op_type in _BY_POSITION and self._is_by_position(node):
                done.add(id(node))
                narrowed.append(node)
                chosen.discard(name)
                inputs = set(self._tensors(node))
                wanted |= inputs
                chosen |= inputs
        return narrowed, sorted(chosen) if narrowed else []

    def _chooses_first(self, node: Any) -> bool:
        axes = [attribute.i for attribute in node.attribute if attribute.name == "axis"]
        if node.op_type != "Gather" or axes != [_POSITIONS]:
            return False
        place = self.values.get(node.input[1])
        return place is not None and place.ndim == 0 and int(place) == 0

    def _is_by_position(self, node: Any) -> bool:
        """Check the constants: weights of a product, or vectors that are the same for all positions."""
        ranks = [len(self.constants[name]) for name in node.input if name in self.constants]
        if node.op_type == "MatMul":
            return node.input[1] in self.constants and node.input[0] not in self.constants and ranks == [2]
        axes = [attribute.i for attribute in node.attribute if attribute.name == "axis"]
        return all(rank <= 1 for rank in ranks) and axes in ([], [-1])

    def _tensors(self, node: Any) -> Iterator[str]:
        return (name for name in node.input if name and name not in self.constants)


def _insert(graph: Any, chosen: list[str]) -> None:
    """Add nodes that choose the first position, each right after the tensor that it is chosen of."""
    from onnx import TensorProto, helper

    index = "rightreasons_first"
    graph.initializer.append(helper.make_tensor(index, TensorProto.INT64, [1], [0]))
    nodes = []
    for node in graph.node:
        nodes.append(node)
        nodes += [
            helper.make_node("Gather", [name, index], [f"{name}_first"], axis=_POSITIONS)
            for name in node.output
            if name in chosen
        ]
    del graph.node[:]
    graph.node.extend(nodes)
