"""A language model behind an OpenAI-compatible endpoint: prompted with one pair per request."""

from __future__ import annotations

import os
import re
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from rightreasons.core import labels
from rightreasons.core.errors import InputError
from rightreasons.core.options import option, require_at_least
from rightreasons.models.remote.addresses import (
    API_KEY_VARIABLE,
    ApiKey,
    find_api_key,
    get_host,
    get_origin,
    is_ip_address,
    make_missing_key_error,
    read_address,
)
from rightreasons.models.remote.client import Client, encode_json
from rightreasons.models.remote.endpoint_base import (
    CONCURRENCY_HELP,
    HARMLESS_PAIR,
    KEY_HELP,
    TIMEOUT_HELP,
    Endpoint,
    RemoteJob,
    handle_rejection,
)
from rightreasons.models.remote.failures import RejectedError
from rightreasons.models.remote.limits import Account, Budget, estimate_usage
from rightreasons.models.remote.openai_protocol import Reply, RequestShape, extract_prediction, parse_reply
from rightreasons.models.remote.prompts import Prompt, choose_prompt

if TYPE_CHECKING:
    from rightreasons.core.parts import Job

OPENAI_URL = "https://api.openai.com/v1"
OPENAI_KEY_VARIABLE = "OPENAI_API_KEY"
BASE_URL_VARIABLE = "OPENAI_BASE_URL"
_URL_SEPARATOR = re.compile("@(?=https?://)", re.IGNORECASE)
# What may follow @ in the name of a model; anything else is treated as an address without its scheme.
# At most as many digits as a date has: a host can be written as one number.
_VERSION = re.compile(r"\d{1,8}|\d+(?:-\d+)+|latest|default", re.IGNORECASE)
_HOST_AND_PORT = re.compile(r"[\w.-]+:\d{3,5}(?:/.*)?|localhost(?:[:/].*)?", re.IGNORECASE | re.DOTALL)
# What occurs in addresses, but in no model's name: ://, //host, [::1], \\host.
_ADDRESS_SIGNS = re.compile(r"//|[\[\]\\]")
# What may be a host among the parts of a name between / and @; OpenAI's own names have no such part.
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
        help=f"Name of the model, or MODEL@BASE_URL. Default URL: {BASE_URL_VARIABLE} if set, else OpenAI."
    )
    _: KW_ONLY
    api: Literal["chat", "completions"] = option(
        "chat", help="Type of the API: chat completions or plain completions."
    )
    prompt: str | None = option(None, help="Name of a prompt, or path of a TOML file with a prompt.")
    ways: Literal["three", "two"] | None = option(
        None, help="Number of labels of the default prompt: three or two."
    )
    logprobs: Literal["auto", "yes", "no"] = option(
        "auto", help="Whether to read labels from log-probabilities; auto does if the endpoint returns them."
    )
    max_tokens: int = option(16, help="Maximum number of tokens in a reply.")
    temperature: float | None = option(
        0.0, help="Sampling temperature: 0 for the most probable reply, none for the default of the endpoint."
    )
    seed: int | None = option(None, help="Seed for the endpoint; required if the temperature is above 0.")
    concurrency: int = option(8, help=CONCURRENCY_HELP)
    timeout: float = option(60.0, help=TIMEOUT_HELP)
    max_cost: float | None = option(None, help="Maximum cost of a run, in the currency of the prices.")
    price_in: float | None = option(None, help="Price per million input tokens.")
    price_out: float | None = option(None, help="Price per million output tokens.")
    key_env: str | None = option(None, help=f"{KEY_HELP}.")

    def __post_init__(self) -> None:
        """Check the options; no request is sent yet."""
        _ = self.endpoint, self.template, self.settings
        super().__post_init__()

    @cached_property
    def endpoint(self) -> tuple[str, str]:
        """The name of the model at the endpoint, and the address."""
        return _split_model_and_address(self.model)

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
        return choose_prompt(self.prompt, self.ways)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that the prompt asks for."""
        return tuple(self.template.words)

    @cached_property
    def settings(self) -> dict[str, Any]:
        """The settings of a reply."""
        return _make_reply_settings(self.max_tokens, self.temperature, self.seed)

    @cached_property
    def budget(self) -> Budget:
        """The limits of a run."""
        return Budget(self.max_requests, self.max_cost, self.price_in, self.price_out)

    @cached_property
    def state(self) -> _EndpointState:
        """What is known about the endpoint."""
        return _EndpointState(RequestShape.build(self.api, self.model_name, self.logprobs, self.settings))

    def fingerprint(self) -> dict[str, Any]:
        """Return what determines the predictions; prices, keys and retries don't."""
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
        return Client(self.address, self._find_api_key(), self.retry_policy)

    def precheck(self) -> None:
        """Check the key and the endpoint: a wrong address or key is noticed before any model of a run is run."""
        if not self.state.reached:
            self.client.check_connection("/models")
            self.state.reached = True

    def prepare(self, pairs: pl.DataFrame) -> Job:
        """Plan one request for each pair; a wrong address or key is noticed before the first of them."""
        self.precheck()
        account, prompt = Account(self.budget), self.template
        texts = [prompt.fill(*pair) for pair in pairs.select("premise", "hypothesis").iter_rows()]
        return RemoteJob(
            batches=[np.array([row]) for row in range(pairs.height)],
            workers=self.retry_policy.concurrency,
            account=account,
            send=lambda rows: pl.concat(
                (self._predict_pair(texts[row], account) for row in rows), how="diagonal"
            ),
        )

    def _predict_pair(self, text: str, account: Account) -> pl.DataFrame:
        """Predict one pair; a pair that the endpoint rejects permanently is refused."""
        try:
            return self._make_prediction(self._request_reply(text, account))
        except RejectedError as rejection:
            harmless = self.template.fill(*HARMLESS_PAIR)
            return handle_rejection(rejection, self.client, lambda: self._request_reply(harmless, account))

    def _request_reply(self, text: str, account: Account) -> Reply:
        """Request the reply to a prompt; an optional field that the endpoint rejects is left out."""
        while True:
            shape = self.state.shape
            body = shape.make_body(self.template.system, text)
            most = estimate_usage(encode_json(body), self.settings["max_tokens"])
            try:
                return self.client.post(shape.path, body, parse_reply, account, most)
            except RejectedError as rejection:
                adapted = shape.drop_rejected_field(rejection.server_message)
                if adapted is None:
                    raise
                self.state.shape = adapted

    def _make_prediction(self, reply: Reply) -> pl.DataFrame:
        """Make the prediction of a reply: the label, probabilities if there are any, and the raw text."""
        predicted, probabilities = extract_prediction(reply, self.template)
        columns = {
            labels.PROBABILITIES[label]: pl.Series([probabilities.get(label)], dtype=pl.Float64)
            for label in self.labels
        }
        return pl.DataFrame({"label": [predicted], **columns, "text": [self.client.key.redact(reply.text)]})

    def _find_api_key(self) -> ApiKey:
        """Find the key; that of OpenAI is sent only to OpenAI, and to the server that OPENAI_BASE_URL names.

        RIGHTREASONS_API_KEY holds the token of one's own servers, so OpenAI gets it only if key_env names it.
        """
        official = get_host(self.address) == get_host(OPENAI_URL)
        if official and get_origin(self.address) != get_origin(OPENAI_URL):
            raise InputError(
                f"With {self.address}, the API key would be sent unencrypted or to another port. Use {OPENAI_URL}."
            )
        key = find_api_key((self.key_env,) if self.key_env else self._list_key_variables(official=official))
        if not key and (self.key_env or official):
            variable = self.key_env or OPENAI_KEY_VARIABLE
            raise make_missing_key_error(self.address, variable)
        return key

    def _list_key_variables(self, *, official: bool) -> tuple[str, ...]:
        """List the variables that a key for this address may come from."""
        if official:
            return (OPENAI_KEY_VARIABLE,)
        base_url = os.environ.get(BASE_URL_VARIABLE, "").strip()
        is_base_url = bool(base_url) and get_origin(self.address) == get_origin(_parse_base_url(base_url))
        return (API_KEY_VARIABLE, OPENAI_KEY_VARIABLE) if is_base_url else (API_KEY_VARIABLE,)


