"""What is sent to an OpenAI-compatible endpoint, and what comes back."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rightreasons.core import labels
from rightreasons.models.remote.failures import TransientError
from rightreasons.models.remote.replies import (
    read_reply,
    starts_as_answer,
    tidy_token,
    tidy_words,
    without_thoughts,
)

if TYPE_CHECKING:
    from rightreasons.models.remote.prompts import Prompt


# Endpoints give at most so many alternatives to a token, or 5, or none.
MOST_ALTERNATIVES = 20
FEWER_ALTERNATIVES = 5
LENGTH, NEW_LENGTH = "max_tokens", "max_completion_tokens"
CUT_OFF = "length"
LONGEST_REPLY = 1_000_000  # characters: what a reply has beyond them is cut off


@dataclass(frozen=True)
class RequestShape:
    """The form of a request, which changes when an endpoint turns down a field of it."""

    api: str
    model: str
    settings: dict[str, Any] = field(hash=False)
    alternatives: tuple[int | None, ...]
    length: str = LENGTH

    @classmethod
    def first(cls, api: str, model: str, logprobs: str, settings: dict[str, Any]) -> RequestShape:
        """Start with all that one would like to have."""
        some = (MOST_ALTERNATIVES, FEWER_ALTERNATIVES)
        ladder = {"yes": some, "auto": (*some, None), "no": (None,)}[logprobs]
        return cls(api, model, {key: value for key, value in settings.items() if value is not None}, ladder)

    @property
    def path(self) -> str:
        """Say where requests of this form go."""
        return "/chat/completions" if self.api == "chat" else "/completions"

    def body(self, system: str, text: str) -> dict[str, Any]:
        """Make a request."""
        settings = {self.length if key == LENGTH else key: value for key, value in self.settings.items()}
        return {"model": self.model, **self._words(system, text), **settings, **self._logprobs()}

    def adapted(self, rejection: str) -> RequestShape | None:
        """Give up the field that a rejection names, or return None where there is none to give up."""
        if NEW_LENGTH in rejection and self.length == LENGTH:
            return replace(self, length=NEW_LENGTH)
        if "logprob" in rejection.casefold() and len(self.alternatives) > 1:
            return replace(self, alternatives=self.alternatives[1:])
        return None

    def _words(self, system: str, text: str) -> dict[str, Any]:
        if self.api == "completions":
            return {"prompt": f"{system}\n\n{text}" if system else text}
        roles = (("system", system), ("user", text))
        return {"messages": [{"role": role, "content": content} for role, content in roles if content]}

    def _logprobs(self) -> dict[str, Any]:
        most = self.alternatives[0]
        if most is None:
            return {}
        return {"logprobs": True, "top_logprobs": most} if self.api == "chat" else {"logprobs": most}


@dataclass(frozen=True)
class Reply:
    """What a model said: its text, log-probabilities where the endpoint gives them, and whether it was cut off."""

    text: str
    logprobs: Any = None
    cut: bool = False


def read_choice(document: dict[str, Any]) -> Reply:
    """Take the reply out of a document; one without it is worth another attempt."""
    choices = document.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        raise TransientError("The endpoint sent an answer without a choice in it", paid=True)
    message = choice.get("message")
    text = message.get("content") if isinstance(message, dict) else choice.get("text")
    if not isinstance(text, str | None) or (message is None and text is None):
        raise TransientError("The endpoint sent an answer without a text in it", paid=True)
    # Half of a surrogate pair can stand in JSON, and in no file.
    whole = (text or "")[:LONGEST_REPLY].encode(errors="replace").decode()
    cut = choice.get("finish_reason") == CUT_OFF or len(text or "") > LONGEST_REPLY
    return Reply(whole, choice.get("logprobs"), cut)


def judge(reply: Reply, prompt: Prompt) -> tuple[str, dict[str, float]]:
    """Return the label, with probabilities where they come: by log-probabilities if they tell, else by the text."""
    # What a model that thinks first begins with is no answer.
    direct = without_thoughts(reply.text) == reply.text.lstrip() and starts_as_answer(reply.text, prompt)
    odds = read_odds(reply.logprobs, prompt) if direct else None
    if odds:
        return max(odds, key=lambda label: odds[label]), odds
    return read_reply(reply.text, prompt, cut=reply.cut) or labels.UNREADABLE, {}


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
    return _normalize(mass, max(others.values()))


def _normalize(mass: dict[str, float], other: float) -> dict[str, float] | None:
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
        TokenPosition(str(token), _read_numbers(top.items()))
        for token, top in zip(tokens, tops, strict=False)
        if isinstance(top, dict)
    ]


def _chat_place(entry: dict[str, Any]) -> TokenPosition:
    top = entry.get("top_logprobs")
    listed = [one for one in top if isinstance(one, dict)] if isinstance(top, list) else []
    return TokenPosition(
        str(entry.get("token", "")), _read_numbers((one.get("token"), one.get("logprob")) for one in listed)
    )


def _read_numbers(pairs: Any) -> tuple[tuple[str, float], ...]:
    """Keep the tokens that come with a log-probability, each once."""
    found = {
        token: float(value)
        for token, value in pairs
        if isinstance(token, str) and isinstance(value, int | float) and LEAST <= value <= 0
    }
    return tuple(found.items())
