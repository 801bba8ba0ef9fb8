"""Addresses of endpoints: read from a model's name, and free of secrets."""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

from rightreasons.core.errors import InputError

LOCALHOST = "localhost"
SCHEMES = ("http", "https")
DEFAULT_PORTS = {"http": 80, "https": 443}
_HOST_NAME = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*")


def read_address(text: str, scheme: str = "http") -> str:
    """Read an address such as http://localhost:8000, //localhost:8000 or localhost:8000, without a trailing slash."""
    whole = text.strip()
    if whole.startswith("//"):
        whole = f"{scheme}:{whole}"
    elif "://" not in whole:
        whole = f"{scheme}://{whole}"
    return _check_address(whole).rstrip("/")


def get_host(address: str) -> str:
    """Return the host of an address."""
    return urlsplit(address).hostname or ""


def get_origin(address: str) -> tuple[str, str, int]:
    """Return scheme, host and port of an address: two addresses with the same origin are one server."""
    parts, host, port = _split_address(address)
    return parts.scheme, host, DEFAULT_PORTS.get(parts.scheme, 0) if port is None else port


def is_loopback(host: str) -> bool:
    """Return whether a host is the loopback interface of this machine."""
    if host.lower().rstrip(".") == LOCALHOST:
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def is_ip_address(host: str) -> bool:
    """Return whether a host is given as an IP address."""
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


API_KEY_VARIABLE = "RIGHTREASONS_API_KEY"
_KEY_ADVICE = f"set the API key in the environment variable {API_KEY_VARIABLE}."
_URL_ADVICE = "Use a URL such as http://localhost:8000."


def _check_address(whole: str) -> str:
    """Refuse what is not an address, or what may hold a secret; the error does not repeat such a part."""
    parts, host, port = _split_address(whole)
    if parts.username is not None or parts.password is not None:
        raise InputError(
            f"The URL of {host} contains a user name or a password, which would be written to cards and logs. "
            f"Remove both, and {_KEY_ADVICE}"
        )
    if parts.query or parts.fragment:
        raise InputError(
            f"The URL of {host} contains ? or # after its path, which may introduce an API key. "
            f"Remove that part, and {_KEY_ADVICE}"
        )
    if parts.scheme not in SCHEMES or not host or not whole.isprintable() or " " in whole:
        raise InputError(f"{whole!r} is not a valid server URL. {_URL_ADVICE}")
    if not is_ip_address(host) and not _HOST_NAME.fullmatch(host):
        # Names in other scripts can imitate another name; libraries differ in how they read them.
        raise InputError(
            f"{host!r} is not a valid host name: only the letters a to z, digits, dots and hyphens are allowed. "
            "Use the ASCII form of other names, which begins with xn--."
        )
    place = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{place}{'' if port is None else f':{port}'}{parts.path}"


def _split_address(whole: str) -> tuple[SplitResult, str, int | None]:
    try:
        parts = urlsplit(whole)
        # A trailing dot makes no difference to the network, but would to those who compare names.
        host, port = (parts.hostname or "").removesuffix("."), parts.port
    except ValueError:
        # The text isn't shown: it may contain a password, which can't be located if parsing fails.
        raise InputError(f"The URL of the server is not valid. {_URL_ADVICE}") from None
    return parts, host, port


KEY_PLACEHOLDER = "[key]"
# Servers on one's own machine are given words like EMPTY for a key: redacting those would spoil replies.
SHORTEST_KEY = 8


@dataclass(frozen=True)
class ApiKey:
    """An API key and the environment variable that it came from; neither repr nor str shows it."""

    variable: str
    value: str | None = field(default=None, repr=False)

    def __bool__(self) -> bool:
        """Return whether there is a key."""
        return bool(self.value)

    def make_headers(self) -> dict[str, str]:
        """Make the header that carries the key, if there is one."""
        return {"Authorization": f"Bearer {self.value}"} if self.value else {}

    def redact(self, text: str) -> str:
        """Replace the key in a text that came from elsewhere."""
        if self.value is None or len(self.value) < SHORTEST_KEY:
            return text
        return text.replace(self.value, KEY_PLACEHOLDER)


def find_api_key(variables: tuple[str, ...]) -> ApiKey:
    """Take the key from the first of the environment variables that is set."""
    for name in variables:
        value = os.environ.get(name, "").strip()
        if value:
            return ApiKey(name, _check_header_value(name, value))
    return ApiKey(variables[0])


def make_missing_key_error(address: str, variable: str) -> InputError:
    """Return the error for a server whose API key is in no environment variable."""
    return InputError(f"There is no API key for {address}. Set the environment variable {variable}.")


def _check_header_value(name: str, value: str) -> str:
    """Refuse a key that no header can carry, without showing it, and return it otherwise."""
    if not value.isascii() or not value.isprintable() or " " in value:
        raise InputError(
            f"The environment variable {name} contains characters that are not allowed in an API key, such as spaces. "
            f"Set {name} again."
        )
    return value
