"""Code that isn't ours: a function named module:function, found, loaded and called, with errors of one sentence."""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
import sysconfig
import traceback
from contextlib import suppress
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import InputError, RightReasonsError
from rightreasons.core.plugins import describe_error, is_interrupt
from rightreasons.models.model_files import digest_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
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
        if error is None or is_interrupt(error) or isinstance(error, self.passed):
            return
        said = describe_error(error)
        places = [
            f"{Path(frame.filename).name}, line {frame.lineno}"
            for frame in traceback.extract_tb(trace)
            if not frame.filename.startswith(_FROZEN) and not frame.filename.endswith(_BETWEEN)
        ]
        if places or self.function is None:
            place = f" ({places[-1]})" if places else ""
            raise InputError(f"{self.what} failed with {said}{place}. Fix it first.") from error
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


_INIT = "__init__.py"


def source_digests(module: ModuleType) -> dict[str, str]:
    """Compute the digests of a module's file and of all files that it imports from the same place.

    The place is the folder that the module was found in. Of an installed package, only its own files count: others
    have versions of their own. Imports are read from the source, so code that has not run yet is found as well; what
    a module reads besides, such as weights, is not.
    """
    path = getattr(module, "__file__", None)
    if not path:
        return {}
    start = Path(path).resolve()
    root = start.parents[module.__name__.count(".") + (start.name == _INIT)]
    package = module.__name__.partition(".")[0] if _is_installed(root) else None
    found: dict[Path, None] = {}
    todo = [start, *_packages_above(start, root)]
    while todo:
        file = todo.pop()
        if file not in found and (package is None or _top(file, root) == package):
            found[file] = None
            todo += _imported(file, root)
    return {file.relative_to(root).as_posix(): digest_of(file) for file in sorted(found)}


def _is_installed(root: Path) -> bool:
    places = sysconfig.get_paths()
    return any(
        Path(places[name]).resolve() == root for name in ("purelib", "platlib", "stdlib", "platstdlib")
    )


def _top(file: Path, root: Path) -> str:
    return file.relative_to(root).parts[0].partition(".")[0]


def _packages_above(file: Path, root: Path) -> Iterator[Path]:
    """List the files that run when a module inside packages is imported."""
    for folder in file.parents:
        if folder == root:
            return
        if (folder / _INIT).is_file():
            yield folder / _INIT


def _imported(file: Path, root: Path) -> Iterator[Path]:
    """Find the files below the root that a source file imports; a compiled one can't be read."""
    if file.suffix != ".py":
        return
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # it isn't run as it stands, either
        return
    for names, base in _imports(tree, file, root):
        for place in (base.joinpath(*names[:end]) for end in range(1, len(names) + 1)):
            yield from _files_of(place)


def _imports(tree: ast.AST, file: Path, root: Path) -> Iterator[tuple[list[str], Path]]:
    """List the dotted names that are imported, and the folder that each is looked for in."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name.split("."), root) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = file.parents[node.level - 1] if node.level else root
            module = node.module.split(".") if node.module else []
            yield from (([*module, alias.name], base) for alias in node.names)


def _files_of(place: Path) -> Iterable[Path]:
    """List the files that a module may be: a source file, a package, or a compiled file."""
    if not place.name.isidentifier():  # as in: from package import *
        return []
    compiled = list(place.parent.glob(f"{escape(place.name)}.*.so")) if place.parent.is_dir() else []
    return [
        path for path in (place.with_name(f"{place.name}.py"), place / _INIT, *compiled) if path.is_file()
    ]
