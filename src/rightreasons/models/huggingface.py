"""A transformers model for sequence classification, from a folder or the Hugging Face Hub, by torch or ONNX Runtime."""

from __future__ import annotations

import re
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

from rightreasons.core.errors import InputError
from rightreasons.core.options import option
from rightreasons.models.file_digests import digest_folder
from rightreasons.models.library_errors import convert_load_errors
from rightreasons.models.logit_backends import OnnxBackend, refuse_non_cpu_device
from rightreasons.models.model_settings import (
    check_size_settings,
    check_weight_index,
    get_model_file_path,
    load_transformers_config,
    read_json_settings,
    refuse_adapter,
    refuse_tokenizer_file_settings,
    refuse_untrusted_code,
)
from rightreasons.models.onnx import parse_tokenizer_limit
from rightreasons.models.output_labels import has_unusable_output_names, read_output_names
from rightreasons.models.transformer_model import Backend, ModelFolder, TransformerModel

_CONFIG_FILE, _TOKENIZER_FILE, _ADAPTER_FILE = "config.json", "tokenizer_config.json", "adapter_config.json"
_INDEX_FILES = ("model.safetensors.index.json", "pytorch_model.bin.index.json")
_WEIGHT_FILES = ("*.safetensors", "pytorch_model*.bin")
_TOKENIZER_FILES = ("tokenizer.json", "vocab*", "*.model")
_NO_PAD_ID = -1
_COMMIT_HASH = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True)
class HuggingFace(TransformerModel):
    """A sequence classifier of the transformers library: a folder, or a name on the Hugging Face hub."""

    extra: ClassVar[str | None] = "hf"
    model: str = option(help="Folder of the model, or its name on the Hugging Face Hub.")
    _: KW_ONLY
    revision: str | None = option(None, help="Branch, tag or commit on the Hugging Face Hub.")
    backend: Literal["torch", "onnx"] = option(
        "torch",
        help="torch or onnx. onnx is faster on CPUs: the model is exported once and cached.",
    )
    int8: bool = option(
        default=False, help="Quantize to 8 bits (onnx only); agreement with fp32 is measured on a sample."
    )
    device: str | None = option(None, help="cpu, cuda or mps (torch only); cuda computes in bf16.")
    trust_remote_code: bool = option(
        default=False,
        help="Run the Python code of the model, with all permissions of your account. Read the code first.",
    )

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        if self.int8 and self.backend != "onnx":
            raise InputError("The option int8 works with ONNX Runtime only. Add -o backend=onnx.")
        if self.backend == "onnx":
            refuse_non_cpu_device(self.device)

    @cached_property
    def name(self) -> str:
        """The name, such as hf:FOLDER."""
        return f"hf:{self.model}"

    def read_tokenizer_and_settings(self) -> ModelFolder:
        """Read the settings and the tokenizer."""
        _check_model_folder(self.model, self.name)
        with convert_load_errors(f"The model {self.name!r}", self.model):
            from transformers import AutoTokenizer

            self._check_settings_files()
            tokenizer = AutoTokenizer.from_pretrained(
                self.model,
                revision=self.hub_commit,
                config=self.config,
                trust_remote_code=self.trust_remote_code,
            )
            fast = getattr(tokenizer, "backend_tokenizer", None)
            inputs = tuple(tokenizer.model_input_names)
            settings = self.config.to_dict()
            settings["pad_token_id"] = _find_pad_id(tokenizer, self.config)
            settings["padding_side"] = tokenizer.padding_side
        if fast is None:
            raise InputError(
                f"The model {self.name!r} has only a slow tokenizer. Save a fast tokenizer (tokenizer.json) to a copy "
                "of its folder."
            )
        return ModelFolder(
            fast,
            settings,
            parse_tokenizer_limit(tokenizer.model_max_length),
            self._compute_file_digests(),
            inputs,
        )

    def precheck(self) -> None:
        """Check the device, load the weights, and resolve the labels of the outputs.

        The settings alone don't show whether the weights are whole and fit them. What is loaded is kept for the run.
        """
        super().precheck()
        if self.device is not None:
            from rightreasons.models.logit_backends import resolve_torch_device

            resolve_torch_device(self.device)
        _ = self.head
        self.check_short_pair()

    def load_backend(self) -> Backend:
        """Load the weights, into torch or as an exported graph."""
        if self.backend == "onnx":
            return self._load_int8_backend() if self.int8 else OnnxBackend(self._get_exported_graph())
        from rightreasons.models.logit_backends import TorchBackend, resolve_torch_device

        device = resolve_torch_device(self.device)
        return TorchBackend(self._load_torch_model(device), self.contents.input_names, device)

    def load_exact_backend(self) -> Backend | None:
        """Load the fp32 graph that was quantized to int8."""
        return OnnxBackend(self._get_exported_graph()) if self.int8 else None

    def get_fingerprint_options(self) -> dict[str, Any]:
        """Return how the logits are computed."""
        return {
            "backend": self.backend,
            "int8": self.int8,
            "device": self.device or "cpu",
            "trust_remote_code": self.trust_remote_code,
        }

    @cached_property
    def hub_commit(self) -> str | None:
        """The commit on the hub that all files are taken from; a folder has none."""
        if Path(self.model).is_dir():
            return None
        from transformers.utils.hub import cached_file

        # The cache stores the files of each commit in a folder with its name.
        path = Path(cached_file(self.model, _CONFIG_FILE, revision=self.revision) or "")
        if not _COMMIT_HASH.fullmatch(path.parent.name):
            raise InputError(
                f"The model {self.name!r} is cached in {path.parent}, a folder that is not named after a commit. "
                f"Remove the folder from the cache, or load it directly with hf:{path.parent}."
            )
        return path.parent.name

    @cached_property
    def config(self) -> Any:
        """The configuration object of transformers."""
        path = self._get_file_path(_CONFIG_FILE)
        settings = read_json_settings(path)
        names = read_output_names(settings, path, self.labels)
        return load_transformers_config(
            self.model,
            settings,
            names if has_unusable_output_names(settings) else None,
            revision=self.hub_commit,
            trusted=self.trust_remote_code,
        )

    def _get_file_path(self, name: str) -> Path:
        """Return the path of a file of the model, which may not exist."""
        return get_model_file_path(self.model, name, self.hub_commit)

    def _check_settings_files(self) -> None:
        """Refuse settings on which transformers would fail, follow paths to other files, or run code."""
        paths = {name: self._get_file_path(name) for name in (_CONFIG_FILE, _TOKENIZER_FILE)}
        settings = {name: read_json_settings(path) for name, path in paths.items()}
        refuse_untrusted_code(settings, self.name, trusted=self.trust_remote_code)
        refuse_adapter(read_json_settings(self._get_file_path(_ADAPTER_FILE)), self.name)
        check_size_settings(settings[_CONFIG_FILE], paths[_CONFIG_FILE])
        refuse_tokenizer_file_settings(settings[_TOKENIZER_FILE], paths[_TOKENIZER_FILE])
        for name in _INDEX_FILES:
            check_weight_index(read_json_settings(self._get_file_path(name)), self._get_file_path(name))

    def _compute_file_digests(self) -> dict[str, str]:
        """Compute the digests of all files that matter; on the hub, the commit replaces them."""
        if self.hub_commit is not None:
            return {self.model: self.hub_commit}  # a commit identifies the content of all files permanently
        return digest_folder(Path(self.model), everything=self.trust_remote_code)

    def _load_torch_model(self, device: str = "cpu") -> Any:
        with convert_load_errors(f"The model {self.name!r}", self.model):
            import torch
            from transformers import AutoModelForSequenceClassification

            dtype = torch.bfloat16 if device.startswith("cuda") else torch.float32
            # The number of labels is not passed: it would delete their names.
            module, report = AutoModelForSequenceClassification.from_pretrained(
                self.model,
                config=self.config,
                revision=self.hub_commit,
                dtype=dtype,
                output_loading_info=True,
                trust_remote_code=self.trust_remote_code,
                weights_only=True,
            )
        missing = sorted(report["missing_keys"])
        if missing:
            raise InputError(
                f"The model {self.name!r} is not a trained sequence classifier: its weights lack {missing[0]}. "
                "Choose a model that was trained for natural language inference."
            )
        if getattr(module.config, "pad_token_id", 0) is None:
            # Heads that look for the last token refuse batches without one; rows of one length need none.
            module.config.pad_token_id = _NO_PAD_ID
        return module.eval()

    def _get_exported_graph(self) -> Path:
        from rightreasons.models import transformer_export

        def write(out: Path) -> None:
            contents = self.contents
            transformer_export.export_classifier(
                self._load_torch_model(),
                contents.tokenizer,
                contents.input_names,
                out,
                pad_id=contents.pad_id,
                model=self.name,
            )

        return transformer_export.get_or_export_graph(self.contents.digests, write)

    def _load_int8_backend(self) -> OnnxBackend:
        from rightreasons.models import transformer_export

        variant = f"int8 {'full' if transformer_export.has_vnni() else 'reduced'} range"
        graph = self._get_exported_graph()
        small = transformer_export.get_or_export_graph(
            self.contents.digests, lambda out: transformer_export.quantize_graph(graph, out), variant
        )
        return OnnxBackend(small, "int8")


def _check_model_folder(source: str, model: str) -> None:
    """Refuse an incomplete folder with a clear message, before transformers does."""
    folder = Path(source)
    if not folder.is_dir():
        if folder.exists() or source.startswith((".", "/", "~")):
            raise InputError(
                f"There is no folder {source}. Use hf:FOLDER, or hf:NAME for a model on the Hugging Face Hub."
            )
        return
    needed = {"config.json": ("config.json",), "tokenizer": _TOKENIZER_FILES, "weights": _WEIGHT_FILES}
    for what, patterns in needed.items():
        if not any(path for pattern in patterns for path in folder.glob(pattern)):
            raise InputError(
                f"The folder {source} of the model {model!r} has no {what} ({' or '.join(patterns)}). "
                "Save the model and its tokenizer to this folder with save_pretrained."
            )


def _find_pad_id(tokenizer: Any, config: Any) -> int:
    """Find the id of the padding token; without one any id will do, since padding is masked."""
    candidates = (tokenizer.pad_token_id, getattr(config, "pad_token_id", None))
    return next((int(pad) for pad in candidates if pad is not None), 0)
