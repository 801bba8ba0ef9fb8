"""Gates: what they name, when they are missed, and what the command makes of that."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest

import rightreasons
from command_line import child, inside, refused
from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.evaluation import gates
from rightreasons.runs.folder import Run, read_run
from rightreasons.scoring.intervals import wilson_interval

RIGHT = {"a:b": {"entailment": 30, "non-entailment": 10}, "c@d": {"entailment": 30, "non-entailment": 20}}
N = 30


def run() -> Run:
    """Make a run of two models and a baseline on one set, counted by two tags."""
    rows = []
    for model, right in {**RIGHT, "random": {"entailment": 0, "non-entailment": 0}}.items():
        for by, tags in (("", {}), ("heuristic", {"heuristic": "overlap"}), ("genre", {"genre": "overlap"})):
            less = 5 if by == "genre" else 0
            counts = {gold: (count - less, N - less) for gold, count in right.items() if count >= less}
            counts["all"] = tuple(map(sum, zip(*counts.values(), strict=True))) if counts else (0, 1)
            for gold, (correct, n) in counts.items():
                low, high = wilson_interval(correct, n)
                figures = {
                    "n": n,
                    "correct": correct,
                    "accuracy": correct / n,
                    "low": float(low),
                    "high": float(high),
                }
                none = {"heuristic": None, "genre": None}
                rows.append(
                    {"set": "my.set", "model": model, "by": by, **none, **tags, "gold": gold, **figures}
                )
    models = [{"name": name, "baseline": name == "random"} for name in (*RIGHT, "random")]
    return Run(
        {"sets": [{"name": "my.set"}], "models": models}, pl.DataFrame(rows, infer_schema_length=None), ()
    )


def missed(*texts: str, low: bool = False) -> list[tuple[str, int]]:
    found = gates.find_missed_gates([gates.parse_gate(text, low=low) for text in texts], run())
    return [(one.model, one.cell.correct) for one in found]


def test_all_requested_models_are_checked() -> None:
    assert missed("my.set=0.7") == [("a:b", 40)]
    assert missed("my.set.non-entailment=0.5") == [("a:b", 10)]
    assert missed("my.set.non-entailment=0.7") == [("a:b", 10), ("c@d", 20)]
    assert missed("my.set.entailment=1") == []


def test_a_threshold_that_is_met_exactly_is_not_missed() -> None:
    third = Fraction(1, 3)
    assert gates.find_missed_gates([gates.Gate("a:b@my.set.non-entailment", third)], run()) == []
    assert missed("a:b@my.set.non-entailment=0.3333333333") == []
    assert missed("a:b@my.set.non-entailment=0.3333333334") == [("a:b", 10)]


def test_a_gate_can_be_for_one_model() -> None:
    assert missed("c@d@my.set.non-entailment=0.7") == [("c@d", 20)]
    assert missed("random@my.set=0.1") == [("random", 0)]


def test_the_lower_bound_can_be_checked() -> None:
    assert missed("c@d@my.set.non-entailment=0.6") == []
    assert missed("c@d@my.set.non-entailment=0.6", low=True) == [("c@d", 20)]


def test_parts_are_named_by_value_or_by_tag() -> None:
    assert missed("a:b@my.set.heuristic=overlap.non-entailment=0.4") == [("a:b", 10)]
    assert missed("a:b@my.set.genre=overlap.non-entailment=0.4") == [("a:b", 5)]
    with pytest.raises(InputError, match=r"'my\.set\.overlap'.*SET\.genre"):
        missed("my.set.overlap=0.5")


@pytest.mark.parametrize("text", ["hans", "=0.5", "hans=", "hans=half", "hans=1/0", "hans=nan", "hans=inf"])
def test_malformed_gates_are_refused(text: str) -> None:
    with pytest.raises(InputError, match=rf"{re.escape(repr(text))}.*SET=NUMBER"):
        gates.parse_gate(text)


@pytest.mark.parametrize("text", ["hans=50", "hans=-0.1", "hans=1.001"])
def test_thresholds_outside_0_to_1_are_refused(text: str) -> None:
    with pytest.raises(InputError, match=rf"{re.escape(repr(text))}.* 0 and 1"):
        gates.parse_gate(text)


def test_an_address_without_scores_is_refused_with_the_known_addresses() -> None:
    with pytest.raises(
        InputError,
        match=r"'my\.set\.neutral'.*: my\.set\.entailment, my\.set\.non-entailment, my\.set, ",
    ):
        missed("my.set.neutral=0.5")


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("my.sett.x=1", r"set .*'my\.sett\.x'.* my\.set\?"),
        ("c@d@my.sett=1", r"set .*'my\.sett'.* my\.set\?"),
        ("c@e@my.set=1", r"model .*'c@e'.* c@d\?"),
        ("randon@my.set.x=1", r"model .*'randon'.* random\?"),
    ],
)
def test_names_of_sets_and_models_are_checked_before_the_run(text: str, pattern: str) -> None:
    for good in ("my.set=1", "c@d@my.set.x=1", "my.set.anything=1"):
        gates.check_gate_names([gates.parse_gate(good)], ["my.set"], ["c@d", "random"])
    with pytest.raises(UnknownNameError, match=pattern):
        gates.check_gate_names([gates.parse_gate(text)], ["my.set"], ["c@d", "random"])


PAIRS = pl.DataFrame(
    {
        "label": ["entailment", "neutral", "contradiction", "entailment"],
        "subcase": ["one", "one", "two", "two"],
        "genre": ["fiction", "travel", "fiction", None],
    }
)


@pytest.mark.parametrize(
    "address",
    [
        "s",
        "s.neutral",
        "s.non-entailment",
        "s.one",
        "s.two.contradiction",
        "s.genre=travel.neutral",
        "m@s.fiction",
    ],
)
def test_parts_of_a_set_are_known_with_its_pairs(address: str) -> None:
    """Merged labels too, as predictions of two labels require."""
    parts = {"s": gates.list_gate_addresses("s", PAIRS, ("genre",))}
    gates.check_gate_addresses([gates.parse_gate(f"{address}=1")], parts, ["m"])


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("s.neutrall=1", r"set s .*'s\.neutrall'.* s\.neutral\b.*\?$"),
        ("m@s.one.neutral-ish=1", r"'s\.one\.neutral-ish'.* s\.one\.neutral\b.*\?$"),
        ("s.two.neutral=1", r"set s .*'s\.two\.neutral'.*\?$"),
        ("s.xyzzyxyzzyxyzzy=1", r"'s\.xyzzyxyzzyxyzzy'.*: s, s\.entailment, s\.neutral"),
        ("s.fiction=1", r"'s\.fiction'"),
    ],
)
def test_missing_parts_of_a_set_are_refused(text: str, pattern: str) -> None:
    with pytest.raises(InputError, match=pattern):
        gates.check_gate_addresses(
            [gates.parse_gate(text)], {"s": gates.list_gate_addresses("s", PAIRS)}, ["m"]
        )


def test_the_known_addresses_are_those_of_the_run(tmp_path: Path) -> None:
    """All addresses of a real run are known from its sets, and unmerged predictions add no others."""
    made = rightreasons.evaluate(
        "constant", sets="hans,stress/spelling", limit=60, by="genre", out=tmp_path / "run", baselines=False
    )
    for name in made.sets:
        pairs = rightreasons.generate(name, limit=60).pairs
        known = set(gates.list_gate_addresses(name, pairs, ("genre",)))
        found = {one for one in gates._collect_accuracies(made)["constant"] if one.startswith(name)}
        assert found <= known
        assert {one for one in known - found if "non-entailment" not in one} == set()


def test_the_command_writes_the_run_and_exits_with_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("evaluate", "rules:lexical-overlap", "--limit", 60, "--no-baselines")
    code, out, stderr = inside(*words, "--out", "run", "--fail-under", "hans.non-entailment=0.5")
    assert code == 1
    failed = stderr.strip().splitlines()[-1]
    assert re.match(r"Failed: rules:lexical-overlap .* hans\.non-entailment=0\.5: .* 0 of 30 ", failed)
    assert f"({_format_cell('run')})" in failed
    assert "run/report.html" in out
    ok = ("--fail-under", "hans.entailment=1", "--fail-under", "rules:lexical-overlap@hans=0.5")
    assert inside(*words, "--out", "other", *ok)[0] == 0
    low = ("--fail-under-low", "hans.entailment=0.99")
    assert inside(*words, "--out", "other", "--force", *low)[0] == 1


def _format_cell(folder: str) -> str:
    from rightreasons.core.formatting import Cell

    is_non_entailment = (pl.col("gold") == "non-entailment") & (pl.col("by") == "")
    row = read_run(Path(folder)).scores.row(by_predicate=is_non_entailment, named=True)
    return Cell(row["n"], row["correct"], row["low"], row["high"]).text()


def test_a_gate_for_an_unknown_set_is_refused_before_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("evaluate", "constant", "--limit", 60, "--out", "run")
    assert "'hanss'" in refused(inside, *words, "--fail-under", "hanss=0.5")
    assert "SET=NUMBER" in refused(inside, *words, "--fail-under", "hans")
    message = refused(inside, *words, "--fail-under", "constnt@hans=0.5")
    assert re.search(r"model of .*'constnt'.* constant\?$", message)
    message = refused(inside, *words, "--fail-under", "hans.lexical_overlp=0.5")
    assert re.search(r"'hans\.lexical_overlp'.* hans\.lexical_overlap\b.*\?$", message)
    message = refused(inside, *words, "--fail-under-low", "hans.zzzzzzzzzzzz=0.5")
    assert ": hans, hans.entailment, hans.non-entailment, hans.lexical_overlap" in message


def test_no_model_is_run_if_a_part_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loud.py").write_text(
        "def predict(premises, hypotheses):\n    open('calls', 'w')\n    return premises\n"
    )
    words = ("evaluate", "python:loud:predict", "--limit", 60, "--out", "run", "--fail-under")
    message = refused(child, *words, "hans.constituents=0.5")
    assert re.search(r"'hans\.constituents'.* hans\.constituent\b.*\?$", message)


def test_report_checks_gates_on_an_existing_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    inside("evaluate", "constant", "--limit", 60, "--no-baselines", "--out", "run")
    inside(
        "evaluate", "rules:subsequence", "--sets", "nps", "--limit", 60, "--no-baselines", "--out", "other"
    )
    gate = ("--fail-under", "hans.non-entailment=0.5")
    assert inside("report", "run", "--fail-under", "hans=0.5")[0] == 0
    code, _, stderr = inside("report", "run", *gate)
    assert code == 1
    *_, wrote, failed = stderr.strip().splitlines()
    assert "run/report.html" in wrote
    assert re.match(r"Failed: constant .* hans\.non-entailment=0\.5: .* 0 of 30 ", failed)
    assert inside("report", "other", "run", *gate, "--out", "both.html")[0] == 1
    assert "'nps'" in refused(inside, "report", "run", "--fail-under", "nps=0.5")
