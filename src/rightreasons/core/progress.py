"""A progress bar on standard error, for people at a terminal and for work of more than a second."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from rich.progress import Progress

Item = TypeVar("Item")
DELAY = 1.0


# One bar at a time: work inside other work that shows its progress already keeps its own to itself.
_SCREEN_LOCK = threading.Lock()


class _Bar:
    """Counts steps, and shows them once the patience is over."""

    def __init__(self, total: int | None, label: str) -> None:
        self.total, self.label, self.done = total, label, 0
        self.start = time.monotonic()
        self.display: Progress | None = None
        self.lock = threading.Lock()
        self.wanted = _is_bar_wanted()
        # A single long step never calls advance in time, so a thread waits beside the work.
        self.timer = threading.Timer(DELAY, self._show)
        if self.wanted:
            self.timer.daemon = True
            self.timer.start()

    def advance(self, steps: int = 1) -> None:
        """Count some steps as done."""
        self.done += steps
        if self.display is None and time.monotonic() - self.start > DELAY:
            self._show()
        if self.display is not None:
            self.display.update(self.display.task_ids[0], completed=self.done)

    def close(self) -> None:
        """Remove the bar."""
        self.timer.cancel()
        with self.lock:
            self.wanted = False
            if self.display is not None:
                self.display.stop()
                _SCREEN_LOCK.release()

    def _show(self) -> None:
        """Show the bar, unless it is there, not wanted, or another one is."""
        with self.lock:
            if self.wanted and self.display is None and _SCREEN_LOCK.acquire(blocking=False):
                self.display = _start_bar(self.total, self.label)


@contextmanager
def show_progress(total: int | None = None, label: str = "") -> Iterator[Callable[[int], None]]:
    """Yield a function that counts finished steps; a bar shows them after a second.

    Without a total the bar moves back and forth while the work continues.
    """
    bar = _Bar(total, label)
    try:
        yield bar.advance
    finally:
        bar.close()


def track_progress(iterable: Iterable[Item], total: int | None = None, label: str = "") -> Generator[Item]:
    """Yield the items, and count each as one step when the next is requested."""
    with show_progress(total, label) as advance:
        for item in iterable:
            yield item
            advance(1)


def _is_bar_wanted() -> bool:
    """Return whether standard error is a terminal and bars are not disabled."""
    silenced = os.environ.get("TQDM_DISABLE", "").lower() not in ("", "0", "false")
    return not silenced and sys.stderr is not None and sys.stderr.isatty()


def _start_bar(total: int | None, label: str) -> Progress:
    """Start the bar; rich is loaded only now, and heeds NO_COLOR by itself."""
    from rich import progress as rich
    from rich.console import Console

    counts = (rich.MofNCompleteColumn(), rich.TimeRemainingColumn())
    ends = (rich.TimeElapsedColumn(),) if total is None else counts
    # A label may contain a file's name, which is not markup; what a command prints is not redirected.
    columns = (rich.TextColumn("{task.description}", markup=False), rich.BarColumn(), *ends)
    console = Console(stderr=True)
    bar = rich.Progress(
        *columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False
    )
    bar.add_task(label, total=total)
    bar.start()
    return bar
