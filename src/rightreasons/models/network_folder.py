"""The folder of a trained network: its description, weights and words, and no code.

network.json          the network, its options, how it reads words, its labels, digests of the other two files
weights.safetensors   the network's weights and the table of words
words.txt             the words of the table, one a line, from row 2 on
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rightreasons.core import labels as known_labels
from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.io.outputs import write_folder_atomically
from rightreasons.models.file_digests import digest_file
from rightreasons.models.library_errors import summarize_error
from rightreasons.models.model_settings import read_json_settings
from rightreasons.nets.declaration import NETS
from rightreasons.nets.text.encoder import TextEncoder
from rightreasons.nets.text.text_config import parse_text_config
from rightreasons.nets.text.vocabulary import FIRST_WORD_ROW, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator

    import torch

    from rightreasons.nets.batches import EmbeddingNetwork

FORMAT_VERSION = 1
CARD_FILE, WEIGHTS_FILE, WORDS_FILE = "network.json", "weights.safetensors", "words.txt"
_OWN_WORDS, _FURTHER_WORDS, _NET_PREFIX = "words.own", "words.further", "net."
_MAX_SIZE = 1_048_576  # largest size of any layer
RESTORE_ADVICE = "Train the network again, or copy the folder again."
_FOLDER_ADVICE = "Use a folder written by `rightreasons train`."
_FIELD_TYPES: dict[str, type] = {  # of network.json
    "net": str,
    "labels": list,
    "width": int,
    "preset": str,
    "options": dict,
    "literal": bool,
    "parser": str,
    "trained_words": bool,
    "vectors": dict,
    "training": dict,
    "reading": dict,
    "own_words": int,
    "digests": dict,
}


@dataclass(frozen=True)
class NetworkDescription:
    """The description of a network, without weights and words."""

    net: str  # its name in `rightreasons.nets.NETS`
    labels: tuple[str, ...]  # of the outputs, in their order
    width: int  # of the word vectors
    preset: str = "paper"
    options: dict[str, Any] = field(default_factory=dict)  # sizes that differ from the preset's
    literal: bool = False
    parser: str = ""  # parser of training pairs without parses
    trained_words: bool = False  # whether the table of words was trained as well
    vectors: dict[str, Any] = field(default_factory=dict)  # source of the word vectors
    training: dict[str, Any] = field(default_factory=dict)  # how it was trained

    def build_module(self) -> torch.nn.Module:
        """Build the network, with random weights from torch's generator."""
        network = NETS[self.net]
        own: dict[str, Any] = {"width": self.width, "labels": len(self.labels)}
        if "literal" in network.module_parameters:
            own["literal"] = self.literal
        return network.build_module(self.preset, **{**own, **self.options})


@dataclass(frozen=True)
class LoadedNetwork:
    """A network loaded from its folder."""

    network: EmbeddingNetwork
    text_encoder: TextEncoder
    description: NetworkDescription


def save_network(
    folder: str | Path,
    network: EmbeddingNetwork,
    text_encoder: TextEncoder,
    description: NetworkDescription,
    *,
    force: bool = False,
) -> None:
    """Write the folder of a network, completely or not at all."""
    with write_folder_atomically(folder, force=force, marker=CARD_FILE) as part:
        write_network_files(part, network, text_encoder, description)


def write_network_files(
    folder: Path, network: EmbeddingNetwork, text_encoder: TextEncoder, description: NetworkDescription
) -> None:
    """Write a network into an existing folder, which is renamed later."""
    from safetensors.torch import save_file

    words = text_encoder.vocabulary.words
    (folder / WORDS_FILE).write_bytes("".join(f"{word}\n" for word in words).encode())
    save_file(_collect_tensors(network, text_encoder.vocabulary), folder / WEIGHTS_FILE)
    card = {
        "format": FORMAT_VERSION,
        **asdict(description),
        "reading": text_encoder.config.facts(),
        "own_words": text_encoder.vocabulary.num_training_words,
        "digests": {name: digest_file(folder / name) for name in (WEIGHTS_FILE, WORDS_FILE)},
    }
    (folder / CARD_FILE).write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


