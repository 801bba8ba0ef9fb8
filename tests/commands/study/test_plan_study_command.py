"""`rightreasons study protocol|plan|simulate|power` on the command line."""

from __future__ import annotations

import csv
import io
import stat
from pathlib import Path

import pytest

from command_line import child, inside, refused
from rightreasons.people.exclusion import MEASURES
from rightreasons.people.protocol import read_protocol_text


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_protocol_is_printed_to_be_edited() -> None:
    code, out, _ = inside("study", "protocol", "hans")
    assert code == 0
    assert out == read_protocol_text("hans")
    Path("mine.toml").write_text(out.replace("each = 20", "each = 1"), encoding="utf-8")
    code, out, _ = inside("study", "plan", "hans-released", "--protocol", "mine.toml", "--out", "study")
    assert code == 0
    assert "114 items from 114 strata" in out


def test_protocols_are_listed() -> None:
    code, out, _ = inside("study", "protocol")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == [
        *("antonym-types", "error-types", "hans", "nps", "random-pair", "stress")
    ]


def test_a_plan_is_summarised() -> None:
    code, out, _ = inside("study", "plan", "nps", "--protocol", "nps", "--out", "study")
    assert code == 0
    assert out.splitlines() == [
        "200 items from 4 strata, 3 judgements of each: 600 in all.",
        "12 participants, each with 50 items and 4 controls.",
        "Excluded from the analysis, fixed from now on: controls_wrong > 1.",
        "Wrote the study to study.",
    ]
    assert stat.S_IMODE(Path("study/secrets.json").stat().st_mode) == 0o600


def test_the_help_explains_every_measure_of_exclusion_rules() -> None:
    _, out, _ = inside("study", "plan", "--help")
    assert set(MEASURES) <= {line.split()[0] for line in out.splitlines() if line.strip()}


def test_a_study_is_planned_simulated_and_used_as_a_pilot() -> None:
    assert inside("study", "plan", "nps", "--protocol", "nps", "--out", "study")[0] == 0
    code, out, _ = inside("study", "simulate", "study", "--mix", "careful=0.75,random=0.25")
    assert code == 0
    assert "12 simulated participants and 648 judgements" in out
    assert "--force" in refused_after("study", "simulate", "study")
    assert inside("study", "simulate", "study", "--seed", "1", "--force")[0] == 0
    code, out, _ = inside(
        *(
            "study",
            "power",
            "--from",
            "study",
            "--items",
            "100",
            "--judgements",
            "3,5",
            "--simulations",
            "50",
        ),
        "--csv",
    )
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["items"], row["judgements per item"]) for row in rows] == [("100", "3"), ("100", "5")]
    assert float(rows[0]["half-width"]) > float(rows[1]["half-width"]) > 0


def refused_after(*words: object) -> str:
    """Run a command that must fail where there are files already."""
    code, out, said = inside(*words)
    assert (code, out) == (2, "")
    assert said.startswith("Error: ")
    assert said.count("\n") == 1
    return said


def test_power_recommends_a_design() -> None:
    code, out, _ = inside("study", "power", "--width", "0.1", "--simulations", "100", "--judgements", "1,3")
    assert code == 0
    assert "Recommended, with the fewest judgements" in out
    assert "accuracy 0.76" in out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("plan", "nps", "--protocol", "hand", "--out", "s"), "hans"),
        (("plan", "nps", "--protocol", "none.toml", "--out", "s"), "none.toml"),
        (("plan", "odd", "--protocol", "hans", "--out", "s"), "'odd'"),
        (("plan", "nps", "--protocol", "hans", "--out", "s"), "'category'"),
        (("plan", "nps", "--protocol", "nps", "--each", "5000", "--out", "s"), "--each"),
        (("plan", "nps", "--protocol", "nps", "--judgements", "0", "--out", "s"), "judgements"),
        (("plan", "nps", "--protocol", "nps", "--out", "no/s"), "Create it first"),
        (("plan", "nps", "--protocol", "nps", "--out", "s", "-o", "odd=1"), "'odd'"),
        (("protocol", "odd"), "'odd'"),
        (("simulate", "none"), "study.json"),
        (("power", "--width", "2"), "half-width"),
        (("power", "--accuracy", "1"), "accuracy"),
        (("power", "--from", "none"), "study.json"),
        (("odd",), "'odd'"),
    ],
)
def test_bad_input_is_one_sentence(words: tuple[str, ...], says: str) -> None:
    assert says in refused(inside, "study", *words)


def test_repeated_ids_are_refused() -> None:
    Path("twice.csv").write_text(
        "id,premise,hypothesis,label\n1,a,b,entailment\n1,c,d,entailment\n", encoding="utf-8"
    )
    code, _, said = inside("study", "plan", "twice.csv", "--protocol", "stress", "--out", "s")
    assert code == 2
    assert "twice.csv, line 3" in said
    assert not Path("s").exists()


@pytest.mark.slow
def test_a_full_disk_leaves_nothing_behind() -> None:
    import subprocess
    import sys

    words = "study plan hans-released --protocol hans --out s"
    command = f"ulimit -f 20; {sys.executable} -m rightreasons {words}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "larger than the system allows" in done.stderr
    assert list(Path().iterdir()) == []


@pytest.mark.slow
def test_help_loads_neither_the_subcommands_nor_a_database() -> None:
    code, out, said = child("study", "--help")
    assert (code, said) == (0, "")
    assert {"plan", "power", "protocol", "simulate"} <= {
        line.split()[0] for line in out.splitlines() if line.strip()
    }


def test_without_a_subcommand_the_help_is_printed_line_by_line() -> None:
    _, out, said = inside("study")
    assert "\\n" not in out + said
    assert "  plan " in out + said
