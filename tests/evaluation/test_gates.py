"""Gates: what they name, when they are missed, and what the command makes of that."""

from __future__ import annotations

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


def test_all_models_that_were_asked_for_must_reach_it() -> None:
    assert missed("my.set=0.7") == [("a:b", 40)]
    assert missed("my.set.non-entailment=0.5") == [("a:b", 10)]
    assert missed("my.set.non-entailment=0.7") == [("a:b", 10), ("c@d", 20)]
    assert missed("my.set.entailment=1") == []


def test_what_is_just_reached_is_reached() -> None:
    third = Fraction(1, 3)
    assert gates.find_missed_gates([gates.Gate("a:b@my.set.non-entailment", third)], run()) == []
    assert missed("a:b@my.set.non-entailment=0.3333333333") == []
    assert missed("a:b@my.set.non-entailment=0.3333333334") == [("a:b", 10)]


def test_a_gate_can_be_for_one_model() -> None:
    assert missed("c@d@my.set.non-entailment=0.7") == [("c@d", 20)]
    assert missed("random@my.set=0.1") == [("random", 0)]


def test_the_lower_end_can_be_held_to_it() -> None:
    assert missed("c@d@my.set.non-entailment=0.6") == []
    assert missed("c@d@my.set.non-entailment=0.6", low=True) == [("c@d", 20)]


def test_parts_are_named_by_value_or_by_tag() -> None:
    assert missed("a:b@my.set.heuristic=overlap.non-entailment=0.4") == [("a:b", 10)]
    assert missed("a:b@my.set.genre=overlap.non-entailment=0.4") == [("a:b", 5)]
    with pytest.raises(InputError, match="may mean several parts"):
        missed("my.set.overlap=0.5")


@pytest.mark.parametrize("text", ["hans", "=0.5", "hans=", "hans=half", "hans=1/0", "hans=nan", "hans=inf"])
def test_what_is_no_gate(text: str) -> None:
    with pytest.raises(InputError, match="is no gate"):
        gates.parse_gate(text)


@pytest.mark.parametrize("text", ["hans=50", "hans=-0.1", "hans=1.001"])
def test_a_share_is_from_0_to_1(text: str) -> None:
    with pytest.raises(InputError, match="not from 0 to 1"):
        gates.parse_gate(text)


