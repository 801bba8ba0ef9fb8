"""Gates for the figures of an audit."""

from __future__ import annotations

from fractions import Fraction

import pytest
from corpora_by_hand import make_corpus

import rightreasons as rr
from rightreasons.audits.run_audits import CorpusAudit
from rightreasons.core.audit_result import AuditFigure, AuditResult
from rightreasons.evaluation.figure_gates import (
    FigureGate,
    check_figure_gates,
    find_missed_figure_gates,
    parse_figure_gate,
)


def audited(name: str, **figures: float) -> CorpusAudit:
    result = AuditResult((), tuple(AuditFigure(key, value, 100, 0.1, 0.9) for key, value in figures.items()))
    return CorpusAudit(make_corpus([("a", "b", "neutral")], name), {"shape": result}, {})


AUDITS = [audited("one", overlap=0.5, length=0.2), audited("two", overlap=0.4)]


def missed(*texts: str, below: bool = False) -> list[tuple[str, float]]:
    gates = [parse_figure_gate(text, below=below) for text in texts]
    return [(each.corpus, each.figure.value) for each in find_missed_figure_gates(gates, AUDITS)]


def test_a_gate_is_read() -> None:
    assert parse_figure_gate("partial-input.hypothesis=0.45") == FigureGate(
        "partial-input.hypothesis", Fraction(9, 20)
    )
    gate = parse_figure_gate("a=b.jsonl@shape.overlap=1/2", below=True)
    assert (gate.corpus, gate.figure, gate.threshold, gate.below) == (
        "a=b.jsonl",
        "shape.overlap",
        Fraction(1, 2),
        True,
    )


@pytest.mark.parametrize(
    "text", ["", "shape.overlap", "shape.overlap=", "overlap=0.5", "shape.overlap=high", "=0.4"]
)
def test_what_is_no_gate_is_refused(text: str) -> None:
    with pytest.raises(rr.InputError, match=r"partial-input\.hypothesis=0\.45"):
        parse_figure_gate(text)


def test_a_figure_may_equal_the_threshold() -> None:
    assert missed("shape.overlap=0.5") == []
    assert missed("shape.overlap=0.45") == [("one", 0.5)]
    assert missed("shape.overlap=0.3") == [("one", 0.5), ("two", 0.4)]
    assert missed("two@shape.overlap=0.3") == [("two", 0.4)]
    assert missed("shape.length=0.1") == [("one", 0.2)]
    assert missed("shape.overlap=0.45", below=True) == [("two", 0.4)]


def test_unknown_names_are_refused_before_and_after() -> None:
    for text, word in (("three@shape.overlap=0.1", "one"), ("shap.overlap=0.1", "shape")):
        with pytest.raises(rr.InputError, match=word):
            check_figure_gates([parse_figure_gate(text)], ["one", "two"], ["shape"])
    with pytest.raises(rr.InputError, match=r"shape\.overlap"):
        missed("shape.overlp=0.1")


def test_the_reason_names_figure_threshold_and_n() -> None:
    (found,) = find_missed_figure_gates([parse_figure_gate("one@shape.overlap=0.45")], AUDITS)
    assert all(
        part in found.reason() for part in ("one", "shape.overlap", "0.500", "0.45", "n = 100", "above")
    )
