"""Names are found by lists and context; common words that look like names are left alone."""

from __future__ import annotations

import json
import string
from itertools import islice
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.language.name_clues import FILE, load_name_lists
from rightreasons.language.names import find_entities
from rightreasons.language.tokens import tokens

if TYPE_CHECKING:
    from pathlib import Path

GLUED = {".", ",", "!", "?", "'s", "\u2019s", ":", ";", ")", "%"}
TAGS = ["NNP", "NNPS", "NN", "VBD", "DT", "IN", "CC", "JJ", "MD", ".", ""]


def read(tagged: str) -> tuple[str, list[tuple[int, int, str]]]:
    """Make a text and its tokens of words like Tom/NNP."""
    text, tokens = "", []
    for part in tagged.split():
        word, _, tag = part.rpartition("/")
        text += "" if word in GLUED or not text else " "
        tokens.append((len(text), len(text) + len(word), tag))
        text += word
    return text, tokens


def names(tagged: str) -> list[tuple[str, str]]:
    text, tokens = read(tagged)
    return [(text[start:end], kind[0]) for start, end, kind in find_entities(text, tokens)]


@pytest.mark.parametrize(
    ("tagged", "expected"),
    [
        ("Natalia/NNP sold/VBD clips/NNS to/TO Ramesh/NNP ./.", [("Natalia", "P"), ("Ramesh", "P")]),
        ("Weng/NN earns/VBZ $/$ 12/CD ./.", [("Weng", "P")]),
        ("Then/RB Ana/NNP Maria/NNP de/IN Souza/NNP left/VBD ./.", [("Ana Maria de Souza", "P")]),
        ("John/NNP F./NNP Okafor/NNP left/VBD ./.", [("John F. Okafor", "P")]),
        ("Jean-Luc/NNP left/VBD ./.", [("Jean-Luc", "P")]),
        ("Mr./NNP Quibbleton/NNP left/VBD ./.", [("Quibbleton", "P")]),
        ("Coach/NN Ibarra/NNP left/VBD ./.", [("Ibarra", "P")]),
        ("Mr./NNP and/CC Mrs./NNP Stone/NNP left/VBD ./.", [("Stone", "P")]),
        ("the/DT Okonkwo/NNP family/NN left/VBD ./.", [("Okonkwo", "P")]),
        ("she/PRP saw/VBD Tom/NNP 's/POS car/NN ./.", [("Tom", "P")]),
    ],
)
def test_people(tagged: str, expected: list[tuple[str, str]]) -> None:
    assert names(tagged) == expected


@pytest.mark.parametrize(
    ("tagged", "expected"),
    [
        ("He/PRP lives/VBZ in/IN New/NNP York/NNP City/NNP ./.", [("New York City", "L")]),
        ("A/DT shop/NN in/IN Rio/NNP de/NNP Janeiro/NNP closed/VBD ./.", [("Rio de Janeiro", "L")]),
        ("Peru/NNP has/VBZ rivers/NNS ./.", [("Peru", "L")]),
        ("The/DT shop/NN on/IN Elm/NNP Street/NNP closed/VBD ./.", [("Elm Street", "L")]),
        ("We/PRP swam/VBD in/IN Lake/NNP Wobble/NNP ./.", [("Lake Wobble", "L")]),
        ("The/DT train/NN to/TO St./NNP Albury/NNP stopped/VBD ./.", [("St. Albury", "L")]),
        ("We/PRP rowed/VBD down/IN the/DT Thames/NNP ./.", [("Thames", "L")]),
        ("They/PRP live/VBP in/IN Turkey/NNP ./.", [("Turkey", "L")]),
        ("They/PRP live/VBP in/IN Jordan/NNP ./.", [("Jordan", "L")]),
    ],
)
def test_places(tagged: str, expected: list[tuple[str, str]]) -> None:
    assert names(tagged) == expected


@pytest.mark.parametrize(
    ("tagged", "expected"),
    [
        ("Helix/NNP Corp./NNP grew/VBD ./.", [("Helix Corp.", "O")]),
        ("a/DT class/NN of/IN Arden/NNP University/NNP left/VBD ./.", [("Arden University", "O")]),
        ("the/DT Bank/NNP of/IN Ghana/NNP paid/VBD ./.", [("Bank of Ghana", "O")]),
        ("she/PRP ate/VBD at/IN Tom/NNP 's/POS Diner/NNP ./.", [("Tom's Diner", "O")]),
        ("the/DT Hotel/NNP Aurora/NNP closed/VBD ./.", [("Hotel Aurora", "O")]),
        ("NASA/NNP sent/VBD it/PRP ./.", [("NASA", "O")]),
        ("the/DT Red/NNP Cross/NNP came/VBD ./.", [("Red Cross", "O")]),
        ("He/PRP played/VBD for/IN the/DT Falcons/NNPS ./.", [("Falcons", "O")]),
        ("He/PRP bought/VBD it/PRP at/IN Target/NNP ./.", [("Target", "O")]),
    ],
)
def test_organisations(tagged: str, expected: list[tuple[str, str]]) -> None:
    assert names(tagged) == expected


