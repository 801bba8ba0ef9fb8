"""A trained network as an ONNX graph: row numbers of words and lengths in, logits out; checked against the network."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.io.outputs import write_atomically
from rightreasons.models.exporting import need, silent
from rightreasons.models.network_folder import load_network
from rightreasons.models.network_job import INPUTS, OnnxRunner, TorchRunner
from rightreasons.nets.network import NETS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import torch

    from rightreasons.models.network_folder import Loaded
    from rightreasons.nets.batches import TokenBatch

NEAR = 1e-4  # how far logits may be from those of the network
_OPSET = 17
_SHAPES = ((2, 5, 3), (1, 1, 1), (3, 4, 9), (7, 23, 2))  # pairs, words of premises and of hypotheses
_MORE = {"forest": "reads trees", "letters": "reads spellings"}


def export_network(folder: str | Path, out: str | Path, *, force: bool = False) -> None:
    """Write the graph of a folder's network, for any number of pairs and words; one that differs is refused."""
    loaded = load_network(folder)
    with write_atomically(out, force=force) as part:
        export_loaded(loaded, part, str(folder))


def export_loaded(loaded: Loaded, out: Path, name: str) -> None:
    """Write the graph and ask it about batches of other shapes than the traced one."""
    need("onnx", name)
    _refuse_untraceable(loaded, name)
    traced, *others = (_batch(loaded, *shape) for shape in _SHAPES)
    try:
        _trace(loaded, traced, out)
    except (RuntimeError, TypeError, ValueError, AttributeError, LookupError) as error:
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InputError(f"The network in {name} can't be exported: {first} Use -o backend=torch.") from error
    ours, theirs = OnnxRunner(out), TorchRunner(loaded.network)
    farthest = max(float(np.abs(ours(*batch) - theirs(*batch)).max()) for batch in (traced, *others))
    if not farthest <= NEAR:
        raise InputError(
            f"The exported graph of {name} gives logits that are off by {farthest:.2g}. Use -o backend=torch."
        )


def _refuse_untraceable(loaded: Loaded, name: str) -> None:
    """Refuse networks that take more than words, or whose answers depend on batches."""
    net = loaded.description.net
    for needed in NETS[net].needs:
        raise InputError(
            f"The network {net!r} {_MORE[needed]}, which a graph has no input for. Use -o backend=torch."
        )
    if loaded.description.literal:
        raise InputError(
            f"The network in {name} is literal: its answers may depend on batches. Use -o backend=torch."
        )


def _trace(loaded: Loaded, batch: tuple[TokenBatch, TokenBatch], out: Path) -> None:
    import torch

    from rightreasons.nets.batches import TokenBatch

    class NetworkLogits(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.network = loaded.network

        def forward(self, *given: torch.Tensor) -> torch.Tensor:
            premise, premise_lengths, hypothesis, hypothesis_lengths = given
            logits: torch.Tensor = self.network(
                TokenBatch(premise, premise_lengths), TokenBatch(hypothesis, hypothesis_lengths)
            )
            return logits

    given = tuple(tensor for side in batch for tensor in (side.words, side.lengths))
    axes = {name: {0: "batch"} | ({} if "lengths" in name else {1: f"words of {name}"}) for name in INPUTS}
    with silent(), torch.no_grad(), _turning():
        torch.onnx.export(
            NetworkLogits().eval(),
            given,
            str(out),
            input_names=list(INPUTS),
            output_names=["logits"],
            dynamic_axes=axes | {"logits": {0: "batch"}},
            opset_version=_OPSET,
            dynamo=False,
        )


@contextmanager
def _turning() -> Iterator[None]:
    """Teach the exporter how a stack of matrices is turned, which it doesn't know by this name."""
    from torch import onnx

    def turned(graph: Any, matrices: Any) -> Any:
        return graph.op("Transpose", matrices, perm_i=[0, 2, 1])

    onnx.register_custom_op_symbolic("aten::mT", turned, _OPSET)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        onnx.unregister_custom_op_symbolic("aten::mT", _OPSET)  # type: ignore[attr-defined]


def _batch(loaded: Loaded, pairs: int, *widths: int) -> tuple[TokenBatch, TokenBatch]:
    """Make sentences of words from all over the vocabulary, the first as long as can be."""
    premise, hypothesis = (_side(len(loaded.reader.vocabulary), pairs, width) for width in widths)
    return premise, hypothesis


def _side(rows: int, pairs: int, width: int) -> TokenBatch:
    import torch

    from rightreasons.nets.batches import TokenBatch

    lengths = width - np.arange(pairs) % width
    words = 1 + np.arange(pairs * width).reshape(pairs, width) * 7 % (rows - 1)
    there = np.arange(width) < lengths[:, None]
    return TokenBatch(torch.from_numpy(np.where(there, words, 0)), torch.from_numpy(lengths))
