"""`rightreasons experiment`: what it prints, and what it refuses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from rightreasons.commands.experiment import experiment
from rightreasons.core.errors import InputError, OutputError

if TYPE_CHECKING:
    from pathlib import Path

CORPORA = ["--corpus", "mnli-train=pocket", "--corpus", "mnli-dev-matched=pocket"]


def test_tables_and_their_file_are_printed(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    words = [
        "hans-main",
        "--out",
        str(tmp_path / "out"),
        "--scale",
        "tiny",
        "--models",
        "cbow",
        "--workers",
        "0",
    ]
    done = CliRunner().invoke(experiment, [*words, *CORPORA, "--allow-overlap"], catch_exceptions=False)
    assert done.exit_code == 0
    assert "Table 3 " in done.output
    assert f"{tmp_path / 'out' / 'table.md'}." in done.output
    again = CliRunner().invoke(experiment, [*words, *CORPORA])
    assert isinstance(again.exception, OutputError)
    assert str(tmp_path / "out") in str(again.exception)


def test_a_missing_corpus_leaves_no_output(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    words = ["hans-dose", "--scale", "tiny", "--models", "cbow", "--out", str(tmp_path / "out")]
    given = ["--corpus", "mnli-train=nowhere.csv", "--corpus", "mnli-dev-matched=pocket"]
    failed = CliRunner().invoke(experiment, [*words, *given])
    assert "nowhere.csv" in str(failed.exception)
    assert not [path.name for path in tmp_path.iterdir() if "out" in path.name]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["hans-mian"], r"'hans-mian'.* hans-main\b"),
        (["hans-main", "--models", "da,esmi"], r"'esmi'.* esim\b"),
        (["hans-main", "--corpus", "mnli-trian=pocket"], r"'mnli-trian'.* mnli-train\b"),
    ],
)
def test_unknown_names_are_refused(words: list[str], expected: str, tmp_path: Path) -> None:
    failed = CliRunner().invoke(experiment, [*words, "--out", str(tmp_path / "out")])
    assert isinstance(failed.exception, InputError)
    assert re.search(expected, str(failed.exception))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["hans-main", "--corpus", "pocket"], r"'pocket'.* ROLE=FILE"),
        (["hans-main", "--seeds", "0"], "--seeds"),
    ],
)
def test_invalid_options_are_refused(words: list[str], expected: str, tmp_path: Path) -> None:
    failed = CliRunner().invoke(experiment, [*words, "--out", str(tmp_path / "out")])
    assert failed.exit_code == 2
    assert re.search(expected, failed.output)
