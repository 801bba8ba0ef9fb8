"""Tables that no one means to give: each is refused with one sentence that names the file, or read as it is."""

from __future__ import annotations

import datetime as dt
import json
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rightreasons
from command_line import inside, refused
from rightreasons.core import text_errors as lines
from rightreasons.core.column_checks import MAX_COLUMNS
from rightreasons.core.errors import InputError
from rightreasons.core.trees import MAX_DEPTH
from rightreasons.corpora import read_corpus, read_pairs
from rightreasons.io.predictions import read_predictions
from rightreasons.io.tables import read_table

DAY = dt.timedelta(days=1)
HEADER = "id,premise,hypothesis,label\n"
PAIRS = pl.DataFrame(
    {
        "id": [f"a{number}" for number in range(4)],
        "premise": [f"The cat {number} sat." for number in range(4)],
        "hypothesis": [f"A cat {number} sat." for number in range(4)],
        "label": ["entailment", "neutral"] * 2,
    }
)
READERS: tuple[tuple[Any, ...], ...] = (
    ("convert", "bad", "out.jsonl"),
    ("score", "bad", "answers.parquet"),
    ("leaks", "bad", "set.parquet"),
    ("leaks", "set.parquet", "bad"),
    ("generate", "stress/negation", "--corpus", "bad", "--limit", 2, "--out", "out.csv"),
    ("predict", "rules:subsequence", "bad", "--out", "out.csv"),
)
PREDICTIONS = ("score", "set.parquet", "bad")
COPIED_TEXTS = ("sentence1_binary_parse", "sentence2_binary_parse", "gold_label")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    PAIRS.write_parquet("set.parquet")
    PAIRS.select("id", "label").write_parquet("answers.parquet")


@pytest.mark.parametrize("words", [*READERS, ("recognise", "bad"), PREDICTIONS], ids=lambda words: words[0])
@pytest.mark.parametrize(
    "content",
    [
        (HEADER + "a,b,c,neutral\n").replace("\n", "\r"),
        "id,premise,hypothesis,label,*\na,b,c,neutral,d\n",
        "id,premise,hypothesis,label,^p.*$\na,b,c,neutral,d\n",
        '{"id":"a","premise":"b","hypothesis":"c","label":"neutral","\\u0000row":1}\n',
        '{"id":"a","premise":"b","hypothesis":"c","label":"neutral","label":"entailment"}\n',
        "id,premise,hypothesis,label," + "x" * 200_000 + "\na,b,c,neutral,d\n",
    ],
    ids=["carriage returns", "star", "pattern", "nul", "repeated key", "long header"],
)
def test_a_header_that_can_not_be_is_refused_by_every_reader(words: tuple[Any, ...], content: str) -> None:
    Path("bad").write_text(content, encoding="utf-8", newline="")
    assert "bad" in refused(inside, *words)


WRONG = {
    "list": pl.concat_list("label"),
    "object": pl.struct("label"),
    "duration": pl.lit(DAY),
    "bytes": pl.lit(b"\xff\xfe"),
}


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("column", ["id", "label", "premise"])
@pytest.mark.parametrize("words", READERS[:4], ids=lambda words: words[0])
def test_a_needed_column_of_another_type_is_refused(words: tuple[Any, ...], column: str, kind: str) -> None:
    PAIRS.with_columns(WRONG[kind].alias(column)).write_parquet("bad")
    if (kind, column) == ("duration", "premise"):  # a text like any other
        assert inside(*words)[0] == 0
    else:
        assert "bad" in refused(inside, *words)


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("column", ["id", "label", "p_entailment", "probs"])
def test_a_prediction_of_another_type_is_refused(column: str, kind: str) -> None:
    PAIRS.select("id", "label").with_columns(WRONG[kind].alias(column)).write_parquet("bad")
    assert "bad" in refused(inside, *PREDICTIONS)


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(["0.9", "0.1"])])
def test_categories_are_read_as_their_texts(kind: pl.DataType) -> None:
    share = pl.Series("p_entailment", ["0.9", "0.1"] * 2).cast(kind)
    other = pl.Series("p_non_entailment", [0.1, 0.9] * 2)
    PAIRS.select(pl.col("id").cast(pl.Categorical), share, other).write_parquet("answers.parquet")
    found = read_predictions("answers.parquet")
    assert found["id"].to_list() == PAIRS["id"].to_list()
    assert found["p_entailment"].to_list() == [0.9, 0.1] * 2


def test_tags_that_are_bytes_or_durations_become_texts() -> None:
    odd = PAIRS.with_columns(took=pl.lit(DAY), raw=pl.lit("é".encode()), list=pl.concat_list("label"))
    odd.write_parquet("odd.parquet")
    found = read_pairs("odd.parquet")
    assert found.pairs["raw"].to_list() == ["é"] * 4
    assert found.pairs["took"].to_list() == ["P1D"] * 4
    assert "list" not in found.pairs.columns
    assert rightreasons.read_pairs("odd.parquet", columns=["raw"]).pairs["raw"].unique().to_list() == ["é"]


