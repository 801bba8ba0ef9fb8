"""A run in MLflow: parameters, metrics and files of each model, in a local database or the configured server."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from rightreasons.core.errors import InputError, OutputError
from rightreasons.core.options import option
from rightreasons.core.parts import Export
from rightreasons.exports.accuracies import describe_provenance, list_accuracies, list_summary_files

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.exports.accuracies import SubsetAccuracy
    from rightreasons.exports.export import ExportSource

_FORBIDDEN = re.compile(r"[^A-Za-z0-9_./ -]+")  # in names of MLflow
_LONGEST_NAME = 250
_LONGEST_VALUE = 6000


@dataclass(frozen=True, kw_only=True)
class MlflowExport(Export):
    """A run in MLflow for each model."""

    takes: ClassVar[Literal["sets", "run", "network"]] = "run"
    appends: ClassVar[bool] = True

    experiment: str = option(
        "rightreasons", help="Name of the MLflow experiment in the folder; it is created if absent."
    )

    def log(self, source: ExportSource, folder: Path | None) -> list[str]:
        """Log each requested model; with a folder, into a database there, which may exist."""
        mlflow = _load_mlflow()
        if source.run is None or source.folder is None:
            raise InputError("The export 'mlflow' needs a run. Give a run folder.")
        models = source.run.requested_models
        try:
            experiment = self._open_experiment(mlflow, folder)
            for model in models:
                with mlflow.start_run(experiment_id=experiment, run_name=model):
                    params = describe_provenance(source.run, model)
                    mlflow.log_params(
                        {_make_mlflow_name(key): text[:_LONGEST_VALUE] for key, text in params.items()}
                    )
                    figures = list_accuracies(source.run, model)
                    mlflow.log_metrics(dict(metric for figure in figures for metric in list_metrics(figure)))
                    for path in list_summary_files(source.folder):
                        mlflow.log_artifact(str(path))
        except mlflow.exceptions.MlflowException as error:
            raise OutputError(
                f"MLflow refused the run: {error}. Check MLFLOW_TRACKING_URI, or choose a folder with --out."
            ) from error
        return [f"Logged {len(models)} models to {mlflow.get_tracking_uri()}."]

    def _open_experiment(self, mlflow: Any, folder: Path | None) -> str | None:
        """Choose the store and create the experiment there; without a folder MLflow's own settings apply."""
        if folder is None:
            return None
        folder.mkdir(exist_ok=True)
        store = folder.resolve()
        mlflow.set_tracking_uri(f"sqlite:///{store / 'mlflow.db'}")
        known = mlflow.get_experiment_by_name(self.experiment)
        if known is not None:
            return str(known.experiment_id)
        return str(mlflow.create_experiment(self.experiment, artifact_location=(store / "files").as_uri()))


def list_metrics(figure: SubsetAccuracy) -> list[tuple[str, float]]:
    """List the numbers of one figure: SET/PART/LABEL/accuracy, low, high, n."""
    place = "/".join(word for word in (figure.set, figure.part, figure.gold) if word)
    cell = figure.cell
    values = {"accuracy": figure.accuracy, "low": cell.low, "high": cell.high, "n": float(cell.n)}
    return [(_make_mlflow_name(f"{place}/{key}"), value) for key, value in values.items()]


def _load_mlflow() -> Any:
    try:
        return import_module("mlflow")
    except ImportError as error:
        raise InputError(
            f"MLflow can't be loaded ({error}). Install it: pip install 'rightreasons[mlflow]'."
        ) from error


def _make_mlflow_name(text: str) -> str:
    """Make a name that MLflow accepts; it allows fewer characters than our names have."""
    return _FORBIDDEN.sub("_", text)[-_LONGEST_NAME:].strip("/")
