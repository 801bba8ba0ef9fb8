"""Sum up the accuracies on HANS of 100 fine-tuning runs of BERT, cell by cell, for the package.

Usage: python scripts/hans_100_runs.py ACCURACIES_BY_RUN.csv
The file is that of the authors of "BERTs of a feather do not generalize together" (McCoy, Min & Linzen 2020): a row per
run, a column per cell of HANS. Only the summary is written, not the runs.
"""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl

import rightreasons

OUT = Path(rightreasons.__file__).parent / "data" / "published" / "hans_100_runs.csv"
HEURISTICS = {"Lexical": "lexical_overlap", "Subseq": "subsequence", "Constituent": "constituent"}
LABELS = {"e": "entailment", "n": "non-entailment"}  # the second letter of a subcase
RUNS = 100


def cell(column: str) -> tuple[str, str, str]:
    """Read tag, value and true label off the name of a column."""
    if column == "Overall accuracy":
        return "", "", "all"
    name, _, kind = column.partition(" (")
    if name in HEURISTICS:
        return "heuristic", HEURISTICS[name], LABELS[kind[0]]
    return "subcase", column, LABELS[column[1]]


def main(path: str) -> None:
    """Write a row of statistics per cell."""
    table = pl.read_csv(Path(path).read_bytes(), infer_schema=False).filter(
        pl.col("Run").str.contains(r"^Run \d+$")
    )
    if table.height != RUNS:
        raise SystemExit(f"{path} has {table.height} runs, not {RUNS}.")
    columns = [name for name in table.columns if name not in ("Run", "MNLI dev acc.")]
    rows = []
    for name in columns:
        values = table[name].cast(pl.Float64)
        shares = (0.25, 0.5, 0.75)
        quartiles = [values.quantile(share, interpolation="linear") for share in shares]
        figures = (values.mean(), values.std(), values.min(), *quartiles, values.max())
        rows.append((*cell(name), RUNS, *(f"{figure:.6g}" for figure in figures)))
    head = ["tag", "value", "gold", "runs", "mean", "sd", "least", "q1", "median", "q3", "most"]
    pl.DataFrame(rows, schema=head, orient="row").write_csv(OUT)
    print(f"{OUT.name}: {len(rows)} cells")


if __name__ == "__main__":
    main(*sys.argv[1:])
