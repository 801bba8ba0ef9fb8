"""A run in MLflow: parameters, metrics and files of each model, in a local database or wherever MLflow is set to."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import InputError, OutputError
from rightreasons.exports.figures import Figure, figures, files, params

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.exports.source import ExportSource

EXPERIMENT = "rightreasons"
_FORBIDDEN = re.compile(r"[^A-Za-z0-9_./ -]+")  # in names of MLflow
_LONGEST_NAME = 250
_LONGEST_VALUE = 6000


def log(source: ExportSource, folder: Path | None) -> list[str]:
    """Log each model of the run that was asked for; with a folder, into a database there, which may exist."""
    try:
        mlflow = import_module("mlflow")
    except ImportError as error:
        raise InputError(
            f"MLflow can't be loaded ({error}). pip install 'rightreasons[mlflow]' brings it."
        ) from error
    if source.run is None or source.folder is None:
        raise InputError("The target 'mlflow' needs a run. Give a run folder.")
    try:
        experiment = _experiment(mlflow, folder)
        for model in source.run.requested_models:
            with mlflow.start_run(experiment_id=experiment, run_name=model):
                mlflow.log_params(
                    {_name(key): value[:_LONGEST_VALUE] for key, value in params(source.run, model).items()}
                )
                mlflow.log_metrics(
                    {key: value for one in figures(source.run, model) for key, value in metrics(one)}
                )
                for path in files(source.folder):
                    mlflow.log_artifact(str(path))
    except mlflow.exceptions.MlflowException as error:
        raise OutputError(
            f"MLflow refused the run: {error}. Check MLFLOW_TRACKING_URI, or name a folder."
        ) from error
    return [f"Logged {len(source.run.requested_models)} models to {mlflow.get_tracking_uri()}."]


def metrics(figure: Figure) -> list[tuple[str, float]]:
    """Name the numbers of one figure: SET/PART/LABEL/accuracy, low, high, n."""
    place = "/".join(word for word in (figure.set, figure.part, figure.gold) if word)
    cell = figure.cell
    values = {"accuracy": figure.accuracy, "low": cell.low, "high": cell.high, "n": float(cell.n)}
    return [(_name(f"{place}/{key}"), value) for key, value in values.items()]


def _experiment(mlflow: Any, folder: Path | None) -> str | None:
    """Choose the store and make the experiment there; without a folder MLflow's own settings hold."""
    if folder is None:
        return None
    folder.mkdir(exist_ok=True)
    place = folder.resolve()
    mlflow.set_tracking_uri(f"sqlite:///{place / 'mlflow.db'}")
    known = mlflow.get_experiment_by_name(EXPERIMENT)
    if known is not None:
        return str(known.experiment_id)
    return str(mlflow.create_experiment(EXPERIMENT, artifact_location=(place / "files").as_uri()))


def _name(text: str) -> str:
    """Make a name that MLflow takes; it takes fewer characters than we have."""
    return _FORBIDDEN.sub("_", text)[-_LONGEST_NAME:].strip("/")
