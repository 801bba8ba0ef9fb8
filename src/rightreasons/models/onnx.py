"""A folder with an ONNX graph and its tokenizer as a model."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.core.options import option
from rightreasons.core.resources import DATA_FOLDER
from rightreasons.models.file_digests import digest_folder
from rightreasons.models.library_errors import is_code_failure, summarize_error
from rightreasons.models.logit_backends import OnnxBackend
from rightreasons.models.model_settings import check_size_settings, read_json_settings
from rightreasons.models.output_labels import read_output_names
from rightreasons.models.transformer_model import Backend, ModelFolder, TransformerModel

if TYPE_CHECKING:
    from tokenizers import Tokenizer

EMBEDDED_FOLDER = DATA_FOLDER / "model"  # of the default model
GRAPH_FILE = "model.onnx"
TOKENIZER_FILE = "tokenizer.json"
CONFIG_FILE = "config.json"
_NO_LIMIT = 1_000_000  # tokenizers without a limit state an absurdly large one


@dataclass(frozen=True)
class Onnx(TransformerModel):
    """A sequence-pair classifier in ONNX: a folder with the graph, tokenizer.json and config.json."""

    folder: str | Path = option(help="Folder with the graph, tokenizer.json and config.json.")
    _: KW_ONLY
    graph: str | None = option(
        None, help="File of the graph, if the folder has several and none is model.onnx."
    )

    @cached_property
    def name(self) -> str:
        """The name, such as onnx:FOLDER."""
        return f"onnx:{self.folder}"

    @cached_property
    def root(self) -> Path:
        """The path of the folder."""
        return Path(self.folder)

    def read_tokenizer_and_settings(self) -> ModelFolder:
        """Read the folder, without the graph."""
        if not self.root.is_dir():
            raise InputError(f"There is no folder {self.root}. Use onnx:FOLDER with the folder of a model.")
        path = self.root / CONFIG_FILE
        config = read_json_settings(path)
        check_size_settings(config, path)
        names = read_output_names(config, path, self.labels)
        names = names or tuple(f"LABEL_{place}" for place in range(self._count_outputs()))
        config["id2label"] = dict(enumerate(names))
        settings = read_json_settings(self.root / "tokenizer_config.json")
        config["padding_side"] = settings.get("padding_side")
        tokenizer = read_tokenizer_file(self.root / TOKENIZER_FILE, self.name)
        return ModelFolder(
            tokenizer,
            config,
            parse_tokenizer_limit(settings.get("model_max_length")),
            self._compute_file_digests(),
        )

    def precheck(self) -> None:
        """Load the graph as well, and resolve the labels of its outputs, to check that the files fit together.

        What is loaded is kept for the run, which would load it anyway.
        """
        super().precheck()
        _ = self.graph_path, self.head
        self.check_short_pair()

    def load_backend(self) -> Backend:
        """Load the graph."""
        return OnnxBackend(self.graph_path)

    @property
    def graph_path(self) -> Path:
        """The file of the graph."""
        graphs = sorted(path.relative_to(self.root) for path in self.root.rglob("*.onnx"))
        wanted = Path(self.graph or GRAPH_FILE)
        if wanted in graphs or (len(graphs) == 1 and not self.graph):
            return self.root / (wanted if wanted in graphs else graphs[0])
        if graphs:
            there = ", ".join(map(str, graphs))
            raise InputError(
                f"The folder {self.root} has no {wanted}, but it has {there}. Choose a graph with -o graph=..."
            )
        saved = any(self.root.glob("*.safetensors")) or any(self.root.glob("pytorch_model*.bin"))
        alternative = f", or use hf:{self.root} to load the saved model" if saved else ""
        raise InputError(
            f"The folder {self.root} has no {wanted} and no other .onnx file. "
            f"Export the model to this folder{alternative}."
        )

    def _compute_file_digests(self) -> dict[str, str]:
        """Compute the digests of all files that determine the predictions; weights may have any name, in any folder."""
        return digest_folder(self.root, graph=self.graph_path)

    def _count_outputs(self) -> int:
        """Count the outputs of a graph without names, by running it."""
        ones = np.ones((1, 8), dtype=np.int64)
        return int(self.network.compute_logits(ones, np.zeros_like(ones), ones).shape[1])


@dataclass(frozen=True)
class Embedded(Onnx):
    """The bundled model: MiniLM-L6, fine-tuned on pairs of MultiNLI, SNLI and LingNLI."""

    name = "default"
    folder: str | Path = field(default=EMBEDDED_FOLDER, init=False)
    graph: str | None = field(default=None, init=False)
    labels: tuple[str, ...] | None = field(default=None, init=False)


def read_tokenizer_file(path: Path, model: str) -> Tokenizer:
    """Read a tokenizer from its file."""
    from tokenizers import Tokenizer

    if not path.exists():
        raise InputError(
            f"The model {model!r} has no tokenizer: {path} is missing. Save the fast tokenizer of the model there."
        )
    try:
        return Tokenizer.from_file(str(path))
    except BaseException as error:
        if not is_code_failure(error):
            raise
        raise InputError(
            f"The tokenizer {path} can't be loaded: {summarize_error(error)}. Save the tokenizer again."
        ) from error


def parse_tokenizer_limit(stated: Any) -> int | None:
    """Parse the limit that a tokenizer states; None if it has none."""
    is_number = isinstance(stated, int | float) and not isinstance(stated, bool)
    return int(stated) if is_number and 1 <= stated < _NO_LIMIT else None
