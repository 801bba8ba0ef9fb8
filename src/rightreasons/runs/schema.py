"""The schema of a run folder: keys and types of its JSON files, columns of its tables, checked on reading."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import polars as pl

from rightreasons.core.column_checks import check_column_names, quote_column_name
from rightreasons.core.errors import InputError
from rightreasons.core.json_shapes import (
    ANY,
    COUNT,
    FLAG,
    INTEGER,
    NONEMPTY_TEXT,
    NONNEGATIVE,
    NUMBER,
    SAFE_INTEGER,
    SCALAR,
    SHARE,
    SIZE,
    TEXT,
    Fields,
    Items,
    Kind,
    Maybe,
    ShapeMismatchError,
    Values,
    make_choice_kind,
)
from rightreasons.core.labels import LABELS, PROBABILITIES, RULE_NAMES
from rightreasons.core.pairs import PARSE_COLUMNS, REQUIRED_COLUMNS, TEXTS
from rightreasons.io.polars_io import read_parquet, read_parquet_schema, scan_parquet
from rightreasons.scoring.accuracy import ALL

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

_PLAIN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")
SLUG = Kind(
    "a file name of ASCII letters, digits, '.', '_' and '-'",
    lambda value: isinstance(value, str) and bool(_PLAIN.fullmatch(value)),
)
OBJECT = Values(ANY)
_COUNT_OR_LIST = Kind(  # what is amiss with some pairs is counted, or listed
    "a count or a list",
    lambda value: value is None or COUNT.is_valid(value) or isinstance(value, list | dict),
)
_COUNTS = ("pairs", "batches", "requests", "retries", "different", "kept", "tokens_in", "tokens_out")
_AMOUNTS = ("seconds", "loading", "cost")
FACTS = Fields(
    {},
    {
        **dict.fromkeys(_COUNTS, Maybe(COUNT)),
        **dict.fromkeys(_AMOUNTS, Maybe(NONNEGATIVE)),
        **dict.fromkeys(("cut", "windows", "refused", "unreadable"), _COUNT_OR_LIST),
        "int8_agreement": Maybe(SHARE),
        "reasons": Maybe(Values(COUNT)),
    },
)
SET = Fields(
    {
        "name": NONEMPTY_TEXT,
        "given": TEXT,
        "slug": SLUG,
        "version": Maybe(SAFE_INTEGER),
        "options": OBJECT,
        "labels": Items(TEXT),
        "rows": SIZE,
        "digest": TEXT,
        "sources": Values(TEXT),
        "remarks": Items(TEXT),
    }
)
MODEL = Fields(
    {"name": NONEMPTY_TEXT, "given": TEXT, "slug": SLUG, "options": OBJECT, "baseline": FLAG},
    {
        "sources": Values(TEXT),
        "facts": Values(FACTS),
        "fingerprint": ANY,
        "head": Maybe(Fields({"how": TEXT, "order": Items(TEXT)})),
        "warnings": Items(TEXT),
        "prompt": Maybe(TEXT),
        "of": Maybe(TEXT),
    },
)
CARD = Fields(
    {
        "format": SAFE_INTEGER,
        "command": TEXT,
        "started": TEXT,
        "versions": Fields({"rightreasons": TEXT}),
        "rule": make_choice_kind(*RULE_NAMES),
        "seed": INTEGER,
        "sets": Items(SET, least=1),
        "models": Items(MODEL, least=1),
    },
    {
        "by": Items(TEXT),
        "size": Maybe(COUNT),
        "limit": Maybe(COUNT),
        "split": TEXT,
        "warnings": Items(TEXT),
        "timings": Items(OBJECT),
        "experiment": Fields({"name": TEXT}, {"too_weak": Items(TEXT)}),
    },
)
_FIGURES = {
    "set": TEXT,
    "model": TEXT,
    "by": TEXT,
    "gold": make_choice_kind(*LABELS, ALL),
    "n": SIZE,
    "correct": COUNT,
    "accuracy": SHARE,
    "low": SHARE,
    "high": SHARE,
    "interval": TEXT,
}
ROW = Fields(_FIGURES)
NOTE = Fields(
    {"set": TEXT, "model": TEXT, "label_rule": TEXT, "warnings": Items(TEXT)}, {"predicted": Values(COUNT)}
)
SCORES = Fields({"rows": Items(ROW, least=1), "notes": Items(NOTE, least=1)})
_TEXTS = ("id", "premise", "hypothesis")
LEAK_KINDS = ("pair", "swapped pair", "premise", "hypothesis")  # in a training file
_SHARED = Fields(
    {"what": make_choice_kind(*LEAK_KINDS)}
    | dict.fromkeys(("exact", "normalised", "near", "any", "of"), COUNT)
    | {"share": SHARE}
)
_EXAMPLE = Fields(
    dict.fromkeys(("what", "how", *_TEXTS, *(f"training_{name}" for name in _TEXTS)), TEXT)
    | {"similarity": SHARE}
)
LEAK = Fields(
    {
        "set": TEXT,
        "training": TEXT,
        "training_rows": COUNT,
        "near": FLAG,
        "table": Items(_SHARED, least=1),
        "examples": Items(_EXAMPLE),
    },
    {"digest": Maybe(TEXT)},
)
LEAKS = Fields({"leaks": Items(LEAK)})
_BOUNDS = {"low": Maybe(NUMBER), "high": Maybe(NUMBER)}
_AUDIT_FIGURE = Fields({"name": TEXT, "value": NUMBER, "n": COUNT, **_BOUNDS}, {"baseline": Maybe(NUMBER)})
_CUE = Fields(
    {"cue": TEXT, "label": make_choice_kind(*LABELS), "n": COUNT}
    | dict.fromkeys(("share", "share_low", "share_high"), SHARE)
)
TRAINING = Fields(
    {
        "training": TEXT,
        "rows": COUNT,
        "figures": Items(_AUDIT_FIGURE),
        "summaries": Values(TEXT),
        "skipped": Values(TEXT),
        "cues": Items(_CUE),
    }
)
MANIFEST = Values(TEXT)

ADVICE = "Pass a complete run folder, or evaluate again."
_ROUNDING = 1e-6  # of probabilities


def check_leak_tables(content: Mapping[str, Any]) -> None:
    """Refuse a leak whose table does not have exactly one row for each type of overlap."""
    for place, leak in enumerate(content["leaks"]):
        counted = [row["what"] for row in leak["table"]]
        if sorted(counted) != sorted(LEAK_KINDS):
            raise ShapeMismatchError(
                f"leaks[{place}].table", f"one row each of {', '.join(LEAK_KINDS)}", counted
            )


def check_unique_names(card: Mapping[str, Any]) -> None:
    """Refuse a card in which two sets or two models have the same name."""
    for kind in ("sets", "models"):
        for key in ("name", "slug"):
            _refuse_repeated_values(f"{kind}[].{key}", [entry[key] for entry in card[kind]])


def check_scores(card: Mapping[str, Any], scores: Mapping[str, Any]) -> None:
    """Refuse scores of sets or models that the card does not have, and incomplete scores."""
    names = {kind: [entry["name"] for entry in card[f"{kind}s"]] for kind in ("set", "model")}
    for part in ("rows", "notes"):
        for place, entry in enumerate(scores[part]):
            for kind, known in names.items():
                if entry[kind] not in known:
                    raise ShapeMismatchError(f"{part}[{place}].{kind}", f"a {kind} of the card", entry[kind])
    noted = {(note["set"], note["model"]) for note in scores["notes"]}
    if len(noted) < len(scores["notes"]):
        raise ShapeMismatchError("notes", "one note for each set and model", scores["notes"])
    _check_score_rows(scores["rows"], noted)


def _check_score_rows(rows: Sequence[Mapping[str, Any]], noted: set[tuple[str, str]]) -> None:
    """Check the tags of each row of scores, and that each note has a row for the whole set."""
    for place, row in enumerate(rows):
        key = f"rows[{place}]"
        for name in row:
            if name not in ROW.required and name not in ROW.optional:
                TEXT.check(name, f"a key of {key}")
                SCALAR.check(row[name], f"{key}.{name}")
        unknown = [tag for tag in _split_tags(row) if tag not in row or tag in ROW.required]
        if unknown:
            raise ShapeMismatchError(f"{key}.by", "names of columns", row["by"])
        if row["correct"] > row["n"] or not row["low"] <= row["high"]:
            raise ShapeMismatchError(
                f"{key}.correct", "a count of at most n, with low <= high,", row["correct"]
            )
    wholes = {(row["set"], row["model"]) for row in rows if not row["by"] and row["gold"] == ALL}
    missing = sorted(noted - wholes)
    if missing:
        raise ShapeMismatchError("rows", "a row for all pairs of {} and {}".format(*missing[0]), rows)


def _split_tags(row: Mapping[str, Any]) -> Iterator[str]:
    return (tag for tag in row["by"].split(",") if tag)


def _refuse_repeated_values(key: str, names: Sequence[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ShapeMismatchError(key, "a unique value", twice[0])


def check_set_file(path: Path, *, rows: int) -> None:
    """Refuse the pairs of a run if a column is missing or has another type, or if the card has another number."""
    kinds = _read_column_types(path)
    _require_text_columns(path, kinds, REQUIRED_COLUMNS, [*REQUIRED_COLUMNS, *PARSE_COLUMNS])
    for name, kind in kinds.items():
        # When a table is read, bytes and durations become strings, and nested columns are dropped.
        if kind in (pl.Binary, pl.Duration) or kind.is_nested():
            raise _make_column_type_error(path, name, kind, "strings or numbers")
    height = scan_parquet(path).select(pl.len()).collect().item()
    if height != rows:
        raise InputError(
            f"The file {str(path)!r} has {height:,} pairs, but card.json states {rows:,}. {ADVICE}"
        )


def read_run_predictions(path: Path) -> pl.DataFrame:
    """Read the predictions of a run; ids and labels must be strings, and probabilities between 0 and 1."""
    kinds = _read_column_types(path)
    _require_text_columns(path, kinds, ("id", "label"), ("id", "label", "text"))
    shares = [name for name in PROBABILITIES.values() if name in kinds]
    for name in shares:
        if not kinds[name].is_float() and kinds[name] != pl.Null:
            raise _make_column_type_error(path, name, kinds[name], "numbers")
    table = read_parquet(path).with_columns(pl.col(shares).cast(pl.Float64))
    for name in shares:
        if not table[name].drop_nulls().is_between(-_ROUNDING, 1 + _ROUNDING).all():  # which no NaN is
            raise InputError(
                f"In the file {str(path)!r}, the column {name!r} has a value outside 0 to 1. {ADVICE}"
            )
    return table


def _read_column_types(path: Path) -> pl.Schema:
    if not path.is_file():
        raise InputError(f"The file {str(path)!r} is missing from the run. {ADVICE}")
    kinds = read_parquet_schema(path)
    check_column_names(str(path), kinds)
    return kinds


def _require_text_columns(path: Path, kinds: pl.Schema, needed: Iterable[str], texts: Iterable[str]) -> None:
    for name in needed:
        if name not in kinds:
            raise InputError(f"The file {str(path)!r} has no column {name!r}. {ADVICE}")
    for name in texts:
        empty = kinds.get(name) == pl.Null and name not in TEXTS  # a premise or hypothesis is never missing
        if name in kinds and kinds[name] != pl.String and not empty:
            raise _make_column_type_error(path, name, kinds[name], "strings")


def _make_column_type_error(path: Path, name: str, kind: pl.DataType, wanted: str) -> InputError:
    return InputError(
        f"In the file {str(path)!r}, the column {quote_column_name(name)} has type {kind}; expected {wanted}. {ADVICE}"
    )
