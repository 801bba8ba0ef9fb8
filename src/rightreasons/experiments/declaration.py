"""What an experiment declares (test sets, models to train, tables), and the experiments by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from rightreasons.core.lazy_table import LazyTable
from rightreasons.experiments.learners import find_learner

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rightreasons.experiments.learners import LearnerSpec, Scale
    from rightreasons.experiments.results import ExperimentResults
    from rightreasons.experiments.tables import ExperimentTable

EXPERIMENTS = LazyTable(
    "experiment",
    {
        "hans-main": "rightreasons.experiments.hans_main:HansMain",
        "hans-merged": "rightreasons.experiments.hans_merged:HansMerged",
        "hans-augmented": "rightreasons.experiments.hans_augmented:HansAugmented",
        "hans-withheld": "rightreasons.experiments.hans_withheld:HansWithheld",
        "hans-dose": "rightreasons.experiments.hans_dose:HansDose",
        "stress-main": "rightreasons.experiments.stress_main:StressMain",
        "stress-spelling": "rightreasons.experiments.stress_spelling:StressSpelling",
        "stress-distraction": "rightreasons.experiments.stress_distraction:StressDistraction",
        "stress-antonyms": "rightreasons.experiments.stress_antonyms:StressAntonyms",
        "pairs-random": "rightreasons.experiments.pairs_random:PairsRandom",
        "pairs-simple": "rightreasons.experiments.pairs_simple:PairsSimple",
        "pairs-sick-rules": "rightreasons.experiments.pairs_sick_ablation:PairsSickRules",
        "pairs-refine": "rightreasons.experiments.pairs_refine:PairsRefine",
        "nps-pretraining": "rightreasons.experiments.nps_pretraining:NpsPretraining",
        "audit-predicts": "rightreasons.experiments.audit_predicts:AuditPredicts",
    },
)


@dataclass(frozen=True)
class RoleFile:
    """The value of an option that takes the file of a corpus role."""

    role: str


def list_role_files(value: object) -> list[RoleFile]:
    """List the role files in the value of an option: a single one, or those of a tuple."""
    items = value if isinstance(value, tuple) else (value,)
    return [item for item in items if isinstance(item, RoleFile)]


@dataclass(frozen=True)
class TestSet:
    """Pairs to predict: a set by name, the pairs of a corpus role, or the role's file with the set as fallback."""

    __test__ = False  # not a test class of pytest

    name: str
    set: str = ""
    role: str = ""  # together with `set`: used instead of the set if the user gave a file for the role
    options: Mapping[str, Any] = field(
        default_factory=dict
    )  # of the set; RoleFile, or a tuple of them, for corpora
    limit: int | None = None  # if lower than that of the scale
    parses: bool = False  # keep only pairs with parses, for models that read trees


@dataclass(frozen=True)
class ExperimentPart:
    """A model with its training data, edits and seed, and the test sets that it predicts."""

    model: str
    train: str  # a role, or a mixture of roles in equal parts such as mnli-train+sick-train
    seed: int = 0
    edits: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    claim: str = ""  # the test set on which a model must be good enough before anything is claimed about it
    variant: str = ""  # distinguishes parts with the same model
    size: int | None = None  # training pairs before the edits; default: that of the scale
    # Of the trainer; an ExperimentPart stands for its model folder, a RoleFile for the file of a corpus.
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def learner(self) -> LearnerSpec:
        """The specification of the model."""
        return find_learner(self.model)

    @property
    def row(self) -> str:
        """The table row of this part; parts that differ only in their seed share one."""
        return f"{self.learner.display_name}, {self.variant}" if self.variant else self.learner.display_name

    @property
    def name(self) -> str:
        """The name of this part in the run."""
        return f"{self.row}, seed {self.seed}"


@dataclass(frozen=True)
class Setting:
    """What the user requested: scale, models, seeds."""

    scale: Scale
    models: tuple[str, ...]
    seeds: tuple[int, ...] = (0,)


class Experiment(ABC):
    """A published experiment."""

    name: ClassVar[str]
    about: ClassVar[str]  # one line for `list`
    models: ClassVar[tuple[str, ...]]  # by default
    paper_models: ClassVar[tuple[str, ...]]  # by default at the scale `paper`
    notes: ClassVar[tuple[str, ...]] = ()  # differences from the paper at any scale

    @abstractmethod
    def test_sets(self, setting: Setting) -> Sequence[TestSet]:
        """List the test sets."""

    @abstractmethod
    def parts(self, setting: Setting) -> Sequence[ExperimentPart]:
        """List the models to train."""

    @abstractmethod
    def tables(self, results: ExperimentResults) -> Sequence[ExperimentTable]:
        """Build the tables of the paper, with our rows below the published ones."""


def find_experiment(name: str) -> Experiment:
    """Find an experiment by its name."""
    experiment_class: type[Experiment] = EXPERIMENTS.load(name)
    return experiment_class()
