"""SICK: its columns, and the rules in clean tags."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import polars as pl
import pytest

from rightreasons.corpora import read_corpus, read_pairs

if TYPE_CHECKING:
    from pathlib import Path

HEADER = (
    "pair_ID\tpair_type\tsentence_A\tsentence_A_expRule\tsentence_B\tsentence_B_expRule\tentailment_label"
)
CODES = ["so", "lex", "od", "inv", "ws", "aa", "top", "det", "expa", "expc", "expn", "toa"]


def annotated(path: Path, *rules: tuple[str, str]) -> Path:
    rows = [f"{n}\tx\tA dog ran\t{a}\tA cat ran\t{b}\tNEUTRAL" for n, (a, b) in enumerate(rules, start=1)]
    path.write_text("\r\n".join([HEADER, *rows]), newline="")
    return path


@pytest.mark.parametrize(
    ("first", "second", "tags"),
    [
        ("S1_null", "S2_lex", ("lex", "S2", "hypothesis")),
        ("S3_so,od", "S1_null", ("so,od", "S3", "premise")),
        ("S1_null", "S2_les", ("lex", "S2", "hypothesis")),
        ("S2_ap", "S1_null", ("top", "S2", "premise")),
        ("S2_toa ", "S1_null", ("toa", "S2", "premise")),
        ("S2_det, les", "S1_null", ("det,lex", "S2", "premise")),
        ("S1_null", "S3_null", (None, None, None)),
    ],
)
def test_rules_become_clean_tags(
    tmp_path: Path, first: str, second: str, tags: tuple[str | None, ...]
) -> None:
    pairs = read_pairs(annotated(tmp_path / "t.txt", (first, second))).pairs
    assert pairs.select("rule", "slot", "rule_side").row(0) == tags
    assert pairs.select("sentence_A_expRule", "sentence_B_expRule").row(0) == (first, second)


def test_lines_may_end_as_on_windows(tmp_path: Path) -> None:
    made = read_corpus(annotated(tmp_path / "t.txt", ("S1_null", "S2_lex"), ("S1_null", "S1_null")))
    assert made.pairs["original_label"].to_list() == ["NEUTRAL", "NEUTRAL"]
    assert made.pairs["label"].to_list() == ["neutral", "neutral"]
    assert made.pairs["genre"].to_list() == [None, None]
    assert made.card.labels == ("neutral",)


def test_the_plain_file(shared_data: Path) -> None:
    pairs = read_corpus(shared_data / "sick/SICK.txt").pairs
    assert pairs.height == 9840
    assert "rule" not in pairs.columns
    assert pairs["SemEval_set"].unique().sort().to_list() == ["TEST", "TRAIN", "TRIAL"]
    assert set(pairs["original_label"]) == {"NEUTRAL", "ENTAILMENT", "CONTRADICTION"}


def test_the_published_counts_of_the_rules(shared_data: Path) -> None:
    pairs = read_corpus(shared_data / "sick/SICK_annotated.txt").pairs
    assert pairs.height == 9840
    codes = Counter(code for rule in pairs["rule"].drop_nulls() for code in rule.split(","))
    # The read-me counts neither les (3) with lex (847) nor ap (1) with top (281).
    counts = [933, 847 + 3, 608, 419, 377, 287, 281 + 1, 268, 189, 56, 28, 17]
    assert [codes[code] for code in CODES] == counts
    assert set(codes) == set(CODES)
    intra = pairs.filter(pl.col("pair_type").str.ends_with("_intra"))
    assert intra.height == 4276
    assert pairs["rule"].is_not_null().sum() == 4276 == intra["rule"].is_not_null().sum()
    assert pairs["rule"].drop_nulls().str.contains(",").sum() == 38
    assert (pairs["pair_type"] == "unrel").sum() == 1197


def test_the_published_labels_of_the_rules(shared_data: Path) -> None:
    pairs = read_corpus(shared_data / "sick/SICK_annotated.txt").pairs
    labels = Counter(pairs.select("rule", "label").iter_rows())
    order = ("entailment", "neutral", "contradiction")
    assert [labels["so", label] for label in order] == [14, 782, 132]
    assert [labels["ws", label] for label in order] == [37, 333, 7]
    assert [labels["expa", label] for label in order] == [185, 0, 0]
