"""The exit codes of the command line, in one place; a test holds the table in the documentation against it."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """How a command ended. Codes above 128 are 128 plus the number of a signal, as shells report it."""

    DONE = 0
    GATE_MISSED = 1  # and nothing else: a build must be able to tell a bad model from a failed command
    BAD_INPUT = 2  # or an output that can't be written
    UNEXPECTED = 70  # EX_SOFTWARE of sysexits.h
    HUNG_UP = 129  # SIGHUP
    INTERRUPTED = 130  # SIGINT
    PIPE_CLOSED = 141  # SIGPIPE
    TERMINATED = 143  # SIGTERM
