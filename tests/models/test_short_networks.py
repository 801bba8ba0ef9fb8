"""A network that reads few tokens: the unmistakable pairs that don't fit say nothing about its outputs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import tiny_networks
from command_line import inside, refused
from rightreasons.core.errors import InputError
from rightreasons.inference import predict_pairs
from rightreasons.models.huggingface import HuggingFace

if TYPE_CHECKING:
    from pathlib import Path

SOME = 60  # tokens into which some of the pairs fit: the tokenizer spells out most words
NAMELESS = {place: f"LABEL_{place}" for place in range(3)}


def test_clear_names_are_followed_without_the_pairs_that_do_not_fit(tmp_path: Path) -> None:
    folder = tiny_networks.save("bert", tmp_path / "short", positions=SOME)
    head = HuggingFace(str(folder)).head
    asked, left_out = head.evidence["pairs"], head.evidence["left_out"]
    assert (head.how, head.order) == ("names", tuple(tiny_networks.NAMES.values()))
    assert asked + left_out == 48
    assert 0 < left_out < 48
    (warning,) = head.warnings
    assert f" {left_out} of 48 " in warning
    assert "60 tokens" in warning


def test_clear_names_are_followed_where_no_pair_fits(tmp_path: Path) -> None:
    folder = tiny_networks.save("bert", tmp_path / "shorter", positions=12)
    code, out, said = inside("labels", f"hf:{folder}")
    assert code == 0, said
    assert "names of" in out
    assert "48 of 48 " in said
    assert "12 tokens" in said
    assert json.loads(inside("labels", f"hf:{folder}", "--json")[1])["evidence"]["pairs"] == 0
    assert predict_pairs(HuggingFace(str(folder)), tiny_networks.PAIRS).facts["pairs"] == 40


def test_without_names_the_pairs_are_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tiny_networks.save("bert", tmp_path / "nameless", positions=40, id2label=NAMELESS)
    line = refused(inside, "labels", f"hf:{folder}")
    assert "of 48 " in line
    assert "40 tokens" in line
    assert "-o labels=contradiction,entailment,neutral" in line
    model = HuggingFace(str(folder), labels=("neutral", "entailment", "contradiction"))
    assert model.head.how == "option"


def test_a_network_that_fails_is_told_apart(tmp_path: Path) -> None:
    import torch
    from transformers import BertForSequenceClassification

    folder = tiny_networks.save("bert", tmp_path / "broken", positions=130)
    network = BertForSequenceClassification.from_pretrained(folder)
    torch.nn.init.constant_(network.classifier.bias, float("nan"))
    network.save_pretrained(folder)
    with pytest.raises(InputError, match=r"3 numbers .*48 unmistakable"):
        _ = HuggingFace(str(folder)).head


def test_all_that_is_slow_is_loaded_before_the_clock_starts(tmp_path: Path) -> None:
    model = HuggingFace(str(tiny_networks.save("bert", tmp_path / "bert")))
    model.get_ready()
    assert {"head", "backend", "exact_network", "can_pad"} <= vars(model).keys()