def _collect_tensors(network: EmbeddingNetwork, vocabulary: Vocabulary) -> dict[str, torch.Tensor]:
    """Collect all weights; further words are stored in half precision if that is lossless."""
    table = network.words.weight.detach().cpu()
    if len(table) != len(vocabulary):
        raise InputError(
            f"The embedding table has {len(table)} rows for {len(vocabulary)} words. "
            "Save the network with its own text encoder."
        )
    own, further = table[: vocabulary.num_training_rows].clone(), table[vocabulary.num_training_rows :]
    half = further.half()
    exact = bool((half.float() == further).all())
    kept = {_OWN_WORDS: own, _FURTHER_WORDS: half if exact else further.clone()}
    weights = network.net.state_dict()
    return kept | {
        _NET_PREFIX + name: tensor.detach().cpu().contiguous().clone() for name, tensor in weights.items()
    }


def read_network_description(folder: str | Path) -> NetworkDescription:
    """Read the description of a network, without its weights."""
    return _parse_network_description(Path(folder), read_network_card(Path(folder)))


def read_network_card(folder: Path) -> dict[str, Any]:
    """Read network.json; other formats are refused."""
    path = folder / CARD_FILE
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}. {_FOLDER_ADVICE}")
    if not path.is_file():
        raise InputError(f"{folder} contains no trained network: it has no {CARD_FILE}. {_FOLDER_ADVICE}")
    card = read_json_settings(path, advice=RESTORE_ADVICE)
    if card.get("format") != FORMAT_VERSION:
        raise InputError(
            f"{path} has the format {card.get('format')!r:.60}, but this version of rightreasons reads "
            f"{FORMAT_VERSION}. Use the version that wrote the file, or train the network again."
        )
    for name, kind in _FIELD_TYPES.items():
        if name in card and type(card[name]) is not kind:
            raise _make_invalid_card_error(folder, f"its {name} is {card[name]!r:.80}")
    return card


def load_trained_network(folder: str | Path, *, net: str | None = None) -> LoadedNetwork:
    """Load a network; with `net`, a network with another name is refused."""
    place = Path(folder)
    card = read_network_card(place)
    description = _parse_network_description(place, card)
    if net is not None and description.net != net:
        raise InputError(
            f"{folder} contains a network of type {description.net!r}, not {net!r}. Choose another folder."
        )
    check_network_digests(place, card)
    text_encoder = _read_text_encoder(place, card)
    return LoadedNetwork(
        _build_network_from_folder(place, description, text_encoder), text_encoder, description
    )


def check_network_digests(folder: Path, card: dict[str, Any]) -> dict[str, str]:
    """Check that the files are those that were saved, and return their digests."""
    digests: dict[str, str] = card.get("digests", {})
    for name in (WEIGHTS_FILE, WORDS_FILE):
        if not (folder / name).is_file():
            raise InputError(f"{folder} is incomplete: it has no {name}. {RESTORE_ADVICE}")
        if digest_file(folder / name) != digests.get(name):
            raise InputError(f"{folder / name} was truncated or changed after it was saved. {RESTORE_ADVICE}")
    return {**digests, CARD_FILE: digest_file(folder / CARD_FILE)}


def _parse_network_description(folder: Path, card: dict[str, Any]) -> NetworkDescription:
    values = {item.name: card[item.name] for item in fields(NetworkDescription) if item.name in card}
    with _convert_card_field_errors(folder):
        description = NetworkDescription(**{**values, "labels": tuple(map(str, card["labels"]))})
    if description.net not in NETS:
        raise UnknownNameError("network", description.net, NETS)
    if sorted(description.labels) not in (sorted(known_labels.THREE_LABELS), sorted(known_labels.TWO_LABELS)):
        listed = ", ".join(description.labels)
        raise _make_invalid_card_error(folder, f"its labels are {listed}")
    return description


