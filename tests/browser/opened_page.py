"""What the tests of pages do with a page that is open."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

Open: TypeAlias = Callable[..., Any]
QUIET = ("file:", "data:", "blob:")


def missing(what: str) -> None:
    """Skip where a browser is missing, but never where all must be tested."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is missing, and these tests must run here")
    pytest.skip(f"{what} is not here")


def listen(page: Any, complaints: list[str]) -> None:
    """Note what a page complains of and whom it asks."""
    page.on(
        "console",
        lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None,
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    page.on("request", lambda request: request.url.startswith(QUIET) or complaints.append(request.url))


def count(page: Any) -> int:
    """Read how many pairs match."""
    text = page.inner_text("#pairs-count")
    return 0 if text.startswith("No pair") else int(text.split()[0].replace(",", ""))


def expect_count(page: Any, wanted: int) -> None:
    # Waiting for a function would evaluate text, which the page's policy forbids from the second look on.
    from playwright.sync_api import expect

    pattern = rf"^{wanted:,} " if wanted else "^No pair"
    expect(page.locator("#pairs-count")).to_have_text(re.compile(pattern))


def read_numbers(page: Any, selector: str) -> list[int]:
    """Return the numbers in the text of an element."""
    return [int(number) for number in re.findall(r"\d+", page.inner_text(selector))]
