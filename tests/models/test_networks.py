"""Local networks answer the same by every road: torch or ONNX Runtime, in any batches, from folder or graph."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

import tiny_networks
from rightreasons.core.errors import InputError
from rightreasons.core.labels import REFUSED
from rightreasons.inference import predict_pairs
from rightreasons.models.huggingface import HuggingFace
from rightreasons.models.onnx import Onnx

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = tiny_networks.PAIRS
SHARES = ["p_entailment", "p_neutral", "p_contradiction"]


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Keep exported graphs for these tests alone, and stay offline."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv("RIGHTREASONS_CACHE", str(folder))
        patch.setenv("HF_HUB_OFFLINE", "1")
        patch.setenv("OMP_NUM_THREADS", "1")
        yield folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("networks")
    return {name: tiny_networks.save(name, root / name) for name in tiny_networks.ARCHITECTURES}


@pytest.fixture(scope="module")
def graph(folders: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a folder for onnx: by hand."""
    folder = tmp_path_factory.mktemp("graph")
    shutil.copy(
        HuggingFace(str(folders["bert"]), backend="onnx")._get_exported_graph(), folder / "model.onnx"
    )
    for name in ("tokenizer.json", "config.json", "tokenizer_config.json"):
        shutil.copy(folders["bert"] / name, folder)
    return folder


def farthest(one: pl.DataFrame, other: pl.DataFrame) -> float:
    return float(np.abs(one.select(SHARES).to_numpy() - other.select(SHARES).to_numpy()).max())


@pytest.mark.parametrize("name", tiny_networks.ARCHITECTURES)
def test_torch_and_onnx_and_plain_transformers_agree(folders: dict[str, Path], name: str) -> None:
    by_torch = HuggingFace(str(folders[name])).predict(PAIRS)
    model = HuggingFace(str(folders[name]), backend="onnx")
    by_onnx = model.predict(PAIRS)
    tokenizer = AutoTokenizer.from_pretrained(folders[name])
    module = AutoModelForSequenceClassification.from_pretrained(folders[name]).eval()
    texts = PAIRS["premise"].to_list(), PAIRS["hypothesis"].to_list()
    given = tokenizer(
        *texts, padding=True, truncation="only_first", max_length=model.row_length, return_tensors="pt"
    )
    with torch.no_grad():
        plain = module(**given).logits.softmax(1).numpy()[:, [1, 2, 0]]
    assert by_torch["label"].to_list() == by_onnx["label"].to_list()
    assert by_torch["label"].n_unique() > 1, "the test could not fail"
    assert farthest(by_torch, by_onnx) < 1e-4
    assert np.abs(by_torch.select(SHARES).to_numpy() - plain).max() < 1e-4


@pytest.mark.parametrize("backend", ["torch", "onnx"])
def test_answers_depend_neither_on_the_batch_nor_on_the_order(folders: dict[str, Path], backend: Any) -> None:
    folder = str(folders["bert"])
    usual = HuggingFace(folder, backend=backend).predict(PAIRS)
    one = HuggingFace(folder, backend=backend, batch_size=1).predict(PAIRS)
    turned = HuggingFace(folder, backend=backend, batch_size=7).predict(PAIRS[::-1])
    assert usual["id"].to_list() == one["id"].to_list() == PAIRS["id"].to_list()
    assert farthest(usual, one) < 1e-5
    assert farthest(usual, turned[::-1]) < 1e-5


def test_long_premises_are_cut_or_split_and_long_hypotheses_refused(folders: dict[str, Path]) -> None:
    folder = str(folders["bert"])
    long = PAIRS.with_columns(
        hypothesis=pl.when(pl.col("id") == "3").then(pl.lit("doctor " * 60)).otherwise("hypothesis")
    )
    # Repeated pairs are asked once.
    long = long.unique(["premise", "hypothesis"], maintain_order=True)
    different = long.filter(pl.col("id") != "3")
    told = {
        how: predict_pairs(HuggingFace(folder, max_length=40, long=how), long)
        for how in ("cut", "window-max", "window-mean")  # type: ignore[arg-type]
    }
    for answered in told.values():
        assert answered.predictions.filter(label=REFUSED)["id"].to_list() == ["3"]
    lengths = [
        len(HuggingFace(folder).contents.tokenizer.encode(*texts).ids)
        for texts in different.select("premise", "hypothesis").iter_rows()
    ]
    beyond = sum(length > 40 for length in lengths)
    assert beyond
    assert told["cut"].facts["cut"] == told["window-max"].facts["windows"] == beyond
    short = np.array([length <= 40 for length in lengths])
    for how in ("window-max", "window-mean"):
        same = [farthest(*two) < 1e-5 for two in _row_by_row(told["cut"].predictions, told[how].predictions)]
        assert np.array(same)[short].all()
        assert not np.array(same)[~short].all()


