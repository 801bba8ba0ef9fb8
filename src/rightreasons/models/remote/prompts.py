"""Prompts: how a pair is presented to a language model, and which answer words stand for the labels.

A prompt is a small TOML file. Built-in prompts are loaded by name, others by the path of their file.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from rightreasons.core import labels
from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.resources import DATA_FOLDER

FOLDER = DATA_FOLDER / "prompts"
DEFAULT_PROMPTS = {"three": "true-neither-false", "two": "true-false"}
LABELS_BY_WAYS = {"three": labels.THREE_LABELS, "two": labels.TWO_LABELS}
FIELDS = ("about", "ways", "system", "user", "answers")
_SLOT = re.compile(r"\{(premise|hypothesis)\}")


@dataclass(frozen=True)
class Prompt:
    """The texts of a prompt, and the answer words of each label; the first word is the one that the prompt asks for."""

    name: str
    about: str
    ways: str
    system: str
    user: str
    words: dict[str, tuple[str, ...]]

    def fill(self, premise: str, hypothesis: str) -> str:
        """Fill the prompt with a pair; braces in its texts are unchanged."""
        texts = {"premise": premise, "hypothesis": hypothesis}
        return _SLOT.sub(lambda slot: texts[slot[1]], self.user)

    @property
    def digest(self) -> str:
        """The sha256 of what determines the replies: the texts and the answer words, not the name of the file."""
        content = json.dumps([self.system, self.user, self.words], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()


def list_prompts(ways: str | None = None) -> list[str]:
    """List the built-in prompts, all or those with three or two answers."""
    return [name for name in _list_built_in_prompts() if ways is None or load_prompt(name).ways == ways]


def load_prompt(name: str) -> Prompt:
    """Load a prompt by its name, or by the path of a TOML file."""
    if name.endswith(".toml"):
        return _read_prompt(Path(name), name)
    if name not in _list_built_in_prompts():
        raise UnknownNameError("prompt", name, _list_built_in_prompts())
    return _read_prompt(FOLDER / f"{name}.toml", name)


def choose_prompt(name: str | None, ways: str | None) -> Prompt:
    """Load the prompt of that name, or the default one with that many answers."""
    prompt = load_prompt(name or DEFAULT_PROMPTS[ways or "three"])
    if ways not in (None, prompt.ways):
        raise InputError(
            f"The prompt {prompt.name!r} has {prompt.ways} answers, but ways={ways} was given. "
            f"Omit ways, or use one of the prompts {', '.join(list_prompts(ways))}."
        )
    return prompt


@cache
def _list_built_in_prompts() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def _read_prompt(path: Path, name: str) -> Prompt:
    """Read and check a file."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or error
        problem = "can't be read" if isinstance(error, OSError) else "is not a valid TOML file"
        raise InputError(
            f"The prompt file {path} {problem}: {reason}. Check the path and the content."
        ) from error
    unknown = sorted(set(content) - set(FIELDS))
    if unknown:
        raise InputError(
            f"The prompt file {path} has an unknown field {unknown[0]!r}. Use only {', '.join(FIELDS)}."
        )
    ways = _check_ways(path, content.get("ways"))
    return Prompt(
        name,
        _read_string_field(path, content, "about"),
        ways,
        _read_string_field(path, content, "system"),
        _check_placeholders(path, _read_string_field(path, content, "user")),
        _read_answer_words(path, content.get("answers"), LABELS_BY_WAYS[ways]),
    )


def _check_ways(path: Path, ways: Any) -> str:
    if not isinstance(ways, str) or ways not in LABELS_BY_WAYS:
        raise InputError(f'The prompt file {path} has ways = {ways!r}. Use ways = "three" or ways = "two".')
    return str(ways)


def _read_string_field(path: Path, content: dict[str, Any], field: str) -> str:
    text = content.get(field, "")
    if not isinstance(text, str):
        raise InputError(
            f"The field {field!r} of the prompt file {path} is not a string. Enclose the value in quotes."
        )
    return text.strip()


def _check_placeholders(path: Path, user: str) -> str:
    missing = {"premise", "hypothesis"} - set(_SLOT.findall(user))
    if missing:
        raise InputError(
            f"The field 'user' of the prompt file {path} has no {{{min(missing)}}}. Insert this placeholder."
        )
    return user


def _read_answer_words(path: Path, table: Any, wanted: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Read and check the table of answers: every label has words, and no word has two labels."""
    if not isinstance(table, dict) or set(table) != set(wanted):
        raise InputError(
            f"The prompt file {path} needs a table [answers] with exactly the keys {', '.join(wanted)}."
        )
    words = {label: _read_spellings(path, label, table[label]) for label in wanted}
    lowered = [word.casefold() for spellings in words.values() for word in spellings]
    twice = [word for word in lowered if lowered.count(word) > 1]
    if twice:
        raise InputError(
            f"The prompt file {path} lists the answer {twice[0]!r} twice. Use each answer for one label only."
        )
    return words


def _read_spellings(path: Path, label: str, value: Any) -> tuple[str, ...]:
    words = [value] if isinstance(value, str) else value
    if (
        not isinstance(words, list)
        or not words
        or not all(isinstance(word, str) and word.strip() for word in words)
    ):
        raise InputError(
            f"The prompt file {path} has no words as answers for {label}. Use a word or a list of words."
        )
    return tuple(word.strip() for word in words)
