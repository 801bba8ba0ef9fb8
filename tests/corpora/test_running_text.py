"""Running text: WikiText as it is published, and the texts of other corpora."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from rightreasons.core.errors import InputError
from rightreasons.corpora.running_text import TEXTS, WIKITEXT, read_running_text

if TYPE_CHECKING:
    from pathlib import Path

# As WikiText is: a blank line, headings between signs of equality, a paragraph a line, words between spaces.
ARTICLE = (
    " \n = A River = \n \n"
    " The river is 1 @,@ 200 km long . It has well @-@ kept banks ! Its <unk> rose by 2 @.@ 5 m . \n"
    " \n = = Course = = \n \n It ends in a lake . \n It ends in a lake . \n"
)


def test_paragraphs_of_wikitext_become_sentences(tmp_path: Path) -> None:
    (tmp_path / "wiki.train.tokens").write_text(ARTICLE, encoding="utf-8")
    found = read_running_text(str(tmp_path / "wiki.train.tokens"))
    assert (found.kind, found.tokenised) == (WIKITEXT, True)
    assert found.texts.to_list() == [
        "The river is 1 , 200 km long .",
        "It has well - kept banks !",
        "Its <unk> rose by 2 . 5 m .",
        "It ends in a lake .",
    ]


def test_a_closing_quote_stays_with_its_sentence(tmp_path: Path) -> None:
    (tmp_path / "wiki.raw").write_text(' " It flows . " He left . \n', encoding="utf-8")
    assert read_running_text(str(tmp_path / "wiki.raw")).texts.to_list() == ['" It flows . "', "He left ."]


def test_of_pairs_each_premise_is_taken_once(tmp_path: Path) -> None:
    table = pl.DataFrame(
        {
            "id": ["1", "2", "3"],
            "premise": ["It rained.", "It rained.", "He left."],
            "hypothesis": ["a", "b", "c"],
        }
    ).with_columns(label=pl.lit("neutral"))
    table.write_parquet(tmp_path / "pairs.parquet")
    found = read_running_text([str(tmp_path / "pairs.parquet")])
    assert (found.kind, found.tokenised) == (TEXTS, False)
    assert found.texts.to_list() == ["It rained.", "He left."]


def test_files_without_running_text_are_refused(tmp_path: Path) -> None:
    empty = tmp_path / "empty.tokens"
    empty.write_text(" \n = Title = \n", encoding="utf-8")
    with pytest.raises(InputError, match="no running text"):
        read_running_text(str(empty))
    with pytest.raises(InputError, match=r"nowhere\.tokens"):
        read_running_text(str(tmp_path / "nowhere.tokens"))
    with pytest.raises(InputError, match=r"empty\.tokens, pocket"):
        read_running_text([str(empty), "pocket"])
