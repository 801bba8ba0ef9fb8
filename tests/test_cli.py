from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest
from click.testing import CliRunner

import rightreasons
from rightreasons.cli import COMMANDS, main
from rightreasons.core import registry

if TYPE_CHECKING:
    from click.testing import Result

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(registry.SETS, "tiny", "tiny_set:Tiny")
    monkeypatch.chdir(tmp_path)


def run(*words: object, code: int = 0) -> Result:
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exit_code == code, done.output
    return done


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.jsonl"
    rightreasons.write_pairs(rightreasons.generate("tiny"), path)
    return path


@pytest.fixture
def answers(tmp_path: Path, pairs: Path) -> Path:
    path = tmp_path / "answers.csv"
    run("predict", "rules:subsequence", pairs, "--out", path)
    return path


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_a_short_line(name: str) -> None:
    assert "Usage:" in run(name, "--help").output
    line = next(line for line in run("--help").output.splitlines() if line.split()[:1] == [name])
    assert len(line.split()) > 2


def test_an_unknown_command_or_argument_is_a_usage_error() -> None:
    run("generat", code=2)
    run("generate", "tiny", "--size", "few", code=2)
    run("generate", "tiny", "--size", "0", code=2)
    run("generate", "tiny", "-o", "parses", code=2)
    run("generate", "tiny", "-o", "parses=none", "-o", "parses=none", code=2)
    assert "Use --size" in run("generate", "tiny", "-o", "size=3", code=2).output


def test_generate_to_stdout_is_jsonl_and_nothing_but() -> None:
    done = run("generate", "tiny", "--size", "1_0", "-o", "remark=beware")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert pl.DataFrame(rows).equals(rightreasons.generate("tiny", size=10).pairs)
    assert "beware" in done.stderr


@pytest.mark.parametrize(("kind", "separator"), [("csv", ","), ("tsv", "\t")])
def test_generate_to_stdout_in_other_formats(kind: str, separator: str) -> None:
    done = run("generate", "tiny", "--format", kind)
    table = pl.read_csv(io.StringIO(done.stdout), separator=separator)
    assert table["premise"].equals(rightreasons.generate("tiny").pairs["premise"])


def test_generate_parquet_to_stdout_is_refused() -> None:
    assert "--out" in run("generate", "tiny", "--format", "parquet", code=2).output


@pytest.mark.parametrize("name", ["t.parquet", "t.jsonl", "t.csv", "t.tsv", "t"])
def test_generate_to_a_file_says_what_was_written(name: str) -> None:
    done = run("generate", "tiny", "--out", name, "--seed", 3)
    assert "80 pairs" in done.stderr
    assert done.stdout == ""
    assert (
        rightreasons.read_pairs(name)
        .pairs["premise"]
        .equals(rightreasons.generate("tiny", seed=3).pairs["premise"])
    )
    assert Path(f"{name}.card.json").is_file()


def test_generate_refuses_what_exists_unless_forced() -> None:
    run("generate", "tiny", "--out", "t.jsonl")
    before = Path("t.jsonl").read_bytes()
    done = run("generate", "tiny", "--seed", 5, "--out", "t.jsonl", code=2)
    assert done.stderr.startswith("Error: ")
    assert Path("t.jsonl").read_bytes() == before
    run("generate", "tiny", "--seed", 5, "--out", "t.jsonl", "--force")
    assert Path("t.jsonl").read_bytes() != before


