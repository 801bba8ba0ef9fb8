"""Run the command line, as `rightreasons` or `python -m rightreasons`; signals are handled before the rest loads."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # the module below signal, which loads faster
import os


def _end_at_once(*_: object) -> None:
    """End before any work has begun."""
    os.write(2, b"Interrupted: no output file was written.\n")
    os._exit(130)


def _run_command() -> None:
    from rightreasons.cli import main as command_line

    command_line(prog_name="rightreasons")


def main() -> None:
    """Run the command line, then end the process."""
    if (
        _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler
    ):  # not if it is ignored, as under nohup
        _signal.signal(_signal.SIGINT, _end_at_once)
    from rightreasons.io.signals import run_program

    run_program(_run_command)


if __name__ == "__main__":
    main()
