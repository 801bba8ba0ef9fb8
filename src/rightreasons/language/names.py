"""Names of people, places and organisations in a text, found by lists and by the words around them.

What is on no list and has no title or telling word next to it is left out: a name missed costs one sentence, a
common word taken for a name makes a wrong one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightreasons.language.name_clues import (
    POSSESSIVE,
    PROPER,
    TaggedWords,
    load_name_lists,
    split_to_word_set,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    Hit = tuple[int, int, str] | None

PERSON, LOCATION, ORGANIZATION = "PERSON", "LOCATION", "ORGANIZATION"
_LONGEST = 4  # words in a name on the lists
_IN = split_to_word_set(
    "across around at behind beyond in inside into near outside through throughout toward towards"
)
_TO = _IN | {"from", "of", "river", "to"}
_WITH = _IN | {"by", "for", "from", "on", "to", "with"}
_WHEN = split_to_word_set(
    "after before by during each early every in last late next of on since this through until"
)
_SAINTS = ("St.", "Saint")


def find_entities(text: str, tokens: Sequence[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """List the names in a text, given the start, end and tag of its tokens: start, end and kind of each."""
    words = TaggedWords.from_tokens(text, tokens)
    entities: list[tuple[int, int, str]] = []
    at = 0
    while at < len(words.words):
        hit = _match_name(words, at) if words.is_capitalised(at) else None
        if hit:
            begin, at, kind = hit
            entities.append((words.spans[begin][0], words.spans[at - 1][1], kind))
        else:
            at += 1
    return entities


def _match_name(words: TaggedWords, at: int) -> Hit:
    """Find a name that begins at a word (or right behind it, if the word is a title): begin, stop and kind."""
    return next((hit for rule in _RULES if (hit := rule(words, at))), None)


def _match_listed_name(words: TaggedWords, at: int) -> Hit:
    """Find a name of several words on the lists."""
    lists, start = load_name_lists(), words.spans[at][0]
    for stop in range(min(at + _LONGEST, len(words.words)), at + 1, -1):
        name = words.text[start : words.spans[stop - 1][1]]
        if name in lists.places:
            return at, stop, LOCATION
        if name in lists.organisations:
            return at, stop, ORGANIZATION
    return None


def _match_organisation_phrase(words: TaggedWords, at: int) -> Hit:
    """Find an organisation by a telling word: Arden University, Tom's Bakery, Bank of Ghana, Hotel Aurora."""
    lists = load_name_lists()
    stop = _find_end_by_telling_word(words, at, lists.organisation_words) or _find_end_after_of(
        words, at, lists.organisation_words
    )
    if not stop and words.word(at) in lists.organisation_openers:
        stop = _find_end_after_opener(words, at)
    return (at, stop, ORGANIZATION) if stop else None


def _match_place_phrase(words: TaggedWords, at: int) -> Hit:
    """Find a place by a telling word: Elm Street, Gulf of Guinea, Lake Como, St. Albury."""
    lists = load_name_lists()
    stop = _find_end_by_telling_word(words, at, lists.place_words) or _find_end_after_of(
        words, at, lists.place_openers
    )
    if not stop and words.word(at) in lists.place_openers:
        stop = _find_end_after_opener(words, at)
    return (at, stop, LOCATION) if stop else None


def _find_end_by_telling_word(words: TaggedWords, at: int, telling: frozenset[str]) -> int:
    """Return the end of a run of words that ends in a telling word, or has one after an 's; 0 if there is none."""
    stop = words.find_name_part_end(at)
    named = words.next_specific[at]
    last = words.find_last_of_kind(telling, at, stop)
    if last is not None and named < last:
        return last + 1
    owned = words.word(stop) in POSSESSIVE and words.word(stop + 1) in telling and named < stop
    return stop + 2 if owned else 0


def _is_specific_word(words: TaggedWords, at: int) -> bool:
    return words.next_specific[at] == at


def _find_end_after_of(words: TaggedWords, at: int, telling: frozenset[str]) -> int:
    if words.words[at] not in telling or not words.looks_like_name_part(at) or words.word(at + 1) != "of":
        return 0
    begin = at + 3 if words.word(at + 2) == "the" else at + 2
    stop = words.find_name_part_end(begin)
    return stop if stop > begin else 0


