"""Every benchmark runs, and prints a ratio against the baseline that it names."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parents[2] / "benchmarks"
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "measuring")
# The smallest run of each; predict needs a model of its own, below.
TINY = {
    "audit": ["--sizes", "500", "--baseline-sizes", "500", "500"],
    "evaluate": ["--repeats", "1", "--baseline", sys.executable],
    "generate": ["--repeats", "1"],
    "interval_coverage": ["--times", "2"],
    "report": ["--pairs", "500"],
    "score": ["--sizes", "500"],
    "sets": ["--repeats", "1"],
    "study": ["--participants", "10", "--sqlite-only"],
    "tagging": ["texts.txt"],
    "train": ["bilstm", "--pairs", "64", "--corpus", "pocket", "--repeats", "1", "--threads", "1"],
}


def run_script(name: str, *words: str, folder: Path) -> str:
    command = [sys.executable, str(FOLDER / f"{name}.py"), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_benchmark_is_run() -> None:
    assert set(SCRIPTS) == {*TINY, "predict"}


@pytest.mark.parametrize("name", SCRIPTS)
def test_help_is_printed(name: str, tmp_path: Path) -> None:
    assert "--json" in run_script(name, "--help", folder=tmp_path)


@pytest.mark.parametrize("name", TINY)
def test_a_tiny_run_prints_figures(name: str, tmp_path: Path) -> None:
    if name == "train":
        pytest.importorskip("torch")
    (tmp_path / "texts.txt").write_text("The dog ran.\nA cat slept on the mat.\n", encoding="utf-8")
    *lines, last = run_script(name, *TINY[name], "--json", folder=tmp_path).splitlines()
    assert lines
    figures = json.loads(last)
    assert figures
    assert "ratio" in last


def test_a_tiny_run_of_predict(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("onnxruntime")
    import tiny_networks

    model = tiny_networks.save("bert", tmp_path / "bert", positions=300)
    words = ("--model", str(model), "--mnli", "nowhere.csv", "--pairs", "24", "--repeats", "1", "--json")
    figures = json.loads(run_script("predict", *words, folder=tmp_path).splitlines()[-1])
    assert {f"hans_{way}_per_s" for way in "abcde"} <= set(figures)
