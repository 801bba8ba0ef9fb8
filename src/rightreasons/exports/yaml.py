"""The little YAML that exported files need: mappings, lists and scalars, with every text quoted."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from rightreasons.core.formatting import plain

_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
# Words that would be read as a truth value or as nothing if they stood bare.
_READ_AS_OTHER = ("true", "false", "yes", "no", "on", "off", "null", "none", "y", "n")


class Raw(str):
    """A text that stands as it is, such as a tag with its argument; never one from outside."""

    __slots__ = ()


def shown(value: object, indent: int = 0) -> str:
    """Show a value as YAML; characters that YAML forbids are replaced."""
    pad = " " * indent
    if isinstance(value, Mapping) and value:
        return "".join(f"{pad}{_key(key)}:{_below(one, indent)}" for key, one in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str) and value:
        return "".join(f"{pad}-{_item(one, indent)}" for one in value)
    return f"{pad}{_scalar(value)}\n"


def _below(value: object, indent: int) -> str:
    """Show what a key stands for: on its line if it is one value, else below."""
    if _is_nested(value):
        return "\n" + shown(value, indent + 2)
    return f" {_scalar(value)}\n"


def _item(value: object, indent: int) -> str:
    """Show an item of a list: the first line of what is nested stands beside the dash."""
    if _is_nested(value):
        return " " + shown(value, indent + 2)[indent + 2 :]
    return f" {_scalar(value)}\n"


def _is_nested(value: object) -> bool:
    return isinstance(value, Mapping | Sequence) and not isinstance(value, str) and bool(value)


def _key(key: object) -> str:
    text = plain(key)
    bare = _BARE.fullmatch(text) and text.casefold() not in _READ_AS_OTHER
    return text if bare else json.dumps(text, ensure_ascii=False)


def _scalar(value: object) -> str:
    if isinstance(value, Raw):
        return str(value)
    text = json.dumps(plain(value) if isinstance(value, str) else value, ensure_ascii=False)
    # A number without a point is text to some readers, if it has an exponent.
    return text.replace("e", ".0e") if isinstance(value, float) and "." not in text else text
