"""Addresses of endpoints: read from a model's name, and free of secrets."""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

from rightreasons.core.errors import InputError

LOCAL = "localhost"
SCHEMES = ("http", "https")
PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*")


def read_address(text: str, scheme: str = "http") -> str:
    """Read an address such as http://localhost:8000, //localhost:8000 or localhost:8000; a last slash is dropped."""
    whole = text.strip()
    if whole.startswith("//"):
        whole = f"{scheme}:{whole}"
    elif "://" not in whole:
        whole = f"{scheme}://{whole}"
    return _check_address(whole).rstrip("/")


def host_of(address: str) -> str:
    """Return the host of an address."""
    return urlsplit(address).hostname or ""


def origin_of(address: str) -> tuple[str, str, int]:
    """Say how, whom and at which port an address calls: two addresses with the same of it are one server."""
    parts, host, port = _split(address)
    return parts.scheme, host, PORTS.get(parts.scheme, 0) if port is None else port


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine, reached from nowhere else."""
    if host.lower().rstrip(".") == LOCAL:
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def is_number(host: str) -> bool:
    """Tell whether a host is given by its number."""
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


def _check_address(whole: str) -> str:
    """Refuse what is no address, or what may hold a secret; such a part is not repeated in the error."""
    parts, host, port = _split(whole)
    if parts.username is not None or parts.password is not None:
        raise InputError(
            f"The address of {host} holds a user name or a password, which would end up in cards and logs. "
            "Leave them out, and put the key into the environment variable RIGHTREASONS_API_KEY."
        )
    if parts.query or parts.fragment:
        raise InputError(
            f"The address of {host} goes on after its path, with ? or #, where keys are often put. "
            "Leave that out, and put the key into the environment variable RIGHTREASONS_API_KEY."
        )
    if parts.scheme not in SCHEMES or not host or not whole.isprintable() or " " in whole:
        raise InputError(f"{whole!r} is no address of a server. Write one such as http://localhost:8000.")
    if not is_number(host) and not _HOST.fullmatch(host):
        # Names in other scripts can look like one that they are not; libraries differ in how they read them.
        raise InputError(
            f"{host!r} is no name of a host: it may have letters from a to z, digits, dots and hyphens. "
            "Write other names in their ASCII form, which begins with xn--."
        )
    place = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{place}{'' if port is None else f':{port}'}{parts.path}"


def _split(whole: str) -> tuple[SplitResult, str, int | None]:
    try:
        parts = urlsplit(whole)
        # A last dot makes no difference to the network, but would to those who compare names.
        host, port = (parts.hostname or "").removesuffix("."), parts.port
    except ValueError:
        # The text isn't shown: what can't be taken apart can't be searched for a password either.
        raise InputError(
            "The address of the server can't be read. Write one such as http://localhost:8000."
        ) from None
    return parts, host, port


OWN = "RIGHTREASONS_API_KEY"
STRUCK_OUT = "[key]"
# Servers on one's own machine are given words like EMPTY for a key: to strike those out would spoil answers.
SHORTEST = 8


@dataclass(frozen=True)
class Key:
    """A key and the variable that it came from; neither repr nor str shows it."""

    variable: str
    value: str | None = field(default=None, repr=False)

    def __bool__(self) -> bool:
        """Tell whether there is one."""
        return bool(self.value)

    def headers(self) -> dict[str, str]:
        """Make the header that carries the key, if there is one."""
        return {"Authorization": f"Bearer {self.value}"} if self.value else {}

    def strike(self, text: str) -> str:
        """Strike the key out of a text that came from elsewhere."""
        if self.value is None or len(self.value) < SHORTEST:
            return text
        return text.replace(self.value, STRUCK_OUT)


def find_key(variables: tuple[str, ...]) -> Key:
    """Take the key from the first of the environment variables that is set."""
    for name in variables:
        value = os.environ.get(name, "").strip()
        if value:
            return Key(name, _fit_for_a_header(name, value))
    return Key(variables[0])


def _fit_for_a_header(name: str, value: str) -> str:
    """Refuse a key that no header can carry, without showing it."""
    if not value.isascii() or not value.isprintable() or " " in value:
        raise InputError(
            f"The environment variable {name} holds no key: there are spaces or signs in it that no key has. "
            "Set it again."
        )
    return value
