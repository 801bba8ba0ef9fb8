"""How often the warning of mixed-up label names is a false alarm, and how often it finds names that are mixed up.

    python tests/scoring/alarm_simulation.py [TIMES]

Run as a script it prints the tables of the documentation. A false alarm is a warning on predictions that have nothing
to do with the gold labels; power is the share of warnings on a model of some accuracy whose names were exchanged.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.core.labels import THREE_LABELS, TWO_LABELS, merge_labels
from rightreasons.scoring.prediction_warnings import warn_of_suspicious_labels

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Words = npt.NDArray[np.str_]
    Drawn = tuple[Words, Words, "pl.Series | None"]

TIMES = 4_000
SIZES = (6, 20, 60, 600)
ACCURACIES = (0.6, 0.75, 0.9, 1.0)
_SKEWED = (0.7, 0.2, 0.1)


def three(n: int, rng: np.random.Generator) -> Drawn:
    """Three labels, all as likely."""
    return rng.choice(THREE_LABELS, n), rng.choice(THREE_LABELS, n), None


def two(n: int, rng: np.random.Generator) -> Drawn:
    """Two gold labels, a model of two."""
    return rng.choice(TWO_LABELS, n), rng.choice(TWO_LABELS, n), None


def two_by_three(n: int, rng: np.random.Generator) -> Drawn:
    """Two gold labels, a model of three."""
    return rng.choice(TWO_LABELS, n), rng.choice(THREE_LABELS, n), None


def skewed(n: int, rng: np.random.Generator) -> Drawn:
    """Three labels of which one is frequent, a model that prefers another."""
    return rng.choice(THREE_LABELS, n, p=_SKEWED), rng.choice(THREE_LABELS, n, p=_SKEWED[::-1]), None


def nearly_constant(n: int, rng: np.random.Generator) -> Drawn:
    """A model that predicts neutral on nearly all pairs of a set where entailment is frequent."""
    return rng.choice(THREE_LABELS, n, p=_SKEWED), rng.choice(THREE_LABELS, n, p=(0.02, 0.96, 0.02)), None


def clustered(n: int, rng: np.random.Generator) -> Drawn:
    """Clusters of one to six pairs with one gold label and one prediction each."""
    sizes = rng.choice([1, 1, 2, 3, 6], n)
    cluster = np.repeat(np.arange(n), sizes)[:n]
    gold, said = rng.choice(THREE_LABELS, n)[cluster], rng.choice(THREE_LABELS, n)[cluster]
    several = np.bincount(cluster)[cluster] > 1
    numbers = pl.Series("cluster", cluster)
    return gold, said, numbers.set(pl.Series(~several), None)


SCENARIOS: dict[str, Callable[[int, np.random.Generator], Drawn]] = {
    "three labels": three,
    "two labels": two,
    "two gold labels, three predicted": two_by_three,
    "uneven labels": skewed,
    "nearly constant": nearly_constant,
    "clusters": clustered,
}


def warns(gold: Words, predicted: Words, clusters: pl.Series | None = None) -> bool:
    """Whether there is a warning of mixed-up label names."""
    answers = pl.DataFrame({"label": predicted})
    answer = merge_labels(answers["label"]) if set(gold) <= set(TWO_LABELS) else answers["label"]
    compared = pl.DataFrame({"gold": gold, "prediction": answer})
    return any(
        text.startswith("Reading ")
        for text in warn_of_suspicious_labels(compared, answers, "argmax", lambda: clusters)
    )


def false_alarms(name: str, n: int, times: int, seed: int = 1) -> float:
    """Return the share of warnings on random predictions."""
    rng = np.random.default_rng([seed, n, len(name)])
    return float(np.mean([warns(*SCENARIOS[name](n, rng)) for _ in range(times)]))


def power(labels: tuple[str, ...], accuracy: float, n: int, times: int, seed: int = 2) -> float:
    """Return the share of warnings on a model of this accuracy whose label names are moved round by one."""
    rng, found = np.random.default_rng([seed, n, int(100 * accuracy)]), []
    moved = dict(zip(labels, (*labels[1:], labels[0]), strict=True))
    for _ in range(times):
        gold = rng.choice(labels, n)
        wrong = np.array([rng.choice([label for label in labels if label != one]) for one in gold])
        said = np.where(rng.random(n) < accuracy, gold, wrong)
        found.append(warns(gold, np.array([moved[word] for word in said])))
    return float(np.mean(found))


def main(times: int) -> None:
    """Print both tables."""
    sys.stdout.write(f"{'false alarms':34}" + "".join(f"{f'n = {n}':>9}" for n in SIZES) + "\n")
    for name in SCENARIOS:
        shares = [false_alarms(name, n, times) for n in SIZES]
        sys.stdout.write(f"{name:34}" + "".join(f"{share:9.2%}" for share in shares) + "\n")
        sys.stdout.flush()
    sys.stdout.write(f"{'power':34}" + "".join(f"{f'n = {n}':>9}" for n in SIZES) + "\n")
    for labels in (THREE_LABELS, TWO_LABELS):
        for accuracy in ACCURACIES:
            shares = [power(labels, accuracy, n, max(50, times // 20)) for n in SIZES]
            name = f"{len(labels)} labels, accuracy {accuracy:.0%}"
            sys.stdout.write(f"{name:34}" + "".join(f"{share:9.1%}" for share in shares) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:2] or [TIMES]))
