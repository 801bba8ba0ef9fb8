"""A trained network as an ONNX graph, with the words that its inputs number."""

from __future__ import annotations

import shutil
from pathlib import Path

from rightreasons.core.errors import InputError
from rightreasons.models.network_export import export_network
from rightreasons.models.network_folder import CARD, WORDS

GRAPH = "network.onnx"
KIND = "net:"


def write(what: str, folder: Path) -> list[str]:
    """Write the graph of net:FOLDER, and what says how texts become its inputs."""
    if not what.startswith(KIND):
        raise InputError(
            f"The target 'onnx' takes a network that `rightreasons train` made, and {what!r} is none. Write net:FOLDER."
        )
    source = Path(what.removeprefix(KIND))
    export_network(source, folder / GRAPH)
    for name in (CARD, WORDS):
        shutil.copy(source / name, folder / name)
    return ["A word's number is its line in words.txt plus 1; 0 is padding and 1 an unknown word."]
