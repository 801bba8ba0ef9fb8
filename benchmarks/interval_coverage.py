"""Coverage of 95% confidence intervals for pairs that share premises and groups, against the unclustered interval.

    python benchmarks/interval_coverage.py [--times 2000] [--json]

Each setting is simulated so many times for each of four populations: accuracies of 50% and 90%, and a latent
correlation within clusters of 0.1 and 0.5. The samples go through the functions that score real predictions, so the
detection of clusters is tested too. The baseline is the interval that treats pairs as independent. With 2,000
repetitions the standard error of a coverage of 95% is 0.5 points, that of the mean of four 0.25. Run it with
OMP_NUM_THREADS=1 POLARS_MAX_THREADS=1; the seed is fixed. --json prints one JSON object on the last line.
"""

from __future__ import annotations

import argparse
import json
from itertools import product
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rightreasons.core.labels import ENTAILMENT, NON_ENTAILMENT
from rightreasons.scoring.accuracy import make_score_rows
from rightreasons.scoring.paired import compare_predictions
from rightreasons.scoring.sharing import Sharing, find_sharing

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Codes = npt.NDArray[np.int64]
    Columns = dict[str, Codes]

TIMES = 2_000
ACCURACIES = (0.5, 0.9)
ALIKE = (0.1, 0.5)
NOBODY = -1  # a pair without a group


def clusters_of(sizes: npt.ArrayLike) -> Columns:
    """Give each cluster a premise."""
    return {"premise": np.repeat(np.arange(len(np.asarray(sizes))), sizes)}


def _log_normal(count: int) -> Callable[[np.random.Generator], Columns]:
    return lambda rng: clusters_of(np.maximum(1, np.exp(rng.normal(1, 1.3, count))).astype(np.int64))


def _small_group(rng: np.random.Generator) -> Columns:
    """Premises of ten pairs, and two pairs of 300 that share a group."""
    group = np.full(300, NOBODY)
    group[rng.choice(300, 2, replace=False)] = 0
    return {**clusters_of([10] * 30), "group": group}


