"""Models that are compared on antonyms see the same training pairs."""

from __future__ import annotations

from rightreasons.experiments.declaration import Setting
from rightreasons.experiments.learners import SCALES
from rightreasons.experiments.stress_antonyms import StressAntonyms


def test_models_that_are_compared_on_antonyms_have_the_same_training_pairs() -> None:
    sizes = {part.size for part in StressAntonyms().parts(Setting(SCALES["quick"], ("rc", "cbow")))}
    assert sizes == {10_000}
    assert {part.size for part in StressAntonyms().parts(Setting(SCALES["paper"], ("rc", "ch")))} == {None}
