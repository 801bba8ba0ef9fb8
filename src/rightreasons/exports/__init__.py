"""Sets, runs and networks in the formats of other tools; each export is one file and one entry of the registry.

export         what an export gets, and the verb
hf, lm_eval, inspect_task              sets
model_card, mlflow, wandb              runs
onnx           a trained network
layout         order of labels, wording of questions, names of tasks, YAML
accuracies     the accuracies of a run, one by one
"""

from __future__ import annotations

from rightreasons.exports.export import ExportSource, export

__all__ = ["ExportSource", "export"]
