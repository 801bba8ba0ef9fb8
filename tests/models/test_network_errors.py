"""What is wrong with a model folder is said in one sentence, with a hint."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer
from transformers import BertForSequenceClassification, BertModel

import tiny_networks
from rightreasons.core.errors import InputError
from rightreasons.models.huggingface import HuggingFace
from rightreasons.models.logit_backends import TorchBackend, resolve_torch_device
from rightreasons.models.onnx import Onnx

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = tiny_networks.PAIRS.head(3)


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)  # the variable is read at import
    monkeypatch.setenv("RIGHTREASONS_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tiny_networks.save("bert", tmp_path / "bert")


def said(model: Any) -> str:
    with pytest.raises(InputError) as caught:
        model.predict(PAIRS)
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("missing", "words"),
    [
        ("tokenizer.json", "no tokenizer (tokenizer.json"),
        ("model.safetensors", "no weights (*.safetensors"),
        ("config.json", "no config.json"),
    ],
)
def test_a_folder_that_lacks_a_file(folder: Path, missing: str, words: str) -> None:
    (folder / missing).unlink()
    message = said(HuggingFace(str(folder)))
    assert words in message
    assert "save_pretrained" in message


@pytest.mark.parametrize("outputs", [1, 5])
def test_a_head_with_another_number_of_outputs(tmp_path: Path, outputs: int) -> None:
    names = {place: f"LABEL_{place}" for place in range(outputs)}
    folder = tiny_networks.save("bert", tmp_path / "head", id2label=names)
    message = said(HuggingFace(str(folder)))
    assert all(name in message for name in names.values())


def test_an_encoder_without_a_head(folder: Path) -> None:
    BertModel.from_pretrained(folder).save_pretrained(folder)
    message = said(HuggingFace(str(folder)))
    assert " classifier." in message


def test_broken_weights_and_settings(folder: Path) -> None:
    shutil.copy(folder / "config.json", folder / "kept")
    (folder / "config.json").write_text("{")
    assert str(folder / "config.json") in said(HuggingFace(str(folder)))
    shutil.copy(folder / "kept", folder / "config.json")
    (folder / "model.safetensors").write_bytes(b"nothing")
    assert "can't be loaded" in said(HuggingFace(str(folder)))


def test_names_that_are_neither_a_folder_nor_on_the_hub() -> None:
    message = said(HuggingFace("somebody/some-model"))
    assert "somebody/some-model" in message
    assert "network" in message
    message = said(HuggingFace("./nowhere"))
    assert "./nowhere" in message
    assert "hf:FOLDER" in message


def test_a_tokenizer_that_runs_the_texts_together(folder: Path) -> None:
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    settings = json.loads(tokenizer.to_str()) | {"post_processor": None}
    (folder / "tokenizer.json").write_text(json.dumps(settings))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PreTrainedTokenizerFast"}))
    assert "no separator" in said(HuggingFace(str(folder)))


def test_options_that_do_not_go_together(folder: Path) -> None:
    with pytest.raises(InputError, match="backend=onnx"):
        HuggingFace(str(folder), int8=True)
    with pytest.raises(InputError, match="backend=torch"):
        HuggingFace(str(folder), backend="onnx", device="cuda")
    with pytest.raises(InputError, match="batch_size is 0"):
        HuggingFace(str(folder), batch_size=0)
    with pytest.raises(InputError, match="labels"):
        Onnx(folder, labels=("entailment", "neutral"))
    assert "130 positions" in said(HuggingFace(str(folder), max_length=131))
    if not torch.cuda.is_available():
        assert "device 'cuda'" in said(HuggingFace(str(folder), device="cuda"))


def test_devices_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert resolve_torch_device(None) == resolve_torch_device("cpu") == "cpu"
    for name in ("cpu:1", "cpu:", "cpu:x", "tpu", "cuda:9"):
        with pytest.raises(InputError, match=f"device '{name}'"):
            resolve_torch_device(name)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert resolve_torch_device("cuda:1") == "cuda:1"
    with pytest.raises(InputError, match=r"'cuda:9' .*cpu or cuda:0 to cuda:1"):
        resolve_torch_device("cuda:9")


def test_rows_beyond_the_tables_of_a_network(folder: Path) -> None:
    other = BertForSequenceClassification.from_pretrained(folder)
    backend = TorchBackend(other, ("input_ids",), "cpu")
    row = np.ones((1, 131), dtype=np.int64)
    with pytest.raises(InputError, match=r"131 tokens: .*-o max_length"):
        backend.compute_logits(row, row, row)
    beyond = np.full((1, 4), 10_000)
    with pytest.raises(InputError, match="4 tokens: index out"):
        backend.compute_logits(beyond, beyond, beyond)


def test_a_folder_without_a_graph_with_two_or_with_a_broken_one(folder: Path, tmp_path: Path) -> None:
    assert f"{tmp_path / 'nowhere'}. Use onnx:FOLDER" in said(Onnx(tmp_path / "nowhere"))
    assert "no model.onnx" in said(Onnx(folder))
    for name in ("one.onnx", "two.onnx"):
        (folder / name).write_bytes(b"nothing")
    assert "-o graph=" in said(Onnx(folder))
    assert "can't be loaded" in said(Onnx(folder, graph="one.onnx"))
    (folder / "tokenizer.json").write_text("{}")
    assert str(folder / "tokenizer.json") in said(Onnx(folder, graph="one.onnx"))
    (folder / "tokenizer.json").unlink()
    assert "tokenizer.json is missing" in said(Onnx(folder, graph="one.onnx"))


def test_a_model_that_can_not_be_exported_names_the_other_backend(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no operator\nand more")

    monkeypatch.setattr(torch.onnx, "export", fail)
    message = said(HuggingFace(str(folder), backend="onnx"))
    assert "can't be exported" in message
    assert "backend=torch" in message
    assert not list((folder.parent / "cache").rglob("*.onnx"))
