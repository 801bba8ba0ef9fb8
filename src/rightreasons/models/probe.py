"""Which output of a model is which label: asked of pairs that nobody can mistake, under every order of the labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rightreasons.core import labels
from rightreasons.core.errors import InputError
from rightreasons.core.resources import DATA
from rightreasons.io.polars_io import read_csv
from rightreasons.scoring.intervals import wilson_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Logits = Callable[[list[str], list[str]], NDArray[np.floating[Any]]]
    Fits = Callable[[list[str], list[str]], NDArray[np.bool_]]

# Identical texts (entailment), explicit negations (contradiction), unrelated facts (neutral); all written for this.
# Most facts are about the same thing, and most negations are in the hypothesis: models that learnt from SNLI that two
# scenes contradict each other, or that shared words mean entailment, have an order of labels to be found as well.
PAIRS = DATA / "probe.tsv"
ENOUGH = 0.9  # the order under which this share is right is the model's
MOST_LEFT_OUT = 0.25  # of the pairs, that may not fit where the order must be found by them
_SHOWN = 3


@dataclass(frozen=True)
class InputCapacity:
    """How much a model can read at a time."""

    tokens: int
    fits: Fits  # tells which pairs can be read whole


@dataclass(frozen=True)
class Probe:
    """How often a model is right under each order of its outputs, the best order first."""

    pairs: int  # those that were asked
    accuracy: dict[tuple[str, ...], float]  # none where no pair could be asked
    right: dict[str, str]  # by kind of pair, under the best order: "15 of 16"
    commonest: float = 0.0  # the share of the commonest label, which a constant answer gets right
    left_out: int = 0  # pairs that the model can't read whole
    tokens: int | None = None  # that it can read, where that is known

    @property
    def is_enough(self) -> bool:
        """Whether so many pairs were asked that they can show an order."""
        return self.left_out <= MOST_LEFT_OUT * (self.pairs + self.left_out)

    @property
    def unread(self) -> str:
        """Say how many pairs don't fit."""
        fit = "doesn't fit" if self.left_out == 1 else "don't fit"
        return f"{self.left_out} of {self.pairs + self.left_out} unmistakable pairs {fit} into its {self.tokens} tokens"

    def is_chance(self, order: tuple[str, ...]) -> bool:
        """Tell whether a model is not clearly better under an order than a constant answer."""
        right = round(self.accuracy[order] * self.pairs)
        return float(wilson_interval(right, self.pairs)[0]) <= self.commonest

    @property
    def fitting(self) -> list[tuple[str, ...]]:
        """List the orders under which the model is right often enough."""
        return [order for order, share in self.accuracy.items() if share >= ENOUGH]

    def evidence(self) -> dict[str, Any]:
        """Say what was found, as JSON values."""
        by_order = {",".join(order): round(share, 4) for order, share in self.accuracy.items()}
        left_out = {"left_out": self.left_out} if self.left_out else {}
        return {"pairs": self.pairs, "accuracy": by_order, "right": self.right} | left_out

    def __str__(self) -> str:
        """Name the best orders with their accuracy."""
        best = list(self.accuracy.items())[:_SHOWN]
        return "; ".join(f"{','.join(order)} {share:.0%}" for order, share in best)


def probe(logits: Logits, outputs: int, model: str, room: InputCapacity | None = None) -> Probe:
    """Ask a model about the pairs that fit and score its answers under every order of two or three labels."""
    every = unmistakable_pairs()
    pairs = every.filter(pl.Series(room.fits(*_texts(every)))) if room else every
    left_out, tokens = every.height - pairs.height, room.tokens if room else None
    if not pairs.height:
        return Probe(0, {}, {}, left_out=left_out, tokens=tokens)
    known = labels.THREE if outputs == len(labels.THREE) else labels.TWO
    gold = pairs["label"] if known == labels.THREE else labels.merge(pairs["label"])
    rows = np.asarray(logits(*_texts(pairs)), dtype=np.float64)
    if rows.shape != (pairs.height, outputs) or np.isnan(rows).any():
        raise InputError(
            f"The model {model!r} gave no {outputs} numbers for each of the {pairs.height} pairs that show what "
            "its outputs mean. Check that it was saved whole."
        )
    right = {order: _answers(rows, order, known) == gold.to_numpy() for order in permutations(known)}
    # Sorting is stable, so the listing doesn't depend on anything but the model.
    best_first = dict(sorted(right.items(), key=lambda item: -int(item[1].sum())))
    accuracy = {order: float(hits.mean()) for order, hits in best_first.items()}
    by_kind = _by_kind(pairs["kind"], next(iter(best_first.values())))
    commonest = float((gold == gold.mode()[0]).mean() or 0)
    return Probe(pairs.height, accuracy, by_kind, commonest, left_out, tokens)


@cache
def unmistakable_pairs() -> pl.DataFrame:
    """Read the pairs: `kind`, `premise`, `hypothesis`, `label`."""
    return read_csv(PAIRS, separator="\t", quote_char=None)


def _texts(pairs: pl.DataFrame) -> tuple[list[str], list[str]]:
    return pairs["premise"].to_list(), pairs["hypothesis"].to_list()


def in_order(rows: NDArray[np.float64], order: Sequence[str], known: Sequence[str]) -> NDArray[np.float64]:
    """Put the outputs into the order of the known labels, so that nothing after it depends on the model's own."""
    return rows[:, [order.index(label) for label in known]]


def _answers(rows: NDArray[np.float64], order: Sequence[str], known: Sequence[str]) -> NDArray[np.str_]:
    answers: NDArray[np.str_] = np.array(known)[in_order(rows, order, known).argmax(axis=1)]
    return answers


def _by_kind(kinds: pl.Series, right: NDArray[np.bool_]) -> dict[str, str]:
    table = pl.DataFrame({"kind": kinds, "right": right}).group_by("kind", maintain_order=True)
    return {kind: f"{hits} of {n}" for kind, hits, n in table.agg(pl.col("right").sum(), n=pl.len()).rows()}
