"""Imports point down the layers; imports for the type checker count like any other."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

import rightreasons

pytestmark = pytest.mark.every_case  # each part, each package

PACKAGE = Path(rightreasons.__file__).parent
PAGE = Path(__file__).parents[1] / "docs" / "architecture.md"

# A package imports from the layers below its own.
LAYERS = {
    "command line": "__main__ cli commands api",
    "products": "evaluation reports experiments exports serving",
    "methods": "audits people training runs",
    "parts": "sets models scoring",
    "data": "corpora nets inference",
    "engine": "io language templates",
    "core": "core",
}
# The only imports between packages of one layer, by importing package.
INSIDE = {
    "__main__": {"cli"},
    "audits": {"runs"},
    "cli": {"commands"},
    "commands": {"api"},
    "evaluation": {"reports"},
    "experiments": {"evaluation", "reports"},
    "exports": {"evaluation", "reports"},
    "models": {"scoring"},
    "language": {"io"},
}
LEVEL = {name: level for level, names in enumerate(LAYERS.values()) for name in names.split()}
FILES = sorted(PACKAGE.rglob("*.py"))


def package_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def imported_modules(source: str) -> set[str]:
    """List the modules that a file imports, at its top, in functions or for the type checker."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports name the whole path"
            module = node.module or ""
            inside = {f"{module}.{alias.name}" for alias in node.names}
            modules |= inside if module == "rightreasons" else {module}
    return modules


def packages_used(source: str) -> set[str]:
    """List the packages that a file uses; a public name counts as the package that defines it."""
    names = {name.split(".")[1] for name in imported_modules(source) if name.startswith("rightreasons.")}
    return {rightreasons._HOMES.get(name, name).split(".")[0] for name in names - {"__version__"}}


def violations(package: str, used: set[str]) -> list[str]:
    """List the packages that this one may not import."""
    allowed = INSIDE.get(package, set()) | {package}
    return sorted(name for name in used - allowed if LEVEL[name] <= LEVEL[package])


def test_every_package_has_a_layer() -> None:
    assert sorted({package_of(path) for path in FILES} - {"__init__"}) == sorted(LEVEL)


def test_the_root_holds_the_entry_points_only() -> None:
    assert {path.name for path in PACKAGE.glob("*.py")} == {"__init__.py", "__main__.py", "api.py", "cli.py"}


@pytest.mark.parametrize("package", LEVEL)
def test_imports_point_down(package: str) -> None:
    for path in FILES:
        if package_of(path) == package:
            assert violations(package, packages_used(path.read_text(encoding="utf-8"))) == [], path.name


def test_every_import_inside_a_layer_is_used() -> None:
    used: dict[str, set[str]] = {}
    for path in FILES:
        package = package_of(path)
        if package in LEVEL:
            used.setdefault(package, set()).update(packages_used(path.read_text(encoding="utf-8")))
    inside = {
        package: {name for name in names - {package} if LEVEL[name] == LEVEL[package]}
        for package, names in used.items()
    }
    assert {package: names for package, names in inside.items() if names} == INSIDE


def test_an_upward_import_is_found() -> None:
    source = "if TYPE_CHECKING:\n    from rightreasons.cli import main\ndef f():\n    from rightreasons import score\n"
    assert packages_used(source) == {"cli", "api"}
    assert violations("core", packages_used(source)) == ["api", "cli"]
    assert violations("runs", packages_used("import rightreasons.reports.build")) == ["reports"]
    assert violations("reports", {"evaluation"}) == ["evaluation"]
    assert violations("commands", {"evaluation"}) == []


def test_the_documentation_shows_the_same_layers() -> None:
    rows = [line.strip("| ").split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines()]
    shown = {
        row[0]: row[1].replace("`", "").replace("/", "").replace(",", "") for row in rows if len(row) == 3
    }
    assert {name: packages for name, packages in shown.items() if name in LAYERS} == LAYERS
    assert [name for name in shown if name in LAYERS] == list(LAYERS)
