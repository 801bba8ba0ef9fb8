"""Trainers of networks over word vectors: one class, and a name for each network."""

from __future__ import annotations

import inspect
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

import torch

from rightreasons.core.errors import InputError
from rightreasons.core.parts import Trainer
from rightreasons.models.network_folder import Description, write_network
from rightreasons.models.torch_backend import check_device
from rightreasons.nets.table import Preset, net_class
from rightreasons.nets.text.build_vocab import learn_words
from rightreasons.nets.text.parsing import lack_parses
from rightreasons.nets.text.text_config import Unknown, reading_of, reads_literally
from rightreasons.training.bias_models import Bias  # noqa: TC001 - options are read from annotations
from rightreasons.training.data import label_order
from rightreasons.training.debiasing import Debiasing, Method, fit_debiased
from rightreasons.training.folder import model_folder, write_card
from rightreasons.training.initialization import Beginning, encoder_weights, from_folder, unit_length
from rightreasons.training.network_learner import NetworkLearner
from rightreasons.training.papers import paper_of
from rightreasons.training.recipe import Clipping, Keep, Optimiser, Recipe, ScheduleName, check_dropout
from rightreasons.training.threads import threads
from rightreasons.training.trained_words import finished
from rightreasons.training.word_pairs import split_pairs, word_pairs

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from rightreasons.nets.network import Network
    from rightreasons.nets.text.splitting import Split
    from rightreasons.nets.text.text_config import Reading
    from rightreasons.training.loop import TrainingResult
    from rightreasons.training.word_pairs import WordPairs

_WIDTH = 300  # of the papers' word vectors
_OWN = ("dropout", "frozen", "attention")  # options that go to the network itself


