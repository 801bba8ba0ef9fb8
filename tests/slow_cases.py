"""Cases of one test that differ little: `make test` runs the first of them, `make test-all` runs them all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable


def slow_after(count: int, cases: Iterable[Any]) -> list[Any]:
    """Mark all cases but the first as slow; a case is a value, or a tuple of values."""
    listed = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [
        pytest.param(*case, marks=[pytest.mark.slow] if number >= count else [])
        for number, case in enumerate(listed)
    ]
