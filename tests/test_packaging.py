"""The metadata of the package are consistent, and nothing in it refers to one machine."""

from __future__ import annotations

import importlib
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

import rightreasons

ROOT = Path(__file__).resolve().parents[1]

# Written with [.] and groups so that this file does not find itself.
FOREIGN = {
    "a path of one machine": re.compile(r"(?<![\w./~>)}-])/(?:home|root|work|opt|mnt|srv|Users)/\w"),
    "a drive letter": re.compile(r"\b[C-Z]:\\(?:Users|home)"),
    "the host of a package registry": re.compile(r"\b(?:pypi|pythonhosted|anaconda|npmjs)[.](?:org|com)\b"),
    "an address to install from": re.compile(
        r"(?<!no-emit-)(?:index-url|find-links|trusted-host)[ =](?!\"\$)\S*/"
    ),
}


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def nav() -> list[str]:
    """List the pages that mkdocs.yml shows in its navigation."""
    return re.findall(r"[\w/.-]+\.md", read("mkdocs.yml").partition("\nnav:")[2])


def kept_files() -> list[Path]:
    """List the files that git keeps or would keep."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode()
    except (FileNotFoundError, subprocess.CalledProcessError):
        pytest.skip("this is not a git repository")
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def foreign(text: str) -> list[str]:
    return [what for what, pattern in FOREIGN.items() if pattern.search(text)]


def test_one_version_everywhere(project: dict[str, Any]) -> None:
    version = project["project"]["version"]
    assert rightreasons.__version__ == version
    assert re.search(rf"^version: {re.escape(version)}$", read("CITATION.cff"), re.MULTILINE)
    assert re.search(rf"^## {re.escape(version)}\b", read("CHANGELOG.md"), re.MULTILINE)


def test_console_scripts_lead_to_the_command_line(project: dict[str, Any]) -> None:
    scripts = project["project"]["scripts"]
    assert set(scripts) == {"rightreasons", "rr"}
    for target in scripts.values():
        module, _, attribute = target.partition(":")
        assert callable(getattr(importlib.import_module(module), attribute))


def test_navigation_shows_every_page_once() -> None:
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert sorted(nav()) == sorted(pages)


@pytest.mark.parametrize("command", ["make demo", "make test"])
def test_readme_has_the_two_commands(command: str) -> None:
    assert re.search(rf"^{command}\b", read("README.md"), re.MULTILINE)
    assert re.search(rf"^{command.split()[1]}:", read("Makefile"), re.MULTILINE)


def test_readme_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", read("README.md"))
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_no_trace_of_one_machine() -> None:
    found = {}
    for path in kept_files():
        content = path.read_bytes()
        if b"\0" not in content and (what := foreign(content.decode("utf-8", errors="replace"))):
            found[path.relative_to(ROOT).as_posix()] = what
    assert found == {}


@pytest.mark.parametrize(
    "text",
    [
        "open('/" + "home/ada/x')",
        "see /" + "work/main/x",
        "C:\\" + "Users\\ada",
        "https://pypi." + "org/simple",
        "--index-" + "url https://example.org/",
    ],
)
def test_traces_would_be_found(text: str) -> None:
    assert foreign(text)


@pytest.mark.parametrize(
    "text",
    [
        "docs/work/x",
        "../shared/data",
        "#!/usr/bin/env bash",
        "--no-emit-index-url \\",
        '--find-links "$work/wheels"',
    ],
)
def test_plain_text_is_no_trace(text: str) -> None:
    assert not foreign(text)
