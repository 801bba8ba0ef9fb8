"""The folder of a trained network: what it is, its weights and its words, with nothing in it that runs.

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
from rightreasons.models.loading import first_line
from rightreasons.models.model_files import digest_of
from rightreasons.models.model_settings import read_settings
from rightreasons.nets.network import NETS
from rightreasons.nets.text.encoder import TextEncoder
from rightreasons.nets.text.text_config import parse_text_config
from rightreasons.nets.text.vocabulary import FIRST, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator

    import torch

    from rightreasons.nets.batches import EmbeddingNetwork

FORMAT = 1
CARD, WEIGHTS, WORDS = "network.json", "weights.safetensors", "words.txt"
_OWN, _FURTHER, _NET = "words.own", "words.further", "net."
_LARGEST = 1_048_576  # of any size of a network
_AGAIN = "Train it again, or copy the folder again."
_KINDS: dict[str, type] = {  # of what network.json says
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
class Description:
    """What a network is, apart from its weights and words."""

    net: str  # its name, as `rightreasons.nets.NETS` has it
    labels: tuple[str, ...]  # of the outputs, in their order
    width: int  # of the word vectors
    preset: str = "paper"
    options: dict[str, Any] = field(default_factory=dict)  # sizes that differ from the preset's
    literal: bool = False
    parser: str = ""  # what made the trees of its training pairs, where they had none
    trained_words: bool = False  # whether the table of words was trained as well
    vectors: dict[str, Any] = field(default_factory=dict)  # what the word vectors were
    training: dict[str, Any] = field(default_factory=dict)  # whatever is to be said of how it was trained

    def make(self) -> torch.nn.Module:
        """Make the network, with weights drawn from torch's generator."""
        network = NETS[self.net]
        own: dict[str, Any] = {"width": self.width, "labels": len(self.labels)}
        if "literal" in network.sizes:
            own["literal"] = self.literal
        return network.build(self.preset, **{**own, **self.options})


@dataclass(frozen=True)
class Loaded:
    """A network from its folder, ready to answer."""

    network: EmbeddingNetwork
    reader: TextEncoder
    description: Description


def save_network(
    folder: str | Path,
    network: EmbeddingNetwork,
    reader: TextEncoder,
    description: Description,
    *,
    force: bool = False,
) -> None:
    """Write a network's folder, whole or not at all."""
    with write_folder_atomically(folder, force=force, marker=CARD) as part:
        write_network(part, network, reader, description)


def write_network(
    folder: Path, network: EmbeddingNetwork, reader: TextEncoder, description: Description
) -> None:
    """Write a network into a folder that is there already and takes its name later."""
    from safetensors.torch import save_file

    words = reader.vocabulary.words
    (folder / WORDS).write_bytes("".join(f"{word}\n" for word in words).encode())
    save_file(_tensors(network, reader.vocabulary), folder / WEIGHTS)
    card = {
        "format": FORMAT,
        **asdict(description),
        "reading": reader.config.facts(),
        "own_words": reader.vocabulary.own,
        "digests": {name: digest_of(folder / name) for name in (WEIGHTS, WORDS)},
    }
    (folder / CARD).write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


def _tensors(network: EmbeddingNetwork, vocabulary: Vocabulary) -> dict[str, torch.Tensor]:
    """Collect all weights; words beyond those of training are kept in half precision where nothing is lost by it."""
    table = network.words.weight.detach().cpu()
    if len(table) != len(vocabulary):
        raise InputError(
            f"The table has {len(table)} rows for {len(vocabulary)} words. Save a network with its own reader."
        )
    own, further = table[: vocabulary.own_rows].clone(), table[vocabulary.own_rows :]
    half = further.half()
    exact = bool((half.float() == further).all())
    kept = {_OWN: own, _FURTHER: half if exact else further.clone()}
    weights = network.net.state_dict()
    return kept | {
        _NET + name: tensor.detach().cpu().contiguous().clone() for name, tensor in weights.items()
    }


def read_description(folder: str | Path) -> Description:
    """Read what a folder's network is, without its weights."""
    return _description(Path(folder), read_card(Path(folder)))


def read_card(folder: Path) -> dict[str, Any]:
    """Read network.json; what this version can't read is refused."""
    path = folder / CARD
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}. Name one that `rightreasons train` has made.")
    if not path.is_file():
        raise InputError(
            f"{folder} holds no network: it has no {CARD}. Name a folder that `rightreasons train` has made."
        )
    card = read_settings(path, again=_AGAIN)
    if card.get("format") != FORMAT:
        raise InputError(
            f"{path} has the format {card.get('format')!r:.60}, this version reads {FORMAT}. "
            "Use the version that made it, or train again."
        )
    for name, kind in _KINDS.items():
        if name in card and type(card[name]) is not kind:
            raise InputError(
                f"{path} does not say all of the network: its {name} is {card[name]!r:.80}. {_AGAIN}"
            )
    return card


