"""The faithful mode cuts texts at their first mark, as the released script did, and says what it cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core.edits import has_consistent_edit, undo_edits
from rightreasons.sets.stress.distraction import Attachment, LengthMismatch, WordOverlap, distract_pairs

if TYPE_CHECKING:
    from pathlib import Path


def corpus(*texts: str) -> pl.DataFrame:
    """Make pairs whose premises are in order."""
    return pl.DataFrame(
        {
            "id": [f"{number}n" for number in range(len(texts))],
            "premise": [f"{number:04}" for number in range(len(texts))],
            "hypothesis": texts,
            "label": ["neutral"] * len(texts),
            "genre": pl.Series([None] * len(texts), dtype=pl.String),
        }
    )


def made(*texts: str, **parses: list[str | None]) -> pl.DataFrame:
    return distract_pairs(
        "stress/negation",
        corpus(*texts).with_columns(
            **{name: pl.Series(values, dtype=pl.String) for name, values in parses.items()}
        ),
        Attachment("T"),
        "faithful",
    )


@pytest.mark.parametrize(
    ("text", "expected", "lost"),
    [
        ("He left.", "He left and T.", ""),
        ("He left", "He left and T", ""),
        ("Mr. Li is here.", "Mr and T. ", ". Li is here."),
        ("$4.75 is saved.", "$4 and T.", ".75 is saved."),
        ('He said "go."', 'He said "go and T.', '."'),
        ("Did he? No. ", "Did he and T? ", "? No. "),
        ("version 4.75 of it", "version 4.75 of it and T", ""),
        ("He left. ", "He left and T. ", ""),
        ("...", " and T.", "..."),
    ],
)
def test_what_follows_the_first_mark_is_gone(text: str, expected: str, lost: str) -> None:
    rows = made(text)
    assert rows["hypothesis"].to_list() == [expected]
    assert rows["edit_from"].to_list() == [lost]
    assert undo_edits(rows).to_list() == [text]


def test_the_parse_decides_where_there_is_one() -> None:
    parses = ["(S (X 4.75) (. .))", "(S (X 4.75))", None]
    rows = made("4.75", "4.75", "4.75", hypothesis_parse=parses)
    assert rows["hypothesis"].to_list() == ["4 and T.", "4.75 and T", "4.75 and T"]


@given(st.lists(st.one_of(st.text(), st.text("aB.!? \"'")), min_size=1, max_size=6))
def test_the_cut_can_be_undone_whatever_the_text(texts: list[str]) -> None:
    rows = made(*texts)
    assert undo_edits(rows).to_list() == texts
    assert has_consistent_edit(rows).all()
    assert rows.height == len(texts)


@pytest.mark.parametrize(("part", "damaged"), [(WordOverlap, 209), (LengthMismatch, 1_008)])
def test_the_damage_to_a_real_corpus_is_counted(
    part: type[WordOverlap], damaged: int, shared_data: Path
) -> None:
    file = str(shared_data / "mnli" / "dev_matched.csv")
    plan = part(corpus=(file,), mode="faithful").plan(size=None, limit=None, seed=0, split="eval")
    rows = plan.rows(0, len(plan))
    assert (rows["edit_from"] != "").sum() == damaged
    assert any(remark.startswith(f"{damaged:,} of 9,815 ") for remark in plan.card.remarks)
    if part is WordOverlap:
        assert rows["premise"].to_list() == sorted(rows["premise"])
