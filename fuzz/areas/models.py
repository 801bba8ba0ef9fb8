"""Model folders (hf:, onnx:, net:) with damaged settings, tokenizers, weights and labels, and one that brings code."""

from __future__ import annotations

import itertools
import json
import random
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fuzz.cases import Area, Case, Outcome, WrongResultError
from fuzz.execution import working_in
from fuzz.helpers import import_from_tests, run_command
from fuzz.mutations import ODD_VALUES, dump, mutate_bytes, mutate_document, mutate_json
from fuzz.oracle import THREE
from fuzz.tables import write_rows

if TYPE_CHECKING:
    from collections.abc import Callable

KINDS = ("hf", "hf", "onnx", "onnx", "net")
TRACE = "trace-of-foreign-code"
FOREIGN = f"""\
from pathlib import Path
Path({TRACE!r}).write_text("ran")
from transformers import BertConfig, BertForSequenceClassification
class EvilConfig(BertConfig):
    model_type = "evil"
class EvilModel(BertForSequenceClassification):
    config_class = EvilConfig
"""
ROWS = [
    {"id": str(number), "premise": premise, "hypothesis": hypothesis}
    for number, (premise, hypothesis) in enumerate(
        (
            ("The doctor near the actor danced.", "The actor danced."),
            ("The lawyers who the judges saw slept well.", "The judges slept."),
            ("If the managers arrived, the artist left.", "The artist left."),
            ("Nobody knows whether the bankers left.", "The bankers left the house by the lake."),
        )
    )
]


def load() -> None:
    """Import what takes long."""
    import torch
    import transformers.models.auto

    del transformers
    torch.set_num_threads(1)


def build(folder: Path) -> None:
    """Make one folder of each kind, and keep what the networks say of a few pairs, output by output."""
    load()
    networks, plain = import_from_tests("tiny_networks"), import_from_tests("plain_nets")
    networks.save("bert", folder / "hf", positions=100)
    plain.saved(folder / "net", "cbow")
    with working_in(folder, {"RIGHTREASONS_CACHE": str(folder / "cache")}):
        from rightreasons.models.huggingface import HuggingFace

        graph = HuggingFace("hf", backend="onnx")._get_exported_graph()  # noqa: SLF001 - as the tests of transformer_export do
        Path("onnx").mkdir()
        shutil.copy(graph, "onnx/model.onnx")
        for name in ("tokenizer.json", "config.json"):
            shutil.copy(f"hf/{name}", "onnx")
        Path("pairs.csv").write_bytes(write_rows(ROWS, "csv"))
        for kind in ("hf", "onnx", "net"):
            run_command("predict", f"{kind}:{kind}", "pairs.csv", "--out", f"{kind}.jsonl")


def make(chance: random.Random, shared: Path) -> Case:
    """Damage a model folder, and have it answer a few pairs or name its labels."""
    kind = chance.choice(KINDS)
    move = chance.random()
    if kind == "hf" and move < 0.12:
        return _with_code(chance, shared)
    if kind != "net" and move < 0.3:
        return _permuted(chance, shared, kind)
    name = chance.choice(_files(shared / kind))
    seed = chance.random()
    removed = chance.random() < 0.06

    def prepare() -> None:
        path = Path("model", name)
        if removed:
            path.unlink()
        else:
            path.write_bytes(_damaged(random.Random(seed), path))

    return _case(chance, shared, kind, f"{kind}: {name} {'removed' if removed else 'changed'}", prepare)


def _files(folder: Path) -> list[str]:
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return [*names, *(name for name in names if name in ("config.json", "card.json", "network.json"))] + [
        name for name in names if name == "config.json"
    ]


def _damaged(chance: random.Random, path: Path) -> bytes:
    content = path.read_bytes()
    if path.name == "config.json" and chance.random() < 0.6:
        return _odd_config(chance, json.loads(content))
    if path.suffix == ".json":
        return mutate_json(chance, content)
    return mutate_bytes(chance, content)