def test_bytes_that_are_no_text_are_named_with_row_and_column() -> None:
    raw = pl.Series([b"a", b"b", b"\xff", b"d"])
    PAIRS.with_columns(raw.alias("picture")).write_parquet("bad.parquet")
    with pytest.raises(InputError, match=r"bad.parquet, row 3.*'picture'"):
        read_pairs("bad.parquet")
    assert read_pairs("bad.parquet", columns=[]).pairs.height == 4  # the column isn't read


OURS = (
    "__row__",
    "_row",
    "_first",
    "_place",
    "_part",
    "alone",
    "row",
    "line",
    "wrong",
    "right",
    "answer",
    "index",
    "n",
)


@pytest.mark.parametrize("tag", OURS)
def test_a_tag_may_have_any_name_that_is_not_reserved(tag: str) -> None:
    table = PAIRS.with_columns(pl.Series(tag, ["x", "x", "y", "y"]))
    table.write_parquet("tagged.parquet")
    assert read_corpus("tagged.parquet").pairs[tag].to_list() == ["x", "x", "y", "y"]
    assert inside("convert", "tagged.parquet", "out.csv")[0] == 0
    assert read_pairs("out.csv").pairs[tag].to_list() == ["x", "x", "y", "y"]
    code, out, said = inside("score", "tagged.parquet", "answers.parquet", "--by", tag, "--json")
    if code == 2:
        assert f"'{tag}'" in said  # the name of a column of the scores
    else:
        assert code == 0, said
        assert {row[tag] for row in json.loads(out)["rows"]} == {"x", "y"}
    assert inside("evaluate", "constant", "--sets", "tagged.parquet", "--out", "run")[0] == 0


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_too_many_columns_are_refused_at_once(ending: str) -> None:
    count = 20_000 if ending == "parquet" else 100_000
    names = [f"c{number}" for number in range(count)]
    if ending == "csv":
        text = HEADER.strip() + "," + ",".join(names) + "\na,b,c,neutral" + ",1" * count + "\n"
        Path("wide.csv").write_text(text, encoding="utf-8")
    elif ending == "jsonl":  # a key of its own in every line
        row = '{"id":"%d","premise":"a","hypothesis":"b","label":"neutral","%s":1}\n'
        Path("wide.jsonl").write_text("".join(row % pair for pair in enumerate(names)), encoding="utf-8")
    else:
        pl.DataFrame({name: [1] for name in names}).write_parquet("wide.parquet")
    start = time.process_time()
    with pytest.raises(InputError, match=f"at most {MAX_COLUMNS:,}"):
        read_table(f"wide.{ending}")
    assert time.process_time() - start < 20


def test_many_columns_of_one_name_are_refused_at_once() -> None:
    Path("same.csv").write_text("c," * 100_000 + "c\n" + "1," * 100_000 + "1\n", encoding="utf-8")
    start = time.process_time()
    with pytest.raises(InputError, match=r"line 1: .*'c' twice"):
        read_table("same.csv")
    assert time.process_time() - start < 20


