"""What every pair must have: a label, a unique id, two texts, and well-formed trees where there are parses.

Other files are refused with the line of the first failure; published corpora, which users can't correct, are repaired
and the repairs counted. Malformed trees are found in a whole column at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rightreasons.core.column_checks import ROW_COLUMN, cast_column_to_string
from rightreasons.core.errors import InputError
from rightreasons.core.labels import NO_GOLD, explain_unknown_label, find_label
from rightreasons.core.pairs import PARSE_COLUMNS, REQUIRED_COLUMNS, TEXTS
from rightreasons.core.trees import MAX_DEPTH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Where = Callable[[int], str]

OPEN, CLOSE, NEWLINE = b"()\n"
EMPTY = r"\(\s*\)"
SLICE = 16_384  # trees looked at together: their brackets are held several times over
CHILDLESS = r"\([^\s()]+\s*\)"
UNLABELLED = "No pair has a gold label, so predictions can't be scored against this file."
# Tags of edited pairs that are not texts, or may be empty.
_EDITS = ("edit_from", "edit_to")
_NUMBERS = ("edit_at", "position")
_TRUTHS = ("edited",)


def find_first_malformed_tree(trees: pl.Series, *, binary: bool = False) -> int | None:
    """Return the row of the first malformed tree, or None; nulls are skipped, a binary tree may be a bare word."""
    rows = mark_malformed_trees(trees, binary=binary).arg_true()
    return int(rows[0]) if len(rows) else None


def mark_malformed_trees(trees: pl.Series, *, binary: bool = False) -> pl.Series:
    """Return, for each tree, whether it is malformed; nulls are not, and a binary tree may be a bare word."""
    texts = trees.fill_null("").str.strip_chars()
    strange = texts.str.contains(EMPTY) | texts.str.contains("\n", literal=True)
    whole = texts.str.starts_with("(") & texts.str.ends_with(")")
    strange |= texts.str.contains(CHILDLESS)
    strange |= texts.str.contains(r"[\s()]" if binary else ".") & ~whole
    lines = texts.str.replace_all("\n", " ", literal=True)
    parts = [
        _mark_unbalanced_trees(lines[start : start + SLICE], binary=binary)
        for start in range(0, len(lines), SLICE)
    ]
    return strange | pl.concat(parts) if parts else strange


def _mark_unbalanced_trees(texts: pl.Series, *, binary: bool) -> pl.Series:
    """Return which close what they did not open, leave something open, have two roots, or too many levels."""
    letters = np.frombuffer((texts.str.join("\n").item() + "\n").encode(), dtype=np.uint8)
    marks = letters[(letters == OPEN) | (letters == CLOSE) | (letters == NEWLINE)]
    ends = marks == NEWLINE
    rows = np.cumsum(ends) - ends
    depth = np.cumsum((marks == OPEN).astype(np.int64) - (marks == CLOSE))
    depth -= np.concatenate(([0], depth[ends][:-1]))[rows]  # each tree starts at the ground again
    second_root = (marks[1:] == OPEN) & (depth[:-1] == 0) & ~ends[:-1]
    wrong = (ends & (depth != 0)) | (depth < 0)
    wrong[1:] |= second_root
    if not binary:  # in a binary parse each word may be a level of its own
        wrong |= depth > MAX_DEPTH
    unbalanced = np.zeros(len(texts), dtype=np.bool_)
    unbalanced[rows[wrong]] = True
    return pl.Series(unbalanced)


def repair_pairs(pairs: pl.DataFrame, trees: Iterable[str]) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Drop pairs with a blank text and malformed trees, make ids unique, and report the counts."""
    whole, blank = _drop_blank_texts(pairs)
    named, repeated = make_ids_unique(whole)
    planted, broken = drop_malformed_trees(named, trees)
    return planted, (*blank, *repeated, *broken)


