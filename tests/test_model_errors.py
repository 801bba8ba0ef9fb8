"""Models that can't answer: exit code 2, one clear sentence with a hint, and nothing written."""

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


def said(model: str, *words: object) -> str:
    """Evaluate a model that must be refused, and return the sentence; it has a hint behind it."""
    line = refused(inside, "evaluate", model, "--limit", 30, "--out", "run", *words)
    assert line.count(". ") >= 1, line
    assert line.endswith((".", "?")), line
    return line


@pytest.mark.parametrize(
    ("function", "says"),
    [
        ("short", "gave 29 answers to 30 pairs. Return one answer for each pair"),
        ("flat", "as an answer. Return for each pair a label word"),
        ("four", "gave numbers in the shape (30, 4). Return two or three numbers"),
        ("nan", "gave [nan, nan, nan] for a pair, row 1 of 30. Return finite numbers."),
        ("word", "The word 'perhaps' is not a label. Use one of entailment"),
        ("nothing", "gave nothing back. Return"),
        ("fails", "failed with ValueError: no weights (bad_functions.py, line "),
        ("leaves", "failed with SystemExit: 7 (bad_functions.py, line 25)."),
        ("one", "2 were given (bad_functions.py, line 27). It must take two lists, the premises and"),
        ("absent", "has no 'absent'. Write python:bad_functions:FUNCTION"),
    ],
)
def test_a_function_that_answers_badly(function: str, says: str) -> None:
    Path("bad_functions.py").write_text(FUNCTIONS, encoding="utf-8")
    assert says in said(f"python:bad_functions:{function}")


def test_a_function_that_is_not_there() -> None:
    assert "There is no module 'nowhere'" in said("python:nowhere:function")
    assert "Write python:module:function" in said("python:nowhere")


def test_a_folder_and_an_address_without_their_kind() -> None:
    Path("m-good").mkdir()
    Path("m-good/config.json").write_text("{}", encoding="utf-8")
    assert "hf:./m-good " in said("./m-good")
    assert "hf:m-good " in said("m-good")
    assert "http://localhost:8765 " in said("localhost:8765")


@pytest.fixture(scope="module")
def nobody() -> str:
    """Find an address at which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{free.getsockname()[1]}"


def test_an_address_without_a_server(nobody: str) -> None:
    assert f"There is no server at http://{nobody}. Start it" in said(f"http://{nobody}")
    assert f"There is no server at http://{nobody}/v1. Start it" in said(f"openai:tiny@http://{nobody}/v1")


def test_what_is_no_address() -> None:
    assert "is not the address of a server" in said("http:// / ")
    secret = said("openai:tiny@http://me:hunter2@127.0.0.1/v1")
    assert "RIGHTREASONS_API_KEY" in secret
    assert "hunter2" not in secret


def test_a_server_of_another_kind() -> None:
    with serving(lambda _: Says({"detail": "Not Found"}, 404)) as server:
        assert server.url in said(server.url)
    with serving(lambda _: Says({"hello": "world"})) as server:
        assert "Have it send a fingerprint, or start it with rightreasons serve." in said(server.url)


def test_no_key() -> None:
    assert "Set the environment variable OPENAI_API_KEY." in said("openai:some-model")
    found = said("openai:tiny@http://127.0.0.1:1/v1", "-o", "key_env=NO_SUCH_KEY")
    assert "Set the environment variable NO_SUCH_KEY." in found


def test_a_key_that_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIGHTREASONS_API_KEY", "sk-very-secret")  # the only key that another host gets
    with serving(lambda _: Says({"error": {"message": "bad key sk-very-secret"}}, 401)) as server:
        line = said(f"openai:tiny@{server.url}/v1")
    assert "key" in line
    assert "very-secret" not in line


def test_a_budget_without_prices() -> None:
    assert "Give price_in and price_out" in said("openai:tiny@http://127.0.0.1:1/v1", "--max-cost", 1)


def test_a_prompt_that_is_unknown() -> None:
    model = "openai:tiny@http://127.0.0.1:1/v1"
    assert "There is no prompt called 'true-flase'. Did you mean" in said(model, "--prompts", "true-flase")
    assert "Leave out --prompts." in said("constant", "--prompts", "all")


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Save a network with a head that can be told by its names."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from models.tiny_networks import save

    return save("bert", tmp_path_factory.mktemp("network"))


def without(source: Path, *patterns: str) -> Path:
    """Copy a model's folder without some of its files."""
    return shutil.copytree(source, Path("copy"), ignore=shutil.ignore_patterns(*patterns))


def with_settings(source: Path, **settings: object) -> Path:
    """Copy a model's folder with other settings."""
    folder = without(source)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | settings))
    return folder


@pytest.mark.parametrize(
    ("patterns", "says"),
    [
        (("tokenizer*",), "has no tokenizer"),
        (("*.safetensors",), "has no weights"),
        (("config.json",), "has no config.json"),
    ],
)
def test_a_folder_that_lacks_a_part(network: Path, patterns: tuple[str, ...], says: str) -> None:
    line = said(f"hf:{without(network, *patterns)}")
    assert says in line
    assert "save_pretrained" in line


def test_an_onnx_folder_that_lacks_a_part(network: Path) -> None:
    line = said(f"onnx:{network}")
    assert "has no model.onnx, nor any other file that ends in .onnx. Export the model into it first" in line
    assert f"or write hf:{network} for the model that is saved there." in line
    folder = without(network, "tokenizer*")
    (folder / "model.onnx").write_bytes(b"no graph")
    assert "has no tokenizer" in said(f"onnx:{folder}")
    shutil.copy(network / "tokenizer.json", folder)
    assert "model.onnx" in said(f"onnx:{folder}")


def test_a_head_with_five_labels(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from models.tiny_networks import save

    names = ["one star", "two stars", "three stars", "four stars", "five stars"]
    save("bert", tmp_path / "stars", id2label=dict(enumerate(names)))
    line = said("hf:stars")
    assert "five stars" in line
    assert "5" in line or "five" in line


def test_a_head_whose_names_say_nothing(network: Path) -> None:
    names = {str(place): f"LABEL_{place}" for place in range(3)}
    folder = with_settings(network, id2label=names, label2id={name: int(n) for n, name in names.items()})
    assert "-o labels=" in said(f"hf:{folder}")


@pytest.mark.slow
def test_a_name_of_the_hub_without_a_network() -> None:
    pytest.importorskip("transformers")
    line = refused(child, "evaluate", "hf:nobody/no-such-model", "--limit", 30, "--out", "run")
    assert "'hf:nobody/no-such-model' can't be loaded" in line
    assert "Check the name and the network, or name a folder." in line


def test_a_device_that_is_not_here(network: Path) -> None:
    assert "'cuda:99'" in said(f"hf:{network}", "--device", "cuda:99")
    assert "does not accept --device." in said(f"onnx:{network}", "--device", "cpu")
