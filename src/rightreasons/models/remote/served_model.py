"""A model on another machine, or in another process, that speaks the protocol of `rightreasons serve`."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from rightreasons.core import labels
from rightreasons.core.errors import InputError, MissingPredictionsError, format_count
from rightreasons.core.options import option, require_at_least
from rightreasons.io.predictions import check_probabilities
from rightreasons.models.remote.addresses import (
    API_KEY_VARIABLE,
    find_api_key,
    make_missing_key_error,
    read_address,
)
from rightreasons.models.remote.client import Client, encode_json
from rightreasons.models.remote.endpoint_base import (
    HARMLESS_PAIR,
    Endpoint,
    RemoteJob,
    TruncationTally,
    handle_rejection,
)
from rightreasons.models.remote.failures import RejectedError, TransientError
from rightreasons.models.remote.limits import Account, TokenUsage

if TYPE_CHECKING:
    from rightreasons.core.parts import Job, Rows


DEFAULT_BATCH = 64
LONGEST_NAME = 1_000
LONGEST_FINGERPRINT = 1 << 20
ENVELOPE_BYTES = len(b'{"pairs":[]}')


@dataclass(frozen=True)
class Http(Endpoint):
    """A model served at a URL such as http://localhost:8000, for example by `rightreasons serve`."""

    scheme: ClassVar[str] = "http"
    url: str = option(help="URL of the server.")
    _: KW_ONLY
    batch_size: int | None = option(
        None,
        help=f"Maximum number of pairs per request, within the limit of the server; default {DEFAULT_BATCH}.",
    )

    def __post_init__(self) -> None:
        """Check the options; no request is sent yet."""
        super().__post_init__()
        if not self.address.startswith(f"{self.scheme}:"):
            raise InputError(
                f"{self.address} is not an {self.scheme} URL. Remove the first '{self.scheme}:'."
            )
        require_at_least("batch_size", self.pairs_per_request, 1)

    @cached_property
    def address(self) -> str:
        """The address, without a slash at the end."""
        return read_address(self.url, self.scheme)

    @property
    def name(self) -> str:
        """The address names the model."""
        return self.address

    @cached_property
    def pairs_per_request(self) -> int:
        """The number of pairs in a request."""
        return DEFAULT_BATCH if self.batch_size is None else self.batch_size

    @cached_property
    def state(self) -> _ServerState:
        """What the server first returned about its model."""
        return _ServerState()

    @cached_property
    def client(self) -> Client:
        """The connection, with the key."""
        key = find_api_key((self.key_env or API_KEY_VARIABLE,))
        if self.key_env and not key:
            raise make_missing_key_error(self.address, self.key_env)
        return Client(self.address, key, self.retry_policy)

    def precheck(self) -> None:
        """Find the key and fetch the server's card: a wrong address is noticed before any model of a run is run.

        If the server is too busy now, `prepare` fetches the card, with more retries.
        """
        if self.state.card is None:
            document = self.client.get_if_ready("/model")
            self.state.card = None if document is None else RemoteModelCard.parse(document, self.address)

    def fingerprint(self) -> dict[str, Any]:
        """Return what determines the predictions, as the server first declared it; `prepare` checks for changes."""
        card = self.state.card = self.state.card or self._fetch_card()
        return {"kind": "http", "url": self.address, "model": card.name, "fingerprint": card.fingerprint}

    def _fetch_card(self) -> RemoteModelCard:
        return RemoteModelCard.parse(self.client.get("/model"), self.address)

    def _fetch_unchanged_card(self) -> RemoteModelCard:
        """Fetch the server's card, which must be the same as before."""
        now = self._fetch_card()
        first = self.state.card = self.state.card or now
        if (now.name, now.fingerprint, now.digest) != (first.name, first.fingerprint, first.digest):
            raise InputError(f"The model at {self.address} changed during the run. Start the run again.")
        return now

    def prepare(self, pairs: pl.DataFrame) -> Job:
        """Plan the requests: pairs of similar length together, none larger than the server accepts."""
        card = self._fetch_unchanged_card()
        bodies = [_make_pair_body(*pair) for pair in pairs.iter_rows()]
        sizes = [len(encode_json(body)) + 1 for body in bodies]
        small, refused = _order_rows_by_length(sizes, card.max_body, _find_long_pairs(bodies, card.max_text))
        requests = _PredictionRequests(self.client, Account(self.budget), TruncationTally(), card.digest)
        return RemoteJob(
            batches=_pack_batches(
                small,
                sizes,
                min(self.pairs_per_request, card.max_batch or self.pairs_per_request),
                card.max_body,
            ),
            workers=self.retry_policy.concurrency,
            account=requests.account,
            send=lambda rows: requests.predict([bodies[row] for row in rows]),
            refused=refused,
            tally=requests.tally,
        )


