"""The subcases of a TOML file, with their templates and what is written for several of them at once."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from rightreasons.core.errors import UnknownNameError
from rightreasons.core.pairs import PARSES, REQUIRED, TEXTS
from rightreasons.templates.document import Template

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rightreasons.templates.toml_value import TomlValue

OWN_COLUMNS = (*REQUIRED, "set", "subcase", "subvariant", "group", "rank", *PARSES)
_KEYS = ("label", "weight", "with", "hypotheses", *TEXTS)
_NOT_OF_ONE = ("name", "premise", "weight", "with", "hypotheses")


def templates(root: TomlValue, labels: Sequence[str], changes: TomlValue) -> tuple[Template, ...]:
    """Return the templates of all subcases, in a mode's changes; one for each hypothesis of a premise."""
    if "subcase" not in root.value:
        raise root.error("there is no [[subcase]] in this file. Add one with its templates.")
    changed = {key: changes.part(key).table() for key in ("weights", "templates")}
    found: dict[str, list[Template]] = {}
    for subcase in root.part("subcase").rows("written as [[subcase]], at least once"):
        for name, entry, parts in _rows(subcase, changed):
            if name in found:
                raise entry.error(
                    f"there are two templates called {name!r}, the other in line {found[name][0].line}. "
                    "Give each a name of its own."
                )
            found[name] = list(_of_row(name, subcase.value["name"], entry, parts, labels))
    for name, entry in [*changed["weights"].items(), *changed["templates"].items()]:
        if name not in found:
            raise entry.error(UnknownNameError("template to change in this mode", name, found))
    return tuple(template for row in found.values() for template in row)


def _rows(
    raw: TomlValue, changed: Mapping[str, Mapping[str, TomlValue]]
) -> Iterator[tuple[str, TomlValue, dict[str, TomlValue]]]:
    """Return each template of a subcase: its name, where it stands, and its keys with those of the subcase."""
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
        if own is None and "hypotheses" in parts:
            # Its hypotheses have names of their own to be tagged with.
            parts.pop("template", None)
        yield name, entry, parts


def _of_row(
    name: str, subcase: str, entry: TomlValue, parts: Mapping[str, TomlValue], labels: Sequence[str]
) -> Iterator[Template]:
    """Return a template, or one for each of its hypotheses."""
    if "hypotheses" not in parts:
        yield _template(name, subcase, entry, parts, labels)
        return
    for kind, each in _hypotheses(name, parts).items():
        of_one = {key: part for key, part in parts.items() if key != "hypotheses"} | each
        one = _template(kind, subcase, entry, of_one, labels)
        yield replace(one, name=f"{name}.{kind}", bundle=name)


def _hypotheses(name: str, parts: Mapping[str, TomlValue]) -> dict[str, dict[str, TomlValue]]:
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


def sizes(root: TomlValue) -> dict[str, int]:
    """Return how many pairs each subcase has where nobody asks for a number."""
    found = {}
    for subcase in root.part("subcase").rows("written as [[subcase]], at least once"):
        table = subcase.table()
        if "size" in table:
            found[table["name"].string()] = table["size"].whole()
            if table["size"].value < 1:
                raise table["size"].wrong("at least 1")
    return found


def _using(parts: Mapping[str, TomlValue]) -> tuple[tuple[str, str], ...]:
    """Return which lists and phrases the names of a template stand for."""
    if "with" not in parts:
        return ()
    return tuple((name, entry.string()) for name, entry in parts["with"].table().items())


def _template(
    name: str, subcase: str, entry: TomlValue, parts: Mapping[str, TomlValue], labels: Sequence[str]
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


def _tags(parts: Mapping[str, TomlValue], what: str) -> dict[str, str]:
    found = {key: part for key, part in parts.items() if key not in _KEYS}
    for tag, part in found.items():
        if tag in OWN_COLUMNS or tag in ("name", "size") or not isinstance(part.value, str):
            raise part.error(
                f"{tag} = {part.value!r} can't be a tag of {what}. Tags are strings under names of their own."
            )
    return {tag: part.value for tag, part in found.items()}
