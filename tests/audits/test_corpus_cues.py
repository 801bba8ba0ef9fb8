"""The cues of a corpus after the test: which are significant, strong, certain and redundant."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from corpora_by_hand import make_corpus

from rightreasons.audits.corpus_cues import CorpusCues
from rightreasons.audits.cue_occurrences import find_cue_occurrences
from rightreasons.audits.cue_statistics import find_cue_clusters, measure_cues

E, C = "entailment", "contradiction"


def find_cues(rows: list[tuple[str, str]], rate: float = 0.05, least: int = 5) -> CorpusCues:
    """Find the cues of hypotheses with labels; premises are all different."""
    corpus = make_corpus([(f"p{place}", text, label) for place, (text, label) in enumerate(rows)])
    column = corpus.words.hypothesis
    occurrences = find_cue_occurrences(column, least)
    clusters = find_cue_clusters(corpus.sharing, column)
    return CorpusCues(
        corpus,
        occurrences,
        measure_cues(occurrences, corpus.label_codes, corpus.label_counts, clusters),
        rate,
    )


@pytest.fixture(scope="module")
def cues() -> CorpusCues:
    """Make pairs with 'never' and 'some', which predict a label, 'dog', which doesn't, and 'rare', in too few pairs."""
    rows = [(f"a{place} never b{place}", C) for place in range(20)]
    rows += [(f"a{place} some c{place}", E if place < 18 else C) for place in range(20)]
    rows += [(f"d{place} dog e{place}", E if place < 20 else C) for place in range(40)]
    rows += [(f"f{place} rare g{place}", C) for place in range(5)]
    return find_cues(rows)


def name(cues: CorpusCues, chosen: np.ndarray) -> list[tuple[str, str]]:
    return cues.tabulate(chosen).select("cue", "label").rows()


def test_significant_cues_come_by_z(cues: CorpusCues) -> None:
    assert name(cues, cues.ranking) == [("some", E), ("never", C)]
    z = cues.tabulate(cues.ranking)["z"].to_list()
    assert z == sorted(z, reverse=True)
    assert int(cues.significant.sum()) == len(cues.ranking)


def test_strong_cues_remove_a_part_of_the_error(cues: CorpusCues) -> None:
    # Of all 85 pairs, 38 are entailed: 'some' removes (0.9 - 0.447) / 0.553 = 82% of the error.
    for part, expected in (
        (0.5, {"never", "some"}),
        (0.81, {"never", "some"}),
        (0.83, {"never"}),
        (1.0, {"never"}),
    ):
        flags = cues.find_strong(part)
        assert {word for word, _ in name(cues, np.flatnonzero(flags))} == expected
        assert not (flags & ~cues.significant).any()


def test_certain_cues_have_one_label(cues: CorpusCues) -> None:
    certain = cues.find_certain()
    assert name(cues, np.flatnonzero(certain)) == [("never", C)]
    assert cues.flag_pairs(certain).tolist() == [place < 20 for place in range(85)]
    assert cues.flag_pairs(cues.significant).tolist() == [place < 40 for place in range(85)]


def test_bigrams_with_a_cue_that_is_as_good_are_redundant() -> None:
    rows = [(f"a{place} never again", C) for place in range(20)]
    rows += [(f"b{place} never c{place}", E if place < 2 else C) for place in range(10)]
    rows += [(f"d{place} again e{place}", E) for place in range(10)]
    rows += [(f"f{place}", E) for place in range(20)]
    cues = find_cues(rows)
    # 'never again' is always a contradiction, 'never' nearly always.
    assert ("never again", C) in name(cues, cues.rank_distinct())
    everywhere = find_cues([(text, C if "never" in text else label) for text, label in rows])
    assert ("never again", C) in name(everywhere, everywhere.ranking)
    assert ("never again", C) not in name(everywhere, everywhere.rank_distinct())


def test_other_cues_are_spread_from_frequent_to_rare(cues: CorpusCues) -> None:
    others = cues.draw_others(3)
    table = cues.tabulate(others)
    assert table["n"].to_list() == sorted(table["n"], reverse=True)
    assert set(others.tolist()).isdisjoint(cues.ranking.tolist())
    assert len(cues.draw_others(1_000)) == cues.significant.size - len(cues.ranking)
    assert len(cues.draw_others(0)) == 0


def test_the_table_has_counts_of_its_cue_and_label(cues: CorpusCues) -> None:
    row = cues.tabulate(cues.ranking).row(0, named=True)
    assert (row["cue"], row["label"], row["n"], row["share"]) == ("some", E, 20, 0.9)
    assert row["corpus share"] == 38 / 85
    assert row["share_low"] < row["share"] < row["share_high"]
    assert row["PMI"] == pytest.approx(np.log2(0.9 / (38 / 85)))
    # 'never' and 'rare' with entailment have no PMI, as no such pair exists.
    table = cues.tabulate(np.arange(cues.significant.size))
    assert table.filter(pl.col("share") == 0)["PMI"].to_list() == [None, None]


def test_without_cues_the_table_has_its_columns(cues: CorpusCues) -> None:
    none = find_cues([("a", E), ("b", C)])
    assert none.ranking.tolist() == none.rank_distinct().tolist() == none.draw_others(5).tolist() == []
    table = none.tabulate(none.ranking)
    assert table.is_empty()
    assert table.schema == cues.tabulate(cues.ranking).schema
