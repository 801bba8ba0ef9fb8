"""The audit of duplicates: repeated pairs and texts, conflicting labels, splits, and another corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from corpora_by_hand import make_corpus

import rightreasons as rr
from rightreasons.audits.duplicates import DuplicatesAudit
from rightreasons.audits.leaks import count_leaks
from rightreasons.audits.near_duplicates import THRESHOLD, compute_similarity
from rightreasons.audits.repeated_pairs import RepeatedPairs
from rightreasons.language.shingles import normalise_spaces
from rightreasons.scoring.intervals import wilson_interval

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.core.audit_result import AuditResult

E, N, C = "entailment", "neutral", "contradiction"
LONG = "The old man by the river sold seven small boats to the children of his neighbour"
ROWS = [
    ("A dog ran.", "It moved.", E),
    ("A dog ran.", "It moved.", E),  # verbatim
    ("a DOG ran", "It moved!", N),  # the same letters, another label
    ("It moved.", "A dog ran.", N),  # swapped
    (f"{LONG}.", "He sold boats.", E),
    (f"{LONG} today.", "He sold boats.", C),  # a near duplicate
    ("Birds sing.", "He sold boats.", N),
    ("Fish swim.", "Nobody swims.", None),
]


def get_tables(result: AuditResult) -> dict[str, pl.DataFrame]:
    return {exhibit.key: exhibit.frame for exhibit in result.exhibits}


def test_kinds_of_duplicates_are_nested() -> None:
    result = DuplicatesAudit().audit(make_corpus(ROWS))
    table = get_tables(result)["duplicates"]
    assert table.select("pairs", "repeated", "surplus").rows() == [
        (8, 2, 1),
        (8, 3, 2),
        (8, 5, None),
        (8, 4, None),
        (8, 3, 2),
        (8, 6, 4),
    ]
    names = ("exact", "normalised", "near", "swapped", "premises", "hypotheses")
    assert [result.get_figure(name).value for name in names] == table["share"].to_list()
    low, high = wilson_interval(5, 8)
    near = result.get_figure("near")
    assert (near.low, near.high) == (pytest.approx(low), pytest.approx(high))
    assert result.remarks == ()


def test_equal_pairs_with_two_labels_conflict() -> None:
    result = DuplicatesAudit().audit(make_corpus([*ROWS, ("Fish swim!", "Nobody swims", C)]))
    conflicting = result.get_figure("conflicting")
    assert (conflicting.value, conflicting.n) == (3 / 8, 8)
    # The last two are repeated, but only one of them has a gold label.
    repeated = result.get_figure("conflicting.repeated")
    assert (repeated.value, repeated.n) == (1, 1)
    assert result.pairs["conflicting"]["id"].to_list() == ["ex0", "ex1", "ex2"]
    tables = get_tables(result)
    assert tables["duplicates-labels"].select("labels", "repeated pairs").rows() == [(f"{E} and {N}", 1)]
    assert tables["duplicates-conflicts"].rows() == [(f"2 {E}, 1 {N}", "A dog ran.", "It moved.")]


def test_repeated_pairs_with_one_label_agree() -> None:
    rows = [("a b", "c", E), ("a b", "c", E), ("a", "b", N), ("a", "B", E), ("a", "b", C)]
    table = get_tables(DuplicatesAudit().audit(make_corpus(rows)))["duplicates-labels"]
    assert table.select("labels", "repeated pairs", "share").rows() == [
        (E, 1, 0.5),
        (f"{E} and {N} and {C}", 1, 0.5),
    ]


def test_texts_that_pairs_share() -> None:
    tables = get_tables(DuplicatesAudit().audit(make_corpus(ROWS)))
    sharing = tables["duplicates-texts"].filter(pl.col("pairs") > 0)
    assert sharing.select("text", "shared by", "texts", "pairs").rows() == [
        ("premise", "1 pair", 5, 5),
        ("premise", "3 pairs", 1, 3),
        ("hypothesis", "1 pair", 2, 2),
        ("hypothesis", "3 pairs", 2, 6),
    ]
    assert tables["duplicates-hypotheses"].rows() == [
        ("He sold boats.", 3, 1, 1, 1),
        ("It moved!", 3, 2, 1, 0),
    ]


def test_near_duplicates_are_shown_with_what_they_are_near() -> None:
    table = get_tables(DuplicatesAudit(examples=1).audit(make_corpus(ROWS)))["duplicates-near"]
    row = table.row(0, named=True)
    assert {row["premise"], row["near premise"]} == {f"{LONG}.", f"{LONG} today."}
    assert {row["label"], row["near label"]} == {E, C}
    assert 0.8 <= row["similarity"] < 1


def make_variants(count: int, seed: int) -> pl.DataFrame:
    """Make pairs of twelve words, of which some differ in a word or two."""
    rng = np.random.default_rng(seed)
    words = np.array([f"{a}{b}{c}" for a in "klmnp" for b in "aeiou" for c in "rst"])
    base = rng.choice(words, size=(count // 4, 12))
    rows = base[rng.integers(0, len(base), count)]
    for row in rows[count // 8 :]:
        changed = rng.integers(0, 3)  # words
        row[rng.integers(0, 12, changed)] = rng.choice(words, changed)
    return pl.DataFrame(
        {"premise": [" ".join(row[:8]) for row in rows], "hypothesis": [" ".join(row[8:]) for row in rows]}
    )


def test_no_near_duplicate_is_missed() -> None:
    pairs = make_variants(200, 4)
    repeated = RepeatedPairs.from_pairs(pairs)
    texts = list(
        pairs.select(normalise_spaces(pl.col(side)).alias(side) for side in pairs.columns).iter_rows()
    )
    alone = [row for row, is_repeated in enumerate(repeated.normalised.is_repeated) if not is_repeated]
    expected = {
        row
        for row in alone
        if any(
            compute_similarity(texts[row], other) >= THRESHOLD for at, other in enumerate(texts) if at != row
        )
    }
    search = repeated.find_near_duplicates(1_000)
    assert {each.row for each in search.found} == expected
    assert sorted(search.rows.tolist()) == alone
    assert 10 < len(expected) < len(alone)
    for each in search.found:
        assert each.similarity == float(compute_similarity(texts[each.row], texts[each.other])) < 1


def test_a_sample_estimates_the_share_of_near_duplicates() -> None:
    pairs = make_variants(1_200, 5).with_columns(label=pl.lit(E))
    corpus = make_corpus([*pairs.iter_rows(), *pairs.head(200).iter_rows()])
    whole = DuplicatesAudit(near=2_000).audit(corpus).get_figure("near")
    part = DuplicatesAudit(near=400).audit(corpus)
    figure = part.get_figure("near")
    assert figure.low is not None
    assert figure.high is not None
    assert figure.low < whole.value < figure.high
    assert figure.high - figure.low < 0.15
    assert figure.n == whole.n == 1_400
    assert "400 of the" in part.remarks[0]
    normalised = part.get_figure("normalised").value
    assert normalised < figure.value < 1


def test_near_duplicates_can_be_left_out() -> None:
    result = DuplicatesAudit(near=0).audit(make_corpus(ROWS))
    assert "near" not in {figure.name for figure in result.figures}
    assert "duplicates-near" not in get_tables(result)
    assert len(result.remarks) == 1


def test_the_order_of_rows_changes_nothing() -> None:
    pairs = make_variants(300, 6).with_columns(label=pl.lit(N))
    one = DuplicatesAudit(near=100).audit(make_corpus([*pairs.iter_rows()]))
    other = DuplicatesAudit(near=100).audit(make_corpus([*pairs.reverse().iter_rows()]))
    assert one.figures == other.figures
    assert get_tables(one)["duplicates-near"].equals(get_tables(other)["duplicates-near"])


def test_premises_and_pairs_that_splits_share() -> None:
    splits = ["train", "dev", "train", "train", "train", "train", None, "dev"]
    result = DuplicatesAudit().audit(make_corpus(ROWS, split=splits))
    table = get_tables(result)["duplicates-splits"]
    assert table.select("split", "pairs", "premise in another split", "pair in another split").rows() == [
        ("dev", 2, 1 / 2, 1 / 2),
        ("train", 5, 2 / 5, 2 / 5),
        ("all", 7, 3 / 7, 3 / 7),
    ]
    assert result.get_figure("splits").value == 3 / 7
    assert "splits" not in {figure.name for figure in DuplicatesAudit().audit(make_corpus(ROWS)).figures}


def test_what_a_corpus_shares_with_a_dev_set_is_its_leak_table(tmp_path: Path) -> None:
    dev = pl.DataFrame(
        [
            ("A dog ran.", "It moved.", N),
            ("It moved.", "A DOG ran.", N),
            (f"{LONG}, yes.", "He sold boats.", E),
            ("Fish swim.", "Fish.", E),
            ("Something else.", "Nobody swims", E),
        ],
        schema=["premise", "hypothesis", "label"],
        orient="row",
    )
    dev.write_csv(tmp_path / "dev.csv")
    corpus = make_corpus(ROWS)
    result = DuplicatesAudit(against=str(tmp_path / "dev.csv")).audit(corpus)
    expected = count_leaks(corpus.pairs, dev)
    table = get_tables(result)["duplicates-against"]
    columns = ("exact", "normalised", "near", "of", "share")
    assert table.select(columns).rows() == expected.select(columns).rows()
    names = ("against-pairs", "against-swapped-pairs", "against-premises", "against-hypotheses")
    assert [result.get_figure(name).value for name in names] == [3 / 5, 2 / 5, 4 / 5, 4 / 5]
    assert result.get_figure("against-pairs").n == 5


@pytest.mark.parametrize(
    "rows", [[("", " ", None), (" ", "", None)], [("...", "?", E), ("...", "?", E)], [("a", "b", N)], []]
)
def test_blank_texts_and_missing_labels(rows: list[tuple[str, str, str | None]]) -> None:
    result = DuplicatesAudit().audit(make_corpus(rows))
    figures = {figure.name: figure.value for figure in result.figures}
    assert figures.get("exact", 0) == (1 if rows[:1] == [("...", "?", E)] else 0)
    assert ("conflicting" in figures) == any(label for *_, label in rows)
    assert result.summary


@pytest.mark.parametrize("option", ["near", "examples"])
def test_numbers_below_zero_are_refused(option: str) -> None:
    with pytest.raises(rr.InputError, match=option):
        DuplicatesAudit(**{option: -1})
