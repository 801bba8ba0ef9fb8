"""What an interrupt leaves: the outputs that were written before it, and the work that the same command resumes."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_KEPT_WORK: list[Callable[[], str]] = []  # what to say of the work under way, the innermost last
# What to say of the work that an error ended last: an import or a library that an interrupt cuts off may fail oddly.
_FAILED_WORK: list[Callable[[], str]] = []
# Outputs of the current command by where they were built: one that is still there was not renamed.
_RECORDED_OUTPUTS: dict[Path, Path] = {}
NOTHING_WRITTEN = "no output file was written."


@contextmanager
def report_kept_work(describe: Callable[[], str]) -> Iterator[None]:
    """Describe in a sentence what is kept if an interrupt ends the block; an empty sentence means nothing.

    The KeyboardInterrupt that leaves the block carries the sentence.
    """
    _KEPT_WORK.append(describe)
    try:
        yield
    except KeyboardInterrupt as stop:
        sentence = describe()
        if not sentence:
            raise
        raise type(stop)(sentence) from None
    except BaseException:
        _FAILED_WORK[:] = [describe]
        raise
    finally:
        _KEPT_WORK.remove(describe)


def record_output(target: Path, part: Path) -> None:
    """Remember an output that is about to take its name."""
    _RECORDED_OUTPUTS[part] = target


def forget_outputs() -> None:
    """Forget what was written before, as a command begins."""
    _RECORDED_OUTPUTS.clear()
    _FAILED_WORK.clear()


def describe_interrupt(kept: str = "") -> str:
    """Describe what was written and what is kept, for the person who interrupted it."""
    work = kept or next(filter(None, (describe() for describe in (*reversed(_KEPT_WORK), *_FAILED_WORK))), "")
    named = list_written_outputs()
    if not named:
        return work or NOTHING_WRITTEN
    wrote = f"wrote {', '.join(named)}"
    return f"{wrote}; {work}" if work else f"{wrote}; nothing else was written."


def list_written_outputs() -> list[str]:
    """List the outputs that are in place and not part of something that is still being made."""
    return [str(_shorten_path(target)) for target in _list_outputs_in_place()]


def is_output_written(out: str | os.PathLike[str]) -> bool:
    """Return whether an output of the current command is in place."""
    return Path(os.path.realpath(out)) in _list_outputs_in_place()


def _list_outputs_in_place() -> list[Path]:
    return [target for part, target in _RECORDED_OUTPUTS.items() if not part.exists() and target.exists()]


def _shorten_path(target: Path) -> Path:
    """Return a path relative to the current folder, if it is in it."""
    try:
        return target.relative_to(target.cwd())
    except (OSError, ValueError):  # it is elsewhere, or the current folder is gone
        return target
