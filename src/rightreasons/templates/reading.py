"""From the TOML text of a set to the set: word lists, phrases, subcases with their templates, modes."""

from __future__ import annotations

import re
import tomllib
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.labels import LABELS
from rightreasons.templates.document import Document, Phrase
from rightreasons.templates.lexicon import Lexicon, WordList, joined, word_list
from rightreasons.templates.notation import base_name, read_items
from rightreasons.templates.subcases import sizes, templates
from rightreasons.templates.toml_lines import Places
from rightreasons.templates.toml_value import TomlValue

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_LINE = re.compile(r"line (\d+)")
_PARTS = ("set", "words", "phrases", "subcase", "modes")
_MODE = ("set", "words", "phrases", "weights", "templates")
_WORD_LIST = ("words", "tag", "lemma")


def read_document(text: str, place: str, mode: str | None = None) -> Document:
    """Read a set from TOML text; `mode` lays the changes of that mode over it."""
    root = TomlValue(_toml(text, place), (), Places(text, place))
    root.only(_PARTS, "table")
    changes = _changes(root, mode)
    head = _head(root.part("set"), changes.part("set"))
    return Document(
        place=place,
        words=Lexicon(_words({**root.part("words").table(), **changes.part("words").table()})),
        phrases={**_phrases(root.part("phrases")), **_phrases(changes.part("phrases"))},
        templates=templates(root, head["labels"], changes),
        sizes=sizes(root),
        **head,
    )


def _toml(text: str, place: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        what, _, at = str(error).partition(" (at ")
        found = _LINE.match(at)
        line = int(found[1]) if found else text.rstrip().count("\n") + 1
        raise InputError(f"{place}, line {line}: this is not TOML: {what}. Mend that line.") from error


def _changes(root: TomlValue, mode: str | None) -> TomlValue:
    """Return the table of a mode: what it changes."""
    if mode is None:
        return TomlValue({}, (), root.places)
    modes = root.part("modes").table()
    if not modes:
        raise InputError(f"{root.places.file} has no modes, and {mode!r} was asked for. Leave the mode out.")
    if mode not in modes:
        raise UnknownNameError(f"mode of {root.places.file}", mode, modes)
    modes[mode].only(_MODE, f"table of mode {mode}")
    return modes[mode]


def _labels(entry: TomlValue) -> tuple[str, ...]:
    found = tuple(row.one_of(LABELS, "label") for row in entry.rows("a list of labels"))
    if len(set(found)) < len(found):
        raise entry.wrong("a list of labels that all differ")
    return found


_HEAD: Mapping[str, Callable[[TomlValue], Any]] = {
    "name": TomlValue.string,
    "labels": _labels,
    "version": TomlValue.whole,
    "text": lambda entry: entry.one_of(("natural", "tokenised"), "value of text"),
    "twins": TomlValue.flag,
    "draw": lambda entry: entry.one_of(("in-proportion", "with-rejection"), "value of draw"),
    "distinct": TomlValue.flag,
    "description": TomlValue.string,
}


def _head(head: TomlValue, changes: TomlValue) -> dict[str, Any]:
    for key in ("name", "labels"):
        head.need(key, "[set]")
    found = {**head.only(_HEAD, "key of [set]"), **changes.only(_HEAD, "key of [set]")}
    return {key: _HEAD[key](entry) for key, entry in found.items()}


def _words(raw: Mapping[str, TomlValue]) -> dict[str, WordList]:
    found: dict[str, WordList] = {}
    for name, entry in raw.items():
        if not name.isidentifier() or base_name(name) != name:
            raise entry.error(f"{name!r} can't name a word list. Use letters, and no digit at the end.")
        found[name] = _joined(name, entry, found) or _word_list(name, entry, found)
    return found


def _joined(name: str, entry: TomlValue, earlier: Mapping[str, WordList]) -> WordList | None:
    if not isinstance(entry.value, dict) or "join" not in entry.value:
        return None
    parts = entry.only(("join",), f"key beside join of the word list {name}")["join"]
    lists = [_earlier(row, earlier) for row in parts.rows("a list of names of word lists")]
    with entry.placed():
        return joined(name, lists)


def _word_list(name: str, entry: TomlValue, earlier: Mapping[str, WordList]) -> WordList:
    table = {"words": entry}
    if isinstance(entry.value, dict):
        entry.need("words", f"the word list {name}")
        table = entry.only(_WORD_LIST, f"key of the word list {name}")
    words = _entries(table["words"], name)
    tag = table["tag"].string() if "tag" in table else None
    lemmas = _lemmas(table["lemma"], earlier) if "lemma" in table else None
    with entry.placed():
        return word_list(name, words, tag, lemmas)


def _earlier(entry: TomlValue, earlier: Mapping[str, WordList]) -> WordList:
    return earlier[entry.one_of(earlier, "word list above this one")]


def _entries(entry: TomlValue, name: str) -> list[str]:
    if isinstance(entry.value, str):
        return entry.value.split()
    if isinstance(entry.value, list) and all(isinstance(word, str) for word in entry.value):
        return entry.value
    raise entry.error(f"The word list {name} has to be a list of strings, or one string of words. Change it.")


def _lemmas(entry: TomlValue, earlier: Mapping[str, WordList]) -> Sequence[str]:
    if isinstance(entry.value, str):
        return _earlier(entry, earlier).keys
    return [row.string() for row in entry.rows("the name of a word list, or a list of strings")]


def _phrases(raw: TomlValue) -> dict[str, Phrase]:
    found: dict[str, Phrase] = {}
    for head, entry in raw.table().items():
        name, *parameters = head.split() or [""]
        if not name or base_name(name) != name:
            raise entry.error(f"{head!r} can't name a phrase. Use letters, and no digit or dot at the end.")
        if name in found or len(set(parameters)) < len(parameters):
            raise entry.error(f"{head!r} has the name of another phrase, or one parameter twice. Rename it.")
        found[name] = Phrase(name, tuple(parameters), _alternatives(name, entry))
    return found


def _alternatives(name: str, entry: TomlValue) -> dict[str, tuple[Fraction, str]]:
    if not isinstance(entry.value, dict):
        return {"": (Fraction(1), _tree(entry))}
    found = {key: _alternative(f"{name}.{key}", choice) for key, choice in entry.table().items()}
    if not any(weight for weight, _ in found.values()):
        raise entry.error(f"The phrase {name} has no alternative that weighs anything. Add one.")
    return found


def _alternative(name: str, entry: TomlValue) -> tuple[Fraction, str]:
    if not isinstance(entry.value, dict):
        return Fraction(1), _tree(entry)
    table = entry.only(("weight", "tree"), f"key of {name}")
    tree = _tree(entry.need("tree", f"the alternative {name}"))
    return table["weight"].weight() if "weight" in table else Fraction(1), tree


def _tree(entry: TomlValue) -> str:
    if not isinstance(entry.value, str):
        raise entry.wrong("a tree in a string")
    with entry.placed():
        read_items(entry.value)
    return entry.value
