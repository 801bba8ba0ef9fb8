"""Loading with transformers: in silence, without questions, and with one sentence where it fails."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rightreasons.core.errors import InputError, RightReasonsError
from rightreasons.io.inputs import empty_stdin

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def loading(what: str, source: str) -> Iterator[None]:
    """Load something with transformers; whatever goes wrong is an InputError.

    Args:
        what: is loaded, as messages begin: The model 'hf:NAME'.
        source: the folder, or the name on the hub.
    """
    try:
        with empty_stdin(), _silent():
            yield
    except BaseException as error:
        if isinstance(error, RightReasonsError) or not is_failure(error):
            raise
        if isinstance(error, ImportError):
            raise InputError(
                f"{what} needs a package: {first_line(error)}. Install it, torch and transformers with "
                "pip install 'rightreasons[hf]'"
            ) from error
        if Path(source).is_dir():
            raise InputError(f"{what} can't be loaded: {first_line(error)}. Save it again.") from error
        raise InputError(
            f"{what} can't be loaded: there is no folder {source} here, and from the hub: {first_line(error)}. "
            "Check the name and the network, or name a folder."
        ) from error


@contextmanager
def _silent() -> Iterator[None]:
    """Keep progress bars and load reports of transformers to themselves."""
    from transformers.utils import logging

    verbosity, has_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if has_bars:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]


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
