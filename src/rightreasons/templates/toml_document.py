"""Read a set from TOML: word lists, phrases, subcases with their templates, modes."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.core.labels import LABELS
from rightreasons.core.pairs import PARSE_COLUMNS, REQUIRED_COLUMNS, TEXTS
from rightreasons.templates.document import (
    Document,
    Lexicon,
    Phrase,
    Template,
    WordList,
    build_word_list,
    join_word_lists,
)
from rightreasons.templates.notation import get_base_name, read_items
from rightreasons.templates.toml_values import TomlLines, TomlValue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

OWN_COLUMNS = (*REQUIRED_COLUMNS, "set", "subcase", "subvariant", "group", "rank", *PARSE_COLUMNS)
_TEMPLATE_KEYS = ("label", "weight", "with", "hypotheses", *TEXTS)
_NOT_OF_ONE = ("name", "premise", "weight", "with", "hypotheses")
_LINE = re.compile(r"line (\d+)")
_TABLES = ("set", "words", "phrases", "subcase", "modes")
_MODE_KEYS = ("set", "words", "phrases", "weights", "templates")
_WORD_LIST_KEYS = ("words", "tag", "lemma")


def read_templates(root: TomlValue, labels: Sequence[str], changes: TomlValue) -> tuple[Template, ...]:
    """Return the templates of all subcases, in a mode's changes; one for each hypothesis of a premise."""
    if "subcase" not in root.value:
        raise root.make_error("the file has no [[subcase]]. Add a subcase with templates.")
    changed = {key: changes.get_optional(key).get_table() for key in ("weights", "templates")}
    templates: dict[str, list[Template]] = {}
    for subcase in root.get_optional("subcase").get_list_values("one or more tables [[subcase]]"):
        for name, entry, parts in _list_template_entries(subcase, changed):
            if name in templates:
                raise entry.make_error(
                    f"two templates are called {name!r}, the other is in line {templates[name][0].line}. "
                    "Use unique names."
                )
            templates[name] = list(_build_templates(name, subcase.value["name"], entry, parts, labels))
    for name, entry in [*changed["weights"].items(), *changed["templates"].items()]:
        if name not in templates:
            raise entry.make_error(UnknownNameError("template to change in this mode", name, templates))
    return tuple(template for row in templates.values() for template in row)


def _list_template_entries(
    raw: TomlValue, changed: Mapping[str, Mapping[str, TomlValue]]
) -> Iterator[tuple[str, TomlValue, dict[str, TomlValue]]]:
    """Return each template of a subcase: its name, where it stands, and its keys with those of the subcase."""
    subcase = raw.get_required("name", "[[subcase]]").get_string()
    shared = {
        key: entry for key, entry in raw.get_table().items() if key not in ("name", "templates", "size")
    }
    rows = raw.get_required("templates", f"the subcase {subcase}").get_list_values(
        f"a list of one or more templates of {subcase}"
    )
    for number, entry in enumerate(rows, start=1):
        parts = {**shared, **entry.get_table(f"a table with a template of {subcase}")}
        own = parts.pop("name", None)
        name_entry = own or parts.get("template")
        name = name_entry.get_string() if name_entry else f"{subcase}-{number}"
        if name in changed["templates"]:
            parts.update(changed["templates"][name].get_table())
        if name in changed["weights"]:
            parts["weight"] = changed["weights"][name]
        if own is None and "hypotheses" in parts:
            # Its hypotheses have their own names as tags.
            parts.pop("template", None)
        yield name, entry, parts


def _build_templates(
    name: str, subcase: str, entry: TomlValue, parts: Mapping[str, TomlValue], labels: Sequence[str]
) -> Iterator[Template]:
    """Return a template, or one for each of its hypotheses."""
    if "hypotheses" not in parts:
        yield _build_template(name, subcase, entry, parts, labels)
        return
    for kind, each in _read_hypotheses(name, parts).items():
        of_one = {key: part for key, part in parts.items() if key != "hypotheses"} | each
        one = _build_template(kind, subcase, entry, of_one, labels)
        yield replace(one, name=f"{name}.{kind}", bundle=name)


def _read_hypotheses(name: str, parts: Mapping[str, TomlValue]) -> dict[str, dict[str, TomlValue]]:
    """Return the hypotheses of one premise by name, each with its own label and tags."""
    if "hypothesis" in parts:
        raise parts["hypothesis"].make_error(
            f"the template {name} has both hypothesis and hypotheses. Move the hypothesis into hypotheses."
        )
    hypotheses = {}
    for kind, entry in parts["hypotheses"].get_table("a table of hypotheses").items():
        each = entry.get_table() if isinstance(entry.value, dict) else {"hypothesis": entry}
        for key in _NOT_OF_ONE:
            if key in each:
                raise each[key].make_error(
                    f"{key} can't be set for a single hypothesis. Set {key} for the template {name}."
                )
        if "hypothesis" not in each:
            raise entry.make_error(f"{kind} of the template {name} has no 'hypothesis'. Add the key.")
        hypotheses[kind] = each
    if not hypotheses:
        raise parts["hypotheses"].make_invalid_error("a table of at least one hypothesis")
    return hypotheses


