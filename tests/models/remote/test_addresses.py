from __future__ import annotations

import pytest

from rightreasons.core.errors import InputError
from rightreasons.models.remote.addresses import ApiKey, find_api_key, is_loopback, read_address


@pytest.mark.parametrize(
    ("text", "scheme", "address"),
    [
        ("//localhost:8000", "http", "http://localhost:8000"),
        ("//models.example/nli/", "https", "https://models.example/nli"),
        ("localhost:8000", "http", "http://localhost:8000"),
        ("http://127.0.0.1:1/", "http", "http://127.0.0.1:1"),
        ("https://a.example/v1", "http", "https://a.example/v1"),
        ("//[::1]:8000", "http", "http://[::1]:8000"),
    ],
)
def test_addresses_are_read(text: str, scheme: str, address: str) -> None:
    assert read_address(text, scheme) == address
    assert read_address(address) == address


@pytest.mark.parametrize("text", ["", "//", "ftp://a.example", "//a b", "http://", "file:///etc", "//a\nb"])
def test_invalid_urls_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="http://localhost:8000"):
        read_address(text)


@pytest.mark.parametrize(
    "text",
    [
        "http://me:hunter2@host/x",
        "//hunter2@host",
        "//host/?key=hunter2",
        "//host#hunter2",
        "//host:hunter2",
        "//:hunter2@",
        "//[hunter2",
    ],
)
def test_secrets_in_an_address_are_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(InputError) as caught:
        read_address(text)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("localhost", True),
        ("LOCALHOST.", True),
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("[::1]", True),
        ("0.0.0.0", False),  # noqa: S104 - told apart from this machine
        ("10.0.0.1", False),
        ("localhost.example", False),
        ("", False),
    ],
)
def test_loopback(host: str, local: bool) -> None:
    assert is_loopback(host) == local


def test_keys_come_from_the_first_variable_that_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ONE", raising=False)
    monkeypatch.setenv("TWO", " abcdefgh \n")
    assert find_api_key(("ONE", "TWO")) == ApiKey("TWO", "abcdefgh")
    assert find_api_key(("ONE",)) == ApiKey("ONE")
    assert "abcdefgh" not in repr(find_api_key(("TWO",)))


@pytest.mark.parametrize("value", ["two words", "line\nbreak", "schlüssel-123"])
def test_a_key_that_no_header_can_carry_is_not_shown(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONE", value)
    with pytest.raises(InputError, match="variable ONE ") as caught:
        find_api_key(("ONE",))
    assert value not in str(caught.value)


def test_short_words_for_a_key_do_not_spoil_answers() -> None:
    assert ApiKey("X", "EMPTY").redact("EMPTY or not") == "EMPTY or not"
    assert ApiKey("X", "longer-key").redact("a longer-key b") == "a [key] b"
