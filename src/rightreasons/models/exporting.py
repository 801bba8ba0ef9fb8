"""A transformers model as an ONNX graph: exported once, checked against the model, kept in the cache."""

from __future__ import annotations

import hashlib
import json
import warnings
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.io.environment import find_cache_folder
from rightreasons.io.outputs import write_folder_atomically
from rightreasons.models.backends import OnnxBackend, TorchBackend
from rightreasons.models.encoding import encode
from rightreasons.models.loading import first_line
from rightreasons.models.model_files import digest_folder
from rightreasons.models.probe import unmistakable_pairs
from rightreasons.models.prune_graph import narrow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import torch
    from tokenizers import Tokenizer

    from rightreasons.models.encoding import EncodedPairs, Numbers
    from rightreasons.models.token_job import Backend

EXPORTER = 2  # raised when the same weights give another graph
GRAPH, ABOUT = "model.onnx", "about.json"
_EXPORTED = "exported files"  # the key of their digests
NEAR = 1e-3  # how far logits may be from those of the model
_OPSET = 17
_PACKAGES = ("torch", "transformers", "onnxruntime")
_LONGEST = 40  # words of a premise of the check: beyond the length that was traced


def cached_graph(digests: Mapping[str, str], export: Callable[[Path], None], variant: str = "fp32") -> Path:
    """Find the graph of some weights in the cache, or have it exported there, whole or not at all."""
    made = {name: version(name) for name in _PACKAGES}
    key = {"files": dict(digests), "exporter": EXPORTER, "variant": variant, "made with": made}
    name = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:32]
    folder = find_cache_folder("onnx", name)
    if not _is_whole(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with write_folder_atomically(folder, force=True, internal=True) as part:
            export(part / GRAPH)
            about = {**key, _EXPORTED: _graph_digests(part)}
            (part / ABOUT).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    return folder / GRAPH


def _is_whole(folder: Path) -> bool:
    """Tell whether the cache holds a graph just as it was exported."""
    try:
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        return bool(about[_EXPORTED] == _graph_digests(folder)) and (folder / GRAPH).is_file()
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _graph_digests(folder: Path) -> dict[str, str]:
    """Compute the digests of a graph and of the weights that may lie beside it."""
    return {name: digest for name, digest in digest_folder(folder, everything=True).items() if name != ABOUT}


def export_classifier(
    module: Any, tokenizer: Tokenizer, inputs: Sequence[str], out: Path, *, pad: int, model: str
) -> None:
    """Write the graph of a model for any batch and length, and check that it computes the same."""
    need("onnx", model)
    rows = _check_rows(tokenizer, min(128, _positions(module, pad)))
    with _as_exported(module):
        try:
            _trace(module, _named(inputs, rows.padded(np.arange(2), pad)), out)
        except (RuntimeError, TypeError, ValueError, AttributeError, LookupError, ArithmeticError) as error:
            raise InputError(
                f"The model {model!r} can't be exported: {first_line(error)}. Use -o backend=torch."
            ) from error
        theirs = TorchBackend(module, inputs, "cpu")
        farthest = _farthest(OnnxBackend(out), theirs, rows, pad)
        if farthest <= NEAR:
            _narrow(out, theirs, rows, pad)
    if not farthest <= NEAR:
        raise InputError(
            f"The exported graph of the model {model!r} gives logits that are off by {farthest:.2g}. "
            "Use -o backend=torch."
        )


def quantise(graph: Path, out: Path, *, keep: Sequence[str] = ()) -> None:
    """Write a graph whose matrix products are in int8, per channel; `keep` names nodes that stay in fp32.

    The head stays as it is: it costs nothing and decides the answer.
    """
    need("onnx", str(graph))
    from onnxruntime.quantization import (  # type: ignore[import-untyped]
        QuantType,
        quantize_dynamic,
    )

    with silent():
        quantize_dynamic(
            graph,
            out,
            op_types_to_quantize=["MatMul"],
            per_channel=True,
            # Without VNNI two products are added in 16 bits, which overflow unless weights have 7.
            reduce_range=not has_vnni(),
            weight_type=QuantType.QInt8,
            nodes_to_exclude=list(keep),
        )


def has_vnni() -> bool:
    """Tell whether the processor adds int8 products without overflow; where nobody says so, it doesn't."""
    about = Path("/proc/cpuinfo")
    flags = about.read_text(encoding="utf-8", errors="replace") if about.exists() else ""
    return "avx512_vnni" in flags or "avx_vnni" in flags


def _named(inputs: Sequence[str], tables: Sequence[Numbers]) -> dict[str, Numbers]:
    """Name the tables of a batch, those that the model takes."""
    names = ("input_ids", "token_type_ids", "attention_mask")
    return {name: table for name, table in zip(names, tables, strict=True) if name in inputs}


def _trace(module: Any, tables: Mapping[str, Numbers], out: Path) -> None:
    """Write the graph that the model runs through on some tables."""
    import torch

    class TransformerLogits(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.module = module

        def forward(self, *given: torch.Tensor) -> torch.Tensor:
            logits: torch.Tensor = self.module(**dict(zip(tables, given, strict=True))).logits
            return logits

    with silent(), torch.inference_mode():
        torch.onnx.export(
            TransformerLogits().eval(),
            tuple(map(torch.from_numpy, tables.values())),
            str(out),
            input_names=list(tables),
            output_names=["logits"],
            dynamic_axes={name: {0: "batch", 1: "length"} for name in tables} | {"logits": {0: "batch"}},
            opset_version=_OPSET,
            dynamo=False,
        )


def _narrow(out: Path, theirs: Backend, rows: EncodedPairs, pad: int) -> None:
    """Replace a graph by one that computes no more than the head reads, if that one gives the same."""
    if _has_files_beside(out):
        return
    aside = out.with_suffix(".narrow")
    try:
        if narrow(out, aside) and _farthest(OnnxBackend(aside), theirs, rows, pad) <= NEAR:
            aside.replace(out)
    except InputError:  # the whole graph will do
        return
    finally:
        aside.unlink(missing_ok=True)


def _has_files_beside(graph: Path) -> bool:
    """Tell whether a graph is too large for one file, so that its weights are in others."""
    import onnx
    from onnx.external_data_helper import uses_external_data

    weights = onnx.load(graph, load_external_data=False).graph.initializer
    return any(map(uses_external_data, weights))


def _farthest(ours: Backend, theirs: Backend, rows: EncodedPairs, pad: int) -> float:
    """Compare two backends on batches of other shapes than the traced one."""
    batches = [rows.padded(np.array(batch), pad) for batch in ([0], [2, 3, 4], range(len(rows)))]
    return max(float(np.abs(ours.logits(*tables) - theirs.logits(*tables)).max()) for tables in batches)


def _check_rows(tokenizer: Tokenizer, longest: int) -> EncodedPairs:
    """Encode some pairs of many lengths."""
    pairs = unmistakable_pairs().head(8)
    premises, hypotheses = pairs["premise"].to_list(), pairs["hypothesis"].to_list()
    words = " ".join(premises).split()
    premises[-1] = " ".join((words * _LONGEST)[:_LONGEST])
    return encode(tokenizer, premises, hypotheses, longest)


def _positions(module: Any, pad: int) -> int:
    table = getattr(module.config, "max_position_embeddings", None)
    return int(table) - pad - 1 if isinstance(table, int) and table > 0 else 128


@contextmanager
def _as_exported(module: Any) -> Iterator[None]:
    """Have the model in evaluation mode, with attention written out, and leave it as it was."""
    training, attention = module.training, module.config._attn_implementation  # noqa: SLF001 - has no other name
    module.eval()
    if hasattr(module, "set_attn_implementation"):
        module.set_attn_implementation("eager")
    try:
        yield
    finally:
        if hasattr(module, "set_attn_implementation"):
            module.set_attn_implementation(attention)
        module.train(training)


@contextmanager
def silent() -> Iterator[None]:
    """Keep the exporter's remarks to itself: what it doubts is checked with numbers afterwards."""
    import logging

    root = logging.getLogger()
    level = root.level
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        root.setLevel(logging.ERROR)
        try:
            yield
        finally:
            root.setLevel(level)


def need(package: str, model: str) -> None:
    """Say that a package is needed where it isn't installed."""
    from importlib.util import find_spec

    if find_spec(package) is None:
        raise InputError(
            f"To export the model {model!r} the package {package} is needed. pip install 'rightreasons[hf]'"
        )
