"""The folder of a trained network: whole, checked, and the same network after it was saved."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

from plain_nets import PAIRS, made, saved
from rightreasons.core.errors import InputError, OutputError, UnknownNameError
from rightreasons.core.labels import TWO_LABELS
from rightreasons.models.network_folder import (
    CARD_FILE,
    WEIGHTS_FILE,
    WORDS_FILE,
    load_trained_network,
    save_network,
    write_network_files,
)
from rightreasons.nets import NETS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rightreasons.nets.batches import EmbeddingNetwork
    from rightreasons.nets.text.encoder import TextEncoder

VECTORS = "the 1.1 2.3\njudge 3.7 4.9\nzebra 0.1 0.2\nUNESCO 0.3 -0.7\n"


def logits(network: EmbeddingNetwork, reader: TextEncoder) -> torch.Tensor:
    rows = np.arange(len(PAIRS))
    with torch.inference_mode():
        sides = [
            reader.make_token_batch(reader.encode_texts(PAIRS[side], PAIRS[f"{side}_parse"]), rows)
            for side in ("premise", "hypothesis")
        ]
        answers: torch.Tensor = network(*sides)
    return answers


@pytest.mark.parametrize(
    ("net", "options"),
    [
        *((net, {}) for net in NETS),
        ("da", {"labels": TWO_LABELS}),
        ("bilstm", {"literal": True}),
        ("rc", {"literal": True}),
    ],
)
def test_saved_and_loaded_networks_give_identical_answers(
    tmp_path: Path, net: str, options: dict[str, Any]
) -> None:
    network, reader, description = made(net, **options)
    save_network(tmp_path / "net", network, reader, description)
    state = torch.random.get_rng_state()
    loaded = load_trained_network(tmp_path / "net", net=net)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert loaded.description == description
    assert loaded.text_encoder.config == reader.config
    assert loaded.text_encoder.vocabulary == reader.vocabulary
    assert not loaded.network.training
    assert torch.equal(logits(loaded.network, loaded.text_encoder), logits(network, reader))


def test_further_words_keep_their_vectors_in_half_precision_unless_they_were_trained(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text(VECTORS, encoding="utf-8")
    network, reader, description = made("infersent", vectors=tmp_path / "v.txt", hidden=4)
    further = reader.vocabulary.words[reader.vocabulary.num_training_words :]
    assert further == ("zebra", "UNESCO")
    save_network(tmp_path / "one", network, reader, description)
    with torch.no_grad():
        network.words.weight[-1] += 0.12345
    save_network(tmp_path / "two", network, reader, description)
    tables = [load_trained_network(tmp_path / name).network.words.weight for name in ("one", "two")]
    assert torch.equal(tables[1], network.words.weight)
    assert torch.equal(tables[0][:-1], tables[1][:-1])
    assert tables[0][reader.vocabulary.row_by_word["zebra"]].tolist() == pytest.approx([0.1, 0.2], abs=1e-4)


def test_a_folder_is_replaced_only_by_force_and_only_if_it_is_a_network(tmp_path: Path) -> None:
    parts = made("cbow")
    save_network(tmp_path / "net", *parts)
    with pytest.raises(OutputError, match="exists already"):
        save_network(tmp_path / "net", *parts)
    save_network(tmp_path / "net", *parts, force=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").touch()
    with pytest.raises(OutputError, match=r"other has no network\.json"):
        save_network(tmp_path / "other", *parts, force=True)
    network, _, description = parts
    _, reader, _ = made("ch")
    with pytest.raises(InputError, match="rows for"):
        save_network(tmp_path / "third", network, reader, description)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["net", "other"]


def cut(name: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / name).write_bytes((folder / name).read_bytes()[:-40])

    return change


def without(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def card(**changes: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        found = json.loads((folder / CARD_FILE).read_text(encoding="utf-8"))
        (folder / CARD_FILE).write_text(json.dumps({**found, **changes}), encoding="utf-8")

    return change


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (without(CARD_FILE), f"no {CARD_FILE}"),
        (without(WEIGHTS_FILE), f"has no {WEIGHTS_FILE}"),
        (without(WORDS_FILE), f"has no {WORDS_FILE}"),
        (cut(CARD_FILE), f"{CARD_FILE} is not valid JSON"),
        (cut(WEIGHTS_FILE), f"{WEIGHTS_FILE} was truncated"),
        (cut(WORDS_FILE), f"{WORDS_FILE} was truncated"),
        (card(format=99), "format 99, .* 1\\."),
        (card(net="cbou"), "'cbou'.* cbow"),
        (card(net="esim"), f"match {CARD_FILE}"),
        (card(width=13), "match network|width 13"),
        (card(options={"hidden": 33}), f"match {CARD_FILE}"),
        (card(options={"legs": 4}), f"match {CARD_FILE}"),
        (card(labels=["yes", "no"]), "its labels are"),
        (card(labels=["entailment", "non-entailment"]), f"match {CARD_FILE}"),
        (card(reading={"unknown": "zero", "eyes": 2}), "eyes"),
        (card(own_words=None), "its own_words is None"),
        (card(own_words=10**6), "its own_words is 1000000"),
        (card(net=["cbow"]), "its net is"),
        (card(labels=[["entailment"], 2]), "its labels are"),
        (card(trained_words="no"), "its trained_words is 'no'"),
        (card(digests=["x"]), "its digests is"),
        (card(reading={"unknown": "zero", "lower": "no"}), "lower is 'no'"),
        (lambda folder: (folder / CARD_FILE).write_text("[" * 100_000), "levels deep"),
    ],
)
def test_damaged_folders_are_refused(tmp_path: Path, change: Callable[[Path], None], expected: str) -> None:
    folder = saved(tmp_path / "net", "cbow")
    change(folder)
    with pytest.raises(InputError, match=expected):
        load_trained_network(folder)


def test_no_folder_and_the_folder_of_another_network_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none.* `rightreasons train`"):
        load_trained_network(tmp_path / "none")
    with pytest.raises(InputError, match="'cbow', not 'da'"):
        load_trained_network(saved(tmp_path / "net", "cbow"), net="da")
    with pytest.raises(UnknownNameError):
        made("dada")


def test_a_network_can_be_written_into_a_folder_with_other_files(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("step,loss\n", encoding="utf-8")
    write_network_files(tmp_path, *made("cbow"))
    assert load_trained_network(tmp_path).description.training == {"seed": 1}
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "log.csv",
        CARD_FILE,
        WEIGHTS_FILE,
        WORDS_FILE,
    ]
