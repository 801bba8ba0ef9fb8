"""What every pair must have: a label, an id of its own, two texts, and trees where there are parses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rightreasons.core.column_checks import ROW, as_text
from rightreasons.core.errors import InputError
from rightreasons.core.labels import NO_GOLD, look_up, problem
from rightreasons.core.pairs import PARSES, REQUIRED, TEXTS
from rightreasons.core.trees import MOST_DEPTH
from rightreasons.corpora.brackets import first_malformed
from rightreasons.corpora.repairs import repaired

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Where = Callable[[int], str]

UNLABELLED = "No pair has a label, so the answers can't be scored against this file."
# Tags of edited pairs that are no texts, or may be empty ones.
_EDITS = ("edit_from", "edit_to")
_NUMBERS = ("edit_at", "position")
_TRUTHS = ("edited",)


def checked(
    pairs: pl.DataFrame,
    where: Where,
    trees: Iterable[str] = (),
    *,
    repair: bool = False,
    labelled: bool = True,
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return the pairs with labels resolved and those without one left out, and remarks on that.

    `where` names the place of a row, for the error messages. Texts and trees are checked where they are there. With
    `repair`, blank texts, repeated ids and malformed trees are repaired and counted instead of refused. Where none of
    the pairs has a label, all are left out, which is an error; unless they need not be `labelled`, then none is.
    """
    typed = _typed(pairs, where).with_row_index(ROW)
    with_gold, without = _with_gold(typed, where, labelled=labelled)
    whole, repairs = repaired(with_gold, trees) if repair else (with_gold, ())
    if whole.is_empty():
        raise InputError(f"{_file(where)} holds no pair with a label and two texts. Give at least one.")
    named = _labels(whole, where)
    _check_ids(named, where)
    _check_texts(named, where)
    _check_trees(named, where, () if repair else trees)
    return _tags(_ranks(named, where)).drop(ROW), (*without, *repairs)


def _typed(pairs: pl.DataFrame, where: Where) -> pl.DataFrame:
    """Make texts of what must be text, and of columns without any value."""
    nothing = [name for name, kind in pairs.schema.items() if kind == pl.Null]
    needed = dict.fromkeys([*(name for name in (*REQUIRED, *PARSES) if name in pairs.columns), *nothing])
    return pairs.with_columns(as_text(pairs[name], _file(where)) for name in needed)


def _with_gold(pairs: pl.DataFrame, where: Where, *, labelled: bool) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Leave out the pairs without a label, and say how many there were."""
    found = pairs.filter(~_without_gold())
    if found.is_empty() and not labelled and not pairs.is_empty():
        return pairs.with_columns(label=pl.lit(None, dtype=pl.String)), (UNLABELLED,)
    if found.is_empty():
        raise InputError(f"{_file(where)} holds no pair with a label. Give at least one.")
    gone = pairs.height - found.height
    return found, (f"{gone} of {pairs.height} pairs have no gold label and were left out.",) if gone else ()


def _file(where: Where) -> str:
    return where(-1)


def _without_gold() -> pl.Expr:
    return pl.col("label").is_null() | pl.col("label").str.strip_chars().is_in(NO_GOLD)


def _fail(where: Where, row: int, what: str) -> None:
    raise InputError(f"{where(row)}: {what}")


def _labels(pairs: pl.DataFrame, where: Where) -> pl.DataFrame:
    """Resolve every different word once."""
    words = pairs["label"].drop_nulls().unique(maintain_order=True).to_list()
    meanings = {word: look_up(word) for word in words}
    for word, label in meanings.items():
        if label is None:
            _fail(where, pairs.filter(pl.col("label") == word)[ROW][0], problem(word))
    return pairs.with_columns(pl.col("label").replace(meanings))


def _check_ids(pairs: pl.DataFrame, where: Where) -> None:
    blank = _rows(pairs, _blank("id"))
    if blank:
        _fail(where, blank[0], "the id is blank. Give every pair an id of its own.")
    if pairs["id"].n_unique() < pairs.height:
        again = pairs.filter(~pl.col("id").is_first_distinct())
        name, count = again["id"][0], again.height
        first = where(pairs.filter(pl.col("id") == name)[ROW][0])
        what = f"the id {name!r} is there already ({first}); {count} ids are repeated"
        _fail(where, again[ROW][0], f"{what}. Give every pair an id of its own.")


def _check_texts(pairs: pl.DataFrame, where: Where) -> None:
    for name in (text for text in TEXTS if text in pairs.columns):
        blank = _rows(pairs, _blank(name))
        if blank:
            _fail(where, blank[0], f"the {name} is blank. Give a text, or leave the pair out.")


def _check_trees(pairs: pl.DataFrame, where: Where, names: Iterable[str]) -> None:
    for name in names:
        if name not in pairs.columns:
            continue
        row = first_malformed(pairs[name].cast(pl.String), binary="binary" in name)
        if row is not None:
            what = f"the tree in {name} is malformed: {str(pairs[name][row])[:60]!r}"
            _fail(
                where,
                pairs[ROW][row],
                f"{what}. Close every bracket once, leave none empty, and nest at most {MOST_DEPTH:,} of them.",
            )


def _ranks(pairs: pl.DataFrame, where: Where) -> pl.DataFrame:
    """Read ranks as numbers, which CSV and TSV hold as text."""
    if "rank" not in pairs.columns or pairs["rank"].dtype != pl.String:
        return pairs
    numbers = pl.col("rank").cast(pl.Int64, strict=False)
    wrong = _rows(pairs, numbers.is_null() & pl.col("rank").is_not_null())
    if wrong:
        _fail(where, wrong[0], "the rank is no whole number. Correct it, or leave the column out.")
    return pairs.with_columns(numbers)


def _tags(pairs: pl.DataFrame) -> pl.DataFrame:
    """Give the tags of edited pairs their types again, which text files don't keep; other people's columns stay."""
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


def _blank(name: str) -> pl.Expr:
    return pl.col(name).is_null() | (pl.col(name).str.strip_chars() == "")


def _rows(pairs: pl.DataFrame, wrong: pl.Expr) -> list[int]:
    return pairs.filter(wrong)[ROW].head(1).to_list()