@dataclass
class _EndpointState:
    """What is known about an endpoint: which fields it accepts, and whether it was reached."""

    shape: RequestShape
    reached: bool = False


def _split_model_and_address(name: str) -> tuple[str, str]:
    """Split MODEL@BASE_URL; the default address is that of the environment, or OpenAI."""
    model, url = _split_at_url(name)
    if not model:
        raise InputError("The name of the model is empty. Use openai:MODEL@BASE_URL.")
    if url is not None:
        return model, read_address(url)
    base_url = os.environ.get(BASE_URL_VARIABLE, "").strip()
    if _has_address(model) or (not base_url and _may_have_host(model)):
        # The text isn't shown, since a password may be in it.
        raise InputError(
            "The name of the model seems to contain a server URL without @http:// or @https:// before the host. "
            "Use openai:MODEL@http://HOST:PORT/v1 or openai:MODEL@https://HOST/v1; "
            "if this is the name of the model itself, add the URL in the same way."
        )
    return model, _parse_base_url(base_url) if base_url else OPENAI_URL


def _split_at_url(name: str) -> tuple[str, str | None]:
    separator = _URL_SEPARATOR.search(name)
    return (name, None) if separator is None else (name[: separator.start()], name[separator.end() :])


def _parse_base_url(text: str) -> str:
    """Read the address in the environment; one without a scheme is ambiguous."""
    if not text.lower().startswith(("http://", "https://")):
        raise InputError(
            f"The environment variable {BASE_URL_VARIABLE} contains no URL that begins with http:// or https://. "
            "Set the variable to a URL such as http://localhost:8000/v1, or unset it."
        )
    return read_address(text)


def _has_address(name: str) -> bool:
    """Return whether a name contains an address; a date or a version after @ is not one, nor is @cf/meta/llama."""
    first, *suffixes = name.removeprefix("@").split("@")
    if _ADDRESS_SIGNS.search(name) or _HOST_AND_PORT.fullmatch(first):
        return True
    namespace, slash, _ = first.partition("/")
    if name.startswith("@") and not (namespace.isalnum() and slash):
        return True
    return not all(_VERSION.fullmatch(suffix) for suffix in suffixes)


def _may_have_host(name: str) -> bool:
    """Return whether a part of a name may be a host; if no server is named, the pairs would be sent to OpenAI."""
    if name.startswith("@") and not name.lower().startswith(_NAMESPACES):
        return True
    parts = name.removeprefix("@").partition("@")[0].split("/")  # what follows another @ is a version
    return any(is_ip_address(part) or _MAYBE_HOST.fullmatch(part) for part in parts)


def _make_reply_settings(max_tokens: int, temperature: float | None, seed: int | None) -> dict[str, Any]:
    """Check the settings of a reply: sampling requires a seed."""
    require_at_least("max_tokens", max_tokens, 1)
    if temperature is not None:
        require_at_least("temperature", temperature, 0)
    if temperature and seed is None:
        raise InputError(
            f"With temperature={temperature:g} replies are drawn at random. "
            "Give a seed as well: -o openai.seed=1 to evaluate, -o seed=1 to predict."
        )
    return {"max_tokens": max_tokens, "temperature": temperature, "seed": seed}
