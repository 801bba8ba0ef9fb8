"""A small set with every column, and HANS files made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from rightreasons.core.pairs import Card, ChallengeSet
from rightreasons.corpora import write_pairs

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def small_set() -> ChallengeSet:
    rows = 5
    tree = "(ROOT (S (NP (DT The) (NN judge)) (VP (VBD slept)) (. .)))"
    binary = "( ( The judge ) ( slept . ) )"
    pairs = pl.DataFrame(
        {
            "id": [f"ex{row}" for row in range(rows)],
            "premise": [f'The judge "{row}", slept .' for row in range(rows)],
            "hypothesis": ["The judge slept ."] * rows,
            "label": ["entailment", "non-entailment"] * 2 + ["entailment"],
            "set": ["hans"] * rows,
            "heuristic": ["subsequence"] * rows,
            "subcase": ["sn_NP/S"] * rows,
            "template": ["temp37"] * rows,
            "trigger": ["heard", None, "knew", None, "believed"],
            "rank": [2**40, 1, None, 3, 4],
            "premise_parse": [tree] * rows,
            "hypothesis_parse": [tree] * rows,
            "premise_binary_parse": [binary] * rows,
            "hypothesis_binary_parse": [binary] * rows,
        }
    )
    return ChallengeSet(pairs, Card("hans", 1, labels=("entailment", "non-entailment")))


@pytest.fixture
def hans_file(small_set: ChallengeSet, tmp_path: Path) -> Path:
    write_pairs(small_set, tmp_path / "hans.txt")
    return tmp_path / "hans.txt"
