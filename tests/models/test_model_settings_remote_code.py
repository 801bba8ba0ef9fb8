"""Code that comes with a model runs only where the user says so, whatever standard input holds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tiny_networks
from rightreasons.core.errors import InputError
from rightreasons.io.inputs import provide_empty_stdin
from rightreasons.models.huggingface import HuggingFace
from rightreasons.training.pretrained_encoders import load_classifier, load_tokenizer

PAIRS = tiny_networks.PAIRS.head(6)
# A classifier of its author's own kind, whose module leaves a trace when it is imported.
CODE = """
from pathlib import Path
import torch
from transformers import PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import SequenceClassifierOutput

Path({trace!r}).write_text("ran")

class OddConfig(PretrainedConfig):
    model_type = "odd"
    def __init__(self, vocab_size=10, width=8, **others):
        self.vocab_size, self.width = vocab_size, width
        super().__init__(**others)

class OddModel(PreTrainedModel):
    config_class = OddConfig
    def __init__(self, config):
        super().__init__(config)
        self.words = torch.nn.Embedding(config.vocab_size, config.width)
        self.head = torch.nn.Linear(config.width, config.num_labels)
        self.post_init()
    def forward(self, input_ids=None, attention_mask=None, token_type_ids=None, **others):
        mask = attention_mask[..., None].float()
        mean = (self.words(input_ids) * mask).sum(1) / mask.sum(1)
        return SequenceClassifierOutput(logits={sign}self.head(mean))
