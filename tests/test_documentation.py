"""What the documentation names exists: modules, functions, files, and commands with their options."""

from __future__ import annotations

import ast
import importlib
import re
import shlex
from pathlib import Path

import pytest
from click import Command, Context, Group

from rightreasons.cli import main

ROOT = Path(__file__).parents[1]
GENERATED = {"cli.md", "parts.md"}  # of docs/reference, made from the program itself
WRITTEN = [page for page in sorted((ROOT / "docs").rglob("*.md")) if page.name not in GENERATED]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *WRITTEN]
# Groups of entry points are written like modules.
ENTRY_POINTS = {
    f"rightreasons.{kind}" for kind in ("sets", "models", "networks", "trainers", "audits", "exports")
}


def name_page(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def find_blocks(page: Path, language: str) -> list[str]:
    """Return the code blocks of a page in one language, without their indentation."""
    return re.findall(
        rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )


def resolves(name: str) -> bool:
    """Return whether a dotted name is a module, or an attribute of one."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:length]))
        except ImportError:
            continue
        for attribute in parts[length:]:
            if not hasattr(value, attribute):
                return False
            value = getattr(value, attribute)
        return True
    return False


def find_names(page: Path) -> set[str]:
    """List the dotted names of the package that a page has in backquotes, and those that its examples import."""
    text = page.read_text(encoding="utf-8")
    names = {name.rstrip(".") for name in re.findall(r"`(rightreasons\.[\w.]+)", text)} - ENTRY_POINTS
    for block in find_blocks(page, "python"):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("rightreasons"):
                names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def find_commands(page: Path) -> list[list[str]]:
    """List the commands of the program in the shell blocks of a page, as words."""
    blocks = [block for language in ("sh", "bash", "console") for block in find_blocks(page, language)]
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    calls = [line.removeprefix("$ ").strip() for line in lines]
    split = [shlex.split(call, comments=True) for call in calls if call.startswith("rightreasons ")]
    return [words for words in split if words[1:]]


def find_command(name: str) -> Command | None:
    assert isinstance(main, Group)
    return main.get_command(Context(main), name)


@pytest.mark.parametrize("page", PAGES, ids=name_page)
def test_names_in_a_page_exist(page: Path) -> None:
    assert [name for name in sorted(find_names(page)) if not resolves(name)] == []


@pytest.mark.parametrize("page", PAGES, ids=name_page)
def test_files_that_a_page_names_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    files = set(re.findall(r"(?<![\w/])((?:tests|scripts|benchmarks|fuzz)/[\w/]+\.(?:py|jsonl))", text))
    assert [file for file in sorted(files - {"tests/a/test_b.py"}) if not (ROOT / file).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=name_page)
def test_commands_in_a_page_exist_with_their_options(page: Path) -> None:
    for _, name, *words in find_commands(page):
        command = find_command(name)
        if isinstance(command, Group) and words and not words[0].startswith("-"):
            command = command.get_command(Context(command), words[0])
        assert command is not None, (name, words)
        known = {flag for option in command.params for flag in (*option.opts, *option.secondary_opts)}
        given = {word.partition("=")[0] for word in words if re.fullmatch(r"--[a-z-]+(=.*)?", word)}
        assert given - known - {"--help"} == set(), name


def test_a_missing_name_is_found() -> None:
    assert resolves("rightreasons.core.errors.InputError")
    assert not resolves("rightreasons.core.errors.NoSuchError")
    assert not resolves("rightreasons.core.no_such_module")
