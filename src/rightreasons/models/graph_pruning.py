"""Prunes graphs to what the head reads: in the last layer, the first position alone.

Heads of BERT and similar models read only the vector of the first token. Between the last attention and the head, each
position is computed separately, so the first position can be selected right after that attention. This saves three
quarters of the work of the last layer and changes none of the remaining numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Operations that compute each position separately; MatMul does so with constant weights.
_ELEMENTWISE = (
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Pow",
    "Sqrt",
    "Erf",
    "Gelu",
    "Relu",
    "Sigmoid",
    "Tanh",
    "Identity",
)
_POSITIONWISE = {*_ELEMENTWISE, "LayerNormalization", "MatMul"}
_POSITION_AXIS = 1


def prune_last_layer(source: Path, out: Path) -> int:
    """Write a graph that computes only the first position where it can; return the number of such nodes."""
    import onnx

    model = onnx.load(source)
    graph = _ClassifierGraph(model.graph)
    pruned, chosen = graph.find_prunable_nodes()
    for node in pruned:
        for place, name in enumerate(node.input):
            if name in chosen:
                node.input[place] = f"{name}_first"
    _insert_gather_nodes(model.graph, chosen)
    del model.graph.value_info[:]  # they state the old shapes
    onnx.save(model, out)
    return len(pruned)


class _ClassifierGraph:
    """A graph with its constants and the consumers of each tensor."""

    def __init__(self, graph: Any) -> None:
        from onnx import numpy_helper

        self.graph = graph
        self.constants = {constant.name: tuple(constant.dims) for constant in graph.initializer}
        self.values = {constant.name: constant for constant in graph.initializer if not constant.dims}
        for node in graph.node:
            if node.op_type == "Constant" and node.attribute[0].name == "value":
                self.constants[node.output[0]] = tuple(node.attribute[0].t.dims)
                self.values[node.output[0]] = node.attribute[0].t
        self.values = {name: numpy_helper.to_array(value) for name, value in self.values.items()}
        self.consumers: dict[str, list[Any]] = {output.name: [None] for output in graph.output}
        for node in graph.node:
            for name in node.input:
                self.consumers.setdefault(name, []).append(node)

    def find_prunable_nodes(self) -> tuple[list[Any], list[str]]:
        """Find the nodes that need one position only, and the tensors to select it from before them.

        The consumers of a tensor come after it, so in reverse order all of them are known.
        """
        firsts = [node for node in self.graph.node if self._selects_first_position(node)]
        done = {id(node) for node in firsts}
        wanted = {node.input[0] for node in firsts}
        pruned, chosen = [], set(wanted)
        for node in reversed(self.graph.node):
            name = node.output[0] if node.output else ""
            if name not in wanted or not all(id(consumer) in done for consumer in self.consumers[name]):
                continue
            if node.op_type in _POSITIONWISE and self._is_positionwise(node):
                done.add(id(node))
                pruned.append(node)
                chosen.discard(name)
                inputs = set(self._list_variable_inputs(node))
                wanted |= inputs
                chosen |= inputs
        return pruned, sorted(chosen) if pruned else []

    def _selects_first_position(self, node: Any) -> bool:
        axes = [attribute.i for attribute in node.attribute if attribute.name == "axis"]
        if node.op_type != "Gather" or axes != [_POSITION_AXIS]:
            return False
        place = self.values.get(node.input[1])
        return place is not None and place.ndim == 0 and int(place) == 0

    def _is_positionwise(self, node: Any) -> bool:
        """Return whether the constants are weights of a product, or vectors that are the same for all positions."""
        ranks = [len(self.constants[name]) for name in node.input if name in self.constants]
        if node.op_type == "MatMul":
            return node.input[1] in self.constants and node.input[0] not in self.constants and ranks == [2]
        axes = [attribute.i for attribute in node.attribute if attribute.name == "axis"]
        return all(rank <= 1 for rank in ranks) and axes in ([], [-1])

    def _list_variable_inputs(self, node: Any) -> Iterator[str]:
        return (name for name in node.input if name and name not in self.constants)


def _insert_gather_nodes(graph: Any, chosen: list[str]) -> None:
    """Add nodes that select the first position, each right after its tensor."""
    from onnx import TensorProto, helper

    index = "rightreasons_first"
    graph.initializer.append(helper.make_tensor(index, TensorProto.INT64, [1], [0]))
    nodes = []
    for node in graph.node:
        nodes.append(node)
        nodes += [
            helper.make_node("Gather", [name, index], [f"{name}_first"], axis=_POSITION_AXIS)
            for name in node.output
            if name in chosen
        ]
    del graph.node[:]
    graph.node.extend(nodes)
