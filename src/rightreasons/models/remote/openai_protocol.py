"""Requests to an OpenAI-compatible endpoint, and its replies."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rightreasons.core import labels
from rightreasons.models.remote.failures import TransientError
from rightreasons.models.remote.replies import (
    extract_label,
    list_answer_words,
    normalize_token,
    remove_reasoning,
    starts_with_answer,
)

if TYPE_CHECKING:
    from rightreasons.models.remote.prompts import Prompt


# Endpoints return at most this many alternatives to a token, or 5, or none.
MOST_ALTERNATIVES = 20
FEWER_ALTERNATIVES = 5
LENGTH_FIELD, NEW_LENGTH_FIELD = "max_tokens", "max_completion_tokens"
FINISHED_BY_LENGTH = "length"
LONGEST_REPLY = 1_000_000  # characters: what a reply has beyond them is cut off


@dataclass(frozen=True)
class RequestShape:
    """The form of a request, which changes when an endpoint turns down a field of it."""

    api: str
    model: str
    settings: dict[str, Any] = field(hash=False)
    alternatives: tuple[int | None, ...]
    length: str = LENGTH_FIELD

    @classmethod
    def build(cls, api: str, model: str, logprobs: str, settings: dict[str, Any]) -> RequestShape:
        """Make the first form to try: with all optional fields."""
        counts = (MOST_ALTERNATIVES, FEWER_ALTERNATIVES)
        alternatives = {"yes": counts, "auto": (*counts, None), "no": (None,)}[logprobs]
        used = {key: value for key, value in settings.items() if value is not None}
        return cls(api, model, used, alternatives)

    @property
    def path(self) -> str:
        """Return the path that requests of this form are sent to."""
        return "/chat/completions" if self.api == "chat" else "/completions"

    def make_body(self, system: str, text: str) -> dict[str, Any]:
        """Make the body of a request."""
        settings = {
            self.length if key == LENGTH_FIELD else key: value for key, value in self.settings.items()
        }
        return {
            "model": self.model,
            **self._make_text_fields(system, text),
            **settings,
            **self._make_logprob_fields(),
        }

    def drop_rejected_field(self, rejection: str) -> RequestShape | None:
        """Give up the field that a rejection names, or return None where there is none to give up."""
        if NEW_LENGTH_FIELD in rejection and self.length == LENGTH_FIELD:
            return replace(self, length=NEW_LENGTH_FIELD)
        if "logprob" in rejection.casefold() and len(self.alternatives) > 1:
            return replace(self, alternatives=self.alternatives[1:])
        return None

    def _make_text_fields(self, system: str, text: str) -> dict[str, Any]:
        if self.api == "completions":
            return {"prompt": f"{system}\n\n{text}" if system else text}
        roles = (("system", system), ("user", text))
        return {"messages": [{"role": role, "content": content} for role, content in roles if content]}

    def _make_logprob_fields(self) -> dict[str, Any]:
        most = self.alternatives[0]
        if most is None:
            return {}
        return {"logprobs": True, "top_logprobs": most} if self.api == "chat" else {"logprobs": most}


@dataclass(frozen=True)
class Reply:
    """A model's reply: its text, log-probabilities where the endpoint returns them, and whether it was truncated."""

    text: str
    logprobs: Any = None
    truncated: bool = False


def parse_reply(document: dict[str, Any]) -> Reply:
    """Extract the reply from a document; a document without one is worth another attempt."""
    choices = document.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        raise TransientError("The endpoint sent a reply without a choice", paid=True)
    message = choice.get("message")
    text = message.get("content") if isinstance(message, dict) else choice.get("text")
    if not isinstance(text, str | None) or (message is None and text is None):
        raise TransientError("The endpoint sent a reply without text", paid=True)
    # A lone surrogate can occur in JSON, but not in a file.
    whole = (text or "")[:LONGEST_REPLY].encode(errors="replace").decode()
    truncated = choice.get("finish_reason") == FINISHED_BY_LENGTH or len(text or "") > LONGEST_REPLY
    return Reply(whole, choice.get("logprobs"), truncated)


