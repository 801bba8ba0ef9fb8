"""The experiments by name: each stands for "module:EXPERIMENT", which is imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.core.lazy_table import LazyTable

if TYPE_CHECKING:
    from rightreasons.experiments.plan import Experiment

EXPERIMENTS = LazyTable(
    "experiment",
    {
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
    },
)


def experiment(name: str) -> Experiment:
    """Find an experiment by its name."""
    found: Experiment = EXPERIMENTS.load(name)
    return found
