"""A language model behind an OpenAI-compatible endpoint: asked in words, one pair a request."""

from __future__ import annotations

import math
import os
import re
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from rightreasons.core import labels
from rightreasons.core.errors import InputError
from rightreasons.core.options import option
from rightreasons.models.remote.addresses import (
    OWN,
    Key,
    find_key,
    host_of,
    is_number,
    origin_of,
    read_address,
)
from rightreasons.models.remote.chats import Reply, RequestShape, judge, read_choice
from rightreasons.models.remote.client import Client, encoded
from rightreasons.models.remote.endpoint import HARMLESS, Endpoint, RemoteJob, handle_rejection
from rightreasons.models.remote.failures import RejectedError
from rightreasons.models.remote.limits import Account, Budget, estimate
from rightreasons.models.remote.prompts import Prompt, choose

if TYPE_CHECKING:
    from rightreasons.core.parts import Job

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


@dataclass(frozen=True)
class OpenAI(Endpoint):
    """A language model behind an OpenAI-compatible endpoint, written openai:MODEL@BASE_URL."""

    model: str = option(
        help="Name of the model, followed by @BASE_URL unless OPENAI_BASE_URL or OpenAI itself is meant."
    )
    _: KW_ONLY
    api: Literal["chat", "completions"] = option("chat", help="chat, or plain completions.")
    prompt: str | None = option(None, help="Name of a prompt, or a TOML file with one.")
    ways: Literal["three", "two"] | None = option(None, help="Three or two labels, if no prompt is named.")
    logprobs: Literal["auto", "yes", "no"] = option(
        "auto", help="Whether to read labels from log-probabilities; auto does if the endpoint returns them."
    )
    max_tokens: int = option(16, help="Most tokens in a reply.")
    temperature: float | None = option(
        0.0, help="0 for the most probable reply; none leaves it to the endpoint."
    )
    seed: int | None = option(None, help="Seed for the endpoint; required if the temperature is above 0.")
    concurrency: int = option(8, help="Requests under way at a time.")
    timeout: float = option(60.0, help="Seconds that one attempt may take.")
    max_cost: float | None = option(None, help="Most that a run may cost, in the currency of the prices.")
    price_in: float | None = option(None, help="Price of a million input tokens.")
    price_out: float | None = option(None, help="Price of a million output tokens.")
    key_env: str | None = option(None, help="Environment variable that holds the key.")

    def __post_init__(self) -> None:
        """Check the options; no request is sent yet."""
        _ = self.endpoint, self.template, self.settings
        super().__post_init__()

    @cached_property
    def endpoint(self) -> tuple[str, str]:
        """The name of the model at the endpoint, and the address."""
        return _read_name(self.model)

    @property
    def model_name(self) -> str:
        """The name of the model at the endpoint."""
        return self.endpoint[0]

    @property
    def address(self) -> str:
        """The address of the endpoint."""
        return self.endpoint[1]

    @cached_property
    def name(self) -> str:
        """The name with the address."""
        return f"openai:{self.model_name}@{self.address}"

    @cached_property
    def template(self) -> Prompt:
        """The prompt with its words for the labels."""
        return choose(self.prompt, self.ways)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that the prompt asks for."""
        return tuple(self.template.words)

    @cached_property
    def settings(self) -> dict[str, Any]:
        """The settings of a reply."""
        return _check_settings(self.max_tokens, self.temperature, self.seed)

    @cached_property
    def budget(self) -> Budget:
        """What a run may spend."""
        return Budget(self.max_requests, self.max_cost, self.price_in, self.price_out)

    @cached_property
    def state(self) -> _EndpointState:
        """What is known of the endpoint."""
        return _EndpointState(RequestShape.first(self.api, self.model_name, self.logprobs, self.settings))

    def fingerprint(self) -> dict[str, Any]:
        """Say what decides the answers; prices, keys and patience don't."""
        return {
            "kind": "openai",
            "model": self.model_name,
            "base_url": self.address,
            "api": self.api,
            "prompt": self.template.name,
            "prompt_sha256": self.template.digest,
            "logprobs": self.logprobs,
            **self.settings,
        }

    @cached_property
    def client(self) -> Client:
        """The connection, with the key."""
        return Client(self.address, self._key(), self.retry)

    def precheck(self) -> None:
        """Find the key and the endpoint: a wrong address or key is known before any model of a run is asked."""
        if not self.state.reached:
            self.client.knock("/models")
            self.state.reached = True

    def prepare(self, pairs: pl.DataFrame) -> Job:
        """Plan one request for each pair; a wrong address or key is known before the first of them."""
        self.precheck()
        account, prompt = Account(self.budget), self.template
        texts = [prompt.fill(*pair) for pair in pairs.select("premise", "hypothesis").iter_rows()]
        return RemoteJob(
            batches=[np.array([row]) for row in range(pairs.height)],
            workers=self.retry.concurrency,
            account=account,
            send=lambda rows: pl.concat((self._answer(texts[row], account) for row in rows), how="diagonal"),
        )

    def _answer(self, text: str, account: Account) -> pl.DataFrame:
        """Answer one pair; one that the endpoint turns down for good is refused."""
        try:
            return self._judged(self._ask(text, account))
        except RejectedError as rejection:
            harmless = self.template.fill(*HARMLESS)
            return handle_rejection(rejection, self.client, lambda: self._ask(harmless, account))

    def _ask(self, text: str, account: Account) -> Reply:
        """Ask about one pair; where the endpoint turns down a field that can be done without, leave it out."""
        while True:
            shape = self.state.shape
            body = shape.body(self.template.system, text)
            most = estimate(encoded(body), self.settings["max_tokens"])
            try:
                return self.client.post(shape.path, body, read_choice, account, most)
            except RejectedError as rejection:
                other = shape.adapted(rejection.words)
                if other is None:
                    raise
                self.state.shape = other

    def _judged(self, reply: Reply) -> pl.DataFrame:
        """Read a reply: the label, probabilities where they come, and the raw text."""
        label, odds = judge(reply, self.template)
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


@dataclass
class _EndpointState:
    """What is known of an endpoint: which fields it takes, and whether it was reached."""

    shape: RequestShape
    reached: bool = False


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


def _check_settings(max_tokens: int, temperature: float | None, seed: int | None) -> dict[str, Any]:
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
