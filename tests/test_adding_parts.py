"""A part is one file and one line: a line of the registry, or an entry point of an installed package."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import rightreasons as rr
from command_line import inside, refused
from rightreasons.core import registry
from rightreasons.core.plugins import find_entry_points
from rightreasons.nets import NETS, count_parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import polars as pl

NETWORK = '''"""A toy network: the mean word vectors of premise and hypothesis, compared by two linear layers."""

from dataclasses import dataclass, replace

import torch

from rightreasons.core.options import option
from rightreasons.nets.layers import masked_mean
from rightreasons.nets.network import Network, NetworkOptions, Preset
from rightreasons.nets.recipe import PLAIN_RECIPE, SMALL_RECIPE
from rightreasons.nets.text.text_config import TextConfig


class Toy(torch.nn.Module):
    def __init__(self, *, width=300, hidden=50, dropout=0.0, labels=3):
        super().__init__()
        self.classifier = torch.nn.Sequential(
            torch.nn.Linear(2 * width, hidden), torch.nn.ReLU(), torch.nn.Dropout(dropout),
            torch.nn.Linear(hidden, labels),
        )

    def forward(self, premise, hypothesis):
        sides = [masked_mean(side.vectors, side.mask) for side in (premise, hypothesis)]
        return self.classifier(torch.cat(sides, dim=1))


@dataclass(frozen=True, kw_only=True)
class ToyOptions(NetworkOptions):
    hidden: int | None = option(None, help="Units of the hidden layer.")


TOY = Network(
    name="toy",
    about="a toy network",
    module=Toy,
    parameters=(30_203, 1_635),
    paper=Preset(replace(PLAIN_RECIPE, epochs=2)),
    small=Preset(SMALL_RECIPE, {"width": 100, "hidden": 8}),
    text=TextConfig("random", lower=True),
    options=ToyOptions,
)
'''


@pytest.fixture(params=["registry line", "entry point"])
def install(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str, str, str, str], None]]:
    """Add a part as a module and one line: kind of part, name, attribute of the module, source."""
    site = tmp_path / "site"
    info = site / "acme-1.0.dist-info"
    info.mkdir(parents=True)
    monkeypatch.syspath_prepend(site)
    monkeypatch.chdir(tmp_path)
    modules: list[str] = []

    def add(kind: str, name: str, attribute: str, source: str) -> None:
        module = f"acme_{name}"
        modules.append(module)
        (site / f"{module}.py").write_text(source, encoding="utf-8")
        if request.param == "registry line":
            table = getattr(registry, f"{kind.upper()}S")
            monkeypatch.setitem(table, name, f"{module}:{attribute}")
        else:
            (info / "METADATA").write_text(
                "Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n", encoding="utf-8"
            )
            line = f"[rightreasons.{kind}s]\n{name} = {module}:{attribute}\n"
            (info / "entry_points.txt").write_text(line, encoding="utf-8")
        find_entry_points.cache_clear()

    find_entry_points.cache_clear()
    yield add
    find_entry_points.cache_clear()
    for module in modules:
        sys.modules.pop(module, None)


def write_pairs(path: str, count: int, seed: int) -> pl.DataFrame:
    pairs = rr.generate("hans", limit=count, seed=seed, split="train", parses="none").pairs
    pairs = pairs.select("id", "premise", "hypothesis", "label")
    pairs.write_csv(path)
    return pairs


def test_a_network_is_listed_trained_predicted_with_and_exported(
    install: Callable[[str, str, str, str], None], tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    install("network", "toy", "TOY", NETWORK)
    assert "toy" in NETS
    assert NETS["toy"].parameters == (count_parameters("toy"), count_parameters("toy", "small"))

    code, out, _ = inside("list", "trainers")
    assert code == 0
    listed = out[out.index("toy: ") :].splitlines()
    assert listed[0] == "toy: A toy network"
    assert "30,203" in listed[1]

    write_pairs("train.csv", 120, 1)
    dev = write_pairs("dev.csv", 30, 2)
    words = (
        "--train",
        "train.csv",
        "--dev",
        "dev.csv",
        "--out",
        "model",
        "--allow-overlap",
        "-o",
        "preset=small",
    )
    code, _, err = inside("train", "toy", *words, "-o", "hidden=5", "-o", "epochs=1")
    assert code == 0, err
    assert "net:model" in err
    assert (tmp_path / "model" / "network.json").is_file()
    assert "'attention'" in refused(inside, "train", "toy", *words[:-1], "attention=true", "--force")

    predictions = rr.predict("net:model", dev)
    assert predictions["id"].to_list() == dev["id"].to_list()
    code, _, err = inside("export", "net:model", "--to", "onnx", "--out", "graph")
    assert code == 0, err
    graph = rr.predict("net:model", dev, backend="onnx")
    assert graph["label"].to_list() == predictions["label"].to_list()


def test_networks_are_listed_without_torch() -> None:
    code = (
        "import sys; from rightreasons.cli import main\n"
        "try: main(['list', 'trainers'])\n"
        "except SystemExit: pass\n"
        "print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert "\nesim: " in done.stdout
    assert "\ntransformer: " in done.stdout
    assert done.stdout.splitlines()[-1] == "False"


def test_a_network_under_another_name_is_refused(install: Callable[[str, str, str, str], None]) -> None:
    pytest.importorskip("torch")
    install("network", "other", "TOY", NETWORK)
    with pytest.raises(rr.InputError, match=r"'toy'.*'other'"):
        NETS["other"]
