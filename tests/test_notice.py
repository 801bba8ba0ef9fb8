"""What others made is named with its licence, and the texts of licences travel with the wheel."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from packaging.requirements import Requirement

if TYPE_CHECKING:
    from email.message import Message

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "src" / "rightreasons" / "data"
NOTICE = (ROOT / "NOTICE").read_text(encoding="utf-8")


class Wheel:
    """The names of a built wheel's files, and its metadata."""

    def __init__(self, path: Path) -> None:
        with zipfile.ZipFile(path) as wheel:
            self.names = set(wheel.namelist())
            (info,) = (name for name in self.names if name.endswith(".dist-info/METADATA"))
            self.metadata: Message = Parser().parsestr(wheel.read(info).decode())
        self.licences = info.replace("METADATA", "licenses/")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Wheel:
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    subprocess.run(command, capture_output=True, check=True)
    (path,) = out.glob("*.whl")
    return Wheel(path)


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)["project"]


def rows() -> list[list[str]]:
    """Read the table of files: patterns, what they are, where they come from, licence."""
    lines = [line for line in NOTICE.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def data_files() -> set[Path]:
    return {path for path in DATA.rglob("*") if path.is_file() and "__pycache__" not in path.parts}


def test_every_data_file_is_named() -> None:
    named = {path for row in rows() for path in DATA.glob(row[0])}
    assert sorted(path.relative_to(DATA).as_posix() for path in data_files() - named) == []


def test_every_row_names_a_file_and_a_licence() -> None:
    assert [row for row in rows() if len(row) != 4 or not all(row) or not list(DATA.glob(row[0]))] == []


@pytest.mark.parametrize(
    "source", ["HANS", "MultiNLI", "SNLI", "LingNLI", "MiniLM", "BERT", "WordNet", "Vega"]
)
def test_every_source_is_named_with_an_address_or_a_text(source: str) -> None:
    passages = [passage for passage in re.split(r"\n(?=- )|\n\n", NOTICE) if source in passage]
    assert any("https://" in passage or "LICENSES/" in passage for passage in passages)


def test_licence_texts_are_those_that_are_named() -> None:
    named = set(re.findall(r"LICENSES/([\w.-]+\.txt)", NOTICE))
    assert named == {path.name for path in (ROOT / "LICENSES").iterdir()}


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("Apache-2.0.txt", ["Version 2.0, January 2004", "4. Redistribution", "END OF TERMS AND CONDITIONS"]),
        ("MIT-HANS.txt", ["Copyright (c) 2019 R. Thomas McCoy", "WITHOUT WARRANTY OF ANY KIND"]),
        ("MIT-MiniLM.txt", ["Copyright (c) Microsoft Corporation", "WITHOUT WARRANTY OF ANY KIND"]),
        ("WordNet-3.0.txt", ["Copyright 2006 by Princeton University", "LICENSEE agrees to preserve same"]),
        ("Vega-modules.txt", ["Mike Bostock", "Charles Karney", "Simon Lydell"]),
    ],
)
def test_licence_texts_are_whole(text: str, marks: list[str]) -> None:
    content = (ROOT / "LICENSES" / text).read_text(encoding="utf-8")
    assert [mark for mark in marks if mark not in content] == []


def test_wheel_carries_notice_and_licences(wheel: Wheel) -> None:
    texts = {path.relative_to(ROOT).as_posix() for path in (ROOT / "LICENSES").iterdir()}
    wanted = {wheel.licences + name for name in texts | {"LICENSE", "NOTICE"}}
    assert wanted <= wheel.names
    vendored = {name for name in wheel.names if "/report/vendor/LICENSE-" in name}
    assert len(vendored) == 3


def test_wheel_states_the_licences_of_what_it_carries(wheel: Wheel) -> None:
    stated = set(wheel.metadata["License-Expression"].split(" AND "))
    shipped = {
        licence for row in rows() for licence in re.findall(r"MIT|Apache-2\.0|BSD-3-Clause|ISC", row[3])
    }
    assert stated == shipped


def test_wheel_declares_what_the_project_declares(wheel: Wheel, project: dict[str, Any]) -> None:
    declared = {str(Requirement(text)) for text in project["dependencies"]}
    needs = [Requirement(text) for text in wheel.metadata.get_all("Requires-Dist")]
    assert {str(need) for need in needs if "extra" not in str(need.marker or "")} == declared
