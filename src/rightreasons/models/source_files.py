"""The source files that a Python module is made of: its own, and those of its project that it imports."""

from __future__ import annotations

import ast
import sysconfig
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING

from rightreasons.models.model_files import digest_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import ModuleType

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
