"""A trained network goes out as a graph with its words, whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import rightreasons as rr
from command_line import inside, refused

pytest.importorskip("torch")
onnxruntime = pytest.importorskip("onnxruntime")


@pytest.fixture
def network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pairs = rr.read_corpus("pocket").pairs.select("id", "premise", "hypothesis", "label")
    pairs.head(60).write_csv("train.csv")
    pairs.tail(30).write_csv("dev.csv")
    rr.train("cbow", train="train.csv", dev="dev.csv", out="my-cbow", preset="small", epochs=1)
    return Path("my-cbow")


def test_the_graph_predicts_like_the_network(network: Path) -> None:
    code, _, err = inside("export", f"net:{network}", "--to", "onnx", "--out", "graph")
    assert code == 0, err
    assert "words.txt" in err
    names = {path.name for path in Path("graph").iterdir()}
    assert names == {"network.onnx", "network.json", "words.txt", "rightreasons-export.json"}
    lines = Path("graph/words.txt").read_text(encoding="utf-8").splitlines()
    number = {word: line + 1 for line, word in enumerate(lines, start=1)}
    premise, hypothesis = "the man", "a zxqv"
    session = onnxruntime.InferenceSession("graph/network.onnx")
    given = {
        "premise": np.array([[number.get(word, 1) for word in premise.split()]]),
        "hypothesis": np.array([[number.get(word, 1) for word in hypothesis.split()]]),
        "premise_lengths": np.array([2]),
        "hypothesis_lengths": np.array([2]),
    }
    known = {put.name for put in session.get_inputs()}
    (logits,) = session.run(["logits"], {name: value for name, value in given.items() if name in known})
    order = json.loads(Path("graph/network.json").read_text(encoding="utf-8"))["labels"]
    pairs = pl.DataFrame({"id": ["a"], "premise": [premise], "hypothesis": [hypothesis]})
    predictions = rr.predict(f"net:{network}", pairs)
    shares = np.exp(logits[0]) / np.exp(logits[0]).sum()
    for label, share in zip(order, shares, strict=True):
        assert predictions[f"p_{label}"][0] == pytest.approx(float(share), abs=1e-5)


def test_other_models_are_refused(network: Path) -> None:
    assert "net:FOLDER" in refused(inside, "export", "hans", "--to", "onnx", "--out", "graph")
    assert "nowhere" in refused(inside, "export", "net:nowhere", "--to", "onnx", "--out", "graph")
    assert network.is_dir()
