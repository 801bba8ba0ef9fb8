"""The audit of the heuristics: counts, figures, and the contradicting pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from corpora_by_hand import make_corpus

import rightreasons as rr
from rightreasons.audits.audit_corpus import AuditCorpus
from rightreasons.audits.heuristics import HeuristicsAudit
from rightreasons.corpora.corpus import read_damaged_corpus
from rightreasons.scoring.intervals import wilson_interval

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [
    ("The judge saw Ann.", "The judge saw Ann.", "entailment"),
    ("A dog ran home.", "A dog ran.", "entailment"),
    ("Tom met Sue.", "Sue met Tom.", "neutral"),
    ("No one slept.", "One slept.", "contradiction"),
    ("Birds sing.", "Fish swim.", "neutral"),
]
GENRES = ["x", "y", "x", "y", None]


def test_counts_by_rule_label_and_genre() -> None:
    result = HeuristicsAudit(rule="nested").audit(make_corpus(ROWS, genre=GENRES))
    tables = {exhibit.key: exhibit.frame for exhibit in result.exhibits}
    columns = ("heuristic", "support", "contradict", "entailment", "neutral", "contradiction", "pairs")
    assert tables["heuristics"].select(columns).rows() == [
        ("lexical overlap", 2, 2, 2, 1, 1, 5),
        ("subsequence", 2, 1, 2, 0, 1, 5),
    ]
    by_genre = tables["heuristics-genre"].filter(heuristic="lexical overlap")
    assert by_genre.select("genre", "support", "contradict").rows() == [
        ("unknown", 0, 0),
        ("x", 1, 1),
        ("y", 1, 1),
        ("all", 2, 2),
    ]


def test_figures_have_their_interval_and_baseline() -> None:
    result = HeuristicsAudit().audit(make_corpus(ROWS))
    figure = result.get_figure("subsequence")
    low, high = wilson_interval(2, 3)
    assert (figure.value, figure.n, figure.baseline) == (2 / 3, 3, 2 / 5)
    assert (figure.low, figure.high) == (pytest.approx(low), pytest.approx(high))
    assert result.get_figure("lexical_overlap.contradicting").value == 2 / 5
    names = {figure.name for figure in result.figures}
    assert {"subsequence.published", "lexical_overlap.contradicting.published"} <= names


@pytest.mark.parametrize(
    ("supporting", "contradicting", "said"),
    [
        (40, 4, "expected to fail"),
        (40, 20, "not always"),
        (4, 40, "against entailment"),
        (5, 5, "no preference"),
    ],
)
def test_the_summary_says_whether_the_heuristic_pays_off(
    supporting: int, contradicting: int, said: str
) -> None:
    fits = [(f"a{n} b c", "b c", "entailment") for n in range(supporting)]
    fails = [(f"x{n} b c", "c b", "neutral") for n in range(contradicting)]
    others = [(f"y{n}", "z", ("entailment", "neutral")[n % 2]) for n in range(800)]
    summary = HeuristicsAudit().audit(make_corpus([*fits, *fails, *others])).summary
    assert f"{supporting} pairs support the lexical-overlap heuristic and {contradicting} (" in summary
    assert said in summary


def test_contradicting_pairs_keep_their_tags_and_the_narrowest_heuristic() -> None:
    pairs = HeuristicsAudit(examples=1).audit(make_corpus(ROWS, genre=GENRES)).pairs["contradicting"]
    assert pairs.select("id", "label", "genre", "heuristic").rows() == [
        ("ex2", "neutral", "x", "lexical_overlap"),
        ("ex3", "contradiction", "y", "subsequence"),
    ]


def test_pairs_without_a_parse_are_counted() -> None:
    parses = ["(S (NP (NNP Tom)) (VP (VBD met) (NP (NNP Sue))))", None, None, None, None]
    result = HeuristicsAudit().audit(make_corpus(ROWS, premise_parse=parses))
    assert [remark.split()[:3] for remark in result.remarks] == [["4", "of", "5"]]
    assert "constituent" in HeuristicsAudit().audit(make_corpus(ROWS)).remarks[0]


def test_a_corpus_without_overlap_has_no_figure_of_support() -> None:
    result = HeuristicsAudit().audit(make_corpus([("a b", "c", "entailment"), ("a", "d", "neutral")]))
    assert {figure.name for figure in result.figures if figure.name.startswith("lexical_overlap")} == {
        "lexical_overlap.contradicting",
        "lexical_overlap.contradicting.published",
    }
    assert result.pairs["contradicting"].is_empty()


def test_a_negative_number_of_examples_is_refused() -> None:
    with pytest.raises(rr.InputError, match="examples"):
        HeuristicsAudit(examples=-1)


def test_parsed_multinli_is_in_line_with_the_paper(shared_data: Path) -> None:
    pairs = read_damaged_corpus(str(shared_data / "parsed" / "mnli_train_parsed.tsv"))
    result = HeuristicsAudit().audit(AuditCorpus.from_challenge_set(pairs))
    tables = {exhibit.key: exhibit.frame for exhibit in result.exhibits}
    nested = tables["heuristics"].filter(rule="nested").select("support", "contradict").rows()
    assert nested == [(352, 38), (89, 9), (34, 5)]
    published = tables["heuristics"].filter(rule="published", heuristic="constituent")
    assert published.select("support", "contradict").row(0) == (38, 5)
    scaled = tables["heuristics-published"].filter(heuristic="lexical overlap").row(0, named=True)
    assert scaled["support_low"] < scaled["HANS: support"] == 2_158 < scaled["support_high"]
    assert scaled["contradict_low"] < scaled["HANS: contradict"] == 261 < scaled["contradict_high"]


@pytest.mark.parametrize(
    ("without", "counts", "scaled"),
    [
        ((), [(313, 41), (156, 12), (135, 12)], {}),
        (
            ("mnli_LLMsKnow",),  # whose hypotheses have no full stops
            [(191, 26), (104, 7), (93, 7)],
            {"lexical overlap": (2_037, 277), "subsequence": (1_109, 75)},
        ),
    ],
)
def test_multinli_training_pairs_are_in_line_with_the_paper(
    shared_data: Path,
    without: tuple[str, ...],
    counts: list[tuple[int, int]],
    scaled: dict[str, tuple[int, int]],
) -> None:
    """The counts are those of a plain loop; scaled to the whole training set, they are near the paper's."""
    pool = pl.read_csv(shared_data / "train_pool.tsv", separator="\t", quote_char=None)
    chosen = pl.col("source").str.starts_with("mnli_") & ~pl.col("source").is_in(
        ("mnli_nyu_hw2_tok", *without)
    )
    pairs = rr.ChallengeSet(pool.filter(chosen).drop("source"), rr.Card("mnli"))
    result = HeuristicsAudit(rule="published").audit(AuditCorpus.from_challenge_set(pairs))
    tables = {exhibit.key: exhibit.frame for exhibit in result.exhibits}
    assert tables["heuristics"].select("support", "contradict").rows() == counts
    for name, expected in scaled.items():
        row = tables["heuristics-published"].filter(heuristic=name).row(0, named=True)
        assert (row["support"], row["contradict"]) == expected
        for kind in ("support", "contradict"):
            assert row[f"{kind}_low"] < row[f"HANS: {kind}"] < row[f"{kind}_high"]