class NetworkTrainer(Trainer):
    """Trains a network over word vectors; three labels, or two where the training pairs have two."""

    name: ClassVar[str]

    def __init__(
        self,
        *,
        preset: Preset = "paper",
        literal: bool = False,
        vectors: str | None = None,
        width: int | None = None,
        trained_vectors: bool | None = None,
        unit_vectors: bool | None = None,
        unknown: Unknown | None = None,
        parser: str | None = None,
        start: str | None = None,
        encoder: str | None = None,
        frozen: bool | None = None,
        attention: bool | None = None,
        dropout: float | None = None,
        epochs: float | None = None,
        batch_size: int | None = None,
        learning_rate: float | None = None,
        optimiser: Optimiser | None = None,
        schedule: ScheduleName | None = None,
        weight_decay: float | None = None,
        clip: float | None = None,
        clip_by: Clipping | None = None,
        seed: int = 0,
        checks: int | None = None,
        patience: int | None = None,
        keep: Keep | None = None,
        save_seconds: float = 60.0,
        debias: Method | None = None,
        bias: Bias = "hypothesis-only",
        threads: int | None = None,
        device: str | None = None,
    ) -> None:
        """Choose the network's sizes, its words and the recipe; what is left out is the paper's, or the preset's.

        Args:
            preset: paper, or small: sizes and a recipe for a CPU.
            literal: with the mistakes of the paper's code.
            vectors: a file of word vectors: GloVe or word2vec as text, .npy, .npz; random ones if left out.
            width: of the vectors; 300, or 100 with the small preset, if left out.
            trained_vectors: whether the vectors are trained as well.
            unit_vectors: whether the vectors are scaled, all alike, to a mean length of 1.
            unknown: what becomes of words outside the training pairs: zero, random, delete or look-up.
            parser: for SPINN, where pairs have no parses: right-branching, balanced, link-grammar or spacy.
            start: a folder of the same network, whose weights and words it starts from.
            encoder: for jiant, where its encoder comes from: a folder of jiant, or a .safetensors file of an encoder.
            frozen: for jiant, whether the encoder stays as it is.
            attention: for jiant, whether the two sentences look at each other.
            dropout: the network's own if left out.
            epochs: passes over the training pairs, at most; a part of one is fine.
            batch_size: pairs a step.
            learning_rate: the highest rate.
            optimiser: adamw, adam, amsgrad, adagrad, sgd or rmsprop.
            schedule: how the rate goes: constant, linear, plateau, two-epochs, reload, infersent, two-flat-checks.
            weight_decay: not for biases, norms and word vectors.
            clip: the most that a step's gradient may be; 0 clips nothing.
            clip_by: whether that is its norm, or the value of each number.
            seed: of the weights, random vectors, the order of the pairs and dropout.
            checks: how often an epoch the dev set is asked.
            patience: checks without a better one before it stops; 0 never stops.
            keep: the weights that the dev set likes best, or the last.
            save_seconds: how often a checkpoint is written.
            debias: train against a bias model: reweight, poe (product of experts) or confidence (regularisation by a
                teacher, which is trained first).
            bias: what the bias model goes by: hypothesis-only, or the overlap of the two texts.
            threads: of the processor; what OMP_NUM_THREADS or torch say if left out.
            device: where torch computes; a GPU if there is one and nothing is said.
        """
        given = {key: value for key, value in locals().items() if value is not None}
        paper = paper_of(self.name, preset)
        known = {field.name for field in fields(Recipe)}
        self.recipe = replace(paper.recipe, **{key: value for key, value in given.items() if key in known})
        self.trained_vectors = paper.trained_vectors if trained_vectors is None else trained_vectors
        self.unit_vectors = paper.unit_vectors if unit_vectors is None else unit_vectors
        self.preset, self.literal, self.parser, self.unknown = preset, literal, parser, unknown
        self.vectors, self.width, self.start, self.encoder = vectors, width, start, encoder
        self.options: dict[str, Any] = {key: given[key] for key in _OWN if key in given}
        self.debiasing, self.threads = Debiasing(debias, bias), threads
        self.device = check_device(device or ("cuda" if torch.cuda.is_available() else None))
        check_dropout(dropout)
        self._refuse_others(void={"unit_vectors": unit_vectors, "literal": literal or None})

    def hyperparameters(self) -> dict[str, Any]:
        """Return the recipe, and whether the word vectors are trained."""
        return {**self.recipe.facts(), "trained_vectors": self.trained_vectors}

    def train(
        self, pairs: pl.DataFrame, dev: pl.DataFrame, out: Path, *, checkpoint: Path, facts: dict[str, Any]
    ) -> TrainingResult:
        """Train and write the model folder; a checkpoint of a run that was cut off is taken up."""
        order = label_order(pairs, dev)
        if self.parser and not (lack_parses(pairs) or lack_parses(dev)):
            raise InputError(
                f"All pairs have parses, so the parser {self.parser!r} has nothing to do. Leave it out, or give pairs "
                "without parses."
            )
        # Dropout draws from torch's own state, which is the caller's.
        with torch.random.fork_rng(), threads(self.threads):
            begin, train, kept = self._begin(pairs, order)
            reader = begin.words.reader
            sides = split_pairs(dev, reader.reading, self.parser)
            checked, _ = word_pairs(sides, dev, reader, order, training=False)
            card = self._card(begin) | {"left_out": pairs.height - len(kept)} | facts
            learner, trained = fit_debiased(
                lambda: NetworkLearner(
                    begin.network(self.recipe.seed, self.device),
                    train,
                    checked,
                    together=self.recipe.batch_size if begin.description.literal else None,
                ),
                pairs=pairs[kept],
                labels=len(order),
                debiasing=self.debiasing,
                recipe=self.recipe,
                folder=checkpoint,
                run=card,
            )
            with model_folder(out) as folder:
                network: Network = learner.module  # type: ignore[assignment]
                write_network(folder, finished(network), reader, begin.description)
                write_card(folder, card, trained)
        return trained

    def _begin(
        self, pairs: pl.DataFrame, order: tuple[str, ...]
    ) -> tuple[Beginning, WordPairs, NDArray[np.int64]]:
        """Cut the training pairs into words, learn those, and say what the network starts from."""
        if self.start is not None:
            begin = from_folder(self.start, self.name, order, trained=self.trained_vectors)
            sides = split_pairs(pairs, begin.words.reader.reading, self.parser)
        else:
            changes = {} if self.unknown is None else {"unknown": self.unknown}
            reading = reading_of(self.name, literal=self.literal, **changes)
            sides = split_pairs(pairs, reading, self.parser)
            begin = self._fresh(sides, reading, order)
            if reading.forest and self.parser and lack_parses(pairs):
                begin = replace(begin, description=replace(begin.description, parser=self.parser))
        if begin.description.literal:
            trained = {"batch_size": self.recipe.batch_size}
            begin = replace(begin, description=replace(begin.description, training=trained))
        return begin, *word_pairs(sides, pairs, begin.words.reader, order, training=True)

    def _fresh(self, sides: list[Split], reading: Reading, order: tuple[str, ...]) -> Beginning:
        """Begin with word vectors, and weights that are drawn, or with an encoder that was trained before."""
        small = net_class(self.name).SMALL if self.preset == "small" else {}
        width = small.get("width", _WIDTH) if self.width is None else self.width
        words = learn_words(sides, reading, vectors=self.vectors, width=width, seed=self.recipe.seed)
        words = unit_length(words) if self.unit_vectors else words
        description = Description(
            self.name,
            order,
            width,
            preset=self.preset,
            options=self.options,
            literal=self.literal,
            trained_words=self.trained_vectors,
            vectors=words.vectors,
        )
        weights = encoder_weights(self.encoder, words.vectors) if self.encoder else {}
        return Beginning(words, description, weights)

    def _card(self, begin: Beginning) -> dict[str, Any]:
        """Say what decides the weights, beside the pairs."""
        made = begin.description
        return {
            "trainer": self.name,
            "network": {
                "preset": made.preset,
                "literal": made.literal,
                "width": made.width,
                "options": made.options,
                "trained_vectors": made.trained_words,
                "parser": self.parser,
                "start": self.start,
                "encoder": self.encoder,
            },
            "reading": begin.words.reader.reading.facts(),
            "vectors": begin.words.vectors,
            "recipe": {**self.recipe.facts(), **self.debiasing.facts()},
            "labels": list(made.labels),
        }

    def _refuse_others(self, void: dict[str, object]) -> None:
        """Refuse options that this network doesn't have, and those that a start makes void."""
        known = inspect.signature(net_class(self.name)).parameters
        asked = [*self.options, *(["frozen"] if self.encoder else [])]
        for key in asked:
            if key not in known:
                shown = "encoder" if self.encoder and key not in self.options else key
                raise InputError(f"The network {self.name} has no option {shown!r}. Leave it out.")
        if self.literal and "literal" not in known and not reads_literally(self.name):
            raise InputError(
                f"The network {self.name} has no literal form: its code makes no mistake. Leave the option literal out."
            )
        if self.parser and "forest" not in net_class(self.name).NEEDS:
            raise InputError(f"The network {self.name} reads no trees. Leave the parser out.")
        void = void | self.options
        void |= {
            "vectors": self.vectors,
            "width": self.width,
            "unknown": self.unknown,
            "encoder": self.encoder,
        }
        for key, value in void.items():
            if self.start is not None and value is not None:
                raise InputError(f"The network in {self.start} decides the option {key!r}. Leave it out.")


