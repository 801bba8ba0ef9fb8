"""Imports point one way: down the storeys of the house, and to the right within one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import rightreasons

PACKAGE = Path(rightreasons.__file__).parent
PAGE = Path(__file__).parents[1] / "docs" / "architecture.md"

# Each room may use those in the storeys below, and those to its right in its own.
STOREYS = {
    "command line": "__main__ cli commands",
    "verbs": "experiments exports evaluation leaderboards comparing reporting gates gathering recipes verbs runs "
    "seals run_shapes run_tables",
    "reports, training": "reports training serving",
    "models, scores": "audits models scoring endpoints asking",
    "sets": "sets released words nets",
    "engine": "templates quotas sampling draws",
    "files": "corpora language",
    "core": "api_arguments answers alignment labels heuristics tree_columns trees tables streams polars_io "
    "column_checks spreadsheets pipes outputs signals leftovers interrupts locks caches slugs pairs shapes lines "
    "digests progress jobs registry plugin_loading options network_settings errors",
}
ROOMS = [room for rooms in STOREYS.values() for room in rooms.split()]
FILES = sorted(PACKAGE.rglob("*.py"))


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


class Imports(ast.NodeVisitor):
    """Collects what a file imports when it runs, at its top or later."""

    def __init__(self) -> None:
        self.found: set[str] = set()

    def visit_If(self, node: ast.If) -> None:
        """Leave out what is there for the type checker only."""
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            for other in node.orelse:
                self.visit(other)
        else:
            self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        self.found |= {alias.name for alias in node.names}

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        assert node.level == 0, "imports here name the whole path"
        module = node.module or ""
        inside = {f"{module}.{alias.name}" for alias in node.names}
        self.found |= inside if module == "rightreasons" else {module}


def rooms_used(source: str) -> set[str]:
    """List the rooms that a file uses; a public name counts as the room that it lives in."""
    imports = Imports()
    imports.visit(ast.parse(source))
    names = {name.split(".")[1] for name in imports.found if name.startswith("rightreasons.")}
    return {rightreasons._HOMES.get(name, name) for name in names - {"__version__"}}


def too_high(room: str, used: set[str]) -> list[str]:
    return sorted(name for name in used - {room} if ROOMS.index(name) <= ROOMS.index(room))


def test_every_room_has_its_place() -> None:
    assert sorted({room_of(path) for path in FILES} - {"__init__"}) == sorted(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_imports_point_down(room: str) -> None:
    for path in FILES:
        if room_of(path) == room:
            assert too_high(room, rooms_used(path.read_text(encoding="utf-8"))) == [], path.name


def test_the_package_itself_loads_no_room() -> None:
    assert rooms_used((PACKAGE / "__init__.py").read_text(encoding="utf-8")) == set()


def test_an_import_that_points_up_is_found() -> None:
    source = "if TYPE_CHECKING:\n    from rightreasons.cli import main\ndef f():\n    from rightreasons import score\n"
    assert rooms_used(source) == {"verbs"}
    assert too_high("labels", rooms_used(source)) == ["verbs"]
    assert too_high("runs", rooms_used("import rightreasons.recipes")) == ["recipes"]
    assert too_high("cli", rooms_used(source)) == []


def test_the_documentation_shows_the_same_storeys() -> None:
    rows = [line.strip("| ").split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines()]
    shown = {
        row[0]: row[1].replace("`", "").replace("/", "").replace(",", "") for row in rows if len(row) == 3
    }
    assert {name: rooms for name, rooms in shown.items() if name in STOREYS} == STOREYS
    assert [name for name in shown if name in STOREYS] == list(STOREYS)
