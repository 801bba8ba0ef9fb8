"""Files of three columns without a header: premise, hypothesis and label."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rightreasons.core.errors import InputError
from rightreasons.corpora.corpus import read_corpus, read_damaged_corpus
from rightreasons.corpora.headerless_columns import HEADERLESS, HeaderlessColumns

if TYPE_CHECKING:
    from pathlib import Path

LINES = [
    "No one need sit up. \tSit up.\tcontradiction",
    "A dog ran home.\tA dog ran.\tentailment",
    "A cow slept.\tA cow ate.\tNeutral",
]


def test_the_first_line_is_a_pair(tmp_path: Path) -> None:
    file = tmp_path / "pairs"
    file.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    corpus = read_corpus([file])
    assert corpus.pairs.select("id", "premise", "hypothesis", "label").rows() == [
        ("ex0", "No one need sit up. ", "Sit up.", "contradiction"),
        ("ex1", "A dog ran home.", "A dog ran.", "entailment"),
        ("ex2", "A cow slept.", "A cow ate.", "neutral"),
    ]
    assert HEADERLESS in corpus.card.remarks


def test_quoted_fields_are_read(tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    file.write_text('"A dog, a cat",A dog,entailment\n"A ""cow""\nslept",It ate,neutral\n', encoding="utf-8")
    assert read_damaged_corpus(str(file)).pairs.select("premise", "label").rows() == [
        ("A dog, a cat", "entailment"),
        ('A "cow"\nslept', "neutral"),
    ]


def test_a_word_that_is_no_label_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "pairs"
    file.write_text("\n".join([*LINES, "A b.\tC d.\t-", "A b.\tC d.\tmaybe"]) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"line 5: .*'maybe'"):
        read_damaged_corpus(str(file))


@pytest.mark.parametrize(
    ("columns", "fits"),
    [
        (["No dog.", "A dog.", "contradiction"], True),
        (["No dog.", "A dog.", " Entailment"], True),
        (["a", "b", "c"], False),
        (["premise", "hypothesis", "label"], False),
        (["A dog.", "entailment"], False),
        (["1", "No dog.", "A dog.", "contradiction"], False),
    ],
)
def test_only_a_label_in_the_third_place_is_no_header(columns: list[str], *, fits: bool) -> None:
    assert HeaderlessColumns().fits(columns) is fits
