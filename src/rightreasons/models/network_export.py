"""A trained network as an ONNX graph: row numbers of words and lengths in, logits out; checked against the network."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.io.outputs import write_atomically
from rightreasons.models.network_folder import load_trained_network
from rightreasons.models.network_job import INPUT_NAMES, OnnxRunner, TorchRunner
from rightreasons.models.transformer_export import (
    refuse_inexact_graph,
    require_export_package,
    silence_exporter,
)
from rightreasons.nets.declaration import NETS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import torch

    from rightreasons.models.network_folder import LoadedNetwork
    from rightreasons.nets.batches import TokenBatch

LOGIT_TOLERANCE = 1e-4  # largest difference from the logits of the network
_OPSET = 17
_CHECK_SHAPES = ((2, 5, 3), (1, 1, 1), (3, 4, 9), (7, 23, 2))  # pairs, words of premises and of hypotheses
_UNSUPPORTED_INPUTS = {"forest": "reads trees", "letters": "reads spellings"}


def export_network(folder: str | Path, out: str | Path, *, force: bool = False) -> None:
    """Export the network of a folder for any number of pairs and words; a graph with other logits is refused."""
    loaded = load_trained_network(folder)
    with write_atomically(out, force=force) as part:
        export_loaded_network(loaded, part, str(folder))


def export_loaded_network(loaded: LoadedNetwork, out: Path, name: str) -> None:
    """Write the graph, and check it on batches of other shapes than the traced one."""
    require_export_package("onnx", name)
    _refuse_untraceable_network(loaded, name)
    traced, *others = (_make_check_batch(loaded, *shape) for shape in _CHECK_SHAPES)
    try:
        _trace_network(loaded, traced, out)
    except (RuntimeError, TypeError, ValueError, AttributeError, LookupError) as error:
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InputError(
            f"The network in {name} can't be exported: {first.rstrip('.')}. Use -o backend=torch."
        ) from error
    ours, theirs = OnnxRunner(out), TorchRunner(loaded.network)
    farthest = max(float(np.abs(ours(*batch) - theirs(*batch)).max()) for batch in (traced, *others))
    refuse_inexact_graph(f"the network in {name}", farthest, LOGIT_TOLERANCE)


def _refuse_untraceable_network(loaded: LoadedNetwork, name: str) -> None:
    """Refuse networks that read more than words, or whose predictions depend on the batch."""
    net = loaded.description.net
    for needed in NETS[net].needs:
        raise InputError(
            f"The network {net!r} {_UNSUPPORTED_INPUTS[needed]}, but an exported graph reads only words. "
            "Use -o backend=torch."
        )
    if loaded.description.literal:
        raise InputError(
            f"The network in {name} was trained with literal=true: its predictions may depend on the batches. "
            "Use -o backend=torch."
        )


def _trace_network(loaded: LoadedNetwork, batch: tuple[TokenBatch, TokenBatch], out: Path) -> None:
    import torch

    from rightreasons.nets.batches import TokenBatch

    class NetworkLogits(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.network = loaded.network

        def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
            premise, premise_lengths, hypothesis, hypothesis_lengths = inputs
            logits: torch.Tensor = self.network(
                TokenBatch(premise, premise_lengths), TokenBatch(hypothesis, hypothesis_lengths)
            )
            return logits

    inputs = tuple(tensor for side in batch for tensor in (side.words, side.lengths))
    axes = {
        name: {0: "batch"} | ({} if "lengths" in name else {1: f"words of {name}"}) for name in INPUT_NAMES
    }
    with silence_exporter(), torch.no_grad(), _register_transpose_export():
        torch.onnx.export(
            NetworkLogits().eval(),
            inputs,
            str(out),
            input_names=list(INPUT_NAMES),
            output_names=["logits"],
            dynamic_axes=axes | {"logits": {0: "batch"}},
            opset_version=_OPSET,
            dynamo=False,
        )


@contextmanager
def _register_transpose_export() -> Iterator[None]:
    """Register how to export the transpose of a stack of matrices, which the exporter lacks."""
    from torch import onnx

    def transpose_matrices(graph: Any, matrices: Any) -> Any:
        return graph.op("Transpose", matrices, perm_i=[0, 2, 1])

    onnx.register_custom_op_symbolic("aten::mT", transpose_matrices, _OPSET)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        onnx.unregister_custom_op_symbolic("aten::mT", _OPSET)  # type: ignore[attr-defined]


def _make_check_batch(loaded: LoadedNetwork, pairs: int, *widths: int) -> tuple[TokenBatch, TokenBatch]:
    """Make a batch of words from the whole vocabulary, the first sentence in full width."""
    premise, hypothesis = (
        _make_check_sentences(len(loaded.text_encoder.vocabulary), pairs, width) for width in widths
    )
    return premise, hypothesis


def _make_check_sentences(rows: int, pairs: int, width: int) -> TokenBatch:
    import torch

    from rightreasons.nets.batches import TokenBatch

    lengths = width - np.arange(pairs) % width
    words = 1 + np.arange(pairs * width).reshape(pairs, width) * 7 % (rows - 1)
    is_word = np.arange(width) < lengths[:, None]
    return TokenBatch(torch.from_numpy(np.where(is_word, words, 0)), torch.from_numpy(lengths))
