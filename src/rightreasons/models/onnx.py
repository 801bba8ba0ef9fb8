"""A folder with an ONNX graph and its tokenizer as a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.models.failures import first_line, is_failure
from rightreasons.models.label_maps import output_names
from rightreasons.models.model_files import digest_folder
from rightreasons.models.model_settings import check_sizes, read_settings
from rightreasons.models.onnx_backend import OnnxBackend
from rightreasons.models.token_model import Backend, ModelFolder, TokenModel

if TYPE_CHECKING:
    from tokenizers import Tokenizer

GRAPH = "model.onnx"
TOKENIZER = "tokenizer.json"
CONFIG = "config.json"
_NO_LIMIT = 1_000_000  # tokenizers without a limit of their own state an absurd one


class Onnx(TokenModel):
    """A sequence-pair classifier in ONNX: a folder with the graph, tokenizer.json and config.json."""

    name = "onnx"

    def __init__(
        self,
        folder: str | Path,
        *,
        graph: str | None = None,
        labels: tuple[str, ...] | None = None,
        max_length: int | None = None,
        long: Literal["cut", "window-max", "window-mean"] = "cut",
        batch_size: int | None = None,
    ) -> None:
        """Choose the folder, which is looked at when the first pair is asked.

        Args:
            folder: where the graph, tokenizer.json and config.json are.
            graph: the file of the graph, where the folder has several and none is model.onnx.
            labels: of the outputs, in their order, where the names in config.json don't tell them.
            max_length: tokens of premise and hypothesis together; what the model allows if left out.
            long: premises beyond that are cut, or split into windows that overlap by a half: window-max takes the
                answer to the window with the highest probability of entailment, window-mean the mean probabilities.
            batch_size: pairs at a time, at most; by the tokens if left out.
        """
        self.folder, self.graph = Path(folder), graph
        self.name = f"onnx:{folder}" if type(self) is Onnx else self.name
        super().__init__(labels, max_length, long, batch_size)

    def read(self) -> ModelFolder:
        """Look at the files, without the graph."""
        if not self.folder.is_dir():
            raise InputError(f"There is no folder {self.folder}. Write onnx:FOLDER with the model's folder.")
        path = self.folder / CONFIG
        config = read_settings(path)
        check_sizes(config, path)
        names = output_names(config, path, self.labels)
        names = names or tuple(f"LABEL_{place}" for place in range(self._outputs()))
        config["id2label"] = dict(enumerate(names))
        settings = read_settings(self.folder / "tokenizer_config.json")
        config["padding_side"] = settings.get("padding_side")
        tokenizer = read_tokenizer(self.folder / TOKENIZER, self.name)
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
        found = sorted(path.relative_to(self.folder) for path in self.folder.rglob("*.onnx"))
        wanted = Path(self.graph or GRAPH)
        if wanted in found or (len(found) == 1 and not self.graph):
            return self.folder / (wanted if wanted in found else found[0])
        if found:
            there = ", ".join(map(str, found))
            raise InputError(
                f"The folder {self.folder} has no {wanted}, but {there}. Choose one with -o graph=..."
            )
        saved = any(self.folder.glob("*.safetensors")) or any(self.folder.glob("pytorch_model*.bin"))
        other = f", or write hf:{self.folder} for the model that is saved there" if saved else ""
        raise InputError(
            f"The folder {self.folder} has no {wanted}, nor any other file that ends in .onnx. "
            f"Export the model into it first{other}."
        )

    def _digests(self) -> dict[str, str]:
        """Take the digests of all files that decide the answers: weights may have any name, in any folder."""
        return digest_folder(self.folder, graph=self.path)

    def _outputs(self) -> int:
        """Count the outputs of a graph whose folder doesn't name them."""
        one = np.ones((1, 8), dtype=np.int64)
        return int(self.backend.logits(one, np.zeros_like(one), one).shape[1])


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
