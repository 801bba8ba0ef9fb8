"""Measure how much of the labels of HANS the hypothesis alone gives away.

Usage: python scripts/hypothesis_only.py [--seed 0] [--json]

Two measures of an evaluation set. *Certain*: the pairs whose hypothesis has a cue (a word, a doubled article,
a subject without an article) that occurs with one label only. *Learned*: the accuracy of a naive Bayes
learner that sees the hypotheses of the training split and nothing else; chance is 0.5.
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

import rightreasons as rr

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEAST = 10  # a rarer cue may keep to one label by chance
SETS: dict[str, tuple[str, dict[str, Any]]] = {
    "hans-released": ("hans-released", {}),
    "hans, corrected": ("hans", {"mode": "corrected", "text": "tokenised"}),
    "hans, faithful": ("hans", {"mode": "faithful"}),
}
DOUBLED, BARE = "the the", "no article before the subject"


def cues(pairs: pl.DataFrame) -> pl.DataFrame:
    """List the cues of each hypothesis, a row each: its words, and the two patterns."""
    text = pl.col("hypothesis").str.to_lowercase()
    doubled = pl.when(text.str.contains(" the the ", literal=True)).then(pl.lit(DOUBLED))
    bare = pl.when(~text.str.starts_with("the ")).then(pl.lit(BARE))
    table = pairs.select(
        "label", row=pl.int_range(pl.len()), cue=pl.concat_list(text.str.split(" "), doubled, bare)
    )
    return table.explode("cue").drop_nulls("cue").unique(maintain_order=True)


def certain(pairs: pl.DataFrame) -> tuple[pl.DataFrame, NDArray[np.bool_]]:
    """Find the cues that occur with one label only, and the pairs that have one."""
    seen = cues(pairs)
    counts = seen.group_by("cue", maintain_order=True).agg(
        pl.len(), labels=pl.col("label").n_unique(), label=pl.col("label").first()
    )
    found = counts.filter(pl.col("labels") == 1, pl.col("len") >= LEAST).sort("label", "cue")
    told = np.zeros(pairs.height, dtype=bool)
    told[seen.join(found, on="cue", how="semi")["row"].to_numpy()] = True
    return found, told


def presence(pairs: pl.DataFrame, vocabulary: pl.Series) -> NDArray[np.float64]:
    """Say which cues of the vocabulary each hypothesis has: a row a pair, a column a cue."""
    numbers = pl.DataFrame({"cue": vocabulary, "column": np.arange(len(vocabulary))})
    seen = cues(pairs).join(numbers, on="cue", how="inner")
    matrix = np.zeros((pairs.height, len(vocabulary)))
    matrix[seen["row"].to_numpy(), seen["column"].to_numpy()] = 1.0
    return matrix


def learned(train: pl.DataFrame, test: pl.DataFrame) -> NDArray[np.bool_]:
    """Train naive Bayes on the hypotheses of one split; say which pairs of the other it gets right."""
    vocabulary = cues(train)["cue"].unique().sort()
    seen, entailed = presence(train, vocabulary), (train["label"] == "entailment").to_numpy()
    # One more pair with and without each cue, so that nothing is impossible.
    chances = [(seen[side].sum(axis=0) + 1) / (side.sum() + 2) for side in (entailed, ~entailed)]
    asked = presence(test, vocabulary)
    odds = [asked @ np.log(chance) + (1 - asked) @ np.log(1 - chance) for chance in chances]
    right: NDArray[np.bool_] = (odds[0] > odds[1]) == (test["label"] == "entailment").to_numpy()
    return right


def measure(name: str, seed: int) -> dict[str, Any]:
    """Take both measures of one set."""
    part, options = SETS[name]
    splits = {
        split: rr.generate(part, seed=seed, split=split, parses="none", **options).pairs
        for split in ("eval", "train")
    }
    found, told = certain(splits["eval"])
    right = learned(splits["train"], splits["eval"])
    by_label = found.group_by("label", maintain_order=True).agg("cue")
    return {
        "set": name,
        "pairs": len(told),
        "certain": int(told.sum()),
        "share": float(told.mean()),
        "learned": float(right.mean()),
        "learned_rest": float(right[~told].mean()),
        "cues": dict(by_label.iter_rows()),
    }


def main() -> None:
    """Measure all sets and print a table, then the cues."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=0, help="the seed of the sets that have one")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    asked = parser.parse_args()
    rows = [measure(name, asked.seed) for name in SETS]
    print("| set | pairs | label certain | share | naive Bayes, all | naive Bayes, other pairs |")
    print("|---|---|---|---|---|---|")
    for row in rows:
        shown = "| {set} | {pairs:,} | {certain:,} | {share:.1%} | {learned:.3f} | {learned_rest:.3f} |"
        print(shown.format_map(row))
    for row in rows:
        for label, words in row["cues"].items():
            print(f"- {row['set']}, always {label}: {', '.join(words)}")
    if asked.json:
        print(json.dumps({"seed": asked.seed, "sets": rows}))


if __name__ == "__main__":
    main()