def make_ids_unique(table: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Append #2, #3 and so on to repeated ids."""
    again = int((~table["id"].is_first_distinct()).sum())
    if not again:
        return table, []
    number = pl.int_range(1, pl.len() + 1).over("id")
    ids = pl.when(number > 1).then(pl.concat_str("id", number, separator="#")).otherwise("id")
    return table.with_columns(ids.alias("id")), [f"{again} ids are repeated: #2, #3 ... were appended."]


def _drop_blank_texts(pairs: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    texts = [name for name in TEXTS if name in pairs.columns]
    blank = (pl.col(name).is_null() | (pl.col(name).str.strip_chars() == "") for name in texts)
    whole = pairs.filter(~pl.any_horizontal(blank)) if texts else pairs
    gone = pairs.height - whole.height
    return whole, [f"{gone} of {pairs.height} pairs have a blank text and were left out."] if gone else []


def drop_malformed_trees(pairs: pl.DataFrame, trees: Iterable[str]) -> tuple[pl.DataFrame, list[str]]:
    """Replace malformed and blank trees by null, and report the malformed ones of each column."""
    remarks = []
    for name in (name for name in trees if name in pairs.columns):
        pairs = pairs.with_columns(pl.col(name).cast(pl.String))  # a column without any value has no type
        wrong = mark_malformed_trees(pairs[name], binary="binary" in name)
        if wrong.any():
            remarks.append(f"{wrong.sum()} trees in {name} are malformed and were left out.")
        pairs = pairs.with_columns(pl.when(~wrong & ~_is_blank(name)).then(name).alias(name))
    return pairs, remarks


def check_pairs(
    pairs: pl.DataFrame,
    where: Where,
    trees: Iterable[str] = (),
    *,
    repair: bool = False,
    labelled: bool = True,
    keep_unlabelled: bool = False,
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return the pairs with labels resolved and those without one left out, and remarks on that.

    `where` names the place of a row, for the error messages. Texts and trees are checked where they are there. With
    `repair`, blank texts, repeated ids and malformed trees are repaired and counted instead of refused. Where none of
    the pairs has a label, all are left out, which is an error; unless they need not be `labelled`, then none is. With
    `keep_unlabelled`, pairs without a gold label are kept among the others, with null as their label.
    """
    typed = _convert_columns_to_text(pairs, where).with_row_index(ROW_COLUMN)
    with_gold, without = (
        _clear_missing_labels(typed)
        if keep_unlabelled
        else _drop_unlabelled_pairs(typed, where, labelled=labelled)
    )
    whole, repairs = repair_pairs(with_gold, trees) if repair else (with_gold, ())
    if whole.is_empty():
        what = "two texts" if keep_unlabelled else "a label and two texts"
        raise InputError(f"{_name_file(where)} has no pair with {what}. Add at least one.")
    named = _resolve_gold_labels(whole, where)
    _check_ids(named, where)
    _check_texts(named, where)
    _check_trees(named, where, () if repair else trees)
    return _restore_edit_tag_types(_convert_ranks_to_numbers(named, where)).drop(ROW_COLUMN), (
        *without,
        *repairs,
    )


def _convert_columns_to_text(pairs: pl.DataFrame, where: Where) -> pl.DataFrame:
    """Convert required columns, and columns without any value, to text."""
    nothing = [name for name, kind in pairs.schema.items() if kind == pl.Null]
    needed = dict.fromkeys(
        [*(name for name in (*REQUIRED_COLUMNS, *PARSE_COLUMNS) if name in pairs.columns), *nothing]
    )
    return pairs.with_columns(cast_column_to_string(pairs[name], _name_file(where)) for name in needed)


def _drop_unlabelled_pairs(
    pairs: pl.DataFrame, where: Where, *, labelled: bool
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Drop the pairs without a gold label, and report how many."""
    labelled_pairs = pairs.filter(~_lacks_gold_label())
    if labelled_pairs.is_empty() and not labelled and not pairs.is_empty():
        return pairs.with_columns(label=pl.lit(None, dtype=pl.String)), (UNLABELLED,)
    if labelled_pairs.is_empty():
        raise InputError(f"{_name_file(where)} has no pair with a label. Add at least one.")
    gone = pairs.height - labelled_pairs.height
    return labelled_pairs, (
        f"{gone} of {pairs.height} pairs have no gold label and were left out.",
    ) if gone else ()


def _clear_missing_labels(pairs: pl.DataFrame) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Set labels that are none to null, and report how many."""
    missing = pairs.select(_lacks_gold_label()).to_series().sum()
    cleared = pairs.with_columns(pl.when(~_lacks_gold_label()).then("label").alias("label"))
    return cleared, (f"{missing} of {pairs.height} pairs have no gold label.",) if missing else ()


def _name_file(where: Where) -> str:
    return where(-1)


def _lacks_gold_label() -> pl.Expr:
    return pl.col("label").is_null() | pl.col("label").str.strip_chars().is_in(NO_GOLD)


def _raise_at_row(where: Where, row: int, what: str) -> None:
    raise InputError(f"{where(row)}: {what}")


def _resolve_gold_labels(pairs: pl.DataFrame, where: Where) -> pl.DataFrame:
    """Resolve every different word once."""
    words = pairs["label"].drop_nulls().unique(maintain_order=True).to_list()
    meanings = {word: find_label(word) for word in words}
    for word, label in meanings.items():
        if label is None:
            _raise_at_row(
                where, pairs.filter(pl.col("label") == word)[ROW_COLUMN][0], explain_unknown_label(word)
            )
    return pairs.with_columns(pl.col("label").replace(meanings))


def _check_ids(pairs: pl.DataFrame, where: Where) -> None:
    blank = _find_first_wrong_row(pairs, _is_blank("id"))
    if blank:
        _raise_at_row(where, blank[0], "the id is blank. Give every pair a unique id.")
    if pairs["id"].n_unique() < pairs.height:
        again = pairs.filter(~pl.col("id").is_first_distinct())
        name, count = again["id"][0], again.height
        first = where(pairs.filter(pl.col("id") == name)[ROW_COLUMN][0])
        what = f"the id {name!r} already occurs ({first}); {count} ids are repeated"
        _raise_at_row(where, again[ROW_COLUMN][0], f"{what}. Give every pair a unique id.")


def _check_texts(pairs: pl.DataFrame, where: Where) -> None:
    for name in (text for text in TEXTS if text in pairs.columns):
        blank = _find_first_wrong_row(pairs, _is_blank(name))
        if blank:
            _raise_at_row(where, blank[0], f"the {name} is blank. Add a text, or remove the pair.")


def _check_trees(pairs: pl.DataFrame, where: Where, names: Iterable[str]) -> None:
    for name in names:
        if name not in pairs.columns:
            continue
        row = find_first_malformed_tree(pairs[name].cast(pl.String), binary="binary" in name)
        if row is not None:
            what = f"the tree in {name} is malformed: {str(pairs[name][row])[:60]!r}"
            _raise_at_row(
                where,
                pairs[ROW_COLUMN][row],
                f"{what}. Close every bracket once, leave no bracket empty, and nest at most {MAX_DEPTH:,} levels.",
            )


def _convert_ranks_to_numbers(pairs: pl.DataFrame, where: Where) -> pl.DataFrame:
    """Read ranks as numbers, which CSV and TSV hold as text."""
    if "rank" not in pairs.columns or pairs["rank"].dtype != pl.String:
        return pairs
    numbers = pl.col("rank").cast(pl.Int64, strict=False)
    wrong = _find_first_wrong_row(pairs, numbers.is_null() & pl.col("rank").is_not_null())
    if wrong:
        _raise_at_row(where, wrong[0], "the rank is not a whole number. Correct it, or remove the column.")
    return pairs.with_columns(numbers)


def _restore_edit_tag_types(pairs: pl.DataFrame) -> pl.DataFrame:
    """Restore the types of the tags of edited pairs, which text files don't keep; other columns stay unchanged."""
    if not set(_EDITS) <= set(pairs.columns):
        return pairs
    texts = [name for name in (*_EDITS, *_NUMBERS, *_TRUTHS) if pairs.schema.get(name) == pl.String]
    typed = pairs.with_columns(
        *(pl.col(name).cast(pl.Int64, strict=False) for name in _NUMBERS if name in texts),
        *((pl.col(name) == "true") for name in _TRUTHS if name in texts),
        *(pl.col(name).fill_null("") for name in _EDITS if name in texts),
    )
    lost = [
        name for name in _NUMBERS if name in texts and typed[name].null_count() > pairs[name].null_count()
    ]
    return typed.with_columns(pairs[name] for name in lost)


def _is_blank(name: str) -> pl.Expr:
    return pl.col(name).is_null() | (pl.col(name).str.strip_chars() == "")


def _find_first_wrong_row(pairs: pl.DataFrame, wrong: pl.Expr) -> list[int]:
    return pairs.filter(wrong)[ROW_COLUMN].head(1).to_list()
