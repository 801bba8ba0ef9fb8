"""A transformers model for sequence classification, from a folder or the hub, by torch or ONNX Runtime."""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rightreasons.errors import InputError
from rightreasons.models.onnx import known_length
from rightreasons.models.onnx_backend import OnnxBackend
from rightreasons.models.token_model import Backend, Parts, TokenModel, digest_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_WEIGHTS = ("*.safetensors", "pytorch_model*.bin")
_SETTINGS = ("config.json", "tokenizer*", "vocab*", "merges.txt", "*.model", "special_tokens_map.json")
_VOCABULARIES = ("tokenizer.json", "vocab*", "*.model")
_NO_TOKEN = -1
_COMMIT = re.compile(r"[0-9a-f]{40}")


class HuggingFace(TokenModel):
    """A sequence classifier of the transformers library: a folder, or a name on the Hugging Face hub."""

    name = "hf"
    extra = "hf"

    def __init__(
        self,
        name: str,
        *,
        revision: str | None = None,
        backend: Literal["torch", "onnx"] = "torch",
        int8: bool = False,
        device: str | None = None,
        labels: tuple[str, ...] | None = None,
        max_length: int | None = None,
        long: Literal["cut", "window-max", "window-mean"] = "cut",
        batch_size: int | None = None,
    ) -> None:
        """Choose the model, which is loaded when the first pair is asked.

        Args:
            name: a folder, or a name on the hub.
            revision: the branch, tag or commit on the hub.
            backend: torch, or onnx, which is faster on processors: the model is exported once and kept.
            int8: with onnx, multiply in 8 bits; agreement with fp32 is measured on a sample.
            device: with torch, cpu, cuda or mps; cuda computes in bf16.
            labels: of the outputs, in their order, where their names don't tell them.
            max_length: tokens of premise and hypothesis together; what the model allows if left out.
            long: premises beyond that are cut, or split into windows that overlap by a half: window-max takes the
                answer to the window with the highest probability of entailment, window-mean the mean probabilities.
            batch_size: pairs at a time, at most; found by a short trial if left out.
        """
        self.source, self.revision, self.device = name, revision, device
        self.engine, self.int8 = backend, int8
        self.name = f"hf:{name}"
        if int8 and backend != "onnx":
            raise InputError("The option int8 works with ONNX Runtime only. Add -o backend=onnx.")
        if backend == "onnx" and device not in (None, "cpu"):
            raise InputError(f"The device {device!r} works with torch only. Use -o backend=torch for it.")
        super().__init__(labels, max_length, long, batch_size)

    def read(self) -> Parts:
        """Read the settings and the tokenizer."""
        _check_folder(self.source, self.name)
        with _told(self.name, self.source):
            from transformers import AutoConfig, AutoTokenizer

            config = AutoConfig.from_pretrained(self.source, revision=self.commit)
            tokenizer = AutoTokenizer.from_pretrained(self.source, revision=self.commit)
        fast = getattr(tokenizer, "backend_tokenizer", None)
        if fast is None:
            raise InputError(
                f"The model {self.name!r} has a slow tokenizer only. Save a fast one (tokenizer.json) into a copy "
                "of its folder."
            )
        self.inputs = tuple(tokenizer.model_input_names)
        settings = config.to_dict()
        settings["pad_token_id"] = _pad(tokenizer, config)
        settings["padding_side"] = tokenizer.padding_side
        return Parts(fast, settings, known_length(tokenizer.model_max_length), self._digests())

    def load(self) -> Backend:
        """Load the weights, into torch or as an exported graph."""
        if self.engine == "onnx":
            return self._load_int8() if self.int8 else OnnxBackend(self._graph())
        from rightreasons.models.torch_backend import TorchBackend, check_device

        device = check_device(self.device)
        return TorchBackend(self._module(device), self.inputs, device)

    def load_exact(self) -> Backend | None:
        """Load the graph in fp32 that the one in int8 was made from."""
        return OnnxBackend(self._graph()) if self.int8 else None

    def settings(self) -> dict[str, Any]:
        """Say how it is computed."""
        return {"backend": self.engine, "int8": self.int8, "device": self.device or "cpu"}

    @cached_property
    def commit(self) -> str | None:
        """The commit on the hub that all files are taken from; a folder has none."""
        if Path(self.source).is_dir():
            return None
        from transformers.utils.hub import cached_file

        # The cache keeps the files of each commit in a folder that is called like it.
        kept = Path(cached_file(self.source, "config.json", revision=self.revision) or "")
        if not _COMMIT.fullmatch(kept.parent.name):
            raise InputError(
                f"The model {self.name!r} lies in {kept.parent}, which names no commit of the hub. "
                "Remove it from the cache, or name that folder."
            )
        return kept.parent.name

    def _digests(self) -> dict[str, str]:
        """Take the digests of all files that matter, or on the hub the commit, which stands for them."""
        if self.commit is not None:
            return {self.source: self.commit}  # a commit names one state of all files for good
        found = {path for pattern in (*_WEIGHTS, *_SETTINGS) for path in Path(self.source).glob(pattern)}
        return {path.name: digest_of(path) for path in sorted(found)}

    def _module(self, device: str = "cpu") -> Any:
        with _told(self.name, self.source):
            import torch
            from transformers import AutoModelForSequenceClassification

            dtype = torch.bfloat16 if device.startswith("cuda") else torch.float32
            # The number of labels is never passed: it would wipe out their names.
            module, report = AutoModelForSequenceClassification.from_pretrained(
                self.source, revision=self.commit, dtype=dtype, output_loading_info=True
            )
        missing = sorted(report["missing_keys"])
        if missing:
            raise InputError(
                f"The model {self.name!r} is no trained sequence classifier: its weights lack {missing[0]}. "
                "Name a model that was trained for natural language inference."
            )
        if getattr(module.config, "pad_token_id", 0) is None:
            # Heads that look for the last token refuse batches without one; rows of one length need none.
            module.config.pad_token_id = _NO_TOKEN
        return module.eval()

    def _graph(self) -> Path:
        from rightreasons.models import exporting

        def write(out: Path) -> None:
            parts = self.parts
            exporting.export(
                self._module(), parts.tokenizer, self.inputs, out, pad=parts.pad, model=self.name
            )

        return exporting.cached_graph(self.parts.digests, write)

    def _load_int8(self) -> OnnxBackend:
        from rightreasons.models import exporting

        variant = f"int8 {'full' if exporting.has_vnni() else 'reduced'} range"
        graph = self._graph()
        small = exporting.cached_graph(
            self.parts.digests, lambda out: exporting.quantise(graph, out), variant
        )
        return OnnxBackend(small, "int8")


