"""The experiments by name: each stands for "module:EXPERIMENT", which is imported on first use."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from rightreasons.core.errors import UnknownNameError

if TYPE_CHECKING:
    from rightreasons.experiments.plan import Experiment

EXPERIMENTS = {
    "hans-main": "rightreasons.experiments.hans_main:EXPERIMENT",
    "hans-merged": "rightreasons.experiments.hans_merged:EXPERIMENT",
    "hans-augmented": "rightreasons.experiments.hans_augmented:EXPERIMENT",
    "hans-withheld": "rightreasons.experiments.hans_withheld:EXPERIMENT",
    "hans-dose": "rightreasons.experiments.hans_dose:EXPERIMENT",
    "stress-main": "rightreasons.experiments.stress_main:EXPERIMENT",
    "stress-spelling": "rightreasons.experiments.stress_spelling:EXPERIMENT",
    "stress-distraction": "rightreasons.experiments.stress_distraction:EXPERIMENT",
    "stress-antonyms": "rightreasons.experiments.stress_antonyms:EXPERIMENT",
    "pairs-random": "rightreasons.experiments.pairs_random:EXPERIMENT",
    "pairs-simple": "rightreasons.experiments.pairs_simple:EXPERIMENT",
    "pairs-sick-rules": "rightreasons.experiments.pairs_sick_rules:EXPERIMENT",
    "pairs-refine": "rightreasons.experiments.pairs_refine:EXPERIMENT",
    "nps-pretraining": "rightreasons.experiments.nps_pretraining:EXPERIMENT",
}


def experiment(name: str) -> Experiment:
    """Find an experiment by its name."""
    if name not in EXPERIMENTS:
        raise UnknownNameError("experiment", name, EXPERIMENTS)
    module, _, attribute = EXPERIMENTS[name].partition(":")
    found: Experiment = getattr(importlib.import_module(module), attribute)
    return found
