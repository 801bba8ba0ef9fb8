"""What a corpus holds is told by its columns, and a user may call it what they like."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from rightreasons.corpora import read_corpus
from rightreasons.corpora.corpus_source import split_name_and_source
from rightreasons.corpora.texts import detect_corpus_kind

PAIRS = pl.DataFrame(
    {"id": ["a"], "premise": ["A dog ran."], "hypothesis": ["It ran."], "label": ["neutral"]}
)
TREES = {
    "premise_parse": ["(S (NP (DT A) (NN dog)) (VP (VBD ran)) (. .))"],
    "hypothesis_parse": ["(S (NP (PRP It)) (VP (VBD ran)) (. .))"],
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_kinds_are_told_by_columns() -> None:
    PAIRS.write_csv("pairs.csv")
    PAIRS.with_columns(**{name: pl.Series(trees) for name, trees in TREES.items()}).write_parquet("t.parquet")
    pl.DataFrame({"text": ["Tom has 3 pears."]}).write_csv("texts.csv")
    Path("lines.txt").write_text("Tom has 3 pears.\n", encoding="utf-8")
    found = {
        name: detect_corpus_kind(name)
        for name in ("pairs.csv", "t.parquet", "texts.csv", "lines.txt", "pocket")
    }
    assert found == {
        "pairs.csv": "pairs",
        "t.parquet": "parses",
        "texts.csv": "texts",
        "lines.txt": "texts",
        "pocket": "pairs",
    }


def test_a_corpus_goes_by_the_name_it_was_given() -> None:
    PAIRS.write_csv("pairs.csv")
    corpus = read_corpus(["mine=pairs.csv", "pocket"])
    assert corpus.card.set == "mine+pocket"
    assert read_corpus("mine=pairs.csv").pairs.equals(read_corpus("pairs.csv").pairs)
    assert detect_corpus_kind("mine=pairs.csv") == "pairs"


def test_a_name_is_split_off_unless_a_file_is_called_so() -> None:
    assert split_name_and_source("mnli=/a/b.csv") == ("mnli", "/a/b.csv")
    assert split_name_and_source("mnli=a=b.csv") == ("mnli", "a=b.csv")
    for whole in ("pocket", "/a/b=c.csv", "hf:owner/name=x", "=a.csv", "a="):
        assert split_name_and_source(whole) == (None, whole)
    PAIRS.write_csv("a=b.csv")
    assert split_name_and_source("a=b.csv") == (None, "a=b.csv")


def test_real_corpora_are_told_apart(shared_data: Path) -> None:
    files = {
        "mnli/dev_matched.csv": "pairs",
        "snli/dev.csv": "pairs",
        "snli/test_hard.jsonl": "parses",
        "aqua/dev.json": "texts",
        "parsed/mnli_dev_matched_1000.tsv": "parses",
    }
    assert {name: detect_corpus_kind(str(shared_data / name)) for name in files} == files
