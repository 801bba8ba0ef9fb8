"""A worker process: it trains one model and predicts its test sets, skipping what is done already.

The worker pool starts it with the path of a job.json; it ends when its parent does.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rightreasons import inference
from rightreasons.core import registry
from rightreasons.core.errors import RightReasonsError
from rightreasons.core.parts import Trainer, get_class_hook
from rightreasons.io.locks import BusyError, hold_lock
from rightreasons.io.outputs import write_atomically
from rightreasons.io.polars_io import read_parquet, write_parquet
from rightreasons.io.signals import allow_interrupts, run_program
from rightreasons.training import train_model
from rightreasons.training.data import read_training_data

if TYPE_CHECKING:
    from collections.abc import Iterator

FAILED = 2
_GRACE = 0.6  # seconds from a signal to the end, so that the parent ends in time, too
_POLL = 1.0  # seconds between attempts to take a lock that another process holds


def run_job(job: dict[str, Any]) -> None:
    """Run a job: finished steps are skipped, unfinished ones resume from their checkpoints."""
    folder = Path(job["folder"])
    with _wait_for_lock(folder / "lock"):
        todo = [test for test in job["tests"] if not Path(test["predictions"]).exists()]
        if not Path(job["out"]).is_dir():
            _train_model(job, folder)
        elif todo:
            _refuse_overlap(job, todo)
        model = registry.make_model(job["model"], {}) if todo else None
        for test in todo:
            _predict_test_set(model, test, folder)


def _train_model(job: dict[str, Any], folder: Path) -> None:
    pairs: dict[str, Any] = {name: job[name] for name in ("train", "dev", "edits", "allow_overlap")}
    pairs["test"] = [test["file"] for test in job["tests"]]
    if get_class_hook(registry.get_trainer_class(job["trainer"]), "own_material", Trainer):
        pairs = {}
    trained = train_model(job["trainer"], job["options"], out=job["out"], **pairs)
    facts = {"seconds": round(trained.seconds, 1), "threads": job["threads"]}
    facts |= {"best": trained.best, "best_step": trained.best_step, "steps": trained.steps}
    _write_facts(folder / "trained.json", facts)


def _refuse_overlap(job: dict[str, Any], tests: list[dict[str, str]]) -> None:
    """Raise an error if a model that another experiment trained has seen pairs of these test sets."""
    files = [test["file"] for test in tests]
    read_training_data(job["train"], job["dev"], files, job["edits"], allow_overlap=job["allow_overlap"])


def _predict_test_set(model: Any, test: dict[str, str], folder: Path) -> None:
    place = Path(test["predictions"])
    place.parent.mkdir(exist_ok=True)
    journal = folder / "unfinished" / place.stem
    pairs = read_parquet(test["file"])
    start = time.perf_counter()
    result = inference.predict_pairs(model, pairs, journal)
    seconds = round(time.perf_counter() - start, 1)
    _write_facts(place.with_suffix(".json"), {"seconds": seconds, **result.facts})
    with write_atomically(place, force=True, internal=True) as part:
        write_parquet(result.predictions, part)
    shutil.rmtree(journal, ignore_errors=True)


def _write_facts(path: Path, facts: dict[str, Any]) -> None:
    with write_atomically(path, force=True, internal=True) as part:
        part.write_text(json.dumps(facts, indent=2, default=str) + "\n", encoding="utf-8")


@contextmanager
def _wait_for_lock(path: Path) -> Iterator[None]:
    """Hold the lock of a model's folder; wait while another experiment trains the same model."""
    while True:
        try:
            with hold_lock(path, remove=True):
                yield
                return
        except BusyError:
            time.sleep(_POLL)


def _end_with_parent() -> None:
    """End when the pipe from the parent closes, which happens even if the parent is killed."""
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGTERM)


def run_worker_process() -> None:
    """Run the job that the command line names, and end the process; it also ends with its parent."""
    run_program(_run_interruptible, _GRACE)


def _run_interruptible() -> int:
    # Ctrl-C reaches all processes of a terminal; the parent handles it and ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with allow_interrupts():
        return _run_named_job()


def _run_named_job() -> int:
    """Read the job and run it; an error of the package is the last line on standard error."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    try:
        import torch

        torch.set_num_threads(job["threads"])
        run_job(job)
    except RightReasonsError as error:
        sys.stderr.write(f"{error}\n")
        return FAILED
    return 0