def _groups_of_premises(rng: np.random.Generator) -> Columns:
    """Premises of one to six pairs; half of the pairs are in groups of two that cut across premises."""
    premise = clusters_of(rng.choice([1, 2, 3, 6], 80))["premise"]
    group = np.full(len(premise), NOBODY)
    chosen = rng.permutation(len(premise))[: len(premise) // 12 * 2]
    group[chosen] = np.arange(len(chosen)) // 2
    return {"premise": premise, "group": group}


def _crossed(claims: int, documents: int, share: float) -> Callable[[np.random.Generator], Columns]:
    """Claims that meet documents: all of them, or a share drawn at random."""

    def draw(rng: np.random.Generator) -> Columns:
        claim, document = np.nonzero(rng.random((claims, documents)) < share)
        return {"group": claim, "premise": document}

    return draw


SETTINGS: dict[str, Callable[[np.random.Generator], Columns]] = {
    "50 premises of 3 pairs": lambda _: clusters_of([3] * 50),
    "20 premises of 3 pairs": lambda _: clusters_of([3] * 20),
    "50 premises of 1 to 6 pairs": lambda rng: clusters_of(rng.choice([1, 1, 1, 2, 3, 6], 50)),
    "10 premises of 1 to 6 pairs": lambda rng: clusters_of(rng.choice([1, 1, 1, 2, 3, 6], 10)),
    "50 premises, log-normal sizes": _log_normal(50),
    "20 premises, log-normal sizes": _log_normal(20),
    "50 premises of 60, 30, 20, ... pairs": lambda _: clusters_of(60 // np.arange(1, 51)),
    "50 premises, one with a third of the pairs": lambda _: clusters_of([50, *[2] * 50]),
    "30 premises of 10, and a group of 2 pairs": _small_group,
    "80 premises of 1 to 6, groups across them": _groups_of_premises,
    "20 claims with 20 documents each": _crossed(20, 20, 1.0),
    "100 claims, 100 documents, 5% of the pairs": _crossed(100, 100, 0.05),
}


def draw_right(
    columns: Columns, accuracy: float, alike: float, rng: np.random.Generator
) -> npt.NDArray[np.bool_]:
    """Draw who is right: normal effects of each column add up to the correlation, and the rest is luck."""
    n = len(next(iter(columns.values())))
    latent = rng.normal(size=n) * np.sqrt(1 - alike)
    for codes in columns.values():
        own = rng.normal(size=n)
        shared = rng.normal(size=int(codes.max()) + 1)
        latent += np.sqrt(alike / len(columns)) * np.where(codes == NOBODY, own, shared[codes])
    return np.asarray(latent < NormalDist().inv_cdf(accuracy))


def table_of(columns: Columns) -> pl.DataFrame:
    """Write the columns as those of a set."""
    made = [pl.Series(name, codes) for name, codes in columns.items()]
    return pl.DataFrame([one.set(one == NOBODY, None) for one in made])


def answered(right: npt.NDArray[np.bool_]) -> pl.DataFrame:
    """Make predictions of which these are right, all on entailed pairs."""
    said = np.where(right, ENTAILMENT, NON_ENTAILMENT)
    return pl.DataFrame({"gold": np.full(len(right), ENTAILMENT), "prediction": said, "right": right})


def samples(name: str, times: int, rng: np.random.Generator) -> tuple[pl.DataFrame, Columns, Sharing]:
    """Draw many samples as one table, each a value of `sample` with clusters of its own, and find what pairs share.

    Clusters are found in one sample and must be of the same kind in the whole table. Where columns cross, each sample
    would be one component of the whole: so the terms of inclusion and exclusion are numbered sample by sample.
    """
    each = [SETTINGS[name](rng) for _ in range(times)]
    whole: Columns = {}
    for column in each[0]:
        starts = np.cumsum([0, *(int(one[column].max()) + 1 for one in each[:-1])])
        moved = [
            np.where(one[column] == NOBODY, NOBODY, one[column] + start)
            for one, start in zip(each, starts, strict=True)
        ]
        whole[column] = np.concatenate(moved)
    lengths = [len(next(iter(one.values()))) for one in each]
    pairs = table_of(whole).with_columns(sample=pl.Series(np.repeat(np.arange(times), lengths)))
    alone = find_sharing(table_of(each[0]))
    if alone.clusters is None or alone.clusters.width == 1:
        return pairs, whole, find_sharing(pairs)
    layers = [pairs[term[1:]].alias(term) for term in alone.clusters.columns if " " not in term]
    both = pl.Series(f"-{' '.join(alone.columns)}", [None], dtype=pl.Int64).new_from_index(0, pairs.height)
    return pairs, whole, Sharing(alone.columns, pl.DataFrame([*layers, both]))


def accuracies(
    name: str, times: int, population: tuple[float, float], rng: np.random.Generator
) -> pl.DataFrame:
    """Tell of each sample whether the interval of the accuracy holds it and how wide it is, and of Wilson's."""
    pairs, columns, shared = samples(name, times, rng)
    answers = answered(draw_right(columns, *population, rng))
    return _held(
        *(make_score_rows(pairs, answers, ["sample"], one) for one in (shared, Sharing())), population[0]
    )


def differences(
    name: str, times: int, population: tuple[float, float], rng: np.random.Generator
) -> pl.DataFrame:
    """The same of the difference of two models that are as good, and are right on different pairs."""
    pairs, columns, shared = samples(name, times, rng)
    both = [answered(draw_right(columns, *population, rng)) for _ in "ab"]
    return _held(*(compare_predictions(pairs, *both, ["sample"], one) for one in (shared, Sharing())), 0.0)


def _held(ours: pl.DataFrame, plain: pl.DataFrame, truth: float) -> pl.DataFrame:
    told = [
        rows.filter(pl.col("gold") == ENTAILMENT).select(
            pl.lit(truth).is_between("low", "high").alias(f"{name}_holds"),
            (pl.col("high") - pl.col("low")).alias(f"{name}_width"),
        )
        for name, rows in (("ours", ours), ("plain", plain))
    ]
    return pl.concat(told, how="horizontal")


def measure(name: str, times: int, figure: Callable[..., pl.DataFrame] = accuracies) -> dict[str, Any]:
    """Simulate one setting on all populations: mean coverage and width, and the least and the most coverage."""
    each = []
    for accuracy, alike in product(ACCURACIES, ALIKE):
        rng = np.random.default_rng([len(name), int(100 * accuracy), int(100 * alike)])
        each.append(figure(name, times, (accuracy, alike), rng).mean().row(0))
    mean, held = np.mean(each, axis=0), [float(one[0]) for one in each]
    return {
        "setting": name,
        "coverage": float(mean[0]),
        "least": min(held),
        "most": max(held),
        "width": float(mean[1]),
        "plain_coverage": float(mean[2]),
        "plain_width": float(mean[3]),
        "width_ratio": float(mean[1] / mean[3]),
    }


def main() -> None:
    """Simulate all settings, of accuracies and then of differences, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--times", type=int, default=TIMES, help="repetitions of each setting and population")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    asked = parser.parse_args()
    figures: dict[str, list[dict[str, Any]]] = {}
    for what, figure in (("accuracy", accuracies), ("difference", differences)):
        for name in SETTINGS:
            found = measure(name, asked.times, figure)
            figures.setdefault(what, []).append(found)
            print(
                f"{what:<10} {name:<44} {found['coverage']:6.1%} ({found['least']:.1%} to {found['most']:.1%}), "
                f"width {found['width']:.3f}; unclustered {found['plain_coverage']:6.1%}, "
                f"width {found['plain_width']:.3f}; ratio of widths {found['width_ratio']:.2f}",
                flush=True,
            )
    if asked.json:
        print(json.dumps({"benchmark": "coverage", "times": asked.times, "figures": figures}))


if __name__ == "__main__":
    main()
