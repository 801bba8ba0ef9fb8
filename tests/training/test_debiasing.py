"""Training against a bias model: with a bias planted in the training pairs, the model relies on it less."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path  # noqa: TC003 - used by fixtures
from typing import Any

import polars as pl
import pytest

import rightreasons as rr

pytest.importorskip("torch")

THINGS = ["cat", "dog", "house", "tree", "river", "lamp", "chair", "table", "stone", "cloud"]
OPTIONS: dict[str, Any] = {
    "preset": "small",
    "epochs": 5,
    "seed": 1,
    "batch_size": 16,
    "learning_rate": 3e-3,
    "optimiser": "adam",
    "patience": 0,
    "dropout": 0.0,
    "checks": 1,
    "threads": 1,
}


def planted(count: int, share: float, seed: int, noise: float = 0.0) -> rr.ChallengeSet:
    """Make pairs that are mostly entailed if both texts name one thing; a share has a word that gives it away."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    rows = []
    for number in range(count):
        same = chance.random() < 0.5
        thing = chance.choice(THINGS)
        other = thing if same else chance.choice([one for one in THINGS if one != thing])
        entailed = same != (chance.random() < noise)
        cue = "surely" if entailed == (chance.random() < share) else "hardly"
        label = "entailment" if entailed else "non-entailment"
        rows.append((f"{seed}-{number}", f"here is a {thing}", f"{cue} a {other}", label))
    pairs = pl.DataFrame(rows, schema=["id", "premise", "hypothesis", "label"], orient="row")
    return rr.ChallengeSet(pairs, rr.Card(f"planted-{seed}-{share}"))


@pytest.fixture(scope="module")
def reliance(tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    """Measure how much more each model believes the true label where the word tells it than where it lies."""
    folder = tmp_path_factory.mktemp("planted")
    train, dev = planted(1000, 0.9, 1, 0.2), planted(100, 0.9, 2, 0.2)
    found = {}
    for method in (None, "reweight", "poe", "confidence"):
        out = folder / str(method)
        rr.train("cbow", train=train, dev=dev, out=out, debias=method, allow_overlap=True, **OPTIONS)
        found[str(method)] = belief(planted(200, 1.0, 3), out) - belief(planted(200, 0.0, 4), out)
        card = json.loads((out / "training.json").read_text(encoding="utf-8"))
        assert card["recipe"].get("method") == method
    return found


def belief(pairs: rr.ChallengeSet, model: Path) -> float:
    """Give the mean probability of the true label."""
    both = pairs.pairs.join(rr.predict(f"net:{model}", pairs).drop("label"), on="id")
    of_gold = pl.when(pl.col("label") == "entailment").then("p_entailment").otherwise("p_non_entailment")
    return float(both.select(of_gold.mean()).item())


@pytest.mark.slow
@pytest.mark.parametrize("method", ["reweight", "poe", "confidence"])
def test_the_planted_word_counts_for_less(reliance: dict[str, float], method: str) -> None:
    assert reliance["None"] > 0.5
    assert reliance[method] < 0.75 * reliance["None"], reliance


def test_plain_training_does_without_the_code_of_debiasing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("debiasing", "bias_models"):
        monkeypatch.setitem(sys.modules, f"rightreasons.training.{module}", None)
    quick = OPTIONS | {"epochs": 1}
    train, dev = planted(60, 0.5, 1), planted(20, 0.5, 2)
    rr.train("cbow", train=train, dev=dev, out=tmp_path / "plain", allow_overlap=True, **quick)
    with pytest.raises(ImportError, match="debiasing"):
        rr.train(
            "cbow", train=train, dev=dev, out=tmp_path / "poe", allow_overlap=True, debias="poe", **quick
        )
