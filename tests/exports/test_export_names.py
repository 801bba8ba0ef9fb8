"""What a name stands for in an export: a registered set, or a run of that name."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from command_line import inside
from rightreasons.core.errors import InputError
from rightreasons.exports import export
from rightreasons.exports.targets import MARKER

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def named_like_a_set(run_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a run into a folder that has the name of a set."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(run_folder, tmp_path / "nps")
    return tmp_path / "nps"


def exported(folder: Path) -> list[str]:
    return [one["name"] for one in json.loads((folder / MARKER).read_text())["sets"]]


def test_the_set_is_meant_unless_the_name_is_clearly_a_path(named_like_a_set: Path, tmp_path: Path) -> None:
    code, _, said = inside("export", "nps", "--to", "lm-eval", "--limit", 30, "--out", "one")
    assert code == 0
    assert (
        "Note: The set nps was exported. There is a folder of that name, too: write ./nps to export that."
        in said
    )
    assert exported(tmp_path / "one") == ["nps"]
    assert inside("export", "./nps", "--to", "lm-eval", "--out", "two")[0] == 0
    assert len(exported(tmp_path / "two")) == 3
    assert export(named_like_a_set, to="lm-eval", out="three") == []
    assert len(exported(tmp_path / "three")) == 3


@pytest.mark.usefixtures("named_like_a_set")
def test_a_target_that_needs_a_run_takes_the_run(tmp_path: Path) -> None:
    assert inside("export", "nps", "--to", "model-card", "--out", "card")[0] == 0
    assert len(exported(tmp_path / "card")) == 3


def test_without_such_a_folder_nothing_is_said(tmp_path: Path) -> None:
    assert export("nps", to="lm-eval", limit=30, out=tmp_path / "one") == []


def test_what_is_neither_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Did you mean nps"):
        export("npss", to="lm-eval", out=tmp_path / "one")
