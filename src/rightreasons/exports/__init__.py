"""Sets and runs in the forms of other tools.

targets        the table of them, and the verb that goes by it
source         what is exported: a run, or one set
hf, lm_eval, inspect_task              sets
model_card, mlflow, wandb              runs
onnx           a trained network
questions      how a pair is put to a language model
figures        the figures of a run, one by one
recipe         how a set was made, for those who read of it elsewhere
yaml           the little YAML that these need
"""

from __future__ import annotations

from rightreasons.exports.targets import TARGETS, export

__all__ = ["TARGETS", "export"]
