"""A model on another machine, or in another process, that speaks the protocol of `rightreasons serve`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rightreasons.core.errors import InputError, MissingPredictionsError
from rightreasons.inference import BatchedModel
from rightreasons.models.remote.addresses import read_address
from rightreasons.models.remote.budget import Account, Budget, TokenUsage
from rightreasons.models.remote.client import Client, encoded
from rightreasons.models.remote.failures import RejectedError
from rightreasons.models.remote.keys import OWN, find_key
from rightreasons.models.remote.refusals import HARMLESS, refusal
from rightreasons.models.remote.remote_job import RemoteJob, TruncationTally
from rightreasons.models.remote.remote_predictions import read_answers
from rightreasons.models.remote.retry import RetryPolicy

if TYPE_CHECKING:
    from rightreasons.core.parts import Job, Model, Rows

BATCH = 64
LONGEST_NAME = 1_000
LONGEST_FINGERPRINT = 1 << 20
ENVELOPE = len(b'{"pairs":[]}')


class Http(BatchedModel):
    """A model behind an address, such as http://localhost:8000, where `rightreasons serve` runs."""

    name = "http"
    scheme = "http"

    def __init__(
        self,
        url: str,
        *,
        batch_size: int | None = None,
        concurrency: int = 4,
        rate: float | None = None,
        timeout: float = 120.0,
        retries: int = 5,
        backoff: float = 0.5,
        max_requests: int | None = None,
        key_env: str | None = None,
    ) -> None:
        """Choose the address and how it is asked; the server is not called yet.

        Args:
            url: the address of the server.
            batch_size: pairs in a request; 64 if left out, and never more than the server takes.
            concurrency: requests under way at a time.
            rate: requests a second, at most.
            timeout: seconds that one attempt may take.
            retries: attempts after the first one.
            backoff: seconds before the second attempt; twice as long each time.
            max_requests: the requests that may be sent, with those that are sent again.
            key_env: the environment variable that holds the key; RIGHTREASONS_API_KEY if left out.
        """
        self.address = read_address(url, self.scheme)
        if not self.address.startswith(f"{self.scheme}:"):
            raise InputError(
                f"{self.address} is no {self.scheme} address. Leave the first {self.scheme}: out."
            )
        self.name = self.address
        self.batch_size = BATCH if batch_size is None else batch_size
        if self.batch_size < 1:
            raise InputError(f"The batch_size is {batch_size}. Ask about at least 1 pair at a time.")
        self.manners = RetryPolicy(concurrency, rate, timeout, retries, backoff)
        self.budget = Budget(max_requests)
        self.key_env = key_env
        self.card: RemoteCard | None = None

    @cached_property
    def client(self) -> Client:
        """The connection, with the key."""
        key = find_key((self.key_env or OWN,))
        if self.key_env and not key:
            raise InputError(
                f"There is no key for {self.address}. Set the environment variable {self.key_env}."
            )
        return Client(self.address, key, self.manners)

    def precheck(self) -> None:
        """Find the key, and ask the server what it is: a wrong address is known before any model of a run is asked.

        A server that is too busy to say so now is asked again by `prepare`, with more patience.
        """
        if self.card is None:
            document = self.client.get_soon("/model")
            self.card = None if document is None else RemoteCard.read(document, self.address)

    def fingerprint(self) -> dict[str, Any]:
        """Say what decides the answers, as the server told it first; `prepare` sees to it that this stays so."""
        card = self.card = self.card or self._fetched()
        return {"kind": "http", "url": self.address, "model": card.name, "fingerprint": card.fingerprint}

    def _fetched(self) -> RemoteCard:
        return RemoteCard.read(self.client.get("/model"), self.address)

    def _checked(self) -> RemoteCard:
        """Ask the server what it is; it must be what it was."""
        now = self._fetched()
        first = self.card = self.card or now
        if (now.name, now.fingerprint, now.digest) != (first.name, first.fingerprint, first.digest):
            raise InputError(f"The model behind {self.address} has changed during the run. Start again.")
        return now

    def share_budget(self, other: Model) -> None:
        """Spend from the budget of the same model with another prompt."""
        if isinstance(other, type(self)):
            self.budget = other.budget

    def prepare(self, pairs: pl.DataFrame) -> Job:
        """Plan the requests: pairs of like length together, none larger than the server takes."""
        card = self._checked()
        bodies = [_body(*pair) for pair in pairs.iter_rows()]
        sizes = [len(encoded(body)) + 1 for body in bodies]
        small, refused = _sorted_out(sizes, card.body, _too_long(bodies, card.text))
        asking = _Asking(self.client, Account(self.budget), TruncationTally(), card.digest)
        return RemoteJob(
            batches=_packed(small, sizes, min(self.batch_size, card.batch or self.batch_size), card.body),
            workers=self.manners.concurrency,
            account=asking.account,
            ask=lambda rows: asking.answers([bodies[row] for row in rows]),
            refused=refused,
            tally=asking.tally,
        )


class Https(Http):
    """A model behind a safe address, such as https://models.example.org/nli."""

    name = "https"
    scheme = "https"


@dataclass(frozen=True)
class _Asking:
    """The requests of one job."""

    client: Client
    account: Account
    tally: TruncationTally
    digest: str | None

    def answers(self, bodies: list[dict[str, str]]) -> pl.DataFrame:
        """Ask about some pairs; where the server turns them down, about fewer, until it is known which one it is."""
        try:
            return self._send(bodies, self.tally)
        except RejectedError as rejection:
            if len(bodies) == 1:
                return refusal(
                    rejection, self.client, lambda: self._send([_body(*HARMLESS)], TruncationTally())
                )
        half = len(bodies) // 2
        return pl.concat([self.answers(bodies[:half]), self.answers(bodies[half:])], how="diagonal")

    def _send(self, bodies: list[dict[str, str]], tally: TruncationTally) -> pl.DataFrame:
        """Send one request; answers of a model that isn't the one we began with are not taken."""
        where = self.client.address

        def read(reply: dict[str, Any]) -> pl.DataFrame:
            if self.digest is not None and reply.get("digest", self.digest) != self.digest:
                raise MissingPredictionsError(
                    f"The model at {where} has changed since the first request. "
                    "Give the same command again: all is asked anew.",
                    final=True,
                )
            answers = read_answers(reply, len(bodies), where)
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
            f"The server at {address} says at /model that its {name} limit is {value!r:.60}. Mend that."
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
