"""A trained network as an ONNX graph, with the vocabulary that its inputs index."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from rightreasons.core.errors import InputError
from rightreasons.core.parts import Export
from rightreasons.models.network_export import export_network
from rightreasons.models.network_folder import CARD_FILE, WORDS_FILE

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.exports.export import ExportSource

GRAPH = "network.onnx"


@dataclass(frozen=True, kw_only=True)
class OnnxExport(Export):
    """The ONNX graph of a trained network, with its vocabulary."""

    takes: ClassVar[Literal["sets", "run", "network"]] = "network"

    def write(self, source: ExportSource, folder: Path) -> list[str]:
        """Write the graph, the vocabulary, and the card that says how texts become inputs."""
        if source.network is None:
            raise InputError("The export 'onnx' needs a trained network. Use net:FOLDER.")
        export_network(source.network, folder / GRAPH)
        for name in (CARD_FILE, WORDS_FILE):
            shutil.copy(source.network / name, folder / name)
        return [
            "The index of a word is its line number in words.txt plus 1; 0 is padding, 1 is an unknown word."
        ]
