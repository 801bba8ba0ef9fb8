"""A path names one file: whatever is in its name, it is no pattern, no URL and no home folder."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import rightreasons
from command_line import COMMAND, child, inside
from rightreasons.core.errors import InputError
from rightreasons.corpora import read_corpus, read_pairs
from rightreasons.io import polars_io
from rightreasons.io.predictions import read_predictions
from slow_cases import slow_after

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(rightreasons.__file__).parent
# What polars reads from or writes to a path. Bytes that were read before are no path.
READS = {f"{how}_{kind}" for how in ("read", "scan") for kind in ("csv", "ndjson", "json", "parquet", "ipc")}
READS |= {
    "read_parquet_schema",
    "read_parquet_metadata",
    "read_excel",
    "read_avro",
    "read_database",
    "read_delta",
}
WRITES = {
    f"{how}_{kind}" for how in ("write", "sink") for kind in ("csv", "ndjson", "json", "parquet", "ipc")
}
HOME = "polars_io.py"
OPENED = {"table_writer.py": {"write_csv", "write_ndjson"}}  # to a file that is open already

PAIRS = pl.DataFrame(
    {
        "id": [f"a{number}" for number in range(6)],
        "premise": [f"The cat {number} sat." for number in range(6)],
        "hypothesis": [f"A cat {number} sat." for number in range(6)],
        "label": ["entailment", "neutral"] * 3,
    }
)
# Each of these means another file to polars, to a shell, to a URL or to glob.
NAMES = st.text(st.sampled_from(list("[]*?{}~#%!$&' :;=+-.a1é猫")), min_size=1, max_size=8).filter(
    lambda name: name.strip(".") != ""
)
ODD = (
    "p[1]",
    "~",
    "~root",
    "file:",
    "a:",
    "s3:",
    "p*",
    "?",
    "{a,b}",
    "%41",
    "#x",
    "-x",
    ".x",
    "a b",
    "猫",
    "set=1",
)


def is_bytes(node: ast.expr) -> bool:
    """Tell whether an expression is made of bytes: io.BytesIO(...), or b"".join(...)."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    owner = node.func.value
    joins = isinstance(owner, ast.Constant) and isinstance(owner.value, bytes)
    return joins or node.func.attr == "BytesIO"


def given_paths(source: str) -> list[str]:
    """List the calls of polars that may be given a path."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        name, of_polars = node.func.attr, isinstance(node.func.value, ast.Name) and node.func.value.id == "pl"
        if name in READS and of_polars and not is_bytes(node.args[0]):
            found.append(name)
        if name in WRITES and (node.args or any(word.arg in ("file", "path") for word in node.keywords)):
            found.append(name)
    return found


def glob_patterns(source: str) -> list[ast.expr]:
    """List what is given to glob and rglob as a pattern."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return [
        node.args[0]
        for node in calls
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("glob", "rglob", "iglob") and node.args
    ]


def test_only_one_module_gives_paths_to_polars() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py") if path.name != HOME}
    wrong = {
        path.name: set(given_paths(text)) - OPENED.get(path.name, set()) for path, text in sources.items()
    }
    assert {name for name, found in wrong.items() if found} == set()


def test_no_name_from_outside_is_part_of_a_pattern() -> None:
    """Patterns are literals, constants and loops over these; what else is in one is escaped."""
    for path in PACKAGE.rglob("*.py"):
        for pattern in glob_patterns(path.read_text(encoding="utf-8")):
            names = {node.id for node in ast.walk(pattern) if isinstance(node, ast.Name)}
            ours = all(name.isupper() or name == "pattern" for name in names)
            assert ours or "escape" in ast.unparse(pattern), (path, ast.unparse(pattern))


def test_the_check_finds_what_it_forbids() -> None:
    assert given_paths("pl.scan_parquet(path)\nframe.sink_parquet(path)\npl.read_csv(file)") == [
        "scan_parquet",
        "sink_parquet",
        "read_csv",
    ]
    assert given_paths('pl.read_csv(io.BytesIO(data))\npl.read_csv(b"".join(rows))\nframe.write_csv()') == []


