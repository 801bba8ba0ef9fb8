"""What an experiment is, written down: parts to train, tests to ask, tables to make."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rightreasons.experiments.learners import learner

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rightreasons.experiments.found import ExperimentResults
    from rightreasons.experiments.learners import LearnerSpec
    from rightreasons.experiments.scales import Scale
    from rightreasons.experiments.tables import ExperimentTable


@dataclass(frozen=True)
class RoleFile:
    """The file of a corpus role, where an option wants one."""

    role: str


def files_in(value: object) -> list[RoleFile]:
    """List the files that an option of a test names: none, one, or several in a tuple."""
    several = value if isinstance(value, tuple) else (value,)
    return [one for one in several if isinstance(one, RoleFile)]


@dataclass(frozen=True)
class Test:
    """Pairs that models are asked: a set by its name, the pairs of a corpus role, or both, the first that is there."""

    __test__ = False  # no test of pytest's

    name: str
    set: str = ""
    role: str = ""  # with a set: only a file that the user gave for the role is taken instead of it
    options: Mapping[str, Any] = field(
        default_factory=dict
    )  # of the set; File(role) stands for a corpus, several in a tuple
    limit: int | None = None  # fewer than the scale allows
    parses: bool = False  # keep only pairs with parses, for models that read trees


@dataclass(frozen=True)
class ExperimentPart:
    """A model, trained on the pairs of a role with some edits and a seed, and asked some tests."""

    model: str
    train: str
    seed: int = 0
    edits: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    claim: str = ""  # the test that a model must be good enough at before anything is claimed about it
    of: str = ""  # what tells it from other parts with the same model
    size: int | None = None  # training pairs before the edits; as the scale has it if left out
    # Of the trainer; a Part stands for its model folder, a File for that of a corpus.
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def learner(self) -> LearnerSpec:
        """Give the model's entry in the table of models."""
        return learner(self.model)

    @property
    def row(self) -> str:
        """Name the row of a table that it belongs to, with those of other seeds."""
        return f"{self.learner.shown}, {self.of}" if self.of else self.learner.shown

    @property
    def name(self) -> str:
        """Name it, as the run does."""
        return f"{self.row}, seed {self.seed}"


@dataclass(frozen=True)
class Setting:
    """What was asked for: the scale, the models, the seeds."""

    scale: Scale
    models: tuple[str, ...]
    seeds: tuple[int, ...] = (0,)


@dataclass(frozen=True)
class Experiment:
    """A published study: how its tests, parts and tables are made."""

    name: str
    about: str  # one line for lists
    tests: Callable[[Setting], Sequence[Test]]
    parts: Callable[[Setting], Sequence[ExperimentPart]]
    tables: Callable[[ExperimentResults], Sequence[ExperimentTable]]
    models: tuple[str, ...]  # unless others are asked for
    paper_models: tuple[str, ...]  # the same at the scale of the paper
    notes: tuple[str, ...] = ()  # what differs from the paper at any scale
