from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rightreasons as rr
from rightreasons.audits.error_analysis import (
    CATEGORIES,
    COLUMNS,
    parse_category,
    read_sheet,
    render_sheet,
    sample_errors,
    tally_sheet,
    write_sheet,
)
from rightreasons.reports.exhibits.errors import make_error_tally_tables
from rightreasons.reports.renderers import render_markdown

if TYPE_CHECKING:
    from pathlib import Path

TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


def errors(n: int = 50) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "set": ["s"] * n,
            "model": ["m"] * n,
            "id": [f"ex{place}" for place in range(n)],
            "premise": [f"The man saw {place} dogs." for place in range(n)],
            "hypothesis": ["The man saw dogs."] * n,
            "gold": ["neutral"] * n,
            "prediction": ["entailment"] * n,
            "confidence": [0.5] * (n - 1) + [None],
        }
    )


def filled(path: Path, categories: list[str], *, separator: str = ",") -> Path:
    """Fill in a sheet as a person does, and save it as a spreadsheet may."""
    sheet = sample_errors(errors(len(categories)), sample=len(categories))
    done = sheet.with_columns(pl.Series("category", categories))
    path.write_text(done.write_csv(separator=separator, line_terminator="\r\n"), encoding="utf-8", newline="")
    return path


def test_a_sample_has_all_columns_and_a_blank_category() -> None:
    sheet = sample_errors(errors(), sample=10, seed=1)
    assert tuple(sheet.columns) == COLUMNS
    assert sheet.height == sheet["id"].n_unique() == 10
    assert set(sheet["category"]) == {""}
    assert set(sheet["suggested"]) == {"word overlap"}
    assert sheet["evidence"][0].startswith("word overlap: 4 of 4 ")


def test_the_sample_depends_on_the_seed_and_not_on_the_order() -> None:
    whole = errors()
    first = sample_errors(whole, sample=10, seed=1)
    assert first.equals(sample_errors(whole.reverse(), sample=10, seed=1))
    assert not first.equals(sample_errors(whole, sample=10, seed=2))
    assert sample_errors(whole, sample=10, seed=-1).height == 10
    assert sample_errors(whole, sample=1000)["id"].n_unique() == whole.height


def test_answers_without_a_label_are_left_out() -> None:
    some = errors(4).with_columns(prediction=pl.Series(["entailment", "unreadable", "refused", "entailment"]))
    assert sample_errors(some, sample=10)["id"].to_list() == ["ex0", "ex3"]
    with pytest.raises(rr.InputError, match="model or set"):
        sample_errors(some[1:3], sample=10)


@pytest.mark.parametrize("ending", [".csv", ".tsv"])
@given(texts=st.lists(TEXT, min_size=1, max_size=5))
def test_any_text_reads_back_and_no_cell_is_a_formula(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], ending: str
) -> None:
    path = tmp_path_factory.mktemp("sheets") / f"sheet{ending}"
    some = errors(len(texts)).with_columns(pl.Series("premise", texts, dtype=pl.String))
    sheet = sample_errors(some, sample=10)
    write_sheet(sheet, path, ending)
    assert [line.cells["premise"] for line in read_sheet(path)] == sheet["premise"].to_list()
    assert all(set(line.cells) == set(COLUMNS) for line in read_sheet(path))


def test_formulas_are_made_inert() -> None:
    some = errors(4).with_columns(premise=pl.Series(["=1+1", "+x", "-y", "@z"]))
    page = render_sheet(sample_errors(some, sample=4))
    assert all(f",'{text}," in page for text in ("=1+1", "+x", "-y", "@z"))


@pytest.mark.parametrize(
    ("word", "category"),
    [
        ("Word Overlap", "word overlap"),
        ("numerical_reasoning", "numerical reasoning"),
        (" real-world  knowledge ", "real world knowledge"),
        ("spelling", "grammaticality"),
        ("typo", None),
        ("", None),
    ],
)
def test_categories_are_understood(word: str, category: str | None) -> None:
    assert parse_category(word) == category


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_tally_counts_what_was_filled_in(tmp_path: Path, separator: str) -> None:
    chosen = ["word overlap"] * 5 + ["Negation", "UNKNOWN", "unknown"] + ["", " "]
    found = tally_sheet(filled(tmp_path / "sheet.csv", chosen, separator=separator))
    assert (found.sorted, found.blank) == (8, 2)
    counts = dict(found.table.select("category", "n").rows())
    assert counts == {**dict.fromkeys(CATEGORIES, 0), "word overlap": 5, "negation": 1, "unknown": 2}
    assert found.table["share"].sum() == pytest.approx(1)
    assert (found.table["share_low"] <= found.table["share"]).all()
    assert found.agreement.select("suggested", "chosen", "of").rows() == [
        ("word overlap", 5, 8),
        ("all", 5, 8),
    ]


def test_unknown_categories_are_refused_with_their_lines(tmp_path: Path) -> None:
    path = filled(tmp_path / "sheet.csv", ["unknown", "typo", "", "oops", "ambiguity"])
    with pytest.raises(rr.InputError, match=r"lines 3 \('typo'\), 5 \('oops'\): .*word overlap"):
        tally_sheet(path)


def test_line_numbers_count_the_lines_of_the_file(tmp_path: Path) -> None:
    some = errors(2).with_columns(premise=pl.Series(["one\ntwo\nthree", "x"]))
    sheet = sample_errors(some, sample=2).with_columns(category=pl.Series(["unknown", "typo"]))
    path = tmp_path / "sheet.csv"
    write_sheet(sheet, path, ".csv")
    with pytest.raises(rr.InputError, match=r"line 5 \('typo'\)"):
        tally_sheet(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"id,premise\nex1,x\n", "line 1: .*'suggested'"),
        (b"", "line 1: .*'id'"),
        (b"id,suggested,category\nex1,,\n", "last column"),
        (b"id,suggested,category\nex1,unknown\n", "line 2: 2 cells.* 3"),
        (b"id,suggested,category\nex1,\xff,unknown\n", "not UTF-8"),
        (b"id,suggested,category\nex1,," + b"x" * 200_000, "131072"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: bytes, message: str) -> None:
    path = tmp_path / "sheet.csv"
    path.write_bytes(text)
    with pytest.raises(rr.InputError, match=message):
        tally_sheet(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(rr.InputError, match=r"none\.csv .*: No such file"):
        tally_sheet(tmp_path / "none.csv")


def test_the_table_has_the_published_shares_beside(tmp_path: Path) -> None:
    path = filled(tmp_path / "sheet.csv", ["word overlap", "antonymy"])
    kinds, suggestions = make_error_tally_tables(tally_sheet(path))
    assert kinds.frame["matched"].null_count() == kinds.frame["mismatched"].null_count() == 0
    assert "| word overlap | 1 | 0.50 (0.09-0.91) | 0.29 | 0.28 |" in render_markdown(kinds)
    assert any(note.endswith(": unknown 1.") for note in kinds.notes)
    assert "| all | 1 | 2 | 0.50 (0.09-0.91) |" in render_markdown(suggestions)
