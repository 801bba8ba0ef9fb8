"""A tiny encoder with random weights, pairs that can be told apart by one word, and the pocket corpus in two parts."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import polars as pl
import pytest

from rightreasons import read_corpus

if TYPE_CHECKING:
    from pathlib import Path

WORDS = [
    "cat",
    "dog",
    "house",
    "tree",
    "river",
    "lamp",
    "chair",
    "green",
    "small",
    "old",
    "runs",
    "sleeps",
    "sees",
    "near",
    "under",
    "all",
    "some",
    "not",
]


@pytest.fixture(scope="session")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("encoder")
    (folder / "vocab.txt").write_text(
        "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]) + "\n", encoding="utf-8"
    )
    config = transformers.BertConfig(
        vocab_size=len(WORDS) + 5,
        hidden_size=24,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=48,
        max_position_embeddings=64,
    )
    torch.manual_seed(0)
    transformers.BertModel(config).save_pretrained(folder)
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    return folder


def toy_pairs(count: int, seed: int) -> pl.DataFrame:
    """Make pairs whose label is told by the hypothesis' first word."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    cues = {"entailment": "some", "neutral": "near", "contradiction": "not"}
    rows = []
    for number in range(count):
        label = chance.choice(list(cues))
        premise = " ".join(chance.choices(WORDS[:14], k=chance.randint(3, 14)))
        hypothesis = " ".join([cues[label], *chance.choices(WORDS[:14], k=chance.randint(1, 6))])
        rows.append({"id": f"{seed}-{number}", "premise": premise, "hypothesis": hypothesis, "label": label})
    return pl.DataFrame(rows)


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("pairs")
    train, dev = folder / "train.parquet", folder / "dev.parquet"
    toy_pairs(600, 1).write_parquet(train)
    toy_pairs(90, 2).write_parquet(dev)
    return train, dev


@pytest.fixture(scope="session")
def pocket(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Part the pocket corpus: every fifth premise is for checking."""
    folder = tmp_path_factory.mktemp("pocket")
    pairs = read_corpus("pocket").pairs
    chosen = pairs["premise"].is_in(pairs["premise"].unique(maintain_order=True)[::5].implode())
    train, dev = folder / "pocket-train.parquet", folder / "pocket-dev.parquet"
    pairs.filter(~chosen).write_parquet(train)
    pairs.filter(chosen).write_parquet(dev)
    return train, dev
