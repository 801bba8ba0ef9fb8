"""What a server does with its model: says what it is, checks requests, and answers their pairs."""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, cast

import polars as pl

from rightreasons import __version__
from rightreasons.core import labels
from rightreasons.core.errors import InputError, MissingPredictionsError
from rightreasons.core.parts import complete_job
from rightreasons.inference import predict_pairs
from rightreasons.io.signals import WORKER_PREFIX
from rightreasons.models.remote.endpoint import TALLIED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rightreasons.core.parts import BatchModel, Job, Model, Rows

    Work = Callable[[threading.Event], Mapping[str, Any]]


PREDICT = "/predict"
FIELDS = ("premise", "hypothesis")
FIRST = pl.DataFrame({"id": ["first"], "premise": ["The judge slept."], "hypothesis": ["Someone slept."]})


@dataclass(frozen=True)
class Limits:
    """How much a request may hold."""

    body: int = 8 << 20  # bytes of a request
    batch: int = 1024  # pairs of a request
    text: int = 100_000  # characters of a premise or a hypothesis: tokens take some hundred times the memory

    def __post_init__(self) -> None:
        """Refuse limits that let nothing through."""
        for name, value in asdict(self).items():
            if value < 1:
                raise InputError(f"The limit of a {name} can't be {value}. Give a number of at least 1.")


class RequestError(Exception):
    """A request that can't be answered as it is."""

    def __init__(self, status: int, message: str) -> None:
        """Say why, with the status that goes with it."""
        super().__init__(message)
        self.status = status


class Service:
    """One model, asked by many."""

    def __init__(self, model: Model, name: str, options: Mapping[str, Any], limits: Limits) -> None:
        """Look at the model: what can't be served or loaded is known before the first request."""
        self.model, self.name, self.limits = model, name, limits
        _check_servable(model)
        predict_pairs(model, FIRST)  # loads what there is to load, and shows what doesn't work
        self.fingerprint = {**_fingerprint(model, name, options), "rightreasons": __version__}
        self.digest = hashlib.sha256(json.dumps(self.fingerprint, sort_keys=True).encode()).hexdigest()
        self.labels = _labels(model)

    def card(self) -> dict[str, Any]:
        """Say what the model is."""
        return {
            "name": self.name,
            "fingerprint": self.fingerprint,
            "digest": self.digest,
            "labels": self.labels,
            "limits": asdict(self.limits),
            "needs": list(FIELDS),
        }

    def answer(self, pairs: pl.DataFrame, cancelled: threading.Event) -> dict[str, Any]:
        """Answer the pairs of a request; no batch is begun after it was cancelled.

        A model holds state, and all of the processor: this is never called twice at a time.
        """
        known = {"model": self.name, "digest": self.digest, "labels": self.labels}
        if pairs.is_empty():
            return {"answers": [], **known}
        asked = predict_pairs(
            make_cancellable(self.model, cancelled), pairs.unique("id", maintain_order=True)
        )
        written = dict(zip(asked.predictions["id"], _written(asked.predictions), strict=True))
        counts = {name: asked.facts[name] for name in TALLIED if name in asked.facts}
        return {"answers": [written[pair] for pair in pairs["id"]], **known, **counts}

    def read_pairs(self, document: Any) -> pl.DataFrame:
        """Read the pairs; their ids are digests of their texts, so that no prediction depends on the order."""
        given = document.get("pairs") if isinstance(document, dict) else None
        if not isinstance(given, list):
            raise RequestError(
                422, 'There is no list of pairs. Send {"pairs": [{"premise": ..., "hypothesis": ...}]}.'
            )
        if len(given) > self.limits.batch:
            raise RequestError(
                413, f"There are {len(given):,} pairs. Send at most {self.limits.batch:,} at a time."
            )
        texts = [_texts(number, pair, self.limits.text) for number, pair in enumerate(given)]
        ids = [hashlib.sha256(json.dumps(pair).encode()).hexdigest() for pair in texts]
        return pl.DataFrame(
            {"id": ids, **{field: [pair[place] for pair in texts] for place, field in enumerate(FIELDS)}},
            schema={"id": pl.String, **dict.fromkeys(FIELDS, pl.String)},
        )


def _check_servable(model: Model) -> None:
    """Refuse models that need more than two texts."""
    if model.needs:
        raise InputError(
            f"The model {model.name!r} needs {model.needs[0]}, which requests don't have. "
            f"{model.advice or 'Serve another one.'}"
        )
    if model.by_id:
        raise InputError(f"The model {model.name!r} looks predictions up by id. Serve another one.")


def _fingerprint(model: Model, name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what determines the predictions; without a fingerprint, name and options do."""
    return model.fingerprint() or {"model": name, "options": dict(options)}


def _labels(model: Model) -> list[str]:
    """List the labels that the model can predict, if it knows them."""
    order = model.labels or ()
    with suppress(InputError):  # a function that returns words has a head that can't be resolved
        head = model.head
        order = order if head is None else head.order or order
    return [label for label in labels.LABELS if label in order]


def _texts(number: int, pair: Any, most: int) -> tuple[str, str]:
    found = tuple(pair.get(field) if isinstance(pair, dict) else None for field in FIELDS)
    for field, text in zip(FIELDS, found, strict=True):
        if not isinstance(text, str):
            raise RequestError(
                422, f"Pair {number} has no text {field!r}. Give each pair a premise and a hypothesis."
            )
        if len(text) > most:
            raise RequestError(
                413,
                f"Pair {number}: the {field} has {len(text):,} characters. Send at most {most:,} in a text.",
            )
        if not _can_be_written(text):
            raise RequestError(
                422, f"Pair {number}: the {field} holds half a character. Send whole Unicode text."
            )
    return str(found[0]), str(found[1])


def _can_be_written(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _written(answers: pl.DataFrame) -> list[dict[str, Any]]:
    """Write answers as the protocol has them: what isn't known is left out."""
    names = {name: label for label, name in labels.PROBABILITIES.items() if name in answers.columns}
    written = []
    for row in answers.iter_rows(named=True):
        odds = {label: row[name] for name, label in names.items() if row[name] is not None}
        text = {} if row.get("text") is None else {"text": row["text"]}
        written.append({"label": row["label"], **({"probabilities": odds} if odds else {}), **text})
    return written


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
        self.thread = threading.Thread(target=self._loop, name=f"{WORKER_PREFIX}-model", daemon=True)
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
