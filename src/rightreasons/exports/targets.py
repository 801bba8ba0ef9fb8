"""Where sets and runs can be exported to: a table of targets, each loaded on first use."""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rightreasons import __version__
from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.exports import source as sources
from rightreasons.io.outputs import check_free, replacing_folder
from rightreasons.runs.results import refuse_unfinished

if TYPE_CHECKING:
    from collections.abc import Callable

MARKER = "rightreasons-export.json"


@dataclass(frozen=True)
class Target:
    """A form to export to: what it is, and where the function is that writes it."""

    about: str
    home: str
    of_run: bool = False  # needs answers, so a set alone is not enough
    store: bool = False  # adds to a store of another tool, in place of making a folder
    of_model: bool = False  # takes a trained network, net:FOLDER, in place of a run or a set

    def load(self) -> Callable[[Any, Any], list[str]]:
        """Find the function: it writes what it is given, a source or a model's name, into a folder; returns remarks."""
        module, _, attribute = self.home.partition(":")
        function: Callable[[Any, Any], list[str]] = getattr(importlib.import_module(module), attribute)
        return function


TARGETS = {
    "hf": Target("parquet and a dataset card, for the datasets library", "rightreasons.exports.hf:write"),
    "lm-eval": Target("tasks for lm-evaluation-harness", "rightreasons.exports.lm_eval:write"),
    "inspect": Target("tasks for Inspect", "rightreasons.exports.inspect_task:write"),
    "model-card": Target(
        "a model-index and a table, for a model's README",
        "rightreasons.exports.model_card:write",
        of_run=True,
    ),
    "mlflow": Target("a run in MLflow", "rightreasons.exports.mlflow:log", of_run=True, store=True),
    "onnx": Target(
        "the graph of a trained network, with its words", "rightreasons.exports.onnx:write", of_model=True
    ),
    "wandb": Target("a run in Weights & Biases", "rightreasons.exports.wandb:log", of_run=True, store=True),
}


def export(
    what: str | Path,
    *,
    to: str,
    out: str | Path | None = None,
    size: int | None = None,
    limit: int | None = None,
    seed: int = 0,
    split: str = "eval",
    force: bool = False,
    **options: object,
) -> list[str]:
    """Export a run folder, a set (by name, a template file, a file of pairs) or a network; return remarks.

    Folders appear whole or not at all. MLflow and W&B add to a store: that in `out`, or without it the one that
    they are set to.
    """
    target = _target(to)
    if out is None and not target.store:
        raise InputError(f"The target {to!r} needs a folder to write. Name one.")
    if out is not None and not target.store:
        check_free(out, force=force, folder=True, marker=MARKER)  # before a set is made for nothing
    given = {"size": size, "limit": limit, "seed": seed, "split": split, **options}
    if target.of_run and not Path(what).is_dir():
        refuse_unfinished(Path(what))
        raise InputError(
            f"The target {to!r} takes a run folder, and {str(what)!r} is none. Evaluate a model first."
        )
    if target.of_model and out is not None:
        with replacing_folder(out, force=force, marker=MARKER) as folder:
            remarks = target.load()(str(what), folder)
            note = {"target": to, "made_with": f"rightreasons {__version__}", "model": str(what)}
            (folder / MARKER).write_text(json.dumps(note, indent=2) + "\n", encoding="utf-8")
        return remarks
    source = sources.read(what, given, of_run=target.of_run)
    if target.store or out is None:
        return target.load()(source, None if out is None else Path(out))
    with replacing_folder(out, force=force, marker=MARKER) as folder:
        remarks = target.load()(source, folder)
        (folder / MARKER).write_text(source.note(to), encoding="utf-8")
    return [*source.remarks, *remarks]


def _target(name: str) -> Target:
    if name not in TARGETS:
        raise UnknownNameError("target", name, TARGETS)
    return TARGETS[name]
