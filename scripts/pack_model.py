"""Stores the large weights of an ONNX model as whole numbers of 8 bits, computed with as 32-bit floats.

    scripts/pack_model.py FULL.onnx PACKED.onnx

Each column of a matrix, or row of an embedding, has a scale of its own. Two small nodes (Cast, Mul) give the floats
back; ONNX Runtime folds them into plain weights when it loads the model. So the file is a quarter of the size, and
answers don't depend on which instructions for whole numbers a processor has.
"""

from __future__ import annotations

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SMALL = 10_000  # weights of fewer numbers stay as they are
LARGEST = 127


def packed(model: onnx.ModelProto) -> onnx.ModelProto:
    """Replace the large matrices of a model."""
    graph = model.graph
    # A scale for each row of embeddings, and of matrices that are stored with outputs as rows; else for each column.
    rows = {node.input[0] for node in graph.node if node.op_type == "Gather"}
    rows |= {node.input[1] for node in graph.node if node.op_type == "Gemm"}
    keep, nodes = [], []
    for weight in graph.initializer:
        values = numpy_helper.to_array(weight)
        if values.ndim != 2 or values.size < SMALL or values.dtype != np.float32:  # noqa: PLR2004 - a matrix
            keep.append(weight)
            continue
        axis = 1 if weight.name in rows else 0
        whole, scale = rounded(values, axis)
        keep += [
            numpy_helper.from_array(whole, f"{weight.name}.whole"),
            numpy_helper.from_array(scale, f"{weight.name}.scale"),
        ]
        nodes += [
            helper.make_node("Cast", [f"{weight.name}.whole"], [f"{weight.name}.cast"], to=TensorProto.FLOAT),
            helper.make_node("Mul", [f"{weight.name}.cast", f"{weight.name}.scale"], [weight.name]),
        ]
    later = list(graph.node)
    del graph.initializer[:], graph.node[:]
    graph.initializer.extend(keep)
    graph.node.extend([*nodes, *later])
    onnx.checker.check_model(model)
    return model


def rounded(values: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """Round to whole numbers, with one scale for each slice along the other axis."""
    largest = np.abs(values).max(axis=axis, keepdims=True)
    scale = np.where(largest > 0, largest / LARGEST, 1).astype(np.float32)
    return np.rint(values / scale).astype(np.int8), scale


if __name__ == "__main__":
    onnx.save(packed(onnx.load(sys.argv[1])), sys.argv[2])
