"""Labels by lengths, overlap and genre."""

from __future__ import annotations

import pytest
from corpora_by_hand import make_corpus

import rightreasons as rr
from rightreasons.audits.shape import ShapeAudit

ROWS = [
    ("a b c d", "a", "entailment"),
    ("a b c d", "a b", "entailment"),
    ("a b c d", "a x y", "neutral"),
    ("a b c d", "x y z w", "neutral"),
]


def test_bins_hold_about_equal_numbers() -> None:
    result = ShapeAudit(bins=2).audit(make_corpus(ROWS))
    tables = {exhibit.key: exhibit.frame for exhibit in result.exhibits}
    lengths = tables["shape-hypothesis-length"].select("bin", "n", "entailment", "neutral").rows()
    assert lengths == [("1 to 2", 2, 1.0, 0.0), ("3 to 4", 2, 0.0, 1.0), ("all", 4, 0.5, 0.5)]
    overlap = tables["shape-overlap"].select("bin", "n", "entailment").rows()
    assert overlap == [("0.00 to 0.33", 2, 0.0), ("1.00", 2, 1.0), ("all", 4, 0.5)]
    assert tables["shape-length-difference"]["bin"].to_list() == ["0 to 1", "2 to 3", "all"]


def test_the_figure_is_the_largest_deviation() -> None:
    figure = ShapeAudit(bins=2).audit(make_corpus(ROWS)).get_figure("overlap")
    assert (figure.value, figure.n, figure.baseline) == (0.5, 2, 0.0)


def test_hypotheses_without_words_have_a_row_of_their_own() -> None:
    result = ShapeAudit(bins=2).audit(make_corpus([*ROWS, ("a b", "...", "neutral")]))
    overlap = next(exhibit.frame for exhibit in result.exhibits if exhibit.key == "shape-overlap")
    assert overlap.filter(bin="no words").select("n", "neutral").rows() == [(1, 1.0)]


@pytest.mark.parametrize("hypothesis", ["", "?"])
def test_a_corpus_without_words_in_its_hypotheses_has_a_single_row(hypothesis: str) -> None:
    result = ShapeAudit().audit(make_corpus([(premise, hypothesis, label) for premise, _, label in ROWS]))
    overlap = next(exhibit.frame for exhibit in result.exhibits if exhibit.key == "shape-overlap")
    assert overlap.select("bin", "n", "entailment").rows() == [("no words", 4, 0.5), ("all", 4, 0.5)]
    assert "overlap" not in {figure.name for figure in result.figures}
    assert result.summary == ""


def test_genres_are_counted_with_the_unknown() -> None:
    result = ShapeAudit().audit(make_corpus(ROWS, genre=["x", None, "x", "y"]))
    table = next(exhibit.frame for exhibit in result.exhibits if exhibit.key == "shape-genre")
    assert table.select("genre", "n").rows() == [("unknown", 1), ("x", 2), ("y", 1), ("all", 4)]


def test_fewer_than_two_bins_are_refused() -> None:
    with pytest.raises(rr.InputError, match="bins"):
        ShapeAudit(bins=1)
