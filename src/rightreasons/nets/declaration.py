"""A network is one declaration: its module, sizes, recipe, how it reads words, and its own options.

    ESIM = Network(
        name="esim",
        about="ESIM, as in AllenNLP",
        module=Esim,
        paper=Preset(replace(PLAIN_RECIPE, learning_rate=4e-4), trained_vectors=True),
        small=Preset(SMALL_RECIPE, {"width": 100, "hidden": 100}),
        text=TextConfig("random", lower=True),
    )

The declaration is in the file of its module, and one line of `core/registry.py`, or an entry point of the group
`rightreasons.networks`, names it. Then `list`, `train`, `net:FOLDER` and `export` find it.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from rightreasons.core import registry
from rightreasons.core.options import option
from rightreasons.nets.recipe import (
    Clipping,
    DebiasOptions,
    KeptWeights,
    Optimiser,
    Recipe,
    RunOptions,
    ScheduleName,
)
from rightreasons.nets.text.text_config import TextConfig, Unknown, parse_text_config

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch

PresetName = Literal["paper", "small"]


@dataclass(frozen=True, kw_only=True)
class NetworkOptions(DebiasOptions, RunOptions):
    """Options that every network has. What is left out is the paper's, or the small preset's."""

    preset: PresetName = option("paper", help="paper, or small: sizes and a recipe for a CPU.")
    vectors: str | None = option(
        None,
        help="File of word vectors: GloVe or word2vec in text format, .npy or .npz. Default: random vectors.",
    )
    width: int | None = option(
        None, help="Width of the word vectors. Default: 300, or 100 with the small preset."
    )
    trained_vectors: bool | None = option(None, help="Whether to train the word vectors as well.")
    unit_vectors: bool | None = option(
        None, help="Whether to scale all word vectors by one factor to a mean length of 1."
    )
    unknown: Unknown | None = option(
        None, help="How words outside the training pairs are handled: zero, random, delete or look-up."
    )
    start: str | None = option(
        None,
        help="Folder of a trained network of the same type; training continues from its weights and vocabulary.",
    )
    dropout: float | None = option(None, help="Dropout probability.")
    epochs: float | None = option(None, help="Maximum number of epochs; fractions are allowed.")
    batch_size: int | None = option(None, help="Pairs per training step.")
    learning_rate: float | None = option(None, help="Peak learning rate.")
    optimiser: Optimiser | None = option(None, help="adamw, adam, amsgrad, adagrad, sgd or rmsprop.")
    schedule: ScheduleName | None = option(
        None,
        help="Schedule of the learning rate: constant, linear, plateau, two-epochs, reload, infersent or "
        "two-flat-checks.",
    )
    weight_decay: float | None = option(
        None, help="Weight decay; not applied to biases, norms and word vectors."
    )
    clip: float | None = option(None, help="Gradient clipping threshold; 0 disables clipping.")
    clip_by: Clipping | None = option(
        None, help="What is clipped: the norm of the gradient, or each of its values."
    )
    checks: int | None = option(None, help="Evaluations on the dev set per epoch.")
    patience: int | None = option(
        None, help="Evaluations without improvement before training stops; 0 disables early stopping."
    )
    keep: KeptWeights | None = option(
        None, help="Weights to keep: those with the best dev accuracy, or the last."
    )


@dataclass(frozen=True, kw_only=True)
class LiteralOptions(NetworkOptions):
    """Options of a network whose published code differs from its paper."""

    literal: bool = option(False, help="Reproduce the errors in the paper's code.")


@dataclass(frozen=True)
class Preset:
    """The recipe, sizes that differ from the defaults of the module, and what becomes of the word vectors."""

    recipe: Recipe
    sizes: Mapping[str, Any] = field(default_factory=dict)
    trained_vectors: bool = False
    unit_vectors: bool = False  # scaled to a mean length of 1


@dataclass(frozen=True, kw_only=True)
class Network:
    """A network that can be trained, predicted with and exported.

    The module takes `width` (of the word vectors) and `labels`, and `literal` where its forward pass has a literal
    form; its defaults are the sizes of the paper. An option with the name of a parameter of the module is passed to it.
    With an option `parser`, pairs without parses are parsed; with an option `encoder`, the module's `encoder` may come
    from a file.
    """

    name: str
    about: str
    module: Callable[..., torch.nn.Module]
    paper: Preset
    small: Preset
    text: TextConfig
    literal_text: Mapping[str, Any] = field(
        default_factory=dict
    )  # how the code reads words, where it differs
    options: type[NetworkOptions] = NetworkOptions
    parameters: tuple[int, int] | None = None  # of paper and small, without word vectors

    @property
    def module_parameters(self) -> tuple[str, ...]:
        """List the parameters of the module."""
        return tuple(inspect.signature(self.module).parameters)

    @property
    def needs(self) -> tuple[str, ...]:
        """List what the network reads apart from words: the forest of parses, the letters of words."""
        return ("forest",) * self.text.forest + ("letters",) * bool(self.text.letters)

    def get_preset(self, name: str) -> Preset:
        """Return a preset by its name."""
        return self.small if name == "small" else self.paper

    def build_module(self, preset: str = "paper", **options: Any) -> torch.nn.Module:
        """Build the module in the sizes of a preset; options take precedence."""
        return self.module(**{**self.get_preset(preset).sizes, **options})

    def get_default_size(self, name: str, preset: str) -> Any:
        """Return the size that a preset has, or else the default of the module."""
        default = inspect.signature(self.module).parameters[name].default
        return self.get_preset(preset).sizes.get(name, default)

    def make_text_config(self, *, literal: bool = False, **changes: Any) -> TextConfig:
        """Return how the network reads words; changes must be fields of TextConfig."""
        chosen = replace(self.text, **(self.literal_text if literal else {}))
        return parse_text_config({**chosen.facts(), **changes})

    def select_module_options(self, options: NetworkOptions) -> dict[str, Any]:
        """Return the options that are passed to the module, as far as they are given."""
        passed = {*self.module_parameters} - {"width", "literal"}
        values = {item.name: getattr(options, item.name) for item in fields(options) if item.name in passed}
        return {name: value for name, value in values.items() if value is not None}


class NetworkTable(Mapping[str, Network]):
    """The declared networks by name, those of plugins as well. Each declaration is imported on first use."""

    def __getitem__(self, name: str) -> Network:
        """Load a declaration."""
        network: Network = registry.load_network_declaration(name)
        return network

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(registry.NETWORKS.list_names())

    def __len__(self) -> int:
        """Count the networks."""
        return len(registry.NETWORKS.list_names())

    def __contains__(self, name: object) -> bool:
        """Look for a name without importing its declaration."""
        return isinstance(name, str) and registry.NETWORKS.has(name)


NETS = NetworkTable()


class NetworkSummary(NamedTuple):
    """What `list` shows of a network."""

    about: str
    parameters: tuple[int, int] | None


def summarize_network(name: str) -> NetworkSummary:
    """Read what a declaration says about its network.

    The file of a declaration imports torch, which takes seconds or may be missing. So the literals are read from its
    source, as setuptools reads `attr:`; only a declaration without literals is imported.
    """
    literals = _read_declaration_literals(registry.NETWORKS.find_targets()[name])
    if "about" in literals:
        return NetworkSummary(literals["about"], literals.get("parameters"))
    return NetworkSummary(NETS[name].about, NETS[name].parameters)


def _read_declaration_literals(target: str) -> dict[str, Any]:
    """Read the literal arguments in an assignment NAME = Network(...) of a module that is not imported."""
    module, _, attribute = target.partition(":")
    try:
        spec = importlib.util.find_spec(module)
        tree = ast.parse(Path(str(spec and spec.origin)).read_text(encoding="utf-8"))
    except (ImportError, OSError, SyntaxError, ValueError, AttributeError):
        return {}  # importing the module will say what is wrong
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            names = [name.id for name in node.targets if isinstance(name, ast.Name)]
            if attribute in names:
                return dict(_evaluate_literal_arguments(node.value.keywords))
    return {}


def _evaluate_literal_arguments(keywords: list[ast.keyword]) -> Iterator[tuple[str, Any]]:
    for keyword in keywords:
        if keyword.arg in NetworkSummary._fields:
            try:
                yield keyword.arg, ast.literal_eval(keyword.value)
            except ValueError:
                continue


def make_net(name: str, preset: PresetName = "paper", **options: Any) -> torch.nn.Module:
    """Build a network in the sizes of its paper, or of its small preset; options take precedence."""
    return NETS[name].build_module(preset, **options)


def count_parameters(name: str, preset: PresetName = "paper", **options: Any) -> int:
    """Count the parameters of a network, without those of its word vectors."""
    import torch

    with torch.device("meta"):  # sizes alone: no memory, nothing drawn
        net = make_net(name, preset, **options)
    return sum(parameter.numel() for parameter in net.parameters())
