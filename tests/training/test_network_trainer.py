"""Trainers of networks: their options, where they start, and what their folders say."""

from __future__ import annotations

import json
import re
from pathlib import Path  # noqa: TC003 - used by fixtures
from typing import Any

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.core import options, registry
from rightreasons.nets import NETS

torch = pytest.importorskip("torch")

from rightreasons.training.initialization import SplitWordTable  # noqa: E402 - torch may be missing
from rightreasons.training.loop import limit_threads  # noqa: E402

QUICK: dict[str, Any] = {"preset": "small", "epochs": 1, "checks": 1, "threads": 1}


def learn(files: tuple[Path, Path], out: Path, net: str = "cbow", **more: Any) -> dict[str, Any]:
    rr.train(net, train=files[0], dev=files[1], out=out, **(QUICK | more))
    card: dict[str, Any] = json.loads((out / "training.json").read_text(encoding="utf-8"))
    return card


@pytest.fixture(scope="module")
def cbow(files: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    out = tmp_path_factory.mktemp("cbow") / "model"
    return out, learn(files, out, epochs=6)


def trainer(net: str, **given: Any) -> Any:
    return registry.make_trainer(net, given)


def weights(folder: Path) -> bytes:
    return (folder / "weights.safetensors").read_bytes()


def test_defaults_are_the_papers() -> None:
    esim, jiant = trainer("esim"), trainer("jiant")
    assert esim.recipe == NETS["esim"].paper.recipe
    assert (esim.trained_vectors, jiant.trained_vectors) == (True, False)
    changed = trainer("esim", epochs=2, trained_vectors=False)
    assert (changed.recipe.epochs, changed.trained_vectors) == (2, False)
    assert changed.recipe.learning_rate == 4e-4
    assert trainer("esim", preset="small").recipe.epochs < 10


def test_options_come_as_texts_too() -> None:
    part = trainer("esim", **{"preset": "small", "learning-rate": "1e-3", "debias": "poe"})
    assert (part.recipe.learning_rate, part.options.debias) == (1e-3, "poe")


def test_every_option_has_a_line_of_help() -> None:
    for name in registry.list_trainer_names():
        part = registry.get_trainer_class(name)
        assert list(options.get_option_help(part)) == list(options.get_schema(part)), name


def test_it_learns_and_says_how(cbow: tuple[Path, dict[str, Any]]) -> None:
    out, card = cbow
    assert card["best"] > 0.9
    assert (card["trainer"], card["labels"]) == ("cbow", ["entailment", "neutral", "contradiction"])
    assert card["network"]["preset"] == "small"
    assert card["vectors"]["name"] == "random"
    assert card["versions"]["threads"] == 1
    assert card["train"][0]["rows"] == 600
    assert {"train_log.csv", "train_log.svg", "network.json"} <= {path.name for path in out.iterdir()}
    assert [path.name for path in out.parent.iterdir()] == ["model"]


def test_the_same_seed_gives_the_same_weights_and_torch_is_left_as_it_was(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    before, count = torch.get_rng_state(), torch.get_num_threads()
    for name, seed in (("one", 1), ("same", 1), ("other", 2)):
        learn(files, tmp_path / name, seed=seed)
        torch.rand(3)
        torch.set_rng_state(before)
    assert weights(tmp_path / "one") == weights(tmp_path / "same") != weights(tmp_path / "other")
    assert torch.get_num_threads() == count


def test_threads_are_given_back() -> None:
    before = torch.get_num_threads()
    with limit_threads(before + 1):
        assert torch.get_num_threads() == before + 1
    assert torch.get_num_threads() == before
    with pytest.raises(rr.InputError, match="1 or more"), limit_threads(0):
        pass


def test_two_labels_make_a_head_of_two(files: tuple[Path, Path], tmp_path: Path) -> None:
    card = learn(files, tmp_path / "model", edits=["merge"])
    assert card["labels"] == ["entailment", "non-entailment"]
    assert card["edits"][0]["edit"] == "merge"
    assert set(rr.predict(f"net:{tmp_path / 'model'}", pl.read_parquet(files[1]))["label"]) <= set(
        card["labels"]
    )


def test_sets_in_memory_give_the_same_weights_as_their_files(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    learn(files, tmp_path / "files")
    sets: Any = [rr.ChallengeSet(pl.read_parquet(file), rr.Card(file.stem)) for file in files]
    learn(sets, tmp_path / "sets")
    assert weights(tmp_path / "files") == weights(tmp_path / "sets")


def test_it_can_start_from_another_network(
    cbow: tuple[Path, dict[str, Any]], files: tuple[Path, Path], tmp_path: Path
) -> None:
    out, card = cbow
    again = learn(files, tmp_path / "again", start=str(out), learning_rate=1e-6)
    assert again["log"][0]["dev_accuracy"] == pytest.approx(card["best"], abs=0.03)
    with pytest.raises(rr.InputError, match=r"'cbow'.*'bilstm'"):
        learn(files, tmp_path / "no", "bilstm", start=str(out))
    with pytest.raises(
        rr.InputError, match=r"entailment, neutral, contradiction.* entailment, non-entailment"
    ):
        learn(files, tmp_path / "no", start=str(out), edits=["merge"])
    void: dict[str, Any] = {"width": 50, "dropout": 0.3, "unit_vectors": True, "literal": True}
    for option, value in void.items():
        with pytest.raises(rr.InputError, match=f"{re.escape(str(out))} .*'{option}'"):
            learn(files, tmp_path / "no", start=str(out), **{option: value})


def test_jiant_takes_an_encoder_that_was_trained_before(files: tuple[Path, Path], tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    few = {"epochs": 0.1, "attention": False}
    learn(files, tmp_path / "first", "jiant", seed=1, **few)
    learn(files, tmp_path / "frozen", "jiant", seed=1, encoder=str(tmp_path / "first"), frozen=True, **few)
    first, frozen = (
        {
            name: value
            for name, value in load_file(tmp_path / out / "weights.safetensors").items()
            if ".encoder." in name
        }
        for out in ("first", "frozen")
    )
    assert first
    assert all(torch.equal(first[name], frozen[name]) for name in first)
    save_file(
        {name.removeprefix("net.encoder."): value for name, value in first.items()},
        tmp_path / "e.safetensors",
    )
    learn(
        files, tmp_path / "same", "jiant", seed=1, encoder=str(tmp_path / "e.safetensors"), frozen=True, **few
    )
    assert weights(tmp_path / "same") == weights(tmp_path / "frozen")
    with pytest.raises(rr.InputError, match=r"encoder.* size"):
        learn(files, tmp_path / "no", "jiant", encoder=str(tmp_path / "e.safetensors"), width=50, **few)
    with pytest.raises(rr.InputError, match=r"train\.parquet.*safetensors"):
        learn(files, tmp_path / "no", "jiant", encoder=str(files[0]), **few)


@pytest.mark.parametrize("given", [{"frozen": True}, {"encoder": "x"}, {"attention": False}])
def test_options_of_another_network_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(rr.UnknownNameError, match=f"of cbow .*'{next(iter(given))}'"):
        trainer("cbow", **given)


def test_frozen_vectors_stay_and_trained_ones_move(files: tuple[Path, Path], tmp_path: Path) -> None:
    from safetensors.torch import load_file

    tables = []
    for name, given in (("frozen", False), ("longer", False), ("trained", True)):
        learn(files, tmp_path / name, trained_vectors=given, epochs=2 if name == "longer" else 1)
        tables.append(load_file(tmp_path / name / "weights.safetensors")["words.own"])
    assert torch.equal(tables[0], tables[1])
    moved = (tables[2] != tables[0]).any(dim=1)
    assert not moved[0]  # padding
    assert moved[2:].all()


def test_vectors_may_be_brought_to_a_mean_length_of_one(files: tuple[Path, Path], tmp_path: Path) -> None:
    from safetensors.torch import load_file

    lengths = []
    for name, given in (("plain", False), ("unit", True)):
        card = learn(files, tmp_path / name, trained_vectors=False, unit_vectors=given)
        table = load_file(tmp_path / name / "weights.safetensors")["words.own"]
        lengths.append(table[2:].norm(dim=1))
        assert ("scaled_by" in card["vectors"]) == given
    assert lengths[1].mean().item() == pytest.approx(1)
    assert torch.allclose(lengths[0] / lengths[0].mean(), lengths[1], atol=1e-5)


def test_further_words_are_looked_up_beside_those_that_are_trained() -> None:
    table = torch.arange(10.0)[:, None]
    words = SplitWordTable(table, 4)
    rows = torch.tensor([[1, 3, 4, 9, 0]])
    found = words(rows)
    assert found[0, :, 0].tolist() == [1, 3, 4, 9, 0]
    found.sum().backward()
    assert words.weight.grad[:, 0].tolist() == [0, 1, 0, 1]
    assert words(torch.tensor([[2]])).item() == 2


def test_spinn_without_parses_is_refused(files: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(rr.InputError, match=r"no parse.*--parser right-branching"):
        learn(files, tmp_path / "model", "spinn")


def test_spinn_reads_the_parses_of_a_corpus(tmp_path: Path) -> None:
    made = rr.generate("hans", limit=120, split="train", parses="binary")
    dev = rr.generate("hans", limit=30, split="eval", parses="binary")
    learn((made, dev), tmp_path / "model", "spinn")  # type: ignore[arg-type]
    predictions = rr.predict(f"net:{tmp_path / 'model'}", dev)
    assert predictions.height == 30
    assert json.loads((tmp_path / "model" / "network.json").read_text())["parser"] == ""


def test_pairs_that_are_too_long_are_left_out_and_counted(files: tuple[Path, Path], tmp_path: Path) -> None:
    pairs = pl.read_parquet(files[0])
    long = pairs.with_columns(
        premise=pl.when(pl.int_range(pl.len()) < 7).then(pl.lit("cat " * 60)).otherwise("premise")
    )
    long.write_parquet(tmp_path / "long.parquet")
    card = learn((tmp_path / "long.parquet", files[1]), tmp_path / "model", "spinn", parser="balanced")
    assert card["left_out"] == 7
    assert json.loads((tmp_path / "model" / "network.json").read_text())["parser"] == "balanced"
    assert rr.predict(f"net:{tmp_path / 'model'}", pl.read_parquet(files[1])).height == 90


def test_an_encoder_that_learnt_other_vectors_is_refused(files: tuple[Path, Path], tmp_path: Path) -> None:
    few: dict[str, Any] = {"epochs": 0.1, "attention": False}
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("".join(f"{word} {' 0.5' * 100}\n".replace("  ", " ") for word in ("the", "a", ".")))
    learn(files, tmp_path / "drawn", "jiant", seed=1, **few)
    learn(files, tmp_path / "read", "jiant", seed=1, vectors=str(vectors), **few)
    learn(files, tmp_path / "moved", "jiant", seed=1, trained_vectors=True, **few)
    for encoder, more, message in [
        ("drawn", {"seed": 2}, "random with seed 1, 100 wide.*random with seed 2"),
        ("drawn", {"seed": 1, "vectors": str(vectors)}, "random with seed 1, 100 wide.*vectors.txt"),
        ("drawn", {"seed": 1, "unit_vectors": True}, "scaled to length 1"),
        ("moved", {"seed": 1}, "-o trained_vectors=false"),
    ]:
        with pytest.raises(rr.InputError, match=message):
            learn(files, tmp_path / "no", "jiant", encoder=str(tmp_path / encoder), **few, **more)
        assert not (tmp_path / "no").exists()
    (tmp_path / "drawn" / "training.json").write_text("{", encoding="utf-8")
    with pytest.raises(rr.InputError, match=r"training\.json .*Train"):
        learn(files, tmp_path / "no", "jiant", seed=1, encoder=str(tmp_path / "drawn"), **few)
    # What a file lacks is drawn, and that may be drawn otherwise.
    learn(
        files, tmp_path / "ok", "jiant", seed=2, vectors=str(vectors), encoder=str(tmp_path / "read"), **few
    )


@pytest.mark.parametrize("net", ["da", "esim", "nb"])
def test_a_network_without_known_mistakes_has_no_literal_form(net: str) -> None:
    with pytest.raises(rr.UnknownNameError, match=f"of {net} .*'literal'"):
        trainer(net, literal=True)


def test_an_unused_parser_is_refused(tmp_path: Path) -> None:
    with pytest.raises(rr.UnknownNameError, match=r"of cbow .*'parser'"):
        trainer("cbow", parser="balanced")
    pairs = rr.generate("hans", limit=60, split="train").pairs
    pairs.write_parquet(tmp_path / "train.parquet")
    rr.generate("hans", limit=60, seed=5).pairs.write_parquet(tmp_path / "dev.parquet")
    files = tmp_path / "train.parquet", tmp_path / "dev.parquet"
    with pytest.raises(rr.InputError, match=r"'balanced'.*parser"):
        learn(files, tmp_path / "model", "spinn", parser="balanced")