@pytest.mark.parametrize(
    "cell", ["x y " * 2_500_000, '""' * 5_000_000, "\n" * 5_000_000 + "x"], ids=["words", "quotes", "lines"]
)
def test_a_cell_of_ten_megabytes_is_read(cell: str) -> None:
    Path("large.csv").write_text(f'{HEADER}a,"{cell}",c,neutral\n', encoding="utf-8", newline="")
    start = time.process_time()
    assert read_table("large.csv")["premise"][0] == cell.replace('""', '"')
    assert time.process_time() - start < 20


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ('{"id":"a","label":"neutral","label":"entailment"}', "label"),
        ('{"id":"b","id":"a","label":"neutral"}', "id"),
        ('{"id" : "a", "id" : "b", "label":"neutral"}', "id"),
        ('{"id":"a","label":null,"label":"neutral"}', "label"),
        ('{"id":"a","label":"neutral","label":null}', "label"),
        ('{"id":"a","label":"neutral","label":\tnull}', "label"),
        ('{"id":"a","label":"neutral","probs":{"neutral":0.9,"neutral":0.8,"entailment":0.2}}', "neutral"),
        ('{"id":"a","label":"neutral","text":"\\":null,","text":"x"}', "text"),
    ],
)
def test_a_repeated_key_is_refused_with_its_line(line: str, key: str) -> None:
    Path("twice.jsonl").write_text('{"id":"z","label":"neutral"}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=f"line 2: .*'{key}'"):
        read_table("twice.jsonl")


def test_texts_that_look_like_keys_are_no_keys() -> None:
    rows = [
        {"id": '"a":', "t": 'x\\":null,'},
        {"id": '{"id":"b","id":"c"}', "t": None},
        {"id": "\\", "t": '":'},
    ]
    Path("like.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert read_table("like.jsonl").to_dicts() == rows


@pytest.mark.parametrize(
    "content",
    ['{"id":"a","premise":' + "[" * 100_000 + "]" * 100_000 + "}\n", '{"a":' * 50_000 + "1" + "}" * 50_000],
)
def test_json_of_any_depth_is_refused(content: str) -> None:
    Path("deep.jsonl").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=r"deep\.jsonl"):
        read_table("deep.jsonl")


@pytest.mark.parametrize(("opening", "closing"), [('{"a":', "}"), ("[", "]")])
def test_json_is_nested_a_hundred_levels_at_most(opening: str, closing: str) -> None:
    """At 700 levels polars overflowed the stack, and the process ended with SIGSEGV."""

    def write(levels: int) -> None:
        rows = [
            '{"id":"0"}\n',
            '{"id":"1","t":"[[{{","a":' + opening * levels + "1" + closing * levels + "}\n",
        ]
        Path("deep.jsonl").write_text("".join(rows), encoding="utf-8")

    write(lines.MAX_LEVELS - 1)  # the row itself is a level
    assert read_table("deep.jsonl").height == 2
    write(lines.MAX_LEVELS)
    with pytest.raises(InputError, match=r"deep\.jsonl, line 2: .* 100 levels"):
        read_table("deep.jsonl")


def test_brackets_in_texts_are_no_levels() -> None:
    rows = [{"id": "a", "text": "[{" * 300 + '"\\' + "[" * 300}]
    Path("texts.jsonl").write_text(json.dumps(rows[0]) + "\n", encoding="utf-8")
    assert read_table("texts.jsonl").to_dicts() == rows


@pytest.mark.parametrize("content", ["9" * 400, "[" * 101 + "]" * 101])
def test_a_json_list_that_no_table_can_hold_is_refused(content: str) -> None:
    Path("list.json").write_text('[{"text": "I have 3 cats.", "x": ' + content + "}]", encoding="utf-8")
    line = refused(inside, "generate", "stress/numerical", "--corpus", "list.json", "--out", "out.csv")
    assert "list.json" in line
    assert len(line) < 400


@pytest.mark.parametrize("column", ["parse_premise", "parse_hypothesis"])
@pytest.mark.parametrize("kind", ["list", "struct"])
def test_parses_that_are_lists_are_refused(column: str, kind: str) -> None:
    values: dict[str, Any] = {"list": [["(S a)"]] * 4, "struct": [{"a": 1}] * 4}
    names = ("parse_premise", "parse_hypothesis", "binary_parse_premise", "binary_parse_hypothesis")
    tags = ("heuristic", "subcase", "template")
    table = PAIRS.drop("id").with_columns(
        *(pl.lit("(S (NN a))").alias(name) for name in names),
        *(pl.lit("x").alias(name) for name in tags),
        pl.lit(0).alias("label"),
    )
    table.with_columns(pl.Series(column, values[kind])).write_parquet("hub.parquet")
    name = f"{column.removeprefix('parse_')}_parse"
    assert name in refused(inside, "convert", "hub.parquet", "out.csv")


@pytest.mark.parametrize(
    "columns", [("sentence1", "sentence2", "pairID", "gold_label", "captionID"), COPIED_TEXTS]
)
def test_a_second_premise_is_refused(columns: tuple[str, ...]) -> None:
    """It may be the premise of another version of the pair: nobody can tell which text was meant."""
    pl.DataFrame({name: ["neutral"] for name in (*columns, "premise")}).write_ndjson("two.jsonl")
    line = refused(inside, "convert", "two.jsonl", "out.csv")
    assert "premise" in line
    assert columns[0] in line


def parsed(depth: int) -> pl.DataFrame:
    tree = "(S " * depth + "a" + ")" * depth
    return PAIRS.with_columns(premise_parse=pl.lit(tree), hypothesis_parse=pl.lit("(S (NN a))"))


@pytest.mark.parametrize(
    "words", [READERS[0], READERS[2], READERS[4], ("predict", "rules:constituent", *READERS[5][2:])]
)
def test_a_tree_of_a_hundred_thousand_levels_is_refused(words: tuple[Any, ...]) -> None:
    parsed(100_000).write_parquet("bad")
    assert "bad, row 1" in refused(inside, *words)


def test_trees_up_to_the_limit_are_read() -> None:
    parsed(MAX_DEPTH).write_parquet("deep.parquet")
    found = read_pairs("deep.parquet").pairs
    assert rightreasons.predict("rules:constituent", found)["label"].n_unique() == 1


def test_contradictory_probabilities_are_refused_with_their_line() -> None:
    names = ("p_entailment", "p_neutral", "p_contradiction", "p_non_entailment")
    rows = ["id,label," + ",".join(names), "a,entailment,0.8,0.1,0.1,0.2", "b,entailment,0.8,0.1,0.1,0.9"]
    Path("both.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 3: p_non_entailment"):
        read_predictions("both.csv")
    Path("part.csv").write_text("id,label,p_entailment,p_neutral,p_non_entailment\na,neutral,0.4,0.6,0.1\n")
    with pytest.raises(InputError, match="line 2: p_non_entailment"):
        read_predictions("part.csv")
    Path("both.csv").write_text("\n".join(rows[:2]) + "\n", encoding="utf-8")
    assert read_predictions("both.csv")["p_non_entailment"].to_list() == [0.2]
