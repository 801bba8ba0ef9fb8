"""Parts of other packages: found through entry points and imported; whatever their code raises is a PluginError."""

from __future__ import annotations

import importlib
import traceback
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rightreasons.core import options
from rightreasons.core.errors import InputError, RightReasonsError
from rightreasons.core.lazy_table import load_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

_MAX_MESSAGE_LENGTH = 200  # characters of a foreign message
# Packages of the extra `hf`, which a light installation lacks.
_HF_PACKAGES = ("torch", "transformers")
_INSTALL_ADVICE = "Install its dependencies, or uninstall its package."
FIX_ADVICE = "Fix the plugin, or uninstall its package."
# Stops that the user or the interpreter wants, not failures of the code that they pass through.
_INTERRUPTS = (KeyboardInterrupt, GeneratorExit)
# Frames that say nothing about what is wrong: those of these files, of the importer and of the interpreter itself.
_OWN_FILES = ("plugins.py", "plugin_guard.py", "lazy_table.py", "parts.py")
_SKIPPED_FILES = (*(str(Path(__file__).with_name(name)) for name in _OWN_FILES), importlib.__file__)
_FROZEN_PREFIX = "<frozen "


class PluginError(InputError):
    """The code of a plugin failed, or returned something that its contract does not allow."""


@lru_cache(maxsize=8)  # to look through all installed packages takes milliseconds
def find_entry_points(group: str) -> tuple[tuple[str, str], ...]:
    """Return the names and targets that installed packages declare."""
    from importlib.metadata import entry_points

    try:
        return tuple(sorted((point.name, point.value) for point in entry_points(group=group)))
    except Exception:  # noqa: BLE001 - the metadata of one package can't be read: it may be anything
        return tuple(sorted(set(_scan_entry_points(group))))


def _scan_entry_points(group: str) -> Iterator[tuple[str, str]]:
    """Scan the installed packages one by one, without those whose metadata can't be read."""
    from importlib.metadata import distributions

    for distribution in distributions():
        try:
            yield from [(point.name, point.value) for point in distribution.entry_points.select(group=group)]
        except Exception:  # noqa: BLE001, S112 - as above
            continue


def load_part(kind: str, name: str, target: str, *, foreign: bool) -> Callable[..., Any]:
    """Import a part; whatever fails in the code of a plugin is an InputError that names it."""
    if foreign:
        with convert_plugin_errors(f"The {kind} {name!r} can't be loaded from {target}"):
            part: Callable[..., Any] = load_target(target)
            # Later code relies on options being readable.
            options.get_schema(part.options if kind == "network" else part)  # type: ignore[attr-defined]
            return part
    try:
        part = load_target(target)
    except (ImportError, AttributeError) as error:
        package = (error.name or "").partition(".")[0] if isinstance(error, ImportError) else ""
        if package in _HF_PACKAGES:
            raise InputError(
                f"The {kind} {name!r} needs the package {package}. Run pip install 'rightreasons[hf]'."
            ) from error
        raise InputError(
            f"The {kind} {name!r} can't be loaded from {target}: {error}. Install the missing dependencies."
        ) from error
    return part


@contextmanager
def convert_plugin_errors(what: str, advice: str = _INSTALL_ADVICE) -> Iterator[None]:
    """Turn whatever foreign code raises, even an exit or a panic of a native library, into one sentence.

    Errors of this package are sentences already, and interrupts are nobody's failure: they pass.
    """
    try:
        yield
    except (RightReasonsError, *_INTERRUPTS):
        raise
    except BaseException as error:
        reason = f"{describe_error(error)}{_describe_failed_line(error.__traceback__)}"
        raise PluginError(f"{what}: {reason}. {advice}") from error


def describe_error(error: BaseException) -> str:
    """Name the kind of an error with the first line of its message, without a full stop at the end."""
    try:
        # exit() and quit() raise an error whose only argument is None.
        says_nothing = len(error.args) == 1 and error.args[0] is None
        lines = [] if says_nothing else str(error).strip().splitlines()[:1]
    except Exception:  # noqa: BLE001 - its __str__ is foreign code, too
        lines = []
    return ": ".join([type(error).__name__, *lines])[:_MAX_MESSAGE_LENGTH].rstrip(". ")


def is_interrupt(error: BaseException) -> bool:
    """Return whether an error is an interrupt, which must not be converted."""
    return isinstance(error, _INTERRUPTS)


def _describe_failed_line(trace: TracebackType | None) -> str:
    """Name the line that failed, if it is outside of this package."""
    files = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(trace)]
    known = [
        (file, line)
        for file, line in files
        if not file.startswith(_FROZEN_PREFIX) and not file.endswith(_SKIPPED_FILES)
    ]
    return f" ({Path(known[-1][0]).name}, line {known[-1][1]})" if known else ""
