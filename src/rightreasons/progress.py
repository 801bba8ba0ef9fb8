"""A progress bar on standard error, for people at a terminal and for work of more than a second."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from rich.progress import Progress

Item = TypeVar("Item")
PATIENCE = 1.0


class _Bar:
    """Counts steps, and shows them once the patience is over."""

    def __init__(self, total: int | None, label: str) -> None:
        self.total, self.label, self.done = total, label, 0
        self.wanted = _wanted()
        self.start = time.monotonic()
        self.shown: Progress | None = None

    def advance(self, steps: int = 1) -> None:
        """Count some steps as done."""
        self.done += steps
        if self.shown is None and self.wanted and time.monotonic() - self.start > PATIENCE:
            self.shown = _show(self.total, self.label)
        if self.shown is not None:
            self.shown.update(self.shown.task_ids[0], completed=self.done)

    def close(self) -> None:
        """Take the bar away."""
        if self.shown is not None:
            self.shown.stop()


@contextmanager
def progress(total: int | None = None, label: str = "") -> Iterator[Callable[[int], None]]:
    """Give a function that counts steps as done; a bar shows them after a second."""
    bar = _Bar(total, label)
    try:
        yield bar.advance
    finally:
        bar.close()


def track(iterable: Iterable[Item], total: int | None = None, label: str = "") -> Generator[Item]:
    """Pass the items on, and count each as one step when the next is asked for."""
    with progress(total, label) as advance:
        for item in iterable:
            yield item
            advance(1)


def _wanted() -> bool:
    """Tell whether a person is watching and has not asked for silence."""
    silenced = os.environ.get("TQDM_DISABLE", "").lower() not in ("", "0", "false")
    return not silenced and sys.stderr is not None and sys.stderr.isatty()


def _show(total: int | None, label: str) -> Progress:
    """Start the bar; rich is loaded only now, and heeds NO_COLOR by itself."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.add_task(label, total=total)
    bar.start()
    return bar
