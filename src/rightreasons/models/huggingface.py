"""A transformers model for sequence classification, from a folder or the hub, by torch or ONNX Runtime."""

from __future__ import annotations

import re
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

from rightreasons.core.errors import InputError
from rightreasons.core.options import option
from rightreasons.models.backends import OnnxBackend
from rightreasons.models.heads import is_ambiguous, output_names
from rightreasons.models.loading import loading
from rightreasons.models.model_files import digest_folder
from rightreasons.models.model_settings import (
    check_adapter,
    check_code,
    check_sizes,
    check_token_files,
    check_weight_files,
    find_file,
    load_config,
    read_settings,
)
from rightreasons.models.onnx import known_length
from rightreasons.models.token_model import Backend, ModelFolder, TokenModel

_CONFIG, _TOKENS, _ADAPTER = "config.json", "tokenizer_config.json", "adapter_config.json"
_INDEXES = ("model.safetensors.index.json", "pytorch_model.bin.index.json")
_WEIGHTS = ("*.safetensors", "pytorch_model*.bin")
_VOCABULARIES = ("tokenizer.json", "vocab*", "*.model")
_NO_TOKEN = -1
_COMMIT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True)
class HuggingFace(TokenModel):
    """A sequence classifier of the transformers library: a folder, or a name on the Hugging Face hub."""

    extra: ClassVar[str | None] = "hf"
    model: str = option(help="Folder of the model, or its name on the hub.")
    _: KW_ONLY
    revision: str | None = option(None, help="Branch, tag or commit on the hub.")
    backend: Literal["torch", "onnx"] = option(
        "torch",
        help="torch or onnx. onnx is faster on CPUs: the model is exported once and cached.",
    )
    int8: bool = option(
        default=False, help="Quantize to 8 bits, with onnx; agreement with fp32 is measured on a sample."
    )
    device: str | None = option(None, help="cpu, cuda or mps, with torch; cuda computes in bf16.")
    trust_remote_code: bool = option(
        default=False,
        help="Run the Python code that comes with the model, with all rights of your account. Read it first.",
    )

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        if self.int8 and self.backend != "onnx":
            raise InputError("The option int8 works with ONNX Runtime only. Add -o backend=onnx.")
        if self.backend == "onnx" and self.device not in (None, "cpu"):
            raise InputError(
                f"The device {self.device!r} works with torch only. Use -o backend=torch for it."
            )

    @cached_property
    def name(self) -> str:
        """The name, such as hf:FOLDER."""
        return f"hf:{self.model}"

    def read(self) -> ModelFolder:
        """Read the settings and the tokenizer."""
        _check_folder(self.model, self.name)
        with loading(f"The model {self.name!r}", self.model):
            from transformers import AutoTokenizer

            self._check_settings()
            tokenizer = AutoTokenizer.from_pretrained(
                self.model, revision=self.commit, config=self.config, trust_remote_code=self.trust_remote_code
            )
            fast = getattr(tokenizer, "backend_tokenizer", None)
            inputs = tuple(tokenizer.model_input_names)
            settings = self.config.to_dict()
            settings["pad_token_id"] = _pad(tokenizer, self.config)
            settings["padding_side"] = tokenizer.padding_side
        if fast is None:
            raise InputError(
                f"The model {self.name!r} has a slow tokenizer only. Save a fast one (tokenizer.json) into a copy "
                "of its folder."
            )
        return ModelFolder(fast, settings, known_length(tokenizer.model_max_length), self._digests(), inputs)

    def precheck(self) -> None:
        """Check the device, load the weights, and find the labels of the outputs.

        The settings alone don't show whether the weights are whole and fit them. What is loaded is kept for the run.
        """
        super().precheck()
        if self.device is not None:
            from rightreasons.models.backends import check_device

            check_device(self.device)
        _ = self.head
        self.check_outputs()

    def load(self) -> Backend:
        """Load the weights, into torch or as an exported graph."""
        if self.backend == "onnx":
            return self._load_int8() if self.int8 else OnnxBackend(self._graph())
        from rightreasons.models.backends import TorchBackend, check_device

        device = check_device(self.device)
        return TorchBackend(self._module(device), self.parts.inputs, device)

    def load_exact(self) -> Backend | None:
        """Load the graph in fp32 that the one in int8 was made from."""
        return OnnxBackend(self._graph()) if self.int8 else None

    def settings(self) -> dict[str, Any]:
        """Say how it is computed."""
        return {
            "backend": self.backend,
            "int8": self.int8,
            "device": self.device or "cpu",
            "trust_remote_code": self.trust_remote_code,
        }

    @cached_property
    def commit(self) -> str | None:
        """The commit on the hub that all files are taken from; a folder has none."""
        if Path(self.model).is_dir():
            return None
        from transformers.utils.hub import cached_file

        # The cache keeps the files of each commit in a folder that is called like it.
        kept = Path(cached_file(self.model, _CONFIG, revision=self.revision) or "")
        if not _COMMIT.fullmatch(kept.parent.name):
            raise InputError(
                f"The model {self.name!r} lies in {kept.parent}, which names no commit of the hub. "
                "Remove it from the cache, or name that folder."
            )
        return kept.parent.name

    @cached_property
    def config(self) -> Any:
        """The settings as transformers has them."""
        path = self._file(_CONFIG)
        settings = read_settings(path)
        names = output_names(settings, path, self.labels)
        return load_config(
            self.model,
            settings,
            names if is_ambiguous(settings) else None,
            revision=self.commit,
            trusted=self.trust_remote_code,
        )

    def _file(self, name: str) -> Path:
        """Find a file of the model, which need not be there."""
        return find_file(self.model, name, self.commit)

    def _check_settings(self) -> None:
        """Refuse what transformers would fail on in its own way, follow to other files, or run."""
        paths = {name: self._file(name) for name in (_CONFIG, _TOKENS)}
        settings = {name: read_settings(path) for name, path in paths.items()}
        check_code(settings, self.name, trusted=self.trust_remote_code)
        check_adapter(read_settings(self._file(_ADAPTER)), self.name)
        check_sizes(settings[_CONFIG], paths[_CONFIG])
        check_token_files(settings[_TOKENS], paths[_TOKENS])
        for name in _INDEXES:
            check_weight_files(read_settings(self._file(name)), self._file(name))

    def _digests(self) -> dict[str, str]:
        """Take the digests of all files that matter, or on the hub the commit, which stands for them."""
        if self.commit is not None:
            return {self.model: self.commit}  # a commit names one state of all files for good
        return digest_folder(Path(self.model), everything=self.trust_remote_code)

    def _module(self, device: str = "cpu") -> Any:
        with loading(f"The model {self.name!r}", self.model):
            import torch
            from transformers import AutoModelForSequenceClassification

            dtype = torch.bfloat16 if device.startswith("cuda") else torch.float32
            # The number of labels is never passed: it would wipe out their names.
            module, report = AutoModelForSequenceClassification.from_pretrained(
                self.model,
                config=self.config,
                revision=self.commit,
                dtype=dtype,
                output_loading_info=True,
                trust_remote_code=self.trust_remote_code,
                weights_only=True,
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
            exporting.export_classifier(
                self._module(), parts.tokenizer, parts.inputs, out, pad=parts.pad, model=self.name
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
