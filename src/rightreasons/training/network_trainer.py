"""The trainer of all networks over word vectors: built from the declaration of a network and its options."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import torch

from rightreasons.core.errors import InputError
from rightreasons.core.options import get_options
from rightreasons.core.parts import Trainer
from rightreasons.models.logit_backends import resolve_torch_device
from rightreasons.models.network_folder import NetworkDescription, write_network_files
from rightreasons.nets.recipe import Recipe, check_dropout
from rightreasons.nets.text.binary_parses import has_unparsed_texts
from rightreasons.nets.text.encoder import learn_vocabulary
from rightreasons.training.data import choose_labels
from rightreasons.training.initialization import (
    Initialization,
    initialize_from_folder,
    load_encoder_weights,
    merge_split_word_table,
    scale_to_unit_mean_length,
)
from rightreasons.training.learner import (
    NetworkLearner,
    encode_pairs,
    make_and_fit_learner,
    tokenize_both_texts,
)
from rightreasons.training.loop import limit_threads
from rightreasons.training.model_folder import create_model_folder, write_training_card

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from rightreasons.nets.batches import EmbeddingNetwork
    from rightreasons.nets.declaration import Network, NetworkOptions
    from rightreasons.nets.text.text_config import TextConfig
    from rightreasons.nets.text.tokenization import TokenizedTexts
    from rightreasons.training.learner import WordPairs
    from rightreasons.training.loop import TrainingResult

# Options that a network to start from has decided already, apart from those of the module itself.
_DECIDED_BY_START = ("vectors", "width", "unit_vectors", "unknown", "literal", "encoder")


class NetworkTrainer(Trainer):
    """Trains a network over word vectors; three labels, or two where the training pairs have two."""

    def __init__(self, network: Network, options: NetworkOptions) -> None:
        """Choose sizes, words and recipe: what the options leave out is that of the preset."""
        self.network, self.options = network, options
        values = get_options(options)
        self.given = {name: value for name, value in values.items() if value is not None}
        self.preset = network.get_preset(options.preset)
        recipe = {item.name for item in fields(Recipe)}
        changes = {name: value for name, value in self.given.items() if name in recipe}
        self.recipe = replace(self.preset.recipe, **changes)
        self.trained_vectors: bool = self.given.get("trained_vectors", self.preset.trained_vectors)
        self.unit_vectors: bool = self.given.get("unit_vectors", self.preset.unit_vectors)
        self.module_options = network.select_module_options(options)
        # Options that only some networks declare.
        self.literal: bool = values.get("literal", False)
        self.parser: str | None = values.get("parser")
        self.encoder: str | None = values.get("encoder")
        self.device = resolve_torch_device(options.device or ("cuda" if torch.cuda.is_available() else None))
        check_dropout(options.dropout)
        self._refuse_overridden_options()

    def hyperparameters(self) -> dict[str, Any]:
        """Return the recipe, and whether the word vectors are trained."""
        return {**self.recipe.facts(), "trained_vectors": self.trained_vectors}

    def train(
        self, pairs: pl.DataFrame, dev: pl.DataFrame, out: Path, *, checkpoint: Path, facts: dict[str, Any]
    ) -> TrainingResult:
        """Train and write the model folder; an interrupted run resumes from its checkpoint."""
        order = choose_labels(pairs, dev)
        if self.parser and not (has_unparsed_texts(pairs) or has_unparsed_texts(dev)):
            raise InputError(
                f"All pairs have parses, so the parser {self.parser!r} is not used. Omit the option parser, "
                "or give pairs without parses."
            )
        # Dropout draws from torch's global state, which is the caller's.
        with torch.random.fork_rng(), limit_threads(self.options.threads):
            start, train, kept = self._initialize_network(pairs, order)
            encoder = start.words.encoder
            sides = tokenize_both_texts(dev, encoder.config, self.parser)
            checked, _ = encode_pairs(sides, dev, encoder, order, training=False)
            card = self._collect_run_settings(start) | {"left_out": pairs.height - len(kept)} | facts
            learner, trained = make_and_fit_learner(
                lambda: NetworkLearner(
                    start.build_network(self.recipe.seed, self.device),
                    train,
                    checked,
                    together=self.recipe.batch_size if start.description.literal else None,
                ),
                pairs=pairs[kept],
                labels=len(order),
                debias=self.options,
                recipe=self.recipe,
                folder=checkpoint,
                run=card,
            )
            with create_model_folder(out) as folder:
                network: EmbeddingNetwork = learner.module  # type: ignore[assignment]
                write_network_files(folder, merge_split_word_table(network), encoder, start.description)
                trained = replace(trained, card=write_training_card(folder, card, trained))
        return trained

    def _initialize_network(
        self, pairs: pl.DataFrame, order: tuple[str, ...]
    ) -> tuple[Initialization, WordPairs, NDArray[np.int64]]:
        """Tokenize the training pairs, build the vocabulary, and choose the first weights."""
        if self.options.start is not None:
            start = initialize_from_folder(
                self.options.start, self.network.name, order, trained=self.trained_vectors
            )
            sides = tokenize_both_texts(pairs, start.words.encoder.config, self.parser)
        else:
            changes = {} if self.options.unknown is None else {"unknown": self.options.unknown}
            config = self.network.make_text_config(literal=self.literal, **changes)
            sides = tokenize_both_texts(pairs, config, self.parser)
            start = self._initialize_from_vectors(sides, config, order)
            if config.forest and self.parser and has_unparsed_texts(pairs):
                start = replace(start, description=replace(start.description, parser=self.parser))
        if start.description.literal:
            training = {"batch_size": self.recipe.batch_size}
            start = replace(start, description=replace(start.description, training=training))
        return start, *encode_pairs(sides, pairs, start.words.encoder, order, training=True)

    def _initialize_from_vectors(
        self, sides: list[TokenizedTexts], config: TextConfig, order: tuple[str, ...]
    ) -> Initialization:
        """Start with word vectors, and with random weights or a pretrained encoder."""
        width = self.given.get("width", self.network.get_default_size("width", self.options.preset))
        words = learn_vocabulary(
            sides, config, vectors=self.options.vectors, width=width, seed=self.recipe.seed
        )
        words = scale_to_unit_mean_length(words) if self.unit_vectors else words
        description = NetworkDescription(
            self.network.name,
            order,
            width,
            preset=self.options.preset,
            options=self.module_options,
            literal=self.literal,
            trained_words=self.trained_vectors,
            vectors=words.vectors,
        )
        weights = load_encoder_weights(self.encoder, words.vectors) if self.encoder else {}
        return Initialization(words, description, weights)

    def _collect_run_settings(self, start: Initialization) -> dict[str, Any]:
        """Return what decides the weights, apart from the pairs."""
        description = start.description
        return {
            "trainer": self.network.name,
            "network": {
                "preset": description.preset,
                "literal": description.literal,
                "width": description.width,
                "options": description.options,
                "trained_vectors": description.trained_words,
                "parser": self.parser,
                "start": self.options.start,
                "encoder": self.encoder,
            },
            "reading": start.words.encoder.config.facts(),
            "vectors": start.words.vectors,
            "recipe": {**self.recipe.facts(), **self.options.debias_facts()},
            "labels": list(description.labels),
        }

    def _refuse_overridden_options(self) -> None:
        """Refuse options that have no effect because the network to start from decides them."""
        if self.options.start is None:
            return
        given = self.given if self.literal else {**self.given, "literal": None}
        for name in (*_DECIDED_BY_START, *self.module_options):
            if given.get(name) is not None:
                raise InputError(
                    f"The network in {self.options.start} determines the option {name!r}. Omit this option."
                )
