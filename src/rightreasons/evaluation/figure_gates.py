"""Gates for people who build data: figures of an audit that must not be too high, or too low.

A gate is ADDRESS=NUMBER. The address is an audit and one of its figures, such as partial-input.hypothesis. With CORPUS@
before it, it is for one corpus; without it, for every corpus that has the figure.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.formatting import replace_unprintable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rightreasons.audits.run_audits import CorpusAudit
    from rightreasons.core.audit_result import AuditFigure


@dataclass(frozen=True)
class FigureGate:
    """A threshold that a figure must not exceed, or with `below` must not fall below."""

    address: str
    threshold: Fraction
    below: bool = False

    @property
    def corpus(self) -> str:
        """The corpus that the gate is for; empty for all."""
        return self.address.rpartition("@")[0]

    @property
    def figure(self) -> str:
        """The audit and its figure."""
        return self.address.rpartition("@")[2]

    def is_missed_by(self, figure: AuditFigure) -> bool:
        """Whether a figure is beyond the threshold."""
        value = Fraction(figure.value)
        return value < self.threshold if self.below else value > self.threshold


@dataclass(frozen=True)
class MissedFigureGate:
    """A gate that a corpus missed, with the figure."""

    gate: FigureGate
    corpus: str
    figure: AuditFigure

    def reason(self) -> str:
        """Describe in one line how the gate was missed."""
        figure = self.figure
        way = "below" if self.gate.below else "above"
        interval = (
            "" if figure.low is None else f", 95% confidence interval {figure.low:.3f} to {figure.high:.3f}"
        )
        return (
            f"{replace_unprintable(self.corpus)} missed the gate {self.gate.figure}: {figure.value:.3f} is {way} "
            f"{float(self.gate.threshold):g} (n = {figure.n:,}{interval})."
        )


def parse_figure_gate(text: str, *, below: bool = False) -> FigureGate:
    """Parse ADDRESS=NUMBER; the name of a corpus may contain a =, so the last one separates them."""
    address, equals, threshold = text.rpartition("=")
    try:
        value = Fraction(threshold.strip())
    except (ValueError, ZeroDivisionError):
        value = None
    if not equals or "." not in address or value is None:
        raise InputError(
            f"{text!r} is not a gate. Use AUDIT.FIGURE=NUMBER, such as partial-input.hypothesis=0.45."
        )
    return FigureGate(address.strip(), value, below)


def check_figure_gates(gates: Iterable[FigureGate], corpora: Sequence[str], audits: Iterable[str]) -> None:
    """Refuse a gate for a corpus or an audit that is not part of the run, before anything is audited."""
    known = list(audits)
    for gate in gates:
        if gate.corpus and gate.corpus not in corpora:
            raise UnknownNameError("corpus of this audit for the gate", gate.corpus, corpora)
        if gate.figure.partition(".")[0] not in known:
            raise UnknownNameError("audit of this run for the gate", gate.figure.partition(".")[0], known)


def find_missed_figure_gates(
    gates: Iterable[FigureGate], audits: Sequence[CorpusAudit]
) -> list[MissedFigureGate]:
    """Check the figures of corpora against gates; a gate for a figure that no corpus has is an error."""
    missed = []
    for gate in gates:
        figures = {
            each.corpus.name: each.list_figures() for each in audits if gate.corpus in ("", each.corpus.name)
        }
        matching = {name: known[gate.figure] for name, known in figures.items() if gate.figure in known}
        if not matching:
            known_figures = {address for known in figures.values() for address in known}
            raise UnknownNameError("figure of this audit for the gate", gate.figure, known_figures)
        missed += [
            MissedFigureGate(gate, name, figure)
            for name, figure in matching.items()
            if gate.is_missed_by(figure)
        ]
    return missed
