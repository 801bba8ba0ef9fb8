"""Where pairs and keys of an OpenAI-compatible model go: never to a host that nobody named."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core import registry
from rightreasons.core.errors import InputError
from rightreasons.models.remote.addresses import get_host, get_origin, is_ip_address, read_address
from tiny_chats import KEYS, SECRET

OPENAI_HOST = "api.openai.com"
API_KEY_VARIABLE, OPENAI_KEY_VARIABLE = "RIGHTREASONS_API_KEY", "OPENAI_API_KEY"


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*KEYS, "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def made(name: str, **options: Any) -> Any:
    return registry.make_model(f"openai:{name}", options)


@pytest.mark.parametrize(
    "name",
    [
        "llama@gpu-box.corp.example",
        "llama@gpu-box",
        "llama@gpubox",
        "llama@10.0.0.7",
        "llama@10.1",
        "llama@[::1]",
        "llama@host:8000",
        "llama@host/v1",
        "llama@https:host",
        "llama@https:/host",
        "llama@http:host:8000/v1",
        "llama@//host",
        "llama@ftp://host",
        "llama@ws://host",
        "llama@ https://host",
        "a@b",
        "@http://localhost:8000/v1",
        "@https://host.example",
        "@host.example/v1",
        "@host:8000/v1",
        "http://localhost:8000/v1",
        "https://api.openai.com/v1",
        "localhost:11434/v1",
        "localhost",
        "gpu:8000",
        "@gpubox",
        "@gpubox/v1",
        "@gpubox/llama",
        "//gpu/v1",
        "llama//gpu/v1",
        "\\\\gpu\\v1",
        "[::1]:8000/x",
        "::1/llama",
        "fe80::1",
        "gpu-box:80/llama",
        "gpubox:80",
        "org/gpubox:80",
        "10.0.0.5",
        "10.0.0.5/llama",
        "org/10.0.0.5",
        "2130706433/llama",
        "0x7f000001/llama",
        "llama@2130706433",
        "gpu-box.corp.example/llama",
        "gpu-box.corp.example",
        "gpu-box./llama",
        "gpubox/v1",
        "gpubox/v1/llama",
        "llama@gpu:8000@latest",
        "llama@gpu.example@latest",
        "llama@latest@gpu",
        "@cf/meta/llama@gpu",
        "@cf/gpu.example/llama",
        "@@gpu",
    ],
)
def test_what_may_be_an_address_never_goes_to_openai(name: str) -> None:
    with pytest.raises(InputError, match="openai:MODEL@") as caught:
        made(name)
    if not name.startswith("@http"):
        assert "openai:MODEL@https://HOST/v1" in str(caught.value)
        # Whoever means it gives the address as well.
        assert made(f"{name}@https://{OPENAI_HOST}/v1").address == f"https://{OPENAI_HOST}/v1"


@pytest.mark.parametrize("name", ["hf.co/org/llama-GGUF:Q4", "a.b-v2:0", "@team/gpt", "org/llama:7"])
def test_a_server_that_is_named_may_have_models_with_such_names(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match="openai:MODEL@"):
        made(name)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:8000/v1")
    assert made(name).name == f"openai:{name}@http://localhost:8000/v1"
    for host in (
        "llama@gpubox",
        "@gpubox",
        "//gpu/v1",
        "llama//gpu",
        "[::1]:8000/x",
        "llama@gpu:8000@latest",
    ):
        with pytest.raises(InputError, match="openai:MODEL@"):
            made(host)


@pytest.mark.parametrize(
    "name",
    [
        "gpt-4o",
        "gpt-4.1",
        "gpt-3.5-turbo-0125",
        "gpt-5.1-codex",
        "gpt@2024-05-13",
        "gpt-4o@2024-05-13",
        "claude@20240620",
        "bison@001",
        "x@latest",
        "org/gpt",
        "qwen:14b",
        "model:7b",
        "coder:6.7b",
        "ft:gpt-4o:org::id",
        "ft:gpt-4o-mini-2024-07-18:org:name:9abc",
        "meta-llama/Llama-3-8B",
        "org/Mixtral-8x7B-v0.1",
        "01-org/Yi-34B",
        "@cf/meta/llama-3-8b",
        "@cf/meta/llama-3-8b@latest",
    ],
)
def test_names_and_versions_of_models_are_taken(name: str) -> None:
    assert made(name).name == f"openai:{name}@https://{OPENAI_HOST}/v1"
    assert made(f"{name}@http://h.example").name == f"openai:{name}@http://h.example"
    assert made("a@b@http://h.example").model_name == "a@b"


@pytest.mark.parametrize(
    "url",
    [
        f"http://{OPENAI_HOST}@evil.example/",
        f"https://{OPENAI_HOST}:443@evil.example/v1",
        "https://me:hunter2@evil.example",
        f"https://evil.example?{OPENAI_HOST}",
        f"https://evil.example#@{OPENAI_HOST}",
        f"https://evil.example\\.{OPENAI_HOST}/v1",
        f"https://evil.example\\@{OPENAI_HOST}/v1",
        "https://api%2eopenai.com/v1",
        "https://\uff41pi.openai.com/v1",  # a full-width letter, which some libraries read as a plain one
        "https://\u0430pi.openai.com/v1",  # a Cyrillic letter
        "https://api\u3002openai\u3002com/v1",
        "https://api..openai.com/v1",
        "https://",
        "https:///v1",
        "https://[::1",
        "https://host:port/v1",
        "https://host:99999/v1",
    ],
)
def test_addresses_that_are_not_what_they_seem_are_refused(url: str) -> None:
    with pytest.raises(InputError) as caught:
        made(f"gpt@{url}")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "keys"),
    [
        ("", SECRET),
        (f"@https://{OPENAI_HOST}/v1", SECRET),
        ("@HTTPS://API.OpenAI.com:443/v1", SECRET),
        (f"@https://{OPENAI_HOST}./v1", SECRET),
        (f"@http://{OPENAI_HOST}/v1", InputError),  # in the clear
        (f"@http://{OPENAI_HOST}./v1", InputError),
        (f"@https://{OPENAI_HOST}:8443/v1", InputError),
        (f"@https://{OPENAI_HOST}.evil.example/v1", None),
        (f"@https://evil.example/{OPENAI_HOST}", None),
        (f"@https://x{OPENAI_HOST}/v1", None),
        ("@https://openai.com/v1", None),
        ("@https://xn--pi-6kc.openai.com/v1", None),
        ("@http://localhost:8000/v1", None),
        ("@http://127.0.0.1:8000/v1", None),
    ],
)
def test_the_key_of_openai_goes_to_openai_alone(
    address: str, keys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OPENAI_KEY_VARIABLE, SECRET)
    model = made(f"gpt{address}")
    if keys is InputError:
        with pytest.raises(InputError):
            model._find_api_key()
    else:
        assert model._find_api_key().value == keys
        assert made(f"gpt{address}", key_env=OPENAI_KEY_VARIABLE)._find_api_key().value == SECRET


@pytest.mark.parametrize(
    ("base_url", "address", "given"),
    [
        ("https://gpu.example/v1", "", True),
        ("https://gpu.example/v1", "@https://gpu.example:443/other", True),
        ("https://gpu.example/v1", "@https://gpu.example:8443/v1", False),
        ("https://gpu.example/v1", "@http://gpu.example/v1", False),
        ("https://gpu.example/v1", "@https://gpu.example.evil.example/v1", False),
        ("http://localhost:8000/v1", "", True),
        ("http://localhost:8000/v1", "@http://localhost:9000/v1", False),
    ],
)
def test_the_key_goes_where_the_base_url_points(
    base_url: str, address: str, given: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OPENAI_KEY_VARIABLE, SECRET)
    monkeypatch.setenv("OPENAI_BASE_URL", base_url)
    assert made(f"gpt{address}")._find_api_key().value == (SECRET if given else None)


@pytest.mark.parametrize("address", ["", f"@https://{OPENAI_HOST}/v1"])
def test_the_token_of_ones_own_servers_never_goes_to_openai(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(API_KEY_VARIABLE, SECRET)
    with pytest.raises(InputError, match=r"https://api.*variable OPENAI_API_KEY\."):
        made(f"gpt{address}")._find_api_key()
    assert made("gpt@https://gpu.example/v1")._find_api_key().value == SECRET
    assert (
        made(f"gpt{address}", key_env=API_KEY_VARIABLE)._find_api_key().value == SECRET
    )  # where it is named, it is meant
    monkeypatch.setenv("OPENAI_BASE_URL", f"https://{OPENAI_HOST}/v1")
    with pytest.raises(InputError, match="variable OPENAI_API_KEY"):
        made("gpt")._find_api_key()


@pytest.mark.parametrize("base_url", ["gpu.example/v1", "localhost:8000", "//gpu.example", "https:/x", "x"])
def test_a_base_url_without_a_scheme_is_refused(base_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", base_url)
    with pytest.raises(InputError, match="OPENAI_BASE_URL"):
        made("gpt")


NAMES = st.text(alphabet="ab@:/.-[]#?%\\ \u3002htps1", min_size=1, max_size=30)


@given(NAMES, st.sampled_from(["", "@", "@http://", "@https://", "@HTTPS://"]), NAMES)
def test_a_model_goes_to_the_host_that_its_name_ends_with(before: str, joint: str, after: str) -> None:
    """Either the name is refused, or it says http:// or https:// itself, or it has no host in it."""
    try:
        model = made(f"{before}{joint}{after}")
    except InputError:
        return
    host = get_host(model.address)
    if host == OPENAI_HOST:
        assert not set("[]\\").intersection(model.model_name)
        assert "//" not in model.model_name
        first, *versions = model.model_name.removeprefix("@").split("@")
        assert all(version.replace("-", "").isdigit() for version in versions)
        assert not any(is_ip_address(part) for part in first.split("/"))
    else:
        assert f"://{host}" in f"{before}{joint}{after}".lower().replace("[", "").replace("]", "")
    assert read_address(model.address) == model.address
    assert get_origin(model.address)[1] == host
