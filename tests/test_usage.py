"""Mistakes in names, numbers and options: the message has the value and the correction."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from command_line import child, inside, refused

TEMPLATES = """
[set]
name = "kitchen"
labels = ["entailment", "non-entailment"]

[words]
N = { tag = "NN", words = "cook waiter guest baker" }
T = "saw helped called"

[phrases]
"the n" = "(NP (DT the) {n})"
"svo x v y" = "(S <the x> (VP (VBD {v}) <the y>) (. .))"

[[subcase]]
name = "swap"
heuristic = "lexical_overlap"
label = "non-entailment"
templates = [
  { premise = "<svo N1 T1 N2>", hypothesis = "<svo N2 T1 N1>" },
]

[[subcase]]
name = "and"
heuristic = "lexical_overlap"
label = "entailment"
templates = [
  { premise = "(S (NP <the N1> (CC and) <the N2>) (VP (VBD {T1}) <the N3>) (. .))", hypothesis = "<svo N1 T1 N3>" },
]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kitchen-v1.toml").write_text(TEMPLATES)
    Path("a/folder").mkdir(parents=True)


MISTAKES: list[tuple[tuple[Any, ...], str]] = [
    (("generat", "hans"), r"command .*'generat'.* generate\?"),
    (("generate",), "'SET'"),
    (("generate", "hasn"), r"set .*'hasn'.* hans\?"),
    (("generate", "hans-relased"), r"'hans-relased'.* hans-released\b"),
    (("generate", "mine.toml"), r"mine\.toml\b"),
    (("generate", "mine.csv"), r"mine\.csv\b"),
    (("generate", "a/folder"), "a/folder .*folder.* file"),
    (("evaluate", "constant", "--sets", "a/folder", "--out", "run"), "a/folder .*folder"),
    (("generate", "hans", "--size", -3), "'--size': -3"),
    (("generate", "hans", "--size", 0), "'--size': 0"),
    (("generate", "hans", "--limit", "some"), "'--limit': 'some'"),
    (("generate", "hans", "--size", 3000), r"\b2,688 .* 3,000 "),
    (("generate", "hans", "--split", "train", "--size", 3000), r"train .*\b2,688 .* 3,000 "),
    (("generate", "hans", "--limit", 10**12), r"\b1,000,000,000,000 "),
    (("generate", "hans-released", "--size", 1001), r" 1,000 .* 1,001 "),
    (("generate", "hans", "--seed", "x"), "'--seed': 'x'"),
    (("generate", "hans", "--split", "test"), "'test'.* eval or train"),
    (("generate", "hans", "-o", "mode"), "'mode' .*KEY=VALUE"),
    (("generate", "hans", "-o", "=faithful"), "'=faithful' .*KEY=VALUE"),
    (("generate", "hans", "-o", "mode=faithfull"), "'faithfull'.* corrected or faithful"),
    (("generate", "hans", "-o", "mod=faithful"), r"'mod'.* mode\?"),
    (("generate", "hans", "-o", "mode=faithful", "-o", "mode=corrected"), "'mode' .*twice"),
    (("generate", "hans", "-o", "size=3"), "--size"),
    (("generate", "hans", "--format", "parqet"), r"'parqet'.* parquet\?"),
    (("generate", "hans", "--out", "x.xyz"), r"\bx\.xyz\b"),
    (("generate", "kitchen-v1.toml", "--size", 99), r"swap, eval split.* 18 .* 99 "),
    (("convert", "nowhere.csv", "x.csv"), r"nowhere\.csv\b"),
    (("predict", "constnt", "hans", "--out", "x.csv"), r"'constnt'.* constant\?"),
    (("predict", "rules:overlap", "hans", "--out", "x.csv"), "rules:lexical-overlap"),
    (("predict", "file", "hans", "--out", "x.csv"), "file:PATH"),
    (("predict", "random", "hans", "--out", "x.csv", "-o", "seed=x"), "seed .*'x'.* whole number"),
    (("score", "hans-released", "nowhere.csv"), r"nowhere\.csv\b"),
    (("recognise", "nowhere.csv"), r"nowhere\.csv\b"),
    (("evaluate", "constant"), "'--out'"),
    (("evaluate", "--out", "run"), r"'MODEL\.\.\.'"),
    (("evaluate", "constant", "--by", "colour", "--limit", 30, "--out", "run"), "tag .*'colour'"),
    (("evaluate", "constant", "constant", "--out", "run"), "'constant' .*twice"),
    (("evaluate", "constant", "--rule", "sums", "--limit", 30, "--out", "run"), r"'sums'.*\bsum\b"),
    (("report", "nowhere"), "nowhere"),
    (("list", "modles"), "'modles' .*'models'"),
]


@pytest.mark.parametrize(("words", "pattern"), MISTAKES, ids=[pattern for _, pattern in MISTAKES])
def test_a_mistake_is_refused_with_its_value(words: tuple[Any, ...], pattern: str) -> None:
    assert re.search(pattern, refused(inside, *words))


@pytest.mark.parametrize("words", [words for words, _ in MISTAKES[:3]], ids=str)
def test_errors_are_the_same_in_a_separate_process(words: tuple[Any, ...]) -> None:
    assert refused(child, *words) == refused(inside, *words)


@pytest.mark.parametrize("seed", [-1, 10**40])
def test_any_whole_number_is_a_seed(seed: int) -> None:
    code, out, _ = inside("generate", "hans", "--limit", 30, "--seed", seed)
    assert code == 0
    assert out != inside("generate", "hans", "--limit", 30)[1]
    assert out == inside("generate", "hans", "--limit", 30, "--seed", seed)[1]


SPOILT = {
    "(S (NP <the N1>": ("(S (NP (<the N1>", "kitchen-v1.toml, line 27"),
    'label = "entailment"': ('label = "perhaps"', "kitchen-v1.toml, line 25"),
    "<svo N1 T1 N2>": ("<svo X1 T1 N2>", "kitchen-v1.toml, line 19"),
    "[phrases]": ("phrases]", "line 10"),
    "[[subcase]]": ("[[subcase]]\0", "line 14"),
}


@pytest.mark.parametrize("old", SPOILT)
def test_a_bad_template_file_is_refused_by_generate_and_evaluate(old: str) -> None:
    new, place = SPOILT[old]
    Path("kitchen-v1.toml").write_text(TEMPLATES.replace(old, new, 1))
    for words in (
        ("generate", "kitchen-v1.toml", "--size", 3, "--out", "x.csv"),
        ("evaluate", "constant", "--sets", "kitchen-v1.toml", "--size", 3, "--out", "run"),
        ("recognise", "good.csv", "--set", "kitchen-v1.toml"),
    ):
        Path("good.csv").write_text("premise,hypothesis\na,b\n")
        message = refused(inside, *words)
        assert "kitchen-v1.toml" in message
        assert place in message


def test_a_template_file_works_with_all_commands() -> None:
    words = ("evaluate", "rules:lexical-overlap", "--sets", "kitchen-v1.toml", "--size", 12, "--out", "run")
    code, out, _ = inside(*words, "-o", "kitchen.parses=none", "--by", "template")
    assert code == 0
    assert "kitchen: 24 pairs" in out
    assert Path("run/sets/kitchen.parquet").is_file()
    scored = inside(
        "score", "run/sets/kitchen.parquet", "run/predictions/kitchen/random.parquet", "--by", "subcase"
    )
    assert scored[0] == 0
    assert "swap" in scored[1]
    found = inside("recognise", "run/sets/kitchen.parquet", "--set", "kitchen-v1.toml")
    assert "24 of 24 " in found[2]
