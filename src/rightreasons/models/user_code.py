"""Code of users: a function named module:function is loaded and called; its failures become one-sentence errors."""

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
from rightreasons.models.file_digests import digest_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import ModuleType, TracebackType


# Files whose lines don't help to find an error: this one, the importer, and that of exit() and quit().
_SKIPPED_FILES = (__file__, importlib.__file__, "_sitebuiltins.py")
_FROZEN_PREFIX = "<frozen "


def import_user_module(name: str) -> ModuleType:
    """Import a module of the current folder or of an installed package."""
    try:
        with _CurrentFolderOnPath(), _UserCodeErrors(f"The module {name!r} can't be loaded: it"):
            return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and f"{name}.".startswith(f"{error.name}."):
            raise InputError(
                f"There is no module {name!r} in the current folder or among the installed packages. "
                "Use python:module:function, where module is a file name without .py, or a package."
            ) from error
        raise InputError(
            f"The module {name!r} can't be loaded: {error}. Install its dependencies."
        ) from error


def find_function_in_module(module: ModuleType, attribute: str) -> Callable[..., Any]:
    """Find a function in a module; dots lead into classes and objects."""
    target: Any = module
    # A module may compute its names, and a class its attributes.
    with _UserCodeErrors(
        f"Looking for {attribute!r} in the module {module.__name__!r}", passes_missing=False
    ):
        for name in attribute.split("."):
            if not hasattr(target, name):
                place = getattr(module, "__file__", None) or "built in"
                raise InputError(
                    f"The module {module.__name__!r} ({place}) has no attribute {attribute!r}. "
                    f"Use python:{module.__name__}:FUNCTION with a function of this module."
                )
            target = getattr(target, name)
        if not callable(target):
            raise InputError(
                f"{module.__name__}:{attribute} is not a function but {target!r:.60}. "
                "Choose a function that takes a list of premises and a list of hypotheses."
            )
    function: Callable[..., Any] = target
    return function


def read_function_attribute(function: Callable[..., Any], name: str, owner: str) -> Any:
    """Read an attribute of a function, which may be any object; None if it is missing."""
    with _UserCodeErrors(f"{owner} has an attribute {name} that", passes_missing=False):
        return getattr(function, name, None)


def call_user_function(function: Callable[..., Any], name: str, *arguments: Any) -> Any:
    """Call a function; whatever it raises becomes an InputError that names the line."""
    try:
        with _CurrentFolderOnPath(), _UserCodeErrors(name, function):
            output = function(*arguments)
            # The output may be a generator, whose code runs only now.
            return list(output) if hasattr(output, "__next__") else output
    except ModuleNotFoundError as error:
        raise InputError(f"{name} can't be run: {error}. Install its dependencies.") from error


class _CurrentFolderOnPath:
    """Puts the current folder on the module path, as python -m does, and restores the path afterwards."""

    def __enter__(self) -> None:
        self.folder = str(Path.cwd())
        sys.path.insert(0, self.folder)

    def __exit__(self, *_: object) -> None:
        if self.folder in sys.path:  # user code may have changed it
            sys.path.remove(self.folder)


