"""Lines of a TOML text, and values of the wrong kind: every one is refused with its line."""

from __future__ import annotations

import copy
import json
import tomllib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_sets import PLACE, read_grammar, set_text, subcase, template

from rightreasons.core.errors import RightReasonsError
from rightreasons.sets.hans import hans
from rightreasons.templates.toml_values import TomlLines, TomlPath

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT = """\
# [none]
top = 1.5
date = 1979-05-27 07:32:00  # { not = "a table" }

[set]
name = "a # b = [c]"
long = \"\"\"
[set]
name = \\"\"\" \"\"\"\"
raw = '''
'x' = 1
'''
[words."odd name"]
'quoted key' = ["a", [
  "b, ]",
  { c = 1, d.e = [
    7] },
]]
a.b = { x = {}, y = [] }
[[rows]]
[[rows.inner]]
k = 1
[[rows.inner]]
k = 2
[rows.table]
k = 3
[[rows]]
last = true"""

LINES: dict[TomlPath, int | None] = {
    (): None,
    ("none",): None,
    ("top",): 2,
    ("date",): 3,
    ("set",): 5,
    ("set", "name"): 6,
    ("set", "nothing"): 5,
    ("set", "long"): 7,
    ("set", "raw"): 10,
    ("words",): 13,
    ("words", "odd name"): 13,
    ("words", "odd name", "quoted key"): 14,
    ("words", "odd name", "quoted key", 0): 14,
    ("words", "odd name", "quoted key", 1, 0): 15,
    ("words", "odd name", "quoted key", 1, 1, "d", "e"): 16,
    ("words", "odd name", "quoted key", 1, 1, "d", "e", 0): 17,
    ("words", "odd name", "a", "b", "y"): 19,
    ("rows",): 20,
    ("rows", 0): 20,
    ("rows", 0, "inner", 0, "k"): 22,
    ("rows", 0, "inner", 1): 23,
    ("rows", 0, "inner", 1, "k"): 24,
    ("rows", 0, "table", "k"): 26,
    ("rows", 1): 27,
    ("rows", 1, "last"): 28,
}


@pytest.mark.parametrize("path", LINES)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_every_value_has_its_line(path: TomlPath, ends: str) -> None:
    assert TomlLines(TEXT.replace("\n", ends), PLACE).find_line(path) == LINES[path]


def paths(value: Any, path: TomlPath = ()) -> Iterator[TomlPath]:
    if path:
        yield path
    rows = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in rows:
        yield from paths(inner, (*path, key))


def test_the_scanner_finds_what_the_parser_finds() -> None:
    hans_text = hans.FILE.read_text(encoding="utf-8")
    for text in (TEXT, hans_text):
        assert set(TomlLines(text, PLACE).lines) == set(paths(tomllib.loads(text)))
    lines = hans_text.splitlines()
    for path, line in TomlLines(hans_text, PLACE).lines.items():
        if isinstance(path[-1], str):
            assert path[-1] in lines[line - 1]


VALUES = st.recursive(
    st.text(st.characters(codec="utf-8", exclude_characters="\x7f")).map(
        lambda text: json.dumps(text, ensure_ascii=False)
    )
    | st.integers(-9, 9).map(str)
    | st.sampled_from(
        ["1.5", "true", "'[{='", "1979-05-27 07:32:00", "'''\n[x]\n'''", '"""\n"\n"""', "-inf"]
    ),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda row: "[" + ", # ]\n".join(row) + "]")
        | st.lists(inner, max_size=3).map(
            lambda row: "{" + ", ".join(f"k{n} = {value}" for n, value in enumerate(row)) + "}"
        )
    ),
    max_leaves=6,
)


@settings(deadline=None, max_examples=60)
@given(st.lists(VALUES, max_size=4))
def test_lines_hold_whatever_stands_between(values: list[str]) -> None:
    text = "[table]\n" + "".join(f"key{n} = {value}\n" for n, value in enumerate(values))
    found = TomlLines(text, PLACE).lines
    assert set(found) == set(paths(tomllib.loads(text)))
    for number in range(len(values)):
        assert text.split("\n")[found["table", f"key{number}"] - 1].startswith(f"key{number} = ")


WORDS = {
    "SG": {"tag": "NN", "words": "dog cat bird"},
    "PL": {"tag": "NNS", "lemma": "SG", "words": ["dogs", "cats", "birds"]},
    "N": {"join": ["SG", "PL"]},
    "V": "saw heard",
}
PHRASES = {
    "the n": "(NP (DT the) {n})",
    "VP": {"plain": "(VP (VBD slept))", "object": {"weight": "1/2", "tree": "(VP (VBD {V}) <the N>)"}},
}
ENTRIES = [
    template("(S <the N1> <VP1> (. .))", "(S <the N1> (VP (VBD lived)) (. .))", "both", trigger="{N1}"),
    template("The {SG1} fed the {SG2}.", "The {SG1} fed.", "fed", weight=2, label="neutral"),
]
SOUND = set_text(WORDS, subcase("one", *ENTRIES, kind="order"), phrases=PHRASES, version=1, twins=True)
RAW = tomllib.loads(SOUND)
WRONG = [5, 1.5, True, [], {}, "", [7], [[]], [{}], {"a": 1}, {"a": {}}, "x", ["x"], "(", "{", "*", "<x>"]


def with_value(path: TomlPath, value: object) -> str:
    """Write the set again, a line for each of its tables, with one of its values replaced."""
    raw: Any = copy.deepcopy(RAW)
    table = raw
    for key in path[:-1]:
        table = table[key]
    table[path[-1]] = value
    return "".join(f"{key} = {inline(part)}\n" for key, part in raw.items())


def inline(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {inline(inner)}" for key, inner in value.items()) + "}"
    return f"[{', '.join(map(inline, value))}]" if isinstance(value, list) else json.dumps(value)


def test_the_sound_set_stands_however_it_is_written() -> None:
    written = with_value(("set", "version"), 1)
    assert [one.name for one in read_grammar(written).variants] == ["both.plain", "both.object", "fed"]


@pytest.mark.parametrize("path", list(paths(RAW)), ids=str)
def test_values_of_the_wrong_kind_are_refused_with_their_line(path: TomlPath) -> None:
    messages = [one for value in WRONG if (one := refusal(with_value(path, value)))]
    assert messages
    for one in messages:
        assert one.startswith(f"{PLACE}, line ")
        assert one.count(PLACE) == 1


def refusal(text: str) -> str:
    """Return what is messages against a set, if anything; an error that is not of this package fails the test."""
    try:
        read_grammar(text)
    except RightReasonsError as error:
        return str(error)
    return ""
