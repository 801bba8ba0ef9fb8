"""What training starts from: word table and first weights, random, pretrained or of a trained network."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn.functional import embedding

from rightreasons.core.errors import InputError
from rightreasons.models.network_folder import load_trained_network
from rightreasons.nets.batches import EmbeddingNetwork
from rightreasons.nets.text.encoder import LearnedWords
from rightreasons.nets.text.vocabulary import FIRST_WORD_ROW
from rightreasons.training.model_folder import CARD, ENCODER

if TYPE_CHECKING:
    from rightreasons.models.network_folder import NetworkDescription
    from rightreasons.nets.text.vocabulary import Vocabulary

    Weights = dict[str, torch.Tensor]


@dataclass(frozen=True)
class Initialization:
    """The words of a network, its description, and weights that are not drawn at random."""

    words: LearnedWords
    description: NetworkDescription
    weights: Weights = field(default_factory=dict)

    def build_network(self, seed: int, device: str) -> EmbeddingNetwork:
        """Build the network, always the same one for a seed."""
        torch.manual_seed(seed)
        net = self.description.build_module()
        if self.weights:
            _copy_weights(net, self.weights)
        table = torch.from_numpy(self.words.table)
        trained = self.description.trained_words
        return attach_word_table(table, self.words.encoder.vocabulary, net, trained=trained).to(device)


class SplitWordTable(torch.nn.Module):
    """A word table in two parts: words of the training pairs have gradients; further ones, often many, have none."""

    further: torch.Tensor

    def __init__(self, table: torch.Tensor, own: int) -> None:
        """Split the table after `own` rows."""
        super().__init__()
        self.own = own
        self.weight = torch.nn.Parameter(table[:own].clone())
        self.register_buffer("further", table[own:], persistent=False)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Look up words: (B, T) to (B, T, E); row 0 has no gradient."""
        if not len(self.further) or int(rows.max()) < self.own:
            return embedding(rows, self.weight, padding_idx=0)
        known = embedding(rows.clamp(max=self.own - 1), self.weight, padding_idx=0)
        others = embedding((rows - self.own).clamp(min=0), self.further)
        return torch.where((rows < self.own)[..., None], known, others)


def attach_word_table(
    table: torch.Tensor, vocabulary: Vocabulary, net: torch.nn.Module, *, trained: bool
) -> EmbeddingNetwork:
    """Put a network on a word table. Where it is trained, only the words of the training pairs have gradients."""
    network = EmbeddingNetwork(table, net)
    if trained:
        network.words = SplitWordTable(table, vocabulary.num_training_rows)  # type: ignore[assignment]
    return network


def merge_split_word_table(network: EmbeddingNetwork) -> EmbeddingNetwork:
    """Join the two tables again, as the model folder stores them."""
    words: torch.nn.Module = network.words
    if not isinstance(words, SplitWordTable):
        return network
    table = torch.cat([words.weight.detach(), words.further])
    return EmbeddingNetwork(table, network.net, trained=True)


def initialize_from_folder(folder: str, net: str, order: tuple[str, ...], *, trained: bool) -> Initialization:
    """Start with the words and weights of a trained network of the same kind and the same labels."""
    loaded = load_trained_network(folder, net=net)
    if loaded.description.labels != order:
        raise InputError(
            f"The network in {folder} has the labels {', '.join(loaded.description.labels)}, but the training pairs "
            f"have {', '.join(order)}. Start from a network with the same labels."
        )
    words = LearnedWords(
        loaded.text_encoder, loaded.network.words.weight.detach().numpy(), loaded.description.vectors
    )
    description = replace(loaded.description, trained_words=trained, training={})
    return Initialization(words, description, loaded.network.net.state_dict())


def scale_to_unit_mean_length(words: LearnedWords) -> LearnedWords:
    """Scale all vectors by one factor, so that those of training words have a mean length of 1.

    Networks that sum words start with logits of several dozen otherwise, and diverge in their first steps.
    """
    own = words.encoder.vocabulary.num_training_rows
    factor = 1 / float(np.linalg.norm(words.table[FIRST_WORD_ROW:own], axis=1).mean(dtype=np.float64))
    table = (words.table * factor).astype(np.float32)
    table[own:] = table[own:].astype(np.float16)  # as the model folder stores them
    return words._replace(table=table, vectors={**words.vectors, "scaled_by": factor})


def load_encoder_weights(place: str, vectors: dict[str, Any]) -> Weights:
    """Load the weights of an encoder from the folder of a jiant network, or from a file that holds an encoder.

    An encoder that was trained on other word vectors is refused; a file alone does not say on which it was.
    """
    folder = Path(place)
    alone = folder / ENCODER
    if folder.is_dir():
        _refuse_other_vectors(folder, vectors)
    if folder.is_dir() and not alone.is_file():
        encoder = load_trained_network(place, net="jiant").network.net.encoder
        weights: Weights = encoder.state_dict()  # type: ignore[union-attr]
    else:
        weights = _load_weights_file(str(alone if folder.is_dir() else folder))
    return {f"encoder.{name}": weight for name, weight in weights.items()}


def _refuse_other_vectors(folder: Path, vectors: dict[str, Any]) -> None:
    """Refuse an encoder that was trained on other word vectors: to it they would be other words."""
    recorded = _read_recorded_vectors(folder)
    if recorded is None:
        return
    before, now = _describe_vectors(recorded), _describe_vectors(vectors)
    if before != now:
        raise InputError(
            f"The encoder in {folder} was trained on other word vectors: {before} then, {now} now. "
            "Give the same vectors, or the same seed if the vectors are random."
        )


def _describe_vectors(vectors: dict[str, Any]) -> str:
    """Identify word vectors: by their file, or by the seed of random ones."""
    digest = str(vectors.get("digest", ""))
    named = f"{vectors.get('name')} ({digest[:12]})" if digest else f"random with seed {vectors.get('seed')}"
    scaled = " scaled to length 1" if "scaled_by" in vectors else ""
    return f"{named}, {vectors.get('width')} wide{scaled}"


def _read_recorded_vectors(folder: Path) -> dict[str, Any] | None:
    """Read which word vectors an encoder was trained on; vectors that were trained with it are refused."""
    try:
        card = json.loads((folder / CARD).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise InputError(
            f"{folder / CARD} is truncated or was changed: {error}. Train the encoder again, or copy it again."
        ) from error
    if card.get("network", {}).get("trained_vectors"):
        raise InputError(
            f"The word vectors of {folder} were trained with its encoder, which can't use other vectors. "
            "Train the encoder with -o trained_vectors=false, or start from the whole network with -o start."
        )
    recorded: dict[str, Any] | None = card.get("vectors")
    return recorded


def _load_weights_file(path: str) -> Weights:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        return load_file(path)
    except (OSError, SafetensorError) as error:
        raise InputError(
            f"{path} is not an encoder: {str(error).splitlines()[0]}. "
            "Give the folder of a jiant network, or a .safetensors file."
        ) from error


def _copy_weights(net: torch.nn.Module, weights: Weights) -> None:
    """Copy weights into a network; names and shapes must fit."""
    own = net.state_dict()
    misfits: list[Any] = [
        name for name in weights if name not in own or own[name].shape != weights[name].shape
    ]
    if misfits or not weights:
        raise InputError(
            f"The initial weights don't fit the network: {misfits[0]} is missing or has another size. "
            "Use the same preset, width and options."
        )
    net.load_state_dict({**own, **weights})
