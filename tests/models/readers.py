"""What the tests of heads share: a reader that answers the unmistakable pairs, with its outputs in any order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rightreasons.core.labels import (
    CONTRADICTION,
    ENTAILMENT,
    NEUTRAL,
    NON_ENTAILMENT,
    THREE_LABELS,
    TWO_LABELS,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Logits = Callable[[list[str], list[str]], NDArray[np.float64]]

DENIALS = {"not", "no", "never", "nobody", "cannot", "don't"}


def words(text: str) -> set[str]:
    return set(text.lower().rstrip(".").split())


def read(premise: str, hypothesis: str) -> str:
    """Answer like a reader who sees identity, words of denial, and whether two texts share any words."""
    if premise == hypothesis:
        return ENTAILMENT
    first, second = words(premise), words(hypothesis)
    alike = len(first & second) / len(second)
    return CONTRADICTION if alike >= 0.3 and bool(first & DENIALS) != bool(second & DENIALS) else NEUTRAL


def reader(order: Sequence[str], sure: float = 5.0) -> Logits:
    """Make the reader answer with numbers, whose labels are in that order."""

    def logits(premises: list[str], hypotheses: list[str]) -> NDArray[np.float64]:
        answers = [read(*pair) for pair in zip(premises, hypotheses, strict=True)]
        if len(order) == len(TWO_LABELS):
            answers = [answer if answer == ENTAILMENT else NON_ENTAILMENT for answer in answers]
        return sure * np.array([[float(answer == label) for label in order] for answer in answers])

    return logits


def permuted(logits: Logits, places: Sequence[int]) -> Logits:
    """Put the outputs of a model into another order."""
    return lambda premises, hypotheses: logits(premises, hypotheses)[:, list(places)]


def never(premises: list[str], hypotheses: list[str]) -> NDArray[np.float64]:
    """Fail a test in which no model should be asked."""
    raise AssertionError((premises[:1], hypotheses[:1]))


def at_a_loss(outputs: int = len(THREE_LABELS)) -> Logits:
    """Make a model that gives the same numbers to all pairs."""
    return lambda premises, _: np.tile(np.arange(outputs, dtype=np.float64), (len(premises), 1))
