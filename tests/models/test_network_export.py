"""Trained networks as ONNX graphs: the same answers, or a clear refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
import torch

import rightreasons
from plain_nets import PAIRS, saved
from rightreasons.core.errors import InputError, OutputError
from rightreasons.models.label_probe import read_probe_pairs
from rightreasons.models.network_export import export_loaded_network, export_network
from rightreasons.models.network_folder import load_trained_network
from rightreasons.models.network_job import OnnxRunner

if TYPE_CHECKING:
    from pathlib import Path

GRAPHS = ["cbow", "da", "esim", "bilstm", "infersent", "rc", "nb", "jiant"]


@pytest.mark.parametrize("net", GRAPHS)
def test_a_graph_gives_the_network_s_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, net: str
) -> None:
    monkeypatch.setenv("RIGHTREASONS_CACHE", str(tmp_path / "cache"))
    folder = saved(tmp_path / "net", net)
    pairs = read_probe_pairs().gather_every(5).with_row_index("id").with_columns(pl.col("id").cast(pl.String))
    plain, onnx = (
        rightreasons.predict(f"net:{folder}", pairs, backend=backend) for backend in ("torch", "onnx")
    )
    assert plain["label"].equals(onnx["label"])
    for column in plain.columns[2:]:
        assert np.abs(plain[column] - onnx[column]).max() < 1e-4


@pytest.mark.parametrize("net", GRAPHS)
def test_padding_and_neighbours_change_nothing_in_a_graph(tmp_path: Path, net: str) -> None:
    loaded = load_trained_network(saved(tmp_path / "net", net))
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        for weight in loaded.network.net.parameters():  # larger than at first, so that logits move
            weight.normal_(std=0.1)
    export_loaded_network(loaded, tmp_path / "net.onnx", net)
    run, reader = OnnxRunner(tmp_path / "net.onnx"), loaded.text_encoder
    sides = [reader.encode_texts(PAIRS[side]) for side in ("premise", "hypothesis")]
    tokens = [reader.make_token_batch(side, np.arange(3)) for side in sides]
    whole = run(*tokens)
    padded = run(*(one._replace(words=torch.nn.functional.pad(one.words, (0, 5))) for one in tokens))
    alone = [run(*(reader.make_token_batch(side, np.array([row])) for side in sides)) for row in range(3)]
    assert np.ptp(whole, axis=0).min() > 1e-3
    np.testing.assert_allclose(padded, whole, atol=1e-5)
    np.testing.assert_allclose(np.concatenate(alone), whole, atol=1e-5)


@pytest.mark.parametrize(
    ("net", "literal", "said"),
    [("spinn", False, "reads trees"), ("ch", False, "reads spellings"), ("rc", True, "literal=true")],
)
def test_what_no_graph_can_hold_is_refused(tmp_path: Path, net: str, literal: bool, said: str) -> None:
    with pytest.raises(InputError, match=said):
        export_network(saved(tmp_path / "net", net, literal=literal), tmp_path / "net.onnx")
    assert not (tmp_path / "net.onnx").exists()


def test_a_graph_is_written_whole_and_replaces_nothing_unasked(tmp_path: Path) -> None:
    folder = saved(tmp_path / "net", "cbow")
    export_network(folder, tmp_path / "net.onnx")
    with pytest.raises(OutputError, match="exists already"):
        export_network(folder, tmp_path / "net.onnx")
    export_network(folder, tmp_path / "net.onnx", force=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["net", "net.onnx"]