@dataclass(frozen=True)
class Https(Http):
    """A model behind an encrypted address, such as https://models.example.org/nli."""

    scheme: ClassVar[str] = "https"


@dataclass
class _ServerState:
    """What a server first returned about its model; it must not change during a run."""

    card: RemoteModelCard | None = None


@dataclass(frozen=True)
class _PredictionRequests:
    """The requests of one job."""

    client: Client
    account: Account
    tally: TruncationTally
    digest: str | None

    def predict(self, bodies: list[dict[str, str]]) -> pl.DataFrame:
        """Predict some pairs; if the server rejects the request, split it until the rejected pair is known."""
        try:
            return self._post_pairs(bodies, self.tally)
        except RejectedError as rejection:
            if len(bodies) == 1:
                return handle_rejection(
                    rejection,
                    self.client,
                    lambda: self._post_pairs([_make_pair_body(*HARMLESS_PAIR)], TruncationTally()),
                )
        half = len(bodies) // 2
        return pl.concat([self.predict(bodies[:half]), self.predict(bodies[half:])], how="diagonal")

    def _post_pairs(self, bodies: list[dict[str, str]], tally: TruncationTally) -> pl.DataFrame:
        """Send one request; refuse predictions of another model than that of the first request."""
        where = self.client.address

        def read(reply: dict[str, Any]) -> pl.DataFrame:
            if self.digest is not None and reply.get("digest", self.digest) != self.digest:
                raise MissingPredictionsError(
                    f"The model at {where} has changed since the first request. "
                    "Run the same command again: all pairs are predicted again.",
                    final=True,
                )
            predictions = parse_predictions(reply, len(bodies), where)
            tally.add(reply)
            return predictions

        return self.client.post("/predict", {"pairs": bodies}, read, self.account, TokenUsage())


def _make_pair_body(premise: str, hypothesis: str) -> dict[str, str]:
    return {"premise": premise, "hypothesis": hypothesis}


@dataclass(frozen=True)
class RemoteModelCard:
    """What a server returns about its model: what determines the predictions, and the limits of a request."""

    name: str = ""
    fingerprint: Any = None
    digest: str | None = None
    max_batch: int | None = None
    max_body: int | None = None
    max_text: int | None = None

    @classmethod
    def parse(cls, document: dict[str, Any], address: str) -> RemoteModelCard:
        """Read the document at /model; without a fingerprint, two models could not be distinguished."""
        if not document.get("fingerprint"):
            raise InputError(
                f"The server at {address} returns no fingerprint of its model at /model. "
                "Add a fingerprint to the response, or use `rightreasons serve`."
            )
        _check_fingerprint(document["fingerprint"], address)
        limits = document.get("limits")
        most = [_read_server_limit(limits, name, address) for name in ("batch", "body", "text")]
        digest = document.get("digest")
        known = digest if isinstance(digest, str) else None
        name = str(document.get("name", ""))[:LONGEST_NAME].encode(errors="replace").decode()
        return cls(name, document["fingerprint"], known, *most)


def _check_fingerprint(fingerprint: Any, address: str) -> None:
    """Refuse what can't be stored in a journal and compared: numbers such as NaN, and very long documents."""
    try:
        fits = len(encode_json({"fingerprint": fingerprint})) <= LONGEST_FINGERPRINT
    except (ValueError, RecursionError):
        fits = False
    if not fits:
        raise InputError(
            f"The server at {address} returns a fingerprint at /model that is not plain JSON of at most "
            f"{LONGEST_FINGERPRINT:,} bytes. Use digests as the fingerprint."
        )


def _read_server_limit(limits: Any, name: str, address: str) -> int | None:
    value = limits.get(name) if isinstance(limits, dict) else None
    if value is not None and (not isinstance(value, int) or value < 1):
        raise InputError(
            f"The server at {address} declares the {name} limit {value!r:.60} at /model. Declare 1 or more."
        )
    return value


def _find_long_pairs(bodies: list[dict[str, str]], most: int | None) -> dict[int, str]:
    """Find the pairs with a text that is longer than the server accepts."""
    lengths = {row: max(map(len, body.values())) for row, body in enumerate(bodies)} if most else {}
    return {
        row: _describe_excess(length, most, "characters")
        for row, length in lengths.items()
        if most is not None and length > most
    }


