"""What one child process does: train a model, unless that is done, and ask it the tests that it wasn't asked yet.

It is started by `crew` with the path of JOB.json, and ends when its parent does.
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

from rightreasons import inference as asking
from rightreasons import training
from rightreasons.core import registry
from rightreasons.core.errors import RightReasonsError
from rightreasons.core.parts import Trainer, get_class_hook
from rightreasons.io.locks import BusyError, hold_lock
from rightreasons.io.outputs import replacing
from rightreasons.io.polars_io import read_parquet, write_parquet
from rightreasons.io.signals import interruptible, run
from rightreasons.training.data import read_training_data

if TYPE_CHECKING:
    from collections.abc import Iterator

FAILED = 2
_GRACE = 0.6  # seconds from a signal to the end: the parent has to end in time, too
_WAIT = 1.0  # seconds between two looks at a lock that another process holds


def work(job: dict[str, Any]) -> None:
    """Do a job; what was done before is left alone, and what was begun goes on."""
    folder = Path(job["folder"])
    with _alone(folder / "lock"):
        todo = [test for test in job["tests"] if not Path(test["answers"]).exists()]
        if not Path(job["out"]).is_dir():
            _train(job, folder)
        elif todo:
            _refuse_overlap(job, todo)
        model = registry.make_model(job["model"], {}) if todo else None
        for test in todo:
            _ask(model, test, folder)


def _train(job: dict[str, Any], folder: Path) -> None:
    pairs: dict[str, Any] = {name: job[name] for name in ("train", "dev", "edits", "allow_overlap")}
    pairs["test"] = [test["file"] for test in job["tests"]]
    if get_class_hook(registry.trainer_class(job["trainer"]), "own_material", Trainer):
        pairs = {}
    trained = training.train(job["trainer"], out=job["out"], **pairs, **job["options"])
    facts = {"seconds": round(trained.seconds, 1), "threads": job["threads"]}
    facts |= {"best": trained.best, "best_step": trained.best_step, "steps": trained.steps}
    _write(folder / "trained.json", facts)


def _refuse_overlap(job: dict[str, Any], tests: list[dict[str, str]]) -> None:
    """Refuse tests that a model which another experiment trained has learnt pairs of."""
    files = [test["file"] for test in tests]
    read_training_data(job["train"], job["dev"], files, job["edits"], allow_overlap=job["allow_overlap"])


def _ask(model: Any, test: dict[str, str], folder: Path) -> None:
    place = Path(test["answers"])
    place.parent.mkdir(exist_ok=True)
    journal = folder / "asking" / place.stem
    pairs = read_parquet(test["file"])
    start = time.perf_counter()
    answered = asking.ask(model, pairs, journal)
    _write(place.with_suffix(".json"), {"seconds": round(time.perf_counter() - start, 1), **answered.facts})
    with replacing(place, force=True, internal=True) as part:
        write_parquet(answered.answers, part)
    shutil.rmtree(journal, ignore_errors=True)


def _write(path: Path, facts: dict[str, Any]) -> None:
    with replacing(path, force=True, internal=True) as part:
        part.write_text(json.dumps(facts, indent=2, default=str) + "\n", encoding="utf-8")


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold the lock of a model's folder; another experiment may be training the same one, and is waited for."""
    while True:
        try:
            with hold_lock(path, remove=True):
                yield
                return
        except BusyError:
            time.sleep(_WAIT)


def _end_with_parent() -> None:
    """End when the pipe from the parent closes, which it does even if the parent is killed."""
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGTERM)


def start() -> None:
    """Do the job that the command line names, and end the process; it ends with its parent, too."""
    run(_start, _GRACE)


def _start() -> int:
    # Ctrl-C goes to all processes of a terminal; the parent hears it, and ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with interruptible():
        return main()


def main() -> int:
    """Read the job and do it; what the library says no to is the last line on standard error."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    try:
        import torch

        torch.set_num_threads(job["threads"])
        work(job)
    except RightReasonsError as error:
        sys.stderr.write(f"{error}\n")
        return FAILED
    return 0
