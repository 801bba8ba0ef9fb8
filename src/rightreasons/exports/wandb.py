"""A run in Weights & Biases: configuration, summary and files of each model, offline in a folder or online."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from rightreasons.core.errors import InputError, OutputError
from rightreasons.core.formatting import make_slugs
from rightreasons.core.options import option
from rightreasons.core.parts import Export
from rightreasons.exports.accuracies import describe_provenance, list_accuracies, list_summary_files

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.exports.accuracies import SubsetAccuracy
    from rightreasons.exports.export import ExportSource


@dataclass(frozen=True, kw_only=True)
class WandbExport(Export):
    """A run in Weights & Biases for each model."""

    takes: ClassVar[Literal["sets", "run", "network"]] = "run"
    appends: ClassVar[bool] = True

    project: str = option("rightreasons", help="Name of the W&B project.")

    def log(self, source: ExportSource, folder: Path | None) -> list[str]:
        """Log each requested model; with a folder offline, for `wandb sync` to send later."""
        wandb = _load_wandb()
        if source.run is None or source.folder is None:
            raise InputError("The export 'wandb' needs a run. Give a run folder.")
        if folder is not None:
            folder.mkdir(exist_ok=True)
        where = {} if folder is None else {"dir": str(folder), "mode": "offline"}
        models = source.run.requested_models
        try:
            for model, slug in zip(models, make_slugs(models), strict=True):
                config = dict(describe_provenance(source.run, model))
                with wandb.init(project=self.project, name=model, config=config, **where) as logged:
                    logged.summary.update(make_wandb_summary(list_accuracies(source.run, model)))
                    artifact = wandb.Artifact(f"rightreasons-{slug}", type="evaluation")
                    for path in list_summary_files(source.folder):
                        artifact.add_file(str(path))
                    logged.log_artifact(artifact)
        except wandb.Error as error:
            raise OutputError(
                f"W&B refused the run: {error}. Log in, set WANDB_MODE=offline, or choose a folder with --out."
            ) from error
        return [f"Logged {len(models)} models" + (f" below {folder}." if folder else " to W&B.")]


def make_wandb_summary(figures: list[SubsetAccuracy]) -> dict[str, dict[str, object]]:
    """Name the numbers of the figures: SET/PART/LABEL with accuracy, low, high and n below."""
    return {
        "/".join(word for word in (figure.set, figure.part, figure.gold) if word): {
            "accuracy": figure.accuracy,
            "low": figure.cell.low,
            "high": figure.cell.high,
            "n": figure.cell.n,
        }
        for figure in figures
    }


def _load_wandb() -> Any:
    try:
        return import_module("wandb")
    except ImportError as error:
        raise InputError(
            f"W&B can't be loaded ({error}). Install it: pip install 'rightreasons[wandb]'."
        ) from error
