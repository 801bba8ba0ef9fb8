"""Errors that nobody foresaw: one sentence on stderr, and a crash file with the details for a bug report.

The crash file lies in the cache folder, or in the folder for temporary files if that can't be written; never in the
working folder. Keys, tokens and passwords are removed from it, so that it can be sent to others.
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

FOLDER = "crashes"
REMOVED = "[removed]"
_LONGEST = 200  # characters of an error's own message in the sentence
_SHORTEST = 8  # of a secret in the environment: shorter ones, such as EMPTY, are words
_SECRET_VARIABLE = re.compile(r"key|token|secret|passw|credential", re.IGNORECASE)
# NAME=VALUE and NAME: VALUE, as in -o api_key=..., ?key=... and headers; max_tokens=16 and sorted(key=len) stay.
_ASSIGNED = re.compile(
    r"(?i)((?:api[_-]?key|access[_-]?key|[?&.]key|token|secret|password|passwd|authorization)['\"]?\s*[=:]\s*"
    r"(?:bearer\s+)?)[^\s'\"&,;]+"
)
_USER = re.compile(r"(?<=://)[^\s/@'\"]+(?=@)")  # the user and password of an address


def report_crash(error: BaseException, arguments: Sequence[str]) -> str:
    """Write a crash file, and say in one sentence what happened and where the details are."""
    with suppress(Exception):  # even an error that can't be shown ends in a sentence
        path = _write_crash(remove_secrets(_describe_crash(error, arguments)))
        where = f"The details are in {path}" if path else "No file with the details could be written"
        return f"Unexpected error, {_name(error)}. This is a bug in rightreasons, not a missed gate. {where}."
    return "Unexpected error. This is a bug in rightreasons, not a missed gate."


def remove_secrets(text: str) -> str:
    """Strike out the values of secret environment variables, assigned secrets, and passwords in addresses."""
    found = {value for name, value in os.environ.items() if _SECRET_VARIABLE.search(name)}
    for value in sorted(found, key=len, reverse=True):
        if len(value) >= _SHORTEST and not Path(value).is_file():
            text = text.replace(value, REMOVED)
    return _USER.sub(REMOVED, _ASSIGNED.sub(rf"\1{REMOVED}", text))


def install_hooks(arguments: Sequence[str]) -> None:
    """Have threads, finalizers and the interpreter's shutdown leave a crash file in place of a traceback."""

    def report(error: BaseException | None) -> None:
        if error is not None and not isinstance(error, SystemExit) and sys.stderr is not None:
            with suppress(OSError, ValueError):
                sys.stderr.write(f"Error: {report_crash(error, arguments)}\n")

    def hook_of_threads(given: threading.ExceptHookArgs) -> None:
        report(given.exc_value)

    def hook_of_finalizers(given: Any) -> None:
        if not isinstance(given.exc_value, OSError):  # a stream that can't be flushed at the end
            report(given.exc_value)

    threading.excepthook = hook_of_threads
    sys.unraisablehook = hook_of_finalizers
    sys.excepthook = lambda _kind, error, _trace: report(error)


def _name(error: BaseException) -> str:
    """Name the kind of error, with the first line of its message."""
    said = str(error).strip().splitlines()
    message = f": {said[0][:_LONGEST].rstrip('. ')}" if said else ""
    return remove_secrets(f"{type(error).__name__}{message}")


def _describe_crash(error: BaseException, arguments: Sequence[str]) -> str:
    lines = (
        f"time: {datetime.now(UTC).isoformat(timespec='seconds')}",
        f"rightreasons: {__version__}",
        f"python: {sys.version}",
        f"platform: {platform.platform()}",
        f"packages: {', '.join(_packages())}",
        f"command: {shlex.join(['rightreasons', *arguments])}",
        "",
        *traceback.format_exception(error),
    )
    return "\n".join(line.rstrip("\n") for line in lines) + "\n"


def _packages() -> Iterator[str]:
    """List the loaded packages that a bug may belong to, with their versions."""
    for name in ("click", "polars", "numpy", "onnxruntime", "tokenizers", "torch", "transformers"):
        version = getattr(sys.modules.get(name), "__dict__", {}).get("__version__")
        if version:
            yield f"{name} {version}"


def _write_crash(text: str) -> Path | None:
    """Write the file, whole or not at all, into the first folder that can be written."""
    name = f"crash-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(4)}.txt"
    for folder in _folders():
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


def _folders() -> Iterator[Path]:
    """List where crash files may lie, the best place first."""
    yield find_cache_folder(FOLDER)
    with suppress(OSError):
        yield Path(tempfile.gettempdir())
