"""The fuzz suite can fail: a planted fault of each kind is found and named; the same seed gives the same cases."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import planted_faults
from fuzz import __main__ as suite
from fuzz import execution, pool, summary, worker
from fuzz.areas import AREAS
from fuzz.cases import ACCEPTED, CRASH, HANG, LEFTOVER, MEMORY, REFUSED, TRACEBACK, WRONG, Result

ROOT = Path(__file__).parents[2]
WANTED = {
    "good": ACCEPTED,
    "refusal": REFUSED,
    "wrong-score": WRONG,
    "traceback": TRACEBACK,
    "hang": HANG,
    "leftover": LEFTOVER,
    "hidden": LEFTOVER,
    "two-errors": TRACEBACK,
    "memory": MEMORY,
    "crash": CRASH,
    "exit-code": TRACEBACK,
    "accepted": WRONG,
    "refused": WRONG,
    "unmakeable": CRASH,
}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    """Run every planted fault, each in a process of its own, since faults stay planted."""
    found: dict[str, Result] = {}
    for name in planted_faults.AREAS:
        folder = tmp_path_factory.mktemp(name)
        seconds = 4.0 if name == "hang" else execution.SECONDS
        workers = pool.Pool(folder, workers=1, seed=1, seconds=seconds, plugin="planted_faults")
        try:
            workers.run(
                [(name, 0)], lambda result: found.update({result.area: result}), time.monotonic() + 100
            )
        finally:
            workers.close()
        summary.keep_files(found[name], folder, folder / "kept", 1)
        assert (folder / "kept" / f"{name}-0" / "case.txt").read_text(encoding="utf-8")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", WANTED)
def test_a_planted_fault_is_detected(outcomes: dict[str, Result], name: str) -> None:
    result = outcomes[name]
    assert result.kind == WANTED[name], result
    assert result.failed == (WANTED[name] not in (ACCEPTED, REFUSED))


@pytest.mark.slow
def test_the_description_of_a_failure_has_its_command(outcomes: dict[str, Result]) -> None:
    assert "python -m fuzz --seed 1 --area wrong-score --case 0" in summary.describe(
        outcomes["wrong-score"], 1
    )
    assert "KeyError: 'planted'" in outcomes["traceback"].detail
    assert "planted_faults.py" in outcomes["hang"].detail, "the stack is shown"
    assert ".set.1234.part" in outcomes["leftover"].detail
    table = summary.summarise(list(outcomes.values()), list(WANTED), 0)
    assert re.findall(r"\d+", table.splitlines()[-1]) == ["2", "12"]


def test_cases_depend_on_seed_area_and_number_alone(tmp_path: Path) -> None:
    """The same in a process with another order of hashing; another seed gives other cases."""
    script = (
        "import sys; from pathlib import Path; from fuzz.areas import AREAS; from fuzz.worker import make_case\n"
        "for name in ('predictions', 'pairs', 'templates', 'names', 'commands'):\n"
        "    for number in range(40):\n"
        "        case = make_case(AREAS[name], number, int(sys.argv[1]), Path('/shared'))\n"
        "        print(ascii((case.about, case.words, sorted(case.files.items()))))\n"
    )
    texts = [
        subprocess.run(
            [sys.executable, "-c", script, seed],
            env={**os.environ, "PYTHONHASHSEED": hashing, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=True,
            cwd=tmp_path,
        ).stdout
        for seed, hashing in (("5", "1"), ("5", "2"), ("6", "1"))
    ]
    assert texts[0] == texts[1] != texts[2]


def test_every_area_has_its_share_and_a_short_run_meets_all() -> None:
    areas = list(AREAS.values())
    jobs = suite.plan_jobs(areas, None)
    assert len(jobs) == len(set(jobs)) >= 5000
    short = suite.plan_jobs(areas, 500)
    assert {name for name, _ in short[:100]} == set(AREAS)
    assert set(short) <= set(jobs), "a short run has the first cases of the long one"


def test_a_single_good_case_ends_with_0_and_bad_words_with_2(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        suite.main(["--case", "1"])
    assert stopped.value.code == 2
    with pytest.raises(SystemExit):
        suite.main(["--area", "nosuch"])
    assert "nosuch" in capfd.readouterr().err


def test_a_case_hangs_if_it_hangs_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On a busy machine a case may just be slow."""
    record = suite._Record(tmp_path, argparse.Namespace(keep=str(tmp_path / "kept"), seed=1, case=None))
    record.take(Result("names", 3, HANG))
    assert (record.results, [result.number for result in record.slow], record.close()) == ([], [3], 0)
    record.confirm(Result("names", 3, HANG, detail="stopped"))
    assert record.close() == 1
    assert "--area names --case 3" in capsys.readouterr().out


def test_standard_input_confirms_all_prompts(tmp_path: Path) -> None:
    """So a program that asks before it runs foreign code is found."""
    heard: list[str] = []
    outcome = execution.run_captured(lambda: heard.append(input()), tmp_path)
    assert (heard, outcome.code, outcome.trace) == (["y"], 0, "")
    assert worker.MEMORY_BYTES < 16 << 30
