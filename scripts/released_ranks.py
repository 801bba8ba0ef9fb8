"""Make the package's numbers of the released HANS files: sub-variant and rank of each pair, and no text.

Usage: python scripts/released_ranks.py EVALUATION_FILE TRAIN_FILE
The files are heuristics_evaluation_set.txt and heuristics_train_set.txt of the authors' repository.
"""

from __future__ import annotations

import sys

import polars as pl

from rightreasons.sets.hans import released_ranks as released
from rightreasons.sets.hans.hans import load_hans_grammar
from rightreasons.templates.recognise import Recogniser


def main(evaluation: str, train: str) -> None:
    """Recognise both files and write the numbers."""
    templates = load_hans_grammar("faithful")
    recogniser = Recogniser(templates, "faithful")
    splits = {}
    for split, path in (("eval", evaluation), ("train", train)):
        table = pl.read_csv(path, separator="\t", quote_char=None)
        pairs = table.rename({"sentence1": "premise", "sentence2": "hypothesis"})
        found = recogniser.matches(pairs)
        if found["row"].to_list() != list(range(pairs.height)):
            raise SystemExit(f"{path}: not every pair is recognised by exactly one sub-variant.")
        splits[split] = (found["number"].to_numpy(), found["rank"].to_numpy())
    packed = released.pack_ranks(splits, templates)
    released.FILE.write_bytes(packed)
    print(f"{released.FILE.name}: {len(packed):,} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
