"""Every network of the table is trained for a few steps on the pocket corpus, and its loss falls."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - used by fixtures
from typing import Any

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.nets import NETS
from slow_cases import slow_after

pytest.importorskip("torch")

FEW: dict[str, Any] = {
    "preset": "small",
    "dropout": 0.0,
    "epochs": 6,
    "batch_size": 16,
    "learning_rate": 2e-3,
    "optimiser": "adam",
    "clip": 5.0,
    "clip_by": "norm",
    "schedule": "constant",
    "patience": 0,
    "checks": 1,
    "threads": 1,
}


def parser_of(net: str) -> dict[str, str]:
    return {"parser": "balanced"} if net == "spinn" else {}


@pytest.fixture(scope="module")
def small_pocket(pocket: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("small")
    for file, size, name in zip(pocket, (64, 30), ("train.parquet", "dev.parquet"), strict=True):
        pl.read_parquet(file).head(size).write_parquet(folder / name)
    return folder / "train.parquet", folder / "dev.parquet"


@pytest.mark.parametrize("net", NETS)
def test_the_loss_falls_and_the_folder_predictions_as_the_network_did(
    net: str, small_pocket: tuple[Path, Path], tmp_path: Path
) -> None:
    train, dev = small_pocket
    out = tmp_path / "model"
    trained: Any = rr.train(net, train=train, dev=dev, out=out, **FEW, **parser_of(net))
    losses = [row["loss"] for row in trained.rows]
    assert losses[-1] < 0.9 * losses[0], losses
    assert right(out, dev, net) == pytest.approx(trained.best)


@pytest.mark.parametrize("net", slow_after(1, ["rc", "infersent"]))
def test_a_literal_network_is_asked_as_it_was_checked(
    net: str, small_pocket: tuple[Path, Path], tmp_path: Path
) -> None:
    """The pairs of a batch change each other's predictions, so both must take the same ones together."""
    train, dev = small_pocket
    out = tmp_path / "model"
    trained: Any = rr.train(net, train=train, dev=dev, out=out, literal=True, **FEW)
    assert right(out, dev, net) == pytest.approx(trained.best)


def right(out: Path, dev: Path, net: str) -> float:
    pairs = pl.read_parquet(dev)
    predictions = pairs.join(rr.predict(f"net:{out}", pairs, **parser_of(net)), on="id", suffix="_again")
    return float((predictions["label"] == predictions["label_again"]).mean())
