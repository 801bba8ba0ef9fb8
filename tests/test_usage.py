"""Slips in names, numbers and options: what is said of them helps to write them right."""

from __future__ import annotations

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


SLIPS: list[tuple[tuple[Any, ...], str]] = [
    (("generat", "hans"), "There is no command called 'generat'. Did you mean generate?"),
    (("generate",), "Missing argument 'SET'"),
    (("generate", "hasn"), "There is no set called 'hasn'. Did you mean hans?"),
    (("generate", "hans-relased"), "Did you mean hans-released"),
    (("generate", "mine.toml"), "mine.toml can't be read"),
    (("generate", "mine.csv"), "There is no file mine.csv"),
    (("generate", "a/folder"), "a/folder is a folder"),
    (("evaluate", "constant", "--sets", "a/folder", "--out", "run"), "a/folder is a folder"),
    (("generate", "hans", "--size", -3), "'--size': -3"),
    (("generate", "hans", "--size", 0), "'--size': 0"),
    (("generate", "hans", "--limit", "some"), "'--limit': 'some'"),
    (("generate", "hans", "--size", 3000), "(2,688 in all"),
    (("generate", "hans", "--split", "train", "--size", 3000), "(2,688 in all"),
    (("generate", "hans", "--limit", 10**12), "and 1,000,000,000,000 were "),
    (("generate", "hans-released", "--size", 1001), "has 1,000 pairs, and 1,001 were "),
    (("generate", "hans", "--seed", "x"), "'x' is not a valid integer"),
    (("generate", "hans", "--split", "test"), "split 'test'. Use eval or train."),
    (("generate", "hans", "-o", "mode"), "'mode' is not key=value"),
    (("generate", "hans", "-o", "=faithful"), "'=faithful' is not key=value"),
    (("generate", "hans", "-o", "mode=faithfull"), "Use corrected or faithful"),
    (("generate", "hans", "-o", "mod=faithful"), "Did you mean mode?"),
    (("generate", "hans", "-o", "mode=faithful", "-o", "mode=corrected"), "'mode' is given twice"),
    (("generate", "hans", "-o", "size=3"), "Use --size"),
    (("generate", "hans", "--format", "parqet"), "Did you mean parquet?"),
    (("generate", "hans", "--out", "x.xyz"), "extension of x.xyz"),
    (("generate", "kitchen-v1.toml", "--size", 99), "swap, eval split, has 18 pairs"),
    (("convert", "nowhere.csv", "x.csv"), "nowhere.csv can't be read"),
    (("predict", "constnt", "hans", "--out", "x.csv"), "Did you mean constant?"),
    (("predict", "rules:overlap", "hans", "--out", "x.csv"), "rules:lexical-overlap"),
    (("predict", "file", "hans", "--out", "x.csv"), "Use file:PATH"),
    (("predict", "random", "hans", "--out", "x.csv", "-o", "seed=x"), "Use a whole number"),
    (("score", "hans-released", "nowhere.csv"), "nowhere.csv can't be read"),
    (("recognise", "nowhere.csv"), "nowhere.csv can't be read"),
    (("evaluate", "constant"), "Missing option '--out'"),
    (("evaluate", "--out", "run"), "Missing argument 'MODEL...'"),
    (("evaluate", "constant", "--by", "colour", "--limit", 30, "--out", "run"), "no tag called 'colour'"),
    (("evaluate", "constant", "constant", "--out", "run"), "'constant' is given twice"),
    (("evaluate", "constant", "--rule", "sums", "--limit", 30, "--out", "run"), "Did you mean sum?"),
    (("report", "nowhere"), "Give a run folder"),
    (("list", "modles"), "'modles' is not one of"),
]


@pytest.mark.parametrize(("words", "says"), SLIPS, ids=[says for _, says in SLIPS])
def test_a_slip_is_refused_with_advice(words: tuple[Any, ...], says: str) -> None:
    assert says in refused(inside, *words)


@pytest.mark.parametrize("words", [words for words, _ in SLIPS[:3]], ids=str)
def test_a_slip_is_the_same_in_a_process_of_its_own(words: tuple[Any, ...]) -> None:
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
    new, says = SPOILT[old]
    Path("kitchen-v1.toml").write_text(TEMPLATES.replace(old, new, 1))
    for words in (
        ("generate", "kitchen-v1.toml", "--size", 3, "--out", "x.csv"),
        ("evaluate", "constant", "--sets", "kitchen-v1.toml", "--size", 3, "--out", "run"),
        ("recognise", "good.csv", "--set", "kitchen-v1.toml"),
    ):
        Path("good.csv").write_text("premise,hypothesis\na,b\n")
        said = refused(inside, *words)
        assert "kitchen-v1.toml" in said
        assert says in said


def test_a_set_of_ones_own_goes_the_whole_way() -> None:
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
    assert "Recognised 24 of 24 pairs" in found[2]
