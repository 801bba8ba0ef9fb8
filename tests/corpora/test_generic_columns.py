"""Files of others: column names, labels, ids."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.corpora import read_pairs
from rightreasons.corpora.generic_columns import TEXT_NAMES

if TYPE_CHECKING:
    from pathlib import Path


def jsonl(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("texts", TEXT_NAMES)
@pytest.mark.parametrize(
    ("label", "name"), [("label", "id"), ("gold_label", "pairID"), ("true_label", "uid")]
)
def test_the_usual_names_are_known(tmp_path: Path, texts: tuple[str, str], label: str, name: str) -> None:
    row = {
        texts[1]: "A man is asleep.",
        name: 7,
        label: "Not_Entailment",
        "genre": "x",
        texts[0]: "A man sleeps.",
    }
    pairs = read_pairs(jsonl(tmp_path / "t", row)).pairs
    assert pairs.columns == ["id", "premise", "hypothesis", "label", "genre"]
    assert pairs.row(0) == ("7", "A man sleeps.", "A man is asleep.", "non-entailment", "x")


def test_pairs_without_gold_are_left_out_and_counted(tmp_path: Path) -> None:
    labels = ["-", "neutral", None, "", "-1", "e"]
    rows = [{"uid": i, "premise": "p", "hypothesis": "h", "label": label} for i, label in enumerate(labels)]
    made = read_pairs(jsonl(tmp_path / "t", *rows))
    assert made.pairs["id"].to_list() == ["1", "5"]
    assert made.pairs["label"].to_list() == ["neutral", "entailment"]
    assert [remark[:7] for remark in made.card.remarks] == ["4 of 6 "]
    assert made.card.labels == ("entailment", "neutral")
    with pytest.raises(InputError, match=r"no pair.* label"):
        read_pairs(jsonl(tmp_path / "u", *rows[:1]))


def test_pairs_without_ids_are_numbered_by_row(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('premise,hypothesis,label\n"a, b",c,-\nd,e,neutral\n')
    made = read_pairs(tmp_path / "t.csv")
    assert made.pairs["id"].to_list() == ["ex1"]
    assert "ex0" in made.card.remarks[0]


def test_lists_are_left_out_and_remarked(tmp_path: Path) -> None:
    row = {"id": "a", "premise": "p", "hypothesis": "h", "label": "e", "annotator_labels": ["e", "n"]}
    made = read_pairs(jsonl(tmp_path / "t", row))
    assert made.pairs.columns == ["id", "premise", "hypothesis", "label"]
    assert "annotator_labels" in made.card.remarks[0]


def test_numeric_labels_need_names_in_the_file(tmp_path: Path) -> None:
    table = pl.DataFrame({"premise": ["p"] * 4, "hypothesis": ["h"] * 4, "label": [0, 2, 1, -1]})
    table.write_parquet(tmp_path / "bare.parquet")
    with pytest.raises(InputError, match=r"bare\.parquet, row 1: .*'0'"):
        read_pairs(tmp_path / "bare.parquet")
    names = {"names": ["contradiction", "entailment", "neutral"], "_type": "ClassLabel"}
    known = {"huggingface": json.dumps({"info": {"features": {"label": names}}})}
    table.write_parquet(tmp_path / "named.parquet", metadata=known)
    labels = read_pairs(tmp_path / "named.parquet").pairs["label"].to_list()
    assert labels == ["contradiction", "neutral", "entailment"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,premise,label\n1,p,e\n", "line 1: the header has no premise and hypothesis"),
        ("id,premise,hypothesis\n1,p,h\n", "line 1: the header has no label"),
        ('id,premise,hypothesis,label\n1,"a\nb",h,e\n2,p,h,maybe\n', "line 4: The word 'maybe'"),
        ("id,premise,hypothesis,label\n1,p,h,e\n2,p,h,-\n1,p,h,e\n", "line 4: the id '1' "),
        ("id,premise,hypothesis,label\n1,p,h,-\n,p,h,e\n", "line 3: the id is blank"),
        ("id,premise,hypothesis,label\n1,p,h,e\n2,,h,e\n", "line 3: the premise is blank"),
        ("id,premise,hypothesis,label,rank\n1,p,h,e,x\n", "line 2: the rank "),
        ("id,premise,hypothesis,label\n", "no pair with a label"),
    ],
)
def test_bad_files_are_refused_with_their_line(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "t.csv").write_text(content)
    with pytest.raises(InputError) as caught:
        read_pairs(tmp_path / "t.csv")
    assert str(caught.value).startswith(str(tmp_path / "t.csv"))
    assert message in str(caught.value)


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"'hanz'.* hans"):
        read_pairs(tmp_path / "t.csv", "hanz")


@pytest.mark.parametrize(
    ("name", "rows", "dropped"),
    [
        ("mnli/dev_matched.csv", 9815, 185),
        ("snli/dev.csv", 9842, 158),
        ("snli/test_hard.jsonl", 3261, 0),
        ("sick/SICK.txt", 9840, 0),
        ("stress/multinli_0.9_quant_hard.jsonl", 7596, 0),
        ("parsed/mnli_dev_matched_1000.tsv", 1000, 0),
    ],
)
def test_real_files_are_read(shared_data: Path, name: str, rows: int, dropped: int) -> None:
    made = read_pairs(shared_data / name)
    assert len(made) == rows
    assert any(f"{dropped} of" in remark for remark in made.card.remarks) == (dropped > 0)
    assert made.card.labels == ("entailment", "neutral", "contradiction")


def test_of_several_ids_the_first_known_is_taken_and_others_are_tags(tmp_path: Path) -> None:
    path = tmp_path / "ids.csv"
    path.write_text("pairID,idx,id,premise,hypothesis,label\np,7,a,b,c,neutral\n", encoding="utf-8")
    pairs = read_pairs(path).pairs
    assert pairs.select("id", "pairID", "idx").row(0) == ("a", "p", "7")


def test_two_columns_of_labels_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("id,premise,hypothesis,label,gold_label\na,b,c,neutral,entailment\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"labels\.csv.*label and gold_label"):
        read_pairs(path)
