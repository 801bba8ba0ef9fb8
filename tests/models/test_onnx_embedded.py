"""The embedded model: it is what its card says, it needs no torch, and its outputs may stand in any order."""

from __future__ import annotations

import hashlib
import itertools
import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.core.labels import THREE_LABELS
from rightreasons.models.label_probe import read_probe_pairs
from rightreasons.models.logit_backends import count_usable_cores
from rightreasons.models.onnx import EMBEDDED_FOLDER, Embedded, Onnx
from slow_cases import slow_after

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def card() -> dict[str, Any]:
    read: dict[str, Any] = json.loads((EMBEDDED_FOLDER / "card.json").read_text(encoding="utf-8"))
    return read


@pytest.fixture(scope="module")
def pairs() -> pl.DataFrame:
    return rr.generate("hans", limit=120).pairs


@pytest.fixture(scope="module")
def answers(pairs: pl.DataFrame) -> pl.DataFrame:
    return rr.predict("default", pairs)


def test_the_weights_are_those_of_the_card(card: dict[str, Any]) -> None:
    digest = hashlib.sha256((EMBEDDED_FOLDER / "model.onnx").read_bytes()).hexdigest()
    assert card["weights"]["shipped"] == digest


def test_the_card_has_every_figure_with_its_count(card: dict[str, Any]) -> None:
    tests = {row["test"] for row in card["figures"]}
    assert tests == {"MNLI dev matched", "MNLI dev mismatched", "SNLI test", "SICK test", "HANS"}
    assert all(row["n"] > 0 and row["low"] <= row["accuracy"] <= row["high"] for row in card["figures"])
    assert all(row["share"] >= 0.97 for row in card["agreement_with_full_weights"].values())


def test_the_labels_are_found_by_name_and_the_probe_agrees() -> None:
    head = Embedded().head
    assert (head.order, head.how, head.warnings) == (THREE_LABELS, "names", ())
    probe = read_probe_pairs()
    given = rr.predict("default", probe.with_row_index("id").with_columns(pl.col("id").cast(pl.String)))
    assert (given["label"] == probe["label"]).mean() >= 0.9


@pytest.mark.slow
def test_a_sample_of_mnli_is_answered_as_the_card_says(card: dict[str, Any], shared_data: Path) -> None:
    dev = rr.read_corpus(str(shared_data / "mnli" / "dev_matched.csv")).pairs.head(600)
    right = (rr.predict("default", dev)["label"] == dev["label"]).mean()
    whole = next(row for row in card["figures"] if row["test"] == "MNLI dev matched" and row["gold"] == "all")
    assert abs(right - whole["accuracy"]) < 0.06


@pytest.mark.parametrize("order", slow_after(2, ((order,) for order in itertools.permutations(range(3)))))
def test_any_order_of_unnamed_outputs_gives_the_same_answers(
    order: tuple[int, ...], pairs: pl.DataFrame, answers: pl.DataFrame, tmp_path: Path
) -> None:
    reorder(tmp_path, order)
    head = Onnx(tmp_path).head
    assert (head.order, head.how) == (tuple(THREE_LABELS[place] for place in order), "probe")
    model = rr.predict(f"onnx:{tmp_path}", pairs)
    assert model["label"].to_list() == answers["label"].to_list()
    for name in ("p_entailment", "p_neutral", "p_contradiction"):
        assert (model[name] - answers[name]).abs().max() < 1e-4


def reorder(folder: Path, order: tuple[int, ...]) -> None:
    """Save the embedded model with its outputs in another order, and without their names."""
    onnx = pytest.importorskip("onnx")
    graph = onnx.load(EMBEDDED_FOLDER / "model.onnx")
    for weight in graph.graph.initializer:
        if weight.name in ("module.classifier.weight", "module.classifier.bias"):
            values = onnx.numpy_helper.to_array(weight)[list(order)]
            weight.CopyFrom(onnx.numpy_helper.from_array(values, weight.name))
    onnx.save(graph, folder / "model.onnx")
    shutil.copy(EMBEDDED_FOLDER / "tokenizer.json", folder)
    config = json.loads((EMBEDDED_FOLDER / "config.json").read_text(encoding="utf-8"))
    config["id2label"] = {str(place): f"LABEL_{place}" for place in range(3)}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")


def test_it_needs_no_torch(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['torch'] = sys.modules['transformers'] = None\n"
        "import rightreasons as rr\n"
        "run = rr.evaluate('default', sets='hans', limit=60, out=sys.argv[1])\n"
        "print(run.scores.height)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "run")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0


@pytest.mark.parametrize("wanted", ["²", "", "x", "0", "-1", "1.5", "9" * 5000])
def test_a_number_of_threads_that_is_none_is_ignored(monkeypatch: pytest.MonkeyPatch, wanted: str) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    usual = count_usable_cores()
    monkeypatch.setenv("OMP_NUM_THREADS", wanted)
    assert count_usable_cores() == usual
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert count_usable_cores() == 1