"""


@pytest.fixture(autouse=True)
def caches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("transformers.dynamic_module_utils.HF_MODULES_CACHE", str(tmp_path / "modules"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setenv("RIGHTREASONS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "path", [*sys.path])


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """Write a model folder with code, and weights that fit it."""
    import torch
    from safetensors.torch import save_file

    folder = tiny_networks.save("bert", tmp_path / "odd")
    write_code(folder)
    config = json.loads((folder / "config.json").read_text())
    words = config["vocab_size"]
    known = {"model_type": "odd", "vocab_size": words, "width": 8, "id2label": config["id2label"]}
    classes = {"AutoConfig": "code.OddConfig", "AutoModelForSequenceClassification": "code.OddModel"}
    known |= {"architectures": ["OddModel"], "auto_map": classes}
    (folder / "config.json").write_text(json.dumps(known))
    torch.manual_seed(3)
    weights = {"words.weight": torch.randn(words, 8), "head.weight": torch.randn(3, 8)}
    weights["head.bias"] = torch.zeros(3)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


def write_code(folder: Path, sign: str = "") -> None:
    (folder / "code.py").write_text(CODE.format(trace=str(folder.parent / "trace"), sign=sign))


def settle(folder: Path, name: str = "config.json", **changed: Any) -> None:
    settings = json.loads((folder / name).read_text()) | changed
    (folder / name).write_text(json.dumps(settings))


def refused(folder: Path) -> str:
    with pytest.raises(InputError) as caught:
        HuggingFace(str(folder)).predict(PAIRS)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_code_is_not_run_and_the_option_is_named(odd: Path) -> None:
    assert "-o trust_remote_code=true" in refused(odd)
    assert not (odd.parent / "trace").exists()


@pytest.mark.parametrize(
    "command",
    ["predict", *(pytest.param(name, marks=pytest.mark.slow) for name in ("labels", "evaluate"))],
)
def test_a_yes_on_standard_input_runs_nothing(odd: Path, command: str) -> None:
    pairs = odd.parent / "pairs.tsv"
    PAIRS.with_columns(label=pl.lit("entailment")).write_csv(pairs, separator="\t")
    model, out = f"hf:{odd}", ["--out", str(odd.parent / "out")]
    words = {
        "labels": [model],
        "predict": [model, str(pairs), "--out", str(odd.parent / "out.parquet")],
        "evaluate": [model, "--sets", str(pairs), *out],
    }
    env = {**os.environ, "HF_HOME": str(odd.parent / "home"), "HF_HUB_OFFLINE": "1", "COLUMNS": "400"}
    done = subprocess.run(
        [sys.executable, "-m", "rightreasons", command, *words[command]],
        input="y\n" * 1000,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "trust_remote_code=true" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert not (odd.parent / "trace").exists()


def test_code_of_a_known_architecture_is_refused_too(tmp_path: Path) -> None:
    folder = tiny_networks.save("bert", tmp_path / "bert")
    write_code(folder)
    for classes in (
        {"AutoModelForSequenceClassification": "code.OddModel"},
        {"AutoConfig": "code.OddConfig"},
    ):
        settle(folder, auto_map=classes)
        assert "trust_remote_code" in refused(folder)
    settle(folder, auto_map={"AutoModelForMaskedLM": "code.OddModel"})
    assert HuggingFace(str(folder)).predict(PAIRS).height == 6, "classes that are not loaded don't matter"
    settle(folder, "tokenizer_config.json", auto_map={"AutoTokenizer": [None, "code.OddTokenizer"]})
    assert "trust_remote_code" in refused(folder)
    settle(folder, "tokenizer_config.json", auto_map=["code.OddTokenizer", None])
    assert "trust_remote_code" in refused(folder)
    settle(folder, "tokenizer_config.json", auto_map=None)
    settle(folder, attn_implementation="somebody/kernel")
    assert "somebody/kernel" in refused(folder)
    assert not (tmp_path / "trace").exists()


def test_trusted_code_runs_and_is_in_the_fingerprint(odd: Path) -> None:
    model = HuggingFace(str(odd), trust_remote_code=True)
    answers = model.predict(PAIRS)
    assert (odd.parent / "trace").read_text() == "ran"
    assert answers["label"].is_in(["contradiction", "entailment", "neutral"]).all()
    first = model.fingerprint()
    assert first["trust_remote_code"] is True
    assert {"code.py", "model.safetensors", "config.json"} <= first["files"].keys()
    graph = HuggingFace(str(odd), trust_remote_code=True, backend="onnx").predict(PAIRS)
    assert graph["label"].to_list() == answers["label"].to_list()
    write_code(odd, sign="-")
    changed = HuggingFace(str(odd), trust_remote_code=True)
    assert changed.fingerprint()["files"] != first["files"]
    assert changed.predict(PAIRS)["p_neutral"].to_list() != answers["p_neutral"].to_list()


def test_trusted_code_with_a_broken_label_map_and_the_option_labels(odd: Path) -> None:
    order = ("contradiction", "entailment", "neutral")
    expected = HuggingFace(str(odd), trust_remote_code=True).predict(PAIRS)
    settle(odd, id2label={"0": "a", "1": "b", "5": "c"})
    model = HuggingFace(str(odd), trust_remote_code=True, labels=order)
    assert model.predict(PAIRS).equals(expected)


def test_code_elsewhere_is_refused_even_if_trusted(odd: Path) -> None:
    settle(odd, auto_map={"AutoConfig": "somebody/else--code.OddConfig"})
    with pytest.raises(InputError, match="another repository"):
        HuggingFace(str(odd), trust_remote_code=True).predict(PAIRS)


def test_code_that_fails_or_exits_is_one_sentence(odd: Path) -> None:
    for line in ("raise SystemExit(0)", "1 / 0", "import no_such_package_at_all"):
        (odd / "code.py").write_text(f"{line}\n")
        with pytest.raises(InputError) as caught:
            HuggingFace(str(odd), trust_remote_code=True).predict(PAIRS)
        assert "\n" not in str(caught.value)


def test_a_pickle_among_the_weights_is_not_run(tmp_path: Path) -> None:
    import pickle

    class Bomb:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (tmp_path / "trace",))

    folder = tiny_networks.save("bert", tmp_path / "bert")
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps({"classifier.weight": Bomb()}))
    assert "can't be loaded" in refused(folder)
    assert not (tmp_path / "trace").exists()


def test_an_adapter_is_refused(tmp_path: Path) -> None:
    folder = tiny_networks.save("bert", tmp_path / "bert")
    (folder / "adapter_config.json").write_text('{"base_model_name_or_path": "somebody/base"}')
    assert "adapter" in refused(folder)


def test_an_encoder_to_train_from_never_runs_code(odd: Path) -> None:
    for load in (load_tokenizer, lambda name: load_classifier(name, ("entailment", "neutral"), seed=0)):
        with pytest.raises(InputError, match="not run") as caught:
            load(str(odd))
        assert "trust_remote_code" not in str(caught.value), "there is no such option"
    assert not (odd.parent / "trace").exists()


def test_standard_input_is_empty_while_a_library_loads() -> None:
    before = sys.stdin
    with provide_empty_stdin():
        with pytest.raises(EOFError):
            input()
        with provide_empty_stdin():
            assert sys.stdin.read() == ""
        assert sys.stdin.read() == ""
    assert sys.stdin is before


def test_every_loader_says_that_nothing_is_run() -> None:
    """Hold the sources to it: no call that loads leaves the choice to a library's default."""
    import ast

    import rightreasons

    wanted = {"from_pretrained": "trust_remote_code", "load": "weights_only or allow_pickle"}
    for path in Path(rightreasons.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            owner = ast.unparse(node.func.value)
            is_auto = node.func.attr == "from_pretrained" and owner.startswith("Auto")
            is_load = node.func.attr == "load" and owner in ("torch", "np", "numpy")
            if is_auto or is_load:
                names = {keyword.arg for keyword in node.keywords}
                assert names & {*wanted[node.func.attr].split(" or ")}, f"{path}:{node.lineno}"
            assert owner not in ("pickle", "joblib", "dill") or "load" not in node.func.attr, path
