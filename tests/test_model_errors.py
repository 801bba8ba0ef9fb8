"""Models that can't predict: exit code 2, one clear sentence with a hint, and nothing written."""

from __future__ import annotations

import json
import shutil
import socket
from pathlib import Path

import pytest

from command_line import child, inside, refused
from scripted_server import Says, serving

FUNCTIONS = """\
import numpy as np

def short(premises, hypotheses):
    return ["entailment"] * (len(premises) - 1)

def flat(premises, hypotheses):
    return np.zeros(len(premises))

def four(premises, hypotheses):
    return np.zeros((len(premises), 4))

def nan(premises, hypotheses):
    return np.full((len(premises), 3), np.nan)

def word(premises, hypotheses):
    return ["perhaps"] * len(premises)

def nothing(premises, hypotheses):
    return None

def fails(premises, hypotheses):
    raise ValueError("no weights")

def leaves(premises, hypotheses):
    raise SystemExit(7)

def one(pairs):
    return ["entailment"] * len(pairs)
"""


@pytest.fixture(autouse=True)
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "RIGHTREASONS_API_KEY", "NO_SUCH_KEY"):
        monkeypatch.delenv(name, raising=False)


def refuse_model(model: str, *words: object) -> str:
    """Evaluate a model that must be refused, and return the message, which ends with advice."""
    line = refused(inside, "evaluate", model, "--limit", 30, "--out", "run", *words)
    assert line.count(". ") >= 1, line
    assert line.endswith((".", "?")), line
    return line


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("short", "29 predictions for 30 pairs"),
        ("flat", "np.float64(0.0)"),
        ("four", "(30, 4)"),
        ("nan", "row 1 of 30"),
        ("word", "'perhaps'"),
        ("nothing", "returned None"),
        ("fails", "ValueError: no weights (bad_functions.py, line "),
        ("leaves", "SystemExit: 7 (bad_functions.py, line 25)"),
        ("one", "2 were given (bad_functions.py, line 27)"),
        ("absent", "python:bad_functions:FUNCTION"),
    ],
)
def test_functions_with_invalid_predictions_are_refused(function: str, expected: str) -> None:
    Path("bad_functions.py").write_text(FUNCTIONS, encoding="utf-8")
    assert expected in refuse_model(f"python:bad_functions:{function}")


def test_missing_functions_are_refused() -> None:
    for model in ("python:nowhere:function", "python:nowhere"):
        message = refuse_model(model)
        assert "nowhere" in message
        assert "python:module:function" in message


def test_folders_and_addresses_without_a_prefix_are_refused() -> None:
    Path("m-good").mkdir()
    Path("m-good/config.json").write_text("{}", encoding="utf-8")
    assert "hf:./m-good " in refuse_model("./m-good")
    assert "hf:m-good " in refuse_model("m-good")
    assert "http://localhost:8765 " in refuse_model("localhost:8765")


