"""A model on another machine, or in another process, that speaks the protocol of `rightreasons serve`."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from rightreasons.core import labels
from rightreasons.core.errors import InputError, MissingPredictionsError, format_count
from rightreasons.core.options import option
from rightreasons.io.predictions import check_probabilities
from rightreasons.models.remote.addresses import OWN, find_key, read_address
from rightreasons.models.remote.client import Client, encoded
from rightreasons.models.remote.endpoint import (
    HARMLESS,
    Endpoint,
    RemoteJob,
    TruncationTally,
    handle_rejection,
)
from rightreasons.models.remote.failures import RejectedError, TransientError
from rightreasons.models.remote.limits import Account, TokenUsage

if TYPE_CHECKING:
    from rightreasons.core.parts import Job, Rows


BATCH = 64
LONGEST_NAME = 1_000
LONGEST_FINGERPRINT = 1 << 20
ENVELOPE = len(b'{"pairs":[]}')


@dataclass(frozen=True)
class Http(Endpoint):
    """A model behind an address, such as http://localhost:8000, where `rightreasons serve` runs."""

    scheme: ClassVar[str] = "http"
    url: str = option(help="Address of the server.")
    _: KW_ONLY
    batch_size: int | None = option(
        None, help=f"Pairs in a request, and never more than the server takes; default {BATCH}."
    )

    def __post_init__(self) -> None:
        """Check the options; no request is sent yet."""
        super().__post_init__()
        if not self.address.startswith(f"{self.scheme}:"):
            raise InputError(
                f"{self.address} is not an {self.scheme} address. Leave out the first {self.scheme}:."
            )
        if self.pairs_per_request < 1:
            raise InputError(f"The option batch_size is {self.batch_size}. Give 1 or more.")

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
        return BATCH if self.batch_size is None else self.batch_size

    @cached_property
    def state(self) -> _ServerState:
        """What the server said of its model first."""
        return _ServerState()

    @cached_property
    def client(self) -> Client:
        """The connection, with the key."""
        key = find_key((self.key_env or OWN,))
        if self.key_env and not key:
            raise InputError(
                f"There is no key for {self.address}. Set the environment variable {self.key_env}."
            )
        return Client(self.address, key, self.retry)

    def precheck(self) -> None:
        """Find the key, and ask the server what it is: a wrong address is known before any model of a run is asked.

        A server that is too busy to say so now is asked again by `prepare`, with more patience.
        """
        if self.state.card is None:
            document = self.client.get_soon("/model")
            self.state.card = None if document is None else RemoteCard.read(document, self.address)

    def fingerprint(self) -> dict[str, Any]:
        """Say what decides the answers, as the server told it first; `prepare` sees to it that this stays so."""
        card = self.state.card = self.state.card or self._fetched()
        return {"kind": "http", "url": self.address, "model": card.name, "fingerprint": card.fingerprint}

    def _fetched(self) -> RemoteCard:
        return RemoteCard.read(self.client.get("/model"), self.address)

    def _checked(self) -> RemoteCard:
        """Ask the server what it is; it must be what it was."""
        now = self._fetched()
        first = self.state.card = self.state.card or now
        if (now.name, now.fingerprint, now.digest) != (first.name, first.fingerprint, first.digest):
            raise InputError(f"The model behind {self.address} has changed during the run. Start again.")
        return now

    def prepare(self, pairs: pl.DataFrame) -> Job:
        """Plan the requests: pairs of like length together, none larger than the server takes."""
        card = self._checked()
        bodies = [_body(*pair) for pair in pairs.iter_rows()]
        sizes = [len(encoded(body)) + 1 for body in bodies]
        small, refused = _sorted_out(sizes, card.body, _too_long(bodies, card.text))
        requests = _Requests(self.client, Account(self.budget), TruncationTally(), card.digest)
        return RemoteJob(
            batches=_packed(
                small, sizes, min(self.pairs_per_request, card.batch or self.pairs_per_request), card.body
            ),
            workers=self.retry.concurrency,
            account=requests.account,
            send=lambda rows: requests.predictions([bodies[row] for row in rows]),
            refused=refused,
            tally=requests.tally,
        )


