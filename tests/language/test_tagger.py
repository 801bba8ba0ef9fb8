"""The tagger agrees with the Stanford tags of texts that it never saw, however its texts are batched."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.language import tagger as module
from rightreasons.language import tagger_features, tagger_weights
from rightreasons.language.parse_alignment import TAGS, align_parse
from rightreasons.language.tagger import Tagger, load_default_tagger

if TYPE_CHECKING:
    from pathlib import Path

TESTED = ("snli/test_hard.jsonl", "parsed/mnli_dev_matched_1000.tsv", "parsed/mnli_dev_mismatched_1000.tsv")


def tagged(text: str) -> str:
    return " ".join(next(load_default_tagger().tag([text.split()])))


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("The old man walks two small dogs .", "DT JJ NN VBZ CD JJ NNS ."),
        ("The old man walks two small dogs", "DT JJ NN VBZ CD JJ NNS"),
        ("the old man walks two small dogs", "DT JJ NN VBZ CD JJ NNS"),
        ("Dogs do n't like cats .", "NNS VBP RB VB NNS ."),
        ("Mary 's brother lives in Paris .", "NNP POS NN VBZ IN NNP ."),
        ("They will plan a big party", "PRP MD VB DT JJ NN"),
    ],
)
def test_plain_sentences_get_their_tags(text: str, tags: str) -> None:
    assert tagged(text) == tags


def the_texts(path: Path) -> list[tuple[list[str], list[str]]]:
    if path.suffix == ".jsonl":
        table = pl.read_ndjson(path)
    else:
        table = pl.read_csv(path, separator="\t", quote_char=None, infer_schema=False)
    sides = [table.select(f"sentence{side}", f"sentence{side}_parse").rows() for side in (1, 2)]
    found = [(text, align_parse(text, parse)) for text, parse in dict.fromkeys(chain(*sides))]
    return [([text[a:b] for a, b in places[0]], places[1]) for text, places in found if places]


def agreement(texts: list[tuple[list[str], list[str]]]) -> float:
    ours = list(chain.from_iterable(load_default_tagger().tag([words for words, _ in texts])))
    theirs = list(chain.from_iterable(tags for _, tags in texts))
    return float(np.mean(np.array(ours) == np.array(theirs)))


@pytest.mark.parametrize("name", TESTED)
def test_it_agrees_with_the_stanford_tags_of_texts_it_never_saw(shared_data: Path, name: str) -> None:
    texts = the_texts(shared_data / name)
    assert agreement(texts) >= 0.95
    assert agreement([(words[:-1], tags[:-1]) for words, tags in texts if words[-1] == "."]) >= 0.95


@pytest.mark.parametrize(("name", "least"), list(zip(TESTED, (0.97, 0.91, 0.91), strict=True)))
def test_small_letters_cost_little_but_names(shared_data: Path, name: str, least: float) -> None:
    texts = the_texts(shared_data / name)
    assert agreement([([word.lower() for word in words], tags) for words, tags in texts]) >= least


WORDS = st.lists(st.text(alphabet="aDg'-5.\u05d0\U0001f600", min_size=1), max_size=6)


@given(st.lists(WORDS, max_size=8))
def test_a_text_gets_the_same_tags_alone_and_in_company(texts: list[list[str]]) -> None:
    together = list(load_default_tagger().tag(texts))
    assert together == [next(load_default_tagger().tag([words])) for words in texts]
    assert [len(tags) for tags in together] == [len(words) for words in texts]
    assert {tag for tags in together for tag in tags} <= TAGS


def test_forgetting_words_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [
        f"The {word} ran to Number{number} .".split() for number, word in enumerate(["dog", "cat", "fox"] * 9)
    ]
    expected = list(load_default_tagger().tag(texts))
    monkeypatch.setattr(module, "_MOST", 3)
    monkeypatch.setattr(module, "_BATCH", 2)
    assert list(Tagger(tagger_weights.load_weights()).tag(texts)) == expected


def test_words_known_well_take_no_other_tags() -> None:
    learnt = tagger_weights.load_weights()
    only = {word: learnt.tags[tags[0]] for word, tags in learnt.allowed.items() if len(tags) == 1}
    assert len(only) > 500
    words = sorted(only)[::7]
    assert list(load_default_tagger().tag([[word] for word in words])) == [[only[word]] for word in words]


@given(st.lists(st.integers(-tagger_weights.MOST, tagger_weights.MOST)))
def test_packed_numbers_come_back(numbers: list[int]) -> None:
    assert (
        tagger_weights.unpack_numbers(tagger_weights.pack_numbers(np.array(numbers, dtype=np.int64))).tolist()
        == numbers
    )


def test_capitals_that_are_due_to_their_place_are_marked() -> None:
    marked = tagger_features.mark_leading_words(["The", "Dog", "ran", ".", "Then", '"', "Go", '"'])
    assert [word for word in marked if word.startswith(tagger_features.MARK)] == ["\nThe", "\nThen", "\nGo"]


def test_the_file_is_small() -> None:
    from importlib.resources import files

    assert (
        len(files("rightreasons").joinpath("data", "language", tagger_weights.NAME).read_bytes()) < 3_000_000
    )
