"""Backends that compute logits: ONNX Runtime, with one batch on each core, and torch."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.models.library_errors import is_code_failure, summarize_error
from rightreasons.models.output_labels import check_logits_shape

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import torch
    from numpy.typing import NDArray

    from rightreasons.models.pair_encoding import Numbers


_ONNX_MEMORY = re.compile(r"allocate memory|bad_alloc|out of memory|BFCArena", re.IGNORECASE)
_POSITIONS_ADVICE = "If the model has fewer positions, lower -o max_length"
_TORCH_MEMORY = re.compile(r"out of memory|can't allocate memory|bad_alloc|not enough memory", re.IGNORECASE)
_CPU_TOKENS = (1024, 512, 2048, 4096)
_GPU_TOKENS = (16384, 65536)
_MAX_DIGITS = 9  # of OMP_NUM_THREADS
_INPUT_TYPES = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


class OnnxBackend:
    """A graph from token ids to logits."""

    # Measured with MiniLM and BERT-base sizes: larger batches no longer fit the caches of a core.
    batch_tokens: tuple[int, ...] = (512, 256, 1024)

    def __init__(self, path: Path, dtype: str = "float32") -> None:
        """Load the graph with all optimisations."""
        import onnxruntime  # type: ignore[import-untyped]

        self.workers = count_usable_cores()
        self.session = load_onnx_session(path)
        self.input_types = {
            node.name: _INPUT_TYPES.get(node.type, np.int64) for node in self.session.get_inputs()
        }
        self.output_name = _find_logits_output(self.session, path)
        unknown = sorted(self.input_types.keys() - {"input_ids", "token_type_ids", "attention_mask"})
        if unknown or "input_ids" not in self.input_types:
            raise InputError(
                f"{path} has the inputs {', '.join(self.input_types)}. "
                "Export it with input_ids and, if required, attention_mask and token_type_ids."
            )
        self.facts: dict[str, Any] = {
            "backend": "onnx",
            "dtype": dtype,
            "device": "cpu",
            "threads": self.workers,
            "onnxruntime": onnxruntime.__version__,
        }

    def compute_logits(self, ids: Numbers, types: Numbers, mask: Numbers) -> NDArray[np.float32]:
        """Compute the logits of one batch; the graph gets only the inputs that it has."""
        tables = {"input_ids": ids, "token_type_ids": types, "attention_mask": mask}
        inputs = {name: tables[name].astype(kind, copy=False) for name, kind in self.input_types.items()}
        with _convert_onnx_memory_errors(), _convert_graph_run_errors(ids.shape[1]):
            (outputs,) = self.session.run([self.output_name], inputs)
        return check_logits_shape(outputs, len(ids))


def load_onnx_session(path: Path) -> Any:
    """Load a graph, to run on one core."""
    import onnxruntime

    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    # One batch on each core: cores that share a batch wait for each other after every operation.
    settings.intra_op_num_threads = 1
    settings.log_severity_level = 4  # errors are raised, not logged as well
    with _convert_graph_load_errors(path):
        return onnxruntime.InferenceSession(str(path), settings, providers=["CPUExecutionProvider"])


def count_usable_cores() -> int:
    """Count the cores that this process may use; OMP_NUM_THREADS can lower it, as for other libraries."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    wanted = os.environ.get("OMP_NUM_THREADS", "")
    # int() reads neither superscripts, which are digits as well, nor thousands of digits.
    is_number = wanted.isdecimal() and len(wanted) <= _MAX_DIGITS
    return min(allowed, int(wanted)) if is_number and int(wanted) else allowed


def _find_logits_output(session: Any, path: Path) -> str:
    """Choose the output: the one called logits, or the only one."""
    names = [node.name for node in session.get_outputs()]
    if "logits" in names or len(names) == 1:
        return "logits" if "logits" in names else str(names[0])
    raise InputError(
        f"{path} has the outputs {', '.join(names)}, none of which is named logits. Export it with one output."
    )


