"""Parts in child processes: side by side, killed and resumed, failing alone."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.experiments import run
from rightreasons.experiments.corpora import ExperimentCorpora
from rightreasons.experiments.declaration import ExperimentPart, TestSet
from rightreasons.experiments.learners import SCALES
from rightreasons.experiments.testsets import write_test_sets
from rightreasons.experiments.training_jobs import JobList
from rightreasons.experiments.worker_pool import CrashedPartError, PartError, WorkerPool
from rightreasons.io.locks import BusyError, hold_lock

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytest.importorskip("torch")

CORPORA = {"mnli-train": ["pocket"], "mnli-dev-matched": ["pocket"]}
SCRIPT = """
import json, sys
from rightreasons.experiments import run
run("hans-dose", out=sys.argv[1], scale="tiny", models=["cbow"], corpora=json.loads(sys.argv[2]), workers=1,
    allow_overlap=True)
"""


def make_jobs(folder: Path) -> JobList:
    corpora = ExperimentCorpora(CORPORA)
    tests = write_test_sets([TestSet("hans", set="hans-released")], corpora, SCALES["tiny"], folder / "sets")
    return JobList(folder / "models", corpora, SCALES["tiny"], tests, None)


def wait_for(there: Callable[[], bool], seconds: float = 120) -> None:
    stop = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < stop
        time.sleep(0.05)


@pytest.mark.slow
def test_a_part_that_fails_leaves_the_others_done(tmp_path: Path) -> None:
    jobs, lines = make_jobs(tmp_path), []
    wrong = ExperimentPart(
        "cbow", "mnli-train", edits=("withhold:subcases=ln_passive",), tests=("hans",), variant="bad"
    )
    good = jobs.add(ExperimentPart("cbow", "mnli-train", tests=("hans",)))
    bad = jobs.add(wrong)
    later = jobs.add(ExperimentPart("cbow", "mnli-train", variant="later", options={"start": wrong}))
    assert later.after == (bad.key,)
    with pytest.raises(PartError) as failed:
        WorkerPool(2, lines.append, allow_overlap=True).run(jobs.all)
    assert good.is_done
    assert not bad.is_trained
    assert re.match(r"2 of 3 .* CBOW, bad, seed 0: .*withhold .*'subcase'", str(failed.value))
    assert re.search(r"CBOW, later, seed 0: .* CBOW, bad, seed 0,", str(failed.value))
    assert sorted(line.split(":")[0] for line in lines) == ["CBOW, bad, seed 0", "CBOW, seed 0"]


@pytest.mark.parametrize(
    ("code", "kind"), [("raise TypeError('odd')", CrashedPartError), ("raise SystemExit(2)", PartError)]
)
def test_a_crashed_worker_is_not_an_input_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, kind: type[Exception]
) -> None:
    monkeypatch.setattr("rightreasons.experiments.worker_pool._WORKER", code)
    jobs = make_jobs(tmp_path)
    jobs.add(ExperimentPart("cbow", "mnli-train", tests=("hans",)))
    with pytest.raises(kind) as failed:
        WorkerPool(1, lambda _: None, allow_overlap=True).run(jobs.all)
    assert isinstance(failed.value, rr.RightReasonsError) == (kind is PartError)
    assert ("TypeError: odd" in str(failed.value)) == (kind is CrashedPartError)
    assert "Traceback" not in str(failed.value)


def test_finished_jobs_are_not_repeated(tmp_path: Path) -> None:
    jobs = make_jobs(tmp_path)
    job = jobs.add(ExperimentPart("cbow", "mnli-train", tests=("hans",)))
    assert job.expected_seconds > 1
    WorkerPool(0, lambda _: None, allow_overlap=True).run(jobs.all)
    predictions = pl.read_parquet(job.get_predictions_path(jobs.tests["hans"]))
    assert predictions.height == 120
    lines: list[str] = []
    WorkerPool(1, lines.append).run(jobs.all)
    assert lines == []


@pytest.mark.slow
def test_the_number_of_workers_does_not_change_weights(tmp_path: Path) -> None:
    """Sums over another number of threads differ in their last bits."""
    import torch

    before = torch.get_num_threads()
    found = []
    for workers in (0, 1):
        jobs = make_jobs(tmp_path / str(workers))
        job = jobs.add(ExperimentPart("cbow", "mnli-train"))
        torch.set_num_threads(2)
        try:
            WorkerPool(workers, lambda _: None, allow_overlap=True).run(jobs.all)
            assert torch.get_num_threads() == 2
        finally:
            torch.set_num_threads(before)
        card = json.loads((job.folder / "model" / "training.json").read_text(encoding="utf-8"))
        assert card["versions"]["threads"] == 1
        found.append((job.folder / "model" / "weights.safetensors").read_bytes())
    assert found[0] == found[1]


@pytest.mark.slow
def test_a_killed_experiment_resumes(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole" / "out", tmp_path / "cut" / "out"
    for out in (whole, cut):
        out.parent.mkdir()
    words = [sys.executable, "-c", SCRIPT, str(cut), json.dumps(CORPORA)]
    with subprocess.Popen(words, env=os.environ | {"OMP_NUM_THREADS": "1"}) as process:
        wait_for(lambda: len(list((cut.parent / "models").glob("*/trained.json"))) == 1)
        done = next((cut.parent / "models").glob("*/trained.json"))
        wait_for(lambda: bool(_others(done)))
        (begun,) = _others(done)
        process.send_signal(signal.SIGKILL)
    assert not cut.exists()
    before = done.stat().st_mtime_ns
    wait_for(lambda: _free(begun))  # the child ends with its parent
    for out in (whole, cut):
        run(
            "hans-dose",
            out=out,
            scale="tiny",
            models=["cbow"],
            corpora=CORPORA,
            workers=1,
            allow_overlap=True,
        )
    assert done.stat().st_mtime_ns == before
    assert not [path for path in cut.parent.rglob("*") if path.name == "lock" or path.name.startswith(".")]
    assert (whole / "table.csv").read_text(encoding="utf-8") == (cut / "table.csv").read_text(
        encoding="utf-8"
    )


def _others(done: Path) -> list[Path]:
    """List the locks of parts that are not done; the lock of one that is done is gone."""
    return [lock for lock in done.parent.parent.glob("*/lock") if lock.parent != done.parent]


def _free(lock: Path) -> bool:
    try:
        with hold_lock(lock):
            return True
    except BusyError:
        return False
