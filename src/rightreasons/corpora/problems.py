"""Tables of texts by their columns: the word problems of AQuA-RAT, GSM8K and SVAMP, and texts without more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Reader = Callable[[pl.DataFrame], pl.DataFrame]

GENRE = "word problems"
LETTERS = {letter: number for number, letter in enumerate("ABCDE")}
NOTHING = pl.lit(None, dtype=pl.String)
_OPTION = r"(?s)^\s*([A-E])\s*\)\s*(.*?)\s*$"  # "A)21", and "A ) 21" in the files with tokens
_SUM = r"<<[^>]*>>"  # what GSM8K's calculator did
_RESULT = r"####\s*([^\n]+?)\s*$"


def text_reader(columns: Iterable[str]) -> Reader | None:
    """Find the way from a table with these columns to id, text, genre, answer and rationale."""
    names = set(columns)
    return next((reader for needed, reader in READERS if names >= needed), None)


def _aqua(table: pl.DataFrame) -> pl.DataFrame:
    """Read AQuA-RAT: the answer is the text of the right option."""
    right = pl.col("correct").str.strip_chars()
    option = pl.col("options").list.get(right.replace_strict(LETTERS, default=None), null_on_oob=True)
    answer = pl.when(option.str.extract(_OPTION, 1) == right).then(option.str.extract(_OPTION, 2))
    return table.select(
        _numbered("aqua"),
        pl.col("question").alias("text"),
        pl.lit(GENRE).alias("genre"),
        answer.alias("answer"),
        pl.col("rationale"),
    )


def _gsm8k(table: pl.DataFrame) -> pl.DataFrame:
    """Read GSM8K: the answer stands behind the rationale."""
    whole = pl.col("answer").cast(pl.String)
    rationale = whole.str.replace(r"\s*####[^\n]*\s*$", "").str.replace_all(_SUM, "")
    return table.select(
        _numbered("gsm8k"),
        pl.col("question").alias("text"),
        pl.lit(GENRE).alias("genre"),
        whole.str.extract(_RESULT).alias("answer"),
        rationale.alias("rationale"),
    )


def _svamp(table: pl.DataFrame) -> pl.DataFrame:
    """Read SVAMP: body and question in one text, a comma between where the body is half a sentence."""
    body, question = (pl.col(name).str.strip_chars() for name in ("Body", "Question"))
    between = pl.when(body.str.contains(r"[.!?,;:]$")).then(pl.lit(" ")).otherwise(pl.lit(", "))
    own = pl.col("ID").cast(pl.String) if "ID" in table.columns else _numbered("svamp")
    return table.select(
        own.alias("id"),
        pl.concat_str(body, between, question).alias("text"),
        pl.lit(GENRE).alias("genre"),
        pl.col("Answer").cast(pl.String).str.replace(r"\.0$", "").alias("answer"),
        NOTHING.alias("rationale"),
    )


def _texts(table: pl.DataFrame) -> pl.DataFrame:
    """Read texts with what else of the columns is there."""
    wanted = ("id", "text", "genre", "answer", "rationale")
    there = [pl.col(name) if name in table.columns else NOTHING.alias(name) for name in wanted]
    typed = table.select(column.cast(pl.String) for column in there)
    return typed.with_columns(pl.coalesce("id", _numbered("line")).alias("id"))


def _numbered(kind: str) -> pl.Expr:
    return pl.format(f"{kind}-{{}}", pl.int_range(1, pl.len() + 1)).alias("id")


READERS: tuple[tuple[frozenset[str], Reader], ...] = (
    (frozenset({"question", "options", "rationale", "correct"}), _aqua),
    (frozenset({"question", "answer"}), _gsm8k),
    (frozenset({"Body", "Question", "Answer"}), _svamp),
    (frozenset({"text"}), _texts),
)
