"""Measure how a Python package is divided into files and names, and print a markdown table.

Run `python scripts/code_measures.py src/rightreasons OTHER/PACKAGE ...` with the folders of packages to compare.
Folders of tests are left out; so is whatever `--without` names, such as a folder of generated tasks.
"""

from __future__ import annotations

import argparse
import ast
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Function = ast.FunctionDef | ast.AsyncFunctionDef
MANY_FILES = 3  # a name that so many files use for different functions is hard to search for


@dataclass
class Measures:
    """What is counted in one package."""

    name: str
    file_lengths: list[int] = field(default_factory=list)
    function_lengths: list[int] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)  # methods too, special methods aside
    class_files: dict[str, set[Path]] = field(default_factory=lambda: defaultdict(set))
    function_files: dict[str, set[Path]] = field(default_factory=lambda: defaultdict(set))
    root_modules: int = 0
    edges: set[tuple[str, str]] = field(default_factory=set)  # modules that import each other

    def read(self, path: Path, module: str, known: set[str]) -> None:
        """Add one file."""
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        self.file_lengths.append(len(text.splitlines()))
        self.root_modules += module.count(".") == 1 and path.name != "__init__.py"
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                self.class_files[node.name].add(path)
            elif isinstance(node, Function):
                self.function_lengths.append((node.end_lineno or node.lineno) - node.lineno + 1)
                self.functions += [node.name] if not node.name.startswith("__") else []
        for node in tree.body:
            if isinstance(node, Function):
                self.function_files[node.name].add(path)
        self.edges |= {(module, target) for target in find_imports(tree, module, path, known) - {module}}

    def rows(self) -> dict[str, str]:
        """Format the figures, by the name of the measure."""
        repeated = sum(len(files) > 1 for files in self.class_files.values())
        one_word = sum("_" not in name.strip("_") for name in self.functions)
        return {
            "files / lines": f"{len(self.file_lengths)} / {sum(self.file_lengths) / 1000:.1f}k",
            "lines per file: median / p95 / max": summarize(self.file_lengths),
            "lines per function: median / p95 / max": summarize(self.function_lengths),
            "one-word function names": f"{one_word / len(self.functions):.0%}",
            "class names in 2 or more files": f"{repeated} ({repeated / len(self.class_files):.0%})",
            "module functions whose name is in 3 or more files": str(
                sum(len(files) >= MANY_FILES for files in self.function_files.values())
            ),
            "modules in the root": str(self.root_modules),
            "imports of own modules per module": f"{len(self.edges) / len(self.file_lengths):.1f}",
            "pairs of packages that import each other": str(len(self.find_cycles())),
        }

    def find_cycles(self) -> set[frozenset[str]]:
        """Find the pairs of packages below the root that import each other; imports for types count."""
        packages = {
            (source.split(".")[1], target.split(".")[1])
            for source, target in self.edges
            if "." in source and "." in target
        }
        return {frozenset(pair) for pair in packages if pair[0] != pair[1] and (pair[1], pair[0]) in packages}


def find_imports(tree: ast.AST, module: str, path: Path, known: set[str]) -> set[str]:
    """Find the modules of the same package that a file imports."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            target = ".".join([*above, *([node.module] if node.module else [])])
            inside = {f"{target}.{alias.name}" for alias in node.names} & known
            found |= inside or {target}
    return found & known


def summarize(values: Sequence[int]) -> str:
    """Format median, 95th percentile and maximum."""
    return f"{median(values):.0f} / {sorted(values)[int(0.95 * len(values))]} / {max(values)}"


def list_files(root: Path, without: Iterable[str]) -> Iterator[Path]:
    """List the source files of a package, without its tests and some folders."""
    left_out = {"tests", *without}
    return (
        path for path in sorted(root.rglob("*.py")) if not left_out & set(path.relative_to(root).parts[:-1])
    )


def measure_package(root: Path, without: Iterable[str] = (), title: str | None = None) -> Measures:
    """Measure the package in a folder."""
    modules = {}
    for path in list_files(root, without):
        parts = path.relative_to(root.parent).with_suffix("").parts
        modules[path] = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    measures = Measures(title or root.name)
    for path, module in modules.items():
        measures.read(path, module, set(modules.values()))
    return measures


def main() -> None:
    """Print a table of the packages, a column each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("package", nargs="+", help="folder of a package, or TITLE=FOLDER")
    parser.add_argument("--without", action="append", default=[], help="name of a folder to leave out")
    given = parser.parse_args()
    columns = []
    for each in given.package:
        title, equals, folder = each.rpartition("=")
        columns.append(measure_package(Path(folder).resolve(), given.without, title if equals else None))
    print("| |", " | ".join(column.name for column in columns), "|")
    print("|---|" + "--:|" * len(columns))
    tables = [column.rows() for column in columns]
    for measure in tables[0]:
        print(f"| {measure} |", " | ".join(table[measure] for table in tables), "|")


if __name__ == "__main__":
    main()
