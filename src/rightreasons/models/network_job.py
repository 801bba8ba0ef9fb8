"""Some pairs as words, asked batch by batch of a trained network."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.core.pairs import TEXTS
from rightreasons.core.parts import Job
from rightreasons.models.backends import list_onnx_errors, session_of
from rightreasons.models.encoding import Limit, deal_both
from rightreasons.models.heads import make_predictions
from rightreasons.nets.text.splitting import split
from rightreasons.nets.text.vocabulary import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import polars as pl
    import torch
    from numpy.typing import NDArray

    from rightreasons.core.parts import Rows
    from rightreasons.nets.batches import EmbeddingNetwork, TokenBatch
    from rightreasons.nets.text.encoder import EncodedTexts, TextEncoder


WORDS = 4096  # of a batch, both sentences counted
_NOTHING = "-"
# All that Python takes for space, as the tokenizer does; polars knows some fewer.
_SPACE = "".join(sign for sign in map(chr, range(0x3001)) if sign.isspace())


class NetworkJob(Job):
    """Pairs that were read, and the network that they are put to."""

    workers = 1  # torch uses all cores for one batch

    def __init__(
        self,
        pairs: pl.DataFrame,
        reader: TextEncoder,
        run: Runner,
        order: Sequence[str],
        *,
        parser: str | None = None,
        batch_size: int | None = None,
        in_order: bool = False,
    ) -> None:
        """Read the pairs; batches are of like length, or with `in_order` as the pairs come."""
        self.reader, self.run, self.order = reader, run, tuple(order)
        self.batch_size, self.in_order = batch_size, in_order
        self.sides = self._read(pairs, parser)
        self.blank = [
            (encoded.lengths == 0) | _blank(pairs[side]).to_numpy()
            for side, encoded in zip(TEXTS, self.sides, strict=True)
        ]

    def _read(self, pairs: pl.DataFrame, parser: str | None) -> list[EncodedTexts]:
        """Read both sides, by their parses where the network reads trees."""
        config = self.reader.config
        parses: Sequence[pl.Series | None] = (None, None)
        if config.forest:
            from rightreasons.nets.text.parsing import collect_parses

            parses = collect_parses(_filled(pairs), parser)
        texts = (pairs[side] for side in TEXTS)
        found = (split(text, parse, config) for text, parse in zip(texts, parses, strict=True))
        return [self.reader.encode_split(side) for side in found]

    @property
    def refused(self) -> dict[int, str]:
        """List the pairs that have a side without words."""
        found: dict[int, str] = {}
        for side, blank in zip(TEXTS, self.blank, strict=True):
            for row in np.flatnonzero(blank).tolist():
                found.setdefault(row, f"the {side} has no words")
        return found

    @cached_property
    def batches(self) -> list[Rows]:
        """Deal the pairs that have words on both sides."""
        asked = np.flatnonzero(~(self.blank[0] | self.blank[1]))
        if self.in_order:
            size = self.batch_size or 1
            return [asked[start : start + size] for start in range(0, len(asked), size)]
        limit = Limit(tokens=None if self.batch_size else WORDS, pairs=self.batch_size)
        lengths = np.stack([side.lengths for side in self.sides], axis=1)[asked]
        return [asked[batch] for batch in deal_both(lengths, limit)]

    @property
    def facts(self) -> dict[str, Any]:
        """Say how the pairs were asked."""
        config = self.reader.config
        facts = {**self.run.facts, "unknown": config.unknown}
        # Words that are deleted leave no trace to be counted.
        return facts if config.unknown == "delete" else facts | {"unknown_words": self._unknown()}

    def _unknown(self) -> int:
        """Count the words of all different sentences that the network doesn't know."""
        return sum(int((encoded.ids == UNKNOWN).sum()) for encoded in self.sides)

    def predict_batch(self, rows: Rows) -> pl.DataFrame:
        """Predict some pairs, in their order."""
        return make_predictions(self.outputs(rows), self.order)

    def outputs(self, rows: Rows) -> NDArray[np.float32]:
        """Compute the logits of some pairs."""
        premise, hypothesis = (self.reader.tokens(encoded, rows) for encoded in self.sides)
        return self.run(premise, hypothesis)


def _filled(pairs: pl.DataFrame) -> pl.DataFrame:
    """Number pairs for a parser's messages, and give texts without words one: they are refused, but not by it."""
    texts = [pairs[side].set(_blank(pairs[side]), _NOTHING) for side in TEXTS]
    return pairs.with_columns(texts).with_row_index("id", 1)


def _blank(texts: pl.Series) -> pl.Series:
    """Tell which texts have no words."""
    return texts.fill_null("").str.strip_chars(_SPACE) == ""


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
        except list_onnx_errors() as error:
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
