"""A part is one file and one line: a line of the registry, or an entry point of an installed package."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import rightreasons as rr
from command_line import inside, refused
from rightreasons.core import registry
from rightreasons.core.plugins import find_entry_points
from rightreasons.nets import NETS, count_parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import polars as pl

NETWORK = '''"""A toy network: the mean word vectors of premise and hypothesis, compared by two linear layers."""

from dataclasses import dataclass, replace

import torch

from rightreasons.core.options import option
from rightreasons.nets.layers import masked_mean
from rightreasons.nets.declaration import Network, NetworkOptions, Preset
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

SET = '''"""A toy set: things of some colour; the hypothesis repeats or denies the colour."""

import random
from dataclasses import dataclass
from itertools import product

import polars as pl

from rightreasons import __version__
from rightreasons.core.options import get_options, option
from rightreasons.core.pairs import Card
from rightreasons.core.parts import SetPart
from rightreasons.sets.corpus_set import TablePlan

COLOURS = "red green blue white black yellow brown grey pink purple orange golden".split()
OWNERS = "actor artist author baker doctor farmer judge lawyer nurse pilot tourist writer".split()
HYPOTHESES = {"repeated": ("is {}", "entailment"), "denied": ("is not {}", "contradiction")}


@dataclass(frozen=True, kw_only=True)
class Colours(SetPart):
    """Colours of things, repeated or denied."""

    name = "toy-set"
    version = 3
    labels = ("entailment", "contradiction")
    paper = "Acme 2026"
    tags = ("set", "subcase", "group")

    thing: str = option("door", help="What has the colour.")

    def plan(self, *, size, limit, seed, split):
        owners = OWNERS[::2] if split == "train" else OWNERS[1::2]
        cells = list(product(owners, COLOURS))
        random.Random(seed).shuffle(cells)
        pairs = [self.make_pair(subcase, *cell) for cell in cells[:size] for subcase in HYPOTHESES]
        table = pl.DataFrame(pairs)[:limit]
        chosen = {"size": size, "limit": limit, "seed": seed, "split": split, **get_options(self)}
        card = Card(set=self.name, version=self.version, options=chosen, labels=self.labels, rows=table.height,
                    made_with=f"rightreasons {__version__}")
        return TablePlan(table, card)

    def make_pair(self, subcase, owner, colour):
        predicate, label = HYPOTHESES[subcase]
        return {
            "id": f"toy-set-{subcase}-{owner}-{colour}",
            "premise": f"The {owner} has a {colour} {self.thing}.",
            "hypothesis": f"The {owner}'s {self.thing} {predicate.format(colour)}.",
            "label": label, "set": self.name, "subcase": subcase, "group": f"{owner}-{colour}",
        }
'''
MODEL = '''"""A toy model: predicts contradiction where the hypothesis has a given word."""

from dataclasses import dataclass

import polars as pl

from rightreasons.core.options import option
from rightreasons.core.parts import Model


@dataclass(frozen=True)
class Keyword(Model):
    """Predicts contradiction where the hypothesis contains a word."""

    word: str = option("not", help="The word to look for.")

    @property
    def name(self):
        return f"toy-model:{self.word}"

    def predict(self, pairs):
        has_word = pl.col("hypothesis").str.split(" ").list.contains(self.word)
        return pairs.select("id", label=pl.when(has_word).then(pl.lit("contradiction")).otherwise(pl.lit("entailment")))
'''
EXPORT = '''"""A toy export: the hypotheses of every set, one per line."""

from dataclasses import dataclass

from rightreasons.core.options import option
from rightreasons.core.parts import Export


@dataclass(frozen=True, kw_only=True)
class Lines(Export):
    """Hypotheses, one per line."""

    prefix: str = option("", help="Text before each line.")

    def write(self, source, folder):
        for item in source.sets:
            texts = item.load().pairs["hypothesis"]
            text = "".join(f"{self.prefix}{line}\\n" for line in texts)
            (folder / f"{item.slug}.txt").write_text(text, encoding="utf-8")
        return ["Written by a toy."]
'''
ROOT = Path(__file__).parents[1]


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
        module = f"acme_{name.replace('-', '_')}"
        modules.append(module)
        (site / f"{module}.py").write_text(source, encoding="utf-8")
        if request.param == "registry line":
            table = getattr(registry, f"{kind.upper()}S")
            monkeypatch.setitem(table, name, f"{module}:{attribute}")
        else:
            (info / "METADATA").write_text(
                "Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n", encoding="utf-8"
            )
            with (info / "entry_points.txt").open("a", encoding="utf-8") as lines:
                lines.write(f"[rightreasons.{kind}s]\n{name} = {module}:{attribute}\n")
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


def test_trainers_are_listed_where_torch_is_not_installed() -> None:
    code = (
        "import sys; sys.modules['torch'] = None; from rightreasons.cli import main\n"
        "try: main(['list', 'trainers'])\n"
        "except SystemExit: pass\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert "\nesim: ESIM" in done.stdout
    assert "\ntransformer: " in done.stdout
    assert "Broken" not in done.stdout


def test_a_network_under_another_name_is_refused(install: Callable[[str, str, str, str], None]) -> None:
    pytest.importorskip("torch")
    install("network", "other", "TOY", NETWORK)
    with pytest.raises(rr.InputError, match=r"'toy'.*'other'"):
        NETS["other"]


def render_reference() -> str:
    """Render the reference page of all parts as scripts/parts_reference.py does."""
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        import parts_reference

        return str(parts_reference.render_page())
    finally:
        sys.path.remove(str(ROOT / "scripts"))


def test_a_set_a_model_and_an_export_are_listed_documented_and_used(
    install: Callable[[str, str, str, str], None],
    request: pytest.FixtureRequest,
    tmp_path: Path,
) -> None:
    install("set", "toy-set", "Colours", SET)
    install("model", "toy-model", "Keyword", MODEL)
    install("export", "toy-export", "Lines", EXPORT)

    listed = {kind: inside("list", kind)[1] for kind in ("sets", "models", "exports")}
    assert "toy-set" in listed["sets"]
    assert "toy-model" in listed["models"]
    assert "toy-export: Hypotheses, one per line" in listed["exports"]
    if request.node.callspec.params["install"] == "registry line":
        page = render_reference()
        for heading, help_line in {
            "toy-set": "What has the colour.",
            "toy-model": "The word to look for.",
            "toy-export": "Text before each line.",
        }.items():
            assert help_line in page.partition(f"### {heading}\n")[2].partition("###")[0]

    made = rr.generate("toy-set", size=4, thing="gate")
    assert made.pairs.height == 8
    assert made.pairs["hypothesis"].str.contains("'s gate is ").all()
    assert made.card.options["thing"] == "gate"
    code, _, err = inside("evaluate", "toy-model:not", "--sets", "toy-set", "--out", "run", "--no-baselines")
    assert code == 0, err
    scores = rr.score(rr.generate("toy-set"), rr.predict("toy-model:not", rr.generate("toy-set").pairs))
    assert scores.rows["accuracy"].unique().to_list() == [1.0]
    assert "'wrod'" in refused(inside, "predict", "toy-model", "toy-set", "--out", "p.csv", "-o", "wrod=x")

    code, _, err = inside(
        "export", "toy-set", "--to", "toy-export", "--out", "lines", "--size", "1", "-o", "prefix=- "
    )
    assert code == 0, err
    texts = rr.generate("toy-set", size=1).pairs["hypothesis"]
    assert (tmp_path / "lines" / "toy-set.txt").read_text(encoding="utf-8") == f"- {texts[0]}\n- {texts[1]}\n"


@pytest.mark.slow
def test_conformance_tests_find_a_set_and_a_model_by_themselves(tmp_path: Path) -> None:
    info = tmp_path / "acme-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(
        "[rightreasons.sets]\ntoy-set = acme_set:Colours\n"
        "[rightreasons.models]\ntoy-model = acme_model:Keyword\n",
        encoding="utf-8",
    )
    (tmp_path / "acme_set.py").write_text(SET, encoding="utf-8")
    (tmp_path / "acme_model.py").write_text(MODEL, encoding="utf-8")
    # Digests of default rows are recorded for built-in sets; all other promises hold for parts of plugins, too.
    chosen = "toy and not default_rows and not changelog"
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-rA",
            "-k",
            chosen,
            "tests/test_conformance.py",
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert "test_ids_and_pairs_are_unique[toy-set]" in done.stdout
    assert "[toy-model]" in done.stdout