@contextmanager
def within(folder: str | Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def write(table: pl.DataFrame, path: Path) -> None:
    with path.open("wb") as file:
        table.write_parquet(file)


@contextmanager
def among_decoys(name: str) -> Iterator[Path]:
    """Go to a folder where a file of this name has wrong predictions, and those it could be taken for right ones."""
    with tempfile.TemporaryDirectory() as folder, within(folder):
        right = PAIRS.select("id", "label")
        for decoy in ("1", "a", "p1", "x", "b", "A.parquet"):
            write(right, Path(decoy))
        shutil.rmtree(name) if Path(name).is_dir() else None
        write(right.with_columns(label=pl.lit("contradiction")), Path(name))
        write(PAIRS, Path("pairs.of-this-test"))
        yield Path(name)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(NAMES)
@example("p[1]")
@example("[a]")
@example("~")
@example("file:")
def test_a_file_is_read_by_its_own_name(name: str) -> None:
    with among_decoys(name) as path:
        assert read_predictions(path)["label"].unique().to_list() == ["contradiction"]
        assert polars_io.read_parquet(path, columns=["label"])["label"].n_unique() == 1
        assert list(polars_io.read_parquet_schema(path)) == ["id", "label"]
        assert polars_io.read_parquet_metadata(path) is not None
        code, out, _ = inside("score", "pairs.of-this-test", "--csv", "--", name)
        assert code == 0
        assert {line.rsplit(",")[2] for line in out.splitlines()[1:]} == {"0"}


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(NAMES)
@example("~")
@example("file:")
@example("p[1]")
def test_a_set_in_any_folder_is_read_and_written(name: str) -> None:
    with tempfile.TemporaryDirectory() as above, within(above):
        folder = Path(name)
        folder.mkdir()
        made = rightreasons.ChallengeSet(PAIRS, rightreasons.Card("tiny"))
        for ending in ("parquet", "jsonl", "csv"):
            rightreasons.write_pairs(made, folder / f"{name}.{ending}")
            assert read_pairs(folder / f"{name}.{ending}").pairs.equals(PAIRS)
            assert read_corpus(folder / f"{name}.{ending}").pairs["id"].equals(PAIRS["id"])
        assert {path.suffix for path in folder.iterdir()} == {".parquet", ".jsonl", ".csv", ".json"}
        assert [path.name for path in Path(above).iterdir()] == [name]


@pytest.mark.parametrize("name", ODD)
def test_runs_in_any_folder_are_made_and_read_again(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    folder = Path(f"./{name}")
    folder.mkdir()
    write(PAIRS, folder / "set.parquet")
    write(PAIRS.select("id", "label"), folder / "answers.parquet")
    write(PAIRS.select("id", label=pl.lit("neutral")), Path("answers.parquet"))
    made = rightreasons.evaluate(
        [f"file:{folder}/answers.parquet", "constant"], sets=[str(folder / "set.parquet")], out=folder / "run"
    )
    assert made.scores.filter(~pl.col("model").is_in(["constant", "majority"]))[
        "accuracy"
    ].unique().to_list() == [1.0]
    run, page, tables = (
        f"./{name}/{part}" for part in ("run", "page.html", "tables")
    )  # -x would be an option
    assert inside("report", run, "--out", page, "--csv", tables)[0] == 0
    code, out, _ = inside("compare", run, "--against", "constant", "--csv")
    assert code == 0
    assert len(out.splitlines()) > 1
    assert list((tmp_path / "home").iterdir()) == []


STOPS = """
import os, signal, time

calls = 0

def answer(premises, hypotheses):
    global calls
    calls += 1
    if calls > 3 and not os.path.exists("go"):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(30)
    return ["entailment" for _ in premises]
"""


@pytest.mark.parametrize("name", slow_after(1, ["p[1]", "~"]))
def test_an_interrupted_run_in_an_odd_folder_is_resumed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = Path(f"./{name}")
    folder.mkdir()
    write(PAIRS, folder / "set.parquet")
    Path("stops.py").write_text(STOPS, encoding="utf-8")
    words = ["evaluate", "python:stops:answer", "--batch-size", "1", "--no-baselines"]
    words += ["--sets", str(folder / "set.parquet"), "--out", str(folder / "run")]
    stopped = subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=False, timeout=120)
    assert stopped.returncode == 130, stopped.stderr
    assert not (folder / "run").exists()
    Path("go").touch()
    code, _, stderr = child(*words)
    assert code == 0, stderr
    assert (folder / "run" / "scores.csv").is_file()
    assert inside("report", folder / "run", "--out", folder / "page.html")[0] == 0


def test_a_set_may_have_a_star_in_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(PAIRS, Path("s*.parquet"))
    made = rightreasons.evaluate(["constant"], sets=["s*.parquet"], out="run")
    assert made.scores["set"].unique().to_list() == ["s*"]


def test_a_name_that_is_not_utf8_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path(os.fsdecode(b"caf\xe9.parquet"))
    try:
        write(PAIRS, path)
    except OSError:
        pytest.skip("this file system has names in UTF-8 only")
    assert polars_io.read_parquet(path).equals(PAIRS)
    assert polars_io.read_parquet_schema(path) == PAIRS.schema


def test_only_the_requested_columns_are_read(tmp_path: Path) -> None:
    path = tmp_path / "p[1].parquet"
    write(PAIRS, path)
    plan = polars_io.scan_parquet(path).select("id").explain()
    assert "1/4 COLUMNS" in plan


@pytest.mark.parametrize("made", ["folder", "nothing"])
def test_a_missing_file_is_refused_under_its_given_name(
    made: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if made == "folder":
        Path("x[1].parquet").mkdir()
        write(PAIRS, Path("x[1].parquet/part.parquet"))
    with pytest.raises(InputError, match=r"^x\[1\].parquet "):
        polars_io.read_parquet("x[1].parquet")