def extract_prediction(reply: Reply, prompt: Prompt) -> tuple[str, dict[str, float]]:
    """Return the label with probabilities if log-probabilities settle it, else just the label that the text states."""
    # The first words of a model that reasons before it answers are not its answer.
    direct = remove_reasoning(reply.text) == reply.text.lstrip() and starts_with_answer(reply.text, prompt)
    probabilities = compute_label_probabilities(reply.logprobs, prompt) if direct else None
    if probabilities:
        return max(probabilities, key=lambda label: probabilities[label]), probabilities
    return extract_label(reply.text, prompt, truncated=reply.truncated) or labels.UNREADABLE, {}


SHORTEST_PREFIX = 2
LEAST_LOGPROB = -1e9  # endpoints write -9999 for impossible tokens
_AMBIGUOUS = "ambiguous"


@dataclass(frozen=True)
class TokenPosition:
    """One position of a reply: its token, and the candidates with their log-probabilities."""

    token: str
    candidates: tuple[tuple[str, float], ...]


def compute_label_probabilities(logprobs: Any, prompt: Prompt) -> dict[str, float] | None:
    """Add up the probability of each label over the spellings of its words; None if that settles nothing.

    The first position with letters counts: quotes, asterisks and line ends before it are skipped. The token that was
    written there must itself be the word of one label, or begin it: otherwise the reply is not such a word.
    """
    first = next((entry for entry in read_token_positions(logprobs) if normalize_token(entry.token)), None)
    words = list_answer_words(prompt)
    if first is None or _match_token_to_label(normalize_token(first.token), words) in (None, _AMBIGUOUS):
        return None
    mass, others = dict.fromkeys((*words, _AMBIGUOUS), 0.0), {"": 0.0}
    for token, logprob in first.candidates:
        normalized = normalize_token(token)
        label = _match_token_to_label(normalized, words)
        if label:
            mass[label] += math.exp(logprob)
        else:
            others[normalized] = others.get(normalized, 0.0) + math.exp(logprob)
    return _normalize_probabilities(mass, max(others.values()))


def _normalize_probabilities(mass: dict[str, float], other: float) -> dict[str, float] | None:
    """Normalize to a sum of 1; None if another first token is more probable than all answer words together.

    Also None if the mass of a prefix that two labels share could change which of them comes first.
    """
    ambiguous = mass.pop(_AMBIGUOUS)
    total = math.fsum(mass.values())
    ranked = sorted(mass.values(), reverse=True)
    if total <= other or ranked[0] - ranked[1] < ambiguous:
        return None
    return {label: value / total for label, value in mass.items()}


def _match_token_to_label(token: str, words: dict[str, tuple[str, ...]]) -> str | None:
    """Find the label whose word a token is or begins; a token that may begin words of two labels is ambiguous."""
    if not token:
        return None
    equal = [label for label, spellings in words.items() if token in spellings]
    prefix = f"{token} " if equal else token
    longer = [
        label for label, spellings in words.items() if any(word.startswith(prefix) for word in spellings)
    ]
    if not equal and len(token) < SHORTEST_PREFIX:
        return _AMBIGUOUS if longer else None
    matches = {*equal, *longer}
    return None if not matches else matches.pop() if len(matches) == 1 else _AMBIGUOUS


def read_token_positions(logprobs: Any) -> list[TokenPosition]:
    """Read the log-probabilities of a reply, in the form of chats or that of completions."""
    if not isinstance(logprobs, dict):
        return []
    if isinstance(logprobs.get("content"), list):
        return [_read_chat_position(entry) for entry in logprobs["content"] if isinstance(entry, dict)]
    tokens, tops = logprobs.get("tokens"), logprobs.get("top_logprobs")
    if not isinstance(tokens, list) or not isinstance(tops, list):
        return []
    return [
        TokenPosition(str(token), _read_candidate_tokens(top.items()))
        for token, top in zip(tokens, tops, strict=False)
        if isinstance(top, dict)
    ]


def _read_chat_position(entry: dict[str, Any]) -> TokenPosition:
    top = entry.get("top_logprobs")
    candidates = [item for item in top if isinstance(item, dict)] if isinstance(top, list) else []
    return TokenPosition(
        str(entry.get("token", "")),
        _read_candidate_tokens((item.get("token"), item.get("logprob")) for item in candidates),
    )


def _read_candidate_tokens(pairs: Any) -> tuple[tuple[str, float], ...]:
    """Keep the tokens that come with a log-probability, each once."""
    logprobs = {
        token: float(value)
        for token, value in pairs
        if isinstance(token, str) and isinstance(value, int | float) and LEAST_LOGPROB <= value <= 0
    }
    return tuple(logprobs.items())
