"""What a network starts from: its words and its first weights, fresh or from a folder."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from rightreasons.core.errors import InputError
from rightreasons.models.network_folder import load_network
from rightreasons.nets.text.build_vocab import Learnt
from rightreasons.nets.text.vocabulary import FIRST
from rightreasons.training.folder import CARD, ENCODER
from rightreasons.training.trained_words import for_training

if TYPE_CHECKING:
    from rightreasons.models.network_folder import Description
    from rightreasons.nets.network import Network

    Weights = dict[str, torch.Tensor]


@dataclass(frozen=True)
class Beginning:
    """A network's words, what it is, and the weights that it doesn't draw by itself."""

    words: Learnt
    description: Description
    weights: Weights = field(default_factory=dict)

    def network(self, seed: int, device: str) -> Network:
        """Make the network, always the same one for a seed."""
        torch.manual_seed(seed)
        net = self.description.make()
        if self.weights:
            _put(net, self.weights)
        table = torch.from_numpy(self.words.table)
        trained = self.description.trained_words
        return for_training(table, self.words.reader.vocabulary, net, trained=trained).to(device)


def from_folder(folder: str, net: str, order: tuple[str, ...], *, trained: bool) -> Beginning:
    """Begin with the words and weights of a trained network of the same kind and the same labels."""
    loaded = load_network(folder, net=net)
    if loaded.description.labels != order:
        raise InputError(
            f"The network in {folder} has the labels {', '.join(loaded.description.labels)}, the training pairs give "
            f"{', '.join(order)}. Start from a network with the same labels."
        )
    words = Learnt(loaded.reader, loaded.network.words.weight.detach().numpy(), loaded.description.vectors)
    description = replace(loaded.description, trained_words=trained, training={})
    return Beginning(words, description, loaded.network.net.state_dict())


def unit_length(words: Learnt) -> Learnt:
    """Scale all vectors alike, so that those of training words have a mean length of 1.

    Networks that add words up start with scores of dozens otherwise, and die of their first steps.
    """
    own = words.reader.vocabulary.own_rows
    factor = 1 / float(np.linalg.norm(words.table[FIRST:own], axis=1).mean(dtype=np.float64))
    table = (words.table * factor).astype(np.float32)
    table[own:] = table[own:].astype(np.float16)  # as the model's folder keeps them
    return words._replace(table=table, vectors={**words.vectors, "scaled_by": factor})


def encoder_weights(place: str, vectors: dict[str, Any]) -> Weights:
    """Read the weights of an encoder: of a jiant network's folder, or of a file that holds an encoder alone.

    An encoder that learnt other word vectors is refused; a file alone doesn't tell which it learnt.
    """
    folder = Path(place)
    alone = folder / ENCODER
    if folder.is_dir():
        _refuse_others(folder, vectors)
    if folder.is_dir() and not alone.is_file():
        encoder = load_network(place, net="jiant").network.net.encoder
        weights: Weights = encoder.state_dict()  # type: ignore[union-attr]
    else:
        weights = _read(str(alone if folder.is_dir() else folder))
    return {f"encoder.{name}": weight for name, weight in weights.items()}


def _refuse_others(folder: Path, vectors: dict[str, Any]) -> None:
    """Refuse an encoder whose words have other vectors here: to it they would be other words."""
    learnt = _vectors_of(folder)
    if learnt is None:
        return
    there, here = _told(learnt), _told(vectors)
    if there != here:
        raise InputError(
            f"The encoder in {folder} learnt other word vectors: {there} there, {here} here. "
            "Give the same vectors, or the same seed where they are drawn."
        )


def _told(vectors: dict[str, Any]) -> str:
    """Name word vectors by what tells them from others: their file, or the seed that they were drawn with."""
    digest = str(vectors.get("digest", ""))
    named = f"{vectors.get('name')} ({digest[:12]})" if digest else f"random with seed {vectors.get('seed')}"
    scaled = " scaled to length 1" if "scaled_by" in vectors else ""
    return f"{named}, {vectors.get('width')} wide{scaled}"


def _vectors_of(folder: Path) -> dict[str, Any] | None:
    """Find what word vectors a folder's encoder learnt; vectors that were trained as well are no others' any more."""
    try:
        card = json.loads((folder / CARD).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise InputError(
            f"{folder / CARD} is cut or changed: {error}. Train the encoder again, or copy it again."
        ) from error
    if card.get("network", {}).get("trained_vectors"):
        raise InputError(
            f"The word vectors of {folder} were trained with its encoder, which knows no others. "
            "Train it with -o trained_vectors=false, or start from the whole network with -o start."
        )
    found: dict[str, Any] | None = card.get("vectors")
    return found


def _read(path: str) -> Weights:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        return load_file(path)
    except (OSError, SafetensorError) as error:
        raise InputError(
            f"{path} holds no encoder: {str(error).splitlines()[0]}. Give a folder of jiant, or a .safetensors file."
        ) from error


def _put(net: torch.nn.Module, weights: Weights) -> None:
    """Give a network weights of another; what doesn't fit is an error."""
    own = net.state_dict()
    strange: list[Any] = [
        name for name in weights if name not in own or own[name].shape != weights[name].shape
    ]
    if strange or not weights:
        raise InputError(
            f"The weights to start from don't fit the network: {strange[0]} is of another size, or not there. "
            "Use the same preset, width and options."
        )
    net.load_state_dict({**own, **weights})