def test_errors_of_the_library_are_one_line_and_exit_code_2() -> None:
    for words in (
        ("generate", "tinny"),
        ("generate", "tiny", "--split", "test"),
        ("generate", "tiny", "--size", "1000"),
        ("generate", "tiny", "--parses", "none", "-o", "colour=red"),
        ("generate", "tiny", "--format", "xml"),
        ("score", "nowhere.csv", "nowhere.csv"),
        ("score", "tiny", "nowhere.csv"),
        ("predict", "majorty", "tiny", "--out", "a.csv"),
        ("predict", "file:nowhere", "tiny", "--out", "a.csv"),
        ("convert", "nowhere", "t.csv"),
        ("recognise", "nowhere"),
        ("report", "nowhere"),
        ("evaluate", "constant", "--sets", "tinny", "--out", "run"),
        ("evaluate", "constant", "--sets", "tiny", "--rule", "best", "--out", "run"),
    ):
        done = run(*words, code=2)
        assert done.stderr.startswith(("Error: ", "Usage: ")), words
        assert len(done.stderr.strip().splitlines()) == 1, words
        assert done.stdout == ""
        assert list(Path().iterdir()) == [], words


def test_convert_there_and_back() -> None:
    run("generate", "tiny", "--out", "t.parquet")
    run("convert", "t.parquet", "t.csv")
    run("convert", "t.csv", "back.parquet")
    assert pl.read_parquet("back.parquet").equals(pl.read_parquet("t.parquet"))


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_predict_writes_answers_that_score_reads(pairs: Path, ending: str) -> None:
    run("predict", "random", pairs, "--out", f"a.{ending}", "-o", "seed=4")
    run("predict", "random:4", pairs, "--out", f"b.{ending}")
    one = run("score", pairs, f"a.{ending}", "--csv").stdout
    assert one == run("score", pairs, f"b.{ending}", "--csv").stdout


def test_predict_says_how_the_model_was_asked(pairs: Path) -> None:
    lines = (
        "entailment = lambda p, h: [[1, 0, 0]] * len(p)",
        "entailment.labels = ['entailment', 'neutral', 'contradiction']",
        "lost = lambda p, h: ['unreadable'] * len(p)",
    )
    Path("saying.py").write_text("\n".join(lines), encoding="utf-8")
    order = "labels=neutral,entailment,contradiction"
    predicted = run("predict", "python:saying:entailment", pairs, "--out", "a.csv", "-o", order)
    found, doubt, *_, wrote = predicted.stderr.splitlines()
    assert ": neutral, entailment, contradiction" in found
    assert doubt.startswith("Warning: The model 'python:saying:entailment' ")
    assert wrote.startswith("Wrote ")
    notes = run("predict", "python:saying:lost", pairs, "--out", "b.csv").stderr
    height = rightreasons.read_pairs(pairs).pairs.height
    assert re.search(rf"^Note: .*\b{height} of {height}\.$", notes, re.MULTILINE)


def test_score_prints_one_json_object(pairs: Path, answers: Path) -> None:
    done = run("score", pairs, answers, "--by", "heuristic,subcase", "--json")
    scores = json.loads(done.stdout)
    assert list(scores) == ["rows", "label_rule", "warnings", "predicted"]
    assert list(scores["rows"][0]) == [
        *("heuristic", "subcase", "gold", "n", "correct", "accuracy", "low", "high", "interval")
    ]
    assert scores["rows"][-1] == {**scores["rows"][-1], "gold": "all", "n": 20}


def test_score_prints_a_table_with_the_label_rule(pairs: Path, answers: Path) -> None:
    done = run("score", pairs, answers, "--by", "heuristic")
    assert "lexical_overlap" in done.stdout
    assert "Labels: " in done.stdout
    assert "1.000" in done.stdout
    assert "\x1b" not in done.stdout


def test_score_to_a_file(pairs: Path, answers: Path) -> None:
    run("score", pairs, answers, "--out", "table.txt")
    assert "accuracy" in Path("table.txt").read_text()
    run("score", pairs, answers, "--out", "table.txt", code=2)
    run("score", pairs, answers, "--csv", "--out", "table.txt", "--force")
    assert Path("table.txt").read_text().startswith("gold,n,correct")
    run("score", pairs, answers, "--csv", "--json", code=2)


def test_score_in_the_layout_of_hans(pairs: Path, answers: Path) -> None:
    done = run("score", pairs, answers, "--layout", "hans")
    assert "lexical_overlap: " in done.stdout
    assert "Labels: " in done.stderr


