"""Unexpected errors: one line on stderr, and a crash file with the details for a bug report.

The crash file is written to the cache folder, or to the folder for temporary files if that fails, but never to the
working folder. Keys, tokens and passwords are removed, so that the file can be sent to others.
"""

from __future__ import annotations

import os
import platform
import re
import secrets
import shlex
import sys
import tempfile
import threading
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rightreasons import __version__
from rightreasons.io.environment import find_cache_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CRASH_FOLDER = "crashes"
PLACEHOLDER = "[removed]"
_BUG = "This is a bug in rightreasons."
_LONGEST_MESSAGE = 200  # characters of the error's message to print
_SHORTEST_SECRET = 8  # characters of a secret in the environment; shorter values, such as EMPTY, are words
_SECRET_VARIABLE = re.compile(r"key|token|secret|passw|credential", re.IGNORECASE)
# NAME=VALUE and NAME: VALUE, as in -o api_key=..., ?key=... and headers; max_tokens=16 and sorted(key=len) stay.
_ASSIGNED_SECRET = re.compile(
    r"(?i)((?:api[_-]?key|access[_-]?key|[?&.]key|token|secret|password|passwd|authorization)['\"]?\s*[=:]\s*"
    r"(?:bearer\s+)?)[^\s'\"&,;]+"
)
_URL_CREDENTIALS = re.compile(r"(?<=://)[^\s/@'\"]+(?=@)")  # the user and password of an address


def save_crash_report(error: BaseException, arguments: Sequence[str]) -> str:
    """Write a crash file, and return a message with the error and the path of the file."""
    with suppress(Exception):  # even an error that can't be rendered gives a message
        path = _write_crash_file(remove_secrets(_describe_crash(error, arguments)))
        where = f"Attach {path} to a bug report" if path else "No crash file could be written"
        summary = _summarize_error(error)
        return f"Unexpected error, {summary}. {_BUG} {where}."
    return f"Unexpected error. {_BUG}"


def remove_secrets(text: str) -> str:
    """Remove the values of secret environment variables, assigned secrets, and passwords in URLs."""
    secret_values = {value for name, value in os.environ.items() if _SECRET_VARIABLE.search(name)}
    for value in sorted(secret_values, key=len, reverse=True):
        if len(value) >= _SHORTEST_SECRET and not Path(value).is_file():
            text = text.replace(value, PLACEHOLDER)
    return _URL_CREDENTIALS.sub(PLACEHOLDER, _ASSIGNED_SECRET.sub(rf"\1{PLACEHOLDER}", text))


def install_crash_hooks(arguments: Sequence[str]) -> None:
    """Write a crash file instead of a traceback for errors in threads, finalizers and the interpreter's shutdown."""

    def report(error: BaseException | None) -> None:
        if error is not None and not isinstance(error, SystemExit) and sys.stderr is not None:
            with suppress(OSError, ValueError):
                sys.stderr.write(f"Error: {save_crash_report(error, arguments)}\n")

    def report_thread_error(details: threading.ExceptHookArgs) -> None:
        report(details.exc_value)

    def report_finalizer_error(details: Any) -> None:
        if not isinstance(details.exc_value, OSError):  # a stream that can't be flushed at the end
            report(details.exc_value)

    threading.excepthook = report_thread_error
    sys.unraisablehook = report_finalizer_error
    sys.excepthook = lambda _kind, error, _trace: report(error)


def _summarize_error(error: BaseException) -> str:
    """Return the class of the error with the first line of its message."""
    lines = str(error).strip().splitlines()
    message = f": {lines[0][:_LONGEST_MESSAGE].rstrip('. ')}" if lines else ""
    return remove_secrets(f"{type(error).__name__}{message}")


def _describe_crash(error: BaseException, arguments: Sequence[str]) -> str:
    lines = (
        f"time: {datetime.now(UTC).isoformat(timespec='seconds')}",
        f"rightreasons: {__version__}",
        f"python: {sys.version}",
        f"platform: {platform.platform()}",
        f"packages: {', '.join(_list_loaded_packages())}",
        f"command: {shlex.join(['rightreasons', *arguments])}",
        "",
        *traceback.format_exception(error),
    )
    return "\n".join(line.rstrip("\n") for line in lines) + "\n"


def _list_loaded_packages() -> Iterator[str]:
    """List the loaded packages that a bug may belong to, with their versions."""
    for name in ("click", "polars", "numpy", "onnxruntime", "tokenizers", "torch", "transformers"):
        version = getattr(sys.modules.get(name), "__dict__", {}).get("__version__")
        if version:
            yield f"{name} {version}"


def _write_crash_file(text: str) -> Path | None:
    """Write the file, whole or not at all, into the first folder that can be written."""
    name = f"crash-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(4)}.txt"
    for folder in _list_crash_folders():
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if folder.samefile("."):  # without a usable folder, tempfile names this one
                continue
            part = folder / f".{name}.part"
            try:
                with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                    file.write(text.encode("utf-8", errors="backslashreplace"))
                return part.rename(folder / name)
            finally:
                part.unlink(missing_ok=True)
    return None


def _list_crash_folders() -> Iterator[Path]:
    """List the folders for crash files, in order of preference."""
    yield find_cache_folder(CRASH_FOLDER)
    with suppress(OSError):
        yield Path(tempfile.gettempdir())
