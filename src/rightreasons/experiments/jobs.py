"""Parts as jobs: one for each model that is to be trained and asked, under a digest of all that decides it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rightreasons import __version__
from rightreasons.core import registry
from rightreasons.core.errors import InputError
from rightreasons.corpora.corpus_source import hash_file
from rightreasons.experiments.data import training
from rightreasons.experiments.plan import ExperimentPart, RoleFile
from rightreasons.nets.network import NETS
from rightreasons.nets.text.vector_files import Wanted, read_rows
from rightreasons.training.edits import parse_edit

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rightreasons.experiments.asked import GeneratedTest
    from rightreasons.experiments.data import Training
    from rightreasons.experiments.roles import ExperimentCorpora
    from rightreasons.experiments.scales import Scale

MODEL = "model"
DATA = "data"
_USUAL = {"paper": 300, "small": 100}  # the width of word vectors that networks expect


@dataclass
class ExperimentJob:
    """A model to train, if it isn't yet, and tests to ask it, if it wasn't yet."""

    key: str
    name: str
    model: str  # such as net:FOLDER
    folder: Path
    trainer: str
    options: dict[str, Any]
    edits: tuple[str, ...]
    training: Training
    identity: dict[str, Any]
    seconds: float  # that training may take on one core
    speed: float  # pairs a second that it may be trained on
    after: tuple[str, ...] = ()  # keys of the jobs whose models it starts from
    tests: dict[str, GeneratedTest] = field(default_factory=dict)

    @property
    def trained(self) -> bool:
        """Tell whether the model is there."""
        return (self.folder / MODEL).is_dir()

    def answers(self, asked: GeneratedTest) -> Path:
        """Say where the answers to a test are."""
        return self.folder / "answers" / f"{str(asked.card.digest)[:16]}.parquet"

    @property
    def done(self) -> bool:
        """Tell whether there is nothing left to do."""
        return self.trained and all(self.answers(asked).exists() for asked in self.tests.values())

    @property
    def expected(self) -> float:
        """Estimate the seconds that are left to do on one core."""
        open_pairs = sum(
            asked.card.rows or 0 for asked in self.tests.values() if not self.answers(asked).exists()
        )
        # Asking is about three times as fast as training.
        return (0.0 if self.trained else self.seconds) + open_pairs / (3 * self.speed) + 1.0


class Jobs:
    """The jobs of an experiment by key; parts that need the same model share one."""

    def __init__(
        self,
        folder: Path,
        corpora: ExperimentCorpora,
        scale: Scale,
        tests: Mapping[str, GeneratedTest],
        vectors: Path | None,
    ) -> None:
        """Take the models folder, and what the parts refer to."""
        self.folder, self.corpora, self.scale, self.tests, self.vectors = (
            folder,
            corpora,
            scale,
            tests,
            vectors,
        )
        self.width = None if vectors is None else _width(vectors)
        self.all: dict[str, ExperimentJob] = {}

    def add(self, part: ExperimentPart) -> ExperimentJob:
        """Make the job of a part, and those of the parts that it starts from."""
        found = self._keyed(part)
        job = self.all.setdefault(found.key, found)
        for name in part.tests:
            if name not in self.tests:
                raise InputError(
                    f"The part {part.name} asks {name!r}, which is no test of the experiment. Add it."
                )
            job.tests[name] = self.tests[name]
        return job

    def _keyed(self, part: ExperimentPart) -> ExperimentJob:
        learner = part.learner
        data = training(
            self.folder / DATA,
            self.corpora,
            part.train,
            size=part.size or self.scale.pairs(learner),
            dev=self.scale.dev_pairs,
            parses=learner.parses,
        )
        given, meant, after = self._options(part)
        identity = {
            "trainer": learner.trainer,
            "options": meant,
            "settled": _settled(learner.trainer, given),
            "edits": list(part.edits),
            "data": data.key,
            "version": __version__,
        }
        text = json.dumps(identity, sort_keys=True, default=str)
        key = f"{part.model}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
        place = self.folder / key
        pairs = _expected_pairs(part, data.facts["train"])
        epochs = float(given.get("epochs", learner.epochs))
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
            pairs * epochs / learner.speed,
            learner.speed,
            after,
        )

    def _options(self, part: ExperimentPart) -> tuple[dict[str, Any], dict[str, Any], tuple[str, ...]]:
        """Give the trainer's options, what they mean whatever paths they name, and the jobs they wait for."""
        given = {**self.scale.options(part.learner), "seed": part.seed}
        starts = "start" in part.options  # from a network, which has its words
        if self.vectors is not None and part.learner.takes_vectors and not starts:
            given["vectors"] = self.vectors
            if self.width != _USUAL[given.get("preset", "paper")]:
                given["width"] = self.width
        given |= part.options
        meant, after = dict(given), []
        for name, value in given.items():
            if isinstance(value, ExperimentPart):
                job = self.add(value)
                given[name], meant[name] = str(job.folder / MODEL), job.key
                after.append(job.key)
            elif isinstance(value, RoleFile):
                meant[name] = self.corpora.digest(value.role)
                given[name] = ",".join(self.corpora.names(value.role))
            elif name == "vectors":
                meant[name], given[name] = hash_file(value), str(value)
        return given, meant, tuple(after)


def _width(vectors: Path) -> int:
    """Find how wide the vectors of a file are; one that holds none is refused before any part is begun."""
    return int(read_rows(vectors, Wanted(only=(), first=1)).table.shape[1])


def _expected_pairs(part: ExperimentPart, pairs: int) -> int:
    """Count the pairs that edits may leave, for the estimate alone."""
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


def _settled(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Say what a trainer makes of its options, and refuse wrong ones before any part is begun.

    So a model is trained anew where a preset was changed.
    """
    part = registry.make_trainer(name, given)
    small = NETS[name].small.sizes if name in NETS and given.get("preset") == "small" else {}
    return {**part.hyperparameters(), **small}