def list_onnx_error_types() -> tuple[type[BaseException], ...]:
    """List what ONNX Runtime raises; its errors have no common parent."""
    from onnxruntime.capi import (  # type: ignore[import-untyped]
        onnxruntime_pybind11_state as state,
    )

    kinds = [kind for kind in vars(state).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    return (*kinds, RuntimeError, ValueError, UnicodeError)


@contextmanager
def _convert_graph_load_errors(path: Path) -> Iterator[None]:
    """Convert errors of loading a graph to an InputError."""
    try:
        yield
    except list_onnx_error_types() as error:
        raise InputError(
            f"{path} can't be loaded: {summarize_error(error)}. Export the model again."
        ) from error


@contextmanager
def _convert_onnx_memory_errors() -> Iterator[None]:
    """Convert the many errors for lack of memory to MemoryError."""
    try:
        yield
    except list_onnx_error_types() as error:
        if _ONNX_MEMORY.search(str(error)):
            raise MemoryError(str(error)) from error
        raise


@contextmanager
def _convert_graph_run_errors(length: int) -> Iterator[None]:
    """Convert errors of a graph to an InputError; mostly, a row has more tokens than the graph has positions."""
    try:
        yield
    except list_onnx_error_types() as error:
        if _ONNX_MEMORY.search(str(error)):
            raise
        raise InputError(
            f"The graph fails on inputs of {length} tokens: {summarize_error(error)}. "
            f"{_POSITIONS_ADVICE}; otherwise export it again."
        ) from error


class TorchBackend:
    """A transformers model for sequence classification."""

    workers = 1  # torch uses all cores for one batch

    def __init__(self, module: torch.nn.Module, inputs: Sequence[str], device: str) -> None:
        """Wrap a loaded model; `inputs` are the names of the inputs that its tokenizer returns."""
        import torch

        self.module = module.eval().to(device)
        self.device = device
        self.takes_types = "token_type_ids" in inputs
        self.batch_tokens: tuple[int, ...] = _CPU_TOKENS if device == "cpu" else _GPU_TOKENS
        first = next(module.parameters())
        self.facts: dict[str, Any] = {
            "backend": "torch",
            "dtype": str(first.dtype).removeprefix("torch."),
            "device": device,
            "threads": torch.get_num_threads(),
            "torch": torch.__version__,
        }

    def compute_logits(self, ids: Numbers, types: Numbers, mask: Numbers) -> NDArray[np.float32]:
        """Compute the logits of one batch."""
        import torch

        tables = {"input_ids": ids, "attention_mask": mask}
        tables |= {"token_type_ids": types} if self.takes_types else {}
        with (
            _convert_torch_memory_errors(),
            _convert_network_run_errors(ids.shape[1]),
            torch.inference_mode(),
        ):
            tensors = {name: torch.from_numpy(table).to(self.device) for name, table in tables.items()}
            outputs = self.module(**tensors).logits.float().cpu().numpy()
        return check_logits_shape(outputs, len(ids))


def refuse_non_cpu_device(device: str | None) -> None:
    """Refuse a device other than the CPU for ONNX Runtime."""
    if device not in (None, "cpu"):
        raise InputError(f"ONNX Runtime doesn't support the device {device!r}. Use -o backend=torch.")


def resolve_torch_device(device: str | None) -> str:
    """Return the name of the device, cpu by default; refuse one that does not exist."""
    import torch

    wanted = device or "cpu"
    kind, _, number = wanted.partition(":")
    cards = torch.cuda.device_count() if torch.cuda.is_available() else 0
    available = {"cpu": 1, "cuda": cards, "mps": int(torch.backends.mps.is_available())}
    place = number if number or ":" in wanted else "0"
    if not place.isdecimal() or int(place) >= available.get(kind, 0):
        usable = " or ".join(_format_device_range(name, count) for name, count in available.items() if count)
        raise InputError(f"torch has no device {wanted!r} on this machine. Use {usable}.")
    return wanted


def _format_device_range(kind: str, count: int) -> str:
    return kind if count == 1 else f"{kind}:0 to {kind}:{count - 1}"


@contextmanager
def _convert_torch_memory_errors() -> Iterator[None]:
    """Convert the many errors for lack of memory to MemoryError."""
    import torch

    try:
        yield
    except RuntimeError as error:  # torch.OutOfMemoryError is one
        if not _TORCH_MEMORY.search(str(error)):
            raise
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        raise MemoryError(str(error)) from error


@contextmanager
def _convert_network_run_errors(length: int) -> Iterator[None]:
    """Convert errors of a network to an InputError; mostly, a position or token id is beyond its tables."""
    try:
        yield
    except BaseException as error:  # code of a network with odd settings may raise anything
        if not is_code_failure(error) or isinstance(error, MemoryError) or _TORCH_MEMORY.search(str(error)):
            raise
        raise InputError(
            f"The network fails on inputs of {length} tokens: {summarize_error(error)}. "
            f"{_POSITIONS_ADVICE}; otherwise save it again, with its own tokenizer."
        ) from error
