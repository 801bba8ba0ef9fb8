"""`rightreasons report`: several runs are one result, and folders of tables are replaced when that is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

import rightreasons as rr
from rightreasons.commands.report import report
from rightreasons.core import registry

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setitem(registry.SETS, "tiny", "tiny_set:Tiny")
    monkeypatch.chdir(tmp_path)
    rr.generate("tiny", size=20).pairs.select("id", "label").write_csv("oracle.csv")
    for name, model in (("a", "file:oracle.csv"), ("b", "constant")):
        rr.evaluate(model, out=tmp_path / name, sets="tiny", size=20, html=False)
    return ["a", "b"]


def told(*words: str) -> str:
    done = CliRunner().invoke(report, list(words), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_several_runs_are_one_result(runs: list[str]) -> None:
    text = told(*runs)
    assert text.startswith(
        "Which model to choose\n- file:oracle.csv is significantly better than constant on tiny (by "
    )
    assert text.count("tiny: accuracy\n") == 1
    heading = next(line for line in text.splitlines() if line.startswith("heuristic"))
    assert heading.index("file:oracle.csv") < heading.index("constant")
    short = text[text.index("\nIn short\n") :]
    assert short.count("\nfile:oracle.csv: ") == short.count("\nconstant: ") == 1


def test_the_choice_is_in_every_form(runs: list[str], tmp_path: Path) -> None:
    told(*runs, "--out", "all.html", "--markdown", "all.md")
    for name in ("all.html", "all.md"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert text.index("Which model to choose") < text.index(
            "file:oracle.csv is significantly better than constant on tiny"
        )


@pytest.mark.parametrize("form", ["csv", "latex"])
def test_a_folder_of_tables_is_replaced_if_it_was_made_here(
    runs: list[str], tmp_path: Path, form: str
) -> None:
    words = (*runs, f"--{form}", "tables", "--force")
    told(*words)
    first = sorted(path.name for path in (tmp_path / "tables").iterdir())
    assert "tables.csv" in first
    told(*words)
    assert sorted(path.name for path in (tmp_path / "tables").iterdir()) == first
