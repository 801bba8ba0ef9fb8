"""A language model behind an OpenAI-compatible endpoint: asked in words, one pair a request."""

from __future__ import annotations

import math
import os
import re
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from rightreasons.core import labels
from rightreasons.core.errors import InputError
from rightreasons.inference import BatchedModel
from rightreasons.models.remote.addresses import host_of, is_number, origin_of, read_address
from rightreasons.models.remote.budget import Account, Budget, estimate
from rightreasons.models.remote.chats import Reply, RequestShape, judge, read_choice
from rightreasons.models.remote.client import Client, encoded
from rightreasons.models.remote.failures import RejectedError
from rightreasons.models.remote.keys import OWN, Key, find_key
from rightreasons.models.remote.prompts import choose
from rightreasons.models.remote.refusals import HARMLESS, refusal
from rightreasons.models.remote.remote_job import RemoteJob
from rightreasons.models.remote.retry import RetryPolicy

if TYPE_CHECKING:
    from rightreasons.core.parts import Job, Model

OFFICIAL = "https://api.openai.com/v1"
THEIRS = "OPENAI_API_KEY"
BASE_URL = "OPENAI_BASE_URL"
_URL = re.compile("@(?=https?://)", re.IGNORECASE)
# What may follow @ in the name of a model; whatever else does is taken for an address without its scheme.
# No more digits than a date has: a host can be written as one number.
_VERSION = re.compile(r"\d{1,8}|\d+(?:-\d+)+|latest|default", re.IGNORECASE)
_HOST_AND_PORT = re.compile(r"[\w.-]+:\d{3,5}(?:/.*)?|localhost(?:[:/].*)?", re.IGNORECASE | re.DOTALL)
# What is no part of any model's name, only of addresses: ://, //host, [::1], \\host.
_ADDRESS_SIGNS = re.compile(r"//|[\[\]\\]")
# What may be a host among the parts of a name between / and @; no name of OpenAI's own has such a part.
_MAYBE_HOST = re.compile(
    r"""
    [\w.-]+:\d{1,5}                  # host:80
    | (?:\d+|0x[0-9a-f]+)(?:\.\d+)*  # 10.0.0.5, or an address as one number
    | [\w-]+(?:\.[\w-]+)*\.[a-z][\w-]*\.?  # host.example; gpt-4.1 has a digit after its dot
    | [\w-]+\.                       # host.
    | v\d+                           # the path of most endpoints, as in host/v1
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NAMESPACES = ("@cf/", "@hf/")  # names of models that begin with @


class OpenAI(BatchedModel):
    """A language model behind an OpenAI-compatible endpoint, written openai:MODEL@BASE_URL."""

    name = "openai"
    labels: tuple[str, ...] = ()

    def __init__(
        self,
        model: str,
        *,
        api: Literal["chat", "completions"] = "chat",
        prompt: str | None = None,
        ways: Literal["three", "two"] | None = None,
        logprobs: Literal["auto", "yes", "no"] = "auto",
        max_tokens: int = 16,
        temperature: float | None = 0.0,
        seed: int | None = None,
        concurrency: int = 8,
        rate: float | None = None,
        timeout: float = 60.0,
        retries: int = 5,
        backoff: float = 0.5,
        max_requests: int | None = None,
        max_cost: float | None = None,
        price_in: float | None = None,
        price_out: float | None = None,
        key_env: str | None = None,
    ) -> None:
        """Choose the model and how it is asked; the endpoint is not called yet.

        Args:
            model: the model's name, with @BASE_URL after it unless OPENAI_BASE_URL or OpenAI itself is meant.
            api: chat, or plain completions.
            prompt: the name of a prompt, or a TOML file with one.
            ways: three or two answers, where no prompt is named.
            logprobs: whether answers are read from log-probabilities; auto does so where the endpoint gives them.
            max_tokens: the longest reply.
            temperature: 0 for the most probable reply; none leaves it to the endpoint.
            seed: a seed for the endpoint, needed where the temperature is above 0.
            concurrency: requests under way at a time.
            rate: requests a second, at most.
            timeout: seconds that one attempt may take.
            retries: attempts after the first one.
            backoff: seconds before the second attempt; twice as long each time.
            max_requests: the requests that may be sent, with those that are sent again.
            max_cost: what all requests may cost, in the currency of the prices.
            price_in: the price of a million tokens read.
            price_out: the price of a million tokens written.
            key_env: the environment variable that holds the key.
        """
        self.model, self.address = _read_name(model)
        self.name = f"openai:{self.model}@{self.address}"
        self.api, self.prompt = api, choose(prompt, ways)
        self.labels = tuple(self.prompt.words)
        self.settings = _settings(max_tokens, temperature, seed)
        self.logprobs, self.key_env = logprobs, key_env
        self.manners = RetryPolicy(concurrency, rate, timeout, retries, backoff)
        self.budget = Budget(max_requests, max_cost, price_in, price_out)
        self.shape = RequestShape.first(api, self.model, logprobs, self.settings)
        self.found = False  # whether the endpoint was there when it was looked for

    def fingerprint(self) -> dict[str, Any]:
        """Say what decides the answers; prices, keys and patience don't."""
        return {
            "kind": "openai",
            "model": self.model,
            "base_url": self.address,
            "api": self.api,
            "prompt": self.prompt.name,
            "prompt_sha256": self.prompt.digest,
            "logprobs": self.logprobs,
            **self.settings,
        }

    @cached_property
    def client(self) -> Client:
        """The connection, with the key."""
        return Client(self.address, self._key(), self.manners)

    def precheck(self) -> None:
        """Find the key and the endpoint: a wrong address or key is known before any model of a run is asked."""
        if not self.found:
            self.client.knock("/models")
            self.found = True

    def share_budget(self, other: Model) -> None:
        """Spend from the budget of the same model with another prompt."""
        if isinstance(other, type(self)):
            self.budget = other.budget

    def prepare(self, pairs: pl.DataFrame) -> Job:
        """Plan one request for each pair; a wrong address or key is known before the first of them."""
        self.precheck()
        account, prompt = Account(self.budget), self.prompt
        texts = [prompt.fill(*pair) for pair in pairs.select("premise", "hypothesis").iter_rows()]
        return RemoteJob(
            batches=[np.array([row]) for row in range(pairs.height)],
            workers=self.manners.concurrency,
            account=account,
            ask=lambda rows: pl.concat((self._answer(texts[row], account) for row in rows), how="diagonal"),
        )

    def _answer(self, text: str, account: Account) -> pl.DataFrame:
        """Answer one pair; one that the endpoint turns down for good is refused."""
        try:
            return self._judged(self._ask(text, account))
        except RejectedError as rejection:
            harmless = self.prompt.fill(*HARMLESS)
            return refusal(rejection, self.client, lambda: self._ask(harmless, account))

    def _ask(self, text: str, account: Account) -> Reply:
        """Ask about one pair; where the endpoint turns down a field that can be done without, leave it out."""
        while True:
            shape = self.shape
            body = shape.body(self.prompt.system, text)
            most = estimate(encoded(body), self.settings["max_tokens"])
            try:
                return self.client.post(shape.path, body, read_choice, account, most)
            except RejectedError as rejection:
                other = shape.adapted(rejection.words)
                if other is None:
                    raise
                self.shape = other

    def _judged(self, reply: Reply) -> pl.DataFrame:
        """Read a reply: the label, probabilities where they come, and the raw text."""
        label, odds = judge(reply, self.prompt)
        shares = {
            labels.PROBABILITIES[one]: pl.Series([odds.get(one)], dtype=pl.Float64) for one in self.labels
        }
        return pl.DataFrame({"label": [label], **shares, "text": [self.client.key.strike(reply.text)]})

    def _key(self) -> Key:
        """Find the key; that for OpenAI goes to OpenAI, and to the server that OPENAI_BASE_URL names.

        RIGHTREASONS_API_KEY holds the token of one's own servers, so OpenAI gets it only where key_env says so.
        """
        official = host_of(self.address) == host_of(OFFICIAL)
        if official and origin_of(self.address) != origin_of(OFFICIAL):
            raise InputError(f"{self.address} would show the key to all on the way. Write {OFFICIAL}.")
        key = find_key((self.key_env,) if self.key_env else self._variables(official=official))
        if not key and (self.key_env or official):
            raise InputError(
                f"There is no key for {self.address}. Set the environment variable {self.key_env or THEIRS}."
            )
        return key

    def _variables(self, *, official: bool) -> tuple[str, ...]:
        """List the variables that a key for this address may come from."""
        if official:
            return (THEIRS,)
        named = os.environ.get(BASE_URL, "").strip()
        pointed_to = bool(named) and origin_of(self.address) == origin_of(_read_base_url(named))
        return (OWN, THEIRS) if pointed_to else (OWN,)


def _read_name(name: str) -> tuple[str, str]:
    """Split MODEL@BASE_URL; without an address, the environment or OpenAI has it."""
    model, url = _split_name(name)
    if not model:
        raise InputError("The model has no name. Write openai:MODEL@BASE_URL.")
    if url is not None:
        return model, read_address(url)
    named = os.environ.get(BASE_URL, "").strip()
    if _has_address(model) or (not named and _may_have_host(model)):
        # The text isn't shown, since a password may be in it.
        raise InputError(
            "The model's name may have the address of a server in it, without @http:// or @https:// before it. "
            "Write openai:MODEL@http://HOST:PORT/v1 or openai:MODEL@https://HOST/v1; "
            "if this is the model's own name, give the address after it in the same way."
        )
    return model, _read_base_url(named) if named else OFFICIAL


def _split_name(name: str) -> tuple[str, str | None]:
    found = _URL.search(name)
    return (name, None) if found is None else (name[: found.start()], name[found.end() :])


def _read_base_url(text: str) -> str:
    """Read the address that the environment gives; nobody can tell what is meant by one without a scheme."""
    if not text.lower().startswith(("http://", "https://")):
        raise InputError(
            f"The environment variable {BASE_URL} holds no address with http:// or https:// before it. "
            "Set it to one such as http://localhost:8000/v1, or unset it."
        )
    return read_address(text)


def _has_address(name: str) -> bool:
    """Tell whether a name has an address in it; a date or a version after @ is none, nor is @cf/meta/llama."""
    first, *others = name.removeprefix("@").split("@")
    if _ADDRESS_SIGNS.search(name) or _HOST_AND_PORT.fullmatch(first):
        return True
    namespace, slash, _ = first.partition("/")
    if name.startswith("@") and not (namespace.isalnum() and slash):
        return True
    return not all(_VERSION.fullmatch(other) for other in others)


def _may_have_host(name: str) -> bool:
    """Tell whether a part of a name may be a host, where nobody named a server and the pairs would go to OpenAI."""
    if name.startswith("@") and not name.lower().startswith(_NAMESPACES):
        return True
    parts = name.removeprefix("@").partition("@")[0].split("/")  # what follows another @ is a version
    return any(is_number(part) or _MAYBE_HOST.fullmatch(part) for part in parts)


def _settings(max_tokens: int, temperature: float | None, seed: int | None) -> dict[str, Any]:
    """Check the settings of a reply: nothing is drawn at random without a seed."""
    if max_tokens < 1:
        raise InputError(f"The option max_tokens can't be {max_tokens}. Give a number of at least 1.")
    if temperature is not None and not (math.isfinite(temperature) and temperature >= 0):
        raise InputError(f"The option temperature can't be {temperature}. Give a number of at least 0.")
    if temperature and seed is None:
        raise InputError(
            f"With temperature={temperature:g} replies are drawn at random. "
            "Give a seed as well: -o openai.seed=1 to evaluate, -o seed=1 to predict."
        )
    return {"max_tokens": max_tokens, "temperature": temperature, "seed": seed}
