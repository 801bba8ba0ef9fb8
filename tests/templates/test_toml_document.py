"""A set as one TOML file: its content, its modes, and its errors, each with the file and the line."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from small_sets import PLACE, read_grammar

from rightreasons.core.errors import InputError, RightReasonsError, UnknownNameError
from rightreasons.templates.collisions import check_collisions
from rightreasons.templates.grammar import load_grammar
from rightreasons.templates.toml_document import read_document

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """\
# line 1 is a comment about dogs
[set]
name = "pets"
version = 3
labels = ["entailment", "neutral"]

[words]
SG = { tag = "NN", words = "dog cat bird" }
PL = { tag = "NNS", lemma = "SG", words = "dogs cats birds" }
N = { join = ["SG", "PL"] }
V = "saw heard"

[words.FOOD]
tag = "NN"
words = ["corn", "ice cream"]

[phrases]
"the n" = "(NP (DT the) {n})"
"svo x v y" = "(S <the x> (VP (VBD {v}) <the y>) (. .))"

[phrases.VP]
plain = { weight = 1, tree = "(VP (VBD slept))" }
object = { weight = 2, tree = "(VP (VBD {V}) <the N>)" }

[[subcase]]
name = "swap"
label = "neutral"
kind = "order"
templates = [
  { name = "both", premise = "<svo N1 V1 N2>", hypothesis = "<svo N2 V1 N1>", trigger = "{V1}" },
  { premise = "(S <the N1> <VP1> (. .))", hypothesis = "(S <the N1> (VP (VBD lived)) (. .))" },
]

[[subcase]]
name = "eat"
label = "entailment"
templates = [
  { name = "ate", weight = "1/6", premise = "The {SG1} ate {FOOD1}.", hypothesis = "The {SG1} ate." },
  { name = "fed", label = "neutral", premise = "The {SG1} fed the {SG2}.", hypothesis = "It rained." },
]

[modes.odd.set]
text = "tokenised"

[modes.odd.words]
V = "smelled"

[modes.odd.phrases]
"the n" = "(NP (DT a) {n})"

[modes.odd.weights]
ate = 0

