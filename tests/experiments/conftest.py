"""The corpora of all experiments, tiny: the pocket corpus, and made-up files where tags or parses are needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.experiments.corpora import ROLES

if TYPE_CHECKING:
    from pathlib import Path

# Roles that no paper gives a number of pairs for, and that are needed all the same.
_WITHOUT_SIZE = (
    "word-problems",
    "lingnli-train",
    "conjnli-auto",
    "help-auto",
    "counterfactual-snli",
    "mpe-train",
)
# The rules of SICK that a tiny file must have, so that each can be left out.
_RULES = ("so", "lex", "od", "inv", "ws", "aa", "top", "det", "expa", "expc", "expn", "toa")


@pytest.fixture(scope="session")
def tiny_corpora(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Name a file for every role, as --corpus does."""
    folder = tmp_path_factory.mktemp("corpora")
    given = {
        name: ["pocket"]
        for name, one in ROLES.items()
        if not one.part_of and (one.pairs or name in _WITHOUT_SIZE)
    }
    del given["hans-eval"]  # made from its ranks
    for name, seed in (("parsed-train", 1), ("parsed-dev-matched", 2)):
        given[name] = [str(_parsed(folder / f"{name}.parquet", seed))]
    given["sick"] = [str(_sick(folder / "sick.txt"))]
    return given


def _parsed(path: Path, seed: int) -> Path:
    """Make pairs with parses and three labels."""
    pairs = rr.generate("hans", limit=300, seed=seed, split="train").pairs
    third = pl.int_range(pl.len()) % 2 == 0
    label = pl.when(pl.col("label") == "entailment").then("label").when(third).then(pl.lit("neutral"))
    pairs.with_columns(label.otherwise(pl.lit("contradiction")).alias("label")).write_parquet(path)
    return path


def _sick(path: Path) -> Path:
    """Make a file with the columns of the annotated SICK from the pocket corpus."""
    pocket = rr.read_corpus("pocket").pairs
    rows = pl.int_range(pl.len())
    rule = pl.lit("S2_") + pl.Series("rule", [_RULES[row % len(_RULES)] for row in range(pocket.height)])
    pocket.select(
        pair_ID=rows + 1,
        pair_type=pl.when(rows % 13 == 0)
        .then(pl.lit("unrel"))
        .when(rows % 5 == 1)
        .then(pl.lit("S1S2_inter"))
        .otherwise(pl.lit("S1S2_intra")),
        sentence_A="premise",
        sentence_A_expRule=pl.when((rows % 13 == 0) | (rows % 5 == 1)).then(pl.lit("null")).otherwise(rule),
        sentence_B="hypothesis",
        sentence_B_expRule=pl.lit("null"),
        relatedness_score=pl.lit("3.0"),
        entailment_label=pl.col("label").str.to_uppercase(),
        SemEval_set=pl.when(rows % 7 < 2)
        .then(pl.lit("TEST"))
        .when(rows % 7 == 2)
        .then(pl.lit("TRIAL"))
        .otherwise(pl.lit("TRAIN")),
    ).write_csv(path, separator="\t")
    return path
