"""Gates for automatic checks: accuracies that a run must reach.

A gate is ADDRESS=NUMBER. The address is a set, optionally with a value of one of its tags and a gold label:
hans, hans.non-entailment, hans.lexical_overlap, hans.lexical_overlap.non-entailment. With MODEL@ before it, it is for
one model; without it, for all requested models.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.formatting import Cell, replace_unprintable
from rightreasons.core.labels import LABELS, TWO_LABELS, merge_labels, resolve_labels
from rightreasons.runs.folder import list_tag_groupings
from rightreasons.scoring.accuracy import ALL

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rightreasons.runs.folder import Run

_SHOWN = 20  # addresses in a message, at most


@dataclass(frozen=True)
class Gate:
    """A threshold for the accuracy at an address, or with `low` for the lower bound of its interval."""

    address: str
    threshold: Fraction
    low: bool = False

    @property
    def text(self) -> str:
        """Render the gate as on the command line."""
        return f"{self.address}={float(self.threshold):g}"


@dataclass(frozen=True)
class MissedGate:
    """A gate that a model missed, with the figure."""

    gate: Gate
    model: str
    cell: Cell

    def reason(self) -> str:
        """Describe in one line how the gate was missed."""
        what = "lower bound" if self.gate.low else "accuracy"
        return (
            f"{replace_unprintable(self.model)} missed the gate {replace_unprintable(self.gate.text)}: "
            f"{what} too low, {self.cell.correct:,} of {self.cell.n:,} correct ({self.cell.text()})."
        )


def parse_gate(text: str, *, low: bool = False) -> Gate:
    """Parse ADDRESS=NUMBER; names may contain a =, so the last one separates them."""
    address, equals, threshold = text.rpartition("=")
    try:
        value = Fraction(threshold.strip())
    except (ValueError, ZeroDivisionError):
        value = None
    if not equals or not address.strip() or value is None:
        raise InputError(
            f"{text!r} is not a gate. Use SET=NUMBER or SET.LABEL=NUMBER, such as hans.non-entailment=0.5."
        )
    if not 0 <= value <= 1:
        raise InputError(f"The threshold in {text!r} is not between 0 and 1. For 50%, use 0.5.")
    return Gate(address.strip(), value, low)


def check_gate_names(gates: Iterable[Gate], sets: Sequence[str], models: Sequence[str]) -> None:
    """Refuse a gate whose set or model is not in a run to come; its tags and labels are known with the sets."""
    for gate in gates:
        # Names may contain an @, so the set may begin after any of them.
        parts = gate.address.split("@")
        split = [("@".join(parts[:start]), "@".join(parts[start:])) for start in range(len(parts))]
        known = [model for model, rest in split if any(_is_address_in_set(rest, name) for name in sets)]
        if not known:
            bare = next((rest for model, rest in split if model in models), gate.address)
            raise UnknownNameError("set of this run for the gate", bare, sets)
        if not any(model in ("", *models) for model in known):
            raise UnknownNameError("model of this run for the gate", known[0], models)


def list_gate_addresses(name: str, pairs: pl.DataFrame, by: tuple[str, ...] = ()) -> list[str]:
    """List the addresses in a set that is broken down by some tags besides the usual ones.

    Merged labels are among them, since predictions of two labels have those of the set merged.
    """
    label, order = resolve_labels(pairs["label"]), pl.col("gold").cast(pl.Enum(LABELS))
    own = pairs.with_columns(gold=label)
    both = (
        [own] if set(label.unique()) <= set(TWO_LABELS) else [own, own.with_columns(gold=merge_labels(label))]
    )
    cells = [
        (list(zip(tags, values, strict=True)), gold)
        for tags in list_tag_groupings(pairs, by)
        for table in both
        for *values, gold in table.select(*tags, "gold")
        .unique(maintain_order=True)
        .sort(order, maintain_order=True)
        .iter_rows()
    ]
    addresses = [
        address
        for tags, gold in cells
        for label in (ALL, gold)
        for address in _make_cell_addresses(name, tags, label)
    ]
    return list(dict.fromkeys([name, *addresses]))


def check_gate_addresses(
    gates: Iterable[Gate], parts: Mapping[str, Sequence[str]], models: Sequence[str]
) -> None:
    """Refuse a gate for a label or a tag's value that its set lacks, given the addresses in each set of a run."""
    known = {address for addresses in parts.values() for address in addresses}
    for gate in gates:
        bare = [gate.address, *(gate.address.removeprefix(f"{model}@") for model in models)]
        if known.isdisjoint(bare):
            name, rest = next(
                (name, address)
                for address in reversed(bare)
                for name in parts
                if _is_address_in_set(address, name)
            )
            comparable = [address for address in parts[name] if "=" in rest or "=" not in address]
            if get_close_matches(rest, comparable):
                raise UnknownNameError(f"part of the set {name} for the gate", rest, comparable)
            raise InputError(_describe_unknown_address(rest, comparable))


