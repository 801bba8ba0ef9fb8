"""Whose turn it is: batches are answered one after another, or several at a time in threads."""

from __future__ import annotations

from itertools import islice
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, TypeAlias

from rightreasons.jobs import UnansweredError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import polars as pl

    Answer: TypeAlias = Callable[[int], pl.DataFrame]
    Outcome: TypeAlias = tuple[int, pl.DataFrame | UnansweredError]


def outcomes(answer: Answer, numbers: Sequence[int], workers: int) -> Iterator[Outcome]:
    """Answer batches by number and give what became of each; after a final refusal or an error no new one is begun."""
    if workers > 1:
        return _side_by_side(answer, numbers, min(workers, len(numbers)))
    return _one_by_one(answer, numbers)


def _one_by_one(answer: Answer, numbers: Sequence[int]) -> Iterator[Outcome]:
    for number in numbers:
        try:
            yield number, answer(number)
        except UnansweredError as error:
            yield number, error
            if error.final:
                return


def _side_by_side(answer: Answer, numbers: Sequence[int], workers: int) -> Iterator[Outcome]:
    """Keep so many batches under way; the threads are daemons, so that none outlives an interrupt."""
    todo: SimpleQueue[int | None] = SimpleQueue()
    done: SimpleQueue[tuple[int, pl.DataFrame | BaseException]] = SimpleQueue()
    for _ in range(workers):
        Thread(target=_work, args=(answer, todo, done), daemon=True).start()
    waiting = iter(numbers)
    under_way = 0
    failure: BaseException | None = None
    try:
        for number in islice(waiting, workers):
            todo.put(number)
            under_way += 1
        while under_way:
            number, outcome = done.get()
            under_way -= 1
            if isinstance(outcome, BaseException) and getattr(outcome, "final", True):
                waiting = iter(())  # but what is under way may still be answered
            for following in islice(waiting, 1):
                todo.put(following)
                under_way += 1
            if isinstance(outcome, UnansweredError) or not isinstance(outcome, BaseException):
                yield number, outcome
            else:
                failure = failure or outcome
        if failure is not None:
            raise failure
    finally:
        for _ in range(workers):
            todo.put(None)


def _work(
    answer: Answer,
    todo: SimpleQueue[int | None],
    done: SimpleQueue[tuple[int, pl.DataFrame | BaseException]],
) -> None:
    """Answer what is to be done until told to stop."""
    while (number := todo.get()) is not None:
        try:
            done.put((number, answer(number)))
        except BaseException as error:  # noqa: BLE001 - whoever waits raises it
            done.put((number, error))
