"""A sequence-pair classifier from a pretrained encoder, fine-tuned as BERT was for HANS."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import torch

from rightreasons import labels
from rightreasons.errors import InputError
from rightreasons.models.encoding import Encoded, encode
from rightreasons.outputs import replacing_folder
from rightreasons.training.loop import Recipe, Trained, fit

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

CARD = "training.json"
_Rows: TypeAlias = "tuple[Encoded, NDArray[np.int64]]"
_CHECK_TOKENS = 4096  # of a dev batch


class Transformer:
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
        save_seconds: float = 300.0,
        device: str | None = None,
    ) -> None:
        """Choose the encoder and the recipe; the defaults are those of BERT on MultiNLI in the HANS paper.

        Args:
            encoder: a folder, a hub name, or an installed package that carries an encoder in its folder `model`.
            epochs: passes over the training pairs; a part of one is fine.
            batch_size: pairs a step.
            learning_rate: the highest rate, reached after the warm-up.
            warmup: the share of all steps in which the rate rises; then it falls evenly to nothing.
            weight_decay: of AdamW, for weights that aren't biases or norms.
            clip: the largest norm of a step's gradient.
            dropout: the encoder's own if left out.
            max_length: in tokens; premises are cut, pairs whose hypothesis doesn't fit are left out and counted.
            seed: of the new head, the order of the pairs and dropout.
            checks: how often an epoch the dev set is asked.
            patience: checks without a better one before it stops; 0 never stops.
            save_seconds: how often a checkpoint is written.
            device: where torch computes; a GPU if there is one and nothing is said.
        """
        self.encoder, self.dropout, self.max_length = encoder, dropout, max_length
        self.device = device or ("cuda" if torch.cuda.is_available() else "cpu")
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
            save_seconds=save_seconds,
        )

    def train(
        self, pairs: pl.DataFrame, dev: pl.DataFrame, out: Path, *, checkpoint: Path, facts: dict[str, Any]
    ) -> Trained:
        """Train and write the model folder; a checkpoint of a run that was cut off is taken up."""
        order = labels.THREE if set(pairs["label"].unique()) <= set(labels.THREE) else labels.TWO
        if order == labels.THREE and labels.NON_ENTAILMENT in dev["label"]:
            raise InputError(
                "The dev set has the label non-entailment, the training pairs have three labels. "
                "Choose the weights by pairs with the same labels."
            )
        with torch.random.fork_rng():  # dropout draws from torch's own state, which is the caller's
            torch.manual_seed(self.recipe.seed)
            model, tokenizer = self._load(order)
            rows = [_encoded(tokenizer, table, order, self.max_length) for table in (pairs, dev)]
            learner = _Learner(model.to(self.device), tokenizer, *rows)
            card = self._card(learner, order) | facts
            checkpoint.mkdir(exist_ok=True)
            trained = fit(learner, self.recipe, checkpoint, _digest(card))
        with replacing_folder(out, force=True) as folder:
            model.save_pretrained(folder)
            tokenizer.save_pretrained(folder)
            card |= {"steps": trained.steps, "best_step": trained.best_step, "log": trained.rows}
            card |= {"versions": _versions()}
            (folder / CARD).write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
        return trained

    def _card(self, learner: _Learner, order: tuple[str, ...]) -> dict[str, Any]:
        return {
            "trainer": self.name,
            "encoder": self.encoder,
            "recipe": {**self.recipe.facts(), "dropout": self.dropout, "max_length": self.max_length},
            "labels": list(order),
            "left_out": len(learner.train.refused),
            "left_out_of_dev": len(learner.dev.refused),
            "cut_premises": int(learner.train.long.sum()) - len(learner.train.refused),
        }

    def _load(self, order: tuple[str, ...]) -> tuple[Any, Any]:
        from transformers import AutoModelForSequenceClassification, AutoTokenizer

        names = dict(enumerate(order))
        config: dict[str, Any] = {"id2label": names, "label2id": {name: id_ for id_, name in names.items()}}
        if self.dropout is not None:
            config |= dict.fromkeys(("hidden_dropout_prob", "attention_probs_dropout_prob"), self.dropout)
        try:
            folder = _folder(self.encoder)
            tokenizer = AutoTokenizer.from_pretrained(folder)
            model = AutoModelForSequenceClassification.from_pretrained(
                folder, ignore_mismatched_sizes=True, **config
            )
        except (OSError, ValueError) as error:
            first = str(error).splitlines()[0]
            raise InputError(
                f"The encoder {self.encoder!r} can't be loaded: {first} Give a folder that transformers can read."
            ) from error
        return model, tokenizer


class _Learner:
    """The model with its training pairs and its dev set, as token ids."""

    def __init__(self, model: Any, tokenizer: Any, train: _Rows, dev: _Rows) -> None:
        self.module, self.pad = model, tokenizer.pad_token_id
        self.takes_types = "token_type_ids" in tokenizer.model_input_names
        self.train, self.gold = train
        self.dev, self.dev_gold = dev

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Give the tokens of each training row."""
        return self.train.lengths

    def loss(self, rows: NDArray[np.int64]) -> torch.Tensor:
        """Compute the mean cross-entropy on some training rows."""
        loss: torch.Tensor = torch.nn.functional.cross_entropy(
            self._logits(self.train, rows), torch.from_numpy(self.gold[rows]).to(self.module.device)
        )
        return loss

    def check(self) -> float:
        """Measure the accuracy on the dev set."""
        order = np.argsort(self.dev.lengths, kind="stable")
        size = max(1, _CHECK_TOKENS // int(self.dev.lengths.max()))
        right = 0
        for start in range(0, len(order), size):
            rows = order[start : start + size]
            answers = self._logits(self.dev, rows).argmax(dim=1).cpu().numpy()
            right += int((answers == self.dev_gold[rows]).sum())
        return right / len(order)

    def _logits(self, data: Encoded, rows: NDArray[np.int64]) -> torch.Tensor:
        ids, types, mask = (
            torch.from_numpy(table).to(self.module.device) for table in data.padded(rows, self.pad)
        )
        more = {"token_type_ids": types} if self.takes_types else {}
        logits: torch.Tensor = self.module(input_ids=ids, attention_mask=mask, **more).logits
        return logits


def _encoded(tokenizer: Any, pairs: pl.DataFrame, order: tuple[str, ...], longest: int) -> _Rows:
    """Encode pairs and number their labels; pairs that don't fit are left out."""
    texts = pairs["premise"].to_list(), pairs["hypothesis"].to_list()
    data = encode(tokenizer.backend_tokenizer, *texts, longest)
    if not len(data):
        raise InputError(f"No pair fits into {longest} tokens. Raise max_length.")
    places = {label: place for place, label in enumerate(order)}
    merged = labels.merge(pairs["label"]) if order == labels.TWO else pairs["label"]
    gold = np.array([places[label] for label in merged], dtype=np.int64)
    return data, gold[data.owners]


def _folder(encoder: str) -> str:
    """Find the folder of an encoder that an installed package carries; folders and hub names stay as they are."""
    from importlib.util import find_spec

    module = encoder.replace("-", "_")
    if Path(encoder).exists() or not module.isidentifier():
        return encoder
    spec = find_spec(module)
    folders = spec.submodule_search_locations or [] if spec else []
    inside = [Path(folder) / "model" for folder in folders]
    return next((str(folder) for folder in inside if (folder / "config.json").exists()), encoder)


def _digest(card: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(card, sort_keys=True).encode()).hexdigest()


def _versions() -> dict[str, str]:
    import transformers

    from rightreasons import __version__

    return {"rightreasons": __version__, "torch": torch.__version__, "transformers": transformers.__version__}
