"""Trains the encoder of jiant on another task, before a network with it on top reads pairs."""

from __future__ import annotations

import inspect
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from rightreasons.core.errors import InputError
from rightreasons.core.parts import Trainer
from rightreasons.models.batching import Limit, deal
from rightreasons.models.network_runners import on_device
from rightreasons.models.torch_backend import check_device
from rightreasons.nets.encoder import Encoder
from rightreasons.nets.jiant import Jiant
from rightreasons.nets.sentences import Sentences
from rightreasons.nets.table import Preset  # noqa: TC001 - options are read from annotations
from rightreasons.nets.text.build_vocab import learn_words
from rightreasons.nets.text.text_config import reading_of
from rightreasons.training.folder import ENCODER, model_folder, write_card
from rightreasons.training.initialization import unit_length
from rightreasons.training.loop import fit
from rightreasons.training.papers import paper_of
from rightreasons.training.pretrained_material import TaskName, read_material
from rightreasons.training.pretraining_goals import goals_of
from rightreasons.training.recipe import Recipe
from rightreasons.training.threads import threads

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl
    from numpy.typing import NDArray

    from rightreasons.nets.sentences import TokenBatch
    from rightreasons.nets.text.build_vocab import Learnt
    from rightreasons.nets.text.encoder import EncodedTexts
    from rightreasons.training.loop import TrainingResult
    from rightreasons.training.pretrained_material import PretrainingData
    from rightreasons.training.pretraining_goals import Goals

    Rows = NDArray[np.int64]

_CHECK = Limit(tokens=4096)  # of a batch that is only answered
# What the small preset makes do with; as in jiant, all there is otherwise.
_SMALL = {"sentences": 20_000, "words": 3_000}
_WORDS = 30_000
_EPOCHS = 3.0


class Pretrainer(Trainer):
    """Trains the encoder of jiant on tags, running text or captions, not on pairs."""

    name = "pretrain"
    own_material = True

    def __init__(
        self,
        *,
        task: TaskName,
        material: tuple[str, ...],
        preset: Preset = "paper",
        sentences: int | None = None,
        words: int | None = None,
        vectors: str | None = None,
        width: int | None = None,
        epochs: float | None = None,
        batch_size: int | None = None,
        learning_rate: float | None = None,
        seed: int = 0,
        checks: int | None = None,
        patience: int | None = None,
        save_seconds: float = 60.0,
        threads: int | None = None,
        device: str | None = None,
    ) -> None:
        """Choose the task, what it is trained on, and the recipe; what is left out is jiant's, or the preset's.

        Args:
            task: tagging, language-model or captions.
            material: the files to learn: CCGbank or pairs with parses; WikiText or texts; captions, and features.
            preset: paper, or small: sizes and a recipe for a CPU.
            sentences: no more than that many are trained on; all, or 20,000 with the small preset, if left out.
            words: a language model guesses among that many words; 30,000, or 3,000 with the small preset.
            vectors: a file of word vectors; random ones if left out.
            width: of the vectors; 300, or 100 with the small preset, if left out.
            epochs: passes over the sentences, at most.
            batch_size: sentences a step.
            learning_rate: the highest rate.
            seed: of the weights, random vectors, the order of the sentences and dropout.
            checks: how often an epoch the held-out sentences are asked.
            patience: checks without a better one before it stops; 0 never stops.
            save_seconds: how often a checkpoint is written.
            threads: of the processor; what OMP_NUM_THREADS or torch say if left out.
            device: where torch computes; a GPU if there is one and nothing is said.
        """
        given = {key: value for key, value in locals().items() if value is not None}
        for name in ("sentences", "words"):
            if given.get(name, 1) < 1:
                raise InputError(f"The option {name} is {given[name]}. Give at least 1.")
        known = {field.name for field in fields(Recipe)}
        paper = paper_of("jiant", preset)
        recipe = replace(paper.recipe, epochs=_EPOCHS) if preset == "small" else paper.recipe
        self.unit_vectors = paper.unit_vectors
        self.recipe = replace(recipe, **{key: value for key, value in given.items() if key in known})
        self.task, self.material, self.vectors, self.threads = task, material, vectors, threads
        small = _SMALL if preset == "small" else {}
        self.sentences = sentences or small.get("sentences")
        self.words = words or small.get("words", _WORDS)
        self.sizes = encoder_sizes(preset) | ({} if width is None else {"width": width})
        self.device = check_device(device or ("cuda" if torch.cuda.is_available() else None))

    def hyperparameters(self) -> dict[str, Any]:
        """Return the recipe."""
        return self.recipe.facts()

    def train(
        self, pairs: pl.DataFrame, dev: pl.DataFrame, out: Path, *, checkpoint: Path, facts: dict[str, Any]
    ) -> TrainingResult:
        """Train and write a folder with the encoder; a checkpoint of a run that was cut off is taken up."""
        del pairs, dev, facts  # other trainers learn these; an encoder learns what its material says
        material = read_material(self.task, self.material, self.sentences)
        with torch.random.fork_rng(), threads(self.threads):
            words = self._words(material)
            encoded = words.reader.encode_split(material.words)
            goals = goals_of(material, words, encoded, self.words)
            card = self._card(material, words, goals)
            torch.manual_seed(
                self.recipe.seed
            )  # so the first weights are those of a jiant network with this seed
            module = Pretraining(torch.from_numpy(words.table), goals.task(Encoder(**self.sizes))).to(
                self.device
            )
            learner = EncoderLearner(module, words, encoded, goals, material)
            trained = fit(learner, self.recipe, checkpoint, card, f"pretraining ({self.task})")
            with model_folder(out) as folder:
                write_encoder(folder, module.task.encoder)  # type: ignore[arg-type]
                write_card(folder, card, trained)
        return trained

    def _words(self, material: PretrainingData) -> Learnt:
        """Learn the words as jiant does, so that the encoder will meet them again as they were."""
        width, seed = self.sizes["width"], self.recipe.seed
        words = learn_words(
            [material.words], reading_of("jiant"), vectors=self.vectors, width=width, seed=seed, further=0
        )
        return unit_length(words) if self.unit_vectors else words

    def _card(self, material: PretrainingData, words: Learnt, goals: Goals) -> dict[str, Any]:
        """Say what decides the weights."""
        return {
            "trainer": self.name,
            "task": self.task,
            "material": material.facts | {"goals": goals.size},
            "encoder": self.sizes,
            "reading": words.reader.reading.facts(),
            "vectors": words.vectors,
            "recipe": self.recipe.facts(),
        }


