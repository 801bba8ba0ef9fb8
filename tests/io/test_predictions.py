"""Prediction files: every format that is read, and every fault that is named with its line."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import polars as pl
import pytest

from rightreasons.core.errors import InputError
from rightreasons.io.alignment import align_by_id
from rightreasons.io.predictions import join_by_id, read_predictions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Save = Callable[[str | bytes], Path]

CSV = "pairID,gold_label\nex0,entailment\nex1,neutral\nex2,contradiction\n"
TABLE = {"id": ["ex0", "ex1", "ex2"], "label": ["entailment", "neutral", "contradiction"]}
PAIRS = pl.DataFrame({"id": ["ex0", "ex1", "ex2"], "template": ["t1", "t1", "t2"]})
CHANCES = "id,label,p_entailment,p_neutral,p_contradiction\n"


@pytest.fixture
def save(tmp_path: Path) -> Save:
    """Write content to a file whose name says nothing."""

    def write(content: str | bytes) -> Path:
        path = tmp_path / "file.dat"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.mark.parametrize(
    "content",
    [
        CSV,
        CSV.rstrip("\n"),
        CSV + "\n\n",
        CSV.replace("\n", "\r\n"),
        "\ufeff" + CSV,
        CSV.replace(",", "\t"),
        'id,prediction\n"ex0","entailment"\nex1,"neutral"\nex2,c\n',
        "ID,Pred\nex0,E\nex1,N\nex2,contradictory\n",
        "prediction,gold_label,id\nentailment,x,ex0\nneutral,y,ex1\ncontradiction,z,ex2\n",
        '{"id": "ex0", "label": "entailment"}\n{"id": "ex1", "label": "n"}\n{"id": "ex2", "label": "c"}\n',
        '{"uid":"ex0","pred":"e","gold_label":"-"}\n{"uid":"ex1","pred":"n"}\n{"more":[1],"pred":"c","uid":"ex2"}',
    ],
)
def test_formats_are_told_from_content(save: Save, content: str | bytes) -> None:
    assert read_predictions(save(content)).to_dict(as_series=False) == TABLE


def test_parquet_is_told_from_content(tmp_path: Path) -> None:
    pl.DataFrame(TABLE).write_parquet(tmp_path / "file.dat")
    assert read_predictions(tmp_path / "file.dat").to_dict(as_series=False) == TABLE


def test_number_ids_become_strings(save: Save) -> None:
    assert read_predictions(save('{"id": 7, "label": "e"}\n'))["id"].to_list() == ["7"]


@pytest.mark.parametrize("key", ["probs", "scores"])
def test_probabilities_come_as_objects_or_columns(save: Save, key: str) -> None:
    chances = {"Entailment": 0.2, "neutral": 0.7, "contradictory": 0.1}
    rows = read_predictions(save(json.dumps({"id": "a", "label": "n", key: chances}) + "\n"))
    assert rows.rows() == [("a", "neutral", 0.2, 0.7, 0.1)]
    assert read_predictions(save(CHANCES + "a,n,0.2,0.7,0.1\n")).equals(rows)


def test_probabilities_may_stand_in_place_of_the_label(save: Save) -> None:
    bare = CHANCES.replace("label,", "")
    assert read_predictions(save(bare + "a,0.2,0.7,0.1\nb,0.5,0.1,0.4\n")).rows() == [
        ("a", "neutral", 0.2, 0.7, 0.1),
        ("b", "entailment", 0.5, 0.1, 0.4),
    ]
    two = read_predictions(save('{"id": "a", "probs": {"entailment": 0.4, "not_entailment": 0.6}}\n'))
    assert two["label"].to_list() == ["non-entailment"]


def test_three_labels_and_two_may_stand_side_by_side(save: Save) -> None:
    content = "id,label,p_entailment,p_neutral,p_contradiction,p_non_entailment\na,e,0.4,0.3,0.3,0.6\n"
    assert read_predictions(save(content))["p_non_entailment"].to_list() == [0.6]


def test_two_label_heads_fill_the_first_and_the_last(save: Save) -> None:
    rows = read_predictions(save("id,label,p_not_entailment,p_entailment\na,not_entailment,0.6,0.4\n"))
    assert rows.columns == ["id", "label", "p_entailment", "p_non_entailment"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        (" \n\n", "is empty"),
        ("pairID,gold_label\n", "no predictions"),
        ("ex0,entailment\nex1,neutral\n", "line 1: 'ex0, entailment'.*header"),
        ("a,b\nex1,neutral\n", "line 1: .*'a, b'.* label"),
        ("name,label\nex1,neutral\n", "line 1: .*'name, label'.* id"),
        ("id,label,gold_label\nex1,neutral,neutral\n", "label and gold_label"),
        ("id,ID,label\na,b,neutral\n", "'id' twice"),
        ("id,label,label\na,neutral,neutral\n", "line 1.*twice"),
        (CSV + "ex3,\n", "line 5: .*label.*blank"),
        (CSV + "ex3,-\n", "line 5: The label '-' means"),
        (CSV + "ex3,maybe\nex4,perhaps\n", r"line 5 \(in 2 rows\): .*'maybe'"),
        (CSV + "ex3,entailment,0.5\n", "line 5: .*3 fields.* 2"),
        (CSV + "ex3\n", "line 5: .*1 fields.* 2"),
        ("id,label\na,e\n\nb,n\n", "line 3: "),
        (CSV + ",neutral\n", "line 5: .*id.*blank"),
        (CSV + "  ,neutral\n  ,neutral\n", r"line 5: .*id.* \(in 2 rows\)"),
        ('id,label\n"a,entailment\nb,neutral\n', "line 2: .*quote"),
        (CSV + "ex3,entailm", "line 5: .*'entailm'.* truncated"),
        (CSV + "ex3,n", "line 5: .*'n'.* truncated"),
        (CSV + "ex3,contradict", "line 5: .*'contradict'.* truncated"),
        (b"id,label\na,e\nb,\xff\xfe\n", "line 3: .*UTF-8"),
        (b"id,label\na,e\nb,\0\n", "line 3: .*binary"),
        ('{"id": "a", "label": "e"}\n{"id": "b", "lab', "line 2: "),
        ('{"id": "a", "label": "e"}\n[1]\n', "line 2: "),
        ('{"id": "a", "label": "e"}\n{"label": "e"}\n', "line 2: .*id.*blank"),
        ('{"id": "a", "label": "e"}\n{"id": "b"}\n', "line 2: .*label.*blank"),
        ('{"id": "a", "label": 0}\n', "line 1: .*'0'.*entailment"),
        ('[{"id": "a", "label": "e"}]', "JSON"),
        ('{"id": "a", "label": "e", "probs": [1, 0, 0]}\n', "'probs'.*entailment"),
        ('{"id": "a", "label": "e", "probs": {"yes": 1}}\n', "'yes'.*entailment"),
        (CHANCES + "a,e,0.8,0.1,0.1\nb,e,1.2,-0.1,-0.1\n", "line 3: .* 0 and 1"),
        (CHANCES + "a,e,nan,0.1,0.1\n", "line 2: .* 0 and 1"),
        (CHANCES + "a,e,much,0.1,0.1\n", "line 2: p_entailment .*number"),
        (CHANCES + "a,e,0.8,0.1,0.1\nb,e,0.8,0.1,0.0\n", "line 3: .*add up to 1"),
        (CHANCES + "a,e,0.8,,\n", "line 2: .*add up to 1"),
        (CHANCES + "a,n,0.8,0.1,0.1\n", "line 2: .*more probable"),
        (CHANCES + "a,c,0.1,0.8,0.1\n", "line 2: .*more probable"),
        (CHANCES + "a,non-entailment,0.8,0.1,0.1\n", "line 2: .*more probable"),
        ("id,label,p_entailment,p_e\na,e,1,1\n", "p_entailment twice"),
        (
            "id,p_entailment,p_neutral\na,0.9,0.1\n",
            "no labels.*p_entailment, p_neutral",
        ),
        ("id,p_e,p_n,p_c\na,0.8,0.1,0.1\nb,0.4,0.4,0.2\n", "line 3: .*equally probable"),
        ("id,p_e,p_n,p_c\na,0.8,0.1,0.1\nb,0.8,0.2,\n", "line 3: .*blank"),
        ("id,p_e,p_n,p_c\na,0.8,0.1,0.3\n", "line 2: .*add up to 1"),
        (
            CHANCES + "a,e,0.8,0.1,0.1\nb,unreadable,0.8,0.1,0.1\n",
            "line 3: .*without a label",
        ),
        (CSV + "ex3,unreadabl", "line 5: .*'unreadabl'.* truncated"),
    ],
)
def test_faults_are_named_with_file_and_line(save: Save, content: str | bytes, message: str) -> None:
    path = save(content)
    with pytest.raises(InputError, match=f"(?s){message}") as caught:
        read_predictions(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    "row",
    ["a,e,0.4,0.4,0.2", "a,n,0.4,0.4,0.2", "a,non-entailment,0.4,0.3,0.3", "a,e,,,", "a,e,.333,.333,.333"],
)
def test_ties_and_missing_probabilities_agree(save: Save, row: str) -> None:
    assert read_predictions(save(CHANCES + row + "\n")).height == 1


def test_packed_cut_and_missing_files_are_refused(save: Save, tmp_path: Path) -> None:
    packed = gzip.compress(CSV.encode())
    pl.DataFrame(TABLE).write_parquet(tmp_path / "whole")
    whole = (tmp_path / "whole").read_bytes()
    for content in (
        packed,
        packed[:-9],
        whole[:-20],
        whole[:30],
        whole[:4] + bytes(40),
        b"\x89PNG\r\n\x1a\n\0\0",
    ):
        with pytest.raises(InputError, match=r"file\.dat"):
            read_predictions(save(content))
    with pytest.raises(InputError, match="nowhere"):
        read_predictions(tmp_path / "nowhere")
    with pytest.raises(InputError, match="can't be read"):
        read_predictions(tmp_path)


def test_every_cut_of_a_file_is_refused_or_leaves_ids_missing(save: Save) -> None:
    pairs = pl.DataFrame({"id": ["ex0", "ex1", "ex2"]})
    for end in range(len(CSV) - 1):
        path = save(CSV[:end])
        with pytest.raises(InputError):
            align_by_id(pairs, read_predictions(path), path)


def test_answers_join_by_id_and_not_by_position() -> None:
    answers = pl.DataFrame(TABLE | {"p_entailment": [0.9, 0.1, 0.2]})
    joined = join_by_id(PAIRS, answers.reverse())
    assert joined.rows() == [
        ("ex0", "t1", "entailment", 0.9),
        ("ex1", "t1", "neutral", 0.1),
        ("ex2", "t2", "contradiction", 0.2),
    ]
    assert join_by_id(PAIRS, answers).equals(joined)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,label\nex0,e\nex2,n\n", "line 3: .* 1 of 3 ids; .*'ex1', row 2"),
        ("id,label\nex0,e\nex1,n\nex0,n\nex2,n\n", "line 4: .*'ex0'.*repeated"),
        ("id,label\nex0,e\nex0,e\nex0,n\n", r"line 3: .*'ex0'.*repeated \(in 2 rows\)"),
        ("id,label\nex0,e\nex1,n\nex2,n\nex9,n\n", "line 5: .*'ex9'.*not in"),
        ("id,label\nex0,e\nex1,n\nEX2,n\n", "line 4: .*'EX2'.*not in"),
    ],
)
def test_ids_that_do_not_fit_are_named_with_their_line(
    save: Save, content: str | bytes, message: str
) -> None:
    path = save(content)
    with pytest.raises(InputError, match=message) as caught:
        join_by_id(PAIRS, read_predictions(path), path)
    assert str(path) in str(caught.value)


def test_tables_without_a_file_are_named_by_row() -> None:
    with pytest.raises(InputError, match=r"row 4: .*'ex0'"):
        join_by_id(PAIRS, pl.DataFrame({"id": [*TABLE["id"], "ex0"], "label": [*TABLE["label"], "neutral"]}))
    with pytest.raises(InputError, match="column 'label'"):
        join_by_id(PAIRS, pl.DataFrame({"id": TABLE["id"]}))
    with pytest.raises(InputError, match=r"row 2: .*label"):
        join_by_id(PAIRS, pl.DataFrame({"id": TABLE["id"], "label": ["neutral", None, "neutral"]}))


def test_a_set_with_repeated_ids_or_a_column_of_answers_is_refused() -> None:
    answers = pl.DataFrame(TABLE)
    with pytest.raises(InputError, match=r"'ex0'.*once"):
        join_by_id(pl.DataFrame({"id": ["ex0", "ex0", "ex1"]}), answers)
    with pytest.raises(InputError, match=r"'answer'.*Rename"):
        join_by_id(PAIRS.rename({"template": "answer"}), answers)


def test_predictions_without_a_label_are_read_with_the_raw_output(save: Save) -> None:
    lines = [
        {"id": "ex2", "label": "unreadable", "text": "Well, it depends.\n"},
        {"id": "ex0", "label": "e", "p_entailment": 1.0, "p_non_entailment": 0.0, "text": "Yes"},
        {"id": "ex1", "label": "Refused", "text": None},
    ]
    read = read_predictions(save("\n".join(json.dumps(line) for line in lines)))
    assert read.columns == ["id", "label", "p_entailment", "p_non_entailment", "text"]
    in_order = align_by_id(PAIRS, read)
    assert in_order["label"].to_list() == ["entailment", "refused", "unreadable"]
    assert in_order["p_entailment"].to_list() == [1.0, None, None]
    assert in_order["text"].to_list() == ["Yes", None, "Well, it depends.\n"]


def test_the_text_survives_a_file_of_any_format(save: Save, tmp_path: Path) -> None:
    table = pl.DataFrame(
        {"id": ["a", "b"], "label": ["entailment", "unreadable"], "text": ['"Yes", I say', "a\tb"]}
    )
    table.write_parquet(tmp_path / "answers.parquet")
    assert read_predictions(tmp_path / "answers.parquet").equals(table)
    for content in (table.write_csv(), table.write_ndjson()):
        assert read_predictions(save(content)).equals(table)
    nested = '{"id": "a", "label": "e", "text": ["Yes"]}\n'
    assert read_predictions(save(nested)).columns == ["id", "label"]