class DecomposableAttentionTrainer(NetworkTrainer):
    """Trains the decomposable attention model."""

    name = "da"


class EsimTrainer(NetworkTrainer):
    """Trains ESIM."""

    name = "esim"


class SpinnTrainer(NetworkTrainer):
    """Trains SPINN-PI-NT, which reads parses."""

    name = "spinn"


class ShortcutStackedTrainer(NetworkTrainer):
    """Trains the shortcut-stacked encoder of Nie and Bansal."""

    name = "nb"


class GatedAttentionTrainer(NetworkTrainer):
    """Trains the encoder with gated attention of Chen and others."""

    name = "ch"


class InnerAttentionTrainer(NetworkTrainer):
    """Trains the encoder with inner attention of Balazs and others."""

    name = "rc"


class InferSentTrainer(NetworkTrainer):
    """Trains InferSent."""

    name = "infersent"


class BiLstmTrainer(NetworkTrainer):
    """Trains the bi-LSTM baseline of MultiNLI."""

    name = "bilstm"


class CbowTrainer(NetworkTrainer):
    """Trains the bag-of-words baseline of MultiNLI."""

    name = "cbow"


class JiantTrainer(NetworkTrainer):
    """Trains the bi-LSTM of jiant, whose encoder may be trained before."""

    name = "jiant"