def _is_address_in_set(address: str, name: str) -> bool:
    return address == name or address.startswith(f"{name}.")


def find_missed_gates(gates: Sequence[Gate], *runs: Run) -> list[MissedGate]:
    """Check the scores of runs against gates and return the missed ones; a gate that matches nothing is an error."""
    if not gates:
        return []
    cells = [_collect_accuracies(run) for run in runs]
    missed = []
    for gate in gates:
        figures = [_find_gate_accuracies(gate, run, known) for run, known in zip(runs, cells, strict=True)]
        if not any(figures):
            known = [name for each in zip(runs, cells, strict=True) for name in _list_known_addresses(*each)]
            raise InputError(_describe_unknown_address(gate.address, list(dict.fromkeys(known))))
        for model, cell in (item for by_model in figures for item in by_model.items()):
            reached = Fraction(cell.low) if gate.low else Fraction(cell.correct, cell.n)
            if reached < gate.threshold:
                missed.append(MissedGate(gate, model, cell))
    return missed


def _find_gate_accuracies(gate: Gate, run: Run, cells: dict[str, dict[str, list[Cell]]]) -> dict[str, Cell]:
    """Find the figures of a gate, by model: all requested models, or the one that it names."""
    for model, known in cells.items():
        if gate.address.startswith(f"{model}@") and gate.address.removeprefix(f"{model}@") in known:
            return {model: _require_single_accuracy(gate, known[gate.address.removeprefix(f"{model}@")])}
    figures = {
        model: cells[model][gate.address]
        for model in run.requested_models
        if gate.address in cells.get(model, {})
    }
    return {model: _require_single_accuracy(gate, several) for model, several in figures.items()}


def _require_single_accuracy(gate: Gate, cells: list[Cell]) -> Cell:
    """Refuse a name of several figures, as where two tags have the same value."""
    if any((cell.n, cell.correct) != (cells[0].n, cells[0].correct) for cell in cells):
        raise InputError(
            f"The gate {gate.address!r} is ambiguous: it matches several groups of pairs. "
            "Add the tag, as in SET.genre=fiction=0.5."
        )
    return cells[0]


def _list_known_addresses(run: Run, cells: dict[str, dict[str, list[Cell]]]) -> list[str]:
    return list(dict.fromkeys(name for model in run.requested_models for name in cells.get(model, {})))


def _describe_unknown_address(address: str, known: Sequence[str]) -> str:
    """Explain that an address matches nothing, and list the known addresses of its set, or all."""
    names = [name for name in known if "=" not in name]
    wanted = address.rpartition("@")[2].partition(".")[0]
    inside = [name for name in names if name.partition(".")[0] == wanted] or names
    more = f" and {len(inside) - _SHOWN} more" if len(inside) > _SHOWN else ""
    return (
        f"The gate {address!r} matches no score of the run. Use one of: {', '.join(inside[:_SHOWN])}{more}."
    )


def _collect_accuracies(run: Run) -> dict[str, dict[str, list[Cell]]]:
    """Collect all figures of a run by model and address; a label comes before a tag's value of the same name."""
    wholes: dict[str, dict[str, list[Cell]]] = {}
    parts: dict[str, dict[str, list[Cell]]] = {}
    for row in run.scores.iter_rows(named=True):
        tags = [(tag, row[tag]) for tag in row["by"].split(",") if tag]
        figures = (parts if tags else wholes).setdefault(row["model"], {})
        for name in _make_cell_addresses(row["set"], tags, row["gold"]):
            figures.setdefault(name, []).append(Cell(row["n"], row["correct"], row["low"], row["high"]))
    return {model: whole | parts.get(model, {}) | whole for model, whole in wholes.items()}


def _make_cell_addresses(name: str, tags: Sequence[tuple[str, object]], gold: str) -> list[str]:
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
