"""Predictions are joined with pairs by id, never by position: exactly one for each pair."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from rightreasons.core.errors import InputError
from rightreasons.core.labels import PROBABILITIES
from rightreasons.io.tables import format_row_location


def align_by_id(
    pairs: pl.DataFrame, predictions: pl.DataFrame, path: str | Path | None = None, *, part: bool = False
) -> pl.DataFrame:
    """Put the predictions in the order of the pairs, by id: exactly one for each pair.

    The path, if given, is the file that the predictions were read from, row by row; errors name it.
    With `part`, the pairs are only a part of those that were predicted, and other predictions are ignored.
    """
    place_of = None if path is None else Path(path)
    _check_prediction_columns(predictions, place_of)
    ids = pairs["id"].cast(pl.String)
    if ids.n_unique() != ids.len() or ids.null_count():
        row = (ids.is_null() | ids.is_duplicated()).arg_true()[0]
        raise InputError(
            f"The id {ids[row]!r} of the set is blank or occurs more than once. Give every pair its own id."
        )
    if ids.equals(predictions["id"]):
        return predictions
    aligned = ids.to_frame().join(predictions, on="id", how="left", maintain_order="left")
    # As many predictions as pairs, and each pair met one: so none is missing, repeated or extra.
    extra = predictions.height != ids.len() and not part
    if aligned.height == ids.len() and not extra and not aligned["label"].null_count():
        return aligned
    refuse_repeated_ids(predictions, place_of)
    if not part:
        refuse_unknown_ids(predictions, ids, place_of)
    raise _build_missing_ids_error(ids, predictions, place_of)


def join_by_id(
    pairs: pl.DataFrame, predictions: pl.DataFrame, path: str | Path | None = None
) -> pl.DataFrame:
    """Add the predictions to their pairs: the label as `answer`, and the probabilities."""
    known = [name for name in PROBABILITIES.values() if name in predictions.columns]
    columns = align_by_id(pairs, predictions, path).select(pl.col("label").alias("answer"), *known)
    clashing = [name for name in columns.columns if name in pairs.columns]
    if clashing:
        raise InputError(f"The set already has a column {clashing[0]!r}. Rename this tag of the set.")
    return pairs.hstack(columns)


def _check_prediction_columns(predictions: pl.DataFrame, path: Path | None) -> None:
    """Refuse predictions without ids or labels."""
    for name in ("id", "label"):
        if predictions.schema.get(name) != pl.String:
            raise InputError(
                f"The predictions have no string column {name!r}. Add the column, or convert it to strings."
            )
        refuse_wrong_rows(
            path,
            is_blank_value(predictions[name]),
            f"the {name} is blank",
            f"Give every prediction {'an' if name == 'id' else 'a'} {name}.",
        )


def refuse_repeated_ids(predictions: pl.DataFrame, path: Path | None) -> None:
    """Refuse an id that has two predictions."""
    _refuse_wrong_id(predictions["id"], ~predictions["id"].is_first_distinct(), "is repeated", path)


def refuse_unknown_ids(predictions: pl.DataFrame, ids: pl.Series, path: Path | None) -> None:
    """Refuse an id that no pair has."""
    _refuse_wrong_id(predictions["id"], ~predictions["id"].is_in(ids.implode()), "is not in the set", path)


def _build_missing_ids_error(ids: pl.Series, predictions: pl.DataFrame, path: Path | None) -> InputError:
    """Build the error for ids without a prediction; it names the last line of the file."""
    missing = (~ids.is_in(predictions["id"].implode())).arg_true()
    ends = path is not None and predictions.height > 0
    where = (
        f"{format_prediction_location(path, predictions.height - 1)}: the file ends here and lacks"
        if ends
        else "The predictions lack"
    )
    first = f"the first is {ids[missing[0]]!r}, row {missing[0] + 1:,} of the set"
    return InputError(
        f"{where} {missing.len():,} of {ids.len():,} ids; {first}. Predict every pair of the set."
    )


def _refuse_wrong_id(ids: pl.Series, wrong: pl.Series, what: str, path: Path | None) -> None:
    """Refuse the first wrong id by its name and place."""
    if wrong.any():
        refuse_wrong_rows(
            path,
            wrong,
            f"the id {ids.filter(wrong)[0]!r} {what}",
            "Give one prediction for each pair of the set.",
        )


def refuse_wrong_rows(path: Path | None, wrong: pl.Series, what: str, advice: str) -> None:
    """Raise an error that names the first wrong row and counts all, if any row is wrong."""
    rows = wrong.fill_null(value=False).arg_true()
    if rows.len():
        more = f" (in {rows.len():,} rows)" if rows.len() > 1 else ""
        raise InputError(f"{format_prediction_location(path, rows[0])}: {what}{more}. {advice}")


def format_prediction_location(path: Path | None, row: int) -> str:
    """Name a row of predictions, counted from 0, by file and line if there is a file."""
    return f"The predictions, row {row + 1}" if path is None else format_row_location(path, row)


def is_blank_value(values: pl.Series) -> pl.Series:
    """Find values that are null or blank."""
    return values.is_null() | (values.cast(pl.String).str.strip_chars() == "")
