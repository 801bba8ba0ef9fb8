"""Which output of a model is which label: asked of pairs that nobody can mistake, under every order of the labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rightreasons import labels
from rightreasons.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Logits = Callable[[list[str], list[str]], NDArray[np.floating[Any]]]

# Identical texts (entailment), explicit negations (contradiction), unrelated facts (neutral); all written for this.
# Most facts are about the same thing, and most negations are in the hypothesis: models that learnt from SNLI that two
# scenes contradict each other, or that shared words mean entailment, have an order of labels to be found as well.
PAIRS = Path(__file__).parent.parent / "data" / "probe.tsv"
ENOUGH = 0.9  # the order under which this share is right is the model's
_SHOWN = 3


@dataclass(frozen=True)
class Probe:
    """How often a model is right under each order of its outputs, the best order first."""

    pairs: int
    accuracy: dict[tuple[str, ...], float]
    right: dict[str, str]  # by kind of pair, under the best order: "15 of 16"

    @property
    def fitting(self) -> list[tuple[str, ...]]:
        """List the orders under which the model is right often enough."""
        return [order for order, share in self.accuracy.items() if share >= ENOUGH]

    def evidence(self) -> dict[str, Any]:
        """Say what was found, as JSON values."""
        by_order = {",".join(order): round(share, 4) for order, share in self.accuracy.items()}
        return {"pairs": self.pairs, "accuracy": by_order, "right": self.right}

    def __str__(self) -> str:
        """Name the best orders with their accuracy."""
        best = list(self.accuracy.items())[:_SHOWN]
        return "; ".join(f"{','.join(order)} {share:.0%}" for order, share in best)


def probe(logits: Logits, outputs: int, model: str) -> Probe:
    """Ask a model about the pairs and score its answers under every order of two or three labels."""
    pairs = unmistakable_pairs()
    known = labels.THREE if outputs == len(labels.THREE) else labels.TWO
    gold = pairs["label"] if known == labels.THREE else labels.merge(pairs["label"])
    rows = np.asarray(logits(pairs["premise"].to_list(), pairs["hypothesis"].to_list()), dtype=np.float64)
    if rows.shape != (pairs.height, outputs) or np.isnan(rows).any():
        raise InputError(
            f"The model {model!r} gave no {outputs} numbers for each of the {pairs.height} pairs that show what "
            "its outputs mean. Check that it was saved whole."
        )
    right = {order: _answers(rows, order, known) == gold.to_numpy() for order in permutations(known)}
    # Sorting is stable, so the listing doesn't depend on anything but the model.
    best_first = dict(sorted(right.items(), key=lambda item: -int(item[1].sum())))
    accuracy = {order: float(hits.mean()) for order, hits in best_first.items()}
    return Probe(pairs.height, accuracy, _by_kind(pairs["kind"], next(iter(best_first.values()))))


@cache
def unmistakable_pairs() -> pl.DataFrame:
    """Read the pairs: `kind`, `premise`, `hypothesis`, `label`."""
    return pl.read_csv(PAIRS, separator="\t", quote_char=None)


def in_order(rows: NDArray[np.float64], order: Sequence[str], known: Sequence[str]) -> NDArray[np.float64]:
    """Put the outputs into the order of the known labels, so that nothing after it depends on the model's own."""
    return rows[:, [order.index(label) for label in known]]


def _answers(rows: NDArray[np.float64], order: Sequence[str], known: Sequence[str]) -> NDArray[np.str_]:
    answers: NDArray[np.str_] = np.array(known)[in_order(rows, order, known).argmax(axis=1)]
    return answers


def _by_kind(kinds: pl.Series, right: NDArray[np.bool_]) -> dict[str, str]:
    table = pl.DataFrame({"kind": kinds, "right": right}).group_by("kind", maintain_order=True)
    return {kind: f"{hits} of {n}" for kind, hits, n in table.agg(pl.col("right").sum(), n=pl.len()).rows()}
