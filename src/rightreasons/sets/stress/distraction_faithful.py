"""The distraction tests as the released script made them: what follows a text's first mark is thrown away.

The script looks for a mark in the hypothesis's parse, and cuts the raw text at its first full stop, exclamation or
question mark, be it in "Mr." or in "4.75". It edits hypotheses only; here the premise is edited by the same rule.
"""

from __future__ import annotations

import polars as pl

# In a parse a mark stands before a space or a bracket; in raw text closing quotes may come first.
_IN_PARSE = r"[.!?][\s)]"
_IN_TEXT = r"""[.!?](?:[\s"'’”)\]]|$)"""  # noqa: RUF001 - a real quotation mark
_BEFORE = r"^([^.!?]*)[.!?]"
_MARK = r"^[^.!?]*([.!?] *)"


def edited(pairs: pl.DataFrame, side: str, clause: str) -> pl.DataFrame:
    """Say what the script takes out and puts in; pairs come sorted by premise, as it wrote them."""
    text = pl.col(side)
    before = text.str.extract(_BEFORE)
    cut = before.is_not_null() & _ends(pairs, side)
    mark = text.str.extract(_MARK)
    lost = cut & (pl.concat_str(before, mark) != text)
    at = pl.when(cut).then(before).otherwise(text).str.len_chars()
    return pairs.with_columns(
        at.cast(pl.Int64).alias("edit_at"),
        pl.when(lost).then(text.str.strip_prefix(before)).otherwise(pl.lit("")).alias("edit_from"),
        pl.when(lost).then(pl.concat_str(pl.lit(clause), mark)).otherwise(pl.lit(clause)).alias("edit_to"),
    ).sort("premise", maintain_order=True)


def _ends(pairs: pl.DataFrame, side: str) -> pl.Expr:
    """Tell where the script saw a mark: in the parse where there is one, else in the text."""
    in_text = pl.col(side).str.contains(_IN_TEXT)
    parse = f"{side}_parse"
    if parse not in pairs.columns:
        return in_text
    return pl.coalesce(pl.col(parse).str.contains(_IN_PARSE), in_text)
