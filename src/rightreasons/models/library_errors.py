"""Loading with transformers: silent, without prompts for input, and with errors of one sentence."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rightreasons.core.errors import InputError, RightReasonsError
from rightreasons.io.inputs import provide_empty_stdin

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def convert_load_errors(what: str, source: str) -> Iterator[None]:
    """Convert any failure of loading with transformers to an InputError.

    Args:
        what: the subject of messages, such as: The model 'hf:NAME'.
        source: the folder, or the name on the hub.
    """
    try:
        with provide_empty_stdin(), _silence_transformers():
            yield
    except BaseException as error:
        if isinstance(error, RightReasonsError) or not is_code_failure(error):
            raise
        if isinstance(error, ImportError):
            raise InputError(
                f"{what} requires a package: {summarize_error(error)}. Install it, torch and transformers with "
                "pip install 'rightreasons[hf]'"
            ) from error
        if Path(source).is_dir():
            raise InputError(f"{what} can't be loaded: {summarize_error(error)}. Save it again.") from error
        raise InputError(
            f"{what} can't be loaded: there is no folder {source}, and the Hugging Face Hub failed with "
            f"{summarize_error(error)}. Check the name and the network connection, or specify a folder."
        ) from error


@contextmanager
def _silence_transformers() -> Iterator[None]:
    """Silence the logs and progress bars of transformers."""
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


_MAX_SUMMARY_LENGTH = 300  # characters of a message of another library
# Panics of Rust libraries are BaseExceptions, of a class that can't be imported.
_RUST_PANIC = "PanicException"


def is_code_failure(error: BaseException) -> bool:
    """Return whether an exception is a failure of code, not an interrupt by the user."""
    return isinstance(error, Exception | SystemExit) or type(error).__name__ == _RUST_PANIC


def summarize_error(error: BaseException) -> str:
    """Summarize an exception in one line without a full stop; with its type if the message says too little."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    summary = lines[0] if lines else ""
    if isinstance(error, KeyError | ArithmeticError | AssertionError | RecursionError) or len(summary) < 4:  # noqa: PLR2004 - a word
        summary = f"{type(error).__name__}: {summary}" if summary else type(error).__name__
    elif summary.endswith(":") and len(lines) > 1:
        summary = f"{summary} {lines[1]}"
    return summary[:_MAX_SUMMARY_LENGTH].rstrip(". ")
