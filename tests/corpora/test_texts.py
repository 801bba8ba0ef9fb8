"""Texts with quantities: word problems, lines, premises."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from rightreasons.core.errors import InputError
from rightreasons.corpora import read_corpus, read_texts

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = ["id", "text", "genre", "answer", "rationale"]
AQUA = {"question": "How far ?", "options": ["A)21 km", "B)7"], "rationale": "It is\n21.", "correct": "A"}
SUMS = {"question": "How many?", "answer": "Ann has 2+3=<<2+3=5>>5.\nSo 5.\n#### 5,000"}
SVAMP = {"ID": "chal-9", "Body": "Ann has 5 pens.", "Question": "How many?", "Answer": 5.0}


def json_lines(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_pocket_has_quantities() -> None:
    texts = read_texts("pocket")
    assert texts.table.columns == COLUMNS
    assert texts.table.height >= 100
    assert set(texts.sources) == {"quantities.jsonl"}
    assert texts.table.select("answer", "rationale").null_count().row(0) == (texts.table.height,) * 2
    assert texts.table.select("id", "text", "genre").null_count().row(0) == (0, 0, 0)


@pytest.mark.parametrize(
    ("options", "correct", "answer"),
    [
        (["A)21 km", "B)7"], "A", "21 km"),
        (["A ) 21", "B ) 7 , 000"], "B", "7 , 000"),
        (["A)21", "B)7"], " B ", "7"),
        (["A)21", "B)7"], "E", None),
        (["B)21", "A)7"], "A", None),
        (["A)21", "B)7"], "", None),
    ],
)
def test_the_answer_of_aqua_is_the_right_option(
    tmp_path: Path, options: list[str], correct: str, answer: str | None
) -> None:
    texts = read_texts(json_lines(tmp_path / "t.json", {**AQUA, "options": options, "correct": correct}))
    assert texts.table.row(0) == ("aqua-1", "How far ?", "word problems", answer, "It is\n21.")
    told = ("1 of 1 problems have no recognisable answer.",)
    assert texts.remarks == (() if answer else told)


def test_the_answer_of_gsm8k_stands_behind_the_rationale(tmp_path: Path) -> None:
    texts = read_texts(json_lines(tmp_path / "t.jsonl", SUMS, {**SUMS, "answer": "None given."}))
    assert texts.table.rows() == [
        ("gsm8k-1", "How many?", "word problems", "5,000", "Ann has 2+3=5.\nSo 5."),
        ("gsm8k-2", "How many?", "word problems", None, "None given."),
    ]


def test_svamp_is_a_list_of_halves(tmp_path: Path) -> None:
    half = {**SVAMP, "ID": "chal-10", "Body": "If Ann has 5 pens ", "Answer": 2.5}
    (tmp_path / "t.json").write_text(json.dumps([SVAMP, half], indent=1))
    assert read_texts(tmp_path / "t.json").table.rows() == [
        ("chal-9", "Ann has 5 pens. How many?", "word problems", "5", None),
        ("chal-10", "If Ann has 5 pens, How many?", "word problems", "2.5", None),
    ]


def test_a_text_may_stand_on_each_line(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_bytes("\ufeffAnn, 5, has a label.\r\n\r\nשל 7 😀\tx\n".encode())
    texts = read_texts(tmp_path / "t.txt")
    assert texts.table["text"].to_list() == ["Ann, 5, has a label.", "של 7 😀\tx"]
    assert texts.table["id"].to_list() == ["line-1", "line-3"]
    assert texts.remarks == ()


def test_tables_of_texts_keep_what_they_have(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "text": "One.", "genre": "g", "answer": 1, "rationale": "r", "more": 2},
        {"id": None, "text": "Two."},
        {"id": "a", "text": "Three."},
        {"id": "d", "text": " "},
        {"id": "e", "text": None},
    ]
    texts = read_texts(json_lines(tmp_path / "t.jsonl", *rows))
    assert texts.table.rows() == [
        ("a", "One.", "g", "1", "r"),
        ("line-2", "Two.", None, None, None),
        ("a#2", "Three.", None, None, None),
    ]
    assert [remark[:6] for remark in texts.remarks] == ["2 of 5", "1 ids "]
    (tmp_path / "t.txt").write_text("text\nOne.\nTwo, three.\n")
    with pytest.raises(InputError, match=r"line 3: .*\b2 fields"):
        read_texts(tmp_path / "t.txt")


def test_of_pairs_each_premise_is_taken_once(tmp_path: Path) -> None:
    lines = "id,premise,hypothesis,label,genre\n1,A,x,n,g\n2,B,x,-,g\n3,A,y,e,g\n4,C,x,n,\n"
    (tmp_path / "t.csv").write_text(lines)
    texts = read_texts(tmp_path / "t.csv")
    assert texts.table.rows() == [("1", "A", "g", None, None), ("4", "C", None, None, None)]
    assert [remark[:7] for remark in texts.remarks] == ["1 of 4 "]
    assert read_texts([tmp_path / "t.csv", "pocket"]).table.columns == COLUMNS


def test_a_premise_has_its_first_id_whatever_the_order(tmp_path: Path) -> None:
    rows = [f"{one},{premise},x,n,g{one},{one}" for one, premise in zip("132546", "ABCABC", strict=True)]
    tables = []
    for order in (rows, rows[::-1], sorted(rows)):
        # A corpus may have a column of any name.
        (tmp_path / "t.csv").write_text("\n".join(["id,premise,hypothesis,label,genre,row", *order]) + "\n")
        tables.append(read_texts(tmp_path / "t.csv").table.sort("id"))
    assert tables[0].select("id", "text", "genre").rows() == [
        ("1", "A", "g1"),
        ("2", "C", "g2"),
        ("3", "B", "g3"),
    ]
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])


def test_ids_of_several_files_are_told_apart(tmp_path: Path) -> None:
    names = [json_lines(tmp_path / name, AQUA) for name in ("dev.json", "test.json")]
    texts = read_texts(names)
    assert texts.table["id"].to_list() == ["dev:aqua-1", "test:aqua-1"]
    assert list(texts.sources) == ["dev.json", "test.json"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.txt", b"", "is empty"),
        ("t.txt", b"A line.\n\xff\n", "line 2: byte 0xff "),
        ("t.txt", b"pairID,gold_label\nex0,entailment\n", "neither texts nor pairs"),
        ("t.csv", b"a,b\n1,2\n", "columns a, b"),
        ("t.jsonl", b'{"a": 1}\n', "neither texts nor pairs"),
        ("t.json", b'[{"text": "a"}', "JSON list of objects"),
        ("t.json", b"[1, 2]", "neither texts nor pairs"),
        ("t.json", b'[{"a": 1}]', "neither texts nor pairs"),
        ("t.jsonl", b'{"text": ""}\n', "has no text"),
        (
            "t.jsonl",
            b'{"question": "q", "options": "A)1", "rationale": "r", "correct": "A"}\n',
            "columns of unexpected types",
        ),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_texts(tmp_path / name)
    assert str(tmp_path / name) in str(caught.value)
    assert message in str(caught.value)


def test_word_problems_are_refused_as_pairs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"premise and hypothesis .*question"):
        read_corpus(json_lines(tmp_path / "t.json", AQUA))


@pytest.mark.parametrize(
    ("name", "rows", "first", "rationales"),
    [
        ("aqua/dev.json", 254, "aqua-1", 254),
        ("aqua/test.json", 254, "aqua-1", 254),
        ("wordproblems/gsm8k_train.jsonl", 7473, "gsm8k-1", 7473),
        ("wordproblems/SVAMP.json", 1000, "chal-1", 0),
    ],
)
def test_real_word_problems(shared_data: Path, name: str, rows: int, first: str, rationales: int) -> None:
    texts = read_texts(shared_data / name)
    assert texts.table.columns == COLUMNS
    assert (texts.table.height, texts.table["id"][0], texts.remarks) == (rows, first, ())
    assert texts.table.select("id", "text", "genre", "answer").null_count().sum_horizontal()[0] == 0
    assert texts.table["rationale"].count() == rationales
    assert texts.table["id"].n_unique() == rows


def test_real_answers_are_numbers(shared_data: Path) -> None:
    for name in ("gsm8k_train.jsonl", "SVAMP.json"):
        answers = read_texts(shared_data / "wordproblems" / name).table["answer"]
        assert answers.str.replace_all(",", "").cast(pl.Float64, strict=False).null_count() == 0


def test_the_premises_of_a_real_corpus(shared_data: Path) -> None:
    texts = read_texts(shared_data / "mnli/dev_matched.csv").table
    assert texts["text"].n_unique() == texts.height == 3334


def test_a_repeated_key_in_a_json_list_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "texts.json"
    path.write_text('[{"text": "There are 3 cats.", "text": "There are 4 cats."}]', encoding="utf-8")
    with pytest.raises(InputError, match="'text'"):
        read_texts(path)