[modes.odd.templates.fed]
hypothesis = "It snowed."
"""


def changed(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new, 1)


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


def parse_line(message: str) -> int | None:
    found = re.match(rf"{re.escape(PLACE)}, line (\d+): ", message)
    return int(found[1]) if found else None


def get_error_message(text: str, mode: str | None = None) -> str:
    """Return the error message for a set; anything but an error of this package fails the test."""
    with pytest.raises(RightReasonsError) as caught:
        check_collisions(read_grammar(text, mode))
    return str(caught.value)


def test_a_set_as_it_is_written() -> None:
    document = read_document(GOOD, PLACE)
    assert (document.name, document.version, document.labels) == ("pets", 3, ("entailment", "neutral"))
    assert (document.text, document.twins, document.distinct) == ("natural", True, True)
    assert document.words["N"].keys == ("dog", "cat", "bird") * 2
    assert document.words["FOOD"].texts == ("corn", "ice cream")
    assert document.phrases["svo"].parameters == ("x", "v", "y")
    assert document.phrases["VP"].alternatives["object"] == (Fraction(2), "(VP (VBD {V}) <the N>)")
    assert [one.name for one in document.templates] == ["both", "swap-2", "ate", "fed"]
    assert [one.label for one in document.templates] == ["neutral", "neutral", "entailment", "neutral"]
    assert [one.subcase for one in document.templates] == ["swap", "swap", "eat", "eat"]
    assert [one.weight for one in document.templates] == [1, 1, Fraction(1, 6), 1]
    assert document.templates[0].tags == {"template": "both", "kind": "order", "trigger": "{V1}"}
    assert document.templates[2].tags == {"template": "ate"}


def test_templates_know_their_lines() -> None:
    lines = GOOD.splitlines()
    for template in read_document(GOOD, PLACE).templates:
        assert template.premise in lines[template.line - 1]


def test_a_mode_applies_its_changes_to_the_set() -> None:
    plain, odd = read_document(GOOD, PLACE), read_document(GOOD, PLACE, "odd")
    assert odd.text == "tokenised"
    assert odd.words["V"].texts == ("smelled",)
    assert odd.words["SG"] == plain.words["SG"]
    assert odd.phrases["the"].alternatives == {"": (1, "(NP (DT a) {n})")}
    assert [one.weight for one in odd.templates] == [1, 1, 0, 1]
    assert odd.templates[3].hypothesis == "It snowed."
    assert odd.templates[3].premise == plain.templates[3].premise
    assert [one.line for one in odd.templates] == [one.line for one in plain.templates]


def test_the_example_has_no_collisions() -> None:
    for mode in (None, "odd"):
        check_collisions(read_grammar(GOOD, mode))


BAD = [
    # Old text, new text, parts of the expected line or lines, pattern of the message.
    ("[words.FOOD]", "[wordz]\nA = 'b'\n[words.FOOD]", "[wordz]", "table .*'wordz'"),
    ("version = 3", "version = 3\nvolume = 9", "volume = 9|[set]", r"\[set\] .*'volume'"),
    ('name = "pets"\n', "", "[set]", "has no 'name'"),
    ('labels = ["entailment", "neutral"]\n', "", "[set]", "has no 'labels'"),
    ('name = "pets"', 'name = " "', "name =", "name is ' '"),
    ("version = 3", 'version = 3\ntwins = "no"', "twins =", "twins is 'no'"),
    ('["entailment", "neutral"]', '["neutral", "neutral"]', "labels =", "labels is .*distinct"),
    ("version = 3", 'version = "3"', "version =|[set]", "version is '3'"),
    ("version = 3", 'version = 3\ntext = "loud"', "text =|[set]", "text .*'loud'"),
    ("version = 3", 'version = 3\ndraw = "blind"', "draw =|[set]", "draw .*'blind'"),
    ('["entailment", "neutral"]', '["entailment", "maybe"]', "labels =|[set]", "label .*'maybe'"),
    ('["entailment", "neutral"]', '"entailment"', "labels =|[set]", "label"),
    ('["entailment", "neutral"]', "5", "labels =|[set]", "label"),
    ('V = "saw heard"', 'V = ""', "V =", r"\bV is empty"),
    ('V = "saw heard"', "V = []", "V =", r"\bV is empty"),
    ('V = "saw heard"', "V = [1, 2]", "V =", r"\bV .*strings"),
    ('V = "saw heard"', 'V = "saw heard saw"', "V =", r"\bV .*'saw'"),
    ('words = "dog cat bird"', 'words = "dog cat dog"', "SG =", r"\bSG .*'dog'"),
    ('tag = "NN", words = "dog', 'tags = "NN", words = "dog', "SG =", "'tags'"),
    ('tag = "NN", words = "dog', 'tag = 5, words = "dog', "SG =", "tag"),
    ('["corn", "ice cream"]', '["corn", "corn"]', "[words.FOOD]", r"\bFOOD .*'corn'"),
    ('lemma = "SG"', 'lemma = "XX"', "PL =", "word list .*'XX'"),
    ('lemma = "SG"', 'lemma = ["dog"]', "PL =", "1 lemmas"),
    ('lemma = "SG"', "lemma = 5", "PL =", "lemma"),
    ('join = ["SG", "PL"]', 'join = ["SG", "XX"]', "N = {", "word list .*'XX'"),
    ('join = ["SG", "PL"]', 'join = "SG"', "N = {", "join"),
    ('join = ["SG", "PL"]', "join = []", "N = {", "join is \\[\\]"),
    ('join = ["SG", "PL"]', 'join = ["SG"], tag = "NN"', "N = {", "'tag'"),
    ('["corn", "ice cream"]', '["corn", "(PP (IN near) *)"]', "[words.FOOD]", r"\bFOOD .*with \*"),
    ('V = "saw heard"', 'V2 = "saw heard"', "V2 =", "'V2' .*word list"),
    ("weight = 2", 'weight = "two"', "object =|[phrases.VP]", "'two' .*'1/6'"),
    ("weight = 2", "weight = -2", "object =|[phrases.VP]", "weight -2 "),
    ("weight = 2", "weight = nan", "object =|[phrases.VP]", "nan .*'1/6'"),
    ("weight = 2", "heft = 2", "object =|[phrases.VP]", "'heft'"),
    (', tree = "(VP (VBD {V}) <the N>)"', "", "object =|[phrases.VP]", "has no 'tree'"),
    ('weight = "1/6"', 'weight = "1/0"', 'name = "ate"', "'1/0' .*'1/6'"),
    ('"(NP (DT the) {n})"', "7", '"the n" =', "the n is 7"),
    ('"(NP (DT the) {n})"', '"(NP (DT the)"', '"the n" =', r"closing '\)'"),
    ('tree = "(VP (VBD slept))"', 'tree = "(VP slept))"', "plain =", r"unmatched '\)'"),
    ('plain = { weight = 1, tree = "(VP (VBD slept))" }', "plain = 7", "plain =|[phrases.VP]", "plain"),
    ('"the n" =', '"" = "(X y)"\n"the n" =', '"" =', "'' .*phrase"),
    ('"the n" =', '"the2 n" =', '"the2 n" =', "'the2 n' .*phrase"),
    ('"svo x v y"', '"svo x v x"', '"svo x v x"', "'svo x v x'"),
    ('"the n" =', '"the m k" = "(X y)"\n"the n" =', '"the n" =', "'the n'"),
    ('premise = "<svo N1 V1 N2>", ', "", 'name = "both"', "has no 'premise'"),
    (', hypothesis = "It rained."', "", 'name = "fed"', "has no 'hypothesis'"),
    ('"It rained."', '""', 'name = "fed"', "hypothesis"),
    ('premise = "<svo N1 V1 N2>"', 'premise = "  "', 'name = "both"', "premise"),
    ('name = "fed"', 'name = "both"', "The {SG1} fed", "templates .*'both'"),
    ('label = "neutral"\nkind', 'label = "maybe"\nkind', 'label = "maybe"', "'maybe'"),
    ('label = "neutral"\nkind', "kind", 'name = "both"', "label"),
    ('label = "neutral", premise', 'label = "maybe", premise', "The {SG1} fed", "'maybe'"),
    ('trigger = "{V1}"', 'trigger = "{V9}"', 'name = "both"', "trigger .*{V9}"),
    ('trigger = "{V1}"', 'trigger = "{V1"', 'name = "both"', "bracket"),
    ('trigger = "{V1}"', "trigger = 5", 'name = "both"', "trigger = 5 .*tag"),
    ('kind = "order"', "kind = 5", "kind = 5", "kind = 5 .*tag"),
    ('trigger = "{V1}"', 'rank = "x"', 'name = "both"', "rank = 'x' .*tag"),
    ('trigger = "{V1}"', 'subcase = "x"', 'name = "both"', "subcase = 'x' .*tag"),
    ('trigger = "{V1}"', 'premise_parse = "x"', 'name = "both"', "premise_parse = 'x' .*tag"),
    ('"<svo N1 V1 N2>"', '"<svo N1 W1 N2>"', 'name = "both"', "word list .*'W'"),
    ('"<svo N1 V1 N2>"', '"<sov N1 V1 N2>"', 'name = "both"', "phrase .*'sov'"),
    ('"<svo N1 V1 N2>"', '"<svo N1 V1>"', 'name = "both"', r"\b3 names.* 2\b.*<svo "),
    ('"<svo N1 V1 N2>"', '"<svo N1 V1 N2"', 'name = "both"', "ends inside"),
    ('"<svo N1 V1 N2>"', '"(S (NN dog) *)"', 'name = "both"', r"A \* "),
    ('"<svo N1 V1 N2>"', '"(S {N1 (DT a)})"', 'name = "both"', r"\{N1\} .*tree"),
    ('"The {SG1} fed the {SG2}."', '"The {SG1 fed the {SG2}."', 'name = "fed"', "bracket"),
    ('"(NP (DT the) {n})"', '"(NP <the n>)"', 'name = "both"', r"\b100 levels"),
    ('tree = "(VP (VBD slept))"', 'tree = "(VP <VP>)"', "<VP1>", r"\b100 levels"),
    ('words = "dog cat bird"', 'words = "dog"', "PL =", "lemmas"),
    ('name = "swap"\n', "", "[[subcase]]", "has no 'name'"),
    ('kind = "order"', 'size = "9"', 'size = "9"', "size is '9'"),
    ('kind = "order"', "size = 0", "size = 0", "size is 0"),
    ('trigger = "{V1}"', 'size = "9"', 'name = "both"', "size = '9' .*tag"),
    ('trigger = "{V1}"', 'hypotheses = { a = "x" }', 'name = "both"', r"\bhypothesis .*\bhypotheses\b"),
    ('hypothesis = "It rained."', "hypotheses = 5", 'name = "fed"', "hypotheses is 5"),
    ('hypothesis = "It rained."', "hypotheses = {}", 'name = "fed"', r"hypotheses is \{\}"),
    ('hypothesis = "It rained."', "hypotheses = { a = 5 }", 'name = "fed"', "a is 5"),
    ('hypothesis = "It rained."', "hypotheses = { a = {} }", 'name = "fed"', r"\ba .*\bfed .*'hypothesis'"),
    (
        'hypothesis = "It rained."',
        'hypotheses = { a = { hypothesis = "It rained.", weight = 2 } }',
        'name = "fed"',
        r"\bweight .*\bfed\b",
    ),
    (
        'hypothesis = "It rained."',
        'hypotheses = { a = "It {X1}." }',
        'name = "fed"',
        "word list .*'X'",
    ),
    ('name = "fed"', 'name = "fed", with = { Q = "SGG" }', "SGG", "word list or phrase .*'SGG'"),
]


@pytest.mark.parametrize(("old", "new", "at", "what"), BAD, ids=[f"{row[2]}: {row[3]}" for row in BAD])
def test_every_error_names_the_file_and_the_line(old: str, new: str, at: str, what: str) -> None:
    text = changed(old, new)
    message = get_error_message(text)
    assert re.search(what, message), message
    assert parse_line(message) in {line_of(text, part) for part in at.split("|")}, message
    assert message.count(PLACE) == 1, message


BAD_MODES = [
    ("[modes.odd.set]", "[modes.odd.sets]", "[modes.odd.sets]", "'sets'"),
    ('text = "tokenised"', 'texts = "tokenised"', "texts =", "'texts'"),
    ("ate = 0", "none = 0", "none = 0", "'none'"),
    ('"It snowed."', '"It snowed."\nname = "x"', 'name = "x"', "name = 'x' .*tag"),
    ("[modes.odd.weights]", "[modes.odd]\nweights = 5\n[modes.odd.rest]", "[modes.odd.rest]", "'rest'"),
    ("ate = 0", "ate = 'x'", "ate = 'x'", "'x' .*'1/6'"),
    ("templates.fed]", "templates.none]", "templates.none]", "'none'"),
    ('V = "smelled"', 'V = ""', 'V = ""', r"\bV is empty"),
    ('"It snowed."', '"It {SNOW1}."', '"It {SNOW1}."', "word list .*'SNOW'"),
]


@pytest.mark.parametrize(("old", "new", "at", "what"), BAD_MODES, ids=[row[3] for row in BAD_MODES])
def test_every_error_in_a_mode_names_the_file_and_the_line(old: str, new: str, at: str, what: str) -> None:
    text = changed(old, new)
    message = get_error_message(text, "odd")
    assert re.search(what, message), message
    assert parse_line(message) in {line_of(text, part) for part in at.split("|")}, message
    assert message.count(PLACE) == 1, message


def test_an_unknown_mode_is_refused_with_the_known_modes() -> None:
    with pytest.raises(UnknownNameError, match=f"{PLACE} .*'even'.*odd"):
        read_document(GOOD, PLACE, "even")


def test_a_mode_of_a_set_without_modes_is_refused() -> None:
    with pytest.raises(InputError, match=f"{PLACE} .*'odd'.*option mode"):
        read_document(GOOD[: GOOD.index("[modes")], PLACE, "odd")


def test_a_mode_may_give_a_phrase_other_parameters() -> None:
    text = changed('"the n" = "(NP (DT a) {n})"', '"the m" = "(NP (DT a) {m})"')
    assert read_document(text, PLACE, "odd").phrases["the"].parameters == ("m",)


def test_templates_as_tables_of_their_own_name_the_line_of_each_key() -> None:
    table = '[[subcase.templates]]\nname = "sat"\npremise = "A {SG1} sat."\nhypothesis = "It {X1}."\n'
    text = changed("[modes.odd.set]", f'[[subcase]]\nname = "sit"\nlabel = "neutral"\n{table}[modes.odd.set]')
    assert get_error_message(text).startswith(f"{PLACE}, line {line_of(text, 'It {X1}')}: ")
    found = read_document(text, PLACE).templates[-1]
    assert (found.name, found.line) == ("sat", line_of(text, "[[subcase.templates]]"))


def test_a_phrase_without_alternatives_is_refused() -> None:
    text = re.sub(r"plain = .*\nobject = .*\n", "", GOOD)
    message = get_error_message(text)
    assert f"line {line_of(text, '[phrases.VP]')}" in message or f"line {line_of(text, '<VP1>')}" in message
    assert "VP" in message


def test_alternatives_without_weight_are_refused() -> None:
    text = changed("weight = 1,", "weight = 0,").replace("weight = 2,", "weight = 0,")
    message = get_error_message(text)
    assert message.startswith(f"{PLACE}, line ")
    assert "VP" in message


@pytest.mark.parametrize("templates", ["", "templates = []\n", 'templates = "x"\n', "templates = [7]\n"])
def test_a_subcase_without_templates_is_refused(templates: str) -> None:
    text = re.sub(r"templates = \[\n.*\n.*\n\]\n", templates, GOOD, count=1)
    message = get_error_message(text)
    assert message.startswith(f"{PLACE}, line ")
    assert "swap" in message


def test_a_file_without_subcases_is_refused() -> None:
    text = GOOD[: GOOD.index("[[subcase]]")]
    assert re.match(rf"{PLACE}: .*\[\[subcase\]\]", get_error_message(text))
    assert get_error_message("").startswith(PLACE)


def test_invalid_toml_is_refused_with_its_line() -> None:
    text = changed("[phrases.VP]", "[phrases.VP")
    message = get_error_message(text)
    assert re.match(rf"{PLACE}, line {line_of(text, '[phrases.VP')}: .* Expected '\]'", message)
    assert get_error_message(GOOD + "\nlast = [1,\n\n").startswith(
        f"{PLACE}, line {GOOD.count(chr(10)) + 2}: "
    )


def test_a_template_with_the_name_of_a_sub_variant_is_refused() -> None:
    text = changed('name = "fed"', 'name = "swap-2.plain"')
    message = get_error_message(text)
    assert message.startswith(f"{PLACE}, line {line_of(text, 'swap-2.plain')}: ")
    assert re.search(rf"\bswap-2 in line {line_of(text, '<VP1>')}\b", message)


def test_lists_too_short_for_distinct_words_are_refused() -> None:
    text = changed("The {SG1} fed the {SG2}.", "{SG1} {SG2} {SG3} {SG4}.")
    message = get_error_message(text)
    assert message.startswith(f"{PLACE}, line {line_of(text, 'fed')}: ")
    assert "fed" in message


def test_missing_files_and_files_that_are_not_utf_8_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "latin.toml"
    path.write_bytes(GOOD.replace("dogs cats", "dogs caf\u00e9s").encode("latin-1"))
    line = line_of(GOOD, "dogs cats")
    with pytest.raises(InputError, match=rf"latin\.toml, line {line}: .*0xe9 .*UTF-8"):
        load_grammar(path)
    with pytest.raises(InputError, match=r"none\.toml .*No such file"):
        load_grammar(tmp_path / "none.toml")
    with pytest.raises(InputError, match=re.escape(str(tmp_path))):
        load_grammar(tmp_path)


def test_a_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "marked.toml"
    path.write_text(GOOD, encoding="utf-8-sig")
    assert load_grammar(path).document.name == "pets"


def test_windows_line_ends_do_not_move_the_lines(tmp_path: Path) -> None:
    path = tmp_path / "windows.toml"
    path.write_bytes(GOOD.replace("\n", "\r\n").encode())
    lines = [variant.source.template.line for variant in load_grammar(path).variants]
    assert lines == [variant.source.template.line for variant in read_grammar(GOOD).variants]
