"""Input from a pipe, which can be read but once, and what the commands read and lose."""

from __future__ import annotations

import os
import re
import subprocess
import threading
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import rightreasons
from command_line import COMMAND, inside, refused
from rightreasons.core.errors import InputError
from rightreasons.corpora import read_pairs
from rightreasons.io.inputs import get_spooled_path, is_pipe, spool_pipe
from rightreasons.io.tables import format_row_location, read_table

ENDINGS = ("parquet", "jsonl", "csv", "tsv", "txt")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pipes")
    made = rightreasons.generate("hans", size=2, parses="binary")
    for ending in ENDINGS:
        rightreasons.write_pairs(made, folder / f"set.{ending}")
    rightreasons.predict("rules:subsequence", made).write_csv(folder / "answers.csv")
    return folder


@pytest.fixture(autouse=True)
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


def piped(data: bytes, *words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*COMMAND, *words], input=data, capture_output=True, check=False)


def fed(data: bytes, path: Path) -> threading.Thread:
    """Feed a named pipe from a thread, once."""
    thread = threading.Thread(target=path.write_bytes, args=(data,), daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize("ending", ENDINGS)
def test_any_format_comes_through_a_pipe(folder: Path, tmp_path: Path, ending: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    feeder = fed(Path(f"set.{ending}").read_bytes(), pipe)
    back = read_pairs(pipe)
    feeder.join()
    whole = read_pairs(folder / f"set.{ending}")
    assert_frame_equal(back.pairs, whole.pairs)
    assert back.card.digest == whole.card.digest


def test_a_pipe_is_read_anew_by_the_next_reader_and_kept_for_questions(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for data, rows in ((b"id,label\na,b\n", 1), (b'id,label\n"a\na",b\nc,d\n', 2)):
        feeder = fed(data, pipe)
        assert read_table(pipe).height == rows
        feeder.join()
    assert format_row_location(pipe, 1) == f"{pipe}, line 4"
    assert get_spooled_path(pipe) == get_spooled_path(pipe) != pipe
    assert not is_pipe(tmp_path)
    assert spool_pipe(tmp_path / "none") == get_spooled_path(tmp_path / "none") == tmp_path / "none"


def test_an_empty_pipe_is_empty(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    fed(b"", tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe is empty"):
        read_table(tmp_path / "pipe")


def test_no_copy_stays_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    for name in ("set.parquet", "set.txt"):
        assert piped(Path(name).read_bytes(), "score", "/dev/stdin", "answers.csv").returncode == 0
    assert piped(b"", "score", "set.parquet", "/dev/stdin").returncode == 2
    assert list(tmp_path.iterdir()) == []


def test_score_takes_the_set_or_the_answers_from_stdin(folder: Path) -> None:
    code, plain, _ = inside("score", "set.parquet", "answers.csv", "--by", "heuristic", "--csv")
    assert code == 0
    options = ("--by", "heuristic", "--csv")
    answers = piped(Path("answers.csv").read_bytes(), "score", "set.parquet", "/dev/stdin", *options)
    pairs = piped(Path("set.parquet").read_bytes(), "score", "/dev/stdin", "answers.csv", *options)
    assert (answers.stdout.decode(), pairs.stdout.decode()) == (plain, plain)
    assert sorted(path.name for path in folder.glob("*.csv")) == ["answers.csv", "set.csv"]


def test_what_is_wrong_in_a_pipe_has_its_line() -> None:
    bad = Path("answers.csv").read_bytes().replace(b"entailment", b"perhaps", 1)
    done = piped(bad, "score", "set.parquet", "/dev/stdin")
    assert done.returncode == 2
    assert b"/dev/stdin, line 2: The word" in done.stderr


def test_predict_and_convert_take_the_set_from_stdin(tmp_path: Path) -> None:
    data = Path("set.txt").read_bytes()
    done = piped(data, "predict", "rules:constituent", "/dev/stdin", "--out", str(tmp_path / "a.csv"))
    assert done.returncode == 0, done.stderr
    assert pl.read_csv(tmp_path / "a.csv").height == 60
    done = piped(data, "convert", "/dev/stdin", str(tmp_path / "back.txt"))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "back.txt").read_bytes() == data


def test_convert_says_what_it_leaves_out(tmp_path: Path) -> None:
    code, _, said = inside("convert", "set.parquet", tmp_path / "t.txt")
    assert code == 0
    assert "set, subvariant, trigger" in said
    assert "Note" not in inside("convert", "set.txt", tmp_path / "t.parquet")[2]


def test_score_and_predict_read_no_more_of_parquet_than_they_need(tmp_path: Path) -> None:
    pairs = pl.read_parquet("set.parquet").with_columns(premise_parse=pl.lit("(ROOT (S"))
    pairs.write_parquet(tmp_path / "bad.parquet")
    bad, out = tmp_path / "bad.parquet", tmp_path / "a.csv"
    assert inside("score", bad, "answers.csv", "--by", "heuristic,trigger")[0] == 0
    assert inside("score", bad, "answers.csv", "--layout", "hans")[0] == 0
    assert inside("predict", "rules:subsequence", bad, "--out", out)[0] == 0
    for words in (
        ("predict", "rules:constituent", bad, "--out", tmp_path / "b.csv"),
        ("convert", bad, tmp_path / "b.txt"),
    ):
        assert re.search("row 1: .*premise_parse", refused(inside, *words))


def test_missing_tags_and_parses_are_refused(tmp_path: Path) -> None:
    bare, out = tmp_path / "bare.parquet", tmp_path / "a.csv"
    pl.read_parquet("set.parquet").drop("premise_parse", "subcase").write_parquet(bare)
    said = refused(inside, "score", bare, "answers.csv", "--by", "hueristic")
    assert re.search("'hueristic'.*Did you mean heuristic", said)
    assert "tag 'subcase'" in refused(inside, "score", bare, "answers.csv", "--layout", "hans")
    said = refused(inside, "predict", "rules:constituent", bare, "--out", out)
    assert "column 'premise_parse'" in said
