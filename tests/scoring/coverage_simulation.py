"""How often 95% intervals hold the truth, in simulation; run as a script it prints the figures of the documentation.

    python tests/scoring/coverage_simulation.py [TIMES]

Each point of a grid is simulated TIMES times at once: every repetition is a value of a tag, so that the functions that
score real answers are what is tested. Where no pairs belong together the intervals follow from counts alone, which are
drawn a hundred times as often.
"""

from __future__ import annotations

import sys
from itertools import product
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from rightreasons.core.labels import ENTAILMENT, NON_ENTAILMENT
from rightreasons.scoring.accuracy import make_score_rows
from rightreasons.scoring.intervals import tango_interval, wilson_interval
from rightreasons.scoring.paired import compare_predictions

TIMES = 100
Size = int | Literal["mixed"]
Bools = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]

WILSON = {"p": (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9, 0.97), "n": (10, 20, 50, 100, 300, 1000, 5000)}
CLUSTERS = {
    "p": (0.05, 0.2, 0.5, 0.9),
    "clusters": (10, 30, 100),
    "size": (2, 3, "mixed"),
    "alike": (0.0, 0.3, 1.0),
}
PAIRED = {"differ": (0.05, 0.15, 0.4), "lead": (0.0, 0.4, 0.8), "n": (100, 300, 1000)}
PAIRED_CLUSTERS = {
    "differ": (0.1, 0.4),
    "lead": (0.0, 0.5),
    "clusters": (50, 200),
    "size": (3, "mixed"),
    "alike": (0.0, 0.3, 1.0),
}


class Drawn(NamedTuple):
    """Clusters of all repetitions: the cluster and the repetition of each pair, and the kind that it is."""

    tag: Counts
    cluster: Counts
    kind: Counts


def draw(
    chances: list[float], clusters: tuple[int, int], size: Size, alike: float, rng: np.random.Generator
) -> Drawn:
    """Draw kinds of pairs by their chances in so many times so many clusters of pairs that are so much alike."""
    shape = clusters[0] * clusters[1]
    sizes = rng.choice([1, 1, 1, 2, 3, 6], shape) if size == "mixed" else np.full(shape, size)
    if alike == 0:
        each = np.tile(chances, (shape, 1))
    elif alike == 1:
        each = rng.multinomial(1, chances, shape).astype(float)
    else:
        each = rng.dirichlet(np.maximum(np.array(chances) * (1 - alike) / alike, 1e-9), shape)
    cluster = np.repeat(np.arange(shape), sizes)
    edges = each.cumsum(axis=1)[cluster]
    kind = (rng.random((len(cluster), 1)) > edges[:, :-1]).sum(axis=1)
    return Drawn(cluster // clusters[1], cluster, kind)


def answered(right: Bools) -> pl.DataFrame:
    gold = np.full(len(right), ENTAILMENT)
    return pl.DataFrame(
        {"gold": gold, "prediction": np.where(right, ENTAILMENT, NON_ENTAILMENT), "right": right}
    )


def held(rows: pl.DataFrame, truth: float) -> float:
    inside = rows.filter(pl.col("gold") != "all").select(pl.lit(truth).is_between("low", "high").mean())
    return float(inside.item())


def of_wilson() -> list[float]:
    """Return the coverage at each point, exactly: the sum of the chances of the counts whose interval holds p."""
    from scipy.stats import binom

    found = []
    for p, n in product(*WILSON.values()):
        counts = np.arange(n + 1)
        low, high = wilson_interval(counts, np.full(n + 1, n))
        found.append(float(binom.pmf(counts, n, p)[(low <= p) & (p <= high)].sum()))
    return found


def of_clusters(times: int = TIMES) -> list[float]:
    """Return the coverage of the accuracy's interval at each point where pairs share a group."""
    rng, found = np.random.default_rng(1), []
    for p, clusters, size, alike in product(*CLUSTERS.values()):
        made = draw([p, 1 - p], (times, clusters), size, alike, rng)
        pairs = pl.DataFrame({"tag": made.tag, "group": made.cluster})
        found.append(held(make_score_rows(pairs, answered(made.kind == 0), ["tag"]), p))
    return found


def of_differences(times: int = TIMES) -> list[float]:
    """Return the coverage of the interval of a paired difference at each point where every pair is alone."""
    rng, found = np.random.default_rng(2), []
    for differ, lead, n in product(*PAIRED.values()):
        chances = [differ * (1 + lead) / 2, differ * (1 - lead) / 2, 1 - differ]
        only_a, only_b, _ = rng.multinomial(n, chances, 100 * times).T
        low, high = tango_interval(only_a, only_b, np.full(100 * times, n))
        found.append(float(((low <= differ * lead) & (differ * lead <= high)).mean()))
    return found


def of_clustered_differences(times: int = TIMES) -> list[float]:
    """Return the coverage of the interval of a paired difference at each point where pairs share a group."""
    rng, found = np.random.default_rng(3), []
    for differ, lead, clusters, size, alike in product(*PAIRED_CLUSTERS.values()):
        chances = [differ * (1 + lead) / 2, differ * (1 - lead) / 2, 1 - differ]
        made = draw(chances, (times, clusters), size, alike, rng)
        pairs = pl.DataFrame({"tag": made.tag, "group": made.cluster})
        # On the rest both are right: of what they have in common the difference knows nothing.
        a, b = answered(made.kind != 1), answered(made.kind != 0)
        found.append(held(compare_predictions(pairs, a, b, ["tag"]), differ * lead))
    return found


def main(times: int) -> None:
    """Print the mean and the least coverage of each kind of interval."""
    shown = {
        "accuracy, Wilson (exact)": of_wilson(),
        "accuracy, clusters": of_clusters(times),
        "difference": of_differences(times),
        "difference, clusters": of_clustered_differences(times),
    }
    for name, found in shown.items():
        mean, least = np.mean(found), np.min(found)
        sys.stdout.write(f"{name:26} {len(found):4} points  mean {mean:.3f}  least {least:.3f}\n")


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:2] or [TIMES]))