@pytest.fixture(scope="module")
def unused_address() -> str:
    """Find an address on which no server listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{free.getsockname()[1]}"


def test_addresses_without_a_server_are_refused(unused_address: str) -> None:
    assert f"http://{unused_address}." in refuse_model(f"http://{unused_address}")
    assert f"http://{unused_address}/v1." in refuse_model(f"openai:tiny@http://{unused_address}/v1")


def test_invalid_urls_are_refused() -> None:
    assert "'http:// /'" in refuse_model("http:// / ")
    secret = refuse_model("openai:tiny@http://me:hunter2@127.0.0.1/v1")
    assert "RIGHTREASONS_API_KEY" in secret
    assert "hunter2" not in secret


def test_other_servers_are_refused() -> None:
    with serving(lambda _: Says({"detail": "Not Found"}, 404)) as server:
        assert server.url in refuse_model(server.url)
    with serving(lambda _: Says({"hello": "world"})) as server:
        assert "`rightreasons serve`" in refuse_model(server.url)


def test_missing_keys_are_refused() -> None:
    assert "OPENAI_API_KEY" in refuse_model("openai:some-model")
    assert "NO_SUCH_KEY" in refuse_model("openai:tiny@http://127.0.0.1:1/v1", "-o", "key_env=NO_SUCH_KEY")


def test_messages_do_not_show_a_refused_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIGHTREASONS_API_KEY", "sk-very-secret")  # the only key that another host gets
    with serving(lambda _: Says({"error": {"message": "bad key sk-very-secret"}}, 401)) as server:
        line = refuse_model(f"openai:tiny@{server.url}/v1")
    assert "401" in line
    assert "RIGHTREASONS_API_KEY" in line
    assert "very-secret" not in line


def test_a_budget_without_prices() -> None:
    message = refuse_model("openai:tiny@http://127.0.0.1:1/v1", "--max-cost", 1)
    for name in ("max_cost", "price_in", "price_out"):
        assert name in message


def test_unknown_prompts_are_refused() -> None:
    model = "openai:tiny@http://127.0.0.1:1/v1"
    message = refuse_model(model, "--prompts", "true-flase")
    assert "'true-flase'" in message
    assert "true-false" in message
    assert "--prompts" in refuse_model("constant", "--prompts", "all")


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Save a network whose outputs are named after the labels."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from models.tiny_networks import save

    return save("bert", tmp_path_factory.mktemp("network"))


def copy_without(source: Path, *patterns: str) -> Path:
    """Copy a model's folder without some of its files."""
    return shutil.copytree(source, Path("copy"), ignore=shutil.ignore_patterns(*patterns))


def with_settings(source: Path, **settings: object) -> Path:
    """Copy a model's folder with other settings."""
    folder = copy_without(source)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | settings))
    return folder


@pytest.mark.parametrize(
    ("patterns", "missing"),
    [
        (("tokenizer*",), "tokenizer.json"),
        (("*.safetensors",), "*.safetensors"),
        (("config.json",), "config.json"),
    ],
)
def test_incomplete_folders_are_refused(network: Path, patterns: tuple[str, ...], missing: str) -> None:
    line = refuse_model(f"hf:{copy_without(network, *patterns)}")
    assert missing in line
    assert "save_pretrained" in line


def test_incomplete_onnx_folders_are_refused(network: Path) -> None:
    line = refuse_model(f"onnx:{network}")
    assert "no model.onnx" in line
    assert f"hf:{network} " in line
    folder = copy_without(network, "tokenizer*")
    (folder / "model.onnx").write_bytes(b"no graph")
    assert "tokenizer.json" in refuse_model(f"onnx:{folder}")
    shutil.copy(network / "tokenizer.json", folder)
    assert "model.onnx" in refuse_model(f"onnx:{folder}")


def test_heads_with_five_outputs_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from models.tiny_networks import save

    names = ["one star", "two stars", "three stars", "four stars", "five stars"]
    save("bert", tmp_path / "stars", id2label=dict(enumerate(names)))
    line = refuse_model("hf:stars")
    assert "five stars" in line
    assert "5 outputs" in line


def test_heads_without_label_names_need_the_option(network: Path) -> None:
    names = {str(place): f"LABEL_{place}" for place in range(3)}
    folder = with_settings(network, id2label=names, label2id={name: int(n) for n, name in names.items()})
    assert "-o labels=" in refuse_model(f"hf:{folder}")


@pytest.mark.slow
def test_models_of_the_hub_need_a_network_connection() -> None:
    pytest.importorskip("transformers")
    line = refused(child, "evaluate", "hf:nobody/no-such-model", "--limit", 30, "--out", "run")
    assert "'hf:nobody/no-such-model'" in line
    assert "network connection" in line


def test_missing_devices_are_refused(network: Path) -> None:
    assert "'cuda:99'" in refuse_model(f"hf:{network}", "--device", "cuda:99")
    assert "--device" in refuse_model(f"onnx:{network}", "--device", "cpu")
