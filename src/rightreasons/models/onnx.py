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
from rightreasons.models.backends import OnnxBackend
from rightreasons.models.heads import output_names
from rightreasons.models.loading import first_line, is_failure
from rightreasons.models.model_files import digest_folder
from rightreasons.models.model_settings import check_sizes, read_settings
from rightreasons.models.token_model import Backend, ModelFolder, TokenModel

if TYPE_CHECKING:
    from tokenizers import Tokenizer

FOLDER = DATA_FOLDER / "model"  # of the default model
GRAPH = "model.onnx"
TOKENIZER = "tokenizer.json"
CONFIG = "config.json"
_NO_LIMIT = 1_000_000  # tokenizers without a limit of their own state an absurd one


@dataclass(frozen=True)
class Onnx(TokenModel):
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

    def read(self) -> ModelFolder:
        """Look at the files, without the graph."""
        if not self.root.is_dir():
            raise InputError(f"There is no folder {self.root}. Write onnx:FOLDER with the model's folder.")
        path = self.root / CONFIG
        config = read_settings(path)
        check_sizes(config, path)
        names = output_names(config, path, self.labels)
        names = names or tuple(f"LABEL_{place}" for place in range(self._outputs()))
        config["id2label"] = dict(enumerate(names))
        settings = read_settings(self.root / "tokenizer_config.json")
        config["padding_side"] = settings.get("padding_side")
        tokenizer = read_tokenizer(self.root / TOKENIZER, self.name)
        return ModelFolder(tokenizer, config, known_length(settings.get("model_max_length")), self._digests())

    def precheck(self) -> None:
        """Load the graph, too, and find the labels of its outputs: files alone don't show whether they fit together.

        What is loaded is kept for the run, which would load it anyway.
        """
        super().precheck()
        _ = self.path, self.head
        self.check_outputs()

    def load(self) -> Backend:
        """Load the graph."""
        return OnnxBackend(self.path)

    @property
    def path(self) -> Path:
        """Find the file of the graph."""
        found = sorted(path.relative_to(self.root) for path in self.root.rglob("*.onnx"))
        wanted = Path(self.graph or GRAPH)
        if wanted in found or (len(found) == 1 and not self.graph):
            return self.root / (wanted if wanted in found else found[0])
        if found:
            there = ", ".join(map(str, found))
            raise InputError(
                f"The folder {self.root} has no {wanted}, but {there}. Choose one with -o graph=..."
            )
        saved = any(self.root.glob("*.safetensors")) or any(self.root.glob("pytorch_model*.bin"))
        other = f", or write hf:{self.root} for the model that is saved there" if saved else ""
        raise InputError(
            f"The folder {self.root} has no {wanted}, nor any other file that ends in .onnx. "
            f"Export the model into it first{other}."
        )

    def _digests(self) -> dict[str, str]:
        """Take the digests of all files that decide the answers: weights may have any name, in any folder."""
        return digest_folder(self.root, graph=self.path)

    def _outputs(self) -> int:
        """Count the outputs of a graph whose folder doesn't name them."""
        one = np.ones((1, 8), dtype=np.int64)
        return int(self.network.logits(one, np.zeros_like(one), one).shape[1])


@dataclass(frozen=True)
class Embedded(Onnx):
    """The model of the package: MiniLM-L6, fine-tuned on pairs of MultiNLI, SNLI and LingNLI."""

    name = "default"
    folder: str | Path = field(default=FOLDER, init=False)
    graph: str | None = field(default=None, init=False)
    labels: tuple[str, ...] | None = field(default=None, init=False)


def read_tokenizer(path: Path, model: str) -> Tokenizer:
    """Read a tokenizer from its one file."""
    from tokenizers import Tokenizer

    if not path.exists():
        raise InputError(
            f"The model {model!r} has no tokenizer: {path} is missing. Save its fast tokenizer there."
        )
    try:
        return Tokenizer.from_file(str(path))
    except BaseException as error:
        if not is_failure(error):
            raise
        raise InputError(
            f"The tokenizer {path} can't be read: {first_line(error)}. Save it again."
        ) from error


def known_length(stated: Any) -> int | None:
    """Take a tokenizer's own limit, unless it stands for none."""
    is_number = isinstance(stated, int | float) and not isinstance(stated, bool)
    return int(stated) if is_number and 1 <= stated < _NO_LIMIT else None
