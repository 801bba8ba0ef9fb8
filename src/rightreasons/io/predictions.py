"""The table of predictions, read from a prediction file and checked.

Columns: `id`, `label`, where known `p_entailment`, `p_neutral`, `p_contradiction`, `p_non_entailment`, and `text`, the
output of a language model. If that is not a label, or the pair was not predicted, `label` is a word of labels.NO_LABEL.
Checks run over whole columns; the line is searched for only if something is wrong.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core import labels
from rightreasons.core.column_checks import cast_column_to_string, check_column_names
from rightreasons.core.errors import InputError
from rightreasons.io.alignment import (
    align_by_id,
    format_prediction_location,
    is_blank_value,
    join_by_id,
    refuse_wrong_rows,
)
from rightreasons.io.inputs import get_spooled_path
from rightreasons.io.tables import detect_format, read_table

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["align_by_id", "check_probabilities", "join_by_id", "read_predictions"]

# A file of pairs with predictions has the gold label, too, so the first group that occurs is used.
ID_NAMES = ("id", "pairid", "pair_id", "uid", "idx")
LABEL_NAMES = (("prediction", "pred", "predicted_label"), ("label", "gold_label"))
PROBABILITY_OBJECT_NAMES = ("probs", "scores")
TEXT_COLUMN = "text"
TOLERANCE = 1e-3 + 1e-9  # three figures rounded to .333 are just within


def read_predictions(path: str | Path) -> pl.DataFrame:
    """Read a prediction file; anything wrong is an InputError that names the line."""
    path = Path(path)
    columns = _lowercase_column_names(path, read_table(path))
    label = _find_label_column(path, columns)
    ids = cast_column_to_string(columns[_find_id_column(path, columns)], str(path)).alias("id")
    if columns.is_empty():
        raise InputError(f"{path} has a header but no predictions. Add an id and a label for every pair.")
    refuse_wrong_rows(path, is_blank_value(ids), "the id is blank", "Give every prediction an id.")
    numbers = _collect_probability_columns(path, columns)
    if label is None:
        predicted = _select_most_probable_labels(path, numbers)
    else:
        predicted = _resolve_labels(path, cast_column_to_string(columns[label], str(path)).alias("label"))
    table = pl.DataFrame([ids, predicted, *numbers, *_select_raw_outputs(columns)])
    check_probabilities(table, path)
    return table


def _select_raw_outputs(columns: pl.DataFrame) -> list[pl.Series]:
    """Keep the raw output of a language model, if there is any."""
    columns_of_text = [columns[name] for name in (TEXT_COLUMN,) if name in columns.columns]
    return [column.cast(pl.String) for column in columns_of_text if not column.dtype.is_nested()]


def _lowercase_column_names(path: Path, columns: pl.DataFrame) -> pl.DataFrame:
    """Name the columns in lower case; two names must not become one."""
    names = [name.strip().casefold() for name in columns.columns]
    check_column_names(str(path), names)
    return columns.rename(dict(zip(columns.columns, names, strict=True)))


def _find_id_column(path: Path, columns: pl.DataFrame) -> str:
    """Find the column of ids."""
    for name in ID_NAMES:
        if name in columns.columns:
            return name
    raise _build_header_error(path, columns, "an id")


def _find_label_column(path: Path, columns: pl.DataFrame) -> str | None:
    """Find the column of predicted labels, or None where there are probabilities; two of them are an error."""
    for group in LABEL_NAMES:
        names = [name for name in group if name in columns.columns]
        if len(names) > 1:
            what = f"{path} has the columns {' and '.join(names)}, and either could be the prediction."
            raise InputError(f"{what} Remove the column that is not.")
        if names:
            return names[0]
    if any(_is_probability_column(name) or name in PROBABILITY_OBJECT_NAMES for name in columns.columns):
        return None
    raise _build_header_error(path, columns, "a label")


def _build_header_error(path: Path, columns: pl.DataFrame, missing: str) -> InputError:
    """Build the error for a header that lacks a column, or is not one."""
    names = ", ".join(columns.columns)
    advice = "Begin the file with a header such as pairID,gold_label or id,label."
    where = f"{path}" if detect_format(path) == "parquet" else f"{path}, line 1"
    if any(labels.find_label(name) for name in columns.columns):
        return InputError(f"{where}: {names!r} is data, not a header. {advice}")
    return InputError(f"{where}: none of the columns {names!r} contains {missing}. {advice}")


def _resolve_labels(path: Path, words: pl.Series) -> pl.Series:
    """Resolve the labels; the error names the line of the first unknown word."""
    refuse_wrong_rows(path, is_blank_value(words), "the label is blank", "Give every prediction a label.")
    different = words.unique(maintain_order=True).to_list()
    unknown = [word for word in different if labels.find_predicted_label(word) is None]
    cut = _find_truncated_label(path, words, different)
    if unknown:
        wrong = words.is_in(pl.Series(unknown, dtype=pl.String).implode()).arg_true()
        more = f" (in {wrong.len():,} rows)" if wrong.len() > 1 else ""
        end = " The last line has no line break, so the file may be truncated." if cut else ""
        raise InputError(
            f"{format_prediction_location(path, wrong[0])}{more}: {labels.explain_unknown_label(words[wrong[0]])}{end}"
        )
    if cut:
        what = f"{format_prediction_location(path, words.len() - 1)}: the file ends in {cut!r} without a line break"
        raise InputError(f"{what}, so it may be truncated. Create it again, or add the line break.")
    return labels.resolve_predictions(words)


def _find_truncated_label(path: Path, words: pl.Series, different: list[str]) -> str | None:
    """Return the last label if it is a beginning of another one, in a text file without a last line end.

    A file cut off after "ex9,n" would else be read as the short word for neutral.
    """
    last = str(words[-1])
    if detect_format(path) not in ("csv", "tsv") or (words == last).sum() > 1:
        return None
    with get_spooled_path(path).open("rb") as file:
        file.seek(-1, 2)
        ended = file.read() == b"\n"
    longer = any(
        word != last and word.startswith(last) for word in (*different, *labels.LABELS, *labels.NO_LABEL)
    )
    return last if longer and not ended else None


def _select_most_probable_labels(path: Path, numbers: list[pl.Series]) -> pl.Series:
    """Take the most probable label of each row, where all are known and one is ahead."""
    names = {name: label for label, name in labels.PROBABILITIES.items()}
    known = [column.name for column in numbers]
    if {names[name] for name in known} not in (set(labels.TWO_LABELS), set(labels.THREE_LABELS)):
        what = f"{path} has no labels; its probabilities are {', '.join(known) or 'none'}."
        raise InputError(
            f"{what} Add a label for every pair, or the probabilities of all labels (two or three)."
        )
    table = pl.DataFrame(numbers)
    refuse_wrong_rows(
        path,
        _evaluate_condition(table, pl.any_horizontal(pl.all().is_null())),
        "a probability is blank",
        "Give all probabilities.",
    )
    most = pl.max_horizontal(pl.all())
    tied = pl.sum_horizontal(pl.col(name) == most for name in known) > 1
    refuse_wrong_rows(
        path,
        _evaluate_condition(table, tied),
        "two labels are equally probable",
        "Add a column `label` with the predicted labels to the file.",
    )
    first = pl.coalesce(pl.when(pl.col(name) == most).then(pl.lit(names[name])) for name in known)
    return table.select(first.alias("label"))["label"]


def _is_probability_column(name: str) -> bool:
    return name.startswith("p_") and labels.find_label(name[2:]) is not None


def _collect_probability_columns(path: Path, columns: pl.DataFrame) -> list[pl.Series]:
    """Collect the columns of probabilities, in the order of the labels."""
    probabilities: dict[str, pl.Series] = {}
    for word, values in _iterate_probability_columns(path, columns):
        label = labels.find_label(word)
        if label is None:
            raise InputError(f"{path}: {labels.explain_unknown_label(word)}")
        name = labels.PROBABILITIES[label]
        if name in probabilities:
            raise InputError(f"{path} has {name} twice. Give each probability once.")
        if values.dtype.is_nested():
            raise InputError(f"{path}: {name} contains lists or objects. Use numbers from 0 to 1.")
        numbers = values.cast(pl.Float64, strict=False).alias(name)
        refuse_wrong_rows(
            path,
            numbers.is_null() & ~is_blank_value(values),
            f"{name} is not a number",
            "Use numbers from 0 to 1.",
        )
        probabilities[name] = numbers
    return [probabilities[name] for name in labels.PROBABILITIES.values() if name in probabilities]


def _iterate_probability_columns(path: Path, columns: pl.DataFrame) -> Iterator[tuple[str, pl.Series]]:
    """List label words with their columns of numbers: `p_<label>`, or the fields of an object."""
    for name in columns.columns:
        if _is_probability_column(name):
            yield name[2:], columns[name]
        elif name in PROBABILITY_OBJECT_NAMES:
            if not isinstance(columns.schema[name], pl.Struct):
                what = f"{path}: {name!r} doesn't state which number belongs to which label."
                raise InputError(f'{what} Use an object such as {{"entailment": 0.9, "neutral": 0.1, ...}}.')
            yield from ((field.name, field) for field in columns[name].struct.unnest())


def check_probabilities(predictions: pl.DataFrame, path: Path | None) -> None:
    """Refuse probabilities outside 0 to 1, that don't add up to 1, or that disagree with the label."""
    names = [name for name in labels.PROBABILITIES.values() if name in predictions.columns]
    if not names:
        return
    outside = pl.any_horizontal(~pl.col(name).is_between(0, 1) for name in names)
    refuse_wrong_rows(
        path,
        _evaluate_condition(predictions, outside),
        "a probability is not between 0 and 1",
        "Use numbers from 0 to 1.",
    )
    full = labels.add_missing_probability_columns(predictions)
    yes, neutral, contra, no = (pl.col(name) for name in labels.PROBABILITIES.values())
    three = pl.sum_horizontal(yes, neutral, contra)
    # Beside those of neutral and contradiction, the probability of non-entailment must be their sum.
    some = neutral.is_not_null() | contra.is_not_null()
    apart = some & ((no - pl.sum_horizontal(neutral, contra)).abs() > TOLERANCE)
    what = f"{labels.PROBABILITIES[labels.NON_ENTAILMENT]} is not the sum of the two that it stands for"
    refuse_wrong_rows(path, _evaluate_condition(full, apart), what, "Correct it, or remove the column.")
    total = pl.when(some).then(three).otherwise(pl.sum_horizontal(yes, no))
    known = pl.any_horizontal(pl.col(name).is_not_null() for name in names)
    none = known & ~labels.has_label(pl.col("label"))
    refuse_wrong_rows(
        path,
        _evaluate_condition(full, none),
        "a prediction without a label has probabilities",
        "Leave its probabilities blank.",
    )
    wrong = known & ((total - 1).abs() > TOLERANCE)
    refuse_wrong_rows(
        path,
        _evaluate_condition(full, wrong),
        "the probabilities don't add up to 1",
        "Give the probabilities of all labels.",
    )
    refuse_wrong_rows(
        path,
        _evaluate_condition(full, _build_disagreement_condition()),
        "another label is more probable than the predicted one",
        "Check the names of the probability columns.",
    )


def _evaluate_condition(table: pl.DataFrame, condition: pl.Expr) -> pl.Series:
    """Evaluate a condition for every row."""
    return table.select(condition.alias("wrong"))["wrong"]


def _build_disagreement_condition() -> pl.Expr:
    """Find where another label is more probable than the predicted one; ties agree."""
    yes, neutral, contra, no = (pl.col(name) for name in labels.PROBABILITIES.values())
    own = {
        labels.ENTAILMENT: (yes, pl.coalesce(pl.max_horizontal(neutral, contra), no)),
        labels.NEUTRAL: (pl.coalesce(neutral, no), pl.max_horizontal(yes, contra)),
        labels.CONTRADICTION: (pl.coalesce(contra, no), pl.max_horizontal(yes, neutral)),
        labels.NON_ENTAILMENT: (pl.coalesce(no, neutral + contra), yes),
    }
    return pl.any_horizontal((pl.col("label") == label) & (p < other) for label, (p, other) in own.items())
