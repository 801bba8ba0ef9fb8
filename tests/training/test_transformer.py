"""Fine-tuning an encoder: it learns, it is repeatable, and a kill costs nothing but time."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import rightreasons as rr

if TYPE_CHECKING:
    from pathlib import Path

OPTIONS: dict[str, Any] = {
    "learning_rate": 1e-3,
    "epochs": 6,
    "batch_size": 16,
    "max_length": 32,
    "seed": 3,
    "patience": 0,
}


def weights(folder: Path) -> str:
    return hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()


def learn(encoder: Path, files: tuple[Path, Path], out: Path, **more: Any) -> Any:
    train, dev = files
    return rr.train("transformer", train=train, dev=dev, out=out, encoder=str(encoder), **(OPTIONS | more))


@pytest.fixture(scope="session")
def trained(
    encoder: Path, files: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Any]:
    out = tmp_path_factory.mktemp("trained") / "model"
    return out, learn(encoder, files, out)


def test_it_learns_and_says_how(trained: tuple[Path, Any], files: tuple[Path, Path]) -> None:
    out, result = trained
    card = json.loads((out / "training.json").read_text(encoding="utf-8"))
    assert result.best > 0.9
    assert card["recipe"]["learning_rate"] == 1e-3
    assert card["labels"] == ["entailment", "neutral", "contradiction"]
    assert card["train"][0]["sources"] == {"train.parquet": hashlib.sha256(files[0].read_bytes()).hexdigest()}
    losses = [row["loss"] for row in card["log"]]
    assert losses[-1] < losses[0] / 2
    assert [row["step"] for row in card["log"]][-1] == result.steps == card["steps"]
    assert not out.with_name("model.training").exists()


def test_the_log_lies_beside_the_weights(trained: tuple[Path, Any]) -> None:
    out, result = trained
    assert pl.read_csv(out / "train_log.csv").height == len(result.rows)
    assert "<svg" in (out / "train_log.svg").read_text(encoding="utf-8")


def test_it_takes_edits_and_debiasing_as_networks_do(
    encoder: Path, files: tuple[Path, Path], tmp_path: Path
) -> None:
    few: dict[str, Any] = {"epochs": 0.2, "edits": ["subsample:size=300"]}
    learn(encoder, files, tmp_path / "plain", **few)
    for method in ("reweight", "poe", "confidence"):
        out = tmp_path / method
        learn(encoder, files, out, debias=method, **few)
        card = json.loads((out / "training.json").read_text(encoding="utf-8"))
        assert (card["recipe"]["method"], card["recipe"]["bias"]) == (method, "hypothesis-only")
        assert card["edits"][0]["after"] == 300
        assert weights(out) != weights(tmp_path / "plain")
        assert not out.with_name(f"{method}.training").exists()


def test_the_folder_is_a_model_with_names(trained: tuple[Path, Any]) -> None:
    config = json.loads((trained[0] / "config.json").read_text(encoding="utf-8"))
    assert config["id2label"] == {"0": "entailment", "1": "neutral", "2": "contradiction"}


def test_the_same_seed_gives_the_same_weights(
    trained: tuple[Path, Any], encoder: Path, files: tuple[Path, Path], tmp_path: Path
) -> None:
    learn(encoder, files, tmp_path / "again")
    learn(encoder, files, tmp_path / "other", seed=4, epochs=1)
    assert weights(tmp_path / "again") == weights(trained[0])
    assert weights(tmp_path / "other") != weights(trained[0])


def test_torch_is_left_as_it_was(encoder: Path, files: tuple[Path, Path], tmp_path: Path) -> None:
    import torch

    before = torch.get_rng_state()
    learn(encoder, files, tmp_path / "model", epochs=0.2)
    assert torch.equal(torch.get_rng_state(), before)


def command(encoder: Path, files: tuple[Path, Path], out: Path) -> list[str]:
    words = [sys.executable, "-m", "rightreasons", "train", "transformer", "--out", str(out)]
    words += ["--train", str(files[0]), "--dev", str(files[1]), "-o", f"encoder={encoder}"]
    return words + [
        word for key, value in (OPTIONS | {"save_seconds": 0}).items() for word in ("-o", f"{key}={value}")
    ]


@pytest.mark.slow
def test_a_killed_run_ends_with_the_same_weights(
    trained: tuple[Path, Any], encoder: Path, files: tuple[Path, Path], tmp_path: Path
) -> None:
    out = tmp_path / "model"
    checkpoint = tmp_path / "model.training" / "checkpoint.pt"
    environment = os.environ | {"HF_HUB_OFFLINE": "1"}
    seen = set()
    for _ in range(3):
        with subprocess.Popen(
            command(encoder, files, out), stderr=subprocess.PIPE, env=environment
        ) as process:
            before = checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
            while process.poll() is None and (
                not checkpoint.exists() or checkpoint.stat().st_mtime_ns == before
            ):
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
        assert process.returncode == -signal.SIGKILL, "the run must be cut off in its middle"
        assert not out.exists()
        seen.add(checkpoint.stat().st_mtime_ns)
    assert len(seen) == 3
    done = subprocess.run(
        command(encoder, files, out), capture_output=True, text=True, env=environment, check=True
    )
    assert "Dev accuracy" in done.stderr
    assert weights(out) == weights(trained[0])
    log, whole = (
        json.loads((folder / "training.json").read_text(encoding="utf-8"))["log"]
        for folder in (out, trained[0])
    )
    assert log == whole


@pytest.mark.slow
def test_a_checkpoint_of_another_run_is_refused(
    encoder: Path, files: tuple[Path, Path], tmp_path: Path
) -> None:
    out = tmp_path / "model"
    with subprocess.Popen(command(encoder, files, out), stderr=subprocess.PIPE) as process:
        while process.poll() is None and not (tmp_path / "model.training" / "checkpoint.pt").exists():
            time.sleep(0.005)
        process.kill()
    with pytest.raises(rr.InputError, match=r"checkpoint\.pt .*learning_rate .*0\.002"):
        learn(encoder, files, out, learning_rate=2e-3)


def test_two_labels_make_a_head_of_two(encoder: Path, files: tuple[Path, Path], tmp_path: Path) -> None:
    for file, name in zip(files, ("train.parquet", "dev.parquet"), strict=True):
        pairs = pl.read_parquet(file)
        merged = pairs.with_columns(
            label=pl.when(pl.col("label") == "entailment").then("label").otherwise(pl.lit("non-entailment"))
        )
        merged.write_parquet(tmp_path / name)
    learn(encoder, (tmp_path / "train.parquet", tmp_path / "dev.parquet"), tmp_path / "model", epochs=0.2)
    config = json.loads((tmp_path / "model" / "config.json").read_text(encoding="utf-8"))
    assert config["id2label"] == {"0": "entailment", "1": "non-entailment"}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"encoder": "no/such-encoder"}, "can't be loaded"),
        ({"epochs": 0}, "epochs is 0"),
        ({"warmup": 2}, "from 0 to 1"),
        ({"max_length": 3}, "No pair fits"),
        ({"speed": 3}, "no option"),
    ],
)
def test_what_cant_be_trained_is_refused(
    encoder: Path, files: tuple[Path, Path], tmp_path: Path, more: dict[str, Any], message: str
) -> None:
    with pytest.raises(rr.InputError, match=message):
        rr.train(
            "transformer",
            train=files[0],
            dev=files[1],
            out=tmp_path / "model",
            **({"encoder": str(encoder)} | OPTIONS | more),
        )
    assert not (tmp_path / "model").exists()


def test_dev_pairs_must_not_be_training_pairs(
    encoder: Path, files: tuple[Path, Path], tmp_path: Path
) -> None:
    with pytest.raises(rr.InputError, match=r"^600 .*--allow-overlap"):
        learn(encoder, (files[0], files[0]), tmp_path / "model")


def test_labels_that_dev_pairs_cant_be_judged_by_are_refused(
    encoder: Path, files: tuple[Path, Path], tmp_path: Path
) -> None:
    two = pl.read_parquet(files[1]).with_columns(label=pl.lit("non-entailment"))
    two.write_parquet(tmp_path / "dev.parquet")
    with pytest.raises(rr.InputError, match="same labels"):
        learn(encoder, (files[0], tmp_path / "dev.parquet"), tmp_path / "model")


def test_an_unknown_trainer_is_named(tmp_path: Path) -> None:
    with pytest.raises(rr.InputError, match="transformer"):
        rr.train("transfromer", train="pocket", dev="pocket", out=tmp_path / "model")
