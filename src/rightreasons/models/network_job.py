"""Pairs as words, and the predictions of a trained network, batch by batch."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.core.pairs import TEXTS
from rightreasons.core.parts import Job
from rightreasons.models.logit_backends import list_onnx_error_types, load_onnx_session
from rightreasons.models.output_labels import make_predictions_from_logits
from rightreasons.models.pair_encoding import BatchLimit, make_batches_by_both_lengths
from rightreasons.nets.text.tokenization import tokenize_column
from rightreasons.nets.text.vocabulary import UNKNOWN_ROW

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import polars as pl
    import torch
    from numpy.typing import NDArray

    from rightreasons.core.parts import Rows
    from rightreasons.nets.batches import EmbeddingNetwork, TokenBatch
    from rightreasons.nets.text.encoder import EncodedTexts, TextEncoder


BATCH_WORDS = 4096  # in a batch, of premises and hypotheses together
_PLACEHOLDER = "-"
# All whitespace of Python, which the tokenizer uses; polars strips less.
_WHITESPACE = "".join(sign for sign in map(chr, range(0x3001)) if sign.isspace())


class NetworkJob(Job):
    """Encoded pairs, and the network that predicts them."""

    workers = 1  # torch uses all cores for one batch

    def __init__(
        self,
        pairs: pl.DataFrame,
        text_encoder: TextEncoder,
        runner: NetworkRunner,
        labels: Sequence[str],
        *,
        parser: str | None = None,
        batch_size: int | None = None,
        in_order: bool = False,
    ) -> None:
        """Encode the pairs; batches have pairs of similar length, or keep the order with `in_order`."""
        self.text_encoder, self.runner, self.labels = text_encoder, runner, tuple(labels)
        self.batch_size, self.in_order = batch_size, in_order
        self.encoded_sides = self._encode_sides(pairs, parser)
        self.is_blank = [
            (encoded.lengths == 0) | _mark_blank_texts(pairs[side]).to_numpy()
            for side, encoded in zip(TEXTS, self.encoded_sides, strict=True)
        ]

    def _encode_sides(self, pairs: pl.DataFrame, parser: str | None) -> list[EncodedTexts]:
        """Encode premises and hypotheses, from their parses if the network reads trees."""
        config = self.text_encoder.config
        parses: Sequence[pl.Series | None] = (None, None)
        if config.forest:
            from rightreasons.nets.text.binary_parses import collect_binary_parses

            parses = collect_binary_parses(_fill_blank_texts(pairs), parser)
        texts = (pairs[side] for side in TEXTS)
        tokenized = (tokenize_column(text, parse, config) for text, parse in zip(texts, parses, strict=True))
        return [self.text_encoder.encode_tokenized(side) for side in tokenized]

    @property
    def refused(self) -> dict[int, str]:
        """List the pairs that have a side without words."""
        reasons: dict[int, str] = {}
        for side, blank in zip(TEXTS, self.is_blank, strict=True):
            for row in np.flatnonzero(blank).tolist():
                reasons.setdefault(row, f"the {side} has no words")
        return reasons

    @cached_property
    def batches(self) -> list[Rows]:
        """Divide the pairs with words in both sentences into batches."""
        rows = np.flatnonzero(~(self.is_blank[0] | self.is_blank[1]))
        if self.in_order:
            size = self.batch_size or 1
            return [rows[start : start + size] for start in range(0, len(rows), size)]
        limit = BatchLimit(tokens=None if self.batch_size else BATCH_WORDS, pairs=self.batch_size)
        lengths = np.stack([side.lengths for side in self.encoded_sides], axis=1)[rows]
        return [rows[batch] for batch in make_batches_by_both_lengths(lengths, limit)]

    @property
    def facts(self) -> dict[str, Any]:
        """Return how the predictions were computed."""
        config = self.text_encoder.config
        facts = {**self.runner.facts, "unknown": config.unknown}
        # Deleted words can't be counted.
        return facts if config.unknown == "delete" else facts | {"unknown_words": self._count_unknown_words()}

    def _count_unknown_words(self) -> int:
        """Count the unknown words of all distinct sentences."""
        return sum(int((encoded.ids == UNKNOWN_ROW).sum()) for encoded in self.encoded_sides)

    def predict_batch(self, rows: Rows) -> pl.DataFrame:
        """Predict some pairs, in their order."""
        return make_predictions_from_logits(self.compute_logits(rows), self.labels)

    def compute_logits(self, rows: Rows) -> NDArray[np.float32]:
        """Compute the logits of some pairs."""
        premise, hypothesis = (
            self.text_encoder.make_token_batch(encoded, rows) for encoded in self.encoded_sides
        )
        return self.runner(premise, hypothesis)


def _fill_blank_texts(pairs: pl.DataFrame) -> pl.DataFrame:
    """Number pairs for messages of a parser, and put a placeholder in blank texts: the job refuses them itself."""
    texts = [pairs[side].set(_mark_blank_texts(pairs[side]), _PLACEHOLDER) for side in TEXTS]
    return pairs.with_columns(texts).with_row_index("id", 1)


def _mark_blank_texts(texts: pl.Series) -> pl.Series:
    """Mark the texts without words."""
    return texts.fill_null("").str.strip_chars(_WHITESPACE) == ""


INPUT_NAMES = ("premise", "premise_lengths", "hypothesis", "hypothesis_lengths")


class NetworkRunner(Protocol):
    """Computes the logits of a batch."""

    facts: dict[str, Any]  # recorded in the run's card

    def __call__(self, premise: TokenBatch, hypothesis: TokenBatch) -> NDArray[np.float32]:
        """Compute the logits of a batch: (B, labels)."""


class TorchRunner:
    """Runs the torch module on its device."""

    def __init__(self, network: EmbeddingNetwork) -> None:
        """Wrap a loaded network."""
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
            sides = (move_batch_to_device(side, self.device) for side in (premise, hypothesis))
            logits: NDArray[np.float32] = self.network(*sides).float().cpu().numpy()
        return logits


class OnnxRunner:
    """Runs an exported graph."""

    def __init__(self, path: Path) -> None:
        """Load the graph."""
        import onnxruntime  # type: ignore[import-untyped]

        self.session = load_onnx_session(path)
        self.inputs = [node.name for node in self.session.get_inputs()]
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
        inputs = {
            name: tensor.numpy()
            for name, tensor in zip(INPUT_NAMES, tensors, strict=True)
            if name in self.inputs
        }
        try:
            (logits,) = self.session.run(["logits"], inputs)
        except list_onnx_error_types() as error:
            first = str(error).strip().splitlines()[0].rstrip(". ")
            raise InputError(
                f"The graph of the network fails on a batch: {first}. Use -o backend=torch."
            ) from error
        outputs: NDArray[np.float32] = logits
        return outputs


def move_batch_to_device(tokens: TokenBatch, device: torch.device) -> TokenBatch:
    """Move a batch to a device; the lengths stay on the CPU."""
    if device.type == "cpu":
        return tokens
    forest = tokens.forest and tokens.forest._replace(
        leaves=tokens.forest.leaves.to(device),
        levels=tuple((left.to(device), right.to(device)) for left, right in tokens.forest.levels),
        roots=tokens.forest.roots.to(device),
    )
    letters = None if tokens.letters is None else tokens.letters.to(device)
    return tokens._replace(words=tokens.words.to(device), letters=letters, forest=forest)
