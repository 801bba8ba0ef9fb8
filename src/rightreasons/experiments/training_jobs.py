"""The training jobs of an experiment: one per model, identified by a digest of everything that determines it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rightreasons import __version__
from rightreasons.core import registry
from rightreasons.core.errors import InputError
from rightreasons.corpora.corpus_source import hash_file
from rightreasons.experiments.corpora import write_training_files
from rightreasons.experiments.declaration import ExperimentPart, RoleFile
from rightreasons.nets.declaration import NETS
from rightreasons.nets.text.vector_files import WantedWords, read_vector_rows
from rightreasons.training.edits import parse_edit

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rightreasons.experiments.corpora import ExperimentCorpora, TrainingFiles
    from rightreasons.experiments.learners import Scale
    from rightreasons.experiments.testsets import WrittenTestSet

MODEL = "model"
DATA = "data"
_DEFAULT_WIDTHS = {"paper": 300, "small": 100}  # of word vectors, by preset


@dataclass
class ExperimentJob:
    """A model to train and test sets to predict, unless that is done already."""

    key: str
    name: str
    model: str  # such as net:FOLDER
    folder: Path
    trainer: str
    options: dict[str, Any]
    edits: tuple[str, ...]
    training: TrainingFiles
    identity: dict[str, Any]
    seconds: float  # estimated training time on one core
    speed: float  # estimated training pairs per second
    after: tuple[str, ...] = ()  # keys of the jobs whose models it starts from
    tests: dict[str, WrittenTestSet] = field(default_factory=dict)

    @property
    def is_trained(self) -> bool:
        """Whether the model exists."""
        return (self.folder / MODEL).is_dir()

    def get_predictions_path(self, test: WrittenTestSet) -> Path:
        """The file of the predictions on a test set."""
        return self.folder / "predictions" / f"{str(test.card.digest)[:16]}.parquet"

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do."""
        return self.is_trained and all(
            self.get_predictions_path(test).exists() for test in self.tests.values()
        )

    @property
    def expected_seconds(self) -> float:
        """The estimated seconds left on one core."""
        open_pairs = sum(
            test.card.rows or 0
            for test in self.tests.values()
            if not self.get_predictions_path(test).exists()
        )
        # Prediction is about three times as fast as training.
        return (0.0 if self.is_trained else self.seconds) + open_pairs / (3 * self.speed) + 1.0


class JobList:
    """The jobs of an experiment by key; parts with the same model share a job."""

    def __init__(
        self,
        folder: Path,
        corpora: ExperimentCorpora,
        scale: Scale,
        tests: Mapping[str, WrittenTestSet],
        vectors: Path | None,
    ) -> None:
        """Take the models folder and everything that parts refer to."""
        self.folder, self.corpora, self.scale = folder, corpora, scale
        self.tests, self.vectors = tests, vectors
        self.width = None if vectors is None else _read_vector_width(vectors)
        self.all: dict[str, ExperimentJob] = {}

    def add(self, part: ExperimentPart) -> ExperimentJob:
        """Add the job of a part, and those of the parts that it starts from."""
        new = self._make_job(part)
        job = self.all.setdefault(new.key, new)
        for name in part.tests:
            if name not in self.tests:
                raise InputError(
                    f"The part {part.name} needs the test set {name!r}, which the experiment does not declare. "
                    "Add the set."
                )
            job.tests[name] = self.tests[name]
        return job

    def _make_job(self, part: ExperimentPart) -> ExperimentJob:
        learner = part.learner
        data = write_training_files(
            self.folder / DATA,
            self.corpora,
            part.train,
            size=part.size or self.scale.count_training_pairs(learner),
            dev=self.scale.dev_pairs,
            parses=learner.reads_parses,
        )
        given, meaning, after = self._resolve_options(part)
        settled = _collect_hyperparameters(learner.trainer, given)
        identity = {
            "trainer": learner.trainer,
            "options": meaning,
            "settled": settled,
            "edits": list(part.edits),
            "data": data.key,
            "version": __version__,
        }
        text = json.dumps(identity, sort_keys=True, default=str)
        key = f"{part.model}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
        place = self.folder / key
        pairs = _estimate_pairs_after_edits(part, data.facts["train"])
        return ExperimentJob(
            key,
            part.name,
            f"{learner.kind}:{place / MODEL}",
            place,
            learner.trainer,
            given,
            part.edits,
            data,
            identity,
            pairs * float(settled["epochs"]) / learner.speed,
            learner.speed,
            after,
        )

    def _resolve_options(
        self, part: ExperimentPart
    ) -> tuple[dict[str, Any], dict[str, Any], tuple[str, ...]]:
        """The trainer's options, the same with digests instead of paths, and the keys of the jobs they depend on."""
        given = {**self.scale.make_trainer_options(part.learner), "seed": part.seed}
        starts = "start" in part.options  # from a trained network, which has its own word vectors
        if self.vectors is not None and part.learner.takes_vectors and not starts:
            given["vectors"] = self.vectors
            if self.width != _DEFAULT_WIDTHS[given.get("preset", "paper")]:
                given["width"] = self.width
        given |= part.options
        meaning, after = dict(given), []
        for name, value in given.items():
            if isinstance(value, ExperimentPart):
                job = self.add(value)
                given[name], meaning[name] = str(job.folder / MODEL), job.key
                after.append(job.key)
            elif isinstance(value, RoleFile):
                meaning[name] = self.corpora.list_digests(value.role)
                given[name] = ",".join(self.corpora.list_corpora(value.role))
            elif name == "vectors":
                meaning[name], given[name] = hash_file(value), str(value)
        return given, meaning, tuple(after)


def _read_vector_width(vectors: Path) -> int:
    """Read the width of the vectors in a file; a file without vectors is an error before any training starts."""
    return int(read_vector_rows(vectors, WantedWords(only=(), first=1)).table.shape[1])


def _estimate_pairs_after_edits(part: ExperimentPart, pairs: int) -> int:
    """Estimate the number of pairs after the edits."""
    for edit in part.edits:
        name, given = parse_edit(edit)
        size = int(given.get("size", 0))
        if name == "augment":
            pairs += size
        elif name == "subsample":
            pairs = min(pairs, size)
        elif name == "distract" and given.get("keep") == "true":
            pairs *= 2
    return pairs


def _collect_hyperparameters(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Read the hyperparameters that options lead to, so that a model is trained again if a preset has changed.

    Wrong options are an error here, before any training starts.
    """
    part = registry.make_trainer(name, given)
    small = NETS[name].small.sizes if name in NETS and given.get("preset") == "small" else {}
    return {**part.hyperparameters(), **small}
