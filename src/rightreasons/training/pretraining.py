"""Pretraining of jiant's encoder on another task than pairs."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import torch

from rightreasons.core.errors import InputError
from rightreasons.core.options import get_options, option
from rightreasons.core.parts import Trainer
from rightreasons.models.logit_backends import resolve_torch_device
from rightreasons.models.network_job import move_batch_to_device
from rightreasons.models.pair_encoding import BatchLimit, make_batches_by_length
from rightreasons.nets.batches import Sentences
from rightreasons.nets.declaration import PresetName  # noqa: TC001 - options are read from annotations
from rightreasons.nets.jiant import JIANT, Encoder
from rightreasons.nets.recipe import Recipe, RunOptions
from rightreasons.nets.text.encoder import learn_vocabulary
from rightreasons.training.initialization import scale_to_unit_mean_length
from rightreasons.training.loop import fit_learner, limit_threads
from rightreasons.training.model_folder import ENCODER, create_model_folder, write_training_card
from rightreasons.training.pretraining_data import TaskName, read_pretraining_data
from rightreasons.training.pretraining_targets import make_targets

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl
    from numpy.typing import NDArray

    from rightreasons.nets.batches import TokenBatch
    from rightreasons.nets.text.encoder import EncodedTexts, LearnedWords
    from rightreasons.training.loop import TrainingResult
    from rightreasons.training.pretraining_data import PretrainingData
    from rightreasons.training.pretraining_targets import PretrainingTargets

    Rows = NDArray[np.int64]

_CHECK = BatchLimit(tokens=4096)  # of a batch without gradients
_SMALL_SENTENCES = 20_000  # of the small preset; all there are otherwise, as in jiant
_WORDS: dict[PresetName, int] = {"paper": 30_000, "small": 3_000}
_SMALL_EPOCHS = 3.0


@dataclass(frozen=True, kw_only=True)
class Pretrainer(RunOptions, Trainer):
    """Trains the encoder of jiant on tagged sentences, running text or captions instead of pairs."""

    name: ClassVar[str] = "pretrain"
    own_material: ClassVar[bool] = True

    task: TaskName = option(help="tagging, language-model or captions.")
    material: tuple[str, ...] = option(
        help="Files to train on: CCGbank or pairs with parses; WikiText or texts; captions, and image features."
    )
    preset: PresetName = option("paper", help="paper, or small: sizes and a recipe for a CPU.")
    sentences: int | None = option(
        None, help="Maximum number of training sentences. Default: all, or 20,000 with the small preset."
    )
    words: int | None = option(
        None,
        help="Number of words that the language model predicts. Default: 30,000, or 3,000 with the small preset.",
    )
    vectors: str | None = option(None, help="File of word vectors. Default: random vectors.")
    width: int | None = option(
        None, help="Width of the word vectors. Default: 300, or 100 with the small preset."
    )
    epochs: float | None = option(None, help="Maximum number of passes over the sentences.")
    batch_size: int | None = option(None, help="Sentences per step.")
    learning_rate: float | None = option(None, help="Peak learning rate.")
    checks: int | None = option(None, help="Evaluations on the held-out sentences per epoch.")
    patience: int | None = option(
        None, help="Evaluations without improvement before training stops; 0 disables early stopping."
    )

    def __post_init__(self) -> None:
        """Refuse values with which nothing can be trained."""
        for name in ("sentences", "words"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(f"The option {name} is {value}. Give at least 1.")
        _ = self.recipe, self.torch_device

    @property
    def recipe(self) -> Recipe:
        """Return the recipe of jiant with the options that are given."""
        recipe = JIANT.get_preset(self.preset).recipe
        if self.preset == "small":
            recipe = replace(recipe, epochs=_SMALL_EPOCHS)
        names = {item.name for item in fields(Recipe)}
        given = {name: value for name, value in get_options(self).items() if value is not None}
        return replace(recipe, **{name: value for name, value in given.items() if name in names})

    @property
    def sizes(self) -> dict[str, Any]:
        """Return the sizes of the encoder."""
        return get_encoder_sizes(self.preset) | ({} if self.width is None else {"width": self.width})

    @property
    def torch_device(self) -> str:
        """Return the device: that of the option, or a GPU if there is one."""
        return resolve_torch_device(self.device or ("cuda" if torch.cuda.is_available() else None))

    def hyperparameters(self) -> dict[str, Any]:
        """Return the recipe."""
        return self.recipe.facts()

    def train(
        self, pairs: pl.DataFrame, dev: pl.DataFrame, out: Path, *, checkpoint: Path, facts: dict[str, Any]
    ) -> TrainingResult:
        """Train and write a folder with the encoder; an interrupted run resumes from its checkpoint."""
        del pairs, dev, facts  # other trainers use these
        most = _SMALL_SENTENCES if self.preset == "small" else None
        material = read_pretraining_data(self.task, self.material, self.sentences or most)
        with torch.random.fork_rng(), limit_threads(self.threads):
            words = self._learn_words(material)
            encoded = words.encoder.encode_tokenized(material.words)
            targets = make_targets(material, words, encoded, self.words or _WORDS[self.preset])
            card = self._collect_run_settings(material, words, targets)
            # So the first weights are those of a jiant network with this seed.
            torch.manual_seed(self.recipe.seed)
            module = PretrainingModule(
                torch.from_numpy(words.table), targets.build_task(Encoder(**self.sizes))
            ).to(self.torch_device)
            learner = EncoderLearner(module, words, encoded, targets, material)
            trained = fit_learner(learner, self.recipe, checkpoint, card, f"pretraining ({self.task})")
            with create_model_folder(out) as folder:
                write_encoder_weights(folder, module.task.encoder)  # type: ignore[arg-type]
                trained = replace(trained, card=write_training_card(folder, card, trained))
        return trained

    def _learn_words(self, material: PretrainingData) -> LearnedWords:
        """Build the vocabulary as jiant does, so that its words have the same vectors later."""
        words = learn_vocabulary(
            [material.words],
            JIANT.make_text_config(),
            vectors=self.vectors,
            width=self.sizes["width"],
            seed=self.recipe.seed,
            further=0,
        )
        return scale_to_unit_mean_length(words) if JIANT.get_preset(self.preset).unit_vectors else words

    def _collect_run_settings(
        self, material: PretrainingData, words: LearnedWords, targets: PretrainingTargets
    ) -> dict[str, Any]:
        """Return what decides the weights."""
        return {
            "trainer": self.name,
            "task": self.task,
            "material": material.facts | {"goals": targets.size},
            "encoder": self.sizes,
            "reading": words.encoder.config.facts(),
            "vectors": words.vectors,
            "recipe": self.recipe.facts(),
        }


class PretrainingModule(torch.nn.Module):
    """A task on top of a table of frozen word vectors."""

    def __init__(self, table: torch.Tensor, task: torch.nn.Module) -> None:
        """Put a task on a word table."""
        super().__init__()
        self.words = torch.nn.Embedding.from_pretrained(table, padding_idx=0)  # type: ignore[no-untyped-call]
        self.task = task

    def forward(self, tokens: TokenBatch, targets: torch.Tensor) -> torch.Tensor:
        """Compute the mean loss of a batch."""
        loss: torch.Tensor = self.task(self.look_up_vectors(tokens), targets)
        return loss

    def look_up_vectors(self, tokens: TokenBatch) -> Sentences:
        """Look up the vectors of words."""
        return Sentences(self.words(tokens.words), tokens.lengths)


class EncoderLearner:
    """What the loop trains: a task with its sentences."""

    def __init__(
        self,
        module: PretrainingModule,
        words: LearnedWords,
        encoded: EncodedTexts,
        targets: PretrainingTargets,
        material: PretrainingData,
    ) -> None:
        """Combine a module with what it is trained on."""
        self.module: torch.nn.Module = module
        self.pretraining, self.encoder, self.encoded, self.targets = module, words.encoder, encoded, targets
        self.material = material

    @property
    def lengths(self) -> Rows:
        """Count the words of each training sentence."""
        return self.encoded.lengths[self.material.train]

    def compute_loss(self, rows: Rows) -> torch.Tensor:
        """Compute the mean loss on some training rows."""
        chosen = self.material.train[rows]
        tokens = self._make_token_batch(chosen)
        loss: torch.Tensor = self.pretraining(
            tokens, self.targets.get_targets(chosen).to(tokens.words.device)
        )
        return loss

    def compute_dev_accuracy(self) -> float:
        """Compute the accuracy on the held-out sentences."""
        return self.targets.compute_accuracy(self.pretraining.task, self._iterate_held_out())

    def _iterate_held_out(self) -> Iterator[tuple[Sentences, Rows]]:
        lengths = self.encoded.lengths[self.material.dev]
        for rows in make_batches_by_length(lengths, np.ones_like(lengths), _CHECK):
            chosen = self.material.dev[rows]
            yield self.pretraining.look_up_vectors(self._make_token_batch(chosen)), chosen

    def _make_token_batch(self, rows: Rows) -> TokenBatch:
        device = self.pretraining.words.weight.device
        return move_batch_to_device(self.encoder.make_token_batch(self.encoded, rows), device)


def get_encoder_sizes(preset: PresetName) -> dict[str, Any]:
    """Return the sizes of jiant's encoder."""
    return {name: JIANT.get_default_size(name, preset) for name in inspect.signature(Encoder).parameters}


def write_encoder_weights(folder: Path, encoder: Encoder) -> None:
    """Write the weights of an encoder, as the option `encoder` of jiant expects them."""
    from safetensors.torch import save_file

    weights = encoder.state_dict()
    save_file(
        {name: weight.detach().cpu().contiguous().clone() for name, weight in weights.items()},
        folder / ENCODER,
    )
