"""Plugins as they are installed, with a dist-info folder: a broken one harms itself alone."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

# Modules of an installed package, and what is wrong with each of them.
MODULES = {
    "acme_good": """
import polars as pl
class Yes:
    '''Says yes.'''
    name = "yes"
    def predict(self, pairs):
        return pairs.select("id", label=pl.lit("entailment"))
""",
    "acme_raises": "raise ValueError('on import')",
    "acme_exits": "import sys\nsys.exit(3)",
    "acme_quits": "raise SystemExit",
    "acme_syntax": "def broken(:",
    "acme_empty": "",
    "acme_needs": "import no_such_package",
    "acme_number": "Part = 3",
    "acme_hints": "class Part:\n    def __init__(self, word: 'Nothing' = None): pass",
    "acme_fails": "class Part:\n    name = 'fails'\n    def __init__(self): raise KeyError('made')",
    "acme_deep": "def f(): f()\nf()",
}
BROKEN = [name.removeprefix("acme_") for name in MODULES if name != "acme_good"]
ENTRY_POINTS = "".join(
    f"[rightreasons.{group}]\n"
    + "".join(
        f"{name.removeprefix('acme_')} = {name}:{'Yes' if 'good' in name else 'Part'}\n" for name in MODULES
    )
    + "missing = no_such_module:Part\nodd = \n"
    for group in ("models", "sets", "trainers")
)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Make a folder of installed packages."""
    folder = tmp_path / "site"
    info = folder / "acme-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    for name, text in MODULES.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


def run(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rightreasons", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=site.parent,
        env=os.environ | {"PYTHONPATH": str(site), "COLUMNS": "400"},
    )


def test_models_that_work_are_listed_and_broken_ones_say_why(site: Path) -> None:
    done = run(site, "list", "models")
    assert done.returncode == 0, done.stderr
    lines = {line.split(": ")[0]: line for line in done.stdout.splitlines() if line[:1].strip()}
    assert "Says yes" in lines["good"]
    assert {"default", "majority", "openai:MODEL"} <= set(lines)
    for name in (*BROKEN, "missing", "odd"):
        if name != "fails":  # that is known once it is made
            assert "Broken: " in lines[name], name
    for name, reason in {"raises": "on import", "exits": "SystemExit: 3", "syntax": "SyntaxError"}.items():
        assert reason in lines[name]


def test_sets_are_listed_too(site: Path) -> None:
    done = run(site, "list", "sets")
    assert done.returncode == 0, done.stderr
    assert "hans-released" in done.stdout
    assert done.stdout.count("Broken: ") == len(MODULES) + 2  # a model is no set, either


def test_the_nearest_name_is_still_suggested(site: Path) -> None:
    for words in (
        ("labels", "defualt"),
        ("generate", "hanz"),
        ("train", "esimm", "--out", "m", "--train", "x"),
    ):
        done = run(site, *words)
        assert done.returncode == 2
        assert "Did you mean " in done.stderr


@pytest.mark.parametrize("name", [*BROKEN, "missing"])
def test_a_broken_plugin_is_bad_input_with_its_name(site: Path, name: str) -> None:
    for words in (("predict", name, "hans", "--limit", "4", "--out", "a.csv"), ("generate", name)):
        done = run(site, *words)
        assert done.returncode == 2, done.stderr
        assert repr(name) in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_other_names_work(site: Path) -> None:
    done = run(site, "evaluate", "good", "majority", "--sets", "simple-*", "--limit", "4", "--out", "run")
    assert done.returncode == 0, done.stderr
    (site.parent / "pairs.csv").write_text("premise,hypothesis\nThe doctor slept.,Someone slept.\n")
    assert run(site, "recognise", "pairs.csv").returncode == 0


@pytest.mark.parametrize(
    "text", ["[rightreasons.models\nx = y:z", "no section at all", "[rightreasons.models]\nx"]
)
def test_metadata_that_can_not_be_read_harms_no_one(site: Path, text: str) -> None:
    info = site / "broken-2.0.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text(text, encoding="utf-8")
    done = run(site, "labels", "defualt")
    assert done.returncode == 2
    assert "Did you mean default?" in done.stderr
    assert run(site, "predict", "good", "hans", "--limit", "4", "--out", "a.csv").returncode == 0