def _read_text_encoder(folder: Path, card: dict[str, Any]) -> TextEncoder:
    words = tuple((folder / WORDS_FILE).read_bytes().decode().split("\n")[:-1])
    with _convert_card_field_errors(folder):
        own: int = card["own_words"]
        config = parse_text_config(card["reading"])
    if not 0 <= own <= len(words):
        raise _make_invalid_card_error(
            folder, f"its own_words is {own}, but {WORDS_FILE} has {len(words)} words"
        )
    return TextEncoder(Vocabulary(words, own), config)


def _make_invalid_card_error(folder: Path, reason: object) -> InputError:
    return InputError(
        f"{folder / CARD_FILE} is not a valid description of a network: {reason}. {RESTORE_ADVICE}"
    )


@contextmanager
def _convert_card_field_errors(folder: Path) -> Iterator[None]:
    """Explain errors of fields that network.json lacks, or that have a wrong type."""
    try:
        yield
    except (KeyError, TypeError) as error:
        raise _make_invalid_card_error(folder, error) from error


def _build_network_from_folder(
    folder: Path, description: NetworkDescription, text_encoder: TextEncoder
) -> EmbeddingNetwork:
    """Build the network and load its weights; torch's generator is not changed."""
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    from rightreasons.nets.batches import EmbeddingNetwork

    try:
        tensors = load_file(folder / WEIGHTS_FILE)
        table = torch.cat([tensors.pop(_OWN_WORDS), tensors.pop(_FURTHER_WORDS).float()])
        _check_layer_sizes(description, len(tensors))
        with torch.device("meta"):  # shapes only, so that wrong ones take neither memory nor time
            _check_weight_shapes(description.build_module(), tensors)
        with torch.random.fork_rng(devices=[]):  # the random weights are replaced
            net = description.build_module()
        # Copied, since the file is not aligned, and some kernels add unaligned numbers in another order.
        weights = {name.removeprefix(_NET_PREFIX): value.clone() for name, value in tensors.items()}
        net.load_state_dict(weights, assign=True)
    except (
        SafetensorError,
        OSError,
        LookupError,
        TypeError,
        ValueError,
        ArithmeticError,
        RuntimeError,
    ) as error:
        raise InputError(
            f"The weights in {folder} don't match {CARD_FILE}: {summarize_error(error)}. {RESTORE_ADVICE}"
        ) from error
    if table.shape != (FIRST_WORD_ROW + len(text_encoder.vocabulary.words), description.width):
        raise InputError(
            f"The embedding table in {folder} has the shape {tuple(table.shape)}, but there are "
            f"{len(text_encoder.vocabulary.words)} words and the vectors have width {description.width}. "
            f"{RESTORE_ADVICE}"
        )
    return EmbeddingNetwork(table, net, trained=description.trained_words).eval()


def _check_layer_sizes(description: NetworkDescription, tensors: int) -> None:
    """Refuse impossible sizes before the network is built; no network has more layers than tensors."""
    for name, value in {"width": description.width, **description.options}.items():
        sizes = value if isinstance(value, list) else [value]
        most = tensors if sizes is not value and name == "layers" else _MAX_SIZE
        counts = [size for size in sizes if isinstance(size, int) and not isinstance(size, bool)]
        if len(sizes) > tensors or any(not 0 <= count <= most for count in counts):
            raise ValueError(f"its {name} is {value!r:.60}")


def _check_weight_shapes(net: torch.nn.Module, tensors: dict[str, torch.Tensor]) -> None:
    """Check that the weights of the file have the shapes of the network."""
    for name, weight in net.state_dict().items():
        tensor = tensors.get(_NET_PREFIX + name)
        if tensor is None or tensor.shape != weight.shape:
            has = "is missing" if tensor is None else f"has the shape {tuple(tensor.shape)}"
            raise ValueError(f"{name} {has}, not {tuple(weight.shape)}")
