"""The limit on wrong tokens, and addresses behind proxies."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("starlette")

from rightreasons.people.web.access import (
    MOST_CLIENTS,
    WRONG_TOKENS,
    RefusedRequestError,
    WebAddress,
    WrongTokens,
)
from rightreasons.people.web.forms import MOST_LETTERS, clean_text
from rightreasons.people.web.pages import format_paragraphs


def request_of(client: str, **headers: str) -> Any:
    return SimpleNamespace(client=SimpleNamespace(host=client), headers=headers)


def test_wrong_tokens_count_for_a_minute_and_for_one_client() -> None:
    now = [0.0]
    limit = WrongTokens(lambda: now[0])
    for _ in range(WRONG_TOKENS):
        limit.check_client(request_of("a"))
        limit.add(request_of("a"))
        now[0] += 1
    with pytest.raises(RefusedRequestError) as caught:
        limit.check_client(request_of("a"))
    assert caught.value.status == 429
    limit.check_client(request_of("b"))
    now[0] = 61
    limit.check_client(request_of("a"))
    assert "a" not in "".join(limit.times) or all(len(name) > 20 for name in limit.times)
    now[0] = 200
    limit.check_client(request_of("a"))
    assert limit.times == {}


def test_the_memory_for_clients_is_limited() -> None:
    limit = WrongTokens()
    for number in range(MOST_CLIENTS + 10):
        limit.add(request_of(str(number)))
    assert len(limit.times) == MOST_CLIENTS


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "http://[", "https://study.example.org.evil.example"]
)
def test_forms_of_other_sites_are_refused(origin: str) -> None:
    with pytest.raises(RefusedRequestError):
        WebAddress("https://study.example.org").check_origin(request_of("a", origin=origin))


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("study.example.org", True),
        ("STUDY.example.org:443", True),
        ("127.0.0.1:8000", True),
        ("[::1]:8000", True),
        ("evil.example", False),
        ("study.example.org@evil.example", False),
        ("", False),
    ],
)
def test_host_names(host: str, allowed: bool) -> None:
    address = WebAddress("https://study.example.org/x/")
    assert (address.prefix, address.is_secure) == ("/x", True)
    if allowed:
        address.check_host(request_of("a", host=host))
    else:
        with pytest.raises(RefusedRequestError):
            address.check_host(request_of("a", host=host))


def test_texts_lose_control_characters_and_excess() -> None:
    assert clean_text(" a\r\nb\rc\x00\x1b[31m\t ") == "a\nb\nc[31m"
    assert len(clean_text("x" * 10_000)) == MOST_LETTERS


def test_paragraphs_and_lists_are_escaped() -> None:
    text = "First <b>line\nsecond line\n\nWe store:\n- answers & times\n- nothing else\n"
    assert format_paragraphs(text) == (
        "<p>First &lt;b&gt;line second line</p>\n<p>We store:</p>\n"
        "<ul><li>answers &amp; times</li><li>nothing else</li></ul>"
    )
