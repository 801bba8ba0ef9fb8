"""The lists of names that come with the package, read once, when the first name is looked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from rightreasons.core.resources import DATA

FILE = DATA / "language" / "names.txt"
PLACES = ("countries", "states", "cities", "lands_and_waters")


@dataclass(frozen=True)
class NameLists:
    """Names by kind, and the words that make a name of their neighbours."""

    given: frozenset[str]
    surnames: frozenset[str]
    places: frozenset[str]
    organisations: frozenset[str]
    organisation_words: frozenset[str]  # behind a name: University, Ltd.
    organisation_openers: frozenset[str]  # before a name: Hotel
    place_words: frozenset[str]  # behind a name: Street, River
    place_openers: frozenset[str]  # before a name: Lake, St.
    teams: frozenset[str]
    titles: frozenset[str]
    common: frozenset[str]  # names that are also common words: Rose, Turkey
    calendar: frozenset[str]
    generic: frozenset[str]  # what names nothing before such a word: High School


@lru_cache(maxsize=1)
def name_lists() -> NameLists:
    """Read the lists."""
    sections = _sections(FILE.read_text(encoding="utf-8"))
    places = frozenset[str]().union(*(sections.pop(kind) for kind in PLACES))
    return NameLists(places=places, **sections)


def word_set(words: str) -> frozenset[str]:
    """Give the words that stand in a text, apart by spaces, as a set."""
    return frozenset(words.split())


def _sections(text: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    names: set[str] = set()
    for line in text.splitlines():
        if line.startswith("["):
            names = found.setdefault(line.strip("[]"), set())
        elif not line.startswith("#"):
            names.update(name.replace("_", " ") for name in line.split())
    return {kind: frozenset(names) for kind, names in found.items()}
