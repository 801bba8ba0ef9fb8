"""The text form of trees with slots: every kind of item, glue, and brackets that don't fit."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rightreasons.core.errors import InputError
from rightreasons.templates.notation import (
    MOST_LEVELS,
    Branch,
    Call,
    FixedWord,
    Hole,
    Item,
    Slot,
    get_base_name,
    read_items,
    read_plain_text,
    read_sentence,
)

NAMES = st.sampled_from(["N1", "N2", "VP1", "PREP", "x"])
LABELS = st.sampled_from(["S", "NP", "VBD", ".", ","])
TEXTS = st.sampled_from(["the", "dog", ".", "ice cream", "n't", "été"])
LEAVES = st.one_of(
    st.builds(FixedWord, TEXTS, LABELS),
    st.builds(Slot, NAMES, st.none() | LABELS),
    st.builds(Call, NAMES, st.lists(NAMES, max_size=3).map(tuple)),
    st.just(Hole()),
)
BARE = st.builds(FixedWord, st.sampled_from(["the", "dog", "-"]), st.none())


def over(inner: st.SearchStrategy[Item]) -> st.SearchStrategy[Item]:
    """Put a label or a wrapping slot over items, the first of which is no bare word."""
    rows = st.tuples(inner, st.lists(inner | BARE, max_size=3)).map(lambda row: (row[0], *row[1]))
    return st.builds(Branch, LABELS, rows) | st.builds(Slot, NAMES, st.none() | LABELS, rows)


ITEMS = st.recursive(LEAVES, over, max_leaves=12)


def render_item(item: Item) -> str:
    match item:
        case Branch(label, children):
            return f"({label} {' '.join(map(render_item, children))})"
        case FixedWord(text, tag):
            return text if tag is None else f"({tag} {text})"
        case Slot(name, tag, inner):
            return "{" + " ".join([name + (f"/{tag}" if tag else ""), *map(render_item, inner)]) + "}"
        case Call(name, arguments):
            return f"<{' '.join([name, *arguments])}>"
        case _:
            return "*"


@settings(deadline=None)
@given(st.lists(ITEMS, max_size=4))
def test_rendered_items_are_parsed_again(items: list[Item]) -> None:
    assert read_items(" ".join(map(render_item, items))) == tuple(items)


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("(NN dog)", FixedWord("dog", "NN")),
        ("(NN ice cream)", FixedWord("ice cream", "NN")),
        ("(. .)", FixedWord(".", ".")),
        ("{N1}", Slot("N1")),
        ("{N1/NN}", Slot("N1", "NN")),
        ("{PREP <the N2>}", Slot("PREP", None, (Call("the", ("N2",)),))),
        ("<VP1>", Call("VP1")),
        ("<the N1 T2>", Call("the", ("N1", "T2"))),
        ("(PP (IN in) *)", Branch("PP", (FixedWord("in", "IN"), Hole()))),
        (
            "(NP the (DT the) {N3})",
            Branch("NP", (FixedWord("the", None), FixedWord("the", "DT"), Slot("N3"))),
        ),
        ("(VBD {T1})", Branch("VBD", (Slot("T1"),))),
        ("(NP\n\t(DT the)(NN dog) )", Branch("NP", (FixedWord("the", "DT"), FixedWord("dog", "NN")))),
    ],
)
def test_every_kind_of_item(text: str, item: Item) -> None:
    assert read_items(text) == (item,)
    if not text.startswith("{"):  # a sentence that begins with a slot is plain text
        assert read_sentence(text) == (item,)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("(", "ends inside"),
        ("(NP", r"closing '\)'"),
        ("(NP (DT the)", r"closing '\)'"),
        (")", r"unmatched '\)'"),
        ("(NN dog))", r"unmatched '\)'"),
        ("(NP }", "unmatched '}'"),
        ("{N1", "closing '}'"),
        ("{}", "'}' .*slot"),
        ("{N1)", r"unmatched '\)'"),
        ("<", "ends inside"),
        ("<the N1", "ends inside"),
        ("<>", "'>' .*phrase"),
        ("<the {N1}>", r"'{' .*\bthe\b"),
        ("<the (N1)>", r"'\(' .*\bphrase the\b"),
        ("()", r"'\)' .*label"),
        ("((DT the))", r"'\(' .*label"),
        ("(NP)", r"empty .*\bNP\b"),
        ("(NP (DT the) (NN))", r"empty .*\bNN\b"),
    ],
)
def test_malformed_brackets_are_refused(text: str, what: str) -> None:
    with pytest.raises(InputError, match=what) as caught:
        read_items(text)
    assert repr(text) in str(caught.value)
    assert str(caught.value).endswith(" brackets.")


def test_plain_text_keeps_its_spacing() -> None:
    assert list(read_plain_text("The {N1}'s  dog, {N2/NN} un{ADJ}ly.")) == [
        FixedWord("The", None),
        Slot("N1"),
        FixedWord("'s", None, glued=True),
        FixedWord("dog,", None),
        Slot("N2", "NN"),
        FixedWord("un", None),
        Slot("ADJ", glued=True),
        FixedWord("ly.", None, glued=True),
    ]


def test_plain_text_keeps_the_spacing_of_phrases() -> None:
    assert list(read_plain_text('"<VP1>" <the N1>')) == [
        FixedWord('"', None),
        Call("VP1", glued=True),
        FixedWord('"', None, glued=True),
        Call("the", ("N1",)),
    ]


PIECES = st.lists(st.sampled_from(["the", "dog", "'s", ",", ".", "(so)", "{N1}", "{V2}", " ", "  "]))


@settings(deadline=None)
@given(PIECES.map("".join))
def test_plain_text_is_its_parts_joined_again(text: str) -> None:
    joined = ""
    for item in read_plain_text(text):
        assert isinstance(item, FixedWord | Slot)
        joined += ("" if item.glued or not joined else " ") + render_item(item)
    assert joined == " ".join(text.split())


@pytest.mark.parametrize(
    "text", ["The {N1", "The N1}", "The {N1} <VP1", "VP1> slept", "{", "The {{N1}", "The {} slept", "A <(x>."]
)
def test_plain_text_with_an_open_bracket_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="bracket") as caught:
        read_plain_text(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize(
    ("name", "base"), [("N1", "N"), ("N", "N"), ("VP12", "VP"), ("VP1.N2", "N"), ("RC1.VP2.T", "T")]
)
def test_the_list_of_a_slot(name: str, base: str) -> None:
    assert get_base_name(name) == base


def test_brackets_can_be_nested_up_to_a_limit() -> None:
    def nested(levels: int) -> str:
        return "(S " * levels + "{N1} a" + ")" * levels

    assert read_items(nested(MOST_LEVELS - 1))
    for levels in (MOST_LEVELS + 1, 100_000):
        with pytest.raises(InputError, match=rf"\b{MOST_LEVELS}\b") as caught:
            read_items(nested(levels))
        assert len(str(caught.value)) < 1_000
