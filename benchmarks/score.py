"""How long reading, joining and scoring answers takes, beside a plain loop like the original evaluator's.

    python benchmarks/score.py [--json]

Both read the same file of answers and count the same cells by heuristic, subcase and true label. Times are
CPU seconds of this process without imports, the best of the runs. The last
line with --json is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.answers import read_answers
from rightreasons.scoring.accuracy import Scores, score

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = (30_000, 1_000_000)
BY = ("heuristic", "subcase")
HEURISTICS = ("lexical_overlap", "subsequence", "constituent")
SUBCASES = 30
BASELINE = "plain Python loop like the original evaluator's"


def make_pairs(n: int) -> pl.DataFrame:
    """Make a set with the tags of HANS; the texts don't matter here."""
    subcase = (pl.int_range(n, eager=True) * SUBCASES // n).cast(pl.Int64)
    return pl.DataFrame(
        {
            "id": [f"ex{i}" for i in range(n)],
            "label": pl.Series(["entailment", "non-entailment"]).gather(subcase % 2),
            "heuristic": pl.Series(HEURISTICS).gather(subcase * len(HEURISTICS) // SUBCASES),
            "subcase": "subcase_" + subcase.cast(pl.String),
        }
    )


def write_answers(n: int, path: Path) -> None:
    """Write answers in a mixed order, as some models' files have them."""
    draw = random.Random(n)  # noqa: S311 - no secret
    order = draw.sample(range(n), n)
    lines = (f"ex{i},{draw.choice(('entailment', 'neutral', 'contradiction'))}\n" for i in order)
    path.write_text("pairID,gold_label\n" + "".join(lines))


def ours(pairs: pl.DataFrame, path: Path) -> Scores:
    """Read, check, join and score."""
    return score(pairs, read_answers(path), by=BY, path=path)


def plain_loop(rows: list[tuple[str, ...]], path: Path) -> dict[tuple[str, ...], list[int]]:
    """Count as the original does: a dictionary of guesses, then a loop over the pairs, nothing checked."""
    guesses = {}
    with path.open() as file:
        next(file)
        for line in file:
            pair, label = line.strip().split(",")
            guesses[pair] = "entailment" if label == "entailment" else "non-entailment"
    cells: dict[tuple[str, ...], list[int]] = {}
    for pair, label, *tags in rows:
        cell = cells.setdefault((*tags, label), [0, 0])
        cell[0] += 1
        cell[1] += guesses[pair] == label
    return cells


def seconds(runs: int, function: Callable[..., Any], *arguments: Any) -> float:
    """Time the best of some runs in CPU seconds."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        function(*arguments)
        times.append(time.process_time() - start)
    return min(times)


def measure(n: int, folder: Path) -> dict[str, float]:
    """Time both on the same n answers, after making sure that they count alike."""
    pairs, path, runs = make_pairs(n), folder / f"{n}.csv", 5 if n < SIZES[-1] else 3
    write_answers(n, path)
    rows = pairs.rows()
    counted = {tuple(row[:3]): list(row[3:5]) for row in ours(pairs, path).rows.rows() if row[2] != "all"}
    if counted != plain_loop(rows, path):
        raise SystemExit("The two ways of counting differ.")
    mine, theirs = seconds(runs, ours, pairs, path), seconds(runs, plain_loop, rows, path)
    return {"answers": n, "seconds": mine, "baseline_seconds": theirs, "ratio": theirs / mine}


def main() -> None:
    """Measure all sizes and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = [measure(n, Path(folder)) for n in SIZES]
    for row in figures:
        print(
            f"{row['answers']:>9,} answers: {row['seconds']:.3f} s of CPU; "
            f"{BASELINE}: {row['baseline_seconds']:.3f} s; ratio {row['ratio']:.2f}"
        )
    if asked.json:
        print(json.dumps({"benchmark": "score", "baseline": BASELINE, "figures": figures}))


if __name__ == "__main__":
    main()
