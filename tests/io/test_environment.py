"""Settings of the environment that make no sense get one sentence that names the variable, for endpoints and fetch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import certifi
import pytest

from command_line import inside, refused
from rightreasons.core.errors import InputError
from rightreasons.core.registry import make_model
from rightreasons.io import downloads as transfer
from rightreasons.io.archives import Download
from rightreasons.io.environment import (
    CERTIFICATES_VARIABLE,
    KEY_LOG_VARIABLE,
    PROXY_VARIABLES,
    check_network_settings,
)

if TYPE_CHECKING:
    from pathlib import Path

FAR = "https://models.invalid"
PASSWORD = "hunter2"


def open_client(name: str) -> object:
    return make_model(name, {}).client  # type: ignore[attr-defined]


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*PROXY_VARIABLES, "no_proxy", CERTIFICATES_VARIABLE, KEY_LOG_VARIABLE, "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ALL_PROXY", "socks5://127.0.0.1:9"),
        ("all_proxy", "socks4://127.0.0.1:9"),
        ("HTTPS_PROXY", "foo://x"),
        ("https_proxy", "http://[::1"),
        ("https_proxy", f"http://me:{PASSWORD}@host:port"),
        ("https_proxy", "http://host:99999"),
        ("https_proxy", "http://"),
        ("https_proxy", "://"),
        ("http_proxy", "http://a b"),
        ("http_proxy", "http://a\nb"),
        ("http_proxy", "http://\u00fc.example"),
        (CERTIFICATES_VARIABLE, "/no/such/file"),
        (CERTIFICATES_VARIABLE, "/"),
        (CERTIFICATES_VARIABLE, __file__),
    ],
)
def test_a_setting_that_can_not_be_used_is_named(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(InputError, match=variable) as caught:
        open_client(FAR)
    assert PASSWORD not in str(caught.value)
    with pytest.raises(InputError, match=variable):
        open_client(f"openai:gpt@{FAR}")
    with pytest.raises(InputError, match=variable):
        transfer.download_file(Download(f"{FAR}/x", "0" * 64, 3), tmp_path / "x")
    assert not list(tmp_path.iterdir())
    open_client("http://localhost:1")  # is never behind a proxy


@pytest.mark.parametrize("certificates", [None, certifi.where()])
@pytest.mark.parametrize("address", [FAR, "http://localhost:1"])
def test_an_unwritable_key_log_is_refused(
    address: str, certificates: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Python opens it for every context of TLS, which httpx makes for addresses of this machine as well."""
    if certificates:
        monkeypatch.setenv(CERTIFICATES_VARIABLE, certificates)
    monkeypatch.setenv(KEY_LOG_VARIABLE, str(tmp_path / "nope" / "x"))
    with pytest.raises(InputError, match=f"{KEY_LOG_VARIABLE} .*/nope/x'.*: No such file") as caught:
        open_client(address)
    assert CERTIFICATES_VARIABLE not in str(caught.value)
    monkeypatch.setenv(KEY_LOG_VARIABLE, str(tmp_path / "x"))
    open_client(address)


def test_both_settings_of_tls_may_be_wrong(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(KEY_LOG_VARIABLE, str(tmp_path / "x"))
    monkeypatch.setenv(CERTIFICATES_VARIABLE, "/no/such/file")
    with pytest.raises(InputError, match=CERTIFICATES_VARIABLE):
        check_network_settings()
    monkeypatch.setenv(KEY_LOG_VARIABLE, "/no/such/folder/x")
    monkeypatch.setenv(CERTIFICATES_VARIABLE, certifi.where())
    with pytest.raises(InputError, match=KEY_LOG_VARIABLE):
        transfer.download_file(Download(f"{FAR}/x", "0" * 64, 3), tmp_path / "y")


@pytest.mark.parametrize("value", ["[::1", "host:port", "\u00e9.example"])
def test_invalid_lists_of_hosts_without_proxy_are_refused(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", value)
    with pytest.raises(InputError, match="NO_PROXY"):
        open_client(FAR)


@pytest.mark.parametrize(
    "value",
    ["", "http://proxy.example:3128", "proxy.example:3128", "http://me:x@proxy.example", "https://[::1]:1"],
)
def test_usual_proxies_are_taken(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", value)
    check_network_settings()
    open_client(FAR)


def test_the_command_prints_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text('{"id": "a", "premise": "x", "hypothesis": "y", "label": "neutral"}\n')
    monkeypatch.setenv(CERTIFICATES_VARIABLE, "/no/such/file")
    message = refused(inside, "predict", FAR, pairs, "--out", tmp_path / "out.jsonl")
    assert CERTIFICATES_VARIABLE in message
    assert "'/no/such/file'" in message
    assert KEY_LOG_VARIABLE not in message
