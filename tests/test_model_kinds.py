"""Every kind of model goes through the real command, offline, with a real model behind it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

import rightreasons as rr
from command_line import COMMAND, inside
from rightreasons.core.labels import LABELS, THREE_LABELS
from scripted_server import chat_script, serving
from slow_cases import slow_after

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT = 60
FUNCTION = """\
def overlap(premises, hypotheses):
    pairs = zip(premises, hypotheses, strict=True)
    return ["entailment" if set(h.split()) <= set(p.split()) else "neutral" for p, h in pairs]
"""


@pytest.fixture(autouse=True)
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "RIGHTREASONS_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve a model with the real command, on a free port, in a process of its own."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "good_functions.py").write_text(FUNCTION, encoding="utf-8")
    words = [*COMMAND, "serve", "python:good_functions:overlap", "--port", "0"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, cwd=folder) as server:
        assert server.stderr is not None
        found = re.search(r"http://127\.0\.0\.1:\d+", server.stderr.readline())
        assert found
        yield found[0]
        server.terminate()


def evaluated(model: str, *words: object, sets: str = "hans") -> dict[str, pl.DataFrame]:
    """Evaluate a model by the command, and return its answers by set; the run must be whole."""
    code, out, said = inside("evaluate", model, "--sets", sets, "--limit", LIMIT, "--out", "run", *words)
    assert code == 0, said
    assert "run to run" in out
    card = json.loads(Path("run/card.json").read_text())
    asked = next(entry for entry in card["models"] if not entry["baseline"])
    assert asked["given"] == model
    assert asked["name"] in Path("run/report.md").read_text()
    found = {
        entry["name"]: pl.read_parquet(f"run/predictions/{entry['slug']}/{asked['slug']}.parquet")
        for entry in card["sets"]
    }
    for name, answers in found.items():
        pairs = pl.read_parquet(f"run/sets/{name.replace('/', '-')}.parquet")
        assert answers["id"].to_list() == pairs["id"].to_list()
        assert set(answers["label"]) <= set(LABELS)
    return found


# The orders of labels that are met most, and a head with two.
HEADS = {
    "bert": ("contradiction", "entailment", "neutral"),
    "roberta": ("CONTRADICTION", "NEUTRAL", "ENTAILMENT"),
    "albert": ("entailment", "neutral", "contradiction"),
    "deberta": ("entailment", "not_entailment"),
}


@pytest.fixture(scope="module")
def networks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Save a network of each architecture."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from models.tiny_networks import save

    folder = tmp_path_factory.mktemp("networks")
    return {name: save(name, folder / name, id2label=dict(enumerate(head))) for name, head in HEADS.items()}


def check_against_transformers(answers: pl.DataFrame, folder: Path) -> None:
    """Ask a network as its own library does, one pair at a time, and compare labels and probabilities."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    network = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    names = [
        network.config.id2label[place].lower().replace("not_", "non-") for place in range(network.num_labels)
    ]
    pairs = pl.read_parquet("run/sets/hans.parquet").select("premise", "hypothesis")
    with torch.inference_mode():
        odds = [
            network(**tokenizer(*pair, return_tensors="pt")).logits[0].softmax(0).tolist()
            for pair in pairs.rows()
        ]
    assert answers["label"].to_list() == [names[row.index(max(row))] for row in odds]
    columns = [f"p_{name.replace('-', '_')}" for name in names]
    given = [name for name in answers.columns if name.startswith("p_") and answers[name].null_count() == 0]
    assert sorted(given) == sorted(columns)
    assert [value for row in answers.select(columns).rows() for value in row] == pytest.approx(
        [value for row in odds for value in row], abs=1e-4
    )
    assert (
        len({tuple(row) for row in odds}) > LIMIT / 2
    )  # a network that reads nothing would say the same to all


@pytest.mark.parametrize("architecture", slow_after(1, HEADS))
def test_transformers_models(architecture: str, networks: dict[str, Path]) -> None:
    folder = networks[architecture]
    answers = evaluated(f"hf:{folder}", "--device", "cpu", "--batch-size", 16)
    check_against_transformers(answers["hans"], folder)


