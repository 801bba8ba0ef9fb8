"""Every experiment declares consistent parts and test sets at every scale."""

from __future__ import annotations

import pytest

from rightreasons.experiments.declaration import EXPERIMENTS, Setting, find_experiment
from rightreasons.experiments.learners import LEARNERS, SCALES
from rightreasons.experiments.results import HELD_OUT

pytest.importorskip("torch")  # the declarations of networks say which of them read trees


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_is_planned_at_every_scale(name: str, scale: str) -> None:
    experiment = find_experiment(name)
    assert experiment.name == name
    models = experiment.paper_models if scale == "paper" else experiment.models
    setting = Setting(SCALES[scale], models, (0, 1))
    parts, tests = experiment.parts(setting), experiment.test_sets(setting)
    assert {part.model for part in parts} <= set(LEARNERS)
    assert {part.seed for part in parts} == {0, 1}
    assert len({part.name for part in parts}) == len(parts)
    asked = [name for part in parts for name in part.tests]
    assert set(asked) == {test.name for test in tests}
    assert all(part.claim in (*part.tests, HELD_OUT) for part in parts)