def test_a_constant_answer_file_is_warned_of_at_the_top_and_on_stderr(pairs: Path) -> None:
    run("predict", "constant", pairs, "--out", "m.csv")
    done = run("score", pairs, "m.csv")
    assert done.stdout.startswith("Warning: ")
    assert "Warning: " in done.stderr
    assert json.loads(run("score", pairs, "m.csv", "--json").stdout)["warnings"]


def test_a_bad_answer_file_is_named_with_its_line(pairs: Path, answers: Path) -> None:
    lines = answers.read_text().splitlines()
    lines[7] = lines[7].replace("non-entailment", "perhaps").replace(",entailment", ",perhaps")
    answers.write_text("\n".join(lines) + "\n")
    done = run("score", pairs, answers, code=2)
    assert f"{answers}, line 8" in done.stderr
    answers.write_text("\n".join(lines[:7]) + "\n")
    assert str(answers) in run("score", pairs, answers, code=2).stderr


def test_evaluate_and_report_show_the_same_table() -> None:
    words = ("evaluate", "rules:subsequence", "constant", "--sets", "tiny", "--out", "run", "--size", 80)
    one = run(*words)
    assert "rules:subsequence" in one.stdout
    assert "entailed or not" in one.stdout
    assert "report.html" in one.stdout
    page = Path("run/report.md").read_text()
    Path("run/report.md").write_text("spoilt")
    other = run("report", "run").stdout
    assert other.splitlines()[1].startswith("- ")
    assert "rules:subsequence" in other.splitlines()[1]
    assert other.rstrip() in one.stdout
    assert Path("run/report.md").read_text() == page


def test_lists_name_every_part() -> None:
    sets = run("list", "sets").stdout
    assert "tiny: Pairs about people who meet" in sets
    assert re.search("80 .*entailment 50%, non-entailment 50%", sets)  # counted: a plugin's
    assert re.search("371,000 .*neutral 100%", sets)
    for paper in ("McCoy, Pavlick and Linzen 2019", "Naik et al. 2018", "Luo et al. 2022"):
        assert paper in sets
    assert len(re.findall("pocket .*--corpus", sets)) == 8
    assert re.search("160 .*80 in --split eval .*80 in --split train", sets)
    assert "parses=none|labelled|binary, remark" in sets
    models = run("list", "models").stdout
    for name in registry.list_model_names():
        assert name in models
    about = [line.split(maxsplit=1)[1] for line in models.splitlines() if line.startswith("rules:")]
    assert len(set(about)) == 3
    both = run("list").stdout
    assert sets in both
    assert models in both


def test_the_list_counts_all_the_pairs_that_there_are() -> None:
    shown = run("list", "sets").stdout
    whole = rightreasons.plan("hans", size=10**12, short="allow")
    assert f"{len(whole):,} in --split eval" in shown
    assert re.search("60,000 .*30,000 in --split eval .*30,000 in --split train", shown)


@pytest.mark.parametrize("script", ["cli_reference.py", "parts_reference.py"])
def test_the_reference_pages_are_fresh(script: str) -> None:
    command = [sys.executable, ROOT / "scripts" / script, "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_released_hans_answers_score_as_published(shared_data: Path) -> None:
    folder = shared_data / "hans"
    words = ("score", folder / "heuristics_evaluation_set.txt", folder / "bert_preds.txt")
    rows = json.loads(run(*words, "--by", "heuristic", "--json").stdout)["rows"]
    found = {(row["heuristic"], row["gold"]): row["correct"] for row in rows}
    assert found["lexical_overlap", "entailment"] == 4732
    assert found["subsequence", "entailment"] == 4966
    assert found["constituent", "entailment"] == 4922
    assert found["lexical_overlap", "non-entailment"] == 820
    assert found["subsequence", "non-entailment"] == 193
    assert found["constituent", "non-entailment"] == 806
