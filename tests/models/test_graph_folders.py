"""A folder with a graph: what decides its answers, and what is said where graph and settings don't go together."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import polars as pl
import pytest

import tiny_networks
from rightreasons.core.errors import InputError
from rightreasons.inference import predict_pairs
from rightreasons.models.huggingface import HuggingFace
from rightreasons.models.onnx import Onnx

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = tiny_networks.PAIRS.head(4)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a folder with a graph of 100 positions."""
    root = tmp_path_factory.mktemp("exported")
    network = tiny_networks.save("bert", root / "network", positions=100)
    (root / "graph").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RIGHTREASONS_CACHE", str(root / "cache"))
        shutil.copy(
            HuggingFace(str(network), backend="onnx")._get_exported_graph(), root / "graph" / "model.onnx"
        )
    for name in ("tokenizer.json", "config.json"):
        shutil.copy(network / name, root / "graph")
    return root / "graph"


@pytest.fixture
def folder(exported: Path, tmp_path: Path) -> Path:
    return shutil.copytree(exported, tmp_path / "graph")


def settle(folder: Path, **changed: object) -> None:
    """Change settings; None removes one."""
    config = json.loads((folder / "config.json").read_text()) | changed
    known = {name: value for name, value in config.items() if value is not None}
    (folder / "config.json").write_text(json.dumps(known))


@pytest.mark.parametrize("labels", [None, ("entailment", "non-entailment")])
def test_as_many_outputs_as_labels(folder: Path, labels: tuple[str, ...] | None) -> None:
    settle(folder, id2label={"0": "entailment", "1": "not_entailment"}, label2id=None)
    with pytest.raises(InputError, match=r"3 numbers .* 2 labels"):
        Onnx(folder, labels=labels).predict(PAIRS)


def test_weights_beside_the_graph_are_in_the_fingerprint_whatever_their_name(folder: Path) -> None:
    names = {
        "weights.bin",
        "model.onnx_data_1",
        "other",
        "notes.txt",
        "card.json",
        "other.onnx",
        "sub/weights.md",
    }
    (folder / "sub").mkdir()
    for name in (*names, "README.md"):
        (folder / name).write_bytes(b"1")
    files = Onnx(folder).fingerprint()["files"]
    assert files.keys() == {"model.onnx", "tokenizer.json", "config.json"} | names
    for name in names:
        (folder / name).write_bytes(b"2")
        assert Onnx(folder).fingerprint()["files"][name] != files[name]


@pytest.mark.parametrize(
    "place", ["weights.txt", "weights.json", "weights.onnx", "sub/weights.bin", "README.md", ".cache/weights"]
)
def test_changed_weights_are_asked_again_wherever_they_lie(
    folder: Path, tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import onnx
    from onnx.external_data_helper import convert_model_to_external_data

    monkeypatch.chdir(tmp_path)  # the library refuses names that the current folder has
    graph = onnx.load(folder / "model.onnx")
    (folder / place).parent.mkdir(exist_ok=True)
    convert_model_to_external_data(graph, location=place, size_threshold=0)
    onnx.save(graph, folder / "model.onnx")
    first = predict_pairs(Onnx(folder, graph="model.onnx"), PAIRS, tmp_path / "journal")
    content = bytearray((folder / place).read_bytes())
    content[-64:] = bytes(64)  # of the head, which is written last
    (folder / place).write_bytes(content)
    second = predict_pairs(Onnx(folder, graph="model.onnx"), PAIRS, tmp_path / "journal")
    assert place in Onnx(folder, graph="model.onnx").fingerprint()["files"]
    assert second.facts["kept"] == 0
    assert second.predictions["p_neutral"].to_list() != first.predictions["p_neutral"].to_list()


def test_rows_beyond_the_positions_of_a_graph_are_one_clear_error(folder: Path) -> None:
    settle(folder, max_position_embeddings=None)
    long = PAIRS.with_columns(premise=pl.lit(" ".join(tiny_networks.TEXTS * 8)))
    with pytest.raises(InputError, match=r" \d+ tokens: .*-o max_length") as caught:
        Onnx(folder).predict(long)
    assert "\n" not in str(caught.value)
    assert Onnx(folder, max_length=100).predict(long).height == 4


def test_what_was_cut_is_counted_as_often_as_it_was_asked(folder: Path, tmp_path: Path) -> None:
    long = " ".join(tiny_networks.TEXTS * 8)
    table = {
        "id": ["1", "2", "3", "4", "5"],
        "premise": [long, long, "The doctor danced.", long, long],
        "hypothesis": ["The doctor danced."] * 3 + [long] * 2,
    }
    facts = predict_pairs(Onnx(folder), pl.DataFrame(table), tmp_path / "journal").facts
    assert (facts["pairs"], facts["cut"], facts["refused"]) == (5, 2, 2)
    more = pl.DataFrame({**table, "hypothesis": ["The doctor danced."] * 3 + [long, "The doctor danced."]})
    again = predict_pairs(Onnx(folder), more, tmp_path / "journal").facts
    assert again["kept"] == 2, "the same different pairs"
    assert (again["pairs"], again["cut"], again["refused"]) == (5, 3, 1)
    assert "marked" not in again
    assert predict_pairs(Onnx(folder, long="window-max"), more).facts["windows"] == 3