def _describe_excess(size: int, most: int, unit: str) -> str:
    return f"longer than the server accepts ({size:,} {unit}; maximum {most:,})"


def _order_rows_by_length(
    sizes: list[int], most: int | None, too_long: dict[int, str]
) -> tuple[list[int], dict[int, str]]:
    """Order the rows by length, and separate those that fit into no request."""
    room = None if most is None else most - ENVELOPE_BYTES
    refused = too_long | {
        row: _describe_excess(size, room, "bytes")
        for row, size in enumerate(sizes)
        if room is not None and size > room
    }
    order = np.argsort(np.array(sizes, dtype=np.int64), kind="stable").tolist()
    return [row for row in order if row not in refused], refused


def _pack_batches(order: list[int], sizes: list[int], batch: int, most: int | None) -> list[Rows]:
    """Fill requests up to the number of pairs, or of bytes, that they may hold."""
    batches: list[list[int]] = []
    size = 0
    for row in order:
        full = not batches or len(batches[-1]) == batch or (most is not None and size + sizes[row] > most)
        if full:
            batches.append([])
            size = ENVELOPE_BYTES
        batches[-1].append(row)
        size += sizes[row]
    return [np.array(rows, dtype=np.int64) for rows in batches]


# The precision of single-precision numbers.
ROUNDING = 1e-6


def parse_predictions(reply: dict[str, Any], wanted: int, address: str) -> pl.DataFrame:
    """Read one prediction for each pair; a wrong number of them may be transient, an unknown label is final."""
    answers = reply.get("answers")
    if not isinstance(answers, list) or not all(isinstance(answer, dict) for answer in answers):
        raise TransientError(f"{address} sent no list called answers", paid=True)
    if len(answers) != wanted:
        raise TransientError(
            f"{address} sent {format_count(len(answers), 'prediction')} for {format_count(wanted, 'pair')}",
            paid=True,
        )
    columns: dict[str, Any] = {"label": [_read_label(answer.get("label"), address) for answer in answers]}
    probabilities = [_read_probabilities(answer.get("probabilities"), address) for answer in answers]
    for label, name in labels.PROBABILITIES.items():
        if any(label in row for row in probabilities):
            columns[name] = pl.Series([row.get(label) for row in probabilities], dtype=pl.Float64)
    if any("text" in answer for answer in answers):
        columns["text"] = pl.Series(
            [_replace_surrogates(answer.get("text")) for answer in answers], dtype=pl.String
        )
    return _check_probabilities(pl.DataFrame(columns), address)


def _check_probabilities(answers: pl.DataFrame, address: str) -> pl.DataFrame:
    """Check the probabilities; values that rounding has pushed beyond 1 are set to 1 first."""
    numbers = pl.selectors.float()
    rounded = pl.when(numbers.is_between(1, 1 + ROUNDING)).then(1.0).otherwise(numbers).name.keep()
    table = answers.with_columns(rounded)
    try:
        check_probabilities(table, None)
    except InputError as error:
        raise InputError(f"{address}: {error}") from error
    return table


def _read_label(word: Any, address: str) -> str:
    label = word if word in labels.NO_LABEL else labels.find_label(word) if isinstance(word, str) else None
    if label is None:
        raise MissingPredictionsError(
            f"{address} predicts {word!r:.100}, which is not a label. "
            f"Change the server to return {', '.join(labels.LABELS)}.",
            final=True,
        )
    return str(label)


def _read_probabilities(values: Any, address: str) -> dict[str, float]:
    """Read the probabilities, which are optional, by the names of their labels."""
    if values is None:
        return {}
    probabilities = {}
    for word, value in values.items() if isinstance(values, dict) else [(None, values)]:
        label = labels.find_label(word) if isinstance(word, str) else None
        number = _read_float(value)
        if label is None or number is None:
            raise MissingPredictionsError(
                f"{address} returned the probability {value!r:.100} for {word!r:.100}. "
                'Change the server to return an object such as {"entailment": 0.9, "non-entailment": 0.1}.',
                final=True,
            )
        probabilities[label] = number
    return probabilities


def _read_float(value: Any) -> float | None:
    """Read a number; an integer of several hundred digits is not a float."""
    try:
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    except OverflowError:
        return None


def _replace_surrogates(text: Any) -> str | None:
    # A lone surrogate can occur in JSON, but not in a file.
    return text.encode(errors="replace").decode() if isinstance(text, str) else None
