"""What is sent to an OpenAI-compatible endpoint, and what comes back."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rightreasons.core import labels
from rightreasons.models.remote.failures import TransientError
from rightreasons.models.remote.logprobs import read_odds
from rightreasons.models.remote.replies import read_reply, starts_as_answer, without_thoughts

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
