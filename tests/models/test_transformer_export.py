"""An exported graph computes no more than the head reads, wherever it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx
import pytest
from transformers import AutoModelForSequenceClassification, AutoTokenizer

import tiny_networks
from rightreasons.models.transformer_export import GRAPH_FILE, export_classifier

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("beside", [(), ("tokenizer.json", "config.json")])
def test_files_beside_the_graph_do_not_matter(tmp_path: Path, beside: tuple[str, ...]) -> None:
    folder = tiny_networks.save("bert", tmp_path / "bert")
    module = AutoModelForSequenceClassification.from_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    out = tmp_path / "out"
    out.mkdir()
    for name in beside:
        (out / name).write_text("{}", encoding="utf-8")
    inputs, pad_id = tokenizer.model_input_names, tokenizer.pad_token_id
    export_classifier(
        module, tokenizer.backend_tokenizer, inputs, out / GRAPH_FILE, pad_id=pad_id, model="tiny"
    )
    names = [weight.name for weight in onnx.load(out / GRAPH_FILE).graph.initializer]
    assert "rightreasons_first" in names
    assert sorted(path.name for path in out.iterdir()) == sorted([GRAPH_FILE, *beside])
