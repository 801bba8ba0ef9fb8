"""Worker processes under a watchdog: a case that takes too long ends its worker, and another one goes on."""

from __future__ import annotations

import multiprocessing
import time
from collections import deque
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any

from fuzz.cases import CRASH, HANG, Result
from fuzz.execution import SECONDS
from fuzz.worker import BEGUN, STACK, case_folder, serve_cases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

LOADING_SECONDS = 180.0  # to start, to import what an area needs, to build what its cases share
GRACE_SECONDS = 2.0

Job = tuple[str, int]


@dataclass
class _Worker:
    """A process with the connection to it, what it does now, and until when it may."""

    process: Any
    connection: Connection
    job: Job | None = None
    deadline: float = 0.0

    def give(self, job: Job) -> None:
        self.job = job
        self.deadline = time.monotonic() + LOADING_SECONDS  # until it says that the case itself begins
        self.connection.send(job)


class Pool:
    """Runs jobs in worker processes; the results come as they are ready."""

    def __init__(
        self, folder: Path, *, workers: int, seed: int, seconds: float = SECONDS, plugin: str | None = None
    ) -> None:
        """Choose the folder that workers share; the plugin is a module with further areas."""
        self.folder, self.seed, self.plugin = folder, seed, plugin
        self.count, self.seconds = workers, seconds
        self.workers: list[_Worker] = []

    def run(self, jobs: Iterable[Job], report: Callable[[Result], None], until: float) -> int:
        """Run the jobs, and return how many were left when the time was over."""
        waiting = deque(jobs)
        while len(self.workers) < min(self.count, len(waiting)):
            self.workers.append(self._start())
        while waiting or any(worker.job for worker in self.workers):
            if time.monotonic() > until and waiting:
                left = len(waiting)
                waiting.clear()
                self._drain(report)
                return left
            for worker in self.workers:
                if worker.job is None and worker.deadline == 0 and waiting:
                    worker.give(waiting.popleft())
            self._step(report)
        return 0

    def _drain(self, report: Callable[[Result], None]) -> None:
        while any(worker.job for worker in self.workers):
            self._step(report)

    def _step(self, report: Callable[[Result], None]) -> None:
        """Wait for the next message or deadline, and deal with it."""
        now = time.monotonic()
        soonest = min((worker.deadline for worker in self.workers if worker.deadline), default=now + 1)
        ready = wait([worker.connection for worker in self.workers], timeout=max(0.01, soonest - now))
        for place, worker in enumerate(self.workers):
            if worker.connection in ready:
                try:
                    result = worker.connection.recv()
                except (EOFError, ConnectionResetError):
                    worker.process.join()
                    self._replace(place, report, CRASH, f"exit code {worker.process.exitcode}")
                    continue
                if result == BEGUN:
                    worker.deadline = time.monotonic() + self.seconds + GRACE_SECONDS
                    continue
                worker.job, worker.deadline = None, 0.0
                if result is not None:
                    report(result)
            elif worker.deadline and time.monotonic() > worker.deadline:
                worker.process.kill()
                worker.process.join()
                self._replace(place, report, HANG, f"stopped after {self.seconds:.0f} s")

    def _replace(self, place: int, report: Callable[[Result], None], kind: str, what: str) -> None:
        job = self.workers[place].job
        self.workers[place] = self._start()
        if job is None:
            raise RuntimeError(f"A worker can't start: {what}.")
        stack = case_folder(self.folder, *job) / STACK
        seen = stack.read_text(encoding="utf-8") if stack.exists() else ""
        report(Result(*job, kind, detail=f"{what}\n{seen}", seconds=self.seconds if kind == HANG else 0.0))

    def _start(self) -> _Worker:
        # Spawned, not forked: threads of polars don't survive a fork.
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(
            target=serve_cases, args=(theirs, self.folder, self.seed, self.seconds, self.plugin)
        )
        process.start()
        theirs.close()
        return _Worker(process, ours, deadline=time.monotonic() + LOADING_SECONDS)

    def close(self) -> None:
        """End the workers: each ends by itself when its connection is closed, or is killed."""
        for worker in self.workers:
            worker.connection.close()
        for worker in self.workers:
            worker.process.join(GRACE_SECONDS)
            worker.process.kill()
            worker.process.join()
