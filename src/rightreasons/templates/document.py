"""One TOML file that says a whole set: word lists, phrases, subcases with their templates, modes."""

from __future__ import annotations

import tomllib
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rightreasons.errors import InputError, UnknownNameError
from rightreasons.templates.lexicon import WordList, joined, word_list

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LABELS = ("entailment", "neutral", "contradiction", "non-entailment")
OWN_COLUMNS = ("id", "premise", "hypothesis", "label", "set", "subvariant", "group", "rank")
_HEAD = {"name", "version", "labels", "text", "twins", "draw", "distinct", "description"}
_PARTS = {"set", "words", "phrases", "subcase", "modes"}
_MODE = {"set", "words", "phrases", "weights", "templates"}
_SUBCASE = {"name", "label", "templates"}


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
    line: int


@dataclass(frozen=True)
class Document:
    """A set as it is written down, in one mode."""

    place: str
    name: str
    version: int
    labels: tuple[str, ...]
    text: str
    twins: bool
    draw: str
    distinct: bool
    words: Mapping[str, WordList]
    phrases: Mapping[str, Phrase]
    templates: tuple[Template, ...]

    @contextmanager
    def at(self, line: int) -> Iterator[None]:
        """Put the file and the line before what goes wrong inside."""
        try:
            yield
        except InputError as error:
            raise InputError(f"{self.place}, line {line}: {error}") from error


def read_document(text: str, place: str, mode: str | None = None) -> Document:
    """Read a set from TOML text; `mode` lays the changes of that mode over it."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{place}: this is not TOML: {error}. Mend that line.") from error
    return _Builder(text, place).build(raw, mode)


def modes_of(text: str) -> tuple[str, ...]:
    """Name the modes that a set's text has beside its own."""
    return tuple(tomllib.loads(text).get("modes", {}))


