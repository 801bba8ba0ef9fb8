"""Whatever can be known to be wrong with a run is said before the first model is asked."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import rightreasons
from command_line import inside, refused
from rightreasons.core import registry
from rightreasons.core.errors import InputError, RightReasonsError
from rightreasons.models import logit_backends
from rightreasons.models.onnx import EMBEDDED_FOLDER

if TYPE_CHECKING:
    import polars as pl

COUNTER = """
from pathlib import Path
def first(premises, hypotheses):
    with Path("asked").open("a") as file:
        file.write("asked\\n")
    return ["entailment"] * len(premises)
"""
PROMPT = 'ways = "three"\nuser = "{premise} {hypothesis}"\n[answers]\nentailment = "a"\nneutral = "b"\n'


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(registry.SETS, "tiny", "tiny_set:Tiny")
    monkeypatch.setitem(registry.MODELS, "toy", "toy_model:Toy")
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "RIGHTREASONS_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    Path("counter.py").write_text(COUNTER, encoding="utf-8")
    Path("broken.py").write_text("def f(:", encoding="utf-8")
    Path("bad.toml").write_text(PROMPT, encoding="utf-8")
    answers = rightreasons.predict("constant", rightreasons.generate("tiny"))
    answers.head(7).write_csv("few.csv")
    answers.write_csv("good.csv")
    Path("garbled.csv").write_bytes(b"id,label\n\xff\xfe,\x00\n")
    Path("empty").mkdir()
    Path("net").mkdir()
    Path("net/network.json").write_text("{", encoding="utf-8")
    Path("graph").mkdir()
    Path("graph/model.onnx").write_bytes(b"")
    Path("graph/config.json").write_text(json.dumps({"id2label": {"0": "entailment", "1": "neutral"}}))


@pytest.mark.parametrize(
    "words",
    [
        ("constnt",),
        ("file:nowhere.csv",),
        ("file:few.csv",),
        ("file:garbled.csv",),
        ("file:empty",),
        ("hf:./nowhere",),
        ("hf:empty",),
        ("onnx:nowhere",),
        ("onnx:empty",),
        ("onnx:graph",),
        ("net:nowhere",),
        ("net:empty",),
        ("net:net",),
        ("python:nowhere:f",),
        ("python:broken:f",),
        ("python:counter:nothing",),
        ("rules:constituent",),  # needs parses, which this set has not
        ("openai:gpt",),
        ("openai:gpt@http://127.0.0.1:9", "-o", "openai.key_env=NOT_SET"),
        ("http://127.0.0.1:9", "-o", "key_env=NOT_SET"),
        ("openai:m@http://127.0.0.1:9", "--prompts", "nowhere.toml"),
        ("openai:m@http://127.0.0.1:9", "--prompts", "bad.toml"),
        ("openai:m@http://127.0.0.1:9", "-o", "openai.prompt=nowhere.toml"),
        ("random", "-o", "random.seed=abc"),
        ("toy", "-o", "toy.word=perhaps"),
        ("constant", "-o", "nothing=1"),
        ("constant", "-o", "tiny.limit=5"),
        ("constant", "-o", "tiny.seed=abc"),
        ("constant", "--fail-under", "tinny=0.5"),
        ("constant", "--fail-under", "tiny.lexical_overlp=0.5"),
        ("constant", "--fail-under", "default@tiny=0.5"),
        ("constant", "--fail-under", "tiny=half"),
        ("constant", "--by", "colour"),
        ("constant", "--trained-on", "nowhere.csv"),
    ],
    ids=" ".join,
)
def test_nothing_is_asked_before_all_is_checked(words: tuple[str, ...]) -> None:
    if words[0] == "rules:constituent":
        rightreasons.write_pairs(rightreasons.generate("tiny"), "plain.csv")
    sets = "plain.csv" if words[0] == "rules:constituent" else "tiny"
    refused(inside, "evaluate", "python:counter:first", *words, "--sets", sets, "--out", "run")
    assert not Path("asked").exists()


@pytest.mark.parametrize("out", ["good.csv", "no/where", "empty/..", "run/x"])
def test_the_output_is_checked_first(out: str) -> None:
    refused(inside, "evaluate", "python:broken:f", "--sets", "tiny", "--out", out, "--force")
    assert "broken" not in refused(inside, "evaluate", "python:broken:f", "--sets", "tiny", "--out", out)


def test_a_bad_second_set_is_found_before_the_first_is_asked() -> None:
    Path("second.csv").write_text("premise,hypothesis,label\na,b,perhaps\n", encoding="utf-8")
    for second in ("second.csv", "tinny", "nowhere.toml"):
        refused(inside, "evaluate", "python:counter:first", "--sets", f"tiny,{second}", "--out", "run")
    assert not Path("asked").exists()


def test_predict_checks_the_model_before_it_makes_the_set(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    monkeypatch.setattr("rightreasons.commands.predict._load_pairs", lambda *_: made.append(1))
    refused(inside, "predict", "hf:empty", "tiny", "--out", "a.csv")
    assert made == []


def test_a_model_of_a_plugin_may_check_itself() -> None:
    class Careful:
        name = "careful"

        def precheck(self) -> None:
            raise InputError("Not today. Try again tomorrow.")

        def predict(self, pairs: pl.DataFrame) -> pl.DataFrame:
            raise AssertionError(pairs)

    for ask in (
        lambda: rightreasons.evaluate(Careful(), sets="tiny", out="run"),
        lambda: rightreasons.predict(Careful(), rightreasons.generate("tiny")),
    ):
        with pytest.raises(RightReasonsError, match="Not today"):
            ask()
    assert not Path("run").exists()


def test_each_model_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    build = registry.make_model
    monkeypatch.setattr(registry, "make_model", lambda name, given: made.append(name) or build(name, given))
    rightreasons.evaluate(["toy", "constant"], sets="tiny", out="run", baselines=False, html=False)
    assert made == ["toy", "constant"]


@pytest.mark.parametrize(
    ("names", "options"),
    [
        (("entailment", "neutral"), ()),
        (("entailment", "neutral"), ("-o", "onnx.labels=entailment,non-entailment")),
        (("entailment", "entailment", "neutral"), ()),
        (None, ()),  # with a file that is no graph
    ],
)
def test_a_graph_that_does_not_fit_its_labels_is_found_first(
    names: tuple[str, ...] | None, options: tuple[str, ...]
) -> None:
    shutil.copytree(EMBEDDED_FOLDER, "second")
    if names is None:
        Path("second/model.onnx").write_bytes(b"junk")
    else:
        config = json.loads(Path("second/config.json").read_text(encoding="utf-8"))
        config |= {"id2label": dict(enumerate(names)), "label2id": None, "num_labels": None}
        Path("second/config.json").write_text(json.dumps(config), encoding="utf-8")
    words = ("python:counter:first", "onnx:second", *options)
    refused(inside, "evaluate", *words, "--sets", "tiny", "--out", "run")
    assert not Path("asked").exists()


def test_a_graph_is_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = []
    load_onnx_session = logit_backends.load_onnx_session
    monkeypatch.setattr(
        logit_backends, "load_onnx_session", lambda path: loaded.append(path) or load_onnx_session(path)
    )
    rightreasons.evaluate("default", sets="tiny", out="run", baselines=False, html=False)
    assert len(loaded) == 1


@pytest.mark.parametrize("fault", ["truncated", "no labels"])
def test_weights_that_do_not_work_are_found_first(fault: str) -> None:
    from models.tiny_networks import save

    save("bert", Path("second"))
    if fault == "truncated":
        weights = Path("second/model.safetensors")
        weights.write_bytes(weights.read_bytes()[:-100])
    else:
        config = json.loads(Path("second/config.json").read_text(encoding="utf-8"))
        config |= {"id2label": {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}, "label2id": None}
        Path("second/config.json").write_text(json.dumps(config), encoding="utf-8")
    refused(inside, "evaluate", "python:counter:first", "hf:second", "--sets", "tiny", "--out", "run")
    assert not Path("asked").exists()
