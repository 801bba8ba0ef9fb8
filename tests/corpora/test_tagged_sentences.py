"""Tagged sentences: both forms of CCGbank, and the parses of a corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from rightreasons.core.errors import InputError
from rightreasons.corpora.tagged_sentences import PARTS, SUPERTAGS, read_tagged_sentences

if TYPE_CHECKING:
    from pathlib import Path

# A derivation as CCGbank writes it: inner nodes <T ...>, leaves <L category tag tag word category>.
CATS = (
    "ID=wsj_0099.1 PARSER=GOLD NUMPARSE=1\n"
    "(<T S[dcl] 0 2> (<T S[dcl] 1 2> (<T NP 0 1> (<L N NNS NNS Cats N>) ) "
    "(<L S[dcl]\\NP VBP VBP sleep S[dcl]\\NP_1>) ) (<L . . . . .>) )\n"
)
DOGS = (
    "ID=wsj_0099.2 PARSER=GOLD NUMPARSE=1\n"
    "(<T S[dcl] 1 2> (<T NP 0 1> (<L N -LRB- -LRB- -LRB- N>) ) (<L S[dcl]\\NP VBP VBP either\\/or S[dcl]\\NP_1>) )\n"
)


def test_derivations_of_ccgbank_give_supertags(tmp_path: Path) -> None:
    (tmp_path / "wsj_0099.auto").write_text(CATS + DOGS, encoding="utf-8")
    found = read_tagged_sentences(str(tmp_path / "wsj_0099.auto"))
    assert found.kind == SUPERTAGS
    assert found.table["words"].to_list() == [["Cats", "sleep", "."], ["(", "either/or"]]
    assert found.table["tags"].to_list() == [["N", "S[dcl]\\NP", "."], ["N", "S[dcl]\\NP"]]


def test_a_folder_of_derivations_is_read_in_the_order_of_names(tmp_path: Path) -> None:
    (tmp_path / "01").mkdir()
    (tmp_path / "00").mkdir()
    (tmp_path / "01" / "wsj_0101.auto").write_text(CATS, encoding="utf-8")
    (tmp_path / "00" / "wsj_0001.auto").write_text(DOGS + CATS, encoding="utf-8")
    assert [words[0] for words in read_tagged_sentences(str(tmp_path)).table["words"]] == ["(", "Cats"]


def test_lines_of_words_with_bars(tmp_path: Path) -> None:
    file = tmp_path / "wsj02-21.stagged"
    file.write_text(
        "Cats|NNS|N sleep|VBP|S[dcl]\\NP .|.|.\n\na|b|NN|N runs|VBZ|S[dcl]\\NP\n", encoding="utf-8"
    )
    found = read_tagged_sentences([str(file)])
    assert found.kind == SUPERTAGS
    assert found.table["words"].to_list() == [["Cats", "sleep", "."], ["a|b", "runs"]]
    assert found.table["tags"].to_list() == [["N", "S[dcl]\\NP", "."], ["N", "S[dcl]\\NP"]]


def pairs(path: Path, *, parses: bool) -> str:
    table = pl.DataFrame(
        {"id": ["1", "2"], "premise": ["The judge (slept).", "No."], "hypothesis": ["He slept.", "No."]}
    ).with_columns(label=pl.lit("neutral"))
    if parses:
        table = table.with_columns(
            premise_parse=pl.Series(
                [
                    "(ROOT (S (NP (DT The) (NN judge)) (VP (-LRB- -LRB-) (VBD slept) (-RRB- -RRB-)) (. .)))",
                    "(ROOT (INTJ (UH No) (. .)))",
                ]
            ),
            hypothesis_parse=pl.Series(["(ROOT (S (NP (PRP He)) (VP (VBD slept)) (. .)))", None]),
        )
    table.write_parquet(path)
    return str(path)


def test_parses_give_parts_of_speech(tmp_path: Path) -> None:
    found = read_tagged_sentences(pairs(tmp_path / "pairs.parquet", parses=True))
    assert found.kind == PARTS
    assert found.table["words"].to_list() == [
        ["The", "judge", "(", "slept", ")", "."],
        ["No", "."],
        ["He", "slept", "."],
    ]
    assert found.table["tags"].to_list()[0] == ["DT", "NN", "-LRB-", "VBD", "-RRB-", "."]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CATS + CATS.replace("sleep S[dcl]\\NP_1", "sleep"), "Line 4 .* derivation"),
        (CATS + "ID=wsj_0099.2 PARSER=GOLD NUMPARSE=1\n(<T S[dcl] 0 2> (<L N NNS NNS Cats N>)\n", "Line 4 "),
        ("Cats|NNS|N sleep|VBP|V\nDogs|NNS bark|VBP|V\n", "Line 2 .* word|tag|supertag"),
    ],
    ids=["leaf", "bracket", "bars"],
)
def test_malformed_sentences_are_refused_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "bad.auto").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_tagged_sentences(str(tmp_path / "bad.auto"))


def test_files_without_tags_are_refused(tmp_path: Path) -> None:
    plain = pairs(tmp_path / "pairs.parquet", parses=False)
    with pytest.raises(InputError, match="no tags"):
        read_tagged_sentences(plain)
    with pytest.raises(InputError, match=r"no \.auto files"):
        read_tagged_sentences(str(tmp_path))
    (tmp_path / "one.auto").write_text(CATS, encoding="utf-8")
    with pytest.raises(InputError, match=r"one\.auto .*tags"):
        read_tagged_sentences([str(tmp_path / "one.auto"), pairs(tmp_path / "parsed.parquet", parses=True)])


def test_every_word_of_a_real_corpus_has_a_tag(shared_data: Path) -> None:
    table = read_tagged_sentences(str(shared_data / "parsed" / "mnli_dev_matched_1000.tsv")).table
    assert table.height > 1_500
    assert (table["words"].list.len() == table["tags"].list.len()).all()
    tags = table["tags"].explode().value_counts(sort=True)
    assert set(tags["tags"].head(6)) >= {"NN", "IN", "DT"}
    assert tags.height < 60
    assert not table["words"].explode().is_in(["-LRB-", "-RRB-"]).any()
