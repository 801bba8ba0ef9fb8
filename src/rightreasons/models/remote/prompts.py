"""Prompts: how a pair is put to a language model in words, and which words its answer may be.

A prompt is a small TOML file. The built-in ones go by name, others by the path of their file.
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
DEFAULT = {"three": "true-neither-false", "two": "true-false"}
WAYS = {"three": labels.THREE_LABELS, "two": labels.TWO_LABELS}
FIELDS = ("about", "ways", "system", "user", "answers")
_SLOT = re.compile(r"\{(premise|hypothesis)\}")


@dataclass(frozen=True)
class Prompt:
    """One wording, and the words that stand for the labels; the first word of a label is the one it asks for."""

    name: str
    about: str
    ways: str
    system: str
    user: str
    words: dict[str, tuple[str, ...]]

    def fill(self, premise: str, hypothesis: str) -> str:
        """Put a pair into the wording; braces in the texts stay as they are."""
        texts = {"premise": premise, "hypothesis": hypothesis}
        return _SLOT.sub(lambda slot: texts[slot[1]], self.user)

    @property
    def digest(self) -> str:
        """Name what decides the answers: the wording and the words, whatever the file is called."""
        content = json.dumps([self.system, self.user, self.words], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()


def names(ways: str | None = None) -> list[str]:
    """List the built-in prompts, all or those with three or two answers."""
    return [name for name in _built_in() if ways is None or load(name).ways == ways]


def load(name: str) -> Prompt:
    """Load a prompt by its name, or by the path of a TOML file."""
    if name.endswith(".toml"):
        return _read(Path(name), name)
    if name not in _built_in():
        raise UnknownNameError("prompt", name, _built_in())
    return _read(FOLDER / f"{name}.toml", name)


def choose(name: str | None, ways: str | None) -> Prompt:
    """Take the prompt of that name, or the usual one with that many answers."""
    prompt = load(name or DEFAULT[ways or "three"])
    if ways not in (None, prompt.ways):
        raise InputError(
            f"The prompt {prompt.name!r} has {prompt.ways} answers, and ways={ways} was asked for. "
            f"Leave one out, or take one of {', '.join(names(ways))}."
        )
    return prompt


@cache
def _built_in() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def _read(path: Path, name: str) -> Prompt:
    """Read and check a file."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"The prompt {path} can't be read: {reason}. Check the path and the file."
        ) from error
    unknown = sorted(set(content) - set(FIELDS))
    if unknown:
        raise InputError(f"The prompt {path} has the field {unknown[0]!r}. It may have {', '.join(FIELDS)}.")
    ways = _ways(path, content.get("ways"))
    return Prompt(
        name,
        _read_field(path, content, "about"),
        ways,
        _read_field(path, content, "system"),
        _wording(path, _read_field(path, content, "user")),
        _words(path, content.get("answers"), WAYS[ways]),
    )


def _ways(path: Path, given: Any) -> str:
    if not isinstance(given, str) or given not in WAYS:
        raise InputError(f'The prompt {path} says ways = {given!r}. Write ways = "three" or ways = "two".')
    return str(given)


def _read_field(path: Path, content: dict[str, Any], field: str) -> str:
    found = content.get(field, "")
    if not isinstance(found, str):
        raise InputError(f"The prompt {path}: {field!r} is no text. Put it between quotes.")
    return found.strip()


def _wording(path: Path, user: str) -> str:
    missing = {"premise", "hypothesis"} - set(_SLOT.findall(user))
    if missing:
        raise InputError(
            f"The prompt {path} has no {{{min(missing)}}} in its text 'user'. Put it where it belongs."
        )
    return user


def _words(path: Path, given: Any, wanted: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Check the table of answers: every label has words, and no word two labels."""
    if not isinstance(given, dict) or set(given) != set(wanted):
        raise InputError(
            f"The prompt {path} needs a table [answers] with {', '.join(wanted)}, and nothing else in it."
        )
    words = {label: _spellings(path, label, given[label]) for label in wanted}
    every = [word.casefold() for some in words.values() for word in some]
    twice = [word for word in every if every.count(word) > 1]
    if twice:
        raise InputError(
            f"The prompt {path} gives the answer {twice[0]!r} twice. Give each word to one label."
        )
    return words


def _spellings(path: Path, label: str, given: Any) -> tuple[str, ...]:
    found = [given] if isinstance(given, str) else given
    if (
        not isinstance(found, list)
        or not found
        or not all(isinstance(word, str) and word.strip() for word in found)
    ):
        raise InputError(
            f"The prompt {path}: the answers for {label} are no words. Write one, or a list of them."
        )
    return tuple(word.strip() for word in found)
