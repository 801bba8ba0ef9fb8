"""Every network can learn 200 pairs by heart; takes minutes, so it runs only with RIGHTREASONS_OVERFIT=1."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.nets import NETS

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("torch")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not os.environ.get("RIGHTREASONS_OVERFIT"),
        reason="takes minutes; set RIGHTREASONS_OVERFIT=1 to run it",
    ),
]

BY_HEART: dict[str, Any] = {
    "preset": "small",
    "dropout": 0.0,
    "epochs": 60,
    "batch_size": 20,
    "learning_rate": 1e-3,
    "optimiser": "adam",
    "clip": 5.0,
    "clip_by": "norm",
    "schedule": "constant",
    "patience": 0,
    "checks": 1,
    "trained_vectors": True,
    "threads": 1,
}


@pytest.mark.parametrize("net", NETS)
def test_200_pairs_are_learnt_by_heart(net: str, pocket: tuple[Path, Path], tmp_path: Path) -> None:
    pairs = pl.read_parquet(pocket[0]).head(200)
    learnt = rr.ChallengeSet(pairs, rr.Card("learnt"))
    more: dict[str, Any] = {"parser": "balanced"} if net == "spinn" else {}
    # The training pairs are their own dev set: what is asked here is whether they can be learnt at all.
    trained = rr.train(
        net, train=learnt, dev=learnt, out=tmp_path / "model", allow_overlap=True, **BY_HEART, **more
    )
    assert trained.best >= 0.99
