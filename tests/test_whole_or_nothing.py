"""Outputs appear whole or not at all: where something is in the way, on a full disk, and after a kill."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import rightreasons
from command_line import COMMAND, child, everything_in, inside, refused
from slow_cases import slow_after

MANY = ("--size", "100_000", "-o", "short=allow")
SMALL_DISK = 40_000
PATIENCE = 60


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def files() -> None:
    made = rightreasons.generate("hans", size=30)
    rightreasons.write_pairs(made, "set.parquet")
    rightreasons.predict("random", made).write_csv("answers.csv")


OUTPUTS = [
    ("generate", "hans", "--limit", 30, "--out", "out.csv"),
    ("convert", "set.parquet", "out.csv"),
    ("predict", "constant", "set.parquet", "--out", "out.csv"),
    ("score", "set.parquet", "answers.csv", "--csv", "--out", "out.csv"),
    ("recognise", "set.parquet", "--out", "out.csv"),
    ("evaluate", "constant", "--sets", "set.parquet", "--out", "out.csv"),
]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("words", OUTPUTS, ids=lambda words: words[0])
def test_existing_output_is_kept_without_force(words: tuple[Any, ...]) -> None:
    assert inside(*words)[0] == 0
    old = everything_in(Path.cwd())
    assert re.search(r"\bout\.csv .*--force", refused(inside, *words))
    assert inside(*words, "--force")[0] == 0
    assert set(everything_in(Path.cwd())) == set(old)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("words", OUTPUTS, ids=lambda words: words[0])
def test_force_does_not_overwrite_another_type_of_output(words: tuple[Any, ...]) -> None:
    if words[0] == "evaluate":
        Path("out.csv").write_text("mine")
    else:
        Path("out.csv").mkdir()
    assert "out.csv" in refused(inside, *words, "--force")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("words", OUTPUTS, ids=lambda words: words[0])
def test_a_missing_folder_is_named(words: tuple[Any, ...]) -> None:
    assert re.search(r"folder .*\bnowhere\b", refused(inside, *words[:-1], "nowhere/out.csv"))


def test_a_folder_that_is_not_a_run_is_never_replaced() -> None:
    Path("mine").mkdir()
    Path("mine/thesis.tex").write_text("years of work")
    words = ("evaluate", "constant", "--limit", 30, "--out", "mine", "--force")
    assert re.search(r"\bmine .*card\.json", refused(child, *words))


def on_a_small_disk(*words: object) -> tuple[int, str, str]:
    """Run a command that may write no file of more than so many bytes."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL_DISK, SMALL_DISK))

    done = subprocess.run(
        [*COMMAND, *map(str, words)],
        preexec_fn=limit,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("ending", slow_after(2, ["parquet", "jsonl", "csv", "tsv", "txt"]))
def test_a_full_disk_leaves_no_set(ending: str) -> None:
    message = refused(on_a_small_disk, "generate", "hans", "--out", f"out.{ending}")
    assert re.search(rf"\bout\.{ending} .*file grew larger", message)


@pytest.mark.slow
@pytest.mark.usefixtures("files")
def test_a_full_disk_leaves_none_of_the_other_outputs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "SMALL_DISK", 4096)
    for words in OUTPUTS[1:]:
        shown = words if words[0] != "score" else (*words, "--by", "subcase,template,trigger")
        assert "out.csv" in refused(on_a_small_disk, *shown), words
    assert ".part" not in refused(on_a_small_disk, *OUTPUTS[-1])


def test_a_full_disk_leaves_the_old_file_as_it_was() -> None:
    rightreasons.write_pairs(rightreasons.generate("hans", size=1), "out.jsonl")
    assert "can't be written" in refused(on_a_small_disk, "generate", "hans", "--out", "out.jsonl", "--force")


def killed_while_writing(pattern: str, *words: object) -> None:
    """Start a command, and kill it once something that fits the pattern is half written."""
    command = [*COMMAND, *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        end = time.monotonic() + PATIENCE
        while not any(part.stat().st_size for part in Path().glob(pattern)):
            assert process.poll() is None, "it ended before it could be killed"
            assert time.monotonic() < end, "it never began to write"
            time.sleep(0.001)
        os.kill(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert list(Path().glob(pattern)), "the kill came too late to fall inside"


def visible() -> set[str]:
    return {path.name for path in Path().iterdir() if not path.name.startswith(".")}


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_kill_in_the_middle_of_generate_leaves_no_set(ending: str) -> None:
    words = ("generate", "hans", *MANY, "--out", f"x.{ending}")
    killed_while_writing(f".x.{ending}.*.part", *words)
    assert visible() == set()
    assert inside("generate", "hans", "--limit", 30, "--out", f"x.{ending}")[0] == 0
    assert visible() == {f"x.{ending}", f"x.{ending}.card.json"}
    assert len(rightreasons.read_pairs(f"x.{ending}")) == 30


def test_a_kill_in_the_middle_of_generate_leaves_the_old_set_whole() -> None:
    made = rightreasons.generate("hans", size=1)
    rightreasons.write_pairs(made, "x.parquet")
    killed_while_writing(".x.parquet.*.part", "generate", "hans", *MANY, "--out", "x.parquet", "--force")
    assert visible() == {"x.parquet", "x.parquet.card.json"}
    assert rightreasons.read_pairs("x.parquet").pairs.equals(made.pairs)


# The command line with a model that says when it is asked, and then never answers.
WITH_AN_ENDLESS_MODEL = f"""
import time
from pathlib import Path
from rightreasons import cli
from rightreasons.core import registry

class Endless:
    name = "endless"

    def predict(self, pairs):
        Path(".asked").touch()
        time.sleep({10 * PATIENCE})

registry.MODELS["endless"] = "__main__:Endless"
cli.main()
"""


def kill_while_predicting(*words: object) -> None:
    """Start a command, and kill it while the endless model runs."""
    command = [sys.executable, "-c", WITH_AN_ENDLESS_MODEL, *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        end = time.monotonic() + PATIENCE
        while not Path(".asked").exists() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        process.kill()
    assert Path(".asked").exists(), "the model was never run"
    assert process.returncode == -signal.SIGKILL


@pytest.mark.parametrize(
    ("models", "written"),
    [
        (["endless"], ["sets/hans.parquet"]),
        (["random", "endless"], ["predictions/hans/random.parquet", "sets/hans.parquet"]),
    ],
    ids=["before the first answers", "between answers"],
)
def test_a_kill_in_the_middle_of_evaluate_leaves_no_run(models: list[str], written: list[str]) -> None:
    kill_while_predicting("evaluate", *models, "--limit", 30, "--out", "run")
    (half,) = Path().glob(".run.*.part")
    assert sorted(str(path.relative_to(half)) for path in half.rglob("*.parquet")) == written
    assert visible() == {"run.unfinished"}  # which says what was planned
    for words in (("report", "run"), ("compare", "run"), ("export", "run", "--to", "hf", "--out", "x")):
        assert re.search(rf" {', '.join(models)} on hans\b", refused(inside, *words))
    assert inside("evaluate", "random", "--limit", 30, "--out", "run")[0] == 0
    assert visible() == {"run"}
    assert inside("report", "run")[0] == 0
