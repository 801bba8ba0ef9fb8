"""The result of an audit: figures by name, and as columns of a table."""

from __future__ import annotations

import pytest

from rightreasons.core.audit_result import AuditFigure, AuditResult


def test_figures_are_found_by_name() -> None:
    figures = (AuditFigure("one", 0.5, 10), AuditFigure("two", 0.25, 4, 0.1, 0.5, 0.2))
    assert AuditResult((), figures).get_figure("two") is figures[1]
    with pytest.raises(StopIteration):
        AuditResult((), figures).get_figure("three")


def test_columns_of_a_figure_have_its_interval_and_baseline() -> None:
    assert AuditFigure("two", 0.25, 4, 0.1, 0.5, 0.2).to_columns() == {
        "value": 0.25,
        "value_low": 0.1,
        "value_high": 0.5,
        "n": 4,
        "baseline": 0.2,
    }
    bare = AuditFigure("one", 0.5, 10).to_columns()
    assert [name for name, value in bare.items() if value is None] == ["value_low", "value_high", "baseline"]
