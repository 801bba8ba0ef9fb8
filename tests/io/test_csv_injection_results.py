"""CSV for people: in no table of results is a cell a formula. Pairs and predictions are data, and stay as they are."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import polars as pl
import pytest

import rightreasons
from command_line import inside
from rightreasons.cli import COMMANDS
from rightreasons.io.csv_injection import escape_formula, format_csv, unescape_formula
from rightreasons.io.tables import read_table
from rightreasons.people.simulated_store import add_simulated_judgements
from rightreasons.people.simulation import simulate_judgements

RUNS = ("first", "second")
EVIL = '=HYPERLINK("http://x","y")'
TAG = "@SUM(1)"
PAIRS = pl.DataFrame(
    {
        "id": [f"={number}+1" for number in range(8)],
        "premise": [f"=cat {number} sat." for number in range(8)],
        "hypothesis": ["+A cat sat."] * 8,
        "label": ["entailment", "neutral"] * 4,
        TAG: [EVIL, "-x"] * 4,
        "heuristic": [EVIL, "-x"] * 4,
    }
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make files and a run in which sets, models, tags and ids have the names of formulas."""
    folder = tmp_path_factory.mktemp("formulas")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name in ("=set.csv", "=set.parquet"):
            rightreasons.write_pairs(rightreasons.ChallengeSet(PAIRS, rightreasons.Card(EVIL)), name)
        answers = PAIRS.select("id", label=pl.lit("neutral"))
        answers.write_csv("=answers.csv")
        PAIRS.select("id", "label").write_csv("+right.csv")
        for model, run in zip(("=answers.csv", "+right.csv"), RUNS, strict=True):
            rightreasons.evaluate([f"file:{model}"], sets=["=set.parquet"], out=run, by=[TAG])
        study = rightreasons.plan_study("=set.csv", protocol="stress", out="people", each=8)
        add_simulated_judgements(simulate_judgements(study))
    return folder


@pytest.fixture(autouse=True)
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


# Every command that prints or writes CSV for people, and how; for those that never do, why.
FOR_PEOPLE = {
    "score": [("score", "=set.csv", "=answers.csv", "--by", TAG, "--csv")],
    "compare": [("compare", *RUNS, "--by", "heuristic", "--csv")],
    "recognise": [("recognise", "=set.csv", "--format", "csv")],
    "leaks": [("leaks", "=set.csv", "=set.parquet", "--csv")],
    "report": [("report", RUNS[0], "--csv", "tables", "--force", "--out", "page.html")],
    "leaderboard": [("leaderboard", *RUNS, "--out", "board", "--force")],
    "audit": [("audit", "=set.csv", "--out", "audited", "--force", "--audits", "heuristics,duplicates")],
    "study": [
        ("study", "power", "--items", "50", "--judgements", "3", "--simulations", "20", "--csv"),
        ("study", "results", "people", "--out", "found", "--force"),
        ("study", "export", "people", "--to", "csv", "--out", "judged.csv", "--force"),
    ],
    "errors": [
        ("errors", RUNS[0], "--out", "sheet.csv", "--force"),
        ("errors", RUNS[0], "--out", "sheet.tsv", "--force"),
    ],
    "evaluate": [("evaluate", "constant", "--sets", "=set.parquet", "--by", TAG, "--out", "new", "--force")],
}
NEVER = {
    "generate": "pairs are data",
    "convert": "pairs are data",
    "predict": "predictions are data",
    "train": "a log of numbers",
    "experiment": "through the same functions as evaluate and report",
    "export": "copies scores.csv of the run",
    "fetch": "published files as they are",
    "serve": "no tables",
    "labels": "no CSV",
    "list": "no CSV",
}


def test_every_command_is_accounted_for() -> None:
    assert {*FOR_PEOPLE, *NEVER} == set(COMMANDS)


def test_only_results_and_data_are_written_as_csv() -> None:
    package = Path(rightreasons.__file__).parent
    writers = {
        path.name for path in package.rglob("*.py") if ".write_csv(" in path.read_text(encoding="utf-8")
    }
    # The first for results, the others for data.
    assert writers == {"csv_injection.py", "table_writer.py", "output.py"}


def cells_of(text: str, separator: str) -> list[str]:
    return [cell for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) for cell in row]


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(
    "words", [words for calls in FOR_PEOPLE.values() for words in calls], ids=lambda words: words[0]
)
def test_no_cell_of_a_result_is_a_formula(words: tuple[str, ...]) -> None:
    started = {
        path: path.stat().st_mtime_ns for ending in ("csv", "tsv") for path in Path().rglob(f"*.{ending}")
    }
    code, out, said = inside(*words)
    assert code == 0, said
    texts = [(out, ",")] if {"--csv", "--format"} & set(words) and words[0] != "report" else []
    for ending, separator in (("csv", ","), ("tsv", "\t")):
        new = [path for path in Path().rglob(f"*.{ending}") if started.get(path) != path.stat().st_mtime_ns]
        texts += [(path.read_text(encoding="utf-8-sig"), separator) for path in new]
    assert texts
    cells = [cell for text, separator in texts for cell in cells_of(text, separator)]
    assert len(cells) > 4
    assert [
        cell
        for cell in cells
        if escape_formula(cell) != cell and not is_number(cell) and unescape_formula(cell) == cell
    ] == []


def test_tags_and_their_values_are_defused_and_can_be_restored() -> None:
    code, out, _ = inside("score", "=set.csv", "=answers.csv", "--by", TAG, "--csv")
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {row[f"'{TAG}"] for row in rows} == {f"'{EVIL}", "'-x"}
    assert {unescape_formula(row[f"'{TAG}"]) for row in rows} == {EVIL, "-x"}


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_data_is_written_byte_for_byte(ending: str) -> None:
    assert inside("convert", "=set.parquet", f"back.{ending}", "--force")[0] == 0
    back = rightreasons.read_pairs(f"back.{ending}").pairs
    assert back.equals(rightreasons.read_pairs("=set.parquet").pairs)
    assert inside("predict", "constant", "=set.csv", "--out", f"said.{ending}", "--force")[0] == 0
    assert read_table(f"said.{ending}")["id"].to_list() == PAIRS["id"].to_list()


def test_numbers_and_blanks_stay() -> None:
    table = pl.DataFrame({"a": [-1.5, None], "b": ["-1.5", None], "c": [True, None]})
    assert format_csv(table) == "a,b,c\n-1.5,'-1.5,true\n,,\n"
