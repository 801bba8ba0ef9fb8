"""Edits can be undone, to the character."""

from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core.edits import (
    build_source_tags,
    has_consistent_edit,
    replace_at_offset,
    select_other_text,
    undo_edits,
)

# What stands before the edit, what is taken out, what is put in, what stands after it.
PARTS = st.tuples(st.text(), st.text(), st.text(), st.text(), st.sampled_from(["premise", "hypothesis"]))


def edited(parts: list[tuple[str, str, str, str, str]]) -> pl.DataFrame:
    """Make pairs of a text edited by `replace_at_offset`, with the edit's tags."""
    names = ["before", "edit_from", "edit_to", "after", "side"]
    table = pl.DataFrame(parts, schema=dict.fromkeys(names, pl.String), orient="row")
    source = pl.concat_str("before", "edit_from", "after")
    at = pl.col("before").str.len_chars().cast(pl.Int64)
    table = table.with_columns(at.alias("edit_at"), source.alias("source"))
    new = replace_at_offset(pl.col("source"), pl.col("edit_at"), pl.col("edit_from"), pl.col("edit_to"))
    texts = {
        side: pl.when(pl.col("side") == side).then(new).otherwise(pl.lit("other"))
        for side in ("premise", "hypothesis")
    }
    return table.with_columns(**texts)


@given(st.lists(PARTS, min_size=1, max_size=5))
def test_undoing_gives_back_the_source(parts: list[tuple[str, str, str, str, str]]) -> None:
    pairs = edited(parts)
    assert undo_edits(pairs).to_list() == pairs["source"].to_list()
    assert has_consistent_edit(pairs).all()
    changed = pairs.select(
        pl.when(pl.col("side") == "premise").then("premise").otherwise("hypothesis")
    ).to_series()
    assert changed.to_list() == [before + new + after for before, _, new, after, _ in parts]
    assert pairs.select(select_other_text()).to_series().to_list() == ["other"] * len(parts)


def test_offsets_are_counted_in_characters() -> None:
    pairs = edited([("é😀 ", "أب", "z", "!", "hypothesis")])
    assert pairs["edit_at"].to_list() == [3]
    assert pairs["hypothesis"].to_list() == ["é😀 z!"]


def test_what_does_not_stand_there_is_found() -> None:
    pairs = edited([("a ", "b", "c", " d", "premise"), ("a ", "b", "c", " d", "premise")])
    moved = pairs.with_columns(pl.Series("edit_at", [2, 3]))
    assert has_consistent_edit(moved).to_list() == [True, False]


def test_source_tags_say_where_a_pair_comes_from() -> None:
    pairs = pl.DataFrame({"id": ["7n"], "label": ["neutral"], "genre": [None]})
    assert pairs.select(build_source_tags("stress/negation", "negation")).row(0, named=True) == {
        "set": "stress/negation",
        "subcase": "negation",
        "group": "7n",
        "genre": None,
        "source_id": "7n",
        "source_label": "neutral",
    }
