"""Some pairs as token ids, asked batch by batch of a network that gives logits."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rightreasons.core.errors import InputError, MissingPredictionsError
from rightreasons.core.labels import ENTAILMENT
from rightreasons.core.parts import Job
from rightreasons.models.encoding import Limit, best_tokens, deal
from rightreasons.models.heads import make_predictions

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from numpy.typing import NDArray

    from rightreasons.core.parts import Rows
    from rightreasons.models.encoding import EncodedPairs, Long, Numbers

SAMPLE = 200  # pairs on which a network of less precision is compared with the exact one
_AT_ONCE = 20  # rows of that comparison


class Backend(Protocol):
    """What computes: a batch of token ids in, a row of logits for each out."""

    facts: dict[str, Any]  # what the run's card keeps: backend, dtype, device, threads
    tokens: tuple[int, ...]  # of a batch: the usual number, then others worth a trial
    workers: int  # batches that it should be asked for at a time

    def logits(self, ids: Numbers, types: Numbers, mask: Numbers) -> NDArray[np.float32]:
        """Compute the outputs; MemoryError where the batch is too large."""


class TokenJob(Job):
    """Pairs as rows of tokens, and the backend that they are put to."""

    workers: int = 1

    def __init__(
        self,
        encoded: EncodedPairs,
        backend: Backend,
        order: Sequence[str],
        *,
        pad: int,
        max_length: int,
        long: Long = "cut",
        batch_size: int | None = None,
        exact: Backend | None = None,
        fills: bool = True,
    ) -> None:
        """Take the pairs; with `exact`, agreement with that backend is measured on a sample.

        Rows of several lengths are asked together only where the network `fills` them up without harm.
        """
        self.encoded, self.backend, self.exact, self.order = encoded, backend, exact, tuple(order)
        self.pad, self.max_length, self.long, self.batch_size = pad, max_length, long, batch_size
        self.fills, self.workers = fills, backend.workers
        self.halved = 0
        self.most: int | None = None  # tokens that memory holds, known once it didn't
        # The rows of pair i are those from first[i] up to first[i + 1].
        self.first = np.searchsorted(encoded.owners, np.arange(len(encoded.long) + 1))

    @cached_property
    def batches(self) -> list[Rows]:
        """Deal the pairs; the trial of batch sizes waits until somebody wants the plan."""
        rows = np.diff(self.first)
        asked = np.flatnonzero(rows)
        if not len(asked):
            return []
        lengths = np.maximum.reduceat(self.encoded.lengths, self.first[asked])
        tokens = self.batch_tokens and min(self.batch_tokens, -(-int(lengths.sum()) // self.workers))
        limit = Limit(tokens=tokens, pairs=self.batch_size)  # a small job is shared out, too
        return [asked[batch] for batch in deal(lengths, rows[asked], limit)]

    @cached_property
    def batch_tokens(self) -> int | None:
        """Choose how many tokens a batch has, unless the number of pairs is given."""
        if self.batch_size is not None:
            return None
        usual, *others = self.backend.tokens
        return best_tokens(usual, others, self.encoded.lengths, lambda rows: self._run(self.backend, rows))

    @property
    def refused(self) -> dict[int, str]:
        """List the pairs whose hypothesis is too long; it is never cut."""
        reason = f"the hypothesis leaves no room for the premise in {self.max_length} tokens"
        return {int(pair): reason for pair in self.encoded.refused}

    @property
    def facts(self) -> dict[str, Any]:
        """Say how the pairs were asked."""
        facts = {**self.backend.facts, "max_length": self.max_length, "long": self.long}
        facts |= {what: len(pairs) for what, pairs in self.marked.items()}
        facts |= {} if self.long == "cut" else {"rows": len(self.encoded)}
        if "batch_tokens" in vars(self) or self.batch_size:  # a resumed job has no plan of its own
            facts |= {"batch_tokens": self.batch_tokens, "batch_size": self.batch_size}
        facts |= {"halved_batches": self.halved} if self.halved else {}
        return facts | self.agreement

    @property
    def marked(self) -> dict[str, Rows]:
        """List the pairs whose premise did not fit; the refused ones are neither cut nor split."""
        long = np.setdiff1d(np.flatnonzero(self.encoded.long), self.encoded.refused)
        return {"cut" if self.long == "cut" else "windows": long}

    def predict_batch(self, rows: Rows) -> pl.DataFrame:
        """Predict some pairs, in their order."""
        return make_predictions(self.outputs(rows), self.order)

    def outputs(self, rows: Rows) -> NDArray[np.floating[Any]]:
        """Compute the logits of some pairs, those of a pair's windows joined into one row."""
        counts = self.first[rows + 1] - self.first[rows]
        inside = np.concatenate([np.arange(self.first[row], self.first[row + 1]) for row in rows])
        logits = self._logits(inside)
        self._check(logits)
        if len(inside) == len(rows):
            return logits
        return np.stack([self._joined(part) for part in np.split(logits, np.cumsum(counts)[:-1])])

    @cached_property
    def agreement(self) -> dict[str, Any]:
        """Compare with the exact backend on pairs that are spread evenly over the job."""
        pairs = np.flatnonzero(np.diff(self.first))
        if self.exact is None or not len(pairs):
            return {}
        places = np.linspace(0, len(pairs) - 1, min(SAMPLE, len(pairs))).astype(np.int64)
        rows = self.first[pairs[places]]
        rows = rows[np.argsort(self.encoded.lengths[rows], kind="stable")]
        parts = np.array_split(rows, -(-len(rows) // _AT_ONCE))
        exact, ours = (
            np.concatenate([_softmax(self._run(backend, part)) for part in parts])
            for backend in (self.exact, self.backend)
        )
        same = float((exact.argmax(axis=1) == ours.argmax(axis=1)).mean())
        farthest = float(np.abs(exact - ours).max())
        return {"int8_agreement": same, "int8_sample": len(rows), "int8_farthest": round(farthest, 4)}

    def _joined(self, logits: NDArray[np.float32]) -> NDArray[np.float64]:
        """Make one row of the windows of a pair: that of the highest entailment, or the mean of probabilities."""
        shares = _softmax(logits)
        joined: NDArray[np.float64]
        if self.long == "window-max":  # the first of the windows that are equal in that
            joined = logits[int(shares[:, self.order.index(ENTAILMENT)].argmax())].astype(np.float64)
        else:  # the softmax of logarithms of probabilities gives these probabilities back
            joined = np.log(np.maximum(shares.mean(axis=0), np.finfo(np.float64).tiny))
        return joined

    def _logits(self, rows: Rows) -> NDArray[np.float32]:
        """Ask the backend; where memory doesn't suffice, ask about one half after the other."""
        tokens = len(rows) * int(self.encoded.lengths[rows].max())
        if self.most is None or tokens <= self.most or len(rows) == 1:
            try:
                return self._run(self.backend, rows)
            except MemoryError as error:
                if len(rows) == 1:
                    message = f"There is no memory for a row of {tokens} tokens. Lower max_length."
                    raise MissingPredictionsError(message) from error
            self.halved += 1
            self.most = tokens // 2
        middle = len(rows) // 2
        return np.concatenate([self._logits(rows[:middle]), self._logits(rows[middle:])])

    def _check(self, logits: NDArray[np.float32]) -> None:
        """Refuse labels that are not one for each output."""
        outputs = logits.shape[1] if logits.ndim == 2 else 0  # noqa: PLR2004 - pairs and outputs
        if outputs != len(self.order):
            raise InputError(
                f"The network gives {outputs or 'no'} numbers for a pair ({logits.shape}), but {len(self.order)} "
                f"labels are named: {', '.join(self.order)}. Name one for each in config.json, or by -o labels=..."
            )

    def _run(self, backend: Backend, rows: Rows) -> NDArray[np.float32]:
        lengths = self.encoded.lengths[rows]
        if self.fills or (lengths == lengths[0]).all():
            return backend.logits(*self.encoded.padded(rows, self.pad))
        # The order of the sorted rows, and back.
        order = np.argsort(lengths, kind="stable")
        cuts = np.flatnonzero(np.diff(lengths[order])) + 1
        parts = [backend.logits(*self.encoded.padded(rows[part], self.pad)) for part in np.split(order, cuts)]
        return np.concatenate(parts)[np.argsort(order)]


def _softmax(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    """Turn logits into probabilities."""
    powers = np.exp(logits.astype(np.float64) - logits.max(axis=1, keepdims=True))
    shares: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
    return shares
