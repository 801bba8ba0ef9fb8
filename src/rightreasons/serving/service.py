"""What a server does with its model: describe it, check requests, and predict their pairs."""

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
from rightreasons.models.remote.endpoint_base import COUNTED_FACTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rightreasons.core.parts import BatchModel, Job, Model, Rows

    Work = Callable[[threading.Event], Mapping[str, Any]]


PREDICT = "/predict"
FIELDS = ("premise", "hypothesis")
FIRST_PAIR = pl.DataFrame(
    {"id": ["first"], "premise": ["The judge slept."], "hypothesis": ["Someone slept."]}
)


@dataclass(frozen=True)
class RequestLimits:
    """The maximum sizes of a request."""

    body: int = 8 << 20  # bytes of a request
    batch: int = 1024  # pairs of a request
    text: int = 100_000  # characters of a premise or a hypothesis: tokens take some hundred times the memory

    def __post_init__(self) -> None:
        """Refuse limits below 1."""
        for name, value in asdict(self).items():
            if value < 1:
                raise InputError(f"The limit {name} is {value}. Use at least 1.")


class RequestError(Exception):
    """A request that is refused."""

    def __init__(self, status: int, message: str) -> None:
        """Set the status of the response and its message."""
        super().__init__(message)
        self.status = status


class Service:
    """One model, shared by all requests."""

    def __init__(self, model: Model, name: str, options: Mapping[str, Any], limits: RequestLimits) -> None:
        """Check and load the model, so that errors are noticed before the first request."""
        self.model, self.name, self.limits = model, name, limits
        _refuse_unservable_model(model)
        predict_pairs(model, FIRST_PAIR)  # loads the model, and raises if it doesn't work
        self.fingerprint = {**_get_fingerprint(model, name, options), "rightreasons": __version__}
        self.digest = hashlib.sha256(json.dumps(self.fingerprint, sort_keys=True).encode()).hexdigest()
        self.labels = _list_known_labels(model)

    def make_card(self) -> dict[str, Any]:
        """Describe the model: its fingerprint, labels and limits."""
        return {
            "name": self.name,
            "fingerprint": self.fingerprint,
            "digest": self.digest,
            "labels": self.labels,
            "limits": asdict(self.limits),
            "needs": list(FIELDS),
        }

    def predict(self, pairs: pl.DataFrame, cancelled: threading.Event) -> dict[str, Any]:
        """Predict the pairs of a request; after a cancellation no further batch is started.

        A model has state, and uses the whole processor: two calls never run at the same time.
        """
        header = {"model": self.name, "digest": self.digest, "labels": self.labels}
        if pairs.is_empty():
            return {"answers": [], **header}
        result = predict_pairs(
            make_cancellable(self.model, cancelled), pairs.unique("id", maintain_order=True)
        )
        formatted = dict(zip(result.predictions["id"], _format_predictions(result.predictions), strict=True))
        counts = {name: result.facts[name] for name in COUNTED_FACTS if name in result.facts}
        return {"answers": [formatted[pair] for pair in pairs["id"]], **header, **counts}

    def parse_pairs(self, document: Any) -> pl.DataFrame:
        """Read the pairs; their ids are digests of their texts, so that no prediction depends on the order."""
        items = document.get("pairs") if isinstance(document, dict) else None
        if not isinstance(items, list):
            raise RequestError(
                422,
                'The request has no list of pairs. Send {"pairs": [{"premise": ..., "hypothesis": ...}]}.',
            )
        if len(items) > self.limits.batch:
            raise RequestError(
                413, f"The request has {len(items):,} pairs. Send at most {self.limits.batch:,} per request."
            )
        texts = [_parse_pair_texts(number, pair, self.limits.text) for number, pair in enumerate(items)]
        ids = [hashlib.sha256(json.dumps(pair).encode()).hexdigest() for pair in texts]
        return pl.DataFrame(
            {"id": ids, **{field: [pair[place] for pair in texts] for place, field in enumerate(FIELDS)}},
            schema={"id": pl.String, **dict.fromkeys(FIELDS, pl.String)},
        )


_SERVE_ANOTHER = "Serve a different model."


def _refuse_unservable_model(model: Model) -> None:
    """Refuse models that need more than two texts."""
    if model.needs:
        raise InputError(
            f"The model {model.name!r} needs the column {model.needs[0]}, which requests don't have. "
            f"{model.advice or _SERVE_ANOTHER}"
        )
    if model.by_id:
        raise InputError(f"The model {model.name!r} looks up predictions by id. {_SERVE_ANOTHER}")