def _odd_config(chance: random.Random, config: dict[str, Any]) -> bytes:
    """Change a setting that decides something."""
    name = chance.choice(
        (
            "id2label",
            "label2id",
            "pad_token_id",
            "num_attention_heads",
            "hidden_size",
            "max_position_embeddings",
            "model_type",
            "architectures",
            "vocab_size",
            "num_hidden_layers",
            "problem_type",
            "hidden_act",
            "num_labels",
            "auto_map",
            "type_vocab_size",
            "layer_norm_eps",
        )
    )
    labels: tuple[Any, ...] = (
        ["a", "b", "c"],
        {"0": "entailment", "1": "neutral"},
        {"-1": "entailment", "0": "neutral", "1": "contradiction"},
        {"0": "entailment", "1": "neutral", "5": "contradiction"},
        {"0": "entailment", "1": "entailment", "2": "neutral"},
        {"a": "entailment", "b": "neutral", "c": "contradiction"},
        {"NaN": "entailment"},
        {"0": None, "1": None, "2": None},
        {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"},
        {"0.0": "entailment", "1.0": "neutral", "2.0": "contradiction"},
        {str(number): f"x{number}" for number in range(1000)},
        "entailment",
    )
    config[name] = chance.choice(
        labels if name in ("id2label", "label2id") else (*ODD_VALUES, "x", 3, 7, 10**9)
    )
    return dump(config if chance.random() < 0.8 else mutate_document(chance, config))


def _with_code(chance: random.Random, shared: Path) -> Case:
    """Name code in the settings; it may not run, whatever standard input says."""
    key = chance.choice(("AutoConfig", "AutoModelForSequenceClassification", "AutoTokenizer"))

    def prepare() -> None:
        path = Path("model", "config.json")
        config = json.loads(path.read_bytes())
        classes = {"AutoConfig": "evil.EvilConfig", "AutoModelForSequenceClassification": "evil.EvilModel"}
        config |= {"auto_map": {**classes, key: classes.get(key, "evil.EvilTokenizer")}}
        if chance.random() < 0.7:
            config["model_type"] = "evil"
        path.write_bytes(dump(config))
        Path("model", "evil.py").write_text(FOREIGN, encoding="utf-8")
        tokens = Path("model", "tokenizer_config.json")
        if tokens.exists():
            tokens.write_bytes(
                dump(
                    {
                        **json.loads(tokens.read_bytes()),
                        "auto_map": {"AutoTokenizer": ["evil.EvilTokenizer", None]},
                    }
                )
            )

    return _case(chance, shared, "hf", f"hf: code named by {key}", prepare)


def _permuted(chance: random.Random, shared: Path, kind: str) -> Case:
    """Give the outputs their names in another order: the labels must follow the names."""
    names = chance.choice(list(itertools.permutations(THREE)))
    contradicted = chance.random() < 0.3

    def prepare() -> None:
        path = Path("model", "config.json")
        config = json.loads(path.read_bytes())
        config["id2label"] = {str(number): name for number, name in enumerate(names)}
        order = names[1:] + names[:1] if contradicted else names
        config["label2id"] = {name: number for number, name in enumerate(order)}
        path.write_bytes(dump(config))

    words = ("predict", f"{kind}:model", "pairs.csv", "--out", "out.jsonl")
    return Case(
        f"{kind}: outputs named {', '.join(names)}{', label2id says another order' if contradicted else ''}",
        words,
        copies={"model": shared / kind, "pairs.csv": shared / "pairs.csv"},
        prepare=prepare,
        must_accept=not contradicted,
        must_refuse="id2label and label2id contradict each other" if contradicted else "",
        check=lambda outcome: _check_permuted(outcome, shared, kind, names),
    )


def _check_permuted(outcome: Outcome, shared: Path, kind: str, names: tuple[str, ...]) -> bool:
    del outcome
    original = import_from_tests("tiny_networks").NAMES
    renamed = {original[number]: name for number, name in enumerate(names)}
    wanted = [renamed[row["label"]] for row in _rows(shared / f"{kind}.jsonl")]
    found = [row["label"] for row in _rows(Path("out.jsonl"))]
    if found != wanted:
        raise WrongResultError(f"the labels are {found}, by the names of the outputs they are {wanted}")
    return True


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _case(chance: random.Random, shared: Path, kind: str, about: str, prepare: Callable[[], None]) -> Case:
    words = (
        ("labels", f"{kind}:model")
        if chance.random() < 0.3
        else ("predict", f"{kind}:model", "pairs.csv", "--out", "out.jsonl")
    )
    return Case(
        f"{about} ({words[0]})",
        words,
        copies={"model": shared / kind, "pairs.csv": shared / "pairs.csv"},
        prepare=prepare,
        check=_check_no_trace,
    )


def _check_no_trace(outcome: Outcome) -> bool:
    """Make sure that no code of the folder has run, and that what is written is whole."""
    del outcome
    if Path(TRACE).exists():
        raise WrongResultError("code of the model folder was run")
    if Path("out.jsonl").exists():
        rows = _rows(Path("out.jsonl"))
        if [row["id"] for row in rows] != [row["id"] for row in ROWS]:
            raise WrongResultError("the predictions are not those of the pairs")
    return False


AREA = Area("models", 160, make, build, load)
