"""Pairs as token ids, and their predictions, batch by batch."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rightreasons.core.errors import InputError, MissingPredictionsError
from rightreasons.core.labels import ENTAILMENT
from rightreasons.core.parts import Job
from rightreasons.models.output_labels import make_predictions_from_logits
from rightreasons.models.pair_encoding import BatchLimit, choose_tokens_per_batch, make_batches_by_length

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from numpy.typing import NDArray

    from rightreasons.core.parts import Rows
    from rightreasons.models.pair_encoding import EncodedPairs, LongPremises, Numbers

SAMPLE_PAIRS = 200  # pairs on which a quantized network is compared with the exact one
_SAMPLE_BATCH_ROWS = 20  # rows of that comparison


class Backend(Protocol):
    """Computes logits: a batch of token ids in, a row of logits for each row out."""

    facts: dict[str, Any]  # recorded in the run's card: backend, dtype, device, threads
    batch_tokens: tuple[int, ...]  # tokens in a batch: the usual number, then others worth a trial
    workers: int  # number of batches to compute at the same time

    def compute_logits(self, ids: Numbers, types: Numbers, mask: Numbers) -> NDArray[np.float32]:
        """Compute the logits; raise MemoryError if the batch is too large."""


class TransformerJob(Job):
    """Pairs as rows of tokens, and the backend that predicts them."""

    workers: int = 1

    def __init__(
        self,
        encoded: EncodedPairs,
        backend: Backend,
        order: Sequence[str],
        *,
        pad_id: int,
        max_length: int,
        long: LongPremises = "cut",
        batch_size: int | None = None,
        exact: Backend | None = None,
        can_pad: bool = True,
    ) -> None:
        """Prepare the pairs; with `exact`, agreement with that backend is measured on a sample.

        Rows of different lengths are run together only with `can_pad`: padding does not change their logits.
        """
        self.encoded, self.backend, self.exact, self.order = encoded, backend, exact, tuple(order)
        self.pad_id, self.max_length, self.long, self.batch_size = pad_id, max_length, long, batch_size
        self.can_pad, self.workers = can_pad, backend.workers
        self.halved_batches = 0
        self.max_tokens: int | None = None  # tokens that fit into memory, known after a failure
        # The rows of pair i are those from first_rows[i] up to first_rows[i + 1].
        self.first_rows = np.searchsorted(encoded.pair_indices, np.arange(len(encoded.is_long) + 1))

    @cached_property
    def batches(self) -> list[Rows]:
        """Divide the pairs into batches; only now are batch sizes tried."""
        rows = np.diff(self.first_rows)
        pairs = np.flatnonzero(rows)
        if not len(pairs):
            return []
        lengths = np.maximum.reduceat(self.encoded.lengths, self.first_rows[pairs])
        tokens = self.batch_tokens and min(self.batch_tokens, -(-int(lengths.sum()) // self.workers))
        limit = BatchLimit(
            tokens=tokens, pairs=self.batch_size
        )  # a small job is divided among the workers, too
        return [pairs[batch] for batch in make_batches_by_length(lengths, rows[pairs], limit)]

    @cached_property
    def batch_tokens(self) -> int | None:
        """The number of tokens in a batch; None if the number of pairs is set."""
        if self.batch_size is not None:
            return None
        usual, *others = self.backend.batch_tokens
        return choose_tokens_per_batch(
            usual, others, self.encoded.lengths, lambda rows: self._run_backend(self.backend, rows)
        )

    @property
    def refused(self) -> dict[int, str]:
        """List the pairs whose hypothesis is too long; it is never cut."""
        reason = f"the hypothesis leaves no room for the premise in {self.max_length} tokens"
        return {int(pair): reason for pair in self.encoded.refused}

    @property
    def facts(self) -> dict[str, Any]:
        """Return how the predictions were computed."""
        facts = {**self.backend.facts, "max_length": self.max_length, "long": self.long}
        facts |= {what: len(pairs) for what, pairs in self.marked.items()}
        facts |= {} if self.long == "cut" else {"rows": len(self.encoded)}
        if "batch_tokens" in vars(self) or self.batch_size:  # a resumed job has no plan of its own
            facts |= {"batch_tokens": self.batch_tokens, "batch_size": self.batch_size}
        facts |= {"halved_batches": self.halved_batches} if self.halved_batches else {}
        return facts | self.exact_agreement

    @property
    def marked(self) -> dict[str, Rows]:
        """List the pairs whose premise did not fit; the refused ones are neither cut nor split."""
        long = np.setdiff1d(np.flatnonzero(self.encoded.is_long), self.encoded.refused)
        return {"cut" if self.long == "cut" else "windows": long}

    def predict_batch(self, rows: Rows) -> pl.DataFrame:
        """Predict some pairs, in their order."""
        return make_predictions_from_logits(self.compute_pair_logits(rows), self.order)

    def compute_pair_logits(self, rows: Rows) -> NDArray[np.floating[Any]]:
        """Compute the logits of some pairs; the windows of a pair are combined in one row."""
        counts = self.first_rows[rows + 1] - self.first_rows[rows]
        inside = np.concatenate([np.arange(self.first_rows[row], self.first_rows[row + 1]) for row in rows])
        logits = self._compute_row_logits(inside)
        self._check_output_count(logits)
        if len(inside) == len(rows):
            return logits
        return np.stack(
            [self._combine_window_logits(part) for part in np.split(logits, np.cumsum(counts)[:-1])]
        )

    @cached_property
    def exact_agreement(self) -> dict[str, Any]:
        """Compare with the exact backend on pairs that are spread evenly over the job."""
        pairs = np.flatnonzero(np.diff(self.first_rows))
        if self.exact is None or not len(pairs):
            return {}
        places = np.linspace(0, len(pairs) - 1, min(SAMPLE_PAIRS, len(pairs))).astype(np.int64)
        rows = self.first_rows[pairs[places]]
        rows = rows[np.argsort(self.encoded.lengths[rows], kind="stable")]
        parts = np.array_split(rows, -(-len(rows) // _SAMPLE_BATCH_ROWS))
        exact, ours = (
            np.concatenate([_softmax(self._run_backend(backend, part)) for part in parts])
            for backend in (self.exact, self.backend)
        )
        same = float((exact.argmax(axis=1) == ours.argmax(axis=1)).mean())
        farthest = float(np.abs(exact - ours).max())
        return {"int8_agreement": same, "int8_sample": len(rows), "int8_farthest": round(farthest, 4)}

    def _combine_window_logits(self, logits: NDArray[np.float32]) -> NDArray[np.float64]:
        """Combine the windows of a pair: the one with the most probable entailment, or the mean of probabilities."""
        shares = _softmax(logits)
        joined: NDArray[np.float64]
        if self.long == "window-max":  # the first one in a tie
            joined = logits[int(shares[:, self.order.index(ENTAILMENT)].argmax())].astype(np.float64)
        else:  # the softmax of log probabilities is these probabilities
            joined = np.log(np.maximum(shares.mean(axis=0), np.finfo(np.float64).tiny))
        return joined

    def _compute_row_logits(self, rows: Rows) -> NDArray[np.float32]:
        """Run the backend; if the batch does not fit into memory, run one half after the other."""
        tokens = len(rows) * int(self.encoded.lengths[rows].max())
        if self.max_tokens is None or tokens <= self.max_tokens or len(rows) == 1:
            try:
                return self._run_backend(self.backend, rows)
            except MemoryError as error:
                if len(rows) == 1:
                    message = f"An input of {tokens} tokens does not fit into memory. Lower max_length."
                    raise MissingPredictionsError(message) from error
            self.halved_batches += 1
            self.max_tokens = tokens // 2
        middle = len(rows) // 2
        return np.concatenate(
            [self._compute_row_logits(rows[:middle]), self._compute_row_logits(rows[middle:])]
        )

    def _check_output_count(self, logits: NDArray[np.float32]) -> None:
        """Refuse a number of outputs that differs from the number of labels."""
        outputs = logits.shape[1] if logits.ndim == 2 else 0  # noqa: PLR2004 - pairs and outputs
        if outputs != len(self.order):
            raise InputError(
                f"The network returned {outputs or 'no'} numbers per pair (shape {logits.shape}), but there are "
                f"{len(self.order)} labels: {', '.join(self.order)}. List one label per number in config.json or with "
                "-o labels=..."
            )

    def _run_backend(self, backend: Backend, rows: Rows) -> NDArray[np.float32]:
        lengths = self.encoded.lengths[rows]
        if self.can_pad or (lengths == lengths[0]).all():
            return backend.compute_logits(*self.encoded.pad_rows(rows, self.pad_id))
        # Rows of equal length are run together, then put back in order.
        order = np.argsort(lengths, kind="stable")
        cuts = np.flatnonzero(np.diff(lengths[order])) + 1
        parts = [
            backend.compute_logits(*self.encoded.pad_rows(rows[part], self.pad_id))
            for part in np.split(order, cuts)
        ]
        return np.concatenate(parts)[np.argsort(order)]


def _softmax(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    """Convert logits to probabilities."""
    powers = np.exp(logits.astype(np.float64) - logits.max(axis=1, keepdims=True))
    shares: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
    return shares
