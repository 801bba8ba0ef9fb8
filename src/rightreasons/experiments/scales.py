"""How much of everything: `quick` for an evening on two cores, `paper` for all there is, `tiny` to see that it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import UnknownNameError

if TYPE_CHECKING:
    from rightreasons.experiments.learners import LearnerSpec


@dataclass(frozen=True)
class Scale:
    """The sizes of an experiment."""

    name: str
    test_pairs: int | None  # larger tests are sampled, labels and subcases alike
    dev_pairs: int  # held out of the training file, to choose weights by
    augmented: int  # HANS-like pairs that are added
    doses: tuple[int, ...]  # the same, where the question is how many it takes
    most_pairs: int | None = None  # of any training set
    many_pairs: int | None = None  # of one, where a model is trained many times over

    def pairs(self, learner: LearnerSpec) -> int | None:
        """Say how many training pairs a model gets; None is all."""
        if self.name == "paper":
            return None
        return min(learner.quick_pairs, self.most_pairs or learner.quick_pairs)

    def options(self, learner: LearnerSpec) -> dict[str, Any]:
        """Give the options of a model's trainer."""
        if self.name == "paper":
            return dict(learner.paper)
        return {**learner.quick, **({"epochs": 1} if self.name == "tiny" else {})}


SCALES = {
    "quick": Scale("quick", 10_000, 2_000, 10_000, (0, 30, 300, 3_000, 30_000), many_pairs=10_000),
    "paper": Scale("paper", None, 5_000, 30_000, (0, 30, 300, 3_000, 30_000)),
    "tiny": Scale("tiny", 120, 40, 60, (0, 30), most_pairs=150),
}


def scale_of(name: str) -> Scale:
    """Find a scale by its name."""
    if name not in SCALES:
        raise UnknownNameError("scale", name, SCALES)
    return SCALES[name]
