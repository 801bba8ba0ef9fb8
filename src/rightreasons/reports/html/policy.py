"""What the page forbids itself: any request, and any script but its own, known by their hashes."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def policy(scripts: Iterable[str]) -> str:
    """Write the content security policy of a page with these scripts.

    Even a text that got past all escaping could neither run nor send anything.
    """
    hashes = " ".join(f"'sha256-{_hash(script)}'" for script in scripts)
    parts = (
        "default-src 'none'",
        f"script-src {hashes}",
        "style-src 'unsafe-inline'",  # charts and bars are placed by style attributes
        "img-src data: blob:",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return "; ".join(parts)


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
