"""Gates for automatic checks: accuracies that a run must reach, by the name of what they are of.

A gate is ADDRESS=SHARE. The address is a set, and where wanted a value of one of its tags and a true label:
hans, hans.non-entailment, hans.lexical_overlap, hans.lexical_overlap.non-entailment. With MODEL@ before it, it is for
one model; without, for all that were asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from rightreasons.errors import InputError, UnknownNameError
from rightreasons.reports.cells import Cell, plain
from rightreasons.scoring.accuracy import ALL

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rightreasons.runs import Run

_SHOWN = 20  # addresses in a message, at most


@dataclass(frozen=True)
class Gate:
    """What must be reached where: by the accuracy, or with `low` by the lower end of its interval."""

    address: str
    share: Fraction
    low: bool = False

    @property
    def text(self) -> str:
        """Show the gate as it is written."""
        return f"{self.address}={float(self.share):g}"


@dataclass(frozen=True)
class Missed:
    """A gate that a model missed, with the figure."""

    gate: Gate
    model: str
    cell: Cell

    def reason(self) -> str:
        """Say it in one line."""
        what = "the lower end of the interval" if self.gate.low else "the accuracy"
        return (
            f"{plain(self.model)} missed the gate {plain(self.gate.text)}: {what} is below it, "
            f"{self.cell.correct:,} of {self.cell.n:,} are right ({self.cell.text()})."
        )


def read(text: str, *, low: bool = False) -> Gate:
    """Read ADDRESS=SHARE; names may have a = themselves, so the last one parts them."""
    address, equals, share = text.rpartition("=")
    try:
        value = Fraction(share.strip())
    except (ValueError, ZeroDivisionError):
        value = None
    if not equals or not address.strip() or value is None:
        raise InputError(
            f"{text!r} is no gate. Write it as SET=SHARE or SET.LABEL=SHARE, such as hans.non-entailment=0.5."
        )
    if not 0 <= value <= 1:
        raise InputError(f"The share in {text!r} is not from 0 to 1. Write 0.5 for half of the pairs.")
    return Gate(address.strip(), value, low)


def check_sets(gates: Iterable[Gate], sets: Sequence[str]) -> None:
    """Refuse a gate whose set is not in a run to come; models, tags and labels are known only afterwards."""
    for gate in gates:
        # A model's name may have an @ itself, so whatever stands after one of them may be the set.
        parts = gate.address.split("@")
        bare = ["@".join(parts[start:]) for start in range(len(parts))]
        if not any(one == name or one.startswith(f"{name}.") for one in bare for name in sets):
            raise UnknownNameError("set of this run for the gate", gate.address, sets)


def check(gates: Sequence[Gate], run: Run) -> list[Missed]:
    """Hold a run's scores against gates and return those that were missed; one that names nothing is an error."""
    if not gates:
        return []
    cells = _cells(run)
    missed = []
    for gate in gates:
        for model, cell in _found(gate, run, cells).items():
            reached = Fraction(cell.low) if gate.low else Fraction(cell.correct, cell.n)
            if reached < gate.share:
                missed.append(Missed(gate, model, cell))
    return missed


def _found(gate: Gate, run: Run, cells: dict[str, dict[str, list[Cell]]]) -> dict[str, Cell]:
    """Find the figures that a gate is about, by model: those asked for, or the one that it names."""
    for model, known in cells.items():
        if gate.address.startswith(f"{model}@") and gate.address.removeprefix(f"{model}@") in known:
            return {model: _only(gate, known[gate.address.removeprefix(f"{model}@")])}
    found = {
        model: cells[model][gate.address]
        for model in run.asked_models
        if gate.address in cells.get(model, {})
    }
    if not found:
        raise InputError(_nothing(gate, run, cells))
    return {model: _only(gate, several) for model, several in found.items()}


def _only(gate: Gate, cells: list[Cell]) -> Cell:
    """Refuse a name that stands for different figures, as where two tags have the same value."""
    if any((cell.n, cell.correct) != (cells[0].n, cells[0].correct) for cell in cells):
        raise InputError(
            f"The gate {gate.address!r} may mean several parts of the set. "
            "Name the tag too, such as SET.genre=fiction=0.5."
        )
    return cells[0]


def _nothing(gate: Gate, run: Run, cells: dict[str, dict[str, list[Cell]]]) -> str:
    names = dict.fromkeys(
        name for model in run.asked_models for name in cells.get(model, {}) if "=" not in name
    )
    wanted = gate.address.rpartition("@")[2].partition(".")[0]
    inside = [name for name in names if name.partition(".")[0] == wanted] or list(names)
    more = f" and {len(inside) - _SHOWN} more" if len(inside) > _SHOWN else ""
    return (
        f"The gate {gate.address!r} names nothing in the run. There are: {', '.join(inside[:_SHOWN])}{more}."
    )


def _cells(run: Run) -> dict[str, dict[str, list[Cell]]]:
    """Collect all figures of a run by model and address; a label comes before a tag's value of the same name."""
    wholes: dict[str, dict[str, list[Cell]]] = {}
    parts: dict[str, dict[str, list[Cell]]] = {}
    for row in run.scores.iter_rows(named=True):
        tags = [(tag, row[tag]) for tag in row["by"].split(",") if tag]
        found = (parts if tags else wholes).setdefault(row["model"], {})
        for name in _addresses(row["set"], tags, row["gold"]):
            found.setdefault(name, []).append(Cell(row["n"], row["correct"], row["low"], row["high"]))
    return {model: whole | parts.get(model, {}) | whole for model, whole in wholes.items()}


def _addresses(name: str, tags: Sequence[tuple[str, object]], gold: str) -> list[str]:
    """List the names of one figure: by the values of its tags, by the last alone, and with the tags' names."""
    if any(value is None for _, value in tags):
        return []
    label = [] if gold == ALL else [gold]
    values = [str(value) for _, value in tags]
    forms = [
        values,
        values[-1:],
        [f"{tag}={value}" for tag, value in tags],
        [f"{tag}={value}" for tag, value in tags[-1:]],
    ]
    return list(dict.fromkeys(".".join([name, *form, *label]) for form in forms))
