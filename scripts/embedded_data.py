"""Chooses the training pairs of the embedded model from a pool, and proves that no test pair is among them.

    scripts/embedded_data.py POOL.tsv FOLDER TEST [TEST ...]

writes FOLDER/train.parquet and FOLDER/dev.parquet. The pool has a column `source`. Every TEST is read as a corpus;
training pairs that share a premise with it are left out, and then no premise, pair or swapped pair of it may be in
what is written, compared on letters and digits.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import polars as pl

import rightreasons as rr

SOURCES = r"^(mnli|snli|lingnli)_"  # the licences of the pool's other sources don't fit a shipped model
DEV = 2_000
SEED = 7


def plain(column: str) -> pl.Expr:
    """Reduce a text to its letters and digits in small letters, so that spacing and case hide nothing."""
    return pl.col(column).str.to_lowercase().str.replace_all(r"[^\p{L}\p{N}]", "")


def chosen(pool: Path) -> pl.DataFrame:
    """Take the pairs of the sources that may be used, each once."""
    pairs = rr.read_corpus(str(pool)).pairs.filter(pl.col("source").str.contains(SOURCES))
    return pairs.select("id", "premise", "hypothesis", "label", "source").unique(
        ["premise", "hypothesis"], maintain_order=True
    )


def split(pairs: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Keep some pairs of MultiNLI apart to choose the weights by; no premise is on both sides."""
    keyed = pairs.with_columns(key=plain("premise"))
    mnli = keyed.filter(pl.col("source").str.starts_with("mnli"))
    dev = mnli.sample(DEV, seed=SEED, shuffle=True)
    train = keyed.join(dev, on="key", how="anti")
    return train.drop("key"), dev.drop("key")


def without(pairs: pl.DataFrame, test: str) -> pl.DataFrame:
    """Leave out the pairs whose premise is a premise of a test set."""
    texts = rr.read_corpus(test).pairs.select(key=plain("premise"))
    return pairs.filter(~plain("premise").is_in(texts["key"].implode()))


def assert_apart(pairs: pl.DataFrame, test: str) -> int:
    """Stop if a premise, a pair or a swapped pair of a test set is among the training pairs."""
    texts = rr.read_corpus(test).pairs.select(p=plain("premise"), h=plain("hypothesis"))
    ours = pairs.select(p=plain("premise"), h=plain("hypothesis"))
    swapped = texts.select(p="h", h="p")
    long = pl.col("p").str.len_chars() > 0
    found = {
        "premises": ours.join(texts.filter(long), on="p", how="semi").height,
        "pairs": ours.join(texts, on=["p", "h"], how="semi").height,
        "swapped pairs": ours.join(swapped, on=["p", "h"], how="semi").height,
    }
    if any(found.values()):
        raise SystemExit(f"{test}: training pairs that share {found}")
    return texts.height


def main() -> None:
    """Choose, prove, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pool", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("tests", nargs="+")
    given = parser.parse_args()
    pairs = chosen(given.pool)
    for test in given.tests:
        pairs, before = without(pairs, test), pairs.height
        if pairs.height < before:
            print(f"left out {before - pairs.height} that share a premise with {Path(test).name}")
    train, dev = split(pairs)
    for test in given.tests:
        count = assert_apart(pl.concat([train, dev]), test)
        print(f"apart from the {count:,} pairs of {Path(test).name}")
    given.folder.mkdir(exist_ok=True)
    train.write_parquet(given.folder / "train.parquet")
    dev.write_parquet(given.folder / "dev.parquet")
    print(f"{train.height:,} training pairs, {dev.height:,} to choose by")
    print(train.group_by("source").len().sort("source"))


if __name__ == "__main__":
    main()
