"""Networks that read the last token are never given rows that are filled up."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from transformers import (
    AutoModelForSequenceClassification,
    GPT2Config,
    LlamaConfig,
    PreTrainedTokenizerFast,
    XLNetConfig,
)

import tiny_networks
from rightreasons.models.huggingface import HuggingFace
from rightreasons.models.onnx import Onnx

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = tiny_networks.PAIRS
SHARES = ["p_entailment", "p_neutral", "p_contradiction"]
SMALL = {"initializer_range": 0.5, "id2label": tiny_networks.NAMES}
SPECIAL = {"pad_token": "[PAD]", "unk_token": "[UNK]"}
KINDS: dict[str, Any] = {
    "xlnet": XLNetConfig(
        vocab_size=200, d_model=32, n_layer=1, n_head=2, d_inner=48, summary_last_dropout=0.0, **SMALL
    ),
    "gpt2": GPT2Config(vocab_size=200, n_positions=130, n_embd=32, n_layer=1, n_head=2, **SMALL),
    "llama": LlamaConfig(
        vocab_size=200,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=1,
        num_attention_heads=2,
        pad_token_id=3,  # another than the tokenizer's
        **SMALL,
    ),
}


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("RIGHTREASONS_CACHE", str(tmp_path / "cache"))


def saved(kind: str, folder: Path) -> Path:
    """Write a model folder; XLNet puts its summary at the end, as its tokenizer does."""
    tokenizer = tiny_networks.word_pieces()
    ending = "$A [SEP] $B:1 [SEP]:1 [CLS]:1" if kind == "xlnet" else "$A [SEP] $B [SEP]"
    torch.manual_seed(0)
    AutoModelForSequenceClassification.from_config(KINDS[kind]).save_pretrained(folder)
    PreTrainedTokenizerFast(
        tokenizer_object=tiny_networks.templated(tokenizer, ending),
        model_input_names=["input_ids", "attention_mask"] + ["token_type_ids"] * (kind == "xlnet"),
        padding_side="left" if kind == "xlnet" else "right",
        **SPECIAL,
    ).save_pretrained(folder)
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_answers_are_those_of_each_pair_alone(kind: str, tmp_path: Path) -> None:
    folder = str(saved(kind, tmp_path / kind))
    one, many = (HuggingFace(folder, batch_size=size).predict(PAIRS) for size in (1, 16))
    assert np.abs(one.select(SHARES).to_numpy() - many.select(SHARES).to_numpy()).max() < 1e-5
    assert one["label"].n_unique() > 1, "the test could not fail"


def test_a_graph_that_reads_the_last_token_is_found_out(tmp_path: Path) -> None:
    folder = saved("gpt2", tmp_path / "gpt2")
    graph = tmp_path / "graph"
    graph.mkdir()
    shutil.copy(HuggingFace(str(folder), backend="onnx")._get_exported_graph(), graph / "model.onnx")
    for name in ("tokenizer.json", "config.json"):
        shutil.copy(folder / name, graph)
    alone = HuggingFace(str(folder), batch_size=1).predict(PAIRS).select(SHARES).to_numpy()
    answers = Onnx(graph, batch_size=16).predict(PAIRS).select(SHARES).to_numpy()
    assert np.abs(answers - alone).max() < 1e-4


def test_networks_that_mask_well_are_filled_up(tmp_path: Path) -> None:
    assert HuggingFace(str(tiny_networks.save("bert", tmp_path / "bert"))).can_pad
