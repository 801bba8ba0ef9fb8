"""The worker pool: jobs in parallel worker processes, with an estimate of the time left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import RightReasonsError
from rightreasons.core.progress import show_progress, track_progress
from rightreasons.experiments.worker import FAILED, run_job
from rightreasons.io.interrupts import report_kept_work

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from rightreasons.experiments.training_jobs import ExperimentJob

LOG = "log.txt"
KEPT = "trained models and predictions are kept; repeat the command to resume."
THREADS = 1  # per worker: the number of threads changes the weights, the number of workers must not
_PATIENCE = 0.9  # seconds that workers get to end; their own grace period is shorter
_POLL = 0.1  # seconds between checks of the workers
_ALMOST = 0.95  # the most that a running job counts as done
_LINES = 3  # of a log that an error quotes
# Not `python -m`: Python warns about modules that their package has imported already.
_WORKER = "from rightreasons.experiments.worker import run_worker_process; run_worker_process()"
UNCAUGHT = 1  # the exit code of a worker that ended with a traceback


class PartError(RightReasonsError):
    """A part of an experiment failed."""


class CrashedPartError(RuntimeError):
    """A worker process ended in an unexpected error: a bug, so not an error of the package."""


@dataclass
class _RunningWorker:
    job: ExperimentJob
    process: subprocess.Popen[bytes]
    expected_seconds: float
    start: float = field(default_factory=time.monotonic)

    @property
    def spent(self) -> float:
        return time.monotonic() - self.start


class WorkerPool:
    """Runs jobs in worker processes."""

    def __init__(self, workers: int, say: Callable[[str], None], *, allow_overlap: bool = False) -> None:
        """Take the number of workers (0 runs all jobs in this process), and a function that reports finished jobs."""
        self.workers, self.say, self.allow_overlap = workers, say, allow_overlap
        self.threads = THREADS
        self.failed: dict[str, str] = {}
        self.running: list[_RunningWorker] = []
        self.crashed = False  # whether a worker ended in an unexpected error
        self.measured: list[tuple[float, float]] = []  # seconds that jobs took, and that were expected

    def run(self, jobs: Mapping[str, ExperimentJob]) -> None:
        """Run all jobs; if some fail, the others are still run."""
        with report_kept_work(lambda: KEPT):
            self._run_jobs(jobs)

    def _run_jobs(self, jobs: Mapping[str, ExperimentJob]) -> None:
        waiting = [job for job in jobs.values() if not job.is_done]
        if not self.workers:
            from rightreasons.training.loop import limit_threads

            for job in track_progress(waiting, len(waiting), "parts"):
                with limit_threads(self.threads):
                    run_job(json.loads(self._write_job_file(job).read_text(encoding="utf-8")))
            return
        known, done = sum(job.expected_seconds for job in waiting), 0.0
        total, shown = len(waiting), 0
        with show_progress(max(1, round(known)), f"{total} parts") as advance:
            try:
                while waiting or self.running:
                    waiting = self._start_ready_jobs(waiting, jobs)
                    time.sleep(_POLL)
                    for worker in self._collect_ended_workers():
                        done += worker.expected_seconds
                        left = self._estimate_seconds_left(waiting)
                        ended = total - len(waiting) - len(self.running)
                        self.say(_describe_ended_worker(worker, ended, total, left))
                    begun = sum(
                        min(_ALMOST * worker.expected_seconds, worker.spent) for worker in self.running
                    )
                    now = round(min(known, done + begun))
                    advance(now - shown)
                    shown = now
            finally:
                self._stop_workers()
        if self.failed:
            reasons = " ".join(f"{name}: {reason}" for name, reason in self.failed.items())
            kind = CrashedPartError if self.crashed else PartError
            raise kind(f"{len(self.failed)} of {total} parts failed. {reasons} Fix the cause; {KEPT}")

    def _start_ready_jobs(
        self, waiting: Sequence[ExperimentJob], jobs: Mapping[str, ExperimentJob]
    ) -> list[ExperimentJob]:
        """Start jobs whose dependencies are trained while there are free workers; return the other jobs."""
        rest = []
        for job in waiting:
            lost = [key for key in job.after if jobs[key].name in self.failed]
            if lost:
                self.failed[job.name] = f"it starts from {jobs[lost[0]].name}, which failed."
            elif len(self.running) < self.workers and all(jobs[key].is_trained for key in job.after):
                self.running.append(
                    _RunningWorker(job, self._start_worker_process(job), job.expected_seconds)
                )
            else:
                rest.append(job)
        return rest

    def _start_worker_process(self, job: ExperimentJob) -> subprocess.Popen[bytes]:
        spec = self._write_job_file(job)
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
                [sys.executable, "-c", _WORKER, str(spec)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=environment,
            )

    def _write_job_file(self, job: ExperimentJob) -> Path:
        """Write the specification of a job for its worker."""
        job.folder.mkdir(parents=True, exist_ok=True)
        spec = job.folder / "job.json"
        spec.write_text(json.dumps(self._make_spec(job), indent=2, default=str) + "\n", encoding="utf-8")
        return spec

    def _make_spec(self, job: ExperimentJob) -> dict[str, Any]:
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
                {"name": name, "file": str(test.file), "predictions": str(job.get_predictions_path(test))}
                for name, test in job.tests.items()
            ],
        }

    def _collect_ended_workers(self) -> list[_RunningWorker]:
        """Remove the workers that ended, and record which of them failed."""
        ended = [worker for worker in self.running if worker.process.poll() is not None]
        for worker in ended:
            self.running.remove(worker)
            if worker.process.stdin is not None:
                worker.process.stdin.close()
            if worker.process.returncode == 0:
                self.measured.append((worker.spent, worker.expected_seconds))
            else:
                self.failed[worker.job.name] = _quote_log_end(worker)
                self.crashed = self.crashed or worker.process.returncode == UNCAUGHT
        return ended

    def _estimate_seconds_left(self, waiting: Sequence[ExperimentJob]) -> float:
        """Estimate the seconds left, corrected by the error of the estimates so far."""
        took, expected = (
            (sum(numbers) for numbers in zip(*self.measured, strict=True)) if self.measured else (1, 1)
        )
        ratio = took / expected
        begun = sum(max(0.0, worker.expected_seconds * ratio - worker.spent) for worker in self.running)
        return (begun + ratio * sum(job.expected_seconds for job in waiting)) / self.workers

    def _stop_workers(self) -> None:
        """Terminate the running workers, and kill those that do not end in time; their checkpoints are kept."""
        for worker in self.running:
            worker.process.terminate()
        end = time.monotonic() + _PATIENCE
        for worker in self.running:
            try:
                worker.process.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                worker.process.kill()
                worker.process.wait()
        self.running.clear()


def _describe_ended_worker(worker: _RunningWorker, done: int, total: int, left: float) -> str:
    name, status = worker.job.name, "done" if worker.process.returncode == 0 else "FAILED"
    spent, rest = _format_seconds(worker.spent), _format_seconds(left)
    return f"{name}: {status} after {spent}; {done} of {total} parts, about {rest} left."


def _format_seconds(seconds: float) -> str:
    """Format a time in the largest unit of which it has at least 1.5."""
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= 1.5 * length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.0f} s"


def _quote_log_end(worker: _RunningWorker) -> str:
    """Quote the end of a worker's log."""
    code, log = worker.process.returncode, worker.job.folder / LOG
    lines = [line for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    if code == FAILED and lines:
        return lines[-1]
    last = lines[-1:] if code == UNCAUGHT else lines[-_LINES:]  # the last line of a traceback is its error
    return f"the worker process ended with code {code} ({' / '.join(last)}); see {log}."
