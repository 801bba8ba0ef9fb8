"""`rightreasons audit` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import inside, refused

CORPUS = "premise,hypothesis,label\n" + "".join(
    f"A dog {n} ran.,It {word} {n}.,{label}\n"
    for n in range(10)
    for word, label in (("ran", "entailment"), ("slept", "contradiction"))
)


@pytest.fixture(autouse=True)
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a corpus whose hypotheses give the label away, and work in its folder."""
    monkeypatch.chdir(tmp_path)
    Path("c.csv").write_text(CORPUS, encoding="utf-8")
    return Path("c.csv")


def test_the_summary_names_the_corpus_and_the_folder(corpus: Path) -> None:
    code, out, _ = inside("audit", corpus, "--out", "a", "--audits", "heuristics,shape", "-o", "bins=2")
    assert code == 0
    assert "c: 20 pairs: 50.0% entailment, 50.0% contradiction." in out
    assert "shape.overlap" in out
    assert str(Path("a", "report.html")) in out
    assert json.loads(Path("a/audit.json").read_text(encoding="utf-8"))["audits"]["shape"] == {"bins": 2}


def test_several_corpora_are_columns_of_one_table(corpus: Path) -> None:
    code, out, _ = inside("audit", corpus, "pocket", "--out", "a", "--audits", "shape")
    assert code == 0
    header = next(line for line in out.splitlines() if line.startswith("figure"))
    assert header.split() == ["figure", "c", "pocket"]
    (row,) = [line for line in out.splitlines() if line.startswith("shape.overlap")]
    assert row.count("(") == 2


def test_a_missed_gate_is_exit_code_1_and_everything_is_written(corpus: Path) -> None:
    flags = ("--out", "a", "--audits", "partial-input", "--fail-over", "partial-input.hypothesis=0.6")
    code, _, said = inside("audit", corpus, *flags)
    assert code == 1
    assert "c missed the gate partial-input.hypothesis" in said
    assert Path("a/report.html").exists()
    code, _, said = inside("audit", corpus, "--force", *flags[:-1], "partial-input.hypothesis=1")
    assert (code, "missed" in said) == (0, False)
    code, _, said = inside(
        "audit", corpus, "--force", *flags[:4], "--fail-under", "partial-input.premise=0.9"
    )
    assert code == 1


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["nothere.csv"], "nothere.csv"),
        (["c.csv", "--audits", "shap"], "shape"),
        (["c.csv", "-o", "bin=3"], "bins"),
        (["c.csv", "-o", "bins=some"], "bins"),
        (["c.csv", "--fail-over", "shape.overlap"], "shape.overlap"),
        (["c.csv", "--fail-over", "shape.overlapp=0.1"], "shape.overlap"),
        (["c.csv", "--fail-over", "d@shape.overlap=0.1"], "'d'"),
        (["c.csv", "--audits", "agreement"], "annotator_labels"),
        (["c.csv", "--audits", "corruption"], "model"),
        (["c.csv", "--audits", "corruption", "--model", "nothere"], "nothere"),
        (["c.csv", "--audits", "duplicates", "--against", "nothere.csv"], "nothere.csv"),
    ],
)
def test_bad_input_is_refused(words: list[str], named: str) -> None:
    assert named in refused(inside, "audit", *words, "--out", "a")
    assert not Path("a").exists()


@pytest.mark.parametrize("option", ["bins", "folds", "top", "rows", "examples", "near", "min_count"])
def test_huge_numbers_are_refused_or_as_good_as_all(option: str) -> None:
    assert option in refused(inside, "audit", "c.csv", "--out", "a", "-o", f"{option}={2**63}")
    for number in (10**3, 2**63 - 1):
        arguments = ("--out", "a", "--force", "-o", f"{option}={number}")
        assert inside("audit", "c.csv", *arguments)[0] == 0
        tables = {path.name: path.read_text(encoding="utf-8") for path in Path("a/tables").glob("*.json")}
        if number == 10**3:
            expected = tables
    assert tables == expected


def test_the_other_corpus_and_the_model_are_checked_first(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("rightreasons.evaluation.corpus_audit._read_audit_corpus", fail)
    for words in (
        ("--against", "nothere.csv"),
        ("--model", "nothere"),
        ("--model", "file:nothere.csv"),
        ("--model", "constant", "-o", "corruption.model_options=x"),
    ):
        refused(inside, "audit", "c.csv", "--out", "a", *words)


def test_an_existing_folder_is_kept_without_force(corpus: Path) -> None:
    assert inside("audit", corpus, "--out", "a", "--audits", "shape")[0] == 0
    assert "--force" in refused(inside, "audit", corpus, "--out", "a")
    assert inside("audit", corpus, "--out", "a", "--audits", "shape", "--force")[0] == 0
