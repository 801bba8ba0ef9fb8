"""How many threads torch computes with, for as long as a run takes."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch

from rightreasons.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def threads(count: int | None) -> Iterator[None]:
    """Compute with so many threads, then with as many as before; none leaves it to OMP_NUM_THREADS and torch."""
    if count is None:
        yield
        return
    if count < 1:
        raise InputError(f"The option threads is {count}. Give 1 or more.")
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
