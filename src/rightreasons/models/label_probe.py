"""Which output of a model is which label: accuracy on unmistakable pairs under every order of the labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rightreasons.core import labels
from rightreasons.core.errors import InputError
from rightreasons.core.resources import DATA_FOLDER
from rightreasons.io.polars_io import read_csv
from rightreasons.scoring.intervals import wilson_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    LogitsFunction = Callable[[list[str], list[str]], NDArray[np.floating[Any]]]
    FitsFunction = Callable[[list[str], list[str]], NDArray[np.bool_]]

# Identical texts (entailment), explicit negations (contradiction), unrelated facts (neutral); all written for this.
# Most facts are about the same thing, and most negations are in the hypothesis: so the order is also found for models
# that learnt from SNLI that two scenes contradict each other, or that shared words mean entailment.
PROBE_FILE = DATA_FOLDER / "probe.tsv"
MIN_FITTING_ACCURACY = 0.9  # an order under which this share of the pairs is right fits the model
MAX_LEFT_OUT = 0.25  # largest share of pairs that may be too long if the order depends on them
_MAX_LISTED_ORDERS = 3


@dataclass(frozen=True)
class InputCapacity:
    """The longest input that a model can read."""

    max_tokens: int
    mark_fitting: FitsFunction  # marks the pairs that can be read without truncation


@dataclass(frozen=True)
class ProbeResult:
    """How often a model is right under each order of its outputs, the best order first."""

    pairs: int  # number of pairs with predictions
    accuracy: dict[tuple[str, ...], float]  # empty if no pair fits
    correct_by_kind: dict[str, str]  # by kind of pair, under the best order: "15 of 16"
    majority_share: float = 0.0  # share of the most frequent gold label
    left_out: int = 0  # number of pairs that are too long for the model
    max_tokens: int | None = None  # limit of the model, if known

    @property
    def has_enough_pairs(self) -> bool:
        """Whether enough pairs fit to determine an order."""
        return self.left_out <= MAX_LEFT_OUT * (self.pairs + self.left_out)

    @property
    def left_out_summary(self) -> str:
        """How many pairs are too long, as a clause of a sentence."""
        verb = "exceeds" if self.left_out == 1 else "exceed"
        total = self.pairs + self.left_out
        return f"{self.left_out} of {total} unmistakable pairs {verb} its limit of {self.max_tokens} tokens"

    def is_at_chance(self, order: tuple[str, ...]) -> bool:
        """Return whether a model is not clearly better under an order than the majority baseline."""
        right = round(self.accuracy[order] * self.pairs)
        return float(wilson_interval(right, self.pairs)[0]) <= self.majority_share

    @property
    def fitting_orders(self) -> list[tuple[str, ...]]:
        """The orders under which the model is right often enough."""
        return [order for order, share in self.accuracy.items() if share >= MIN_FITTING_ACCURACY]

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        by_order = {",".join(order): round(share, 4) for order, share in self.accuracy.items()}
        left_out = {"left_out": self.left_out} if self.left_out else {}
        return {"pairs": self.pairs, "accuracy": by_order, "right": self.correct_by_kind} | left_out

    def __str__(self) -> str:
        """Format the best orders with their accuracy."""
        best = list(self.accuracy.items())[:_MAX_LISTED_ORDERS]
        return "; ".join(f"{','.join(order)} {share:.0%}" for order, share in best)


def run_label_probe(
    logits: LogitsFunction, outputs: int, model: str, capacity: InputCapacity | None = None
) -> ProbeResult:
    """Run a model on the pairs that fit, and score it under every order of two or three labels."""
    all_pairs = read_probe_pairs()
    pairs = (
        all_pairs.filter(pl.Series(capacity.mark_fitting(*_list_texts_by_side(all_pairs))))
        if capacity
        else all_pairs
    )
    left_out, max_tokens = all_pairs.height - pairs.height, capacity.max_tokens if capacity else None
    if not pairs.height:
        return ProbeResult(0, {}, {}, left_out=left_out, max_tokens=max_tokens)
    known = labels.THREE_LABELS if outputs == len(labels.THREE_LABELS) else labels.TWO_LABELS
    gold = pairs["label"] if known == labels.THREE_LABELS else labels.merge_labels(pairs["label"])
    rows = np.asarray(logits(*_list_texts_by_side(pairs)), dtype=np.float64)
    if rows.shape != (pairs.height, outputs) or np.isnan(rows).any():
        raise InputError(
            f"The model {model!r} did not return {outputs} numbers for each of the {pairs.height} unmistakable pairs. "
            "Check that all its files are complete."
        )
    right = {
        order: _predict_labels_under_order(rows, order, known) == gold.to_numpy()
        for order in permutations(known)
    }
    # Sorting is stable, so the order depends on the model alone.
    best_first = dict(sorted(right.items(), key=lambda item: -int(item[1].sum())))
    accuracy = {order: float(hits.mean()) for order, hits in best_first.items()}
    by_kind = _format_correct_by_kind(pairs["kind"], next(iter(best_first.values())))
    commonest = float((gold == gold.mode()[0]).mean() or 0)
    return ProbeResult(pairs.height, accuracy, by_kind, commonest, left_out, max_tokens)


@cache
def read_probe_pairs() -> pl.DataFrame:
    """Read the unmistakable pairs: `kind`, `premise`, `hypothesis`, `label`."""
    return read_csv(PROBE_FILE, separator="\t", quote_char=None)


def _list_texts_by_side(pairs: pl.DataFrame) -> tuple[list[str], list[str]]:
    return pairs["premise"].to_list(), pairs["hypothesis"].to_list()


def reorder_outputs(
    rows: NDArray[np.float64], order: Sequence[str], known: Sequence[str]
) -> NDArray[np.float64]:
    """Reorder the outputs as the known labels, so that later steps do not depend on the model's own order."""
    return rows[:, [order.index(label) for label in known]]


def _predict_labels_under_order(
    rows: NDArray[np.float64], order: Sequence[str], known: Sequence[str]
) -> NDArray[np.str_]:
    predicted: NDArray[np.str_] = np.array(known)[reorder_outputs(rows, order, known).argmax(axis=1)]
    return predicted


def _format_correct_by_kind(kinds: pl.Series, right: NDArray[np.bool_]) -> dict[str, str]:
    table = pl.DataFrame({"kind": kinds, "right": right}).group_by("kind", maintain_order=True)
    return {kind: f"{hits} of {n}" for kind, hits, n in table.agg(pl.col("right").sum(), n=pl.len()).rows()}