def load_network(folder: str | Path, *, net: str | None = None) -> Loaded:
    """Load a network; with `net`, one of another name is refused."""
    place = Path(folder)
    card = read_card(place)
    description = _description(place, card)
    if net is not None and description.net != net:
        raise InputError(f"{folder} holds a network {description.net!r}, not {net!r}. Name another folder.")
    check_digests(place, card)
    reader = _reader(place, card)
    return Loaded(_network(place, description, reader), reader, description)


def check_digests(folder: Path, card: dict[str, Any]) -> dict[str, str]:
    """Make sure that the files are those that were saved, and give their digests."""
    digests: dict[str, str] = card.get("digests", {})
    for name in (WEIGHTS, WORDS):
        if not (folder / name).is_file():
            raise InputError(f"{folder} has no {name}, so the network is not whole. {_AGAIN}")
        if digest_of(folder / name) != digests.get(name):
            raise InputError(
                f"{folder / name} is not the file that was saved: it is cut or changed. {_AGAIN}"
            )
    return {**digests, CARD: digest_of(folder / CARD)}


def _description(folder: Path, card: dict[str, Any]) -> Description:
    values = {one.name: card[one.name] for one in fields(Description) if one.name in card}
    with _read_count(folder):
        found = Description(**{**values, "labels": tuple(map(str, card["labels"]))})
    if found.net not in NETS:
        raise UnknownNameError("network", found.net, NETS)
    if sorted(found.labels) not in (sorted(known_labels.THREE_LABELS), sorted(known_labels.TWO_LABELS)):
        listed = ", ".join(found.labels)
        raise InputError(f"{folder / CARD} has the labels {listed}, no two or three known ones. {_AGAIN}")
    return found


def _reader(folder: Path, card: dict[str, Any]) -> TextEncoder:
    words = tuple((folder / WORDS).read_bytes().decode().split("\n")[:-1])
    with _read_count(folder):
        own: int = card["own_words"]
        config = parse_text_config(card["reading"])
    if not 0 <= own <= len(words):
        raise InputError(f"{folder / CARD} has {own} own words, {WORDS} has {len(words)}. {_AGAIN}")
    return TextEncoder(Vocabulary(words, own), config)


@contextmanager
def _read_count(folder: Path) -> Iterator[None]:
    """Say that something is missing in network.json, or is not what it should be."""
    try:
        yield
    except (KeyError, TypeError) as error:
        raise InputError(f"{folder / CARD} does not say all of the network: {error}. {_AGAIN}") from error


def _network(folder: Path, description: Description, reader: TextEncoder) -> EmbeddingNetwork:
    """Make the network and put its weights in; torch's generator stays as it is."""
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    from rightreasons.nets.batches import EmbeddingNetwork

    try:
        tensors = load_file(folder / WEIGHTS)
        table = torch.cat([tensors.pop(_OWN), tensors.pop(_FURTHER).float()])
        _check_options(description, len(tensors))
        with torch.device("meta"):  # sizes alone, so that wrong ones take neither memory nor time
            _check_shapes(description.make(), tensors)
        with torch.random.fork_rng(devices=[]):  # what is drawn here is put over
            net = description.make()
        # Copied, since in the file they lie at odd addresses, from which some kernels add up in another order.
        weights = {name.removeprefix(_NET): value.clone() for name, value in tensors.items()}
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
            f"The weights in {folder} don't fit its {CARD}: {first_line(error)}. {_AGAIN}"
        ) from error
    if table.shape != (FIRST + len(reader.vocabulary.words), description.width):
        raise InputError(
            f"The table in {folder} has the shape {tuple(table.shape)}, but there are {len(reader.vocabulary.words)} "
            f"words and vectors are {description.width} wide. {_AGAIN}"
        )
    return EmbeddingNetwork(table, net, trained=description.trained_words).eval()


def _check_options(description: Description, tensors: int) -> None:
    """Refuse sizes before they are computed with; no network has more layers than tensors."""
    for name, value in {"width": description.width, **description.options}.items():
        sizes = value if isinstance(value, list) else [value]
        most = tensors if sizes is not value and name == "layers" else _LARGEST
        counts = [size for size in sizes if isinstance(size, int) and not isinstance(size, bool)]
        if len(sizes) > tensors or any(not 0 <= count <= most for count in counts):
            raise ValueError(f"its {name} is {value!r:.60}")


def _check_shapes(net: torch.nn.Module, tensors: dict[str, torch.Tensor]) -> None:
    """Refuse a network whose weights have other shapes than those of the file."""
    for name, weight in net.state_dict().items():
        found = tensors.get(_NET + name)
        if found is None or found.shape != weight.shape:
            has = "is missing" if found is None else f"has the shape {tuple(found.shape)}"
            raise ValueError(f"{name} {has}, not {tuple(weight.shape)}")
