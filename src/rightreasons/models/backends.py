"""Backends that compute logits: ONNX Runtime, which runs a batch on each core, and torch."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.models.heads import check_logits
from rightreasons.models.loading import first_line, is_failure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import torch
    from numpy.typing import NDArray

    from rightreasons.models.encoding import Numbers


_ONNX_MEMORY = re.compile(r"allocate memory|bad_alloc|out of memory|BFCArena", re.IGNORECASE)
_TORCH_MEMORY = re.compile(r"out of memory|can't allocate memory|bad_alloc|not enough memory", re.IGNORECASE)
_CPU_TOKENS = (1024, 512, 2048, 4096)
_GPU_TOKENS = (16384, 65536)
_MOST_DIGITS = 9  # of a number of threads
_KINDS = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


class OnnxBackend:
    """A graph that takes token ids and gives logits."""

    # Measured with MiniLM and BERT-base sizes: larger batches no longer fit the caches of a core.
    tokens: tuple[int, ...] = (512, 256, 1024)

    def __init__(self, path: Path, dtype: str = "float32") -> None:
        """Load the graph with all optimisations."""
        import onnxruntime  # type: ignore[import-untyped]

        self.workers = threads()
        self.session = session_of(path)
        self.kinds = {put.name: _KINDS.get(put.type, np.int64) for put in self.session.get_inputs()}
        self.output = _logits_name(self.session, path)
        unknown = sorted(self.kinds.keys() - {"input_ids", "token_type_ids", "attention_mask"})
        if unknown or "input_ids" not in self.kinds:
            raise InputError(
                f"{path} takes the inputs {', '.join(self.kinds)}. "
                "Export it with input_ids, attention_mask and token_type_ids, or some of them."
            )
        self.facts: dict[str, Any] = {
            "backend": "onnx",
            "dtype": dtype,
            "device": "cpu",
            "threads": self.workers,
            "onnxruntime": onnxruntime.__version__,
        }

    def logits(self, ids: Numbers, types: Numbers, mask: Numbers) -> NDArray[np.float32]:
        """Compute the outputs of one batch; the graph gets only what it asks for."""
        tables = {"input_ids": ids, "token_type_ids": types, "attention_mask": mask}
        given = {name: tables[name].astype(kind, copy=False) for name, kind in self.kinds.items()}
        with _convert_onnx_memory_errors(), _explain_graph_failure(ids.shape[1]):
            (outputs,) = self.session.run([self.output], given)
        return check_logits(outputs, len(ids))


def session_of(path: Path) -> Any:
    """Load a graph, which computes on one core."""
    import onnxruntime

    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    # A batch for each core: cores that share one batch wait for each other after every operation.
    settings.intra_op_num_threads = 1
    settings.log_severity_level = 4  # what goes wrong is raised, and told once
    with _explain_loading_failure(path):
        return onnxruntime.InferenceSession(str(path), settings, providers=["CPUExecutionProvider"])


def threads() -> int:
    """Count the cores that this process may use; OMP_NUM_THREADS can lower it, as for other libraries."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    wanted = os.environ.get("OMP_NUM_THREADS", "")
    # Neither a superscript, which is a digit as well, nor a number of thousands of digits can be read by int().
    is_number = wanted.isdecimal() and len(wanted) <= _MOST_DIGITS
    return min(allowed, int(wanted)) if is_number and int(wanted) else allowed


def _logits_name(session: Any, path: Path) -> str:
    """Choose the output: the one called logits, or the only one."""
    names = [put.name for put in session.get_outputs()]
    if "logits" in names or len(names) == 1:
        return "logits" if "logits" in names else str(names[0])
    raise InputError(
        f"{path} gives {', '.join(names)}, none of them called logits. Export it with one output."
    )