def test_a_name_for_nothing_is_an_error_with_what_there_is() -> None:
    with pytest.raises(
        InputError,
        match=r"names nothing in the run. There are: my.set.entailment, my.set.non-entailment, my.set, ",
    ):
        missed("my.set.neutral=0.5")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("my.sett.x=1", r"no set of this run .*'my\.sett\.x'\. Did you mean my\.set"),
        ("c@d@my.sett=1", r"no set of this run .*'my\.sett'\. Did you mean my\.set"),
        ("c@e@my.set=1", r"no model of this run .*'c@e'\. Did you mean c@d"),
        ("randon@my.set.x=1", r"no model of this run .*'randon'\. Did you mean random"),
    ],
)
def test_names_of_sets_and_models_are_known_before_anything_is_made(text: str, told: str) -> None:
    for good in ("my.set=1", "c@d@my.set.x=1", "my.set.anything=1"):
        gates.check_gate_names([gates.parse_gate(good)], ["my.set"], ["c@d", "random"])
    with pytest.raises(UnknownNameError, match=told):
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
    """Merged labels too, as an answer of two labels would have it."""
    parts = {"s": gates.list_addresses("s", PAIRS, ("genre",))}
    gates.check_gate_addresses([gates.parse_gate(f"{address}=1")], parts, ["m"])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("s.neutrall=1", r"no part of the set s for the gate called 's\.neutrall'\. Did you mean s\.neutral"),
        ("m@s.one.neutral-ish=1", r"'s\.one\.neutral-ish'\. Did you mean s\.one\.neutral"),
        ("s.two.neutral=1", "no part of the set s"),
        ("s.xyzzyxyzzyxyzzy=1", r"names nothing in the run. There are: s, s\.entailment, s\.neutral"),
        ("s.fiction=1", "no part|names nothing"),
    ],
)
def test_parts_that_a_set_lacks_are_refused(text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        gates.check_gate_addresses([gates.parse_gate(text)], {"s": gates.list_addresses("s", PAIRS)}, ["m"])


def test_what_is_known_beforehand_is_what_the_run_has(tmp_path: Path) -> None:
    """All addresses of a real run are known from its sets, and with answers as they are no other ones."""
    made = rightreasons.evaluate(
        "constant", sets="hans,stress/spelling", limit=60, by="genre", out=tmp_path / "run", baselines=False
    )
    for name in made.sets:
        pairs = rightreasons.generate(name, limit=60).pairs
        known = set(gates.list_addresses(name, pairs, ("genre",)))
        found = {one for one in gates._collect_figures(made)["constant"] if one.startswith(name)}
        assert found <= known
        assert {one for one in known - found if "non-entailment" not in one} == set()


def test_the_command_writes_the_run_and_exits_with_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("evaluate", "rules:lexical-overlap", "--limit", 60, "--no-baselines")
    code, out, said = inside(*words, "--out", "run", "--fail-under", "hans.non-entailment=0.5")
    assert code == 1
    assert said.strip().splitlines()[-1] == (
        "Failed: rules:lexical-overlap missed the gate hans.non-entailment=0.5: the accuracy is below it, "
        f"0 of 30 are right ({_shown('run')})."
    )
    assert "Wrote the run to run" in out
    ok = ("--fail-under", "hans.entailment=1", "--fail-under", "rules:lexical-overlap@hans=0.5")
    assert inside(*words, "--out", "other", *ok)[0] == 0
    low = ("--fail-under-low", "hans.entailment=0.99")
    assert inside(*words, "--out", "other", "--force", *low)[0] == 1


def _shown(folder: str) -> str:
    from rightreasons.core.formatting import Cell

    of_others = (pl.col("gold") == "non-entailment") & (pl.col("by") == "")
    row = read_run(Path(folder)).scores.row(by_predicate=of_others, named=True)
    return Cell(row["n"], row["correct"], row["low"], row["high"]).text()


def test_a_gate_for_no_set_is_refused_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("evaluate", "constant", "--limit", 60, "--out", "run")
    assert "Did you mean hans" in refused(inside, *words, "--fail-under", "hanss=0.5")
    assert "is no gate" in refused(inside, *words, "--fail-under", "hans")
    assert "There is no model of this run for the gate called 'constnt'. Did you mean constant?" in refused(
        inside, *words, "--fail-under", "constnt@hans=0.5"
    )
    told = refused(inside, *words, "--fail-under", "hans.lexical_overlp=0.5")
    assert "Did you mean hans.lexical_overlap" in told
    told = refused(inside, *words, "--fail-under-low", "hans.zzzzzzzzzzzz=0.5")
    assert "There are: hans, hans.entailment, hans.non-entailment, hans.lexical_overlap" in told


def test_no_model_is_asked_if_a_part_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loud.py").write_text(
        "def answer(premises, hypotheses):\n    open('asked', 'w')\n    return premises\n"
    )
    words = ("evaluate", "python:loud:answer", "--limit", 60, "--out", "run", "--fail-under")
    assert "Did you mean hans.constituent" in refused(child, *words, "hans.constituents=0.5")


def test_a_run_that_is_there_can_be_held_to_gates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    inside("evaluate", "constant", "--limit", 60, "--no-baselines", "--out", "run")
    inside(
        "evaluate", "rules:subsequence", "--sets", "nps", "--limit", 60, "--no-baselines", "--out", "other"
    )
    gate = ("--fail-under", "hans.non-entailment=0.5")
    assert inside("report", "run", "--fail-under", "hans=0.5")[0] == 0
    code, _, said = inside("report", "run", *gate)
    assert code == 1
    *_, wrote, failed = said.strip().splitlines()
    assert wrote == "Wrote run/report.html."
    assert failed.startswith(
        "Failed: constant missed the gate hans.non-entailment=0.5: the accuracy is below it, 0 of 30"
    )
    assert inside("report", "other", "run", *gate, "--out", "both.html")[0] == 1
    assert "names nothing in the run" in refused(inside, "report", "run", "--fail-under", "nps=0.5")
