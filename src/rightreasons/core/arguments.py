"""Checks of the arguments of the public functions; each check also converts the value.

A text stands for a list of one wherever several are taken, and tables may be polars or pandas tables or lists of rows.
Anything else is an InputError that names the argument and says what it takes.
"""

from __future__ import annotations

import inspect
import operator
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from rightreasons.core.errors import InputError
from rightreasons.core.pairs import REQUIRED_COLUMNS, TEXTS, ChallengeSet
from rightreasons.core.parts import is_model

if TYPE_CHECKING:
    import polars as pl

P = ParamSpec("P")
T = TypeVar("T")
ArgumentCheck = Callable[[Any, str], Any]  # of a value and the name of its argument

_MAX_QUOTED = 60  # characters of a value in a message
_WRITE_TABLE_ADVICE = (
    "save the table with write_pairs(ChallengeSet(table, Card('name')), 'pairs.csv') and pass the path"
)


def check_arguments(**checks: ArgumentCheck) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorate a function so that the named arguments are checked, if they are passed."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        signature = inspect.signature(function)

        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> T:
            bound = signature.bind(*args, **kwargs)
            for name, value in bound.arguments.items():
                if name in checks:
                    bound.arguments[name] = checks[name](value, name)
            return function(*bound.args, **bound.kwargs)

        return checked

    return decorate


def build_argument_error(name: str, value: object, wanted: str) -> InputError:
    """Build the error for an argument of the wrong type."""
    kind = type(value).__name__
    shown = repr(value) if isinstance(value, str | int | float | bool | None) else kind
    if _is_table(value):
        shown = f"a {kind}"
    return InputError(f"The argument {name} can't be {shown[:_MAX_QUOTED]}. Pass {wanted}.")


def _check_iterable(value: object, name: str, wanted: str) -> Iterable[Any]:
    """Check for several values; a table is refused, though it is iterable."""
    if isinstance(value, Mapping | bytes) or _is_table(value) or not isinstance(value, Iterable):
        raise build_argument_error(name, value, wanted)
    return value


def _is_table(value: object) -> bool:
    """Return whether a value is a table of polars or pandas, without importing either."""
    library = type(value).__module__.partition(".")[0]
    return library in ("polars", "pandas") and type(value).__name__ in ("DataFrame", "LazyFrame")


def check_text(value: object, name: str) -> str:
    """Check a string."""
    if not isinstance(value, str) or not _is_valid_text(value):
        raise build_argument_error(name, value, "a string")
    return value


def check_comma_separated_texts(value: object, name: str) -> tuple[str, ...]:
    """Check a list of strings, or one string of comma-separated items."""
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    items = _check_iterable(value, name, "a string or a list of strings")
    return tuple(check_text(item, f"{name}[{place}]") for place, item in enumerate(items))


def check_path(value: object, name: str) -> Path:
    """Check a path."""
    if isinstance(value, str | os.PathLike) and str(value):
        name_of_path = os.fspath(value)
        if isinstance(name_of_path, str) and _is_valid_text(name_of_path):
            return Path(name_of_path)
    raise build_argument_error(name, value, "a UTF-8 path, as a string or a pathlib.Path")


def check_paths(value: object, name: str) -> list[Path]:
    """Check a list of paths, or one path."""
    if isinstance(value, str | os.PathLike):
        value = [value]
    items = _check_iterable(value, name, "a path or a list of paths")
    checked = [check_path(item, f"{name}[{place}]") for place, item in enumerate(items)]
    if not checked:
        raise InputError(f"The argument {name} is empty. Pass at least one path.")
    return checked


def make_whole_number_check(least: int | None = None) -> ArgumentCheck:
    """Build a check of whole numbers, optionally with a minimum."""

    def read(value: object, name: str) -> int:
        try:
            number = None if isinstance(value, bool | str) else operator.index(value)  # type: ignore[arg-type]
        except TypeError:
            number = None
        if number is None or (least is not None and number < least):
            raise build_argument_error(
                name, value, "a whole number" + ("" if least is None else f" of at least {least}")
            )
        return number

    return read


def check_bool(value: object, name: str) -> bool:
    """Check True or False."""
    if not isinstance(value, bool):
        raise build_argument_error(name, value, "True or False")
    return value


