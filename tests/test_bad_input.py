"""Bad input through the real command line: a clear line with file and line number, exit code 2, nothing written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import rightreasons
from command_line import child, inside, refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from rightreasons import ChallengeSet

Lines = list[str]
KINDS = {"csv": "csv", "tsv": "tsv", "jsonl": "jsonl", "txt": "hans", "parquet": "parquet"}


@pytest.fixture(scope="module")
def hans() -> ChallengeSet:
    return rightreasons.generate("hans", size=2, parses="binary")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hans: ChallengeSet) -> None:
    """Work in a folder with the set in every format and a good file of answers."""
    monkeypatch.chdir(tmp_path)
    for ending, kind in KINDS.items():
        rightreasons.write_pairs(hans, f"set.{ending}", format=kind)
        Path(f"set.{ending}.card.json").unlink()
    rightreasons.predict("rules:subsequence", hans).write_csv("good.csv")


def answer(lines: Lines, row: int, label: str) -> str:
    return f"{lines[row].split(',')[0]},{label}"


def put(name: str, text: str) -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


# Each case: how the good answers are spoilt, and what is said of it; line 1 is the header.
ANSWERS: dict[str, tuple[Callable[[Lines], Lines], str]] = {
    "missing": (
        lambda lines: lines[:7] + lines[9:],
        r"bad\.csv, line 59: .* 2 of 60",
    ),
    "repeated": (
        lambda lines: [*lines[:7], lines[3], *lines[7:]],
        r"bad\.csv, line 8: the id '.+'.* repeated",
    ),
    "extra": (
        lambda lines: [*lines[:7], "zz,neutral", *lines[7:]],
        r"bad\.csv, line 8: .*'zz'",
    ),
    "blank": (lambda lines: [*lines[:7], " ,neutral", *lines[8:]], r"bad\.csv, line 8: the id is blank"),
    "label word": (
        lambda lines: [*lines[:7], answer(lines, 7, "perhaps"), *lines[8:]],
        r"bad\.csv, line 8: .*'perhaps'",
    ),
    "label number": (
        lambda lines: [*lines[:7], answer(lines, 7, "0"), *lines[8:]],
        r"bad\.csv, line 8: .*'0'",
    ),
    "no label": (
        lambda lines: [*lines[:7], answer(lines, 7, ""), *lines[8:]],
        r"bad\.csv, line 8: the label is blank",
    ),
    "no header": (lambda lines: lines[1:], r"bad\.csv, line 1: .*header"),
    "another header": (lambda lines: ["name,thing", *lines[1:]], r"bad\.csv, line 1: .*name, thing"),
    "too many columns": (
        lambda lines: [*lines[:7], f"{lines[7]},x", *lines[8:]],
        r"bad\.csv, line 8: .*\b3 fields.*\b2\b",
    ),
    "too few columns": (
        lambda lines: [*lines[:7], lines[7].split(",")[0], *lines[8:]],
        r"bad\.csv, line 8: .*\b1 fields.*\b2\b",
    ),
    "nothing": (lambda _: [], r"bad\.csv is empty"),
    "a header and nothing": (lambda lines: lines[:1], r"bad\.csv .*no predictions"),
}
BYTES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "cut in a label": (lambda data: data[:-5], r"bad\.csv, line 61: .*truncated"),
    "cut in an id": (lambda data: data[: data.rindex(b",") - 3], r"bad\.csv, line 61: .*\b1 fields"),
    "binary": (lambda data: data[:200] + b"\0\1\2" + data[200:], r"bad\.csv, line \d+: .*NUL byte"),
    "not UTF-8": (
        lambda data: data[:200] + b"\xff" + data[200:],
        r"bad\.csv, line \d+: byte 0xff",
    ),
    "packed": (lambda data: b"\x1f\x8b" + data, r"bad\.csv is compressed"),
    "half a parquet file": (lambda data: b"PAR1" + data, r"bad\.csv .*parquet"),
}


def spoilt_answers(case: str) -> str:
    if case in BYTES:
        Path("bad.csv").write_bytes(BYTES[case][0](Path("good.csv").read_bytes()))
        return BYTES[case][1]
    lines = ANSWERS[case][0](Path("good.csv").read_text(encoding="utf-8").splitlines())
    put("bad.csv", "".join(f"{line}\n" for line in lines))
    return ANSWERS[case][1]


@pytest.mark.parametrize("case", [*ANSWERS, *BYTES])
def test_bad_answers_are_refused_by_score(case: str) -> None:
    says = spoilt_answers(case)
    assert re.search(says, refused(child, "score", "set.jsonl", "bad.csv", "--out", "scores.txt"))
    assert re.search(says, refused(inside, "score", "set.jsonl", "bad.csv", "--layout", "hans"))


@pytest.mark.parametrize("case", [*ANSWERS, *BYTES])
def test_bad_answers_are_refused_where_the_file_is_a_model(case: str) -> None:
    says = spoilt_answers(case)
    assert re.search(says, refused(inside, "predict", "file:bad.csv", "set.jsonl", "--out", "answers.csv"))
    assert re.search(says, refused(inside, "evaluate", "file:bad.csv", "--sets", "set.jsonl", "--out", "run"))


def test_a_file_may_answer_several_sets_of_a_run_but_no_others() -> None:
    lines = Path("set.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    put("one.jsonl", "".join(lines[:30]))
    put("other.jsonl", "".join(lines[30:]))
    words = ("evaluate", "file:good.csv", "--no-baselines", "--out", "run")
    assert "good.csv, line 32:" in refused(inside, *words, "--sets", "one.jsonl")
    assert inside(*words, "--sets", "one.jsonl", "-o", "file.others=leave")[0] == 0
    assert inside(*words, "--sets", "one.jsonl,other.jsonl", "--force")[0] == 0


def separator(ending: str) -> str:
    return "," if ending == "csv" else "\t"


def spoilt_set(case: str, ending: str) -> tuple[str, str]:
    """Spoil a good file of pairs in one way, and say what should be said of it."""
    good = Path(f"set.{ending}").read_text(encoding="utf-8")
    head, *rows = good.splitlines(keepends=True)
    first = 1 if ending == "jsonl" else 2
    lines = {
        "repeated": (good + rows[4], f"line {60 + first}: the id '.+' .*unique"),
        "label word": (
            good.replace("non-entailment", "perhaps", 1),
            f"line {first}: The word 'perhaps' is no",
        ),
        "tree": (
            good.replace("(ROOT (S (NP", "(ROOT (S NP", 1),
            f"line {first}: the tree in premise_parse is mal",
        ),
        "no header": ("".join(rows), "line 1: the header has"),
        "too many columns": (
            "".join([head, *rows[:3], rows[3].replace("\n", f"{separator(ending)}x\n"), *rows[4:]]),
            r"line 5: .*\d+ fields",
        ),
        "cut": (good[: len(good) // 2], r"line \d+: .*(\d+ fields|JSON object)"),
        "only a header": (head, "has no pair"),
    }
    text, says = lines[case]
    return put(f"bad.{ending}", text), says


def set_commands(name: str) -> list[tuple[Any, ...]]:
    return [
        ("convert", name, "out.parquet"),
        ("predict", "constant", name, "--out", "answers.csv"),
        ("score", name, "good.csv"),
        ("evaluate", "constant", "--sets", name, "--out", "run"),
    ]


TABLES = ("no header", "too many columns", "only a header")
CASES = [
    (case, ending)
    for case in ("repeated", "label word", "tree", "cut", *TABLES)
    for ending in ("csv", "tsv", "txt", "jsonl")
    if ending != "jsonl" or case not in TABLES
]


@pytest.mark.parametrize(("case", "ending"), CASES)
def test_a_bad_file_of_pairs_is_refused_by_every_command(case: str, ending: str) -> None:
    name, says = spoilt_set(case, ending)
    for words in set_commands(name):
        assert re.search(rf"bad\.{ending}.*{says}", refused(inside, *words))


def test_blank_and_missing_ids_of_pairs_are_refused() -> None:
    lines = Path("set.jsonl").read_text(encoding="utf-8").splitlines()
    for value in ('"id":"  "', '"id":null'):
        bad = [re.sub(r'"id":"[^"]+"', value, line) if n == 4 else line for n, line in enumerate(lines)]
        put("bad.jsonl", "\n".join(bad))
        for words in set_commands("bad.jsonl"):
            assert "bad.jsonl, line 5:" in refused(inside, *words)


SPOILT = {
    "NUL": (lambda data: data[:3000] + b"\0\1" + data[3000:], r"line \d+: .*NUL byte"),
    "not UTF-8": (lambda data: data[:3000] + b"\xff" + data[3000:], r"line \d+: byte 0xff"),
}


@pytest.mark.parametrize("case", SPOILT)
@pytest.mark.parametrize("ending", ["csv", "tsv", "txt", "jsonl"])
def test_a_binary_file_of_pairs_is_refused_by_every_command(case: str, ending: str) -> None:
    spoil, says = SPOILT[case]
    Path(f"bad.{ending}").write_bytes(spoil(Path(f"set.{ending}").read_bytes()))
    commands = [*set_commands(f"bad.{ending}"), ("recognise", f"bad.{ending}", "--out", "found.csv")]
    for words in commands:
        assert re.search(rf"bad\.{ending}, {says}", refused(inside, *words))


@pytest.mark.parametrize("keep", [10, 5000, -1])
def test_a_truncated_parquet_file_is_refused_by_every_command(keep: int) -> None:
    Path("bad.parquet").write_bytes(Path("set.parquet").read_bytes()[:keep])
    for words in [*set_commands("bad.parquet"), ("recognise", "bad.parquet")]:
        assert "bad.parquet " in refused(inside, *words)


def test_recognise_refuses_what_it_can_not_read() -> None:
    for case, ending in (
        ("no header", "csv"),
        ("no header", "txt"),
        ("too many columns", "tsv"),
        ("cut", "jsonl"),
    ):
        name, says = spoilt_set(case, ending)
        said = refused(child, "recognise", name, "--out", "found.csv")
        assert re.search(rf"{name}, {says}|{name}, line 1: .*premise and hypothesis", said)
    put("blank.csv", "premise,hypothesis\nThe cat.,The cat.\nThe cat., \n")
    assert "blank.csv, line 3: the hypothesis" in refused(inside, "recognise", "blank.csv")
    put("none.csv", "premise,hypothesis\n")
    assert "none.csv has" in refused(inside, "recognise", "none.csv")


def test_a_changed_file_of_pairs_is_remarked_on(hans: ChallengeSet) -> None:
    rightreasons.write_pairs(hans, "mine.jsonl")
    lines = Path("mine.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    put("mine.jsonl", "".join(lines[:50]))
    code, _, said = inside("predict", "constant", "mine.jsonl", "--out", "answers.csv")
    assert code == 0
    assert re.search("^Note: .*rows.* card", said, re.MULTILINE)
