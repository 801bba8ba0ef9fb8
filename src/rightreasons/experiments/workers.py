"""Children side by side: each does one job at a time, and the time left is estimated from how long others took."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import RightReasonsError
from rightreasons.core.progress import progress, track
from rightreasons.experiments.worker import FAILED, work
from rightreasons.io.interrupts import keeping

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from rightreasons.experiments.jobs import ExperimentJob

LOG = "log.txt"
KEPT = "what was trained and answered so far is kept, and the same command goes on from there."
THREADS = (
    1  # of each part: another number gives other weights, and how many workers there are must not decide
)
_PATIENCE = 0.9  # seconds that children get to end; they are asked to take less
_LOOK = 0.1  # seconds between two looks at the children
_ALMOST = 0.95  # a job counts as this far done at most, before it is
_LINES = 3  # of a log that an error quotes
# Not as a module of its own: this package has imported it by then, of which Python warns.
_CHILD = "from rightreasons.experiments.worker import start; start()"
UNCAUGHT = 1  # the exit code of a worker that Python ended with a traceback


class PartError(RightReasonsError):
    """A part of an experiment failed."""


class CrashedPartError(RuntimeError):
    """A worker process ended in an error that nobody foresaw: not the input's fault, so no error of the package."""


@dataclass
class _Child:
    job: ExperimentJob
    process: subprocess.Popen[bytes]
    expected: float
    start: float = field(default_factory=time.monotonic)

    @property
    def spent(self) -> float:
        return time.monotonic() - self.start


