"""Journals of unfinished work, next to the output; they are removed when the output is in place."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from rightreasons.io.interrupts import is_output_written, report_kept_work
from rightreasons.io.locks import BusyError, hold_lock
from rightreasons.io.outputs import write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

UNFINISHED_EXTENSION = ".unfinished"
LOCK_EXTENSION = ".lock"
RUN_PLAN_FILE = "run.json"  # what a run is to have, by name


@contextmanager
def hold_journal_folder(out: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield the folder for the journals of an output; it is removed if the block that writes the output succeeds."""
    place = get_journal_folder(out)
    with report_kept_work(lambda: "" if is_output_written(out) else _describe_kept_predictions(place)):
        try:
            yield place
            remove_journals(place)
        except BaseException:
            # An interrupt may come when all is done, even during the removal: then there is nothing left to resume.
            (remove_journals if is_output_written(out) else _remove_orphaned_run_plan)(place)
            raise


def _describe_kept_predictions(place: Path) -> str:
    """Describe where the predictions so far are, if there are any."""
    # Not by rglob, which fails where a folder goes while it looks: another thread may be cleaning up.
    if not any(name.endswith(".jsonl") for _, _, files in os.walk(place) for name in files):
        return ""
    return f"the predictions so far are kept in {place}. Run the same command again to resume."


def write_run_plan(place: Path, planned: Mapping[str, object]) -> None:
    """Write down what a run is to have, whole, before any of it is made: what a kill leaves can be told by names."""
    place.mkdir(exist_ok=True)
    with write_atomically(place / RUN_PLAN_FILE, force=True, internal=True) as part:
        part.write_text(json.dumps(planned, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def remove_journals(place: Path) -> None:
    """Remove all journals below a place, but for those that another process is writing."""
    for lock in sorted(path for path in place.rglob(f"*{LOCK_EXTENSION}") if path.is_file()):
        with suppress(BusyError, FileNotFoundError), hold_lock(lock):
            remove_journal(lock.with_suffix(""))
    _remove_orphaned_run_plan(place)


def _remove_orphaned_run_plan(place: Path) -> None:
    """Remove empty folders, and the plan of a run if none of its journals is left."""
    remove_empty_folders(place)
    with suppress(OSError):
        left = list(place.iterdir())
        # A kill may have left a plan that was being written, under a hidden name.
        if all(path.is_file() and RUN_PLAN_FILE in path.name for path in left):
            for path in left:
                path.unlink()
    remove_empty_folders(place)


def remove_journal(folder: Path) -> None:
    """Remove one journal, whose lock is held, and the lock with it."""
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):
        folder.with_suffix(LOCK_EXTENSION).unlink()


def remove_empty_folders(place: Path) -> None:
    """Remove the empty folders below a place, and the place itself if nothing is left in it."""
    for parent, _, _ in os.walk(place, topdown=False):
        with suppress(OSError):
            Path(parent).rmdir()


def get_journal_folder(out: str | os.PathLike[str]) -> Path:
    """Return the journal folder next to an output; symbolic links and names such as `..` are resolved first."""
    path = Path(out)
    if path.name in ("", "..") or path.is_symlink():
        path = Path(os.path.realpath(out))
    return path.parent / f"{path.name}{UNFINISHED_EXTENSION}"
