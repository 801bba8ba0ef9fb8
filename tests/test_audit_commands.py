"""`leaks` and `errors` on the command line."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import polars as pl
import pytest

import rightreasons as rr
from command_line import inside

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def training(tmp_path: Path) -> Path:
    """Write a training file that has two pairs of a set, one of them exchanged."""
    pairs = rr.generate("stress/negation", limit=30).pairs
    swapped = pairs[1].select(premise="hypothesis", hypothesis="premise", label="label")
    pl.concat([pairs[:1].select("premise", "hypothesis", "label"), swapped]).write_csv(
        tmp_path / "training.csv"
    )
    pairs.write_csv(tmp_path / "set.csv")
    return tmp_path / "training.csv"


def test_leaks_are_told(training: Path) -> None:
    code, out, said = inside("leaks", training, training.parent / "set.csv", "stress/negation")
    assert code == 0
    assert len(re.findall(r"\b1 of 30 [^.]*\(3\.3%\)", out)) == 2
    assert "swapped pair" in out
    assert "numbered by row" in said


def test_leaks_as_csv_and_json(training: Path) -> None:
    file = training.parent / "set.csv"
    code, out, _ = inside("leaks", training, file, "--csv", "--no-near")
    assert code == 0
    assert out.splitlines()[0] == "set,what,exact,normalised,any,of,share"
    assert f"{file},pair,1,0,1,30,{1 / 30}" in out
    code, out, _ = inside("leaks", training, "stress/*", "--json")
    found = json.loads(out)["sets"]
    assert found[0]["set"] == "stress/antonymy"
    assert found[0]["training_rows"] == 2
    assert inside("leaks", training, file, "--csv", "--json")[0] == 2


def test_leaks_go_to_a_file(training: Path) -> None:
    out = training.parent / "leaks.txt"
    words = (training, training.parent / "set.csv", "--out", out)
    assert inside("leaks", *words)[0] == 0
    assert "swapped pair" in out.read_text(encoding="utf-8")
    code, _, said = inside("leaks", *words)
    assert code == 2
    assert "--force" in said
    assert inside("leaks", *words, "--force")[0] == 0


def test_leaks_of_what_is_not_there(training: Path) -> None:
    assert "'hanss'" in inside("leaks", training, "hanss")[2]
    assert inside("leaks", training.parent / "none.csv", "hans")[0] == 2
    assert inside("leaks", training)[0] == 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a run with two models."""
    out = tmp_path_factory.mktemp("run") / "run"
    rr.evaluate(
        ["constant", "rules:lexical-overlap"], out=out, sets=["hans", "nps"], limit=60, baselines=False
    )
    return out


def test_a_sheet_is_written_and_tallied(folder: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    words = (folder, "--model", "rules:lexical-overlap", "--set", "hans", "--sample", 10)
    code, _, said = inside("errors", *words, "--out", sheet)
    assert code == 0
    assert "10 of 30 " in said
    table = pl.read_csv(sheet, infer_schema=False)
    assert table.height == 10
    assert set(table["suggested"]) == {"word overlap"}
    table.with_columns(category=pl.lit("word overlap")).write_csv(sheet)
    code, out, _ = inside("errors", "--tally", sheet)
    assert code == 0
    assert "1.00 (0.72-1.00)" in out
    code, out, _ = inside("errors", "--tally", sheet, "--csv")
    assert out.splitlines()[0] == "category,n,share,share low,share high,MultiNLI matched,MultiNLI mismatched"
    assert inside("errors", "--tally", sheet, "--out", tmp_path / "t.txt")[0] == 0
    assert "word overlap" in (tmp_path / "t.txt").read_text(encoding="utf-8")
    heads = {
        "t.csv": "category,n,share,share low,share high,",
        "t.MD": "### Types of errors: Table 6",
        "t.tex": "\\begin{table}",
    }
    for name, head in heads.items():
        assert inside("errors", "--tally", sheet, "--out", tmp_path / name)[0] == 0
        written = (tmp_path / name).read_text(encoding="utf-8")
        assert any(line.startswith(head) for line in written.splitlines()), name
        assert "Suggested and chosen types" in written or name == "t.csv"
    assert pl.read_csv(tmp_path / "t.csv")["n"].sum() == 10


def test_a_sheet_is_reproducible(folder: Path, tmp_path: Path) -> None:
    for name in ("a.tsv", "b.tsv"):
        assert inside("errors", folder, "--model", "constant", "--out", tmp_path / name)[0] == 0
    assert (tmp_path / "a.tsv").read_bytes() == (tmp_path / "b.tsv").read_bytes()
    table = pl.read_csv(tmp_path / "a.tsv", separator="\t", infer_schema=False)
    assert set(table["set"]) == {"hans", "nps"}


def test_what_errors_refuses(folder: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    assert "--model" in inside("errors", folder, "--out", sheet)[2]
    assert "'bert'" in inside("errors", folder, "--model", "bert", "--out", sheet)[2]
    wrong_set = inside("errors", folder, "--model", "constant", "--set", "snli", "--out", sheet)
    assert "'snli'" in wrong_set[2]
    assert "--out" in inside("errors", folder)[2]
    assert "--out" in inside("errors", folder, "--out", tmp_path / "sheet.xlsx")[2]
    assert "--tally SHEET" in inside("errors")[2]
    assert "--tally SHEET" in inside("errors", folder, "--tally", sheet)[2]
    assert not sheet.exists()
