"""The probability of each label, from the log-probabilities of the tokens that a reply could begin with."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rightreasons.models.remote.replies import tidy_token, tidy_words

if TYPE_CHECKING:
    from rightreasons.models.remote.prompts import Prompt

SHORTEST_START = 2
LEAST = -1e9  # endpoints write -9999 for what is out of the question
_SHARED = "shared"


@dataclass(frozen=True)
class TokenPosition:
    """One place of a reply: the token that stands there, and what could, with log-probabilities."""

    token: str
    candidates: tuple[tuple[str, float], ...]


def read_odds(logprobs: Any, prompt: Prompt) -> dict[str, float] | None:
    """Add up the probability of each label over the spellings of its words; None where that settles nothing.

    What counts is the first place with letters in it: quotes, stars and line ends before it are passed over. The
    token that was written there must itself be the word of one label, or begin it: else the reply is no such word.
    """
    place = next((place for place in places_of(logprobs) if tidy_token(place.token)), None)
    words = tidy_words(prompt)
    if place is None or _label_of(tidy_token(place.token), words) in (None, _SHARED):
        return None
    mass, others = dict.fromkeys((*words, _SHARED), 0.0), {"": 0.0}
    for token, logprob in place.candidates:
        tidy = tidy_token(token)
        label = _label_of(tidy, words)
        if label:
            mass[label] += math.exp(logprob)
        else:
            others[tidy] = others.get(tidy, 0.0) + math.exp(logprob)
    return _shares(mass, max(others.values()))


def _shares(mass: dict[str, float], other: float) -> dict[str, float] | None:
    """Share out the probability, unless another beginning is more probable than all answer words: that is no answer.

    Nor may a beginning that two labels share be able to change which of them comes first.
    """
    shared = mass.pop(_SHARED)
    total = math.fsum(mass.values())
    ranked = sorted(mass.values(), reverse=True)
    if total <= other or ranked[0] - ranked[1] < shared:
        return None
    return {label: value / total for label, value in mass.items()}


def _label_of(token: str, words: dict[str, tuple[str, ...]]) -> str | None:
    """Find the label whose word a token is or begins; a token that may begin words of two labels is shared."""
    if not token:
        return None
    whole = [label for label, some in words.items() if token in some]
    longer = f"{token} " if whole else token
    begun = [label for label, some in words.items() if any(word.startswith(longer) for word in some)]
    if not whole and len(token) < SHORTEST_START:
        return _SHARED if begun else None
    found = {*whole, *begun}
    return None if not found else found.pop() if len(found) == 1 else _SHARED


def places_of(logprobs: Any) -> list[TokenPosition]:
    """Read the log-probabilities of a reply, in the form of chats or that of completions."""
    if not isinstance(logprobs, dict):
        return []
    if isinstance(logprobs.get("content"), list):
        return [_chat_place(entry) for entry in logprobs["content"] if isinstance(entry, dict)]
    tokens, tops = logprobs.get("tokens"), logprobs.get("top_logprobs")
    if not isinstance(tokens, list) or not isinstance(tops, list):
        return []
    return [
        TokenPosition(str(token), _numbers(top.items()))
        for token, top in zip(tokens, tops, strict=False)
        if isinstance(top, dict)
    ]


def _chat_place(entry: dict[str, Any]) -> TokenPosition:
    top = entry.get("top_logprobs")
    listed = [one for one in top if isinstance(one, dict)] if isinstance(top, list) else []
    return TokenPosition(
        str(entry.get("token", "")), _numbers((one.get("token"), one.get("logprob")) for one in listed)
    )


def _numbers(pairs: Any) -> tuple[tuple[str, float], ...]:
    """Keep the tokens that come with a log-probability, each once."""
    found = {
        token: float(value)
        for token, value in pairs
        if isinstance(token, str) and isinstance(value, int | float) and LEAST <= value <= 0
    }
    return tuple(found.items())
