"""Data inside a page: JSON that can't end its element, and packed data that the browser unpacks."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

# A level above costs twice the time and saves a hundredth.
LEVEL = 6
# What could end a script element, start a comment, or end a line where a script's text may not.
_ESCAPES = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}


def as_json(value: Any) -> str:
    """Write a value as JSON that is safe inside a script element of any page."""
    return _dumped(value).translate(_ESCAPES)


def packed(value: Any) -> str:
    """Write a value as compressed JSON, in letters that mean nothing to a page."""
    return packed_text(_dumped(value))


def packed_text(text: str) -> str:
    """Compress a text; the same text gives the same letters whenever it is done."""
    # What is no character at all, as half of a pair of surrogates, has no bytes.
    compressed = gzip.compress(text.encode("utf-8", "replace"), LEVEL, mtime=0)
    return base64.b64encode(compressed).decode("ascii")


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
