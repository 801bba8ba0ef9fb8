"""Tasks to train an encoder on before it reads pairs: each is the encoder with a head, and returns a loss.

Every task takes a batch of sentences and what is to be predicted about them; afterwards the weights of its `encoder`
are carried over to the network (`net.encoder.load_state_dict(task.encoder.state_dict())`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import torch
from torch.nn import functional

from rightreasons.nets.layers import masked_max

if TYPE_CHECKING:
    from rightreasons.nets.batches import Sentences
    from rightreasons.nets.jiant import Encoder

NOTHING = -100  # in place of a tag or a word that is not to be predicted, as at the padding


class Tagging(torch.nn.Module):
    """A tag for each word, such as its supertag or its part of speech."""

    def __init__(self, encoder: Encoder, *, tags: int) -> None:
        """Take the encoder to train and the number of tags."""
        super().__init__()
        self.encoder = encoder
        self.output = torch.nn.Linear(encoder.size, tags)

    def forward(self, sentences: Sentences, tags: torch.Tensor) -> torch.Tensor:
        """Compute the mean loss of the tags (B, T), which are NOTHING past the end."""
        return _mean_loss(self.logits(sentences), tags)

    def logits(self, sentences: Sentences) -> torch.Tensor:
        """Compute the logits of each word's tag: (B, T, tags)."""
        logits: torch.Tensor = self.output(self.encoder(sentences))
        return logits


class LanguageModel(torch.nn.Module):
    """The next word from the words before it, and the last word from the words after it, each direction alone."""

    def __init__(self, encoder: Encoder, *, words: int) -> None:
        """Take the encoder to train and the number of words that can be predicted."""
        super().__init__()
        self.encoder = encoder
        self.next = torch.nn.Linear(encoder.hidden, words)
        self.last = torch.nn.Linear(encoder.hidden, words)

    def forward(self, sentences: Sentences, words: torch.Tensor) -> torch.Tensor:
        """Compute the mean loss of both directions; words (B, T) number the head's words, NOTHING past the end."""
        onward, backward = self.encoder.directions(sentences)  # (B, T, H) each
        neighbours = sentences.mask[:, 1:]  # true where a word stands on both sides of the step: (B, T - 1)
        ahead = _word_loss(self.next, onward[:, :-1][neighbours], words[:, 1:][neighbours])
        behind = _word_loss(self.last, backward[:, 1:][neighbours], words[:, :-1][neighbours])
        return (ahead + behind) / 2

    def logits(self, sentences: Sentences) -> tuple[torch.Tensor, torch.Tensor]:
        """Compute at each place the logits of the word after it and of the word before it: (B, T, words) each."""
        onward, backward = self.encoder.directions(sentences)
        return self.next(onward), self.last(backward)


class CaptionGrounding(torch.nn.Module):
    """The features of an image from its caption."""

    def __init__(
        self,
        encoder: Encoder,
        *,
        features: int,
        loss: Literal["ranking", "regression"] = "ranking",
        margin: float = 0.2,
    ) -> None:
        """Take the encoder to train and how many features an image has."""
        super().__init__()
        self.encoder, self.loss, self.margin = encoder, loss, margin
        self.output = torch.nn.Linear(encoder.size, features)

    def forward(self, sentences: Sentences, images: torch.Tensor) -> torch.Tensor:
        """Compute the loss of captions against the features of their images (B, features)."""
        guesses = self.features(sentences)
        if self.loss == "regression":
            return functional.mse_loss(guesses, images)
        return _ranking_loss(guesses, images, self.margin)

    def features(self, sentences: Sentences) -> torch.Tensor:
        """Guess the features of the images that captions describe: (B, features)."""
        pooled = masked_max(self.encoder(sentences), sentences.mask)
        guesses: torch.Tensor = self.output(pooled)
        return guesses


def _word_loss(head: torch.nn.Linear, states: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
    """Average the loss of words (N,) from states (N, H)."""
    known = (
        words != NOTHING
    )  # asked only where there is an answer: the softmax over all words is the dear part
    return _mean_loss(head(states[known]), words[known])


def _mean_loss(logits: torch.Tensor, goals: torch.Tensor) -> torch.Tensor:
    """Average the cross-entropy over what is to be predicted; zero where that is nothing."""
    total = functional.cross_entropy(
        logits.flatten(0, -2), goals.flatten(), ignore_index=NOTHING, reduction="sum"
    )
    return total / (goals != NOTHING).sum().clamp(min=1)


def _ranking_loss(guesses: torch.Tensor, images: torch.Tensor, margin: float) -> torch.Tensor:
    """Ask that caption and image are closer, by a margin, than either is to any other of the batch."""
    captions, images = functional.normalize(guesses, dim=1), functional.normalize(images, dim=1)
    closeness = captions @ images.T  # (B, B) cosines
    own = closeness.diagonal()
    # Several captions may belong to one image: these are no wrong answers.
    wrong = (images @ images.T) < 1 - 1e-5
    by_caption = (margin + closeness - own[:, None]).relu() * wrong
    by_image = (margin + closeness - own[None, :]).relu() * wrong
    return (by_caption.sum() + by_image.sum()) / (2 * wrong.sum()).clamp(min=1)