@dataclass(frozen=True)
class Https(Http):
    """A model behind an encrypted address, such as https://models.example.org/nli."""

    scheme: ClassVar[str] = "https"


@dataclass
class _ServerState:
    """What a server said of its model first; it must stay so during a run."""

    card: RemoteCard | None = None


@dataclass(frozen=True)
class _Requests:
    """The requests of one job."""

    client: Client
    account: Account
    tally: TruncationTally
    digest: str | None

    def predictions(self, bodies: list[dict[str, str]]) -> pl.DataFrame:
        """Ask about some pairs; where the server turns them down, about fewer, until it is known which one it is."""
        try:
            return self._send(bodies, self.tally)
        except RejectedError as rejection:
            if len(bodies) == 1:
                return handle_rejection(
                    rejection, self.client, lambda: self._send([_body(*HARMLESS)], TruncationTally())
                )
        half = len(bodies) // 2
        return pl.concat([self.predictions(bodies[:half]), self.predictions(bodies[half:])], how="diagonal")

    def _send(self, bodies: list[dict[str, str]], tally: TruncationTally) -> pl.DataFrame:
        """Send one request; answers of a model that isn't the one we began with are not taken."""
        where = self.client.address

        def read(reply: dict[str, Any]) -> pl.DataFrame:
            if self.digest is not None and reply.get("digest", self.digest) != self.digest:
                raise MissingPredictionsError(
                    f"The model at {where} has changed since the first request. "
                    "Run the same command again: all pairs are predicted again.",
                    final=True,
                )
            answers = parse_predictions(reply, len(bodies), where)
            tally.add(reply)
            return answers

        return self.client.post("/predict", {"pairs": bodies}, read, self.account, TokenUsage())


def _body(premise: str, hypothesis: str) -> dict[str, str]:
    return {"premise": premise, "hypothesis": hypothesis}


@dataclass(frozen=True)
class RemoteCard:
    """What a server says of its model: what decides the answers, and how much it takes at a time."""

    name: str = ""
    fingerprint: Any = None
    digest: str | None = None
    batch: int | None = None
    body: int | None = None
    text: int | None = None

    @classmethod
    def read(cls, document: dict[str, Any], address: str) -> RemoteCard:
        """Read the document at /model; without a fingerprint nobody could tell two models apart."""
        if not document.get("fingerprint"):
            raise InputError(
                f"The server at {address} doesn't say at /model what decides its answers. "
                "Have it send a fingerprint, or start it with rightreasons serve."
            )
        _check_fingerprint(document["fingerprint"], address)
        limits = document.get("limits")
        most = [_limit(limits, name, address) for name in ("batch", "body", "text")]
        digest = document.get("digest")
        known = digest if isinstance(digest, str) else None
        name = str(document.get("name", ""))[:LONGEST_NAME].encode(errors="replace").decode()
        return cls(name, document["fingerprint"], known, *most)


def _check_fingerprint(fingerprint: Any, address: str) -> None:
    """Refuse what can't be kept in a journal and compared: numbers such as NaN, and whole books."""
    try:
        fits = len(encoded({"fingerprint": fingerprint})) <= LONGEST_FINGERPRINT
    except (ValueError, RecursionError):
        fits = False
    if not fits:
        raise InputError(
            f"The server at {address} sends a fingerprint at /model that is no plain JSON of at most "
            f"{LONGEST_FINGERPRINT:,} bytes. Have it send digests."
        )


def _limit(limits: Any, name: str, address: str) -> int | None:
    value = limits.get(name) if isinstance(limits, dict) else None
    if value is not None and (not isinstance(value, int) or value < 1):
        raise InputError(
            f"The server at {address} declares the {name} limit {value!r:.60} at /model. Declare 1 or more."
        )
    return value


def _too_long(bodies: list[dict[str, str]], most: int | None) -> dict[int, str]:
    """Find the pairs with a text that is longer than the server takes."""
    lengths = {row: max(map(len, body.values())) for row, body in enumerate(bodies)} if most else {}
    return {
        row: f"longer than the server takes ({length:,} characters of {most:,})"
        for row, length in lengths.items()
        if most is not None and length > most
    }