def _check_folder(source: str, model: str) -> None:
    """Refuse a folder that lacks something, before transformers says it in its own way."""
    folder = Path(source)
    if not folder.is_dir():
        if folder.exists() or source.startswith((".", "/", "~")):
            raise InputError(
                f"There is no folder {source}. Write hf:FOLDER, or hf:NAME of a model on the hub."
            )
        return
    needed = {"config.json": ("config.json",), "tokenizer": _VOCABULARIES, "weights": _WEIGHTS}
    for what, patterns in needed.items():
        if not any(path for pattern in patterns for path in folder.glob(pattern)):
            raise InputError(
                f"The folder {source} of the model {model!r} has no {what} ({' or '.join(patterns)}). "
                "Save the model and its tokenizer into it with save_pretrained."
            )


def _pad(tokenizer: Any, config: Any) -> int:
    """Find the token that fills rows up; where there is none, masked tokens may be any."""
    found = (tokenizer.pad_token_id, getattr(config, "pad_token_id", None))
    return next((int(pad) for pad in found if pad is not None), 0)


@contextmanager
def _told(model: str, source: str) -> Iterator[None]:
    """Load something with transformers, in silence, and say in one sentence what is wrong."""
    try:
        with _silent():
            yield
    except ImportError as error:
        raise InputError(
            f"The model {model!r} needs a package: {_first(error)} pip install 'rightreasons[hf]'"
        ) from error
    except _load_errors() as error:
        if Path(source).is_dir():
            raise InputError(
                f"The model {model!r} can't be loaded: {_first(error)} Save it again."
            ) from error
        raise InputError(
            f"The model {model!r} can't be loaded: there is no folder {source} here, and from the hub: "
            f"{_first(error)} Check the name and the network, or name a folder."
        ) from error


def _load_errors() -> tuple[type[Exception], ...]:
    """List what broken files, missing networks and unknown architectures come as."""
    from pickle import UnpicklingError

    from safetensors import SafetensorError

    known = (OSError, ValueError, RuntimeError, LookupError, TypeError, AttributeError, EOFError)
    return (*known, UnpicklingError, SafetensorError)


def _first(error: BaseException) -> str:
    said = str(error).strip().splitlines() or [type(error).__name__]
    return said[0].rstrip(". ") + "."


@contextmanager
def _silent() -> Iterator[None]:
    """Keep progress bars and load reports of transformers to themselves."""
    from transformers.utils import logging

    verbosity, has_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if has_bars:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]