class Crew:
    """Runs jobs in child processes, so many at a time."""

    def __init__(self, workers: int, say: Callable[[str], None], *, allow_overlap: bool = False) -> None:
        """Take the number of workers, 0 for this process, and a function that tells the user what was done."""
        self.workers, self.say, self.allow_overlap = workers, say, allow_overlap
        self.threads = THREADS
        self.failed: dict[str, str] = {}
        self.children: list[_Child] = []
        self.crashed = False  # whether a worker ended in an error that nobody foresaw
        self.measured: list[tuple[float, float]] = []  # seconds that a job took, and that were expected

    def do(self, jobs: Mapping[str, ExperimentJob]) -> None:
        """Do all jobs; where some fail, the others are done all the same, and kept."""
        with keeping(lambda: KEPT):
            self._do(jobs)

    def _do(self, jobs: Mapping[str, ExperimentJob]) -> None:
        waiting = [job for job in jobs.values() if not job.done]
        if not self.workers:
            from rightreasons.training.loop import limit_threads

            for job in track(waiting, len(waiting), "parts"):
                with limit_threads(self.threads):
                    work(json.loads(self._written(job).read_text(encoding="utf-8")))
            return
        known, done = sum(job.expected for job in waiting), 0.0
        total, shown = len(waiting), 0
        with progress(max(1, round(known)), f"{total} parts") as advance:
            try:
                while waiting or self.children:
                    waiting = self._started(waiting, jobs)
                    time.sleep(_LOOK)
                    for child in self._ended():
                        done += child.expected
                        left = self._left(waiting)
                        self.say(_line(child, total - len(waiting) - len(self.children), total, left))
                    now = round(min(known, done + sum(self._part(child) for child in self.children)))
                    advance(now - shown)
                    shown = now
            finally:
                self._stop()
        if self.failed:
            told = " ".join(f"{name}: {reason}" for name, reason in self.failed.items())
            kind = CrashedPartError if self.crashed else PartError
            raise kind(
                f"{len(self.failed)} of {total} parts failed. {told} Mend that, and give the same command: {KEPT}"
            )

    def _started(
        self, waiting: Sequence[ExperimentJob], jobs: Mapping[str, ExperimentJob]
    ) -> list[ExperimentJob]:
        """Start as many jobs as there is room for, of those that wait for no other; give the rest."""
        rest = []
        for job in waiting:
            lost = [key for key in job.after if jobs[key].name in self.failed]
            if lost:
                self.failed[job.name] = f"it starts from {jobs[lost[0]].name}, which failed."
            elif len(self.children) < self.workers and all(jobs[key].trained for key in job.after):
                self.children.append(_Child(job, self._child(job), job.expected))
            else:
                rest.append(job)
        return rest

    def _child(self, job: ExperimentJob) -> subprocess.Popen[bytes]:
        spec = self._written(job)
        threads = str(self.threads)
        names = (
            "OMP_NUM_THREADS",
            "MKL_NUM_THREADS",
            "OPENBLAS_NUM_THREADS",
            "POLARS_MAX_THREADS",
            "RAYON_NUM_THREADS",
        )
        environment = os.environ | dict.fromkeys(names, threads) | {"TOKENIZERS_PARALLELISM": "false"}
        with (job.folder / LOG).open("wb") as log:
            return subprocess.Popen(  # noqa: S603 - our own module, and no shell
                [sys.executable, "-c", _CHILD, str(spec)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=environment,
            )

    def _written(self, job: ExperimentJob) -> Path:
        """Write a job down for the child to read."""
        job.folder.mkdir(parents=True, exist_ok=True)
        spec = job.folder / "job.json"
        spec.write_text(json.dumps(self._spec(job), indent=2, default=str) + "\n", encoding="utf-8")
        return spec

    def _spec(self, job: ExperimentJob) -> dict[str, Any]:
        return {
            "name": job.name,
            "folder": str(job.folder),
            "out": str(job.folder / "model"),
            "model": job.model,
            "trainer": job.trainer,
            "train": str(job.training.train),
            "dev": str(job.training.dev),
            "edits": list(job.edits),
            "options": job.options,
            "threads": self.threads,
            "allow_overlap": self.allow_overlap,
            "identity": job.identity,
            "tests": [
                {"name": name, "file": str(asked.file), "answers": str(job.answers(asked))}
                for name, asked in job.tests.items()
            ],
        }

    def _ended(self) -> list[_Child]:
        """Take the children that ended off the list, and note those that failed."""
        ended = [child for child in self.children if child.process.poll() is not None]
        for child in ended:
            self.children.remove(child)
            if child.process.stdin is not None:
                child.process.stdin.close()
            if child.process.returncode == 0:
                self.measured.append((child.spent, child.expected))
            else:
                self.failed[child.job.name] = _reason(child)
                self.crashed = self.crashed or child.process.returncode == UNCAUGHT
        return ended

    def _left(self, waiting: Sequence[ExperimentJob]) -> float:
        """Estimate the seconds left, by how far estimates were off so far."""
        took, expected = (
            (sum(numbers) for numbers in zip(*self.measured, strict=True)) if self.measured else (1, 1)
        )
        ratio = took / expected
        begun = sum(max(0.0, child.expected * ratio - child.spent) for child in self.children)
        return (begun + ratio * sum(job.expected for job in waiting)) / self.workers

    def _part(self, child: _Child) -> float:
        """Say how much of a running job may be done."""
        return min(_ALMOST * child.expected, child.spent)

    def _stop(self) -> None:
        """End the children that still run, in order if they manage it soon; what they kept is taken up next time."""
        for child in self.children:
            child.process.terminate()
        end = time.monotonic() + _PATIENCE
        for child in self.children:
            try:
                child.process.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                child.process.kill()
                child.process.wait()
        self.children.clear()


def _line(child: _Child, done: int, total: int, left: float) -> str:
    what = "done" if child.process.returncode == 0 else "FAILED"
    return f"{child.job.name}: {what} after {_clock(child.spent)}; {done} of {total} parts, about {_clock(left)} left."


def _clock(seconds: float) -> str:
    """Show a time in the largest unit that it has at least one and a half of."""
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= 1.5 * length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.0f} s"


def _reason(child: _Child) -> str:
    """Quote the end of a child's log."""
    log = child.job.folder / LOG
    lines = [line for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    if child.process.returncode == FAILED and lines:
        return lines[-1]
    last = (
        lines[-1:] if child.process.returncode == UNCAUGHT else lines[-_LINES:]
    )  # a traceback ends in its error
    return f"it ended with code {child.process.returncode} ({' / '.join(last)}); see {log}."
