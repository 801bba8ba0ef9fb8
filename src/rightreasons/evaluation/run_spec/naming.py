"""Short names that tell the parts of a run apart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rightreasons.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence


def short(name: str) -> str:
    """Leave the folders out of a name such as file:PATH, and the address out of openai:MODEL@URL."""
    kind, colon, argument = name.partition(":")
    if argument.startswith("//"):  # a model that is an address, such as http://host:port/path
        return name
    argument = argument.partition("@http")[0]
    return f"{kind}{colon}{Path(argument).name}" if "/" in argument else f"{kind}{colon}{argument}"


def names(given: Sequence[str], brief: Sequence[str]) -> list[str]:
    """Name parts shortly where that tells them apart, else as they were given."""
    chosen = [one if brief.count(one) == 1 else full for one, full in zip(brief, given, strict=True)]
    twice = [name for name in chosen if chosen.count(name) > 1]
    if twice:
        raise InputError(f"{twice[0]!r} is given twice. Name each set and model of a run once.")
    return chosen
