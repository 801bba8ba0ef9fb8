"""Seeded damage that fits any file: to bytes, to JSON documents, and texts that are hard to handle."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

T = TypeVar("T")
# fmt: off
ODD_TEXTS = (
    "", " ", "\t", "\x00", "\x1f", "a\x1fb", "\r", "line\nbreak", "=1+1", "@SUM(A1)", "null", "None", "NaN", "nan",
    "true", "0", "-1", "1e999", "é", "e\u0301", "\u202egnihton", "\ufeff", "\u2028", "😀", "\ud800", '"', "'", "\\",
    "\\u0041", ",", ";", "<script>alert(1)</script>", "{{7*7}}", "%s%n", "../../etc/passwd", "*", "[1]", "a[1]?",
    "x" * 5000, "(" * 300, "(ROOT " * 50,
)
ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, 10**30, 0.5, -0.0, 1e308, float("nan"), float("inf"), "", "0", "x",
    "é\u2028", [], {}, [[]], [None], [1, "a", None], {"": ""}, {"a": {"b": [1, 2, {"c": None}]}},
)
# fmt: on
# Words that mean something to the readers of this package, spliced into files at random places.
# fmt: off
TOKENS = (
    b",", b"\t", b"\n", b"\r\n", b"\r", b'"', b'""', b"\\", b"{", b"}", b"[", b"]", b":", b"null", b"NaN",
    b"entailment", b"neutral", b"id", b"label", b"\xff", b"\x00", b"\xef\xbb\xbf", b"PAR1", b"\xc3", b"0", b"-1",
    b"1e400",
)
# fmt: on


def odd_text(chance: random.Random, *, surrogates: bool = False) -> str:
    """Choose a text that is hard to handle; halves of surrogate pairs can't be written as UTF-8."""
    while True:
        text = chance.choice(ODD_TEXTS)
        if surrogates or "\ud800" not in text:
            return text


def mostly(chance: random.Random, usual: T, *odd: T, odds: float = 0.85) -> T:
    """Choose the usual value most of the time, so that one thing is odd at a time."""
    return usual if chance.random() < odds else chance.choice(odd)


def mutate_bytes(chance: random.Random, content: bytes) -> bytes:
    """Damage a file in one to four places."""
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        content = chance.choice(_BYTE_EDITS)(chance, content)
    return content


def _flip(chance: random.Random, content: bytes) -> bytes:
    if not content:
        return content
    at = chance.randrange(len(content))
    return content[:at] + bytes([content[at] ^ (1 << chance.randrange(8))]) + content[at + 1 :]


def _insert(chance: random.Random, content: bytes) -> bytes:
    at = chance.randint(0, len(content))
    return content[:at] + chance.randbytes(chance.randint(1, 8)) + content[at:]


def _splice(chance: random.Random, content: bytes) -> bytes:
    at = chance.randint(0, len(content))
    return content[:at] + chance.choice(TOKENS) + content[at:]


def _delete(chance: random.Random, content: bytes) -> bytes:
    at = chance.randint(0, len(content))
    return content[:at] + content[at + chance.choice((1, 1, 2, 8, 64)) :]


def _truncate(chance: random.Random, content: bytes) -> bytes:
    return content[: chance.randint(0, len(content))]


def _repeat(chance: random.Random, content: bytes) -> bytes:
    start, end = sorted(chance.randint(0, len(content)) for _ in range(2))
    return content[:end] + content[start:end] + content[end:]


def _move(chance: random.Random, content: bytes) -> bytes:
    first, second, third = sorted(chance.randint(0, len(content)) for _ in range(3))
    return content[:first] + content[second:third] + content[first:second] + content[third:]


def _replace(chance: random.Random, content: bytes) -> bytes:
    if not content:
        return content
    old = content[chance.randrange(len(content)) :][: chance.randint(1, 3)]
    return content.replace(old, chance.choice(TOKENS), chance.choice((1, 3, -1)))


_BYTE_EDITS: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    _flip,
    _flip,
    _insert,
    _splice,
    _splice,
    _delete,
    _truncate,
    _repeat,
    _move,
    _replace,
)


def mutate_document(chance: random.Random, document: Any, edits: int = 1) -> Any:
    """Change a JSON document in some places: a value, a type, a key, an entry more or less."""
    changed = copy.deepcopy(document)
    for _ in range(edits):
        places = list(_places(changed))
        if not places:
            return chance.choice(ODD_VALUES)
        holder, key = chance.choice(places)
        _edit(chance, holder, key)
    return changed


def _places(value: Any) -> list[tuple[Any, Any]]:
    """List every entry of every object and list, with what holds it."""
    keys = (
        list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    )
    return [(value, key) for key in keys] + [place for key in keys for place in _places(value[key])]


def _edit(chance: random.Random, holder: Any, key: Any) -> None:
    move = chance.random()
    if move < 0.5:
        holder[key] = copy.deepcopy(chance.choice(ODD_VALUES))
    elif move < 0.65:
        holder[key] = odd_text(chance)
    elif move < 0.8:
        del holder[key]
    elif isinstance(holder, dict):
        holder[odd_text(chance)] = holder[key]
    else:
        holder.insert(chance.randint(0, len(holder)), copy.deepcopy(holder[key]))


def dump(document: Any) -> bytes:
    """Write a document as JSON; what is not a number is written as Python does it."""
    return json.dumps(document, indent=2).encode("utf-8", errors="surrogatepass")


def mutate_json(chance: random.Random, content: bytes) -> bytes:
    """Damage a JSON file: mostly its values, now and then its bytes, its depth or its keys."""
    move = chance.random()
    if move < 0.7:
        return dump(mutate_document(chance, json.loads(content), chance.choice((1, 1, 1, 2, 3))))
    if move < 0.9:
        return mutate_bytes(chance, content)
    return chance.choice(
        (
            b"",
            b"null",
            b"[]",
            b"{}",
            b"1",
            b'"x"',
            b"[" * 100_000,
            b'{"a":' * 100_000,
            b"\xff\xfe",
            b"\xef\xbb\xbf" + content,
            content + content,
            content.replace(b"{", b'{"a": 1, "a": 2,', 1),
            b"NaN",
        )
    )
