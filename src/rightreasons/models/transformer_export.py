"""A transformers model as an ONNX graph: exported once, checked against the model, and cached."""

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
from rightreasons.models.file_digests import digest_folder
from rightreasons.models.graph_pruning import prune_last_layer
from rightreasons.models.label_probe import read_probe_pairs
from rightreasons.models.library_errors import summarize_error
from rightreasons.models.logit_backends import OnnxBackend, TorchBackend
from rightreasons.models.pair_encoding import tokenize_pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import torch
    from tokenizers import Tokenizer

    from rightreasons.models.pair_encoding import EncodedPairs, Numbers
    from rightreasons.models.transformer_job import Backend

EXPORTER_VERSION = 2  # increased when the same weights give another graph
GRAPH_FILE, ABOUT_FILE = "model.onnx", "about.json"
_DIGESTS_KEY = "exported files"  # the key of their digests
LOGIT_TOLERANCE = 1e-3  # largest difference from the logits of the model
_OPSET = 17
_EXPORT_PACKAGES = ("torch", "transformers", "onnxruntime")
_LONG_PREMISE_WORDS = 40  # words of one premise of the check, which is longer than the traced ones


def get_or_export_graph(
    digests: Mapping[str, str], export: Callable[[Path], None], variant: str = "fp32"
) -> Path:
    """Return the cached graph of some weights, after exporting it if necessary; an export is complete or absent."""
    versions = {name: version(name) for name in _EXPORT_PACKAGES}
    key = {"files": dict(digests), "exporter": EXPORTER_VERSION, "variant": variant, "made with": versions}
    name = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:32]
    folder = find_cache_folder("onnx", name)
    if not _has_intact_graph(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with write_folder_atomically(folder, force=True, internal=True) as part:
            export(part / GRAPH_FILE)
            about = {**key, _DIGESTS_KEY: _digest_graph_files(part)}
            (part / ABOUT_FILE).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    return folder / GRAPH_FILE


def _has_intact_graph(folder: Path) -> bool:
    """Return whether the cached files are those that were exported."""
    try:
        about = json.loads((folder / ABOUT_FILE).read_text(encoding="utf-8"))
        return bool(about[_DIGESTS_KEY] == _digest_graph_files(folder)) and (folder / GRAPH_FILE).is_file()
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _digest_graph_files(folder: Path) -> dict[str, str]:
    """Compute the digests of a graph and of weights in separate files."""
    return {
        name: digest for name, digest in digest_folder(folder, everything=True).items() if name != ABOUT_FILE
    }


def export_classifier(
    module: Any, tokenizer: Tokenizer, inputs: Sequence[str], out: Path, *, pad_id: int, model: str
) -> None:
    """Export a model for any batch and length, and check that its graph computes the same."""
    require_export_package("onnx", model)
    rows = _encode_check_pairs(tokenizer, min(128, _get_position_limit(module, pad_id)))
    with _use_export_mode(module):
        try:
            _trace_classifier(module, _map_inputs_by_name(inputs, rows.pad_rows(np.arange(2), pad_id)), out)
        except (RuntimeError, TypeError, ValueError, AttributeError, LookupError, ArithmeticError) as error:
            raise InputError(
                f"The model {model!r} can't be exported: {summarize_error(error)}. Use -o backend=torch."
            ) from error
        theirs = TorchBackend(module, inputs, "cpu")
        farthest = _measure_logit_difference(OnnxBackend(out), theirs, rows, pad_id)
        if farthest <= LOGIT_TOLERANCE:
            _prune_if_exact(out, theirs, rows, pad_id)
    refuse_inexact_graph(f"the model {model!r}", farthest, LOGIT_TOLERANCE)


def refuse_inexact_graph(what: str, farthest: float, tolerance: float) -> None:
    """Refuse an exported graph whose logits differ too much from those that torch computes."""
    if not farthest <= tolerance:
        raise InputError(
            f"The logits of the exported graph of {what} differ from those of torch by up to {farthest:.2g}. "
            "Use -o backend=torch."
        )


def quantize_graph(graph: Path, out: Path, *, keep: Sequence[str] = ()) -> None:
    """Write a graph whose matrix products are in int8, per channel; `keep` names nodes that stay in fp32.

    The head stays as it is: it costs nothing and decides the label.
    """
    require_export_package("onnx", str(graph))
    from onnxruntime.quantization import (  # type: ignore[import-untyped]
        QuantType,
        quantize_dynamic,
    )

    with silence_exporter():
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
    """Return whether the processor is known to add int8 products without overflow."""
    about = Path("/proc/cpuinfo")
    flags = about.read_text(encoding="utf-8", errors="replace") if about.exists() else ""
    return "avx512_vnni" in flags or "avx_vnni" in flags


def _map_inputs_by_name(inputs: Sequence[str], tables: Sequence[Numbers]) -> dict[str, Numbers]:
    """Map input names to the tables of a batch, for the inputs that the model takes."""
    names = ("input_ids", "token_type_ids", "attention_mask")
    return {name: table for name, table in zip(names, tables, strict=True) if name in inputs}


def _trace_classifier(module: Any, tables: Mapping[str, Numbers], out: Path) -> None:
    """Trace the model on some inputs, and write the graph."""
    import torch

    class TransformerLogits(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.module = module

        def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
            logits: torch.Tensor = self.module(**dict(zip(tables, inputs, strict=True))).logits
            return logits

    with silence_exporter(), torch.inference_mode():
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


def _prune_if_exact(out: Path, theirs: Backend, rows: EncodedPairs, pad_id: int) -> None:
    """Replace a graph by one that computes only what the head reads, if its logits are the same."""
    if _has_external_weights(out):
        return
    aside = out.with_suffix(".narrow")
    try:
        if (
            prune_last_layer(out, aside)
            and _measure_logit_difference(OnnxBackend(aside), theirs, rows, pad_id) <= LOGIT_TOLERANCE
        ):
            aside.replace(out)
    except InputError:  # the complete graph is good enough
        return
    finally:
        aside.unlink(missing_ok=True)


def _has_external_weights(graph: Path) -> bool:
    """Return whether the weights of a graph are in separate files."""
    import onnx
    from onnx.external_data_helper import uses_external_data

    weights = onnx.load(graph, load_external_data=False).graph.initializer
    return any(map(uses_external_data, weights))


def _measure_logit_difference(ours: Backend, theirs: Backend, rows: EncodedPairs, pad_id: int) -> float:
    """Return the largest difference between two backends, on batches of other shapes than the traced one."""
    batches = [rows.pad_rows(np.array(batch), pad_id) for batch in ([0], [2, 3, 4], range(len(rows)))]
    return max(
        float(np.abs(ours.compute_logits(*tables) - theirs.compute_logits(*tables)).max())
        for tables in batches
    )


def _encode_check_pairs(tokenizer: Tokenizer, longest: int) -> EncodedPairs:
    """Encode some pairs of different lengths."""
    pairs = read_probe_pairs().head(8)
    premises, hypotheses = pairs["premise"].to_list(), pairs["hypothesis"].to_list()
    words = " ".join(premises).split()
    premises[-1] = " ".join((words * _LONG_PREMISE_WORDS)[:_LONG_PREMISE_WORDS])
    return tokenize_pairs(tokenizer, premises, hypotheses, longest)


def _get_position_limit(module: Any, pad_id: int) -> int:
    table = getattr(module.config, "max_position_embeddings", None)
    return int(table) - pad_id - 1 if isinstance(table, int) and table > 0 else 128


@contextmanager
def _use_export_mode(module: Any) -> Iterator[None]:
    """Put the model in evaluation mode with eager attention, and restore it afterwards."""
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
def silence_exporter() -> Iterator[None]:
    """Silence warnings and logs of the exporter: its results are checked with numbers."""
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


def require_export_package(package: str, model: str) -> None:
    """Raise an error if a package is not installed."""
    from importlib.util import find_spec

    if find_spec(package) is None:
        raise InputError(
            f"Exporting the model {model!r} requires the package {package}. Install it: pip install 'rightreasons[hf]'"
        )
