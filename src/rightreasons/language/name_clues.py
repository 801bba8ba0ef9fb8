"""The words of a text with what the finder of names needs: the lists of names, capitals, and neighbouring words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from rightreasons.core.resources import DATA_FOLDER

if TYPE_CHECKING:
    from collections.abc import Sequence

FILE = DATA_FOLDER / "language" / "names.txt"
PLACES = ("countries", "states", "cities", "lands_and_waters")
PROPER = ("NNP", "NNPS")
POSSESSIVE = frozenset(("'s", "\u2019s", "'", "\u2019"))
_ENDS = frozenset(
    (".", "!", "?", "...", "\u2026", ":", '"', "``", "''", "\u201c", "\u201d", "\u2018", "(", "[", "-LRB-")
)
_MOST = 5  # words in the name of a person


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
def load_name_lists() -> NameLists:
    """Read the lists."""
    sections = _read_sections(FILE.read_text(encoding="utf-8"))
    places = frozenset[str]().union(*(sections.pop(kind) for kind in PLACES))
    return NameLists(places=places, **sections)


def split_to_word_set(words: str) -> frozenset[str]:
    """Split a text at spaces into a set of words."""
    return frozenset(words.split())


def _read_sections(text: str) -> dict[str, frozenset[str]]:
    sections: dict[str, set[str]] = {}
    names: set[str] = set()
    for line in text.splitlines():
        if line.startswith("["):
            names = sections.setdefault(line.strip("[]"), set())
        elif not line.startswith("#"):
            names.update(name.replace("_", " ") for name in line.split())
    return {kind: frozenset(names) for kind, names in sections.items()}


_FUNCTION = split_to_word_set("CC DT EX IN MD PDT POS PRP PRP$ RB RP TO UH WDT WP WP$ WRB")
_PARTICLES = split_to_word_set("al bin da de del der di dos du el ibn la le van von y")


@dataclass(frozen=True)
class TaggedWords:
    """The words of one text with their places and tags."""

    text: str
    spans: tuple[tuple[int, int], ...]
    words: tuple[str, ...]
    tags: tuple[str, ...]

    @classmethod
    def from_tokens(cls, text: str, tokens: Sequence[tuple[int, int, str]]) -> TaggedWords:
        """Extract the words of a text."""
        words = tuple(text[start:end] for start, end, _ in tokens)
        spans = tuple((start, end) for start, end, _ in tokens)
        return cls(text, spans, words, tuple(tag or "" for *_, tag in tokens))

    def word(self, at: int) -> str:
        """Return a word, or an empty string if there is none."""
        return self.words[at] if 0 <= at < len(self.words) else ""

    def tag(self, at: int) -> str:
        """Return a tag, or an empty string if there is no word."""
        return self.tags[at] if 0 <= at < len(self.tags) else ""

    def is_capitalised(self, at: int) -> bool:
        """Return whether a word begins with a capital letter."""
        return self.word(at)[:1].isupper()

    def may_start_sentence(self, at: int) -> bool:
        """Return whether a sentence, or a sentence within quotes or brackets, may begin here."""
        if at == 0 or self.words[at - 1] in _ENDS:
            return True
        return "\n" in self.text[self.spans[at - 1][1] : self.spans[at][0]]

    def looks_like_name_part(self, at: int) -> bool:
        """Return whether a word looks like a part of a name: by its tag, or by a capital within a sentence."""
        if not self.is_capitalised(at) or self.words[at] in load_name_lists().calendar:
            return False
        return self.tags[at] in PROPER or (self.tags[at] not in _FUNCTION and not self.may_start_sentence(at))

    def follows_directly(self, at: int) -> bool:
        """Return whether only a space stands between a word and the one before."""
        return 0 < at < len(self.words) and self.text[self.spans[at - 1][1] : self.spans[at][0]] == " "

    def find_name_part_end(self, at: int) -> int:
        """Return the end of the run of words from here that look like parts of a name."""
        return self._name_part_ends[at] if at < len(self.words) else at

    @cached_property
    def _name_part_ends(self) -> list[int]:
        """Find the ends of the runs from all words at once: a run may be as long as the text."""
        ends = list(range(len(self.words) + 1))
        for at in range(len(self.words) - 1, -1, -1):
            if self.looks_like_name_part(at):
                ends[at] = ends[at + 1] if self.follows_directly(at + 1) and ends[at + 1] > at + 1 else at + 1
        return ends

    def find_last_of_kind(self, kind: frozenset[str], at: int, stop: int) -> int | None:
        """Return the index of the last word of a kind after `at` and before `stop`; call it from left to right."""
        key = (kind, stop)
        if key not in self._last_by_kind:
            places = range(stop - 1, at, -1)
            self._last_by_kind[key] = next((place for place in places if self.words[place] in kind), -1)
        return self._last_by_kind[key] if self._last_by_kind[key] > at else None

    @cached_property
    def _last_by_kind(self) -> dict[tuple[frozenset[str], int], int]:
        return {}

    @cached_property
    def next_specific(self) -> list[int]:
        """Return, for each word, the index of the next one (or itself) that says which of its kind it is."""
        lists = load_name_lists()
        general = lists.generic | lists.organisation_words | lists.place_words
        following = [len(self.words)] * (len(self.words) + 1)
        for at in range(len(self.words) - 1, -1, -1):
            following[at] = following[at + 1] if self.words[at] in general else at
        return following

    def get_word_before(self, at: int) -> str:
        """Return the word before in lower case, skipping an article."""
        earlier = self.word(at - 1).lower()
        return self.word(at - 2).lower() if earlier == "the" else earlier

    def find_person_end(self, at: int) -> int:
        """Return the end of a person's name that begins here: given names, initials, particles, surname."""
        stop = at + 1
        while stop < min(at + _MOST, len(self.words)) and self.follows_directly(stop):
            particle = self.words[stop] in _PARTICLES and self.follows_directly(stop + 1)
            end = stop + particle
            if not self._continues_person_name(end):
                break
            stop = end + 1
        return stop

    def _continues_person_name(self, at: int) -> bool:
        lists, word = load_name_lists(), self.words[at]
        known = word in lists.given or word in lists.surnames
        if not self.looks_like_name_part(at) or (word in lists.titles and not known):
            return False
        return known or self.tags[at] in PROPER