def list_onnx_errors() -> tuple[type[BaseException], ...]:
    """List what ONNX Runtime raises; its errors have no common parent."""
    from onnxruntime.capi import (  # type: ignore[import-untyped]
        onnxruntime_pybind11_state as state,
    )

    kinds = [kind for kind in vars(state).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    return (*kinds, RuntimeError, ValueError, UnicodeError)


@contextmanager
def _explain_loading_failure(path: Path) -> Iterator[None]:
    """Say in one sentence that a graph can't be loaded."""
    try:
        yield
    except list_onnx_errors() as error:
        raise InputError(f"{path} can't be loaded: {first_line(error)}. Export the model again.") from error


@contextmanager
def _convert_onnx_memory_errors() -> Iterator[None]:
    """Turn the many ways of saying that memory is short into one."""
    try:
        yield
    except list_onnx_errors() as error:
        if _ONNX_MEMORY.search(str(error)):
            raise MemoryError(str(error)) from error
        raise


@contextmanager
def _explain_graph_failure(length: int) -> Iterator[None]:
    """Say in one sentence that a graph fails on rows of some length, which is mostly too much for its positions."""
    try:
        yield
    except list_onnx_errors() as error:
        if _ONNX_MEMORY.search(str(error)):
            raise
        raise InputError(
            f"The graph fails on rows of {length} tokens: {first_line(error)}. "
            "If that is more than it has positions, lower -o max_length; else export it again."
        ) from error


class TorchBackend:
    """A transformers model for sequence classification."""

    workers = 1  # torch uses all cores for one batch

    def __init__(self, module: torch.nn.Module, inputs: Sequence[str], device: str) -> None:
        """Take a loaded model, and the names of the inputs that its tokenizer makes."""
        import torch

        self.module = module.eval().to(device)
        self.device = device
        self.takes_types = "token_type_ids" in inputs
        self.tokens: tuple[int, ...] = _CPU_TOKENS if device == "cpu" else _GPU_TOKENS
        first = next(module.parameters())
        self.facts: dict[str, Any] = {
            "backend": "torch",
            "dtype": str(first.dtype).removeprefix("torch."),
            "device": device,
            "threads": torch.get_num_threads(),
            "torch": torch.__version__,
        }

    def logits(self, ids: Numbers, types: Numbers, mask: Numbers) -> NDArray[np.float32]:
        """Compute the outputs of one batch."""
        import torch

        tables = {"input_ids": ids, "attention_mask": mask}
        tables |= {"token_type_ids": types} if self.takes_types else {}
        with _convert_torch_memory_errors(), _explain_network_failure(ids.shape[1]), torch.inference_mode():
            given = {name: torch.from_numpy(table).to(self.device) for name, table in tables.items()}
            outputs = self.module(**given).logits.float().cpu().numpy()
        return check_logits(outputs, len(ids))


def check_device(device: str | None) -> str:
    """Name the device to compute on, the processor unless another is asked for and there."""
    import torch

    wanted = device or "cpu"
    kind, _, number = wanted.partition(":")
    cards = torch.cuda.device_count() if torch.cuda.is_available() else 0
    there = {"cpu": 1, "cuda": cards, "mps": int(torch.backends.mps.is_available())}
    place = number if number or ":" in wanted else "0"
    if not place.isdecimal() or int(place) >= there.get(kind, 0):
        usable = " or ".join(_format_devices(name, count) for name, count in there.items() if count)
        raise InputError(f"There is no device {wanted!r} that torch can use here. Use {usable}.")
    return wanted


def _format_devices(kind: str, count: int) -> str:
    return kind if count == 1 else f"{kind}:0 to {kind}:{count - 1}"


@contextmanager
def _convert_torch_memory_errors() -> Iterator[None]:
    """Turn the many ways of saying that memory is short into one."""
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
def _explain_network_failure(length: int) -> Iterator[None]:
    """Say in one sentence that a row, or a token's number, is beyond the tables of a network."""
    try:
        yield
    except BaseException as error:  # the code of a network, with odd settings, raises anything
        if not is_failure(error) or isinstance(error, MemoryError) or _TORCH_MEMORY.search(str(error)):
            raise
        raise InputError(
            f"The network fails on rows of {length} tokens: {first_line(error)}. "
            "If that is more than it has positions, lower -o max_length; else save it again, with its own tokenizer."
        ) from error