def check_mapping(value: object, name: str) -> Mapping[str, Any]:
    """Check a dictionary whose keys are strings."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise build_argument_error(name, value, "a dictionary whose keys are strings")
    return value


def check_text_mapping(value: object, name: str) -> Mapping[str, str]:
    """Check a dictionary from strings to strings."""
    items = check_mapping(value, name)
    return {key: check_text(item, f"{name}[{key!r}]") for key, item in items.items()}


def make_optional_check(check: ArgumentCheck) -> ArgumentCheck:
    """Build a check that also accepts None."""
    return lambda value, name: None if value is None else check(value, name)


def make_instance_or_check(kind: type, check: ArgumentCheck) -> ArgumentCheck:
    """Build a check that also accepts objects of a type."""
    return lambda value, name: value if isinstance(value, kind) else check(value, name)


def check_model(value: object, name: str) -> Any:
    """Check a model: its name, or an object with predict."""
    if isinstance(value, str) or (is_model(value) and not inspect.isclass(value)):
        return value
    advice = "a name such as default, or an object with a method predict(pairs)"
    if callable(value):
        advice += "; for a function use python:module:function, for a class pass an instance"
    raise build_argument_error(name, value, advice)


def check_models(value: object, name: str) -> list[Any]:
    """Check a list of models, or one model."""
    if isinstance(value, str) or is_model(value) or callable(value):
        value = [value]
    items = _check_iterable(
        value, name, "the name of a model, an object with a predict method, or a list of models"
    )
    return [check_model(item, f"{name}[{place}]") for place, item in enumerate(items)]


def check_set_names_or_paths(value: object, name: str) -> tuple[str, ...]:
    """Check names of sets and of files; a set or a table in memory has to be written first."""
    for item in value if isinstance(value, list | tuple) else [value]:
        if isinstance(item, ChallengeSet):
            raise build_argument_error(
                name, item, "names of sets or paths: save the set with write_pairs and pass its path"
            )
        if _is_table(item):
            raise build_argument_error(name, item, f"names of sets or paths: {_WRITE_TABLE_ADVICE}")
    if isinstance(value, os.PathLike):
        value = [value]
    if isinstance(value, list | tuple):
        value = [os.fspath(item) if isinstance(item, os.PathLike) else item for item in value]
    return check_comma_separated_texts(value, name)


def make_instances_check(kind: type) -> ArgumentCheck:
    """Build a check of lists of objects of one type."""

    def read(value: object, name: str) -> list[Any]:
        items = [value] if isinstance(value, kind) else value
        if not isinstance(items, list | tuple) or not all(isinstance(item, kind) for item in items):
            raise build_argument_error(name, value, f"a list of {kind.__name__} objects")
        return list(items)

    return read


def check_set_name_or_path(value: object, name: str) -> str:
    """Check the name of a set, or the path of a template file."""
    if _is_table(value):
        raise build_argument_error(name, value, f"a name or a path: {_WRITE_TABLE_ADVICE}")
    return check_text(os.fspath(value) if isinstance(value, os.PathLike) else value, name)


def check_corpora_or_paths(value: object, name: str) -> Any:
    """Check names of corpora or paths of files, one or several."""
    if isinstance(value, str | os.PathLike):
        return check_set_name_or_path(value, name)
    items = _check_iterable(value, name, "the name of a corpus, a path, or a list of names and paths")
    return [check_set_name_or_path(item, f"{name}[{place}]") for place, item in enumerate(items)]


def check_files_or_sets(value: object, name: str) -> list[Any]:
    """Check files or sets of pairs, one or several."""
    if isinstance(value, str | os.PathLike | ChallengeSet):
        value = [value]
    items = _check_iterable(value, name, "a path, a ChallengeSet, or a list of paths and sets")
    check = make_instance_or_check(ChallengeSet, check_path)
    return [check(item, f"{name}[{place}]") for place, item in enumerate(items)]


def check_set_or_plan(value: object, name: str) -> Any:
    """Check a set, or the plan of one."""
    if isinstance(value, ChallengeSet) or (hasattr(value, "rows") and hasattr(value, "card")):
        return value
    raise build_argument_error(
        name,
        value,
        "a ChallengeSet or a plan; to turn a table into a set, use ChallengeSet(table, Card('name'))",
    )


def check_unsplit_texts(value: object, name: str) -> tuple[str, ...]:
    """Check a list of texts, or one text, which may contain commas."""
    return check_comma_separated_texts([value] if isinstance(value, str) else value, name)


def check_set_size(value: object, name: str) -> int | str:
    """Check a number of pairs, or a word for one."""
    return (
        value if isinstance(value, str) and not value.isdigit() else make_whole_number_check(1)(value, name)
    )


def check_table(value: object, name: str) -> pl.DataFrame:
    """Check a table: of polars, of pandas, or a list of rows as dictionaries."""
    import polars as pl

    if isinstance(value, ChallengeSet):
        return value.pairs
    try:
        if isinstance(value, pl.LazyFrame):
            value = value.collect()
        elif _is_table(value) and not isinstance(value, pl.DataFrame):
            value = _convert_pandas(value, name)
        elif isinstance(value, list) and all(isinstance(row, dict) for row in value):
            value = pl.DataFrame(value, infer_schema_length=None)
    except OSError as error:  # a LazyFrame reads its files only now
        raise InputError(
            f"The table passed as {name} can't be loaded: {_get_first_line(error)}. Check the files behind the table."
        ) from error
    except (pl.exceptions.PolarsError, TypeError, ValueError) as error:
        raise InputError(
            f"The argument {name} is not a table: {_get_first_line(error)}. Use one type of values in each column."
        ) from error
    if not isinstance(value, pl.DataFrame):
        raise build_argument_error(
            name, value, "a polars or pandas table, a ChallengeSet, or a list of dictionaries"
        )
    return value


def _convert_pandas(value: Any, name: str) -> pl.DataFrame:
    """Convert a table of pandas column by column; several columns may have one name there."""
    import polars as pl

    names = [str(column) for column in value.columns]
    twice = next((column for column, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise InputError(
            f"The table passed as {name} has two columns called {twice!r}. Rename or remove one of them."
        )
    columns = {}
    for place, column in enumerate(names):
        values = [_convert_missing_to_none(item) for item in value.iloc[:, place].tolist()]
        try:
            columns[column] = pl.Series(column, values, strict=True)
        except (pl.exceptions.PolarsError, TypeError, ValueError) as error:
            raise InputError(
                f"The table passed as {name} has mixed types in the column {column!r}: {_get_first_line(error)}. "
                "Convert all values to one type."
            ) from error
    return pl.DataFrame(columns)


def _get_first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__).rstrip(". ")


def check_pair_table(value: object, name: str) -> pl.DataFrame:
    """Check a table of pairs: ids become strings, and premises and hypotheses have to be strings."""
    import polars as pl

    pairs = check_table(value, name)
    if "id" in pairs.columns and pairs["id"].dtype.is_integer():
        pairs = pairs.with_columns(pl.col("id").cast(pl.String))
    for column in REQUIRED_COLUMNS:
        if column in pairs.columns and pairs[column].dtype not in (
            pl.String,
            pl.Null,
            pl.Categorical,
            pl.Enum,
        ):
            raise InputError(
                f"The column {column!r} of {name} has the type {pairs[column].dtype}. Convert it to strings."
            )
    for column in ("id", *TEXTS):
        if column in pairs.columns and pairs[column].null_count():
            row = pairs[column].is_null().arg_max()
            raise InputError(
                f"The table passed as {name} has no {column} in row {row}. Fill the column for every pair."
            )
    return pairs


def check_pairs_have_texts(value: object, name: str) -> pl.DataFrame:
    """Check a table of pairs that must have both texts."""
    pairs = check_pair_table(value, name)
    for column in TEXTS:
        if column not in pairs.columns:
            raise InputError(f"The table passed as {name} has no column {column!r}. Add the column.")
    return pairs


def _convert_missing_to_none(value: object) -> object:
    """Convert the missing values of pandas, NaN, NaT and NA, to None."""
    is_nan = isinstance(value, float) and value != value  # noqa: PLR0124 - that is a NaN
    return None if is_nan or type(value).__name__ in ("NaTType", "NAType") else value


def _is_valid_text(value: str) -> bool:
    """Return whether a text can be encoded as UTF-8 and has no NUL."""
    return "\0" not in value and not any("\ud800" <= sign <= "\udfff" for sign in value)