def read_subcase_sizes(root: TomlValue) -> dict[str, int]:
    """Return the default number of pairs of each subcase."""
    sizes = {}
    for subcase in root.get_optional("subcase").get_list_values("one or more tables [[subcase]]"):
        table = subcase.get_table()
        if "size" in table:
            sizes[table["name"].get_string()] = table["size"].get_integer()
            if table["size"].value < 1:
                raise table["size"].make_invalid_error("at least 1")
    return sizes


def _read_template_substitutions(parts: Mapping[str, TomlValue]) -> tuple[tuple[str, str], ...]:
    """Return which lists and phrases the names of a template stand for."""
    if "with" not in parts:
        return ()
    return tuple((name, entry.get_string()) for name, entry in parts["with"].get_table().items())


def _build_template(
    name: str, subcase: str, entry: TomlValue, parts: Mapping[str, TomlValue], labels: Sequence[str]
) -> Template:
    what = f"the template {name}"
    for key in ("label", *TEXTS):
        if key not in parts:
            raise entry.make_error(f"{what} has no {key!r}. Add the key.")
    return Template(
        name=name,
        subcase=subcase,
        label=parts["label"].get_choice(labels, f"label of this set for {what}"),
        tags={"template": name, **_read_template_tags(parts, what)},
        weight=parts["weight"].get_weight() if "weight" in parts else Fraction(1),
        premise=parts["premise"].get_string(),
        hypothesis=parts["hypothesis"].get_string(),
        entry=entry,
        parts=parts,
        using=_read_template_substitutions(parts),
    )


def _read_template_tags(parts: Mapping[str, TomlValue], what: str) -> dict[str, str]:
    tags = {key: part for key, part in parts.items() if key not in _TEMPLATE_KEYS}
    for tag, part in tags.items():
        if tag in OWN_COLUMNS or tag in ("name", "size") or not isinstance(part.value, str):
            raise part.make_error(
                f"{tag} = {part.value!r} can't be a tag of {what}. Use a string, and a name without another meaning."
            )
    return {tag: part.value for tag, part in tags.items()}


def read_document(text: str, place: str, mode: str | None = None) -> Document:
    """Read a set from TOML text; `mode` applies the changes of that mode."""
    root = TomlValue(_parse_toml(text, place), (), TomlLines(text, place))
    root.check_keys(_TABLES, "table")
    changes = _get_mode_changes(root, mode)
    head = _read_set_table(root.get_optional("set"), changes.get_optional("set"))
    words = {**root.get_optional("words").get_table(), **changes.get_optional("words").get_table()}
    return Document(
        place=place,
        words=Lexicon(_read_word_lists(words)),
        phrases={
            **_read_phrases(root.get_optional("phrases")),
            **_read_phrases(changes.get_optional("phrases")),
        },
        templates=read_templates(root, head["labels"], changes),
        sizes=read_subcase_sizes(root),
        **head,
    )


