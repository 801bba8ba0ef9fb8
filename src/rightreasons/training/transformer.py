"""A sequence-pair classifier from a pretrained encoder, fine-tuned as BERT was for HANS."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

import torch

from rightreasons.core.errors import InputError
from rightreasons.core.options import get_options, option
from rightreasons.core.parts import Trainer
from rightreasons.models.logit_backends import resolve_torch_device
from rightreasons.models.pair_encoding import EncodedPairs, tokenize_pairs
from rightreasons.nets.recipe import DebiasOptions, KeptWeights, Recipe, RunOptions, check_dropout
from rightreasons.training.data import choose_labels, convert_labels_to_indices
from rightreasons.training.learner import NetworkLearner, make_and_fit_learner
from rightreasons.training.loop import limit_threads
from rightreasons.training.model_folder import create_model_folder, write_training_card
from rightreasons.training.pretrained_encoders import load_classifier, load_tokenizer

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from rightreasons.training.loop import TrainingResult


@dataclass(frozen=True, kw_only=True)
class Transformer(DebiasOptions, RunOptions, Trainer):
    """Fine-tunes an encoder with a head of three labels, or two where the training pairs have two.

    The defaults are those of BERT on MultiNLI in the HANS paper.
    """

    name: ClassVar[str] = "transformer"

    encoder: str = option(
        help="Folder, Hugging Face Hub name, or installed package that contains an encoder in its folder `model`. "
        "A head for the same labels is kept, with its outputs reordered by name; any other is replaced by a random one."
    )
    epochs: float = option(3.0, help="Passes over the training pairs; fractions are allowed.")
    batch_size: int = option(32, help="Pairs per step.")
    learning_rate: float = option(2e-5, help="Peak learning rate, reached after the warm-up.")
    warmup: float = option(
        0.1, help="Fraction of all steps in which the learning rate rises; then it decays linearly to zero."
    )
    weight_decay: float = option(0.01, help="Weight decay of AdamW; biases and norms are exempt.")
    clip: float = option(1.0, help="Maximum norm of the gradient; 0 disables clipping.")
    dropout: float | None = option(None, help="Dropout of the whole encoder. Default: its own.")
    max_length: int = option(
        128,
        help="Maximum length in tokens. Longer premises are truncated; pairs whose hypothesis does not fit are left "
        "out and counted.",
    )
    checks: int = option(4, help="Evaluations on the dev set per epoch.")
    patience: int = option(
        8, help="Evaluations without improvement before training stops; 0 disables early stopping."
    )
    keep: KeptWeights = option("best", help="Checkpoint to keep: best (by dev accuracy) or last.")

    def __post_init__(self) -> None:
        """Refuse values with which nothing can be trained."""
        check_dropout(self.dropout)
        _ = self.recipe, self.torch_device

    @property
    def recipe(self) -> Recipe:
        """Return the recipe."""
        names = {item.name for item in fields(Recipe)}
        return Recipe(**{name: value for name, value in get_options(self).items() if name in names})

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
        """Train and write the model folder; an interrupted run resumes from its checkpoint."""
        order = choose_labels(pairs, dev)
        # Dropout draws from torch's global state, which is the caller's.
        with torch.random.fork_rng(), limit_threads(self.threads):
            tokenizer = load_tokenizer(self.encoder)
            train, checked = (
                _encode_pairs(tokenizer, table, order, self.max_length) for table in (pairs, dev)
            )
            card = self._collect_run_settings(train.data, checked.data, order) | facts
            learner, trained = make_and_fit_learner(
                lambda: NetworkLearner(self._load_model(order), train, checked),
                pairs=pairs[train.data.pair_indices],
                labels=len(order),
                debias=self,
                recipe=self.recipe,
                folder=checkpoint,
                run=card,
            )
            with create_model_folder(out) as folder:
                learner.module.save_pretrained(folder)  # type: ignore[operator]
                tokenizer.save_pretrained(folder)
                trained = replace(trained, card=write_training_card(folder, card, trained))
        return trained

    def _collect_run_settings(
        self, train: EncodedPairs, dev: EncodedPairs, order: tuple[str, ...]
    ) -> dict[str, Any]:
        return {
            "trainer": self.name,
            "encoder": self.encoder,
            "recipe": {
                **self.recipe.facts(),
                **self.debias_facts(),
                "dropout": self.dropout,
                "max_length": self.max_length,
            },
            "labels": list(order),
            "left_out": len(train.refused),
            "left_out_of_dev": len(dev.refused),
            "cut_premises": int(train.is_long.sum()) - len(train.refused),
        }

    def _load_model(self, order: tuple[str, ...]) -> Any:
        model = load_classifier(self.encoder, order, seed=self.recipe.seed, dropout=self.dropout)
        return model.to(self.torch_device)


@dataclass(frozen=True)
class _TokenPairs:
    """Pairs as token ids, with the indices of their labels."""

    data: EncodedPairs
    gold: NDArray[np.int64]
    pad: int
    takes_types: bool

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Count the tokens of each pair."""
        return self.data.lengths

    def compute_logits(self, module: torch.nn.Module, rows: NDArray[np.int64]) -> torch.Tensor:
        """Run the model on some pairs: (B, labels)."""
        device = next(module.parameters()).device
        ids, types, mask = (
            torch.from_numpy(table).to(device) for table in self.data.pad_rows(rows, self.pad)
        )
        more = {"token_type_ids": types} if self.takes_types else {}
        logits: torch.Tensor = module(input_ids=ids, attention_mask=mask, **more).logits
        return logits


def _encode_pairs(tokenizer: Any, pairs: pl.DataFrame, order: tuple[str, ...], longest: int) -> _TokenPairs:
    """Encode pairs and their labels; pairs that do not fit are left out."""
    texts = pairs["premise"].to_list(), pairs["hypothesis"].to_list()
    data = tokenize_pairs(tokenizer.backend_tokenizer, *texts, longest)
    if not len(data):
        raise InputError(f"No pair fits into {longest} tokens. Raise max_length.")
    gold = convert_labels_to_indices(pairs, order).to_numpy()[data.pair_indices]
    return _TokenPairs(data, gold, tokenizer.pad_token_id, "token_type_ids" in tokenizer.model_input_names)
