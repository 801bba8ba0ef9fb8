"""What is stopped: every command, and every kind of model, each with inputs that keep it busy for some seconds.

Inputs are made once, in a folder that the scenarios share; servers run on loopback as long as it is used.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "models")]

from scripted_server import Asked, Says, chat_script, pick, serving  # noqa: E402 - it is found from here on

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMAND = (sys.executable, "-m", "rightreasons")
LABELS = ("entailment", "neutral", "contradiction")
SLOW_MODEL = """
import time

def predict(premises, hypotheses):
    time.sleep(0.05)
    return [("entailment", "neutral", "contradiction")[sum(map(ord, p + h)) % 3] for p, h in zip(premises, hypotheses)]
"""
FETCH = """
import sys
from rightreasons.io import archives
from rightreasons.__main__ import main

archives.ARCHIVES["toy"] = archives.Archive(
    "a toy", "none", (archives.Download({url!r}, {digest!r}, {size}),), {{"dev": ("toy.txt", None)}}
)
main()
"""
TOY = b"".join(b"line %d\n" % number for number in range(60_000))


@dataclass(frozen=True)
class Scenario:
    """A command, and the files of its output that must be the same however often it was stopped.

    `{out}` in its words is the output. A command that keeps `predictions` is stopped while it predicts, too.
    """

    name: str
    words: tuple[str, ...]
    out: str
    needs: tuple[str, ...] = ()
    compared: tuple[str, ...] = ("*",)
    predictions: bool = False
    serves: bool = False
    start: tuple[str, ...] = COMMAND
    own_cache: bool = False

    @property
    def inside(self) -> bool:
        """Tell whether the outputs are in the folder `out`, rather than it."""
        return any("{out}/" in word for word in self.words)

    def command(self) -> list[str]:
        return [*self.start, *(word.format(out=self.out) for word in self.words)]


@contextmanager
def scenarios(shared: Path) -> Iterator[dict[str, Scenario]]:
    """Start the servers, and list what can be stopped; inputs are below a folder, where `prepare` makes them."""
    with ExitStack() as stack:
        slow = stack.enter_context(serving(_nli)).url
        busy = stack.enter_context(serving(chat_script(LABELS, _is_busy))).url
        dripping = stack.enter_context(serving(_file)).url
        found = [*_predicting(shared, slow, busy), *_others(shared, dripping)]
        yield {scenario.name: scenario for scenario in found}


def _predicting(shared: Path, slow: str, busy: str) -> list[Scenario]:
    few, many = str(shared / "few.csv"), str(shared / "many.csv")
    models: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
        "default": (("default", few), ("few.csv",)),
        "onnx": ((f"onnx:{shared / 'graph'}", many), ("many.csv", "few.csv", "torch", "graph")),
        "torch": ((f"hf:{shared / 'torch'}", many), ("few.csv", "many.csv", "torch")),
        "exported": ((f"hf:{shared / 'torch'}", many, "-o", "backend=onnx"), ("many.csv", "torch")),
        "network": ((f"net:{shared / 'net'}", many, "--batch-size", "8"), (*TRAINING, "many.csv", "net")),
        "python": (("python:slow_model:predict", few, "--batch-size", "4"), ("few.csv", "slow_model.py")),
        "http": ((f"{slow}/nli", few), ("few.csv",)),
        "openai": ((f"openai:m@{busy}/v1", few, "-o", "backoff=2"), ("few.csv",)),
        "file": ((f"file:{shared / 'predictions.csv'}", many), ("many.csv", "predictions.csv")),
    }
    found = [
        Scenario(
            f"predict {name}",
            ("predict", *words, "--out", "{out}"),
            "predictions.csv",
            needs=needs,
            predictions=name != "file",
            own_cache=name == "exported",
        )
        for name, (words, needs) in models.items()
    ]
    sets = ("--sets", few, "--no-html", "--out", "{out}")
    found += [
        Scenario(
            f"evaluate {name}",
            ("evaluate", models[name][0][0], *sets, "--batch-size", "4"),
            "run",
            needs=models[name][1],
            compared=("*.parquet", "scores.csv"),
            predictions=True,
        )
        for name in ("default", "torch", "python")
    ]
    return found


def _others(shared: Path, dripping: str) -> list[Scenario]:
    few, runs = str(shared / "few.csv"), (str(shared / "run1"), str(shared / "run2"))
    training = ("--train", str(shared / "train.csv"), "--dev", few, "-o", "preset=small", "--allow-overlap")
    corpora = ("--corpus", "mnli-train=pocket", "--corpus", "mnli-dev-matched=pocket", "--allow-overlap")
    forms = ("--markdown", "{out}/r.md", "--csv", "{out}/csv", "--latex", "{out}/latex", "--force")
    script = shared / "fetch.py"
    text = FETCH.format(url=f"{dripping}/toy.txt", digest=hashlib.sha256(TOY).hexdigest(), size=len(TOY))
    script.write_text(text, encoding="utf-8")
    return [
        Scenario("generate", ("generate", "hans", "--size", "1000", "--out", "{out}/set.parquet"), "set"),
        Scenario("generate to csv", ("generate", "hans", "--size", "1000", "--out", "{out}/set.csv"), "set"),
        Scenario(
            "train",
            ("train", "cbow", *training, "-o", "epochs=6", "--out", "{out}"),
            "net",
            needs=TRAINING,
            compared=("*.safetensors",),
        ),
        Scenario(
            "experiment",
            (
                "experiment",
                "hans-dose",
                "--scale",
                "tiny",
                "--models",
                "cbow",
                *corpora,
                "--out",
                "{out}/run",
            ),
            "experiment",
            compared=("table.csv",),
        ),
        Scenario(
            "report",
            ("report", *runs, "--out", "{out}/r.html", *forms),
            "report",
            needs=("few.csv", "run1", "run2"),
        ),
        Scenario(
            "export", ("export", "hans", "--to", "hf", "--size", "300", "--out", "{out}/hf"), "exported"
        ),
        Scenario("fetch", ("fetch", "toy"), "cache", start=(sys.executable, str(script)), own_cache=True),
        Scenario("serve", ("serve", "default", "--port", "0"), "", serves=True),
    ]


TRAINING = ("few.csv", "train.csv")
_NET = ("--train", "train.csv", "--dev", "few.csv", "-o", "preset=small", "-o", "epochs=1", "--allow-overlap")
_COMMANDS = {
    "few.csv": ("generate", "hans", "--limit", "120", "--out", "few.csv"),
    "many.csv": ("generate", "hans", "--limit", "1000", "--out", "many.csv"),
    "train.csv": ("generate", "hans", "--limit", "800", "--split", "train", "--out", "train.csv"),
    "predictions.csv": ("predict", "random", "many.csv", "--out", "predictions.csv"),
    "run1": ("evaluate", "random", "--sets", "few.csv", "--out", "run1"),
    "run2": ("evaluate", "rules:subsequence", "--no-baselines", "--sets", "few.csv", "--out", "run2"),
    "net": ("train", "cbow", *_NET, "--out", "net"),
}


def prepare(scenario: Scenario, shared: Path) -> None:
    """Make the inputs of a scenario that are not there yet."""
    for need in scenario.needs:
        if (shared / need).exists():
            continue
        if need in _COMMANDS:
            _call(shared, *_COMMANDS[need])
        elif need == "slow_model.py":
            (shared / need).write_text(SLOW_MODEL, encoding="utf-8")
        else:
            (_make_transformer if need == "torch" else _make_graph)(shared)


def _make_transformer(shared: Path) -> None:
    from tiny_networks import save

    save("bert", shared / "torch")


def _make_graph(shared: Path) -> None:
    """Write the transformer as a graph, which the cache has once it was asked in that way."""
    _call(shared, "predict", "hf:torch", "few.csv", "-o", "backend=onnx", "--out", "exported.csv")
    (graph,) = (shared / "cache").rglob("*.onnx")
    (shared / "graph").mkdir()
    for path in (graph, shared / "torch/tokenizer.json", shared / "torch/config.json"):
        shutil.copy(path, shared / "graph")


def _call(folder: Path, *words: str) -> None:
    done = subprocess.run(
        [*COMMAND, *words], cwd=folder, env=environment(folder), check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def environment(folder: Path, cache: Path | None = None) -> dict[str, str]:
    """Set what a command reads from its environment: the shared cache, and models beside the inputs."""
    own = {"RIGHTREASONS_CACHE": str(cache or folder / "cache"), "OPENAI_API_KEY": "none"}
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, **own, "PYTHONPATH": path, "OMP_NUM_THREADS": "2", "HF_HUB_OFFLINE": "1"}


def _nli(asked: Asked) -> Says | str:
    """Answer pairs as a served model does, after a while."""
    if asked.method == "GET":
        limits = {"batch": 4, "body": 100_000}
        return Says({"name": "far", "fingerprint": {"weights": "abc"}, "digest": "d1", "limits": limits})
    time.sleep(0.4)
    answers = [{"label": pick(json.dumps(pair), LABELS)} for pair in asked.body["pairs"]]
    return Says({"answers": answers, "model": "far", "digest": "d1"})


def _is_busy(asked: Asked) -> Says | str | None:
    """Ask to wait, every other time: most requests are waiting to be sent again."""
    busy: dict[str, Any] = {"error": {"message": "slow down"}}
    return Says(busy, 429, {"Retry-After": "1"}) if asked.time % 2 and asked.method == "POST" else None


def _file(asked: Asked) -> Says | str:
    """Send what is left of a file, slowly."""
    start = int(asked.headers.get("range", "bytes=0-").removeprefix("bytes=").removesuffix("-"))
    time.sleep(0.3)
    rest = TOY[start : start + -(-len(TOY) // 3)]
    headers = {"Content-Range": f"bytes {start}-{len(TOY) - 1}/{len(TOY)}"}
    whole = start + len(rest) >= len(TOY)
    return Says(rest, 206 if start else 200, headers, None if whole else len(TOY) - start)