def _get_fingerprint(model: Model, name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what determines the predictions; without a fingerprint, name and options do."""
    return model.fingerprint() or {"model": name, "options": dict(options)}


def _list_known_labels(model: Model) -> list[str]:
    """List the labels that the model can predict, if it knows them."""
    order = model.labels or ()
    with suppress(InputError):  # a function that returns words has a head that can't be resolved
        head = model.head
        order = order if head is None else head.order or order
    return [label for label in labels.LABELS if label in order]


def _parse_pair_texts(number: int, pair: Any, most: int) -> tuple[str, str]:
    texts = tuple(pair.get(field) if isinstance(pair, dict) else None for field in FIELDS)
    for field, text in zip(FIELDS, texts, strict=True):
        if not isinstance(text, str):
            raise RequestError(
                422, f"Pair {number} has no string {field!r}. Send a premise and a hypothesis for each pair."
            )
        if len(text) > most:
            raise RequestError(
                413,
                f"Pair {number}: the {field} has {len(text):,} characters. Send at most {most:,} per text.",
            )
        if not _is_encodable(text):
            raise RequestError(
                422, f"Pair {number}: the {field} contains a lone surrogate. Send valid Unicode."
            )
    return str(texts[0]), str(texts[1])


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _format_predictions(predictions: pl.DataFrame) -> list[dict[str, Any]]:
    """Format predictions for the protocol, without the fields that are unknown."""
    names = {name: label for label, name in labels.PROBABILITIES.items() if name in predictions.columns}
    formatted = []
    for row in predictions.iter_rows(named=True):
        probabilities = {label: row[name] for name, label in names.items() if row[name] is not None}
        optional = {"probabilities": probabilities} if probabilities else {}
        text = {} if row.get("text") is None else {"text": row["text"]}
        formatted.append({"label": row["label"], **optional, **text})
    return formatted


LAST_BATCH_SECONDS = 2.0


class ModelCrashError(Exception):
    """A model raised something unusual, such as SystemExit, which must not end the server."""


class Worker:
    """Runs work in a thread of its own.

    The thread is a daemon: a batch that is being computed can't be interrupted, and must not keep the process alive.
    """

    def __init__(self) -> None:
        """Start the thread."""
        self.queue: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self.thread = threading.Thread(
            target=self._run_queued_work, name=f"{WORKER_PREFIX}-model", daemon=True
        )
        self.thread.start()

    async def run(self, work: Work) -> Mapping[str, Any]:
        """Run work after the work before it; if the caller is cancelled, so is the work."""
        loop = asyncio.get_running_loop()
        outcome: asyncio.Future[Mapping[str, Any]] = loop.create_future()
        cancelled = threading.Event()

        def set_outcome(result: Mapping[str, Any] | None, error: Exception | None) -> None:
            if outcome.done():
                return
            if error is not None:
                outcome.set_exception(error)
            else:
                outcome.set_result(result or {})

        def run_work() -> None:
            if cancelled.is_set():
                return
            result, failure = None, None
            try:
                result = work(cancelled)
            except BaseException as error:  # noqa: BLE001 - the caller raises it, and this thread must go on
                failure = _wrap_unraisable_error(error)
            with suppress(RuntimeError):  # the server has stopped, and its loop is closed
                loop.call_soon_threadsafe(set_outcome, result, failure)

        self.queue.put(run_work)
        try:
            return await outcome
        finally:
            cancelled.set()

    def stop(self, seconds: float = LAST_BATCH_SECONDS) -> bool:
        """Wait for the current batch to end; return whether it did."""
        self.queue.put(None)
        self.thread.join(seconds)
        return not self.thread.is_alive()

    def _run_queued_work(self) -> None:
        while (task := self.queue.get()) is not None:
            task()


def _wrap_unraisable_error(error: BaseException) -> Exception:
    """Wrap an error that the event loop can't raise: KeyboardInterrupt ends it, a future refuses StopIteration."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    crash = ModelCrashError(f"The model raised {type(error).__name__}: {error}")
    crash.__cause__ = error
    return crash


def make_cancellable(model: Model, cancelled: threading.Event) -> Model:
    """Wrap a model that predicts in batches, so that it starts no batch after a cancellation."""
    if not model.in_batches:
        return model
    return cast("Model", CancellableModel(cast("BatchModel", model), cancelled))


class CancellableModel:
    """A model that starts no batch after a cancellation; otherwise it behaves like the model that it wraps."""

    def __init__(self, model: BatchModel, cancelled: threading.Event) -> None:
        """Set the model, and the event that is set on cancellation."""
        self.model, self.cancelled = model, cancelled

    def __getattr__(self, name: str) -> Any:
        """Get all other attributes from the model."""
        return getattr(self.model, name)

    def prepare(self, pairs: pl.DataFrame) -> Any:
        """Make a job that can be cancelled."""
        return CancellableJob(complete_job(self.model.prepare(pairs)), self.cancelled)


class CancellableJob:
    """A job that starts no batch after a cancellation."""

    def __init__(self, job: Job, cancelled: threading.Event) -> None:
        """Set the job, and the event that is set on cancellation."""
        self.job, self.cancelled = job, cancelled

    def __getattr__(self, name: str) -> Any:
        """Get all other attributes from the job."""
        return getattr(self.job, name)

    def predict_batch(self, rows: Rows) -> pl.DataFrame:
        """Predict one batch, unless the request was cancelled."""
        if self.cancelled.is_set():
            raise MissingPredictionsError("The request was cancelled. Send it again.", final=True)
        return self.job.predict_batch(rows)
