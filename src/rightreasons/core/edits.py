"""An edit of a text: what stood where, and what stands there now; undoing it gives the text back.

Sets that change a sentence carry these tags: `side` (premise or hypothesis: the one that was edited), `edit_at` (the
number of characters before the edit), `edit_from` (what was taken out) and `edit_to` (what was put in). Before them
stand the tags that say which pair was changed: `source_id`, `source_label`, and so on.
"""

from __future__ import annotations

import polars as pl

SOURCE_TAGS = ("set", "subcase", "group", "genre", "source_id", "source_label")
EDIT_TAGS = ("side", "edit_at", "edit_from", "edit_to")


def build_source_tags(name: str, subcase: pl.Expr | str) -> list[pl.Expr]:
    """Build the tags of pairs that a set derives from the pairs of a corpus."""
    return [
        pl.lit(name).alias("set"),
        (pl.lit(subcase) if isinstance(subcase, str) else subcase).alias("subcase"),
        pl.col("id").alias("group"),
        pl.col("genre").cast(pl.String),
        pl.col("id").alias("source_id"),
        pl.col("label").alias("source_label"),
    ]


def replace_at_offset(text: pl.Expr, at: pl.Expr, old: pl.Expr, new: pl.Expr) -> pl.Expr:
    """Replace the old string at an offset of a text, counted in characters, by the new one."""
    return pl.concat_str(text.str.slice(0, at), new, text.str.slice(at + old.str.len_chars()))


def select_edited_text() -> pl.Expr:
    """Select the text that was edited."""
    return pl.when(pl.col("side") == "premise").then("premise").otherwise("hypothesis")


def select_other_text() -> pl.Expr:
    """Select the text that was not edited."""
    return pl.when(pl.col("side") == "premise").then("hypothesis").otherwise("premise")


def undo_edits(pairs: pl.DataFrame) -> pl.Series:
    """Return the edited texts as they were before the edit."""
    text = replace_at_offset(select_edited_text(), pl.col("edit_at"), pl.col("edit_to"), pl.col("edit_from"))
    return pairs.select(text.alias("original")).to_series()


def has_consistent_edit(pairs: pl.DataFrame) -> pl.Series:
    """Return for each pair whether the inserted string is at the recorded offset."""
    stands = select_edited_text().str.slice(pl.col("edit_at"), pl.col("edit_to").str.len_chars())
    return pairs.select((stands == pl.col("edit_to")).alias("consistent")).to_series()
