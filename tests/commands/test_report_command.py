"""`rightreasons report`: several runs in one report, and --force overwrites folders of tables."""

from __future__ import annotations

import re
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


def _run_report(*words: str) -> str:
    done = CliRunner().invoke(report, list(words), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_several_runs_are_compared_in_one_report(runs: list[str]) -> None:
    text = _run_report(*runs)
    choice = text.splitlines()[1]
    assert re.match(r"- file:oracle\.csv .* constant .*tiny\b", choice)
    assert text.count("tiny: accuracy\n") == 1
    heading = next(line for line in text.splitlines() if line.startswith("heuristic"))
    assert heading.index("file:oracle.csv") < heading.index("constant")
    short = text[text.index("\nIn short\n") :]
    assert short.count("\nfile:oracle.csv: ") == short.count("\nconstant: ") == 1


def test_the_choice_is_in_every_format(runs: list[str], tmp_path: Path) -> None:
    title = _run_report(*runs, "--out", "all.html", "--markdown", "all.md").splitlines()[0]
    for name in ("all.html", "all.md"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert re.search(
            rf"{title}\W.{{,200}}?\bfile:oracle\.csv .{{,60}} constant .{{,60}} tiny\b", text, re.DOTALL
        )


@pytest.mark.parametrize("form", ["csv", "latex"])
def test_force_overwrites_a_folder_of_tables(runs: list[str], tmp_path: Path, form: str) -> None:
    words = (*runs, f"--{form}", "tables", "--force")
    _run_report(*words)
    first = sorted(path.name for path in (tmp_path / "tables").iterdir())
    assert "tables.csv" in first
    _run_report(*words)
    assert sorted(path.name for path in (tmp_path / "tables").iterdir()) == first
