"""A model that is asked batch by batch, whose every move can be watched and disturbed."""

from __future__ import annotations

import threading
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from rightreasons.core.labels import THREE_LABELS
from rightreasons.inference import BatchedModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from rightreasons.core.parts import Rows


def nothing(texts: list[str]) -> None:
    """Let a batch pass."""


@dataclass
class Watched(BatchedModel):
    """A model whose floats depend on which pairs are asked together, so that another plan would be seen."""

    size: int = 4
    workers: int = 1
    version: int = 1
    too_long: tuple[str, ...] = ()
    disturb: Callable[[list[str]], None] = nothing  # called with the premises of each batch
    calls: list[list[str]] = field(default_factory=list)
    prepared: int = 0
    name = "watched"
    needs: ClassVar[tuple[str, ...]] = ()

    def fingerprint(self) -> dict[str, Any]:
        return {"version": self.version}

    def prepare(self, pairs: pl.DataFrame) -> WatchedJob:
        assert pairs.columns == ["premise", "hypothesis", *self.needs]
        assert pairs.n_unique() == pairs.height
        self.prepared += 1
        return WatchedJob(self, pairs)


class WatchedJob:
    """Batches that take the pairs from both ends, and never in the order that they come in."""

    def __init__(self, model: Watched, pairs: pl.DataFrame) -> None:
        self.model, self.pairs, self.workers = model, pairs, model.workers
        self.lock = threading.Lock()
        self.requests = 0
        self.refused = {
            row: "the hypothesis is too long"
            for row, text in enumerate(pairs["hypothesis"])
            if text in model.too_long
        }
        rows = np.array([row for row in range(pairs.height) if row not in self.refused][::-1], dtype=np.int64)
        self.batches = [
            rows[start :: -(-len(rows) // model.size)] for start in range(-(-len(rows) // model.size))
        ]

    @property
    def facts(self) -> dict[str, Any]:
        return {"cut": np.int64(2), "requests": self.requests}

    def predict_batch(self, rows: Rows) -> pl.DataFrame:
        texts = self.pairs["premise"].gather(rows).to_list()
        with self.lock:
            self.requests += 1
            self.model.calls.append(texts)
        self.model.disturb(texts)
        seeds = [zlib.crc32("|".join(texts).encode()) ^ zlib.crc32(text.encode()) for text in texts]
        shares = np.array([np.random.default_rng(seed).dirichlet((1, 1, 1)) for seed in seeds])
        label = [THREE_LABELS[place] for place in shares.argmax(axis=1)]
        return pl.DataFrame(
            {"label": label} | {f"p_{word}": shares[:, i] for i, word in enumerate(THREE_LABELS)}
        )


def some_pairs(count: int) -> pl.DataFrame:
    """Make pairs without labels."""
    return pl.DataFrame(
        {
            "id": [f"id{number}" for number in range(count)],
            "premise": [f"Premise {number}." for number in range(count)],
            "hypothesis": [f"Hypothesis {number}." for number in range(count)],
        }
    )
