"""What computes a trained network's logits: torch, or ONNX Runtime with an exported graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from rightreasons.core.errors import InputError
from rightreasons.models.onnx_backend import errors, session_of

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import torch
    from numpy.typing import NDArray

    from rightreasons.nets.batches import EmbeddingNetwork, TokenBatch

INPUTS = ("premise", "premise_lengths", "hypothesis", "hypothesis_lengths")


class Runner(Protocol):
    """Computes the logits of a batch."""

    facts: dict[str, Any]  # what the run's card keeps

    def __call__(self, premise: TokenBatch, hypothesis: TokenBatch) -> NDArray[np.float32]:
        """Compute the logits of a batch: (B, labels)."""


class TorchRunner:
    """Asks the network itself, where it is."""

    def __init__(self, network: EmbeddingNetwork) -> None:
        """Take a loaded network."""
        import torch

        self.network = network.eval()
        first = next(network.net.parameters())
        self.device = first.device
        self.facts: dict[str, Any] = {
            "backend": "torch",
            "dtype": str(first.dtype).removeprefix("torch."),
            "device": str(first.device),
            "threads": torch.get_num_threads(),
            "torch": torch.__version__,
        }

    def __call__(self, premise: TokenBatch, hypothesis: TokenBatch) -> NDArray[np.float32]:
        """Compute the logits of a batch."""
        import torch

        with torch.inference_mode():
            sides = (on_device(side, self.device) for side in (premise, hypothesis))
            logits: NDArray[np.float32] = self.network(*sides).float().cpu().numpy()
        return logits


class OnnxRunner:
    """Asks an exported graph."""

    def __init__(self, path: Path) -> None:
        """Load the graph."""
        import onnxruntime  # type: ignore[import-untyped]

        self.session = session_of(path)
        self.inputs = [put.name for put in self.session.get_inputs()]
        facts = {
            "backend": "onnx",
            "dtype": "float32",
            "device": "cpu",
            "onnxruntime": onnxruntime.__version__,
        }
        self.facts: dict[str, Any] = facts

    def __call__(self, premise: TokenBatch, hypothesis: TokenBatch) -> NDArray[np.float32]:
        """Compute the logits of a batch; a graph that needs no lengths has no input for them."""
        tensors = (premise.words, premise.lengths, hypothesis.words, hypothesis.lengths)
        given = {
            name: tensor.numpy() for name, tensor in zip(INPUTS, tensors, strict=True) if name in self.inputs
        }
        try:
            (logits,) = self.session.run(["logits"], given)
        except errors() as error:
            first = str(error).strip().splitlines()[0].rstrip(". ")
            raise InputError(
                f"The graph of the network fails on a batch: {first}. Use -o backend=torch."
            ) from error
        outputs: NDArray[np.float32] = logits
        return outputs


def on_device(tokens: TokenBatch, device: torch.device) -> TokenBatch:
    """Move a batch to where the network is; the lengths stay."""
    if device.type == "cpu":
        return tokens
    forest = tokens.forest and tokens.forest._replace(
        leaves=tokens.forest.leaves.to(device),
        levels=tuple((left.to(device), right.to(device)) for left, right in tokens.forest.levels),
        roots=tokens.forest.roots.to(device),
    )
    letters = None if tokens.letters is None else tokens.letters.to(device)
    return tokens._replace(words=tokens.words.to(device), letters=letters, forest=forest)
