"""What libraries raise on files of strangers: nearly anything, said in one line."""

from __future__ import annotations

_LONGEST = 300  # characters of a foreign message
# Panics of libraries in Rust come as an exception that is no Exception, of a class that can't be imported.
_PANIC = "PanicException"


def is_failure(error: BaseException) -> bool:
    """Tell whether an exception is a failure of the code that raised it, and no interrupt of the user's."""
    return isinstance(error, Exception | SystemExit) or type(error).__name__ == _PANIC


def first_line(error: BaseException) -> str:
    """Say in one line, without a full stop, what an exception says; its kind where it says too little."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = lines[0] if lines else ""
    if isinstance(error, KeyError | ArithmeticError | AssertionError | RecursionError) or len(said) < 4:  # noqa: PLR2004 - a word
        said = f"{type(error).__name__}: {said}" if said else type(error).__name__
    elif said.endswith(":") and len(lines) > 1:
        said = f"{said} {lines[1]}"
    return said[:_LONGEST].rstrip(". ")
