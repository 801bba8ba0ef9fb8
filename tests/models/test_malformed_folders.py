"""A malformed model folder is one sentence that names the file, in a short time; never a traceback."""

from __future__ import annotations

import json
import shutil
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import plain_nets
import tiny_networks
from rightreasons.core.errors import InputError
from rightreasons.models.huggingface import HuggingFace
from rightreasons.models.model_settings import check_size_settings, check_weight_index, read_json_settings
from rightreasons.models.onnx import Onnx
from rightreasons.models.output_labels import check_logits_shape
from rightreasons.models.trained_network import Net
from rightreasons.training.pretrained_encoders import load_classifier, load_tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PAIRS = tiny_networks.PAIRS.head(4)
SHORT = 120  # seconds, on a busy machine; a hang has no end
CONFIG: list[dict[str, Any]] = [
    {"pad_token_id": "x"},
    {"pad_token_id": [[1]]},
    {"max_position_embeddings": [64]},
    {"num_hidden_layers": [2]},
    {"num_attention_heads": [[4]]},
    {"intermediate_size": [64, True]},
    {"pad_token_id": 1e30},
    {"pad_token_id": 10**12},
    {"num_attention_heads": 0},
    {"num_attention_heads": -4},
    {"num_attention_heads": "x"},
    {"num_attention_heads": 5},
    {"num_hidden_layers": 10**9},
    {"hidden_size": 0},
    {"hidden_size": 10**12},
    {"hidden_size": 0.5},
    {"vocab_size": 10**12},
    {"vocab_size": -1},
    {"vocab_size": 2},
    {"max_position_embeddings": 10**18},
    {"max_position_embeddings": "../x"},
    {"intermediate_size": True},
    {"type_vocab_size": "x"},
    {"is_decoder": 0},
    {"layer_norm_eps": "x"},
    {"hidden_act": "no such"},
    {"model_type": None},
    {"model_type": ["bert"]},
    {"auto_map": "code.Class"},
    {"attn_implementation": 7},
]
ASKED: list[dict[str, Any]] = [
    {"chunk_size_feed_forward": 0.5},
    {"return_dict": {}},
]  # that fail on a batch alone
TOKENS: list[dict[str, Any]] = [
    {"model_input_names": 7},
    {"tokenizer_class": 3},
    {"tokenizer_file": "/etc/hostname"},
    {"added_tokens_decoder": [1]},
    {"extra_special_tokens": 5},
]
TOKENIZER: list[dict[str, Any]] = [
    {"model": {"type": "WordPiece", "vocab": {"a": 0}, "unk_token": "[UNK]"}},
    {"pre_tokenizer": "x"},
    {"post_processor": None},
    {"decoder": 7},
    {"added_tokens": [{"id": -1}]},
]
FIXED = {"Fixed": 10**9}
PADDING = {
    "strategy": FIXED,
    "direction": "Right",
    "pad_to_multiple_of": None,
    "pad_id": 0,
    "pad_type_id": 0,
    "pad_token": "[PAD]",
}


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setenv("RIGHTREASONS_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_networks.save("bert", tmp_path_factory.mktemp("saved") / "bert")


@pytest.fixture
def folder(saved: Path, tmp_path: Path) -> Path:
    return shutil.copytree(saved, tmp_path / "bert")


@pytest.fixture(scope="module")
def exported(saved: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("exported")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RIGHTREASONS_CACHE", str(root / "cache"))
        graph = HuggingFace(str(saved), backend="onnx")._get_exported_graph()
    (root / "graph").mkdir()
    shutil.copy(graph, root / "graph" / "model.onnx")
    for name in ("tokenizer.json", "tokenizer_config.json", "config.json"):
        shutil.copy(saved / name, root / "graph")
    return root / "graph"


def settle(folder: Path, name: str, changed: dict[str, Any]) -> None:
    settings = json.loads((folder / name).read_text(encoding="utf-8")) | changed
    (folder / name).write_text(json.dumps(settings), encoding="utf-8")


def refused(model: Any, pairs: pl.DataFrame = PAIRS) -> str:
    start = time.monotonic()
    with pytest.raises(InputError) as caught:
        model.predict(pairs)
    assert time.monotonic() - start < SHORT
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("changed", CONFIG, ids=str)
def test_settings_of_a_network(folder: Path, changed: dict[str, Any]) -> None:
    settle(folder, "config.json", changed)
    assert str(folder) in refused(HuggingFace(str(folder)))


@pytest.mark.parametrize("changed", ASKED, ids=str)
def test_settings_that_fail_on_a_batch(folder: Path, changed: dict[str, Any]) -> None:
    settle(folder, "config.json", changed)
    assert "save it again" in refused(HuggingFace(str(folder)))


@pytest.mark.parametrize("changed", TOKENS, ids=str)
def test_settings_of_a_tokenizer(folder: Path, changed: dict[str, Any]) -> None:
    settle(folder, "tokenizer_config.json", changed)
    assert str(folder) in refused(HuggingFace(str(folder)))


@pytest.mark.parametrize("changed", TOKENIZER, ids=str)
@pytest.mark.parametrize("kind", ["hf", "onnx"])
def test_tokenizers(folder: Path, exported: Path, tmp_path: Path, kind: str, changed: dict[str, Any]) -> None:
    place = folder if kind == "hf" else shutil.copytree(exported, tmp_path / "graph")
    settle(place, "tokenizer.json", changed)
    model: Any = HuggingFace(str(place)) if kind == "hf" else Onnx(place)
    message = refused(model)
    assert "tokenizer" in message or str(place) in message


@pytest.mark.parametrize("strategy", [FIXED, "BatchLongest"])
def test_padding_to_enormous_lengths_is_not_done(
    folder: Path, exported: Path, tmp_path: Path, strategy: object
) -> None:
    padding = {**PADDING, "strategy": strategy, "pad_to_multiple_of": 10**8}
    place = shutil.copytree(exported, tmp_path / "graph")
    for one in (folder, place):
        settle(one, "tokenizer.json", {"padding": padding})
    start = time.monotonic()
    assert HuggingFace(str(folder)).predict(PAIRS)["label"].equals(Onnx(place).predict(PAIRS)["label"])
    assert time.monotonic() - start < SHORT


@pytest.mark.parametrize("name", ["config.json", "tokenizer_config.json"])
@pytest.mark.parametrize("text", ["[" * 5000 + "]" * 5000, "[]", "7", "{", '{"a": 1, "a": 2}', ""])
def test_settings_that_are_no_object(
    folder: Path, exported: Path, tmp_path: Path, name: str, text: str
) -> None:
    place = shutil.copytree(exported, tmp_path / "graph")
    for one, model in ((folder, HuggingFace(str(folder))), (place, Onnx(place))):
        (one / name).write_text(text)
        assert str(one / name) in refused(model)


def test_settings_that_are_deep_inside(folder: Path) -> None:
    deep: Any = []
    for _ in range(200):
        deep = [deep]
    settle(folder, "config.json", {"task_specific_params": deep})
    assert "levels deep" in refused(HuggingFace(str(folder)))
    assert read_json_settings(folder / "nowhere.json") == {}


def test_a_folder_in_place_of_a_file(folder: Path, exported: Path, tmp_path: Path) -> None:
    place = shutil.copytree(exported, tmp_path / "graph")
    for one, name in ((folder, "model.safetensors"), (place, "model.onnx"), (place, "tokenizer.json")):
        (one / name).unlink()
        (one / name).mkdir()
    assert refused(HuggingFace(str(folder)))
    assert refused(Onnx(place))


def test_weights_that_are_no_numbers(folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    weights["classifier.bias"][1] = float("nan")
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    assert refused(HuggingFace(str(folder)))
    assert refused(HuggingFace(str(folder), labels=("contradiction", "entailment", "neutral")))


def test_an_index_of_weights_stays_in_its_folder(tmp_path: Path) -> None:
    index = tmp_path / "model.safetensors.index.json"
    for wrong in ({"weight_map": {"a": "../b"}}, {"weight_map": {"a": "/b"}}, {"weight_map": 3}, {"a": 1}):
        with pytest.raises(InputError, match=r"index\.json"):
            check_weight_index(wrong, index)
    check_weight_index({"weight_map": {"a": "model-00001-of-00002.safetensors"}}, index)


def test_no_position_is_left_for_a_token(tmp_path: Path) -> None:
    folder = tiny_networks.save("roberta", tmp_path / "roberta")
    settle(folder, "config.json", {"max_position_embeddings": 2})
    assert refused(HuggingFace(str(folder)))


@pytest.mark.parametrize(
    "outputs",
    [np.zeros(3), np.zeros((2, 3)), np.zeros((1, 3, 2)), np.zeros((1, 0)), np.array([["a"]]), [1, 2], None],
)
def test_outputs_that_are_no_logits(outputs: Any) -> None:
    with pytest.raises(InputError, match="logits"):
        check_logits_shape(outputs, 1)


NETWORKS: list[tuple[str, Callable[[dict[str, Any]], Any]]] = [
    ("jiant", lambda card: card["options"].update(hidden=10**9)),
    ("jiant", lambda card: card["options"].update(hidden=0)),
    ("jiant", lambda card: card["options"].update(layers=10**6)),
    ("jiant", lambda card: card["options"].update(dropout=5)),
    ("jiant", lambda card: card["options"].update(labels=5)),
    ("nb", lambda card: card["options"].update(layers=[])),
    ("nb", lambda card: card["options"].update(layers=[2] * 100_000)),
    ("jiant", lambda card: card.update(width=10**9)),
    ("jiant", lambda card: card.update(labels=["entailment", "entailment", "neutral", "contradiction"])),
    ("ch", lambda card: card["reading"].update(letters=10**8)),
]


@pytest.mark.parametrize(("net", "change"), NETWORKS)
def test_settings_of_a_trained_network(
    tmp_path: Path, net: str, change: Callable[[dict[str, Any]], Any]
) -> None:
    folder = plain_nets.saved(tmp_path / "net", net)
    card = json.loads((folder / "network.json").read_text())
    change(card)
    (folder / "network.json").write_text(json.dumps(card))
    refused(
        Net(str(folder)), pl.DataFrame({"id": ["1"], "premise": ["A dog slept."], "hypothesis": ["A dog."]})
    )


def test_a_trained_network_with_an_odd_batch_size(tmp_path: Path) -> None:
    folder = plain_nets.saved(tmp_path / "net", "bilstm", literal=True, training={"batch_size": "x"})
    with pytest.raises(InputError, match=r"batch_size .*'x'"):
        Net(str(folder)).fingerprint()


@pytest.mark.parametrize(
    "changed",
    [{"id2label": {"0": "entailment", "2": "neutral"}}, {"num_attention_heads": 0}, {"id2label": [1]}],
)
def test_an_encoder_to_train_from(folder: Path, changed: dict[str, Any]) -> None:
    settle(folder, "config.json", changed)
    with pytest.raises(InputError, match=r"config\.json"):
        load_classifier(str(folder), ("entailment", "neutral", "contradiction"), seed=0)


def test_an_encoder_without_a_padding_token(folder: Path) -> None:
    settle(folder, "tokenizer_config.json", {"pad_token": None})
    with pytest.raises(InputError, match="padding token"):
        load_tokenizer(str(folder))


@pytest.mark.parametrize("value", [[[1]], [1], "x"])
def test_a_padding_token_of_a_graph_is_one_number(exported: Path, tmp_path: Path, value: Any) -> None:
    folder = shutil.copytree(exported, tmp_path / "graph")
    settle(folder, "config.json", {"pad_token_id": value})
    assert "pad_token_id" in refused(Onnx(folder))


def test_sizes_of_each_layer_may_be_a_list(tmp_path: Path) -> None:
    check_size_settings(
        {"num_attention_heads": [4, 8], "intermediate_size": [64, 128]}, tmp_path / "config.json"
    )
    with pytest.raises(InputError, match=r"num_attention_heads .*\[4, 0\]"):
        check_size_settings({"num_attention_heads": [4, 0]}, tmp_path / "config.json")


def test_a_key_that_occurs_twice_among_many_is_found_at_once(tmp_path: Path) -> None:
    many = ", ".join(f'"k{number}": 1' for number in range(100_000))
    (tmp_path / "config.json").write_text(f'{{{many}, "k99999": 2}}', encoding="utf-8")
    begin = time.perf_counter()
    with pytest.raises(InputError, match="'k99999' occurs twice"):
        read_json_settings(tmp_path / "config.json")
    assert time.perf_counter() - begin < 5
