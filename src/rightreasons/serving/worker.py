"""The thread in which the model runs, one request at a time; a request that nobody waits for is not run."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, cast

from rightreasons.core.errors import MissingPredictionsError
from rightreasons.core.parts import complete_job
from rightreasons.io.signals import WORKER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import polars as pl

    from rightreasons.core.parts import BatchModel, Job, Model, Rows

    Work = Callable[[threading.Event], Mapping[str, Any]]

LAST_BATCH_SECONDS = 2.0


class ModelCrashError(Exception):
    """A model raised something that is no usual error, such as SystemExit; it must not end the server."""


class Worker:
    """Runs work in a thread of its own.

    The thread is a daemon: a batch that is being computed can't be interrupted, and must not keep the process alive.
    """

    def __init__(self) -> None:
        """Start the thread."""
        self.todo: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self.thread = threading.Thread(target=self._loop, name=f"{WORKER}-model", daemon=True)
        self.thread.start()

    async def run(self, work: Work) -> Mapping[str, Any]:
        """Run work when its turn comes; where whoever waits for it is cancelled, so is the work."""
        loop = asyncio.get_running_loop()
        outcome: asyncio.Future[Mapping[str, Any]] = loop.create_future()
        cancelled = threading.Event()

        def settle(result: Mapping[str, Any] | None, error: Exception | None) -> None:
            if outcome.done():
                return
            if error is not None:
                outcome.set_exception(error)
            else:
                outcome.set_result(result or {})

        def turn() -> None:
            if cancelled.is_set():
                return
            result, failure = None, None
            try:
                result = work(cancelled)
            except BaseException as error:  # noqa: BLE001 - whoever waits raises it, and this thread must go on
                failure = _fit_for_a_future(error)
            with suppress(RuntimeError):  # the server has stopped, and its loop is closed
                loop.call_soon_threadsafe(settle, result, failure)

        self.todo.put(turn)
        try:
            return await outcome
        finally:
            cancelled.set()

    def stop(self, seconds: float = LAST_BATCH_SECONDS) -> bool:
        """Wait for the batch under way to end; return whether it did."""
        self.todo.put(None)
        self.thread.join(seconds)
        return not self.thread.is_alive()

    def _loop(self) -> None:
        while (turn := self.todo.get()) is not None:
            turn()


def _fit_for_a_future(error: BaseException) -> Exception:
    """Wrap what can't be raised in the event loop: KeyboardInterrupt ends it, a future refuses StopIteration."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    crash = ModelCrashError(f"The model raised {type(error).__name__}: {error}")
    crash.__cause__ = error
    return crash


def make_cancellable(model: Model, cancelled: threading.Event) -> Model:
    """Have a model that predicts in batches begin no batch after a cancellation."""
    if not model.in_batches:
        return model
    return cast("Model", CancellableModel(cast("BatchModel", model), cancelled))


class CancellableModel:
    """A model whose batches are not begun after a cancellation; in all else it is the model itself."""

    def __init__(self, model: BatchModel, cancelled: threading.Event) -> None:
        """Choose the model, and what says that nobody waits for it any more."""
        self.model, self.cancelled = model, cancelled

    def __getattr__(self, name: str) -> Any:
        """Take everything else from the model."""
        return getattr(self.model, name)

    def prepare(self, pairs: pl.DataFrame) -> Any:
        """Make a job that can be cancelled."""
        return CancellableJob(complete_job(self.model.prepare(pairs)), self.cancelled)


class CancellableJob:
    """A job whose batches are not begun after a cancellation."""

    def __init__(self, job: Job, cancelled: threading.Event) -> None:
        """Choose the job."""
        self.job, self.cancelled = job, cancelled

    def __getattr__(self, name: str) -> Any:
        """Take everything else from the job."""
        return getattr(self.job, name)

    def predict_batch(self, rows: Rows) -> pl.DataFrame:
        """Predict one batch, unless nobody waits for it."""
        if self.cancelled.is_set():
            raise MissingPredictionsError("The request was cancelled. Send it again.", final=True)
        return self.job.predict_batch(rows)
