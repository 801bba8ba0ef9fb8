"""The audit of agreement: figures, tables, words of annotators, and published figures."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from corpora_by_hand import make_corpus

import rightreasons as rr
from rightreasons.audits.agreement import AgreementAudit
from rightreasons.audits.annotator_labels import AnnotatorLabels
from rightreasons.audits.audit_corpus import AuditCorpus
from rightreasons.corpora.corpus import read_damaged_corpus

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.core.audit_result import AuditResult

E, N, C = "entailment", "neutral", "contradiction"
# Premise and hypothesis do not matter here.
VOTES: dict[str, str | None] = {
    f"{E},{E},{E},{E},{E}": E,
    f"{N},{N},{N},{E},{C}": N,
    f"{C},{C},{C},{C},{N}": C,
    f"{C},{C},{C},{N},{N}": N,  # the gold label is not the majority
    f"{E},{E},{N},{N},{C}": None,  # tied
    f"{E}": E,
    "": C,
}
GENRES = ["x", "x", "y", "y", None, "x", "x"]


def audit(votes: list[str | None], golds: list[str | None], **tags: list[str | None]) -> AuditResult:
    rows = [(f"p{n}", f"h{n}", gold) for n, gold in enumerate(golds)]
    return AgreementAudit(examples=2).audit(make_corpus(rows, annotator_labels=votes, **tags))


def get_tables(result: AuditResult) -> dict[str, pl.DataFrame]:
    return {exhibit.key: exhibit.frame for exhibit in result.exhibits}


def test_figures_are_of_pairs_with_two_annotators() -> None:
    result = audit([*VOTES], [*VOTES.values()])
    figures = {figure.name: (pytest.approx(figure.value), figure.n) for figure in result.figures}
    assert figures["unanimous"] == (1 / 5, 5)
    assert figures["pairwise"] == ((1 + 0.3 + 0.6 + 0.4 + 0.2) / 5, 5)
    assert figures["majority"] == (3 / 4, 4)
    # Labels in all: 8 e, 9 n, 8 c.
    expected = (8**2 + 9**2 + 8**2) / 25**2
    assert figures["fleiss"] == ((0.5 - expected) / (1 - expected), 5)
    assert figures["alpha"] == (1 - 0.5 / ((25**2 - 8**2 - 9**2 - 8**2) / (25 * 24)), 5)
    for figure in result.figures:
        assert figure.low is not None
        assert figure.high is not None
        assert figure.low < figure.value < figure.high
    assert [remark.split()[0] for remark in result.remarks] == ["1", "1"]


def test_tables_by_division_gold_label_genre_and_majority() -> None:
    tables = get_tables(audit([*VOTES], [*VOTES.values()], genre=GENRES))
    assert tables["agreement-divisions"].select("annotators", "pairs", "share").rows() == [
        ("5", 1, 0.2),
        ("4/1", 1, 0.2),
        ("3/2", 1, 0.2),
        ("3/1/1", 1, 0.2),
        ("2/2/1", 1, 0.2),
    ]
    assert tables["agreement-gold"].select("gold label", "pairs", "unanimous").rows() == [
        (E, 1, 1.0),
        (N, 2, 0.0),
        (C, 1, 0.0),
        ("no gold label", 1, 0.0),
        ("all", 5, 0.2),
    ]
    by_genre = tables["agreement-genre"].select("genre", "pairs", "pairwise agreement").rows()
    assert by_genre == [
        ("unknown", 1, pytest.approx(0.2)),
        ("x", 2, pytest.approx(0.65)),
        ("y", 2, pytest.approx(0.5)),
        ("all", 5, pytest.approx(0.5)),
    ]
    assert tables["agreement-majority"].rows() == [
        (E, 1, 0, 0, 0, 1),
        (N, 0, 1, 1, 0, 2),
        (C, 0, 0, 1, 0, 1),
        ("no gold label", 0, 0, 0, 1, 1),
    ]


def test_disputed_pairs_are_shown_and_kept() -> None:
    result = audit([*VOTES], [*VOTES.values()])
    assert get_tables(result)["agreement-disputed"].select("id", "annotators").rows() == [
        ("ex4", "2 entailment, 2 neutral, 1 contradiction"),
        ("ex1", "1 entailment, 3 neutral, 1 contradiction"),
    ]
    assert result.pairs["disputed"]["id"].to_list() == ["ex3"]


def test_words_are_labels_by_name_and_other_words_are_categories() -> None:
    words = pl.Series([" Entailed, e,NEUTRAL ,-,", "unsure,n,unsure", None])
    labels = AnnotatorLabels.from_columns(words, pl.Series([E, N, E]))
    assert labels.categories == (E, N, "unsure")
    assert labels.counts.tolist() == [[2, 1, 0], [0, 1, 2], [0, 0, 0]]
    assert labels.majority.to_list() == [E, "unsure", "no majority"]
    lists = pl.Series([["entailed", None, "n"], None, []])
    counts = AnnotatorLabels.from_columns(lists, pl.Series([E, N, E])).counts
    assert counts.tolist() == [[1, 1], [0, 0], [0, 0]]


def test_numbers_are_not_compared_with_gold_labels() -> None:
    result = audit(["0,0,1", "1,1,1", "2,2,2"], [E, N, C])
    assert {figure.name for figure in result.figures} == {"unanimous", "pairwise", "fleiss", "alpha"}
    assert "agreement-majority" not in get_tables(result)
    assert result.pairs == {}
    assert "0, 1, 2" in result.remarks[0]


def test_labels_of_two_classes_merge_those_of_three() -> None:
    result = audit([f"{N},{C},{E}", f"{E},{E},{N}"], ["non-entailment", E])
    assert result.get_figure("majority").value == 1
    assert get_tables(result)["agreement-majority"].rows() == [
        (E, 1, 0, 0, 1),
        ("non-entailment", 0, 1, 0, 1),
    ]
    # The annotators' own labels stay as they are elsewhere.
    assert result.get_figure("unanimous").value == 0


def test_pairs_with_another_number_of_annotators_are_left_out_where_numbers_must_be_equal() -> None:
    result = audit([f"{E},{E},{E}", f"{E},{N},{N}", f"{N},{N}"], [E, N, N])
    counts = {figure.name: figure.n for figure in result.figures}
    assert counts == {"unanimous": 2, "pairwise": 3, "fleiss": 2, "alpha": 3, "majority": 3}
    assert "1 others" in result.remarks[0]


@pytest.mark.parametrize("votes", [["", " , ", None], [E, N, C]])
def test_a_corpus_without_two_annotators_has_no_figures(votes: list[str | None]) -> None:
    result = audit(votes, [None, None, None])
    assert result.figures == ()
    assert get_tables(result)["agreement"]["value"].null_count() >= 4
    assert result.remarks


def test_a_single_label_has_no_kappa() -> None:
    result = audit([f"{E},{E}"] * 3, [E] * 3)
    assert {figure.name: figure.value for figure in result.figures} == {
        "unanimous": 1,
        "pairwise": 1,
        "majority": 1,
    }
    assert "undefined" in result.summary


def test_many_annotators_are_grouped_by_share_and_take_little_time() -> None:
    rng = np.random.default_rng(0)
    counts = rng.multinomial(100, rng.dirichlet([1, 1, 1], size=3_000))
    words = [",".join(np.repeat([E, N, C], row)) for row in counts]
    start = time.perf_counter()
    result = audit(words, [E] * 3_000)
    assert time.perf_counter() - start < 2
    table = get_tables(result)["agreement-divisions"]
    expected = np.bincount(np.minimum(counts.max(axis=1) // 10, 9), minlength=10)
    assert dict(table.select("annotators", "pairs").iter_rows()) == {
        f"{10 * low} to {10 * low + 10}%": n for low, n in enumerate(expected) if n
    }
    assert table["annotators"][0] == "90 to 100%"


def test_published_figures(shared_data: Path) -> None:
    for file, unanimous, kappa in (
        ("parsed/mnli_dev_matched_1000.tsv", 0.610, 0.713),
        ("snli/test_hard.jsonl", 0.479, 0.614),
    ):
        corpus = AuditCorpus.from_challenge_set(read_damaged_corpus(str(shared_data / file)))
        result = AgreementAudit().audit(corpus)
        assert round(result.get_figure("unanimous").value, 3) == unanimous
        assert round(result.get_figure("fleiss").value, 3) == kappa


def test_examples_below_zero_are_refused() -> None:
    with pytest.raises(rr.InputError, match="examples"):
        AgreementAudit(examples=-1)
