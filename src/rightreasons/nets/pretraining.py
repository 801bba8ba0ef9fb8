"""Pretraining tasks: each is an encoder with a head, and returns a loss.

Every task takes a batch of sentences and their targets; afterwards the weights of its `encoder` are copied to the
network (`net.encoder.load_state_dict(task.encoder.state_dict())`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import torch
from torch.nn import functional

from rightreasons.nets.layers import masked_max

if TYPE_CHECKING:
    from rightreasons.nets.batches import Sentences
    from rightreasons.nets.jiant import Encoder

NO_TARGET = -100  # instead of a tag or a word where there is no target, as in padding


class Tagging(torch.nn.Module):
    """A tag for each word, such as its supertag or its part of speech."""

    def __init__(self, encoder: Encoder, *, tags: int) -> None:
        """Put a head for tags on an encoder."""
        super().__init__()
        self.encoder = encoder
        self.output = torch.nn.Linear(encoder.size, tags)

    def forward(self, sentences: Sentences, tags: torch.Tensor) -> torch.Tensor:
        """Compute the mean loss of the tags (B, T), which are NO_TARGET past the end."""
        return _compute_mean_cross_entropy(self.compute_logits(sentences), tags)

    def compute_logits(self, sentences: Sentences) -> torch.Tensor:
        """Compute the logits of each word's tag: (B, T, tags)."""
        logits: torch.Tensor = self.output(self.encoder(sentences))
        return logits


class LanguageModel(torch.nn.Module):
    """Predicts the next word from those before it, and the previous word from those after it, independently."""

    def __init__(self, encoder: Encoder, *, words: int) -> None:
        """Put heads for both directions on an encoder."""
        super().__init__()
        self.encoder = encoder
        self.next = torch.nn.Linear(encoder.hidden, words)
        self.last = torch.nn.Linear(encoder.hidden, words)

    def forward(self, sentences: Sentences, words: torch.Tensor) -> torch.Tensor:
        """Compute the mean loss of both directions; words (B, T) are indices of the head, NO_TARGET past the end."""
        forward, backward = self.encoder.encode_directions(sentences)  # (B, T, H) each
        neighbours = sentences.mask[:, 1:]  # true where both neighbours are words: (B, T - 1)
        ahead = _compute_word_loss(self.next, forward[:, :-1][neighbours], words[:, 1:][neighbours])
        behind = _compute_word_loss(self.last, backward[:, 1:][neighbours], words[:, :-1][neighbours])
        return (ahead + behind) / 2

    def compute_logits(self, sentences: Sentences) -> tuple[torch.Tensor, torch.Tensor]:
        """Compute the logits of the word after and of the word before each position: (B, T, words) each."""
        forward, backward = self.encoder.encode_directions(sentences)
        return self.next(forward), self.last(backward)


class CaptionGrounding(torch.nn.Module):
    """Predicts the features of an image from its caption."""

    def __init__(
        self,
        encoder: Encoder,
        *,
        features: int,
        loss: Literal["ranking", "regression"] = "ranking",
        margin: float = 0.2,
    ) -> None:
        """Put a head for image features on an encoder."""
        super().__init__()
        self.encoder, self.loss, self.margin = encoder, loss, margin
        self.output = torch.nn.Linear(encoder.size, features)

    def forward(self, sentences: Sentences, images: torch.Tensor) -> torch.Tensor:
        """Compute the loss of captions against the features of their images (B, features)."""
        predicted = self.predict_features(sentences)
        if self.loss == "regression":
            return functional.mse_loss(predicted, images)
        return _compute_ranking_loss(predicted, images, self.margin)

    def predict_features(self, sentences: Sentences) -> torch.Tensor:
        """Predict the features of the images of captions: (B, features)."""
        pooled = masked_max(self.encoder(sentences), sentences.mask)
        predicted: torch.Tensor = self.output(pooled)
        return predicted


def _compute_word_loss(head: torch.nn.Linear, states: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
    """Average the loss of words (N,) from states (N, H)."""
    known = words != NO_TARGET  # the softmax over all words is expensive, so only targets are computed
    return _compute_mean_cross_entropy(head(states[known]), words[known])


def _compute_mean_cross_entropy(logits: torch.Tensor, goals: torch.Tensor) -> torch.Tensor:
    """Average the cross-entropy over the targets; zero if there are none."""
    total = functional.cross_entropy(
        logits.flatten(0, -2), goals.flatten(), ignore_index=NO_TARGET, reduction="sum"
    )
    return total / (goals != NO_TARGET).sum().clamp(min=1)


def _compute_ranking_loss(predicted: torch.Tensor, images: torch.Tensor, margin: float) -> torch.Tensor:
    """Require caption and image to be closer, by a margin, than either is to any other of the batch."""
    captions, images = functional.normalize(predicted, dim=1), functional.normalize(images, dim=1)
    closeness = captions @ images.T  # (B, B) cosines
    own = closeness.diagonal()
    # Several captions may belong to one image: these are not wrong.
    wrong = (images @ images.T) < 1 - 1e-5
    by_caption = (margin + closeness - own[:, None]).relu() * wrong
    by_image = (margin + closeness - own[None, :]).relu() * wrong
    return (by_caption.sum() + by_image.sum()) / (2 * wrong.sum()).clamp(min=1)
