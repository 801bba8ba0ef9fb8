"""Networks over their words on real pairs: all parts learn, and threads and order change no answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

import rightreasons as rr
from plain_nets import saved
from rightreasons.core.labels import THREE_LABELS
from rightreasons.nets import NETS, make_net
from rightreasons.nets.batches import EmbeddingNetwork
from rightreasons.nets.text.binary_parses import collect_binary_parses
from rightreasons.nets.text.encoder import learn_vocabulary
from rightreasons.nets.text.tokenization import tokenize_column

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl


@pytest.fixture(scope="module")
def pairs() -> pl.DataFrame:
    return rr.read_corpus("pocket").pairs.head(32)


def parser_of(net: str) -> dict[str, Any]:
    return {"parser": "balanced"} if net == "spinn" else {}


@pytest.mark.parametrize("net", NETS)
def test_every_parameter_learns_from_real_pairs(net: str, pairs: pl.DataFrame) -> None:
    config = NETS[net].make_text_config()
    parses = collect_binary_parses(pairs, "balanced") if config.forest else (None, None)
    texts = [
        tokenize_column(pairs[side], one, config)
        for side, one in zip(("premise", "hypothesis"), parses, strict=True)
    ]
    known = learn_vocabulary(texts, config, width=100)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        network = EmbeddingNetwork(torch.from_numpy(known.table), make_net(net, "small"), trained=True)
        sides = [
            known.encoder.make_token_batch(known.encoder.encode_tokenized(text), np.arange(32))
            for text in texts
        ]
        logits = network(*sides)
    gold = torch.tensor([THREE_LABELS.index(label) for label in pairs["label"]])
    torch.nn.functional.cross_entropy(logits, gold).backward()
    for name, weight in network.named_parameters():
        assert weight.grad is not None, name
        assert torch.isfinite(weight.grad).all(), name
        assert weight.grad.abs().max() > 0, name
    gradient = network.words.weight.grad
    assert gradient is not None
    assert not gradient[0].any()


@pytest.mark.slow  # two threads on a busy machine
@pytest.mark.parametrize("net", NETS)
def test_answers_depend_neither_on_threads_nor_on_order(
    net: str, pairs: pl.DataFrame, tmp_path: Path
) -> None:
    name, before = f"net:{saved(tmp_path / 'net', net)}", torch.get_num_threads()
    asked = pairs.select("id", "premise", "hypothesis")
    answers = []
    for threads, some in ((1, asked), (2, asked[::-1])):
        torch.set_num_threads(threads)
        try:
            answers.append(rr.predict(name, some, **parser_of(net)))
        finally:
            torch.set_num_threads(before)
    one, two = answers[0], answers[1][::-1]
    assert one["id"].equals(two["id"])
    for column in one.columns[2:]:
        assert np.abs(one[column] - two[column]).max() < 1e-5
