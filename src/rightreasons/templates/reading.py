"""From the TOML text of a set to the set: word lists, phrases, subcases with their templates, modes."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rightreasons.errors import InputError, UnknownNameError
from rightreasons.labels import LABELS
from rightreasons.pairs import PARSES, REQUIRED, TEXTS
from rightreasons.templates.document import Document, Phrase, Template
from rightreasons.templates.entry import Entry
from rightreasons.templates.lexicon import Lexicon, WordList, joined, word_list
from rightreasons.templates.notation import base_name, read_items
from rightreasons.templates.places import Places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

OWN_COLUMNS = (*REQUIRED, "set", "subcase", "subvariant", "group", "rank", *PARSES)
_PARTS = ("set", "words", "phrases", "subcase", "modes")
_MODE = ("set", "words", "phrases", "weights", "templates")
_WORD_LIST = ("words", "tag", "lemma")
_KEYS = ("label", "weight", "with", "hypotheses", *TEXTS)
_NOT_OF_ONE = ("name", "premise", "weight", "with", "hypotheses")


def read_document(text: str, place: str, mode: str | None = None) -> Document:
    """Read a set from TOML text; `mode` lays the changes of that mode over it."""
    root = Entry(_toml(text, place), (), Places(text, place))
    root.only(_PARTS, "table")
    changes = _changes(root, mode)
    head = _head(root.part("set"), changes.part("set"))
    return Document(
        place=place,
        words=Lexicon(_words({**root.part("words").table(), **changes.part("words").table()})),
        phrases={**_phrases(root.part("phrases")), **_phrases(changes.part("phrases"))},
        templates=_templates(root, head["labels"], changes),
        sizes=_sizes(root),
        **head,
    )


def _toml(text: str, place: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        what, _, at = str(error).partition(" (at ")
        found = re.match(r"line (\d+)", at)
        line = int(found[1]) if found else text.rstrip().count("\n") + 1
        raise InputError(f"{place}, line {line}: this is not TOML: {what}. Mend that line.") from error


def _changes(root: Entry, mode: str | None) -> Entry:
    """Return the table of a mode: what it changes."""
    if mode is None:
        return Entry({}, (), root.places)
    modes = root.part("modes").table()
    if not modes:
        raise InputError(f"{root.places.file} has no modes, and {mode!r} was asked for. Leave the mode out.")
    if mode not in modes:
        raise UnknownNameError(f"mode of {root.places.file}", mode, modes)
    modes[mode].only(_MODE, f"table of mode {mode}")
    return modes[mode]


def _labels(entry: Entry) -> tuple[str, ...]:
    found = tuple(row.one_of(LABELS, "label") for row in entry.rows("a list of labels"))
    if len(set(found)) < len(found):
        raise entry.wrong("a list of labels that all differ")
    return found


_HEAD: Mapping[str, Callable[[Entry], Any]] = {
    "name": Entry.string,
    "labels": _labels,
    "version": Entry.whole,
    "text": lambda entry: entry.one_of(("natural", "tokenised"), "value of text"),
    "twins": Entry.flag,
    "draw": lambda entry: entry.one_of(("in-proportion", "with-rejection"), "value of draw"),
    "distinct": Entry.flag,
    "description": Entry.string,
}


def _head(head: Entry, changes: Entry) -> dict[str, Any]:
    for key in ("name", "labels"):
        head.need(key, "[set]")
    found = {**head.only(_HEAD, "key of [set]"), **changes.only(_HEAD, "key of [set]")}
    return {key: _HEAD[key](entry) for key, entry in found.items()}


def _words(raw: Mapping[str, Entry]) -> dict[str, WordList]:
    found: dict[str, WordList] = {}
    for name, entry in raw.items():
        if not name.isidentifier() or base_name(name) != name:
            raise entry.error(f"{name!r} can't name a word list. Use letters, and no digit at the end.")
        found[name] = _joined(name, entry, found) or _word_list(name, entry, found)
    return found


def _joined(name: str, entry: Entry, earlier: Mapping[str, WordList]) -> WordList | None:
    if not isinstance(entry.value, dict) or "join" not in entry.value:
        return None
    parts = entry.only(("join",), f"key beside join of the word list {name}")["join"]
    lists = [_earlier(row, earlier) for row in parts.rows("a list of names of word lists")]
    with entry.placed():
        return joined(name, lists)


def _word_list(name: str, entry: Entry, earlier: Mapping[str, WordList]) -> WordList:
    table = {"words": entry}
    if isinstance(entry.value, dict):
        entry.need("words", f"the word list {name}")
        table = entry.only(_WORD_LIST, f"key of the word list {name}")
    words = _entries(table["words"], name)
    tag = table["tag"].string() if "tag" in table else None
    lemmas = _lemmas(table["lemma"], earlier) if "lemma" in table else None
    with entry.placed():
        return word_list(name, words, tag, lemmas)


def _earlier(entry: Entry, earlier: Mapping[str, WordList]) -> WordList:
    return earlier[entry.one_of(earlier, "word list above this one")]


def _entries(entry: Entry, name: str) -> list[str]:
    if isinstance(entry.value, str):
        return entry.value.split()
    if isinstance(entry.value, list) and all(isinstance(word, str) for word in entry.value):
        return entry.value
    raise entry.error(f"The word list {name} has to be a list of strings, or one string of words. Change it.")


def _lemmas(entry: Entry, earlier: Mapping[str, WordList]) -> Sequence[str]:
    if isinstance(entry.value, str):
        return _earlier(entry, earlier).keys
    return [row.string() for row in entry.rows("the name of a word list, or a list of strings")]


def _phrases(raw: Entry) -> dict[str, Phrase]:
    found: dict[str, Phrase] = {}
    for head, entry in raw.table().items():
        name, *parameters = head.split() or [""]
        if not name or base_name(name) != name:
            raise entry.error(f"{head!r} can't name a phrase. Use letters, and no digit or dot at the end.")
        if name in found or len(set(parameters)) < len(parameters):
            raise entry.error(f"{head!r} has the name of another phrase, or one parameter twice. Rename it.")
        found[name] = Phrase(name, tuple(parameters), _alternatives(name, entry))
    return found


def _alternatives(name: str, entry: Entry) -> dict[str, tuple[Fraction, str]]:
    if not isinstance(entry.value, dict):
        return {"": (Fraction(1), _tree(entry))}
    found = {key: _alternative(f"{name}.{key}", choice) for key, choice in entry.table().items()}
    if not any(weight for weight, _ in found.values()):
        raise entry.error(f"The phrase {name} has no alternative that weighs anything. Add one.")
    return found


def _alternative(name: str, entry: Entry) -> tuple[Fraction, str]:
    if not isinstance(entry.value, dict):
        return Fraction(1), _tree(entry)
    table = entry.only(("weight", "tree"), f"key of {name}")
    tree = _tree(entry.need("tree", f"the alternative {name}"))
    return table["weight"].weight() if "weight" in table else Fraction(1), tree


def _tree(entry: Entry) -> str:
    if not isinstance(entry.value, str):
        raise entry.wrong("a tree in a string")
    with entry.placed():
        read_items(entry.value)
    return entry.value


def _templates(root: Entry, labels: Sequence[str], changes: Entry) -> tuple[Template, ...]:
    if "subcase" not in root.value:
        raise root.error("there is no [[subcase]] in this file. Add one with its templates.")
    changed = {key: changes.part(key).table() for key in ("weights", "templates")}
    found: dict[str, Template] = {}
    for subcase in root.part("subcase").rows("written as [[subcase]], at least once"):
        for template in _of_subcase(subcase, labels, changed):
            if template.name in found:
                raise template.entry.error(
                    f"there are two templates called {template.name!r}, the other in line "
                    f"{found[template.name].line}. Give each a name of its own."
                )
            found[template.name] = template
    names = dict.fromkeys(template.bundle or template.name for template in found.values())
    for name, entry in [*changed["weights"].items(), *changed["templates"].items()]:
        if name not in names:
            raise entry.error(UnknownNameError("template to change in this mode", name, names))
    return tuple(found.values())


def _of_subcase(
    raw: Entry, labels: Sequence[str], changed: Mapping[str, Mapping[str, Entry]]
) -> Iterator[Template]:
    subcase = raw.need("name", "[[subcase]]").string()
    shared = {key: entry for key, entry in raw.table().items() if key not in ("name", "templates", "size")}
    rows = raw.need("templates", f"the subcase {subcase}").rows(
        f"a list of templates of {subcase}, at least one"
    )
    for number, entry in enumerate(rows, start=1):
        parts = {**shared, **entry.table(f"a table, a template of {subcase}")}
        own = parts.pop("name", None)
        given = own or parts.get("template")
        name = given.string() if given else f"{subcase}-{number}"
        if name in changed["templates"]:
            parts.update(changed["templates"][name].table())
        if name in changed["weights"]:
            parts["weight"] = changed["weights"][name]
        if "hypotheses" not in parts:
            yield _template(name, subcase, entry, parts, labels)
            continue
        if own is None:
            parts.pop("template", None)
        for kind, each in _hypotheses(name, parts).items():
            of_one = {key: part for key, part in parts.items() if key != "hypotheses"} | each
            one = _template(kind, subcase, each["hypothesis"], of_one, labels)
            yield replace(one, name=f"{name}.{kind}", bundle=name)


def _hypotheses(name: str, parts: Mapping[str, Entry]) -> dict[str, dict[str, Entry]]:
    """Return the hypotheses of one premise by name, each with the label and the tags of its own."""
    if "hypothesis" in parts:
        raise parts["hypothesis"].error(
            f"the template {name} has a hypothesis and hypotheses. Put it among them."
        )
    found = {}
    for kind, entry in parts["hypotheses"].table("a table of hypotheses").items():
        each = entry.table() if isinstance(entry.value, dict) else {"hypothesis": entry}
        for key in _NOT_OF_ONE:
            if key in each:
                raise each[key].error(
                    f"{key} can't be of one hypothesis alone. Give it to the template {name}."
                )
        if "hypothesis" not in each:
            raise entry.error(f"{kind} of the template {name} lacks 'hypothesis'. Add it.")
        found[kind] = each
    if not found:
        raise parts["hypotheses"].wrong("a table of at least one hypothesis")
    return found


def _sizes(root: Entry) -> dict[str, int]:
    """Return how many pairs each subcase has where nobody asks for a number."""
    found = {}
    for subcase in root.part("subcase").rows("written as [[subcase]], at least once"):
        table = subcase.table()
        if "size" in table:
            found[table["name"].string()] = table["size"].whole()
            if table["size"].value < 1:
                raise table["size"].wrong("at least 1")
    return found


def _using(parts: Mapping[str, Entry]) -> tuple[tuple[str, str], ...]:
    """Return which lists and phrases the names of a template stand for."""
    if "with" not in parts:
        return ()
    return tuple((name, entry.string()) for name, entry in parts["with"].table().items())


def _template(
    name: str, subcase: str, entry: Entry, parts: Mapping[str, Entry], labels: Sequence[str]
) -> Template:
    what = f"the template {name}"
    for key in ("label", *TEXTS):
        if key not in parts:
            raise entry.error(f"{what} lacks {key!r}. Add it.")
    return Template(
        name=name,
        subcase=subcase,
        label=parts["label"].one_of(labels, f"label of this set for {what}"),
        tags={"template": name, **_tags(parts, what)},
        weight=parts["weight"].weight() if "weight" in parts else Fraction(1),
        premise=parts["premise"].string(),
        hypothesis=parts["hypothesis"].string(),
        entry=entry,
        parts=parts,
        using=_using(parts),
    )


def _tags(parts: Mapping[str, Entry], what: str) -> dict[str, str]:
    found = {key: part for key, part in parts.items() if key not in _KEYS}
    for tag, part in found.items():
        if tag in OWN_COLUMNS or tag in ("name", "size") or not isinstance(part.value, str):
            raise part.error(
                f"{tag} = {part.value!r} can't be a tag of {what}. Tags are strings under names of their own."
            )
    return {tag: part.value for tag, part in found.items()}
