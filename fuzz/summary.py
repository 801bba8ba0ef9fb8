"""What came of all cases: a table, one paragraph for each failure, and a line that says how many there are."""

from __future__ import annotations

import shutil
from collections import Counter
from typing import TYPE_CHECKING

from fuzz.cases import ACCEPTED, FAILURES, REFUSED
from fuzz.worker import case_folder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from fuzz.cases import Result

_SHOWN_LINES = 12


def summarise(results: Sequence[Result], areas: Sequence[str], left: int) -> str:
    """Show a table with a row for each area, and the closing line."""
    head = ("area", "cases", "accepted", "compared", "refused", *FAILURES, "seconds")
    rows = [_row(area, [result for result in results if result.area == area]) for area in areas]
    rows.append(_row("all", results))
    widths = [max(len(row[place]) for row in (head, *rows)) for place in range(len(head))]
    lines = [
        "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in (head, *rows)
    ]
    failed = sum(result.failed for result in results)
    lines += ["", *([f"{left} not run: the time was over."] if left else [])]
    return "\n".join([*lines, f"{len(results) - failed} passed, {failed} failed"])


def _row(area: str, results: Sequence[Result]) -> tuple[str, ...]:
    kinds = Counter(result.kind for result in results)
    compared = sum(result.compared for result in results if not result.failed)
    counts = (len(results), kinds[ACCEPTED], compared, kinds[REFUSED], *(kinds[kind] for kind in FAILURES))
    return (area, *map(str, counts), f"{sum(result.seconds for result in results):.0f}")


def describe(result: Result, seed: int) -> str:
    """Say what failed, and how to see it again."""
    detail = result.detail.strip().splitlines()
    shown = detail if len(detail) <= _SHOWN_LINES else [detail[0], "...", *detail[-_SHOWN_LINES:]]
    lines = [
        f"{result.kind.upper()} {result.area} {result.number}: {result.about}",
        f"  again: {command_for(result, seed)}",
        f"  command: {result.command}",
        *(f"    {line}" for line in shown),
    ]
    return "\n".join(lines)


def command_for(result: Result, seed: int) -> str:
    """Give the command that runs one case again."""
    return f"python -m fuzz --seed {seed} --area {result.area} --case {result.number}"


def keep_files(result: Result, shared: Path, kept: Path, seed: int) -> None:
    """Copy the files of a failed case to where they stay, with a note on what happened."""
    target = kept / f"{result.area}-{result.number}"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    work = case_folder(shared, result.area, result.number) / "work"
    if work.is_dir():
        shutil.copytree(work, target / "files", symlinks=True)
    note = f"{describe(result, seed)}\n\n{result.detail}\n"
    (target / "case.txt").write_text(note, encoding="utf-8", errors="backslashreplace")
