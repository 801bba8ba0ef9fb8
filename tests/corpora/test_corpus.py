"""Corpora by name: the pocket one, files plain and packed, several at once."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import zipfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core.errors import InputError
from rightreasons.corpora import read_corpus, read_texts
from rightreasons.corpora.corpus import SourceTable, join_source_tables, read_damaged_corpus
from rightreasons.corpora.corpus_source import CorpusSource

HEADER = "id,premise,hypothesis,label"
LINES = f"{HEADER}\n1,A dog ran.,It ran.,E\n2,A cat ran.,It slept.,contradiction\n"


def csv(path: Path, content: str = LINES) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8", newline="")
    return path


def test_the_pocket_corpus_is_there() -> None:
    made = read_corpus("pocket")
    assert made.pairs.columns[:6] == ["id", "premise", "hypothesis", "label", "genre", "original_label"]
    assert made.card.set == "pocket"
    assert set(made.card.sources) == {"pairs.jsonl"}
    assert made.card.labels == ("entailment", "neutral", "contradiction")
    assert made.pairs["genre"].null_count() == 0


def test_a_corpus_says_what_it_was_read_from(tmp_path: Path) -> None:
    path = csv(tmp_path / "mine.csv")
    made = read_corpus(str(path))
    assert made.pairs.rows() == [
        ("1", "A dog ran.", "It ran.", "entailment", None, "E"),
        ("2", "A cat ran.", "It slept.", "contradiction", None, "contradiction"),
    ]
    assert made.card.sources == {"mine.csv": hashlib.sha256(path.read_bytes()).hexdigest()}
    assert (made.card.set, made.card.rows, made.card.labels) == ("mine", 2, ("entailment", "contradiction"))
    for names in ([path], (str(path),)):
        assert read_corpus(names).pairs.equals(made.pairs)
        assert read_corpus(names).card == made.card


def test_blank_genres_are_unknown_and_the_first_word_stays(tmp_path: Path) -> None:
    content = f"{HEADER},genre,original_label\n1,p,h,neutral, ,N\n2,p,h,neutral,fiction,n\n"
    pairs = read_corpus(csv(tmp_path / "t.csv", content)).pairs
    assert pairs["genre"].to_list() == [None, "fiction"]
    assert pairs["original_label"].to_list() == ["N", "n"]


def test_clashing_ids_are_prefixed_in_any_order(tmp_path: Path) -> None:
    first = csv(tmp_path / "one.csv")
    second = csv(tmp_path / "two.csv", f"{HEADER},genre\n2,p,h,-,x\n3,p,h,n,x\n1,p,h,n,x\n")
    made = read_corpus([first, second])
    assert made.pairs["id"].to_list() == ["one:1", "2", "3", "two:1"]
    assert made.pairs["genre"].to_list() == [None, None, "x", "x"]
    assert sorted(read_corpus([second, first]).pairs["id"]) == sorted(made.pairs["id"])
    assert made.card.set == "one+two"
    assert set(made.card.sources) == {"one.csv", "two.csv"}
    unlabelled, prefixed = made.card.remarks
    assert unlabelled.startswith("two: 1 of 3 ")
    assert prefixed.startswith("1 ids ")


def test_files_named_alike_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    paths = [csv(tmp_path / folder / "dev.csv") for folder in ("a", "b", "deep/b")]
    made = read_corpus(paths)
    assert made.pairs["id"].to_list() == [
        f"{name}:{n}" for name in ("a-dev", "b-dev", "b-dev-2") for n in (1, 2)
    ]
    assert set(made.card.sources) == {"a-dev", "b-dev", "b-dev-2"}


def test_tags_of_other_types_meet_as_texts(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id":"a","premise":"p","hypothesis":"h","label":"n","score":1}\n')
    path = csv(tmp_path / "b.csv", f"{HEADER},score,premise_parse\nb,p,h,n,high,(X y)\n")
    pairs = read_corpus([tmp_path / "a.jsonl", path]).pairs
    assert pairs.select("score", "premise_parse").rows() == [("1", None), ("high", "(X y)")]
    assert pairs.columns[-2:] == ["score", "premise_parse"]


@given(st.lists(st.lists(st.sampled_from("abcd"), unique=True, min_size=1), min_size=1, max_size=4))
def test_joined_ids_are_unique_and_keep_what_did_not_clash(parts: list[list[str]]) -> None:
    sources = [CorpusSource(str(n), "f", f"{n}.csv", "0", Path("x")) for n in range(len(parts))]
    tables = [pl.DataFrame({"id": ids}) for ids in parts]
    whole = join_source_tables(
        [SourceTable(source, table, ()) for source, table in zip(sources, tables, strict=True)]
    ).table["id"]
    everywhere = [one for ids in parts for one in ids]
    assert whole.n_unique() == len(whole) == len(everywhere)
    assert [name.rpartition(":")[2] for name in whole] == everywhere
    assert [":" not in name for name in whole] == [everywhere.count(one) == 1 for one in everywhere]


def test_packed_files_are_unpacked(tmp_path: Path) -> None:
    plain = read_corpus(csv(tmp_path / "mine.csv"))
    with gzip.open(tmp_path / "mine.csv.gz", "wt") as file:
        file.write(LINES)
    with zipfile.ZipFile(tmp_path / "mine.zip", "w") as archive:
        archive.writestr("folder/other.csv", LINES)
    for name in ("mine.csv.gz", "mine.zip"):
        made = read_corpus(tmp_path / name)
        assert made.pairs.equals(plain.pairs)
        digest = hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()
        assert (made.card.set, made.card.sources) == ("mine", {name: digest})
    assert read_texts(tmp_path / "mine.csv.gz").table["text"].to_list() == ["A dog ran.", "A cat ran."]


def test_faults_in_packed_files_name_the_file_that_was_given(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv.gz"
    path.write_bytes(gzip.compress(f"{HEADER}\n1,p,h,maybe\n".encode()))
    with pytest.raises(InputError) as caught:
        read_corpus(path)
    assert re.match(rf"{re.escape(str(path))}, line 2: .*'maybe'", str(caught.value))
    path.write_bytes(gzip.compress(LINES.encode() * 50)[:60])
    with pytest.raises(InputError, match=r"mine\.csv\.gz .*truncated"):
        read_corpus(path)
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("a.csv", LINES)
        archive.writestr("b.csv", LINES)
    with pytest.raises(InputError, match=r"two\.zip .*\b2 files\. Unpack"):
        read_corpus(tmp_path / "two.zip")


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.write(writer, LINES.encode())
    os.close(writer)
    try:
        made = read_corpus(f"/dev/fd/{reader}")
    finally:
        os.close(reader)
    assert made.pairs["id"].to_list() == ["1", "2"]
    assert list(made.card.sources.values()) == [hashlib.sha256(LINES.encode()).hexdigest()]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("read", [read_corpus, read_texts])
def test_unknown_names_and_folders_are_refused(tmp_path: Path, read: type) -> None:
    with pytest.raises(InputError, match=r"nowhere\.csv.*hf:NAME"):
        read("nowhere.csv")
    with pytest.raises(InputError, match=f"{tmp_path} .* hf:{tmp_path}"):
        read(tmp_path)
    with pytest.raises(InputError, match=r"^(?!Unknown).*hf:NAME or pocket"):
        read([])
    with pytest.raises(InputError, match=r"pocket .*twice"):
        read(["pocket", "pocket"])


def test_a_fetched_corpus_is_found_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(InputError, match=r"aqua/dev .* rightreasons fetch aqua"):
        read_texts("aqua/dev")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf \n", "is empty"),
        (HEADER.encode(), "no pair with a label"),
        (b"id,premise,hypothesis,label\n1,p\xff,h,n\n", "line 2: byte 0xff is not UTF-8"),
        (b"id,premise,hypothesis,label\n1,,h,n\n", "line 2: the premise is blank"),
        (b'id,premise,hypothesis,label\n1,"p,h,n\n', "line 2: a quoted field starts here"),
        (b"id,premise,hypothesis,label,premise_parse\n1,p,h,n,(S\n", "line 2: the tree in premise_parse"),
    ],
)
def test_bad_files_are_told(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_corpus(path)
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)


def test_marks_and_breaks_of_lines_survive(tmp_path: Path) -> None:
    content = f'\ufeff{HEADER}\r\n1,"a\tb\r\nc",😀 שלום,n\r\n'
    pairs = read_corpus(csv(tmp_path / "t.csv", content)).pairs
    assert pairs.row(0)[:4] == ("1", "a\tb\r\nc", "😀 שלום", "neutral")


def test_a_premise_without_its_hypothesis_does_not_get_in_the_way(tmp_path: Path) -> None:
    content = "id,premise,sentence1,sentence2,label\n1,x,p,h,n\n"
    assert read_corpus(csv(tmp_path / "t.csv", content)).pairs.row(0)[:4] == ("1", "p", "h", "neutral")


def test_a_damaged_corpus_keeps_what_can_be_counted(tmp_path: Path) -> None:
    tree = "(S (X A) (X dog) (X ran))"
    rows = [
        f"1,A dog ran.,It ran.,E,{tree}",
        "2,A dog ran., ,neutral,",
        "3,A dog ran.,It sat.,-,(S (X broken",
    ]
    made = read_damaged_corpus(str(csv(tmp_path / "t.csv", "\n".join([f"{HEADER},premise_parse", *rows]))))
    assert made.pairs.select("id", "label", "premise_parse").rows() == [
        ("1", "entailment", tree),
        ("3", None, None),
    ]
    assert [re.findall(r"\d+", remark) for remark in made.card.remarks] == [["1", "3"], ["1", "3"], ["1"]]


def test_a_damaged_corpus_needs_no_labels_but_readable_ones(tmp_path: Path) -> None:
    bare = csv(tmp_path / "bare.csv", "premise,hypothesis\nA dog ran.,It ran.\n")
    assert read_damaged_corpus(str(bare)).pairs["label"].to_list() == [None]
    with pytest.raises(InputError, match="'maybe'"):
        read_damaged_corpus(str(csv(tmp_path / "t.csv", f"{HEADER}\n1,p,h,maybe\n")))
    with pytest.raises(InputError, match="two texts"):
        read_damaged_corpus(str(csv(tmp_path / "t.csv", f"{HEADER}\n1,p, ,neutral\n")))