@pytest.mark.parametrize(
    ("tagged", "expected"),
    [
        ("Will/NNP bought/VBD it/PRP ./.", ["Will"]),
        ("Will/MD it/PRP rain/VB ?/.", []),
        ("Mark/VB the/DT place/NN ./.", []),
        ("Rose/NNP also/RB sang/VBD ./.", ["Rose"]),
        ("Rose/NN petals/NNS fell/VBD ./.", []),
        ("Grace/NNP and/CC Tom/NNP sang/VBD ./.", ["Grace", "Tom"]),
        ("Mark/NNP and/CC his/PRP$ sister/NN sang/VBD ./.", ["Mark"]),
        ("Jack/NNP ,/, who/WP sang/VBD ,/, left/VBD ./.", ["Jack"]),
        ("Bill/NNP Okafor/NNP sang/VBD ./.", ["Bill Okafor"]),
        ("Aunt/NNP May/NNP sang/VBD ./.", ["May"]),
        ("They/PRP left/VBD in/IN May/NNP ./.", []),
        ("In/IN June/NNP she/PRP left/VBD ./.", []),
        ("June/NNP left/VBD ./.", ["June"]),
        ("Turkey/NN costs/VBZ less/JJR ./.", []),
        ("It/PRP was/VBD Green/NNP ./.", []),
        ("On/IN Monday/NNP we/PRP left/VBD ./.", []),
        ("a/DT High/NNP School/NNP closed/VBD ./.", []),
        ("on/IN St./NNP Patrick/NNP 's/POS Day/NNP ./.", []),
        ("The/DT Bread/NNP was/VBD old/JJ ./.", []),
        ("an/DT English/JJ book/NN ./.", []),
        ("I/PRP left/VBD ./.", []),
        ("the/DT General/NNP Fund/NNP paid/VBD ./.", []),
        ("General/NNP Okafor/NNP paid/VBD ./.", ["Okafor"]),
        ("a/DT Long-Term/NNP plan/NN ./.", []),
        ("for/IN Raj-lovers/NNS only/RB ./.", []),
        ("my/PRP$ target/NN was/VBD the/DT tigers/NNS ./.", []),
    ],
)
def test_common_words_need_a_reason(tagged: str, expected: list[str]) -> None:
    assert [name for name, _ in names(tagged)] == expected


def test_the_lists_are_as_large_as_promised_and_name_nothing_twice() -> None:
    lists = load_name_lists()
    assert len(lists.given) >= 2000
    assert len(lists.surnames) >= 300
    assert len(lists.places) >= 700
    written = FILE.read_text(encoding="utf-8")
    for section in written.split("\n[")[1:]:
        words = [word for line in section.splitlines()[1:] if line[:1] != "#" for word in line.split()]
        assert len(words) == len(set(words)), section[:20]


def test_every_common_word_is_on_another_list_too() -> None:
    lists = load_name_lists()
    names_and_titles = lists.given | lists.surnames | lists.places | lists.organisations | lists.titles
    assert lists.common <= names_and_titles


WORDS = st.sampled_from(
    [
        *sorted(load_name_lists().common)[:40],
        "Tom",
        "Mr.",
        "Bank",
        "of",
        "the",
        "Lake",
        "New",
        "York",
        "'s",
        ".",
    ]
)
LETTERS = st.text(string.printable + "\u00e9\u05d0\U0001f600", min_size=1, max_size=5)


@given(
    st.lists(st.tuples(WORDS | LETTERS, st.sampled_from(TAGS), st.sampled_from(["", " ", "\n"])), max_size=12)
)
def test_names_are_apart_within_the_text_and_begin_and_end_with_tokens(
    parts: list[tuple[str, str, str]],
) -> None:
    text, tokens = "", []
    for word, tag, gap in parts:
        tokens.append((len(text), len(text) + len(word), tag))
        text += word + gap
    last = 0
    for start, end, kind in find_entities(text, tokens):
        assert last <= start < end
        assert kind in {"PERSON", "LOCATION", "ORGANIZATION"}
        assert start in {token[0] for token in tokens}
        assert end in {token[1] for token in tokens}
        last = end


def tagged_by_the_tagger(texts: list[str]) -> list[list[tuple[int, int, str]]]:
    found: list[list[tuple[int, int, str]]] = [[] for _ in texts]
    for row, start, end, tag in tokens(pl.Series(texts)).select("row", "start", "end", "tag").iter_rows():
        found[row].append((start, end, tag))
    return found


def test_the_pocket_sentences_have_names_but_for_a_few() -> None:
    folder = FILE.parents[1] / "pocket"
    texts = [
        json.loads(line)["text"] for line in (folder / "quantities.jsonl").read_text("utf-8").splitlines()
    ]
    found = [find_entities(*pair) for pair in zip(texts, tagged_by_the_tagger(texts), strict=True)]
    assert sum(map(bool, found)) >= 117


def test_names_in_word_problems(shared_data: Path) -> None:
    # Read and judged one by one: 213 found, 1 of them wrong (a brand), 2 missed. A rule that finds much more or
    # much less than that has changed for the worse.
    with (shared_data / "wordproblems" / "gsm8k_train.jsonl").open(encoding="utf-8") as file:
        texts = [json.loads(line)["question"] for line in islice(file, 100)]
    found = [find_entities(*pair) for pair in zip(texts, tagged_by_the_tagger(texts), strict=True)]
    assert 209 <= sum(map(len, found)) <= 215
    assert 84 <= sum(map(bool, found)) <= 85, "85 of the 100 have a name"
