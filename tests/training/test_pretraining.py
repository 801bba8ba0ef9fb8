"""Training an encoder first: every task learns what can be learnt, a kill costs nothing, and jiant takes it over."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

from rightreasons import train
from rightreasons.core.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.training.pretraining_data import TaskName

torch = pytest.importorskip("torch")

from rightreasons.core import registry  # noqa: E402 - they need torch
from rightreasons.nets.jiant import JIANT, Encoder  # noqa: E402
from rightreasons.nets.pretraining import NO_TARGET  # noqa: E402
from rightreasons.nets.text.encoder import learn_vocabulary  # noqa: E402
from rightreasons.training import pretraining  # noqa: E402
from rightreasons.training.model_folder import ENCODER  # noqa: E402
from rightreasons.training.pretraining import Pretrainer, get_encoder_sizes  # noqa: E402
from rightreasons.training.pretraining_data import number_words, read_pretraining_data  # noqa: E402
from rightreasons.training.pretraining_targets import average_other_captions, make_targets  # noqa: E402

RING = ["red", "green", "blue", "black", "white", "brown"]
TAGS = {"red": "A", "green": "A", "blue": "B", "black": "B", "white": "C", "brown": "C"}
TOPICS = [
    ["dog", "barks", "bone"],
    ["car", "drives", "road"],
    ["girl", "sings", "song"],
    ["sea", "waves", "beach"],
]
OPTIONS: dict[str, Any] = {
    "preset": "small",
    "width": 24,
    "epochs": 4,
    "batch_size": 16,
    "learning_rate": 4e-3,
    "seed": 3,
    "words": len(RING),
}


@pytest.fixture(scope="session")
def materials(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, ...]]:
    """Write a file for each task, which has rules that an encoder can find."""
    folder, chance = tmp_path_factory.mktemp("materials"), random.Random(1)  # noqa: S311 - no secret
    tagged = [" ".join(f"{word}|X|{TAGS[word]}" for word in chance.choices(RING, k=6)) for _ in range(300)]
    # In running text the next word, and so the one before, follows from each word.
    starts = [(chance.randrange(len(RING)), chance.randint(4, 12)) for _ in range(300)]
    running = [
        " ".join(RING[(first + step) % len(RING)] for step in range(length)) for first, length in starts
    ]
    captions = []
    for picture in range(120):
        topic = TOPICS[picture % len(TOPICS)]
        captions += [
            f"{picture}.jpg#{n}\ta {' '.join(chance.sample(topic, 2))} {chance.choice(RING)}"
            for n in range(3)
        ]
    written = {"tagging": tagged, "language-model": [f"{line} x{n}" for n, line in enumerate(running)]}
    files: dict[str, tuple[str, ...]] = {}
    for task, lines in {**written, "captions": captions}.items():
        file = (
            folder
            / {"tagging": "sentences.stagged", "language-model": "wiki.tokens", "captions": "c.token"}[task]
        )
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        files[task] = (str(file),)
    return files


def learn(task: TaskName, materials: dict[str, tuple[str, ...]], out: Path, **more: Any) -> Any:
    trainer = Pretrainer(task=task, material=materials[task], **(OPTIONS | more))
    nothing = pl.DataFrame()
    return trainer.train(nothing, nothing, out, checkpoint=out.with_name("checkpoint"), facts={})


@pytest.mark.parametrize(("task", "least"), [("tagging", 0.95), ("language-model", 0.5), ("captions", 0.8)])
def test_a_task_is_learnt(
    task: TaskName, least: float, materials: dict[str, tuple[str, ...]], tmp_path: Path
) -> None:
    before = torch.get_rng_state()
    trained = learn(task, materials, tmp_path / "out")
    assert torch.equal(torch.get_rng_state(), before), "the caller's generator is left alone"
    assert trained.rows[-1]["loss"] < 0.8 * trained.rows[0]["loss"]
    assert trained.best > least
    card = json.loads((tmp_path / "out" / "training.json").read_text(encoding="utf-8"))
    assert card["task"] == task
    assert card["material"]["sentences"] >= 250
    assert card["encoder"]["width"] == 24


def test_no_word_is_guessed_that_cannot_be(tmp_path: Path) -> None:
    chance = random.Random(2)  # noqa: S311 - no secret
    lines = [" ".join(chance.choices(RING, k=chance.randint(4, 12))) for _ in range(300)]
    (tmp_path / "wiki.tokens").write_text("\n".join(lines) + "\n", encoding="utf-8")
    trained = learn("language-model", {"language-model": (str(tmp_path / "wiki.tokens"),)}, tmp_path / "out")
    assert 0.14 < trained.best < 1.1 / len(RING), "more would mean that an encoder sees what it has to guess"


def test_the_same_seed_gives_the_same_encoder_and_the_first_weights_of_jiant(
    materials: dict[str, tuple[str, ...]], tmp_path: Path
) -> None:
    once, again, other = (
        _weights(materials, tmp_path / name, seed=seed) for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert all(torch.equal(once[name], again[name]) for name in once)
    assert not torch.equal(once["onward.weight_ih_l0"], other["onward.weight_ih_l0"])
    torch.manual_seed(1)
    drawn = Encoder(**get_encoder_sizes("small")).state_dict()
    torch.manual_seed(1)
    of_jiant = JIANT.build_module("small").encoder.state_dict()
    assert all(torch.equal(drawn[name], of_jiant[name]) for name in of_jiant)


def _weights(materials: dict[str, tuple[str, ...]], out: Path, **more: Any) -> dict[str, Any]:
    from safetensors.torch import load_file

    learn("tagging", materials, out, **({"epochs": 1} | more))
    weights: dict[str, Any] = load_file(out / ENCODER)
    return weights


def test_a_run_that_was_cut_off_ends_with_the_same_weights(
    materials: dict[str, tuple[str, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = _weights(materials, tmp_path / "whole")
    real, steps = pretraining.EncoderLearner.compute_loss, iter(range(9))

    def cut(self: Any, rows: Any) -> Any:
        if next(steps, None) is None:
            raise KeyboardInterrupt
        return real(self, rows)

    monkeypatch.setattr(pretraining.EncoderLearner, "compute_loss", cut)
    with pytest.raises(KeyboardInterrupt):
        learn("tagging", materials, tmp_path / "cut", epochs=1, save_seconds=0)
    assert (tmp_path / "checkpoint").is_dir()
    assert not (tmp_path / "cut").exists()
    left = []

    def counted(self: Any, rows: Any) -> Any:
        left.append(len(rows))
        return real(self, rows)

    monkeypatch.setattr(pretraining.EncoderLearner, "compute_loss", counted)
    resumed = _weights(materials, tmp_path / "cut", save_seconds=0)
    assert len(left) == -(-270 // 16) - 9, "the steps that were done are not done again"
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)


def test_jiant_keeps_an_encoder_that_was_trained_before(
    materials: dict[str, tuple[str, ...]], tmp_path: Path, files: tuple[Path, Path]
) -> None:
    from safetensors.torch import load_file

    first = _weights(materials, tmp_path / "first")
    train, dev = (pl.read_parquet(file) for file in files)
    options: dict[str, Any] = {"preset": "small", "width": 24, "epochs": 0.3, "seed": 5}
    options["encoder"] = str(tmp_path / "first" / ENCODER)
    for frozen in (True, False):
        out = tmp_path / f"frozen-{frozen}"
        registry.make_trainer("jiant", {**options, "frozen": frozen}).train(
            train, dev, out, checkpoint=tmp_path / f"c{frozen}", facts={}
        )
        learnt = load_file(out / "weights.safetensors")
        kept = [torch.equal(learnt[f"net.encoder.{name}"], first[name]) for name in first]
        assert all(kept) if frozen else not any(kept)


def test_goals_stand_at_their_words(materials: dict[str, tuple[str, ...]]) -> None:
    tasks: tuple[TaskName, ...] = ("tagging", "language-model")
    for task in tasks:
        material = read_pretraining_data(task, materials[task])
        learnt = learn_vocabulary([material.words], JIANT.make_text_config(), width=8, further=0)
        goals = make_targets(material, learnt, learnt.encoder.encode_tokenized(material.words), words=6)
        rows = np.array([5, 0, 7])
        laid = goals.get_targets(rows).tolist()
        names: dict[str, int] = {}
        for row, numbers in zip(rows.tolist(), laid, strict=True):
            column = "tags" if task == "tagging" else "words"
            there = material.table[column][row].to_list()
            assert all(number == NO_TARGET for number in numbers[len(there) :])
            for word, number in zip(there, numbers, strict=False):
                assert names.setdefault(word, number) == number
                assert (number == NO_TARGET) == word.startswith("x"), "rare words are not predicted"
        numbers = [number for number in names.values() if number != NO_TARGET]
        assert sorted(numbers) == list(range(goals.size)) or task == "language-model"


def test_what_is_held_out_is_never_trained_on(materials: dict[str, tuple[str, ...]]) -> None:
    material = read_pretraining_data("captions", materials["captions"], sentences=100)
    pictures = material.table["picture"].to_numpy()
    assert len(material.train) == 100
    assert len(material.dev) >= 30
    assert not set(pictures[material.train]) & set(pictures[material.dev])
    assert "COCO" in material.facts["instead_of"]
    more = read_pretraining_data("captions", materials["captions"])
    held = more.table["words"].to_list()[more.dev[0] :]
    assert held == material.table["words"].to_list()[material.dev[0] :], "however many are trained on"


def test_a_picture_is_described_by_its_other_captions() -> None:
    texts = pl.Series([["dog", "barks"], ["bone"], ["car", "road"], ["car"]])
    split = number_words(texts)
    learnt = learn_vocabulary([split], JIANT.make_text_config(), width=8, further=0)
    encoded = learnt.encoder.encode_tokenized(split)
    features = average_other_captions(pl.Series(["1", "1", "2", "2"]), learnt.table, encoded)
    bone = learnt.table[learnt.encoder.vocabulary.row_by_word["bone"]]
    car = learnt.table[learnt.encoder.vocabulary.row_by_word["car"]]
    np.testing.assert_allclose(features[0], bone / np.linalg.norm(bone), rtol=1e-5)
    np.testing.assert_allclose(features[2], car / np.linalg.norm(car), rtol=1e-5)


def test_too_little_material_is_refused(tmp_path: Path) -> None:
    (tmp_path / "few.tokens").write_text("one river .\nanother river .\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"few\.tokens .*\b2 .*language-model"):
        read_pretraining_data("language-model", [str(tmp_path / "few.tokens")])


def test_the_verb_makes_an_encoder_without_pairs_and_refuses_some(
    materials: dict[str, tuple[str, ...]], tmp_path: Path
) -> None:
    given: dict[str, Any] = {
        "task": "tagging",
        "material": materials["tagging"],
        "preset": "small",
        "epochs": 1,
    }
    train("pretrain", out=tmp_path / "encoder", **given)
    assert (tmp_path / "encoder" / ENCODER).is_file()
    with pytest.raises(InputError, match=r"pretrain .*-o material"):
        train("pretrain", dev="dev.csv", out=tmp_path / "other", **given)
    with pytest.raises(InputError, match=r"esim .*--dev"):
        train("esim", train="train.csv", out=tmp_path / "other")
    assert not (tmp_path / "other").exists()
