"""A set as it is written down: word lists, phrases, and templates with their labels and tags."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from rightreasons.templates.lexicon import Lexicon
    from rightreasons.templates.toml_value import TomlValue


@dataclass(frozen=True)
class Phrase:
    """A named piece of tree: its parameters and its weighted alternatives."""

    name: str
    parameters: tuple[str, ...]
    alternatives: Mapping[str, tuple[Fraction, str]]


@dataclass(frozen=True)
class Template:
    """A premise and a hypothesis with slots in common, their label and their tags."""

    name: str
    subcase: str
    label: str
    tags: Mapping[str, str]
    weight: Fraction
    premise: str
    hypothesis: str
    entry: TomlValue = field(repr=False, compare=False)
    parts: Mapping[str, TomlValue] = field(repr=False, compare=False)
    # Lists and phrases that names of this template stand for, and the template that several hypotheses belong to.
    using: tuple[tuple[str, str], ...] = ()
    bundle: str | None = None

    @property
    def line(self) -> int:
        """Return the line of the file that the template begins in."""
        return self.entry.line

    def written(self, key: str) -> str:
        """Return a sentence or a tag as it is written."""
        return self.tags[key] if key in self.tags else str(self.parts[key].value)

    def at(self, key: str) -> TomlValue:
        """Return where a sentence or a tag is written: in the template, its subcase or the mode."""
        return self.parts.get(key, self.entry)


@dataclass(frozen=True)
class Document:
    """A set as it is written down, in one mode."""

    place: str
    words: Lexicon
    phrases: Mapping[str, Phrase]
    templates: tuple[Template, ...]
    sizes: Mapping[str, int]
    name: str
    labels: tuple[str, ...]
    version: int = 1
    text: str = "natural"
    twins: bool = True
    draw: str = "in-proportion"
    distinct: bool = True
    description: str = ""
