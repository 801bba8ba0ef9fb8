"""The networks by name: each has its place, "module:class" of this package, which is imported on first use."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from rightreasons.core.errors import UnknownNameError

if TYPE_CHECKING:
    import torch


class NetworkSummary(NamedTuple):
    """A network for those who only want to read about it: nothing is imported to say this much."""

    place: str
    about: str
    parameters: int  # in the sizes of its paper, without word vectors
    small: int  # with the small preset


NETS = {
    "da": NetworkSummary(
        "decomposable_attention:DecomposableAttention",
        "decomposable attention, as in AllenNLP",
        341_803,
        80_903,
    ),
    "esim": NetworkSummary("esim:Esim", "ESIM, as in AllenNLP", 4_331_103, 483_703),
    "spinn": NetworkSummary("spinn:Spinn", "SPINN-PI-NT: a TreeLSTM over given parses", 627_525, 202_703),
    "nb": NetworkSummary(
        "shortcut_stacked:ShortcutStacked",
        "the shortcut-stacked encoder of Nie and Bansal",
        140_201_795,
        1_144_363,
    ),
    "ch": NetworkSummary(
        "gated_attention:GatedAttention", "the gated attention of Chen and others", 46_486_773, 2_027_323
    ),
    "rc": NetworkSummary(
        "inner_attention:InnerAttention", "the inner attention of Balazs and others", 11_696_003, 523_003
    ),
    "infersent": NetworkSummary("infersent:InferSent", "InferSent", 47_155_715, 844_203),
    "bilstm": NetworkSummary("bilstm:BiLstm", "the bi-LSTM baseline of MultiNLI", 3_610_803, 403_603),
    "cbow": NetworkSummary("cbow:Cbow", "the bag-of-words baseline of MultiNLI", 541_803, 161_203),
    "jiant": NetworkSummary(
        "jiant:Jiant", "the bi-LSTM of jiant, whose encoder may be pretrained", 37_258_755, 776_579
    ),
}
Preset = Literal["paper", "small"]


def net_class(name: str) -> Any:
    """Find the class of a network by its name."""
    if name not in NETS:
        raise UnknownNameError("network", name, NETS)
    module, _, attribute = NETS[name].place.partition(":")
    return getattr(importlib.import_module(f"rightreasons.nets.{module}"), attribute)


def make_net(name: str, preset: Preset = "paper", **options: Any) -> torch.nn.Module:
    """Make a network in the sizes of its paper, or of its small preset; options come before both."""
    part = net_class(name)
    sizes = part.SMALL if preset == "small" else {}
    net: torch.nn.Module = part(**{**sizes, **options})
    return net


def count_parameters(name: str, preset: Preset = "paper", **options: Any) -> int:
    """Count the parameters of a network, without those of its word vectors."""
    import torch

    with torch.device("meta"):  # sizes alone: no memory, nothing drawn
        net = make_net(name, preset, **options)
    return sum(parameter.numel() for parameter in net.parameters())
