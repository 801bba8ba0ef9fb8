"""Keys: they come from the environment alone, and are struck out of whatever a server sends back."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from rightreasons.core.errors import InputError

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
