"""Answers meet pairs by id, never by position: one for each pair, and none besides."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.core.labels import PROBABILITIES
from rightreasons.io.tables import place


def align(
    pairs: pl.DataFrame, answers: pl.DataFrame, path: str | Path | None = None, *, part: bool = False
) -> pl.DataFrame:
    """Put the answers in the order of the pairs, by id: one for each pair and none besides.

    The path, where given, is the file that the answers were read from, row by row, and is named in errors.
    With `part` the pairs are only a part of those that were answered, and other answers are left alone.
    """
    place_of = None if path is None else Path(path)
    _check_columns(answers, place_of)
    ids = pairs["id"].cast(pl.String)
    if ids.n_unique() != ids.len() or ids.null_count():
        row = (ids.is_null() | ids.is_duplicated()).arg_true()[0]
        raise InputError(
            f"The set has the id {ids[row]!r} more than once or blank. Give every pair its own id."
        )
    if ids.equals(answers["id"]):
        return answers
    found = ids.to_frame().join(answers, on="id", how="left", maintain_order="left")
    # As many answers as pairs, and each pair met one: so none is missing, repeated or extra.
    extra = answers.height != ids.len() and not part
    if found.height == ids.len() and not extra and not found["label"].null_count():
        return found
    check_distinct(answers, place_of)
    if not part:
        check_known(answers, ids, place_of)
    raise _lacking(ids, answers, place_of)


def join(pairs: pl.DataFrame, answers: pl.DataFrame, path: str | Path | None = None) -> pl.DataFrame:
    """Set the answers beside their pairs: the label as `answer`, and the probabilities."""
    known = [name for name in PROBABILITIES.values() if name in answers.columns]
    columns = align(pairs, answers, path).select(pl.col("label").alias("answer"), *known)
    taken = [name for name in columns.columns if name in pairs.columns]
    if taken:
        raise InputError(f"The set already has a column {taken[0]!r}. Rename that tag.")
    return pairs.hstack(columns)


def _check_columns(answers: pl.DataFrame, path: Path | None) -> None:
    """Refuse answers without ids or labels."""
    for name in ("id", "label"):
        if answers.schema.get(name) != pl.String:
            raise InputError(f"The answers have no column {name!r} of strings. Give one to every answer.")
        refuse(path, blank(answers[name]), f"the {name} is blank", f"Give every answer a {name}.")


def check_distinct(answers: pl.DataFrame, path: Path | None) -> None:
    """Refuse an id that has an answer already."""
    _check_ids(answers["id"], ~answers["id"].is_first_distinct(), "is repeated", path)


def check_known(answers: pl.DataFrame, ids: pl.Series, path: Path | None) -> None:
    """Refuse an id that no pair has."""
    _check_ids(answers["id"], ~answers["id"].is_in(ids.implode()), "is not in the set", path)


def _lacking(ids: pl.Series, answers: pl.DataFrame, path: Path | None) -> InputError:
    """Say which ids have no answer and how many; a file's last line is where they are not."""
    missing = (~ids.is_in(answers["id"].implode())).arg_true()
    ends = path is not None and answers.height > 0
    where = f"{at(path, answers.height - 1)}: the file ends here and lacks" if ends else "The answers lack"
    first = f"the first is {ids[missing[0]]!r}, row {missing[0] + 1:,} of the set"
    return InputError(
        f"{where} {missing.len():,} of {ids.len():,} ids; {first}. Answer every pair of the set."
    )


def _check_ids(ids: pl.Series, wrong: pl.Series, what: str, path: Path | None) -> None:
    """Refuse the first wrong id by its name and place."""
    if wrong.any():
        refuse(
            path,
            wrong,
            f"the id {ids.filter(wrong)[0]!r} {what}",
            "Give one answer for each pair of the set.",
        )


def refuse(path: Path | None, wrong: pl.Series, what: str, advice: str) -> None:
    """Raise an error that names the first wrong row and counts all, if any row is wrong."""
    rows = wrong.fill_null(value=False).arg_true()
    if rows.len():
        more = f" (so in {rows.len():,} rows)" if rows.len() > 1 else ""
        raise InputError(f"{at(path, rows[0])}: {what}{more}. {advice}")


def at(path: Path | None, row: int) -> str:
    """Name a row of answers, counted from 0, as a person finds it: by file and line, if there is a file."""
    return f"The answers, row {row + 1}" if path is None else place(path, row)


def blank(values: pl.Series) -> pl.Series:
    """Say which values are null, or nothing but spaces."""
    return values.is_null() | (values.cast(pl.String).str.strip_chars() == "")