class _UserCodeErrors:
    """Converts any failure of user code to an error of one sentence."""

    def __init__(
        self, what: str, function: Callable[..., Any] | None = None, *, passes_missing: bool = True
    ) -> None:
        """Set the subject of the message, and whether the caller handles a missing module itself."""
        self.what, self.function = what, function
        self.passed = (RightReasonsError, *((ModuleNotFoundError,) if passes_missing else ()))

    def __enter__(self) -> None:
        """Do nothing; failures are converted on exit."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # An interrupt is not a failure of the code. An exit is, and so is a panic of a native library, which is not an
        # Exception.
        if error is None or is_interrupt(error) or isinstance(error, self.passed):
            return
        description = describe_error(error)
        places = [
            f"{Path(frame.filename).name}, line {frame.lineno}"
            for frame in traceback.extract_tb(trace)
            if not frame.filename.startswith(_FROZEN_PREFIX) and not frame.filename.endswith(_SKIPPED_FILES)
        ]
        if places or self.function is None:
            place = f" ({places[-1]})" if places else ""
            raise InputError(
                f"{self.what} failed with {description}{place}. Fix this error first."
            ) from error
        # It failed before its first line, or has none: the arguments do not match its signature.
        raise InputError(
            f"{self.what} can't be called: {description}{_describe_definition_line(self.function)}. "
            "The function must take two lists, the premises and the hypotheses."
        ) from error


def _describe_definition_line(function: Callable[..., Any]) -> str:
    """Describe where a function, or the code that a call of an object or class runs, is defined; "" without a file."""
    with suppress(Exception):  # the attributes of an object may be computed, and fail as well
        unwrapped = inspect.unwrap(function)
        called = unwrapped.__init__ if inspect.isclass(unwrapped) else type(unwrapped).__call__
        for candidate in (unwrapped, getattr(unwrapped, "func", None), called):
            code = getattr(getattr(candidate, "__func__", candidate), "__code__", None)
            if code is not None:
                return f" ({Path(code.co_filename).name}, line {code.co_firstlineno})"
    return ""


_INIT_FILE = "__init__.py"


def digest_module_sources(module: ModuleType) -> dict[str, str]:
    """Compute the digests of a module's file and of all files that it imports from the same place.

    The place is the folder that contains the module or its top package. For an installed package, only its own files
    count: others have versions of their own. Imports are read from the source, so code that has not run yet is
    included; other files that a module reads, such as weights, are not.
    """
    path = getattr(module, "__file__", None)
    if not path:
        return {}
    start = Path(path).resolve()
    root = start.parents[module.__name__.count(".") + (start.name == _INIT_FILE)]
    package = module.__name__.partition(".")[0] if _is_installation_folder(root) else None
    visited: dict[Path, None] = {}
    todo = [start, *_find_package_init_files(start, root)]
    while todo:
        file = todo.pop()
        if file not in visited and (package is None or _get_top_module_name(file, root) == package):
            visited[file] = None
            todo += _find_imported_files(file, root)
    return {file.relative_to(root).as_posix(): digest_file(file) for file in sorted(visited)}


def _is_installation_folder(root: Path) -> bool:
    places = sysconfig.get_paths()
    return any(
        Path(places[name]).resolve() == root for name in ("purelib", "platlib", "stdlib", "platstdlib")
    )


def _get_top_module_name(file: Path, root: Path) -> str:
    return file.relative_to(root).parts[0].partition(".")[0]


def _find_package_init_files(file: Path, root: Path) -> Iterator[Path]:
    """Find the __init__ files that run when a module inside packages is imported."""
    for folder in file.parents:
        if folder == root:
            return
        if (folder / _INIT_FILE).is_file():
            yield folder / _INIT_FILE


def _find_imported_files(file: Path, root: Path) -> Iterator[Path]:
    """Find the files below the root that a source file imports; a compiled one can't be read."""
    if file.suffix != ".py":
        return
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # Python can't run it, either
        return
    for names, base in _list_imported_names(tree, file, root):
        for place in (base.joinpath(*names[:end]) for end in range(1, len(names) + 1)):
            yield from _find_module_files(place)


def _list_imported_names(tree: ast.AST, file: Path, root: Path) -> Iterator[tuple[list[str], Path]]:
    """List the imported dotted names, each with the folder to look in."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name.split("."), root) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = file.parents[node.level - 1] if node.level else root
            module = node.module.split(".") if node.module else []
            yield from (([*module, alias.name], base) for alias in node.names)


def _find_module_files(place: Path) -> Iterable[Path]:
    """List the files that a module may be: a source file, a package, or a compiled file."""
    if not place.name.isidentifier():  # as in: from package import *
        return []
    compiled = list(place.parent.glob(f"{escape(place.name)}.*.so")) if place.parent.is_dir() else []
    return [
        path
        for path in (place.with_name(f"{place.name}.py"), place / _INIT_FILE, *compiled)
        if path.is_file()
    ]
