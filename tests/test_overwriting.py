"""--force overwrites old outputs, and never an input of the same command."""

from __future__ import annotations

from pathlib import Path

import pytest

import rightreasons
from command_line import inside, refused
from rightreasons.cli import COMMANDS, main
from rightreasons.commands import overwriting
from rightreasons.commands.study import STUDY_COMMANDS
from rightreasons.core import registry


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(registry.SETS, "tiny", "tiny_set:Tiny")
    monkeypatch.chdir(tmp_path)
    made = rightreasons.generate("tiny")
    rightreasons.write_pairs(made, "pairs.csv")
    rightreasons.predict("constant", made).write_csv("answers.csv")
    rightreasons.evaluate("rules:subsequence", sets="tiny", out="run", html=False)


@pytest.mark.parametrize(
    "words",
    [
        ("predict", "constant", "pairs.csv", "--out", "pairs.csv"),
        ("predict", "constant", "./pairs.csv", "--out", Path("run") / ".." / "pairs.csv"),
        ("predict", "file:answers.csv", "pairs.csv", "--out", "answers.csv"),
        ("convert", "pairs.csv", "pairs.csv"),
        ("recognise", "pairs.csv", "--out", "pairs.csv"),
        ("score", "pairs.csv", "answers.csv", "--out", "answers.csv"),
        ("score", "pairs.csv", "answers.csv", "--out", "pairs.csv"),
        ("leaks", "pairs.csv", "tiny", "--out", "pairs.csv"),
        ("leaks", "answers.csv", "tiny", "pairs.csv", "--out", "pairs.csv"),
        ("compare", "run", "--against", "majority", "--csv", "--out", "run/scores.csv"),
        ("compare", "run", "--against", "majority", "--pairs", "run/sets/tiny.parquet"),
        ("export", "run", "--to", "hf", "--out", "run"),
        ("leaderboard", "run", "--out", "run"),
        ("errors", "run", "--sample", "3", "--out", "run/card.json"),
        ("evaluate", "file:run/predictions/tiny/majority.parquet", "--sets", "tiny", "--out", "run"),
        ("evaluate", "constant", "--sets", "run/sets/tiny.parquet", "--out", "run"),
        ("evaluate", "constant", "--sets", "tiny", "--trained-on", "run/sets/tiny.parquet", "--out", "run"),
    ],
    ids=lambda words: " ".join(map(str, words)),
)
def test_an_output_that_is_an_input_is_refused(words: tuple[object, ...]) -> None:
    assert "can't be overwritten" in refused(inside, *words, "--force")


@pytest.mark.parametrize(
    "words",
    [
        ("predict", "constant", "pairs.csv", "--out", "answers.csv"),
        ("evaluate", "constant", "--sets", "tiny", "--out", "run", "--no-html"),
        ("report", "run", "--out", "run/report.html", "--markdown", "run/report.md"),
        ("compare", "run", "--against", "majority", "--pairs", "run/pairs.csv"),
    ],
    ids=lambda words: words[0],
)
def test_other_outputs_are_overwritten(words: tuple[object, ...]) -> None:
    for _ in range(2):
        code, _, stderr = inside(*words, "--force")
        assert code == 0, stderr


@pytest.mark.parametrize(
    "words",
    [
        ("report", "run", "--markdown", "same", "--csv", "same"),
        ("report", "run", "--csv", "same", "--latex", "./same"),
        ("report", "run", "--out", "same.html", "--markdown", "run/../same.html"),
        ("compare", "run", "--against", "majority", "--csv", "--out", "same.csv", "--pairs", "same.csv"),
    ],
)
@pytest.mark.parametrize("more", [(), ("--force",)])
def test_two_outputs_of_one_path_are_refused(words: tuple[object, ...], more: tuple[str, ...]) -> None:
    assert "two outputs" in refused(inside, *words, *more)


def test_a_set_may_have_the_name_of_an_old_run() -> None:
    for _ in range(2):
        assert inside("evaluate", "constant", "--sets", "tiny", "--out", "tiny", "--force")[0] == 0


def test_every_parameter_that_names_an_output_is_known() -> None:
    commands = {name: main.get_command(None, name) for name in COMMANDS}  # type: ignore[arg-type]
    study = commands.pop("study")
    commands |= {f"study {name}": study.get_command(None, name) for name in STUDY_COMMANDS}  # type: ignore[union-attr, arg-type]
    del commands["study simulate"]  # whose --force concerns judgements, not a file
    for name, command in commands.items():
        assert command is not None
        params = {str(param.name) for param in command.params}
        assert "force" not in params or params & set(overwriting._OUTPUT_PARAMETERS), name
