"""A run in Weights & Biases: configuration, summary and files of each model, offline in a folder or as W&B is set."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from rightreasons.core.errors import InputError, OutputError
from rightreasons.core.slugs import slugs
from rightreasons.exports.figures import Figure, figures, files, params

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.exports.source import ExportSource

PROJECT = "rightreasons"


def log(source: ExportSource, folder: Path | None) -> list[str]:
    """Log each model of the run that was asked for; with a folder offline, for `wandb sync` to send later."""
    try:
        wandb = import_module("wandb")
    except ImportError as error:
        raise InputError(
            f"W&B can't be loaded ({error}). pip install 'rightreasons[wandb]' brings it."
        ) from error
    if source.run is None or source.folder is None:
        raise InputError("The target 'wandb' needs a run. Give a run folder.")
    if folder is not None:
        folder.mkdir(exist_ok=True)
    where = {} if folder is None else {"dir": str(folder), "mode": "offline"}
    try:
        for model, slug in zip(source.run.requested_models, slugs(source.run.requested_models), strict=True):
            with wandb.init(
                project=PROJECT, name=model, config=dict(params(source.run, model)), **where
            ) as logged:
                logged.summary.update(summary(figures(source.run, model)))
                artifact = wandb.Artifact(f"rightreasons-{slug}", type="evaluation")
                for path in files(source.folder):
                    artifact.add_file(str(path))
                logged.log_artifact(artifact)
    except wandb.Error as error:
        raise OutputError(
            f"W&B refused the run: {error}. Log in, set WANDB_MODE=offline, or name a folder."
        ) from error
    return [
        f"Logged {len(source.run.requested_models)} models" + (f" below {folder}." if folder else " to W&B.")
    ]


def summary(found: list[Figure]) -> dict[str, dict[str, object]]:
    """Name the numbers of the figures: SET/PART/LABEL with accuracy, low, high and n below."""
    return {
        "/".join(word for word in (one.set, one.part, one.gold) if word): {
            "accuracy": one.accuracy,
            "low": one.cell.low,
            "high": one.cell.high,
            "n": one.cell.n,
        }
        for one in found
    }