def _parse_toml(text: str, place: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        what, _, at = str(error).partition(" (at ")
        match = _LINE.match(at)
        line = int(match[1]) if match else text.rstrip().count("\n") + 1
        raise InputError(f"{place}, line {line}: invalid TOML: {what}. Correct the line.") from error


def _get_mode_changes(root: TomlValue, mode: str | None) -> TomlValue:
    """Return the table of a mode: what it changes."""
    if mode is None:
        return TomlValue({}, (), root.lines)
    modes = root.get_optional("modes").get_table()
    if not modes:
        raise InputError(
            f"{root.lines.file} has no modes, but the mode {mode!r} was requested. Remove the option mode."
        )
    if mode not in modes:
        raise UnknownNameError(f"mode of {root.lines.file}", mode, modes)
    modes[mode].check_keys(_MODE_KEYS, f"table of mode {mode}")
    return modes[mode]


def _read_set_labels(entry: TomlValue) -> tuple[str, ...]:
    labels = tuple(row.get_choice(LABELS, "label") for row in entry.get_list_values("a list of labels"))
    if len(set(labels)) < len(labels):
        raise entry.make_invalid_error("a list of distinct labels")
    return labels


_HEAD: Mapping[str, Callable[[TomlValue], Any]] = {
    "name": TomlValue.get_string,
    "labels": _read_set_labels,
    "version": TomlValue.get_integer,
    "text": lambda entry: entry.get_choice(("natural", "tokenised"), "value of text"),
    "twins": TomlValue.get_boolean,
    "draw": lambda entry: entry.get_choice(("in-proportion", "with-rejection"), "value of draw"),
    "distinct": TomlValue.get_boolean,
    "description": TomlValue.get_string,
}


def _read_set_table(head: TomlValue, changes: TomlValue) -> dict[str, Any]:
    for key in ("name", "labels"):
        head.get_required(key, "[set]")
    entries = {**head.check_keys(_HEAD, "key of [set]"), **changes.check_keys(_HEAD, "key of [set]")}
    return {key: _HEAD[key](entry) for key, entry in entries.items()}


def _read_word_lists(raw: Mapping[str, TomlValue]) -> dict[str, WordList]:
    lists: dict[str, WordList] = {}
    for name, entry in raw.items():
        if not name.isidentifier() or get_base_name(name) != name:
            raise entry.make_error(
                f"{name!r} is not a valid name of a word list. Use letters, without a digit at the end."
            )
        lists[name] = _read_joined_word_list(name, entry, lists) or _read_word_list(name, entry, lists)
    return lists


def _read_joined_word_list(name: str, entry: TomlValue, earlier: Mapping[str, WordList]) -> WordList | None:
    if not isinstance(entry.value, dict) or "join" not in entry.value:
        return None
    parts = entry.check_keys(("join",), f"key next to join of the word list {name}")["join"]
    lists = [
        _get_earlier_word_list(row, earlier) for row in parts.get_list_values("a list of names of word lists")
    ]
    with entry.locate_errors():
        return join_word_lists(name, lists)


def _read_word_list(name: str, entry: TomlValue, earlier: Mapping[str, WordList]) -> WordList:
    table = {"words": entry}
    if isinstance(entry.value, dict):
        entry.get_required("words", f"the word list {name}")
        table = entry.check_keys(_WORD_LIST_KEYS, f"key of the word list {name}")
    words = _read_words(table["words"], name)
    tag = table["tag"].get_string() if "tag" in table else None
    lemmas = _read_lemmas(table["lemma"], earlier) if "lemma" in table else None
    with entry.locate_errors():
        return build_word_list(name, words, tag, lemmas)


def _get_earlier_word_list(entry: TomlValue, earlier: Mapping[str, WordList]) -> WordList:
    return earlier[entry.get_choice(earlier, "word list above this one")]


def _read_words(entry: TomlValue, name: str) -> list[str]:
    if isinstance(entry.value, str):
        return entry.value.split()
    if isinstance(entry.value, list) and all(isinstance(word, str) for word in entry.value):
        return entry.value
    raise entry.make_error(
        f"The word list {name} is neither a list of strings nor a string of words. Use one or the other."
    )


def _read_lemmas(entry: TomlValue, earlier: Mapping[str, WordList]) -> Sequence[str]:
    if isinstance(entry.value, str):
        return _get_earlier_word_list(entry, earlier).keys
    return [
        row.get_string() for row in entry.get_list_values("the name of a word list, or a list of strings")
    ]


def _read_phrases(raw: TomlValue) -> dict[str, Phrase]:
    phrases: dict[str, Phrase] = {}
    for head, entry in raw.get_table().items():
        name, *parameters = head.split() or [""]
        if not name or get_base_name(name) != name:
            raise entry.make_error(
                f"{head!r} is not a valid name of a phrase. Use letters, without a digit or dot at the end."
            )
        if name in phrases or len(set(parameters)) < len(parameters):
            raise entry.make_error(
                f"{head!r} repeats the name of a phrase or of a parameter. Use unique names."
            )
        phrases[name] = Phrase(name, tuple(parameters), _read_alternatives(name, entry))
    return phrases


def _read_alternatives(name: str, entry: TomlValue) -> dict[str, tuple[Fraction, str]]:
    if not isinstance(entry.value, dict):
        return {"": (Fraction(1), _read_tree(entry))}
    alternatives = {
        key: _read_alternative(f"{name}.{key}", choice) for key, choice in entry.get_table().items()
    }
    if not any(weight for weight, _ in alternatives.values()):
        raise entry.make_error(f"The phrase {name} has no alternative with a positive weight. Add one.")
    return alternatives


def _read_alternative(name: str, entry: TomlValue) -> tuple[Fraction, str]:
    if not isinstance(entry.value, dict):
        return Fraction(1), _read_tree(entry)
    table = entry.check_keys(("weight", "tree"), f"key of {name}")
    tree = _read_tree(entry.get_required("tree", f"the alternative {name}"))
    return table["weight"].get_weight() if "weight" in table else Fraction(1), tree


def _read_tree(entry: TomlValue) -> str:
    if not isinstance(entry.value, str):
        raise entry.make_invalid_error("a tree in a string")
    with entry.locate_errors():
        read_items(entry.value)
    return entry.value
