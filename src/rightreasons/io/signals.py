"""How the command line stops: SIGINT, SIGTERM and SIGHUP end it in order, within two seconds, whatever it is doing.

A signal becomes a KeyboardInterrupt in the main thread, which unwinds: outputs under way are removed, journals closed.
A watcher thread bounds that. If native code keeps the main thread busy, it does the same cleaning and ends the process.

The process ends by `os._exit` after a stop, and whenever worker threads are still inside native code: an interpreter
that shuts down under them aborts.

Nothing here happens in a program that imports the package: `run_program` is called by the command line alone.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NoReturn

# Imported before any signal is taken: one may come while the main thread has imported half of a module.
from rightreasons.io import interrupts, temporary_folders

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

GRACE_SECONDS = 1.3  # seconds from a signal until the watcher ends the process
WORKER_PREFIX = "rightreasons-worker"  # how the names of threads begin that may be inside native code
_UNEXPECTED_ERROR_CODE = 70  # an exit code that is not a number is an error that nobody foresaw
_SIGNAL_OFFSET = 128  # the exit code of a stop is this and the signal's number, as shells have it
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
_SHOW_CURSOR = b"\x1b[?25h"


class Terminated(KeyboardInterrupt):
    """The process was asked to end, by SIGTERM or SIGHUP; all that holds for an interrupt holds for it."""


class _SignalState:
    """Where the process stands; there is one, since signals are the process's."""

    running = False  # inside `allow_interrupts`, where a signal becomes an exception
    started = False  # it has been inside
    received: int | None = None  # the first signal; later ones change nothing
    reported = False  # the person was told


def run_program(main: Callable[[], object], grace: float = GRACE_SECONDS) -> NoReturn:
    """Run a program and end the process with its exit code, or with 128 and the signal's number."""
    _install_handlers(grace)
    code: object = 0
    try:
        code = main()
    except SystemExit as end:
        code = end.code
    except KeyboardInterrupt:
        print_interrupt("")
    _end_process(code)


@contextmanager
def allow_interrupts() -> Iterator[None]:
    """Let signals interrupt the block; before it they end the process at once, after it they come too late.

    Whatever ends the block after a signal was caused by the signal: an import that was cut off fails in odd ways.
    """
    _SignalState.running, _SignalState.started, _SignalState.reported = True, True, False
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException:
        _raise_received_signal()
        raise
    else:
        _raise_received_signal()
    finally:
        _SignalState.running = False


def print_interrupt(kept: str) -> None:
    """Print on standard error what the interrupt leaves, unless it was printed."""
    if not _SignalState.reported:
        _SignalState.reported = True
        sys.stderr.write(f"{_format_interrupt(kept)}\n")
        sys.stderr.flush()


def _format_interrupt(kept: str) -> str:
    what = "Interrupted" if _SignalState.received in (None, signal.SIGINT) else "Terminated"
    return f"{what}: {interrupts.describe_interrupt(kept)}"


def get_signal_exit_code() -> int:
    """Return the exit code after a signal."""
    return _SIGNAL_OFFSET + (_SignalState.received or signal.SIGINT)


def _install_handlers(grace: float) -> None:
    """Take the signals; one that is ignored, as under nohup or in a background job of a script, stays ignored."""
    wanted = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    for number in wanted:
        signal.signal(number, _handle_signal)
    # As the first that is registered it is called last: from there on a signal would kill what is done already.
    atexit.register(_ignore_signals, wanted)
    if wanted and os.name == "posix":
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        threading.Thread(
            target=_watch_signals, args=(reader, grace), name="rightreasons-signals", daemon=True
        ).start()


def _ignore_signals(numbers: Sequence[int]) -> None:
    for number in numbers:
        signal.signal(number, signal.SIG_IGN)


def _handle_signal(number: int, frame: FrameType | None) -> None:
    """Turn the first signal into an exception; a second one has nothing to add."""
    del frame
    if _SignalState.received is not None:
        return
    _SignalState.received = number
    # An exception inside of a finaliser can't leave it. Python would print it, and the watcher does the rest.
    sys.unraisablehook = lambda _: None
    if not _SignalState.started:
        _end_process_immediately()
    if _SignalState.running:
        _raise_received_signal()


def _raise_received_signal() -> None:
    if _SignalState.received is not None:
        raise (KeyboardInterrupt if _SignalState.received == signal.SIGINT else Terminated)


def _watch_signals(reader: int, grace: float) -> None:
    """Wait for a signal that is ours, as the system notes it even while native code runs; then bound the rest."""
    while True:
        for number in os.read(reader, 64):
            if signal.getsignal(number) is _handle_signal:
                time.sleep(grace)
                _SignalState.received = _SignalState.received or number
                _end_process_immediately()


def _end_process(code: object) -> NoReturn:
    """End the process: in the usual way, unless it was stopped or a thread is still inside native code."""
    busy = any(thread.name.startswith(WORKER_PREFIX) for thread in threading.enumerate())
    if _SignalState.received is None and not busy:
        sys.exit(code)  # type: ignore[arg-type]
    temporary_folders.remove_all_hidden_folders()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(get_signal_exit_code() if _SignalState.received is not None else _convert_exit_code(code))


def _convert_exit_code(code: object) -> int:
    """Return the exit code that an argument of SystemExit stands for."""
    if code is None:
        return 0
    return code if isinstance(code, int) else _UNEXPECTED_ERROR_CODE


def _end_process_immediately() -> NoReturn:
    """End the process from any thread: remove what is half made, say what is left, and go."""
    try:
        temporary_folders.remove_all_hidden_folders()
        if not _SignalState.reported:
            _SignalState.reported = True
            # Not by sys.stderr, whose lock the main thread may hold. A progress bar has hidden the cursor.
            show = _SHOW_CURSOR if os.isatty(2) else b""
            os.write(2, show + f"{_format_interrupt('')}\n".encode(errors="replace"))
    finally:
        os._exit(get_signal_exit_code())
