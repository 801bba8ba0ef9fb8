"""The narrowed graph gives the same logits with fewer operations, and only where positions are independent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

from rightreasons.models.graph_pruning import prune_last_layer

if TYPE_CHECKING:
    from pathlib import Path

TOKENS = np.random.default_rng(0).standard_normal((3, 5, 4)).astype(np.float32)


def write(path: Path, nodes: list[onnx.NodeProto], place: int = 0) -> Path:
    """Write a graph from (batch, length, 4) to (batch, 4) with some weights at hand."""
    values = np.random.default_rng(1).standard_normal(16).astype(np.float32)
    tensors = {
        "weights": ((4, 4), values),
        "bias": ((4,), values[:4]),
        "rows": ((5, 1), values[:5]),
    }
    initial = [
        helper.make_tensor(name, TensorProto.FLOAT, dims, data) for name, (dims, data) in tensors.items()
    ]
    initial.append(helper.make_tensor("place", TensorProto.INT64, [], [place]))
    last = helper.make_node("Gather", ["last", "place"], ["out"], axis=1)
    graph = helper.make_graph(
        [*nodes, last],
        "test",
        [helper.make_tensor_value_info("tokens", TensorProto.FLOAT, ["batch", "length", 4])],
        [helper.make_tensor_value_info("out", TensorProto.FLOAT, ["batch", 4])],
        initial,
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


def run(path: Path) -> np.ndarray:
    (out,) = onnxruntime.InferenceSession(path).run(None, {"tokens": TOKENS})
    return out


START = helper.make_node("Softmax", ["tokens"], ["start"], axis=1)  # mixes positions
LAYER = [
    helper.make_node("MatMul", ["start", "weights"], ["product"]),
    helper.make_node("Add", ["bias", "product"], ["biased"]),
    helper.make_node("Add", ["biased", "start"], ["summed"]),
    helper.make_node("LayerNormalization", ["summed", "bias"], ["last"], axis=-1),
]


def test_all_after_the_last_mixing_of_positions_is_narrowed(tmp_path: Path) -> None:
    path = write(tmp_path / "whole.onnx", [START, *LAYER])
    out = tmp_path / "narrow.onnx"
    assert prune_last_layer(path, out) == 4
    assert np.array_equal(run(out), run(path))
    nodes = onnx.load(out).graph.node
    assert [node.op_type for node in nodes][:3] == ["Softmax", "Gather", "MatMul"]


@pytest.mark.parametrize(
    ("nodes", "count"),
    [
        # Another reader needs all positions of what is read here.
        ([START, *LAYER[:3], helper.make_node("Softmax", ["summed"], ["last"], axis=1)], 0),
        # A constant that differs from position to position.
        ([START, *LAYER[:3], helper.make_node("Mul", ["summed", "rows"], ["last"])], 0),
        # A product of two tensors.
        ([START, helper.make_node("Transpose", ["start"], ["turned"], perm=[0, 2, 1]),
          helper.make_node("MatMul", ["start", "turned"], ["square"]),
          helper.make_node("MatMul", ["square", "start"], ["mixed"]),
          helper.make_node("Add", ["mixed", "bias"], ["last"])], 1),
    ],
)  # fmt: skip
def test_what_mixes_positions_is_left_alone(tmp_path: Path, nodes: list[onnx.NodeProto], count: int) -> None:
    path = write(tmp_path / "whole.onnx", nodes)
    assert prune_last_layer(path, tmp_path / "narrow.onnx") == count
    assert np.array_equal(run(tmp_path / "narrow.onnx"), run(path))


def test_another_place_than_the_first_is_left_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "whole.onnx", [START, *LAYER], place=1)
    assert prune_last_layer(path, tmp_path / "narrow.onnx") == 0
    assert np.array_equal(run(tmp_path / "narrow.onnx"), run(path))
