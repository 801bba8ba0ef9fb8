"""Where things are kept between runs: the user's cache folder."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "RIGHTREASONS_CACHE"


def cache_folder(*parts: str) -> Path:
    """Name a folder of the cache; nothing is made.

    It is below the folder that the variable RIGHTREASONS_CACHE names, else below the usual place for caches.
    """
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).joinpath(*parts)
    usual = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 - never fails
    return Path(usual).joinpath("rightreasons", *parts)
