"""Time of scoring, against a plain Python loop like the original HANS evaluator.

    python benchmarks/score.py [--sizes 30000 1000000] [--json]

Both read the same predictions and count the same cells by heuristic, subcase and gold label. `score`: the set is in
memory. `file`: the set is read too, by us from parquet with all parses, by the loop from tab-separated text without
parses. `command`: `rightreasons score SET PREDICTIONS --by heuristic,subcase`, with start-up and imports.
Times are CPU seconds, the best of several runs. --json prints one JSON object on the last line.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rightreasons
from rightreasons.core.pairs import PARSE_COLUMNS
from rightreasons.io.predictions import read_predictions
from rightreasons.scoring.accuracy import Scores, score_predictions

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

SIZES = (30_000, 1_000_000)
BY = ("heuristic", "subcase")
READ = ("id", "label", *BY)
BASELINE = "plain Python loop like the original evaluator's"


def make_set(n: int, folder: Path) -> pl.DataFrame:
    """Make a set of HANS, write it for both, and return what is counted."""
    made = rightreasons.generate("hans", size=max(1000, n // 25), limit=n, short="allow", parses="binary")
    rightreasons.write_pairs(made, folder / f"{n}.parquet")
    made.pairs.drop(name for name in PARSE_COLUMNS if name in made.pairs.columns).write_csv(
        folder / f"{n}.tsv", separator="\t", quote_style="never"
    )
    return made.pairs.select(READ)


def write_predictions(ids: list[str], path: Path) -> None:
    """Write predictions in random order, as in the files of some models."""
    draw = random.Random(len(ids))  # noqa: S311 - no secret
    order = draw.sample(ids, len(ids))
    lines = (f"{name},{draw.choice(('entailment', 'neutral', 'contradiction'))}\n" for name in order)
    path.write_text("pairID,gold_label\n" + "".join(lines))


def ours(pairs: pl.DataFrame, path: Path) -> Scores:
    """Read the predictions, check, join and score."""
    return score_predictions(pairs, read_predictions(path), by=BY, path=path)


def ours_from_file(pairs: Path, path: Path) -> Scores:
    """Read the needed columns of the set, too."""
    return ours(rightreasons.read_pairs(pairs, columns=BY).pairs, path)


def plain_rows(pairs: Path) -> list[tuple[str, ...]]:
    """Read the set line by line, like the original."""
    with pairs.open() as file:
        header = next(file).rstrip("\n").split("\t")
        at = [header.index(name) for name in READ]
        cells = (line.rstrip("\n").split("\t") for line in file)
        return [tuple(row[place] for place in at) for row in cells]


def plain_loop(rows: list[tuple[str, ...]], path: Path) -> dict[tuple[str, ...], list[int]]:
    """Count like the original: a dictionary of predictions, then a loop over the pairs, without checks."""
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


def plain_loop_from_file(pairs: Path, path: Path) -> dict[tuple[str, ...], list[int]]:
    """Read the set and count."""
    return plain_loop(plain_rows(pairs), path)


def command(pairs: Path, path: Path) -> None:
    """Run the command in a process of its own."""
    words = [sys.executable, "-m", "rightreasons", "score", str(pairs), str(path), "--by", ",".join(BY)]
    subprocess.run(words, check=True, capture_output=True)  # noqa: S603 - our own command


def spent() -> float:
    """The CPU seconds of this process and its children."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def seconds(runs: int, function: Callable[..., Any], *arguments: Any) -> float:
    """Time the best of several runs in CPU seconds."""
    times = []
    for _ in range(runs):
        start = spent()
        function(*arguments)
        times.append(spent() - start)
    return min(times)


def measure(n: int, folder: Path) -> list[dict[str, Any]]:
    """Time both on the same n predictions, after checking that their counts are equal."""
    pairs, runs = make_set(n, folder), 5 if n < SIZES[-1] else 3
    path, ready, text = folder / f"{n}.csv", folder / f"{n}.parquet", folder / f"{n}.tsv"
    write_predictions(pairs["id"].to_list(), path)
    scored = ours_from_file(ready, path).rows
    counted = {tuple(row[:3]): list(row[3:5]) for row in scored.rows() if row[2] != "all"}
    if counted != plain_loop_from_file(text, path):
        raise SystemExit("The counts of score and of the plain loop differ.")
    rows = pairs.rows()
    loop = seconds(runs, plain_loop, rows, path)
    del rows
    whole_loop = seconds(runs, plain_loop_from_file, text, path)
    return [
        figure("score", n, seconds(runs, ours, pairs, path), loop),
        figure("file", n, seconds(runs, ours_from_file, ready, path), whole_loop),
        figure("command", n, seconds(runs, command, ready, path), whole_loop),
    ]


def figure(what: str, n: int, mine: float, theirs: float) -> dict[str, Any]:
    """A measurement with its baseline and ratio."""
    return {
        "what": what,
        "predictions": n,
        "seconds": mine,
        "baseline_seconds": theirs,
        "ratio": theirs / mine,
    }


def main() -> None:
    """Measure all sizes and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of pairs")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = [row for n in options.sizes for row in measure(n, Path(folder))]
    for row in figures:
        print(
            f"{row['what']:<7} {row['predictions']:>9,} predictions: {row['seconds']:.3f} s of CPU; "
            f"{BASELINE}: {row['baseline_seconds']:.3f} s; ratio {row['ratio']:.2f}"
        )
    if options.json:
        print(json.dumps({"benchmark": "score", "baseline": BASELINE, "figures": figures}))


if __name__ == "__main__":
    main()
