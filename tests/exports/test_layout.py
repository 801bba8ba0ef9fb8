"""The layout of exported files: parts, numbers for labels, names that tools take, and YAML for any text."""

from __future__ import annotations

import polars as pl
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from rightreasons.core.formatting import replace_unprintable
from rightreasons.core.labels import THREE_LABELS, TWO_LABELS
from rightreasons.core.pairs import Card, ChallengeSet
from rightreasons.exports.layout import (
    QUESTIONS,
    FunctionTag,
    Verbatim,
    choose_label_order,
    dump_yaml,
    lay_out_rows,
    make_identifiers,
)


def made(labels: list[str], **tags: list[str | None]) -> ChallengeSet:
    ids = [str(number) for number in range(len(labels))]
    pairs = pl.DataFrame({"id": ids, "premise": "p", "hypothesis": "h", "label": labels, **tags})
    return ChallengeSet(pairs, Card("mine", labels=tuple(dict.fromkeys(labels))))


def test_numbers_stand_for_labels_in_the_usual_order() -> None:
    several = made(["contradiction", "neutral", "entailment"])
    assert choose_label_order("mine", several) == THREE_LABELS
    assert lay_out_rows(several, THREE_LABELS)["label"].to_list() == [2, 1, 0]
    assert choose_label_order("mine", made(["non-entailment"])) == TWO_LABELS
    assert choose_label_order("mine", made(["neutral"])) == THREE_LABELS


def test_the_words_follow_the_labels() -> None:
    assert dict(zip(THREE_LABELS, QUESTIONS[THREE_LABELS][1], strict=True)) == {
        "entailment": "True",
        "neutral": "Neither",
        "contradiction": "False",
    }
    assert dict(zip(TWO_LABELS, QUESTIONS[TWO_LABELS][1], strict=True)) == {
        "entailment": "True",
        "non-entailment": "False",
    }


def test_parts_are_heuristics_and_labels() -> None:
    labels = ["entailment", "non-entailment"]
    assert lay_out_rows(made(labels), TWO_LABELS)["part"].to_list() == labels
    tagged = lay_out_rows(made(labels, heuristic=["overlap", None]), TWO_LABELS)
    assert tagged["part"].to_list() == ["overlap, entailment", "none, non-entailment"]
    assert tagged["tags"].to_list() == [{"heuristic": "overlap"}, {"heuristic": None}]


@settings(max_examples=50)
@given(st.lists(st.text(), unique=True))
def test_names_are_plain_and_different(names: list[str]) -> None:
    found = make_identifiers(names)
    assert len(set(found)) == len(names)
    assert all(name.isascii() and name.replace("_", "a").isalnum() for name in found)


SCALARS = (
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, min_size=1) | st.dictionaries(st.text(), inner, min_size=1)
)


def held(value: object) -> object:
    """Say what of a value YAML can hold: unprintable characters are replaced."""
    if isinstance(value, str):
        return replace_unprintable(value)
    if isinstance(value, list):
        return [held(one) for one in value]
    return (
        {replace_unprintable(key): held(one) for key, one in value.items()}
        if isinstance(value, dict)
        else value
    )


@settings(max_examples=50)
@given(VALUES.filter(lambda value: isinstance(value, dict | list)))
def test_what_is_written_is_read_back(value: object) -> None:
    if isinstance(value, dict) and len({replace_unprintable(key) for key in value}) < len(value):
        return
    assert yaml.safe_load(dump_yaml(value)) == held(value)


def test_it_is_pleasant_to_read() -> None:
    text = dump_yaml({"task": ["a", {"bc": 1, "0": "no"}], "no": None})
    assert text == 'task:\n  - "a"\n  - bc: 1\n    "0": "no"\n"no": null\n'


@given(st.text())
def test_texts_stay_texts_for_every_reader(text: str) -> None:
    """A word that YAML 1.1 or 1.2 reads as a number, a boolean, a date or nothing is quoted."""
    line = dump_yaml({"key": text})
    assert line.startswith('key: "') or text.replace("-", "_").isidentifier()


def test_line_breaks_and_functions() -> None:
    assert dump_yaml({"ask": Verbatim("a\nb"), "by": FunctionTag("some.thing")}) == (
        "ask: \"a\\nb\"\nby: !function 'some.thing'\n"
    )