def _sorted_out(
    sizes: list[int], most: int | None, too_long: dict[int, str]
) -> tuple[list[int], dict[int, str]]:
    """Put the rows in the order of their length, and apart those that no request can hold."""
    room = None if most is None else most - ENVELOPE
    refused = too_long | {
        row: f"longer than the server takes ({size:,} bytes of {room:,})"
        for row, size in enumerate(sizes)
        if room is not None and size > room
    }
    order = np.argsort(np.array(sizes, dtype=np.int64), kind="stable").tolist()
    return [row for row in order if row not in refused], refused


def _packed(order: list[int], sizes: list[int], batch: int, most: int | None) -> list[Rows]:
    """Fill requests up to the number of pairs, or of bytes, that they may hold."""
    batches: list[list[int]] = []
    size = 0
    for row in order:
        full = not batches or len(batches[-1]) == batch or (most is not None and size + sizes[row] > most)
        if full:
            batches.append([])
            size = ENVELOPE
        batches[-1].append(row)
        size += sizes[row]
    return [np.array(rows, dtype=np.int64) for rows in batches]


# Single precision is no better than this.
ROUNDING = 1e-6


def parse_predictions(reply: dict[str, Any], wanted: int, address: str) -> pl.DataFrame:
    """Read one answer for each pair; too few or too many may be a slip, a word that is no label is not."""
    answers = reply.get("answers")
    if not isinstance(answers, list) or not all(isinstance(answer, dict) for answer in answers):
        raise TransientError(f"{address} sent no list of answers", paid=True)
    if len(answers) != wanted:
        raise TransientError(
            f"{address} sent {format_count(len(answers), 'answer')} to {format_count(wanted, 'pair')}",
            paid=True,
        )
    columns: dict[str, Any] = {"label": [_label(answer.get("label"), address) for answer in answers]}
    odds = [_probabilities(answer.get("probabilities"), address) for answer in answers]
    for label, name in labels.PROBABILITIES.items():
        if any(label in some for some in odds):
            columns[name] = pl.Series([some.get(label) for some in odds], dtype=pl.Float64)
    if any("text" in answer for answer in answers):
        columns["text"] = pl.Series([_read_text(answer.get("text")) for answer in answers], dtype=pl.String)
    return _check_probabilities(pl.DataFrame(columns), address)


def _check_probabilities(answers: pl.DataFrame, address: str) -> pl.DataFrame:
    """Hold probabilities to what they must be; what rounding has pushed beyond 1 is put back first."""
    numbers = pl.selectors.float()
    rounded = pl.when(numbers.is_between(1, 1 + ROUNDING)).then(1.0).otherwise(numbers).name.keep()
    table = answers.with_columns(rounded)
    try:
        check_probabilities(table, None)
    except InputError as error:
        raise InputError(f"{address}: {error}") from error
    return table


def _label(word: Any, address: str) -> str:
    found = word if word in labels.NO_LABEL else labels.find_label(word) if isinstance(word, str) else None
    if found is None:
        raise MissingPredictionsError(
            f"{address} answers {word!r:.100}, which is no label. Have it answer {', '.join(labels.LABELS)}.",
            final=True,
        )
    return str(found)


def _probabilities(given: Any, address: str) -> dict[str, float]:
    """Read the probabilities by the names of their labels; there need not be any."""
    if given is None:
        return {}
    found = {}
    for word, value in given.items() if isinstance(given, dict) else [(None, given)]:
        label = labels.find_label(word) if isinstance(word, str) else None
        number = _number(value)
        if label is None or number is None:
            raise MissingPredictionsError(
                f"{address} gives the probability {value!r:.100} to {word!r:.100}. "
                'Have it send an object such as {"entailment": 0.9, "non-entailment": 0.1}.',
                final=True,
            )
        found[label] = number
    return found


def _number(value: Any) -> float | None:
    """Read a number; a whole one of several hundred digits is none."""
    try:
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    except OverflowError:
        return None


def _read_text(text: Any) -> str | None:
    # Half of a surrogate pair can stand in JSON, and in no file.
    return text.encode(errors="replace").decode() if isinstance(text, str) else None
