"""A sequence-pair classifier from a pretrained encoder, fine-tuned as BERT was for HANS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from rightreasons.core.errors import InputError
from rightreasons.core.parts import Trainer
from rightreasons.models.encoding import EncodedPairs, encode
from rightreasons.models.torch_backend import check_device
from rightreasons.training.bias_models import Bias  # noqa: TC001 - options are read from annotations
from rightreasons.training.data import gold_numbers, label_order
from rightreasons.training.debiasing import Debiasing, Method, fit_debiased
from rightreasons.training.encoders import load_classifier, load_tokenizer
from rightreasons.training.folder import model_folder, write_card
from rightreasons.training.network_learner import NetworkLearner
from rightreasons.training.recipe import Keep, Recipe, check_dropout
from rightreasons.training.threads import threads

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from rightreasons.training.loop import TrainingResult


class Transformer(Trainer):
    """Fine-tunes an encoder with a head of three labels, or two where the training pairs have two."""

    name = "transformer"

    def __init__(
        self,
        *,
        encoder: str,
        epochs: float = 3.0,
        batch_size: int = 32,
        learning_rate: float = 2e-5,
        warmup: float = 0.1,
        weight_decay: float = 0.01,
        clip: float = 1.0,
        dropout: float | None = None,
        max_length: int = 128,
        seed: int = 0,
        checks: int = 4,
        patience: int = 8,
        keep: Keep = "best",
        save_seconds: float = 60.0,
        debias: Method | None = None,
        bias: Bias = "hypothesis-only",
        threads: int | None = None,
        device: str | None = None,
    ) -> None:
        """Choose the encoder and the recipe; the defaults are those of BERT on MultiNLI in the HANS paper.

        Args:
            encoder: a folder, a hub name, or an installed package that carries an encoder in its folder `model`. A head
                for the same labels is kept, its outputs in our order by their names; any other is drawn anew.
            epochs: passes over the training pairs; a part of one is fine.
            batch_size: pairs a step.
            learning_rate: the highest rate, reached after the warm-up.
            warmup: the share of all steps in which the rate rises; then it falls evenly to nothing.
            weight_decay: of AdamW, for weights that aren't biases or norms.
            clip: the largest norm of a step's gradient.
            dropout: of the whole encoder; its own if left out.
            max_length: in tokens; premises are cut, pairs whose hypothesis doesn't fit are left out and counted.
            seed: of the new head, the order of the pairs and dropout.
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
        self.encoder, self.dropout, self.max_length = encoder, check_dropout(dropout), max_length
        self.debiasing, self.threads = Debiasing(debias, bias), threads
        self.device = check_device(device or ("cuda" if torch.cuda.is_available() else None))
        self.recipe = Recipe(
            epochs=epochs,
            batch_size=batch_size,
            learning_rate=learning_rate,
            warmup=warmup,
            weight_decay=weight_decay,
            clip=clip,
            seed=seed,
            checks=checks,
            patience=patience,
            keep=keep,
            save_seconds=save_seconds,
        )

    def hyperparameters(self) -> dict[str, Any]:
        """Return the recipe."""
        return self.recipe.facts()

    def train(
        self, pairs: pl.DataFrame, dev: pl.DataFrame, out: Path, *, checkpoint: Path, facts: dict[str, Any]
    ) -> TrainingResult:
        """Train and write the model folder; a checkpoint of a run that was cut off is taken up."""
        order = label_order(pairs, dev)
        # Dropout draws from torch's own state, which is the caller's.
        with torch.random.fork_rng(), threads(self.threads):
            tokenizer = load_tokenizer(self.encoder)
            train, checked = (_encoded(tokenizer, table, order, self.max_length) for table in (pairs, dev))
            card = self._card(train.data, checked.data, order) | facts
            learner, trained = fit_debiased(
                lambda: NetworkLearner(self._model(order), train, checked),
                pairs=pairs[train.data.owners],
                labels=len(order),
                debiasing=self.debiasing,
                recipe=self.recipe,
                folder=checkpoint,
                run=card,
            )
            with model_folder(out) as folder:
                learner.module.save_pretrained(folder)  # type: ignore[operator]
                tokenizer.save_pretrained(folder)
                write_card(folder, card, trained)
        return trained

    def _card(self, train: EncodedPairs, dev: EncodedPairs, order: tuple[str, ...]) -> dict[str, Any]:
        return {
            "trainer": self.name,
            "encoder": self.encoder,
            "recipe": {
                **self.recipe.facts(),
                **self.debiasing.facts(),
                "dropout": self.dropout,
                "max_length": self.max_length,
            },
            "labels": list(order),
            "left_out": len(train.refused),
            "left_out_of_dev": len(dev.refused),
            "cut_premises": int(train.long.sum()) - len(train.refused),
        }

    def _model(self, order: tuple[str, ...]) -> Any:
        """Load the encoder with its head."""
        model = load_classifier(self.encoder, order, seed=self.recipe.seed, dropout=self.dropout)
        return model.to(self.device)


@dataclass(frozen=True)
class _TokenPairs:
    """Pairs as token ids, with the numbers of their labels."""

    data: EncodedPairs
    gold: NDArray[np.int64]
    pad: int
    takes_types: bool

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Count the tokens of each pair."""
        return self.data.lengths

    def logits(self, module: torch.nn.Module, rows: NDArray[np.int64]) -> torch.Tensor:
        """Ask the model about some pairs: (B, labels)."""
        device = next(module.parameters()).device
        ids, types, mask = (torch.from_numpy(table).to(device) for table in self.data.padded(rows, self.pad))
        more = {"token_type_ids": types} if self.takes_types else {}
        logits: torch.Tensor = module(input_ids=ids, attention_mask=mask, **more).logits
        return logits


def _encoded(tokenizer: Any, pairs: pl.DataFrame, order: tuple[str, ...], longest: int) -> _TokenPairs:
    """Encode pairs and number their labels; pairs that don't fit are left out."""
    texts = pairs["premise"].to_list(), pairs["hypothesis"].to_list()
    data = encode(tokenizer.backend_tokenizer, *texts, longest)
    if not len(data):
        raise InputError(f"No pair fits into {longest} tokens. Raise max_length.")
    gold = gold_numbers(pairs, order).to_numpy()[data.owners]
    return _TokenPairs(data, gold, tokenizer.pad_token_id, "token_type_ids" in tokenizer.model_input_names)
