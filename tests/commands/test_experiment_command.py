"""`rightreasons experiment`: what it prints, and what it says no to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from rightreasons.commands.experiment import experiment
from rightreasons.core.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

CORPORA = ["--corpus", "mnli-train=pocket", "--corpus", "mnli-dev-matched=pocket"]


def test_it_shows_the_tables_and_where_they_are(tmp_path: Path) -> None:
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
    assert "Table 3 of the paper" in done.output
    assert f"read {tmp_path / 'out' / 'table.md'}." in done.output
    again = CliRunner().invoke(experiment, [*words, *CORPORA])
    assert isinstance(again.exception, Exception)
    assert "exists already" in str(again.exception)


def test_a_corpus_that_is_not_there_leaves_nothing_behind(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    words = ["hans-dose", "--scale", "tiny", "--models", "cbow", "--out", str(tmp_path / "out")]
    given = ["--corpus", "mnli-train=nowhere.csv", "--corpus", "mnli-dev-matched=pocket"]
    failed = CliRunner().invoke(experiment, [*words, *given])
    assert "corpus nowhere.csv" in str(failed.exception)
    assert not [path.name for path in tmp_path.iterdir() if "out" in path.name]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["hans-mian"], "Did you mean hans-main"),
        (["hans-main", "--models", "da,esmi"], "Did you mean esim"),
        (["hans-main", "--corpus", "mnli-trian=pocket"], "Did you mean mnli-train"),
    ],
)
def test_unknown_names_are_told(words: list[str], said: str, tmp_path: Path) -> None:
    failed = CliRunner().invoke(experiment, [*words, "--out", str(tmp_path / "out")])
    assert isinstance(failed.exception, InputError)
    assert said in str(failed.exception)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["hans-main", "--corpus", "pocket"], "'pocket' is not ROLE=FILE"),
        (["hans-main", "--seeds", "0"], "--seeds"),
    ],
)
def test_wrong_words_are_told(words: list[str], said: str, tmp_path: Path) -> None:
    failed = CliRunner().invoke(experiment, [*words, "--out", str(tmp_path / "out")])
    assert failed.exit_code == 2
    assert said in failed.output
