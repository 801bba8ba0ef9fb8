"""MultiNLI and SNLI in all the clothes they come in, and the released stress tests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from rightreasons.core.errors import InputError
from rightreasons.corpora import read_corpus, read_pairs, write_pairs
from rightreasons.corpora.published_columns import NliColumns

if TYPE_CHECKING:
    from pathlib import Path

TREE = "(ROOT (S (NP (NNS Cats)) (VP (VBP sleep)) (. .)))"
BINARY = "( Cats ( sleep . ) )"
COLUMNS = (
    "gold_label",
    *(f"sentence{side}_{kind}" for kind in ("binary_parse", "parse") for side in (1, 2)),
    *("sentence1", "sentence2", "promptID", "pairID", "genre"),
    *(f"label{number}" for number in range(1, 6)),
)
ROW = ("neutral", BINARY, BINARY, TREE, TREE, "Cats sleep.", 'A "cat" naps', "12", "12n", "fiction")


def row(*labels: str, **changed: str) -> dict[str, str]:
    values = dict(zip(COLUMNS, (*ROW, *labels, *[""] * (5 - len(labels))), strict=True))
    return {changed.get(f"rename_{name}", name): changed.get(name, value) for name, value in values.items()}


def text(path: Path, *rows: dict[str, str], end: str = "\n") -> Path:
    lines = ["\t".join(rows[0]), *("\t".join(one.values()) for one in rows)]
    path.write_text(end.join([*lines, ""]), newline="")
    return path


def json_lines(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return path


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_text_with_the_official_header(tmp_path: Path, end: str) -> None:
    rows = row("neutral", "neutral", "entailment"), row("e", pairID="13e", promptID="13", gold_label="-")
    made = read_corpus(text(tmp_path / "t.txt", *rows, end=end))
    assert made.pairs.rows(named=True) == [
        {
            "id": "12n",
            "premise": "Cats sleep.",
            "hypothesis": 'A "cat" naps',
            "label": "neutral",
            "genre": "fiction",
            "original_label": "neutral",
            "annotator_labels": "neutral,neutral,entailment",
            "source_group": "12",
            "premise_parse": TREE,
            "hypothesis_parse": TREE,
            "premise_binary_parse": BINARY,
            "hypothesis_binary_parse": BINARY,
        }
    ]
    assert [remark[:7] for remark in made.card.remarks] == ["1 of 2 "]


def test_json_lines_with_annotators_in_a_list(tmp_path: Path) -> None:
    names = {"rename_promptID": "captionID"}
    first = row(promptID="7.jpg#2", pairID="7.jpg#2r1n", **names)
    one: dict[str, Any] = {name: value for name, value in first.items() if not name.startswith("label")}
    del one["genre"]
    one |= {"annotator_labels": ["neutral", "", "contradiction"], "label": 1, "tokens": [1, 2]}
    made = read_corpus(json_lines(tmp_path / "t.jsonl", one))
    assert made.pairs.select("id", "label", "genre", "annotator_labels", "source_group").row(0) == (
        "7.jpg#2r1n",
        "neutral",
        None,
        "neutral,contradiction",
        "7.jpg#2",
    )
    assert [remark.rpartition(": ")[2] for remark in made.card.remarks] == ["tokens."]


@pytest.mark.parametrize(
    ("name", "group"), [("63735n", "63735"), ("12.jpg#2r1e", "12.jpg#2"), ("7", None), ("abc", "ab")]
)
def test_four_columns_in_csv_and_the_group_read_from_the_id(
    tmp_path: Path, name: str, group: str | None
) -> None:
    (tmp_path / "t.csv").write_text(
        f'pairID,sentence1,sentence2,label\n{name},"a, b\nc",d,NEUTRAL\n', newline=""
    )
    pairs = read_corpus(tmp_path / "t.csv").pairs
    assert pairs.row(0) == (name, "a, b\nc", "d", "neutral", None, "NEUTRAL", group)
    assert pairs.columns[-1] == "source_group"


def test_an_id_in_place_of_the_prompt_is_no_group(tmp_path: Path) -> None:
    made = read_pairs(text(tmp_path / "t.txt", row(promptID="12n"), row(pairID="13c", promptID="5")))
    assert made.pairs["source_group"].to_list() == ["12", "5"]


def test_the_columns_of_the_hub_have_named_labels(tmp_path: Path) -> None:
    table = pl.DataFrame(
        {"promptID": [1, 2], "pairID": ["1n", "2e"], "premise": ["p", "q"], "premise_parse": [TREE, TREE]}
    ).with_columns(hypothesis=pl.lit("h"), genre=pl.lit("slate"), label=pl.Series([1, -1]))
    names = {"names": ["entailment", "neutral", "contradiction"], "_type": "ClassLabel"}
    metadata = {"huggingface": json.dumps({"info": {"features": {"label": names}}})}
    table.write_parquet(tmp_path / "t.parquet", metadata=metadata)
    pairs = read_corpus(tmp_path / "t.parquet").pairs
    assert pairs.select("id", "label", "genre", "source_group").rows() == [("1n", "neutral", "slate", "1")]
    assert pairs.columns[-1] == "premise_parse"


def test_what_is_wrong_in_a_corpus_is_repaired_and_counted(tmp_path: Path) -> None:
    rows = (
        row(),
        row(sentence1=" "),
        row(sentence2_parse="(ROOT (S"),
        row(pairID="14e", sentence1_parse="no tree"),
        row(),
        row(gold_label="-"),
    )
    made = read_pairs(text(tmp_path / "t.txt", *rows))
    assert made.pairs["id"].to_list() == ["12n", "12n#2", "14e", "12n#3"]
    assert made.pairs["hypothesis_parse"].to_list() == [TREE, None, TREE, TREE]
    assert made.pairs["premise_parse"].to_list() == [TREE, TREE, None, TREE]
    counts = ("1 of 6 ", "1 of 5 ", "2 ids ", "1 trees in premise_parse ", "1 trees in hypothesis_parse ")
    remarks = zip(made.card.remarks, counts, strict=True)
    assert all(remark.startswith(count) for remark, count in remarks)


def test_repairs_do_not_depend_on_the_columns_asked_for(tmp_path: Path) -> None:
    table = pl.DataFrame([row(), row(sentence1=""), row(pairID="14e")])
    table.write_parquet(tmp_path / "t.parquet")
    whole = read_pairs(tmp_path / "t.parquet")
    some = read_pairs(tmp_path / "t.parquet", columns=["genre"])
    assert some.pairs.columns == ["id", "label", "genre"]
    assert some.pairs["id"].to_list() == whole.pairs["id"].to_list() == ["12n", "14e"]


def test_a_table_of_ones_own_is_still_refused(tmp_path: Path) -> None:
    lines = "pairID,sentence1,sentence2,label,mine\n1,a,b,neutral,x\n1,c,d,neutral,x\n"
    (tmp_path / "t.csv").write_text(lines)
    with pytest.raises(InputError, match=r"line 3: .*'1'"):
        read_corpus(tmp_path / "t.csv")
    assert not NliColumns().fits([*COLUMNS, "heuristic"])
    assert not NliColumns().fits([*COLUMNS, "id"])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"gold_label": "maybe"}, "line 3: .*'maybe'"),
        ({"pairID": " "}, "line 3: .*id.*blank"),
    ],
)
def test_irreparable_pairs_are_refused_with_their_line(
    tmp_path: Path, changed: dict[str, str], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read_corpus(text(tmp_path / "t.txt", row(gold_label="-"), row(**changed)))


@pytest.mark.parametrize(
    ("changed", "message"),
    [({"gold_label": "hidden"}, "no pair with a label"), ({"sentence2": ""}, "and two texts")],
)
def test_a_file_without_any_pair_is_refused(tmp_path: Path, changed: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_corpus(text(tmp_path / "t.txt", row(**changed), row(**changed)))


def test_a_required_column_of_lists_is_refused(tmp_path: Path) -> None:
    one = {**row(), "sentence1": ["Cats", "sleep"]}
    with pytest.raises(InputError, match=r"t\.jsonl, line 1: sentence1 "):
        read_corpus(json_lines(tmp_path / "t.jsonl", one))
    generic = {"premise": {"a": 1}, "hypothesis": "h", "label": "neutral"}
    with pytest.raises(InputError, match="line 1: premise "):
        read_corpus(json_lines(tmp_path / "u.jsonl", generic))


def test_converted_and_read_again_it_is_the_same(tmp_path: Path) -> None:
    made = read_pairs(text(tmp_path / "t.txt", row("neutral"), row("neutral")))
    card = write_pairs(made, tmp_path / "t.parquet")
    again = read_pairs(tmp_path / "t.parquet")
    assert again.pairs.equals(made.pairs)
    assert again.card == card
    corpus = read_corpus(tmp_path / "t.parquet").pairs
    assert corpus.drop("original_label").equals(made.pairs.select(corpus.drop("original_label").columns))


def test_the_numerical_stress_test_has_its_texts_in_the_parses(tmp_path: Path) -> None:
    copies = {"sentence1_binary_parse": "p", "sentence2_binary_parse": "h", "gold_label": "entailment"}
    for more in ({}, {"premise": "p", "hypothesis": "h"}, {"sentence1": "p", "sentence2": "h", "label": 0}):
        made = read_corpus(json_lines(tmp_path / "t.jsonl", {**copies, **more, "genre": "x"}))
        assert made.pairs.row(0) == ("ex0", "p", "h", "entailment", "x", "entailment")
        assert "copies" in made.card.remarks[-1]


@pytest.mark.parametrize(
    ("name", "rows", "remarks", "tags"),
    [
        ("mnli/dev_matched.csv", 9815, ["185 of 10000"], ["source_group"]),
        ("mnli/dev_mismatched.csv", 9832, ["168 of 10000", "27 ids"], ["source_group"]),
        ("snli/dev.csv", 9842, ["158 of 10000"], ["source_group"]),
        ("snli/test.csv", 9824, ["176 of 10000"], ["source_group"]),
        ("snli/test_hard.jsonl", 3261, [], ["annotator_labels", "source_group"]),
        ("parsed/mnli_train_parsed.tsv", 15108, ["20 ids"], ["source_group"]),
        ("parsed/snli_train_parsed.tsv", 16154, [], ["source_group"]),
        ("parsed/mnli_dev_matched_1000.tsv", 1000, [], ["index", "annotator_labels", "source_group"]),
        ("parsed/mnli_dev_mismatched_1000.tsv", 1000, [], ["index", "annotator_labels", "source_group"]),
        ("stress/multinli_0.9_antonym_matched.txt", 1561, ["419 ids"], ["annotator_labels", "source_group"]),
        (
            "stress/multinli_0.9_dev_gram_swap_mismatched.txt",
            1000,
            [],
            ["annotator_labels", "source_group"],
        ),
        ("stress/multinli_0.9_quant_hard.jsonl", 7596, ["The file has no ids", "The binary parses"], []),
    ],
)
def test_real_files(shared_data: Path, name: str, rows: int, remarks: list[str], tags: list[str]) -> None:
    made = read_corpus(shared_data / name)
    assert len(made) == rows
    assert [said[: len(start)] for said, start in zip(made.card.remarks, remarks, strict=True)] == remarks
    found = made.pairs.columns
    assert found[:6] == ["id", "premise", "hypothesis", "label", "genre", "original_label"]
    assert [tag for tag in found[6:] if "parse" not in tag] == tags
    assert made.pairs["id"].n_unique() == rows
    assert (
        made.pairs.select("id", "premise", "hypothesis", "label", *tags).null_count().sum_horizontal()[0] == 0
    )
    parsed = not name.endswith(".csv") and "quant" not in name
    assert ("premise_parse" in found, "hypothesis_parse" in found) == (parsed, parsed)


def test_the_real_groups_are_prompts_and_captions(shared_data: Path) -> None:
    pairs = read_corpus(shared_data / "mnli/dev_matched.csv").pairs
    premises = pairs.group_by("source_group").agg(pl.col("premise").n_unique())
    assert (premises["premise"] > 1).mean() < 0.01
    assert 3 * pairs["source_group"].n_unique() > pairs.height > 2.9 * pairs["source_group"].n_unique()
