"""Names of files, made of names that somebody gave."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_SLUG_LENGTH = 80
_OTHERS = re.compile(r"[^A-Za-z0-9._-]+")


def slugs(names: Sequence[str]) -> list[str]:
    """Make file names of names: plain letters, all different even where case is ignored."""
    made: list[str] = []
    for name in names:
        base = _OTHERS.sub("-", name).strip("-.")[-_SLUG_LENGTH:] or "unnamed"
        slug, count = base, 1
        while slug.casefold() in {known.casefold() for known in made}:
            count += 1
            slug = f"{base}-{count}"
        made.append(slug)
    return made
