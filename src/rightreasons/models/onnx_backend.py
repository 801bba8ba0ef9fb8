"""Logits by ONNX Runtime; asked for as many batches at a time as there are cores, it uses them all."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.models.failures import first_line
from rightreasons.models.heads import check_logits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from rightreasons.models.encoding import Numbers

_NO_MEMORY = re.compile(r"allocate memory|bad_alloc|out of memory|BFCArena", re.IGNORECASE)
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
        with _memory(), _told_shape(ids.shape[1]):
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
    with _told(path):
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


def errors() -> tuple[type[BaseException], ...]:
    """List what ONNX Runtime raises; its errors have no common parent."""
    from onnxruntime.capi import (  # type: ignore[import-untyped]
        onnxruntime_pybind11_state as state,
    )

    found = [kind for kind in vars(state).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    return (*found, RuntimeError, ValueError, UnicodeError)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Say in one sentence that a graph can't be loaded."""
    try:
        yield
    except errors() as error:
        raise InputError(f"{path} can't be loaded: {first_line(error)}. Export the model again.") from error


@contextmanager
def _memory() -> Iterator[None]:
    """Turn the many ways of saying that memory is short into one."""
    try:
        yield
    except errors() as error:
        if _NO_MEMORY.search(str(error)):
            raise MemoryError(str(error)) from error
        raise


@contextmanager
def _told_shape(length: int) -> Iterator[None]:
    """Say in one sentence that a graph fails on rows of some length, which is mostly too much for its positions."""
    try:
        yield
    except errors() as error:
        if _NO_MEMORY.search(str(error)):
            raise
        raise InputError(
            f"The graph fails on rows of {length} tokens: {first_line(error)}. "
            "If that is more than it has positions, lower -o max_length; else export it again."
        ) from error
