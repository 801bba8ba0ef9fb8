"""Execute batches one after another, or several at a time in threads."""

from __future__ import annotations

import time
from contextlib import suppress
from itertools import islice
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from rightreasons.core.errors import MissingPredictionsError
from rightreasons.io.signals import WORKER_PREFIX

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    import polars as pl

    PredictBatch: TypeAlias = Callable[[int], pl.DataFrame]
    Outcome: TypeAlias = tuple[int, pl.DataFrame | MissingPredictionsError]


STOP_TIMEOUT = 0.2  # seconds that threads get to end their batches after a failure or an interrupt


def execute_batches(
    predict_batch: PredictBatch, numbers: Sequence[int], workers: int, *, remote: bool = False
) -> Generator[Outcome]:
    """Predict batches by number and yield each outcome; after a final refusal or an error, no new batch is started.

    Close it, as by `contextlib.closing`: then no batch is begun any more, and those under way are waited for briefly.
    Threads that wait for a `remote` server are not waited for, and are dropped when the program ends. Those that
    compute end with their batch: a program that ended before would be aborted by the native code that they are in.
    """
    if workers > 1:
        return _execute_in_threads(predict_batch, numbers, min(workers, len(numbers)), remote=remote)
    return _execute_one_by_one(predict_batch, numbers)


def _execute_one_by_one(predict_batch: PredictBatch, numbers: Sequence[int]) -> Generator[Outcome]:
    for number in numbers:
        try:
            yield number, predict_batch(number)
        except MissingPredictionsError as error:
            yield number, error
            if error.final:
                return


def _execute_in_threads(
    predict_batch: PredictBatch, numbers: Sequence[int], workers: int, *, remote: bool
) -> Generator[Outcome]:
    """Keep up to `workers` batches under way, each in a thread."""
    todo: SimpleQueue[int | None] = SimpleQueue()
    done: SimpleQueue[tuple[int, pl.DataFrame | BaseException]] = SimpleQueue()
    threads = [
        Thread(
            target=_run_worker,
            args=(predict_batch, todo, done),
            daemon=remote,
            name=f"{WORKER_PREFIX}-{number}",
        )
        for number in range(workers)
    ]
    waiting = iter(numbers)
    under_way = 0
    failure: BaseException | None = None
    try:
        for thread in threads:
            thread.start()
        for number in islice(waiting, workers):
            todo.put(number)
            under_way += 1
        while under_way:
            number, outcome = done.get()
            under_way -= 1
            if isinstance(outcome, BaseException) and _is_final_error(outcome):
                waiting = iter(())  # but batches under way may still succeed
            for following in islice(waiting, 1):
                todo.put(following)
                under_way += 1
            if isinstance(outcome, MissingPredictionsError) or not isinstance(outcome, BaseException):
                yield number, outcome
            else:
                failure = failure or outcome
        if failure is not None:
            raise failure
    finally:
        _stop_threads(threads, todo, 0.0 if remote else STOP_TIMEOUT)


def _is_final_error(error: BaseException) -> bool:
    """Return whether an error ends the work: all do but those that one batch alone may have."""
    return not isinstance(error, MissingPredictionsError) or error.final


def _stop_threads(threads: Sequence[Thread], todo: SimpleQueue[int | None], seconds: float) -> None:
    """Take back what no thread has begun, and wait a little for the rest; at a normal end nothing is under way."""
    while not todo.empty():
        with suppress(Empty):
            todo.get_nowait()
    for _ in threads:
        todo.put(None)
    end = monotonic() + seconds
    for thread in threads:
        if thread.ident is not None:
            thread.join(max(0.0, end - monotonic()))


def _run_worker(
    predict_batch: PredictBatch,
    todo: SimpleQueue[int | None],
    done: SimpleQueue[tuple[int, pl.DataFrame | BaseException]],
) -> None:
    """Predict batches from the queue until None arrives."""
    while (number := todo.get()) is not None:
        try:
            done.put((number, predict_batch(number)))
        except BaseException as error:  # noqa: BLE001 - whoever waits raises it
            done.put((number, error))


T = TypeVar("T")


class Clock:
    """Times of loading and of prediction; speeds are compared by the latter only."""

    def __init__(self) -> None:
        """Start at zero."""
        self.loading = 0.0
        self.started = 0.0

    def time_loading(self, load: Callable[[], T]) -> T:
        """Call something that loads a model, and add its time."""
        begin = time.perf_counter()
        result = load()
        self.loading += time.perf_counter() - begin
        return result

    def start(self) -> None:
        """Start the clock of predicting."""
        self.started = time.perf_counter()

    def get_seconds(self) -> dict[str, float]:
        """Return the seconds so far."""
        return {"loading": self.loading, "seconds": time.perf_counter() - self.started}