@pytest.mark.parametrize("architecture", slow_after(1, ["bert", "roberta"]))
def test_an_onnx_folder(architecture: str, networks: dict[str, Path]) -> None:
    exported = export(networks[architecture], Path("exported"))
    check_against_transformers(evaluated(f"onnx:{exported}")["hans"], networks[architecture])


def export(source: Path, target: Path) -> Path:
    """Export a network into a folder with all that an ONNX model needs."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    from rightreasons.models import transformer_export

    target.mkdir()
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        shutil.copy(source / name, target / name)
    tokenizer = AutoTokenizer.from_pretrained(source)
    network = AutoModelForSequenceClassification.from_pretrained(source)
    inputs = tokenizer.model_input_names
    out = target / "model.onnx"
    transformer_export.export_classifier(
        network, tokenizer.backend_tokenizer, inputs, out, pad_id=tokenizer.pad_token_id, model=str(source)
    )
    return target


def test_transformers_models_by_onnx_runtime(
    networks: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RIGHTREASONS_CACHE", str(tmp_path / "cache"))
    answers = evaluated(f"hf:{networks['albert']}", "-o", "backend=onnx")["hans"]
    check_against_transformers(answers, networks["albert"])
    assert list((tmp_path / "cache").rglob("model.onnx"))


@pytest.mark.parametrize(
    "model", ["constant", "random", "rules:lexical-overlap", "rules:subsequence", "rules:constituent"]
)
def test_baselines(model: str) -> None:
    assert evaluated(model)["hans"].height == LIMIT


def test_the_embedded_model() -> None:
    answers = evaluated("default", sets="hans,stress/negation")
    assert set(answers["stress/negation"]["label"]) == set(THREE_LABELS)


def test_answers_in_a_file() -> None:
    made = rr.generate("hans", limit=LIMIT)
    rr.predict("random", made, seed=3).write_csv("mine.csv")
    assert evaluated("file:mine.csv")["hans"].select("id", "label").equals(pl.read_csv("mine.csv"))


def said_by_overlap() -> list[str]:
    """Say what the function must have said to the pairs of the run."""
    pairs = pl.read_parquet("run/sets/hans.parquet").select("premise", "hypothesis")
    covered = [set(hypothesis.split()) <= set(premise.split()) for premise, hypothesis in pairs.iter_rows()]
    assert len(set(covered)) == 2
    return ["entailment" if one else "neutral" for one in covered]


def test_a_python_function() -> None:
    Path("good_functions.py").write_text(FUNCTION, encoding="utf-8")
    answers = evaluated("python:good_functions:overlap", "--batch-size", 7, sets="hans,stress/antonymy")
    assert answers["hans"]["label"].to_list() == said_by_overlap()


def test_a_served_model(address: str) -> None:
    answers = evaluated(address, "--batch-size", 8, "--max-requests", 1000)["hans"]
    assert answers["label"].to_list() == said_by_overlap()


def test_a_language_model_with_several_prompts() -> None:
    with serving(chat_script(("True", "Neither", "False"))) as server:
        model = f"openai:tiny@{server.url}/v1"
        words = ("--prompts", "true-neither-false,true-false", "--max-requests", 1000)
        code, out, said = inside("evaluate", model, "--limit", LIMIT, "--out", "run", *words)
    assert code == 0, said
    card = json.loads(Path("run/card.json").read_text())
    asked = [entry for entry in card["models"] if not entry["baseline"]]
    assert [entry["name"] for entry in asked] == [
        "openai:tiny [true-neither-false]",
        "openai:tiny [true-false]",
    ]
    assert {entry["of"] for entry in asked} == {"openai:tiny"}
    assert "openai:tiny [true-false]" in out
    three = pl.read_parquet(f"run/predictions/hans/{asked[0]['slug']}.parquet")
    assert set(three["label"]) <= set(THREE_LABELS)
    assert set(three["text"]) <= {"True", "Neither", "False"}
