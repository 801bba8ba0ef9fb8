"""Code that isn't ours: a function named module:function, found, loaded and called, with errors of one sentence."""

from __future__ import annotations

import importlib
import inspect
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import InputError, RightReasonsError
from rightreasons.core.plugins import describe_error, is_stop

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType, TracebackType

# Code whose lines say nothing about what is wrong: this, the importer, and that of exit() and quit().
_BETWEEN = (__file__, importlib.__file__, "_sitebuiltins.py")
_FROZEN = "<frozen "


def load_module(name: str) -> ModuleType:
    """Import a module of the current folder or of an installed package."""
    try:
        with _FromHere(), _Foreign(f"The module {name!r} can't be loaded: it"):
            return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and f"{name}.".startswith(f"{error.name}."):
            raise InputError(
                f"There is no module {name!r}, neither in the current folder nor installed. "
                "Write python:module:function, where the module is a file without its .py, or a package."
            ) from error
        raise InputError(f"The module {name!r} can't be loaded: {error}. Install what it needs.") from error


def find_function(module: ModuleType, attribute: str) -> Callable[..., Any]:
    """Find a function in a module; dots lead into classes and objects."""
    found: Any = module
    # A module may compute its names, and a class its attributes.
    with _Foreign(f"Looking for {attribute!r} in the module {module.__name__!r}", passes_missing=False):
        for name in attribute.split("."):
            if not hasattr(found, name):
                place = getattr(module, "__file__", None) or "built in"
                raise InputError(
                    f"The module {module.__name__!r} ({place}) has no {attribute!r}. "
                    f"Write python:{module.__name__}:FUNCTION with a name that it has."
                )
            found = getattr(found, name)
        if not callable(found):
            raise InputError(
                f"{module.__name__}:{attribute} is no function but {found!r:.60}. "
                "Name a function of a list of premises and a list of hypotheses."
            )
    made: Callable[..., Any] = found
    return made


def attribute_of(function: Callable[..., Any], name: str, owner: str) -> Any:
    """Take an attribute of a function, which may be any object; None if it has none by that name."""
    with _Foreign(f"{owner} has an attribute {name} that", passes_missing=False):
        return getattr(function, name, None)


def call(function: Callable[..., Any], name: str, *arguments: Any) -> Any:
    """Call a function; whatever it raises becomes an InputError that names the line."""
    try:
        with _FromHere(), _Foreign(name, function):
            given = function(*arguments)
            # What it gives back may be a generator, whose code runs only now.
            return list(given) if hasattr(given, "__next__") else given
    except ModuleNotFoundError as error:
        raise InputError(f"{name} can't be run: {error}. Install what it needs.") from error


class _FromHere:
    """Lets modules of the current folder be found, as python -m does, and leaves the path as it was."""

    def __enter__(self) -> None:
        self.folder = str(Path.cwd())
        sys.path.insert(0, self.folder)

    def __exit__(self, *_: object) -> None:
        if self.folder in sys.path:  # foreign code may have changed it
            sys.path.remove(self.folder)


class _Foreign:
    """Turns what goes wrong in code that isn't ours, which may be anything, into one sentence."""

    def __init__(
        self, what: str, function: Callable[..., Any] | None = None, *, passes_missing: bool = True
    ) -> None:
        """Take what is said to fail, and whether the caller tells a missing module apart."""
        self.what, self.function = what, function
        self.passed = (RightReasonsError, *((ModuleNotFoundError,) if passes_missing else ()))

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # An interrupt is no fault of the code, but an exit is, and so is a panic of a native library, which is no
        # Exception.
        if error is None or is_stop(error) or isinstance(error, self.passed):
            return
        said = describe_error(error)
        places = [
            f"{Path(frame.filename).name}, line {frame.lineno}"
            for frame in traceback.extract_tb(trace)
            if not frame.filename.startswith(_FROZEN) and not frame.filename.endswith(_BETWEEN)
        ]
        if places or self.function is None:
            place = f" ({places[-1]})" if places else ""
            raise InputError(f"{self.what} failed with {said}{place}. Mend it first.") from error
        # It failed before its first line, or has none: what it was given is not what it takes.
        raise InputError(
            f"{self.what} can't be called: {said}{_defined(self.function)}. "
            "It must take two lists, the premises and the hypotheses."
        ) from error


def _defined(function: Callable[..., Any]) -> str:
    """Say where a function begins, or what an object or a class is called by, if there is a file of it."""
    with suppress(Exception):  # the attributes of an object may be computed, and fail as well
        found = inspect.unwrap(function)
        made = found.__init__ if inspect.isclass(found) else type(found).__call__
        for one in (found, getattr(found, "func", None), made):
            code = getattr(getattr(one, "__func__", one), "__code__", None)
            if code is not None:
                return f" ({Path(code.co_filename).name}, line {code.co_firstlineno})"
    return ""
