"""Calibration: a note where the annotators of a set disagree."""

from __future__ import annotations

import polars as pl

from rightreasons.reports.exhibits.calibration import warn_of_disagreement


def test_calibration_misleads_where_annotators_disagree() -> None:
    pairs = pl.DataFrame({"label": ["neutral"] * 3, "annotator_labels": ["n,n,n,e,c", "n,n,e,n,n", "n"]})
    notes = warn_of_disagreement(pairs)
    # The majorities are 3 and 4 of 5; a pair with one label says nothing.
    assert len(notes) == 1
    assert "70.0%" in notes[0]
    assert "30.0%" in notes[0]
    assert warn_of_disagreement(pairs.with_columns(annotator_labels=pl.lit("n,n,n,n,n"))) == ()
    assert warn_of_disagreement(pairs.drop("annotator_labels")) == ()