class _Builder:
    """Checks the raw tables and makes a document of them, knowing the line of each."""

    def __init__(self, text: str, place: str) -> None:
        self.text = text
        self.place = place
        self.cursor = 0

    def line(self, *needles: str) -> int:
        """Find the line of the first needle that stands in the file, looking onward first."""
        for needle in needles:
            for start in (self.cursor, 0):
                found = self.text.find(needle, start)
                if found >= 0:
                    return self.text.count("\n", 0, found) + 1
        return 1

    @contextmanager
    def near(self, *needles: str) -> Iterator[None]:
        try:
            yield
        except InputError as error:
            raise InputError(f"{self.place}, line {self.line(*needles)}: {error}") from error

    def build(self, raw: dict[str, Any], mode: str | None) -> Document:
        self.known(raw, _PARTS, "table")
        changes = self.changes(raw, mode)
        head = {**self.table(raw, "set"), **changes.get("set", {})}
        with self.near("[set]"):
            self.known(head, _HEAD, "key of [set]")
            labels = self.labels(head)
        words = self.words({**self.table(raw, "words"), **changes.get("words", {})})
        phrases = self.phrases({**self.table(raw, "phrases"), **changes.get("phrases", {})})
        templates = self.templates(raw, labels, changes)
        return Document(
            place=self.place,
            name=str(self.need(head, "name", "[set]")),
            version=self.whole(head.get("version", 1), "version"),
            labels=labels,
            text=self.one_of(head.get("text", "natural"), ("natural", "tokenised"), "text"),
            twins=bool(head.get("twins", True)),
            draw=self.one_of(head.get("draw", "in-proportion"), ("in-proportion", "with-rejection"), "draw"),
            distinct=bool(head.get("distinct", True)),
            words=words,
            phrases=phrases,
            templates=templates,
        )

    def changes(self, raw: dict[str, Any], mode: str | None) -> dict[str, Any]:
        if mode is None:
            return {}
        modes = self.table(raw, "modes")
        if mode not in modes:
            raise UnknownNameError(f"mode of {self.place}", mode, modes)
        with self.near(f"[modes.{mode}"):
            self.known(modes[mode], _MODE, f"table of mode {mode}")
        return dict(modes[mode])

    def table(self, raw: Mapping[str, Any], key: str) -> dict[str, Any]:
        value = raw.get(key, {})
        if not isinstance(value, dict):
            with self.near(key):
                raise InputError(f"{key} has to be a table. Write it as [{key}].")
        return value

    def labels(self, head: Mapping[str, Any]) -> tuple[str, ...]:
        labels = self.need(head, "labels", "[set]")
        for label in labels:
            if label not in LABELS:
                raise UnknownNameError("label", str(label), LABELS)
        return tuple(labels)

    def words(self, raw: Mapping[str, Any]) -> dict[str, WordList]:
        found: dict[str, WordList] = {}
        for name, value in raw.items():
            with self.near(f"\n{name} =", f"[words.{name}]", name):
                if name != name.rstrip("0123456789") or not name.isidentifier():
                    raise InputError(
                        f"{name!r} can't name a word list. Use letters, and no digit at the end."
                    )
                found[name] = self.word_list(name, value, found)
        return found

    def word_list(self, name: str, value: Any, earlier: Mapping[str, WordList]) -> WordList:
        if not isinstance(value, dict):
            return word_list(name, self.entries(name, value), None, None)
        self.known(value, {"words", "tag", "lemma", "join"}, f"key of the word list {name}")
        if "join" in value:
            return joined(name, [self.earlier(part, earlier) for part in value["join"]])
        lemma = value.get("lemma")
        lemmas = self.earlier(lemma, earlier).keys if isinstance(lemma, str) else lemma
        entries = self.entries(name, self.need(value, "words", f"the word list {name}"))
        return word_list(name, entries, value.get("tag"), lemmas)

    def earlier(self, name: str, earlier: Mapping[str, WordList]) -> WordList:
        if name not in earlier:
            raise UnknownNameError("word list above this one", name, earlier)
        return earlier[name]

    def entries(self, name: str, value: Any) -> list[str]:
        if isinstance(value, str):
            return value.split()
        if isinstance(value, list) and all(isinstance(word, str) for word in value):
            return value
        raise InputError(f"The word list {name} has to be a list of strings, or one string of words.")

    def phrases(self, raw: Mapping[str, Any]) -> dict[str, Phrase]:
        found = {}
        for head, value in raw.items():
            name, *parameters = head.split()
            with self.near(f'"{head}"', f"[phrases.{head}]", head):
                found[name] = Phrase(name, tuple(parameters), self.alternatives(name, value))
        return found

    def alternatives(self, name: str, value: Any) -> dict[str, tuple[Fraction, str]]:
        if isinstance(value, str):
            return {"": (Fraction(1), value)}
        found = {}
        for key, choice in value.items():
            if isinstance(choice, str):
                found[key] = (Fraction(1), choice)
                continue
            self.known(choice, {"weight", "tree"}, f"key of {name}.{key}")
            tree = self.need(choice, "tree", f"the alternative {name}.{key}")
            found[key] = (self.weight(choice.get("weight", 1)), str(tree))
        return found

    def templates(
        self, raw: Mapping[str, Any], labels: tuple[str, ...], changes: Mapping[str, Any]
    ) -> tuple[Template, ...]:
        subcases = raw.get("subcase", [])
        if not isinstance(subcases, list) or not subcases:
            raise InputError(
                f"{self.place}: there is no [[subcase]] in this file. Add one with its templates."
            )
        found: dict[str, Template] = {}
        for subcase in subcases:
            for template in self.of_subcase(subcase, labels, changes):
                if template.name in found:
                    raise InputError(
                        f"{self.place}, line {template.line}: there are two templates called {template.name!r}, the "
                        f"other in line {found[template.name].line}. Give each a name of its own."
                    )
                found[template.name] = template
        for name in [*changes.get("weights", {}), *changes.get("templates", {})]:
            if name not in found:
                raise UnknownNameError("template to change in this mode", name, found)
        return tuple(found.values())

    def of_subcase(
        self, raw: dict[str, Any], labels: tuple[str, ...], changes: Mapping[str, Any]
    ) -> Iterator[Template]:
        subcase = str(self.need(raw, "name", "[[subcase]]"))
        self.cursor = max(self.cursor, self.text.find(f'"{subcase}"', self.cursor))
        shared = {key: value for key, value in raw.items() if key not in _SUBCASE}
        for number, entry in enumerate(self.need(raw, "templates", f"the subcase {subcase}"), start=1):
            line = self.next_line(entry)
            merged = {"label": raw.get("label"), **shared, **entry}
            name = str(merged.pop("name", merged.get("template", f"{subcase}-{number}")))
            merged.update(changes.get("templates", {}).get(name, {}))
            if name in changes.get("weights", {}):
                merged["weight"] = changes["weights"][name]
            try:
                yield self.template(name, subcase, merged, labels, line)
            except InputError as error:
                raise InputError(f"{self.place}, line {line}: {error}") from error

    def next_line(self, entry: Mapping[str, Any]) -> int:
        """Find the line of the next template, by one of its two sentences, and move on behind it."""
        ends = []
        for key in ("premise", "hypothesis"):
            quoted = f'"{entry.get(key)}"'
            found = self.text.find(quoted, self.cursor)
            if found >= 0:
                ends.append(found + len(quoted))
        self.cursor = min(ends, default=self.cursor)
        return self.text.count("\n", 0, self.cursor) + 1

    def template(
        self, name: str, subcase: str, raw: dict[str, Any], labels: tuple[str, ...], line: int
    ) -> Template:
        what = f"the template {name}"
        label = raw.pop("label")
        if label not in labels:
            raise UnknownNameError(f"label of this set for {what}", str(label), labels)
        weight = self.weight(raw.pop("weight", 1))
        premise, hypothesis = (str(self.need(raw, key, what)) for key in ("premise", "hypothesis"))
        tags = {"template": name, **{key: raw[key] for key in raw if key not in ("premise", "hypothesis")}}
        for tag, value in tags.items():
            if tag in OWN_COLUMNS or not isinstance(value, str):
                raise InputError(
                    f"{tag} = {value!r} can't be a tag of {what}. Tags are strings under names of their own."
                )
        return Template(name, subcase, str(label), tags, weight, premise, hypothesis, line)

    def known(self, raw: Mapping[str, Any], names: set[str], kind: str) -> None:
        for key in raw:
            if key not in names:
                with self.near(f"[{key}", f"{key} =", key):
                    raise UnknownNameError(kind, key, names)

    def need(self, raw: Mapping[str, Any], key: str, where: str) -> Any:
        if key not in raw:
            raise InputError(f"{where} lacks {key!r}. Add it.")
        return raw[key]

    def weight(self, value: Any) -> Fraction:
        try:
            weight = Fraction(str(value))
        except (ValueError, ZeroDivisionError) as error:
            raise InputError(
                f"{value!r} is no weight. Write a number, or a fraction such as '1/6'."
            ) from error
        if weight < 0:
            raise InputError(f"The weight {value} is negative. Use 0 to leave something out.")
        return weight

    def whole(self, value: Any, what: str) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise InputError(f"{what} = {value!r} has to be a whole number.")
        return value

    def one_of(self, value: Any, names: tuple[str, ...], what: str) -> str:
        if value not in names:
            raise UnknownNameError(f"value of {what}", str(value), names)
        return str(value)