def _row_by_row(one: pl.DataFrame, other: pl.DataFrame) -> list[tuple[pl.DataFrame, pl.DataFrame]]:
    rows = [row for row, label in enumerate(one["label"]) if label != REFUSED]
    return [(one[row], other[row]) for row in rows]


def test_windows_are_joined_as_their_names_say(folders: dict[str, Path]) -> None:
    texts = pl.DataFrame(
        {"premise": [" ".join(tiny_networks.TEXTS * 2)], "hypothesis": ["The doctor danced."]}
    )
    answers = {}
    for how in ("window-max", "window-mean"):
        model = HuggingFace(str(folders["bert"]), max_length=30, long=how)  # type: ignore[arg-type]
        job = model.prepare(texts)
        shares = np.exp(job._compute_row_logits(np.arange(len(job.encoded))).astype(float))
        shares /= shares.sum(axis=1, keepdims=True)
        answers[how] = job.predict_batch(np.array([0])).select(SHARES).row(0)
    in_order = shares[:, [1, 2, 0]]
    assert len(in_order) > 3
    assert answers["window-max"] == pytest.approx(in_order[in_order[:, 0].argmax()], abs=1e-6)
    assert answers["window-mean"] == pytest.approx(in_order.mean(axis=0), abs=1e-6)


def test_a_graph_and_its_tokenizer_are_enough(folders: dict[str, Path], graph: Path) -> None:
    expected = HuggingFace(str(folders["bert"])).predict(PAIRS)
    model = Onnx(graph)
    assert farthest(model.predict(PAIRS), expected) < 1e-4
    assert model.head.order == ("contradiction", "entailment", "neutral")
    files = {"model.onnx", "tokenizer.json", "tokenizer_config.json", "config.json"}
    assert model.fingerprint()["files"].keys() == files


def test_a_graph_without_names_takes_the_order_that_is_given(
    folders: dict[str, Path], graph: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(graph, tmp_path / "nameless")
    config = json.loads((folder / "config.json").read_text())
    del config["id2label"], config["label2id"]
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(InputError, match="labels="):
        Onnx(folder).predict(PAIRS)
    answers = Onnx(folder, labels=("contradiction", "entailment", "neutral")).predict(PAIRS)
    assert farthest(answers, HuggingFace(str(folders["bert"])).predict(PAIRS)) < 1e-4


def test_int8_tells_how_far_it_agrees(folders: dict[str, Path]) -> None:
    model = HuggingFace(str(folders["albert"]), backend="onnx", int8=True)
    answered = predict_pairs(model, PAIRS)
    exact = HuggingFace(str(folders["albert"]), backend="onnx").predict(PAIRS)
    same = (answered.predictions["label"] == exact["label"]).mean()
    assert answered.facts["int8_sample"] == PAIRS.n_unique(["premise", "hypothesis"])
    assert answered.facts["int8_agreement"] == pytest.approx(same, abs=0.06)
    assert answered.facts["dtype"] == "int8"
    assert 1e-6 < farthest(answered.predictions, exact) < 0.6


def test_the_export_is_kept_by_the_digest_of_the_weights(
    folders: dict[str, Path], cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = HuggingFace(str(folders["bert"]), backend="onnx")._get_exported_graph()
    again = HuggingFace(str(shutil.copytree(folders["bert"], tmp_path / "copy")), backend="onnx")
    monkeypatch.setattr(HuggingFace, "_load_torch_model", lambda *_: pytest.fail("exported twice"))
    assert again._get_exported_graph() == first
    monkeypatch.undo()
    other = tiny_networks.save("bert", tmp_path / "other", seed=1)
    assert HuggingFace(str(other), backend="onnx")._get_exported_graph() != first
    assert first.is_relative_to(cache / "onnx")
    assert not [path for path in first.parent.parent.iterdir() if path.name.startswith(".")]


def test_the_fingerprint_holds_what_decides_the_answers(folders: dict[str, Path], tmp_path: Path) -> None:
    folder = str(folders["bert"])
    kinds = [{}, {"long": "window-max"}, {"max_length": 50}, {"backend": "onnx"}, {"labels": ("e", "n", "c")}]
    prints = [HuggingFace(folder, **kind).fingerprint() for kind in kinds]  # type: ignore[arg-type]
    prints.append(HuggingFace(str(tiny_networks.save("bert", tmp_path / "b", seed=2))).fingerprint())
    texts = [json.dumps(each, sort_keys=True) for each in prints]
    assert len(set(texts)) == len(texts)
    assert json.dumps(HuggingFace(folder, batch_size=3).fingerprint(), sort_keys=True) == texts[0]


def test_making_a_model_loads_nothing_and_looks_at_nothing() -> None:
    code = (
        "import sys\nfrom rightreasons.models.huggingface import HuggingFace\n"
        "from rightreasons.models.onnx import Onnx\n"
        "import rightreasons.models.transformer_export\nHuggingFace('nowhere'); Onnx('nowhere')\n"
        "print([m for m in ('torch', 'transformers', 'onnxruntime', 'tokenizers') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
