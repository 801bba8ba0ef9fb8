"""How long asking takes, apart from loading the model that is asked."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Clock:
    """How long a model took to load, and how long it has been asked: speeds are compared by the latter alone."""

    def __init__(self) -> None:
        """Begin with nothing loaded and nothing asked."""
        self.loading = 0.0
        self.started = 0.0

    def load(self, load: Callable[[], T]) -> T:
        """Call something that loads a model, and add its time."""
        begin = time.perf_counter()
        result = load()
        self.loading += time.perf_counter() - begin
        return result

    def start(self) -> None:
        """Begin to ask."""
        self.started = time.perf_counter()

    def read(self) -> dict[str, float]:
        """Tell the seconds so far."""
        return {"loading": self.loading, "seconds": time.perf_counter() - self.started}