def _find_end_after_opener(words: TaggedWords, at: int) -> int:
    """Return the end of a name that a telling word opens; feasts of saints are not names."""
    stop = words.find_name_part_end(at)
    if stop < at + 2 or not _is_specific_word(words, at + 1):
        return 0
    feast = words.word(stop) in POSSESSIVE and words.word(stop + 1) in {"Day", "Eve"}
    return 0 if feast else stop


def _match_titled_person(words: TaggedWords, at: int) -> Hit:
    """Find a person by a title, which is not part of the name."""
    lists, name = load_name_lists(), words.word(at + 1)
    if (
        words.words[at] not in lists.titles
        or not words.follows_directly(at + 1)
        or not words.looks_like_name_part(at + 1)
    ):
        return None
    known = name in lists.surnames or name in lists.given
    doubtful = words.words[at] in lists.common or name in lists.titles  # General Counsel, Attorney General
    if (doubtful and not known) or not _is_specific_word(words, at + 1):
        return None
    return at + 1, words.find_person_end(at + 1), PERSON


def _match_given_name(words: TaggedWords, at: int) -> Hit:
    """Find a person by a given name."""
    lists, word = load_name_lists(), words.words[at]
    if word not in lists.given and not _is_double_given_name(word):
        return None
    if words.word(at - 1) in _SAINTS or (word in lists.places and words.get_word_before(at) in _IN):
        return None
    if word in lists.common and not _stands_for_person(words, at):
        return None
    return at, words.find_person_end(at), PERSON


def _is_double_given_name(word: str) -> bool:
    """Return whether a word is a double name such as Jean-Luc; Long-Term is none."""
    lists = load_name_lists()
    first, hyphen, second = word.partition("-")
    return bool(hyphen) and first in lists.given and first not in lists.common and second[:1].isupper()


def _stands_for_person(words: TaggedWords, at: int) -> bool:
    """Return whether a name that is also a common word stands for a person here."""
    lists, word = load_name_lists(), words.words[at]
    if words.tags[at] not in PROPER:
        return False
    month = word in lists.calendar
    if month and words.get_word_before(at) in _WHEN:
        return False
    return _acts_like_person(words, at) if month or words.may_start_sentence(at) else True


def _acts_like_person(words: TaggedWords, at: int) -> bool:
    """Return whether what follows makes a name of a word: a verb, an 's, a second name, a clause with who."""
    behind = at + 2 if words.tag(at + 1) == "RB" else at + 1
    if words.tag(behind).startswith("VB") or words.tag(behind) == "MD" or words.word(behind) in POSSESSIVE:
        return True
    if words.word(behind) == "," and words.word(behind + 1) in {"who", "whose"}:
        return True
    return _is_followed_by_person(words, behind) or words.find_person_end(at) > at + 1


def _is_followed_by_person(words: TaggedWords, at: int) -> bool:
    """Return whether one more person follows: and Tom, and his sister."""
    further = at + 1
    return words.word(at) == "and" and (
        words.word(further) in load_name_lists().given or words.tag(further) == "PRP$"
    )


def _match_place_name(words: TaggedWords, at: int) -> Hit:
    """Find a place by its name."""
    lists, word = load_name_lists(), words.words[at]
    if word not in lists.places:
        return None
    if word in lists.common and not (words.looks_like_name_part(at) and words.get_word_before(at) in _TO):
        return None
    return at, at + 1, LOCATION


def _match_organisation_name(words: TaggedWords, at: int) -> Hit:
    """Find an organisation by its name, or a team by an article and its name."""
    lists, word = load_name_lists(), words.words[at]
    team = word in lists.teams and words.word(at - 1) in {"the", "The"} and words.looks_like_name_part(at)
    known = word in lists.organisations and words.looks_like_name_part(at)
    if known and word in lists.common:
        known = words.get_word_before(at) in _WITH
    return (at, at + 1, ORGANIZATION) if team or known else None


def _match_surname(words: TaggedWords, at: int) -> Hit:
    """Find a person by a surname alone."""
    lists, word = load_name_lists(), words.words[at]
    if word not in lists.surnames or word in lists.common or words.tags[at] not in PROPER:
        return None
    return at, words.find_person_end(at), PERSON


_RULES = (
    _match_listed_name,
    _match_organisation_phrase,
    _match_place_phrase,
    _match_titled_person,
    _match_given_name,
    _match_place_name,
    _match_organisation_name,
    _match_surname,
)