class Pretraining(torch.nn.Module):
    """A table of word vectors, which stays as it is, below a task."""

    def __init__(self, table: torch.Tensor, task: torch.nn.Module) -> None:
        """Take the table of words and the task."""
        super().__init__()
        self.words = torch.nn.Embedding.from_pretrained(table, padding_idx=0)  # type: ignore[no-untyped-call]
        self.task = task

    def forward(self, tokens: TokenBatch, goals: torch.Tensor) -> torch.Tensor:
        """Compute the mean loss of a batch."""
        loss: torch.Tensor = self.task(self.sentences(tokens), goals)
        return loss

    def sentences(self, tokens: TokenBatch) -> Sentences:
        """Look words up."""
        return Sentences(self.words(tokens.words), tokens.lengths)


class EncoderLearner:
    """A task with its sentences: what the loop trains."""

    def __init__(
        self,
        module: Pretraining,
        words: Learnt,
        encoded: EncodedTexts,
        goals: Goals,
        material: PretrainingData,
    ) -> None:
        """Take them together."""
        self.module: torch.nn.Module = module
        self.pretraining, self.reader, self.encoded, self.goals = module, words.reader, encoded, goals
        self.material = material

    @property
    def lengths(self) -> Rows:
        """Count the words of each sentence that is trained on."""
        return self.encoded.lengths[self.material.train]

    def loss(self, rows: Rows) -> torch.Tensor:
        """Compute the mean loss on some training rows."""
        chosen = self.material.train[rows]
        tokens = self._tokens(chosen)
        loss: torch.Tensor = self.pretraining(tokens, self.goals.of(chosen).to(tokens.words.device))
        return loss

    def check(self) -> float:
        """Measure the accuracy on the sentences that are held out."""
        return self.goals.accuracy(self.pretraining.task, self._held_out())

    def _held_out(self) -> Iterator[tuple[Sentences, Rows]]:
        lengths = self.encoded.lengths[self.material.dev]
        for rows in deal(lengths, np.ones_like(lengths), _CHECK):
            chosen = self.material.dev[rows]
            yield self.pretraining.sentences(self._tokens(chosen)), chosen

    def _tokens(self, rows: Rows) -> TokenBatch:
        device = self.pretraining.words.weight.device
        return on_device(self.reader.tokens(self.encoded, rows), device)


def encoder_sizes(preset: Preset) -> dict[str, Any]:
    """Give the sizes of jiant's encoder."""
    own = {name: one.default for name, one in inspect.signature(Jiant).parameters.items()}
    sizes = {**own, **(Jiant.SMALL if preset == "small" else {})}
    return {name: sizes[name] for name in inspect.signature(Encoder).parameters}


def write_encoder(folder: Path, encoder: Encoder) -> None:
    """Write the weights of an encoder, as the option `encoder` of jiant reads them."""
    from safetensors.torch import save_file

    weights = encoder.state_dict()
    save_file(
        {name: one.detach().cpu().contiguous().clone() for name, one in weights.items()}, folder / ENCODER
    )
