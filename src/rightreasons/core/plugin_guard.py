"""Parts of plugins, wrapped: what their code raises names the plugin, and what it returns is checked.

Whatever a wrapped part raises, wherever the package calls it, is a PluginError. Built-in parts are never wrapped, so
that their errors remain bugs of this package. What a part lacks comes from its contract, see `rightreasons.core.parts`.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from inspect import getattr_static
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from rightreasons.core.parts import (
    BatchModel,
    CompletedPart,
    Job,
    Model,
    PairRecogniser,
    Plan,
    SetPart,
    Trained,
    Trainer,
    get_hook,
    get_model_contract,
)
from rightreasons.core.plugins import FIX_ADVICE, PluginError, convert_plugin_errors

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    Check = Callable[[Any, str], Any]  # of a value and what it is called in a message

# What recognisers return for each pair, with the polars types.
_ORIGIN_COLUMNS = ("set", "mode", "subcase", "template", "subvariant", "trigger")
RECOGNISED = {"row": "Int64", **dict.fromkeys(_ORIGIN_COLUMNS, "String"), "rank": "Int64"}
_PAIR_COLUMNS = ("id", "premise", "hypothesis", "label")  # of the pairs of a set


def guard_part(kind: str, name: str, part: Any) -> Any:
    """Wrap a part of a plugin, after a look at whether it has the methods of its kind."""
    whose = f"The {kind} {name!r}"
    with convert_plugin_errors(f"{whose} can't be used", FIX_ADVICE):
        role, contract = {
            "set": (_GuardedSet, SetPart),
            "model": (_GuardedModel, get_model_contract(part)),
            "trainer": (_GuardedTrainer, Trainer),
        }[kind]
        _refuse_missing_methods(part, _list_required_methods(kind, part), whose)
        return role(part, whose, contract)


def _list_required_methods(kind: str, part: Any) -> tuple[str, ...]:
    """List the methods that a part has to have."""
    if kind != "model":
        return ("plan",) if kind == "set" else ("train",)
    return ("prepare", "fingerprint") if get_model_contract(part) is BatchModel else ("predict",)


def _refuse_missing_methods(part: Any, methods: Iterable[str], whose: str) -> None:
    for method in methods:
        if not callable(getattr(part, method, None)):
            raise PluginError(f"{whose} has no method {method}(). {FIX_ADVICE}")


class _Guarded:
    """An object of a plugin: what its code raises names the plugin, what it gives is checked.

    `field_checks` and `result_checks` name the checked attributes and methods, each with its check; methods without a
    check of their results are listed as well, so that they are refused where they can't be called.
    """

    __slots__ = ("_contract", "_owner", "_part")
    field_checks: ClassVar[Mapping[str, Check]] = {}
    result_checks: ClassVar[Mapping[str, Check]] = {}
    _part: Any
    _owner: str
    _contract: type

    def __init__(self, part: Any, whose: str, contract: type) -> None:
        object.__setattr__(self, "_part", part)
        object.__setattr__(self, "_owner", whose)
        object.__setattr__(self, "_contract", contract)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the object, or the default of its contract; else raise AttributeError."""
        missing: AttributeError | None = None
        with self._convert_hook_errors(name):
            try:
                value = getattr(self._part, name)
            except AttributeError as error:
                missing = error
            else:
                if name in self.field_checks:
                    return self.field_checks[name](value, f"{self._owner}: {name} is")
        if missing is not None:
            return get_hook(self._part, name, self._contract)
        if self._contract is Model and _inherits_hook(self._part, name):
            return value  # such as a fingerprint of None, which a plugin may not return by itself
        if callable(value):
            return self._wrap_method(name, value)
        if name in self.result_checks and value is not None:
            raise PluginError(
                f"{self._owner} has a {name} that is not a method but {_format_value(value)}. {FIX_ADVICE}"
            )
        return value

    def __setattr__(self, name: str, value: object) -> None:
        """Set an attribute of the object."""
        with self._convert_hook_errors(name):
            setattr(self._part, name, value)

    def _convert_hook_errors(self, name: str) -> Any:
        return convert_plugin_errors(f"{self._owner} fails in {name}", FIX_ADVICE)

    def _wrap_method(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*values: Any, **named: Any) -> Any:
            with self._convert_hook_errors(f"{name}()"):
                result = method(*values, **named)
                check = self.result_checks.get(name)
                return result if check is None else check(result, f"{self._owner}: {name}() returned")

        return call


def _inherits_hook(part: object, name: str) -> bool:
    """Return whether a model inherits a hook from its contract."""
    return getattr_static(type(part), name, None) is getattr_static(Model, name, part)


def _format_value(value: object) -> str:
    """Show a value of a plugin in a message; its __repr__ may fail as well."""
    try:
        return f"{value!r:.60}"
    except Exception:  # noqa: BLE001 - foreign code
        return f"an object of type {type(value).__name__}"


def _build_contract_error(what: str, value: object, wanted: str) -> PluginError:
    return PluginError(f"{what} {_format_value(value)}, which is not {wanted}. {FIX_ADVICE}")


def _accept_any(value: Any, _: str) -> Any:
    return value


def _check_name_list(value: Any, what: str) -> tuple[str, ...]:
    """Check a list of names, such as columns; one name alone is a list of one."""
    words = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else None
    if words is None or not all(isinstance(word, str) for word in words):
        raise _build_contract_error(what, value, "a list of names")
    return words


def _check_json_object(value: Any, what: str) -> dict[str, Any]:
    """Check a dictionary of JSON values; numbers of numpy are taken as plain ones, paths as texts."""

    def plain(inner: Any) -> Any:
        if isinstance(inner, Path):
            return str(inner)
        if callable(getattr(inner, "item", None)):
            return inner.item()
        # Its text may hold an address in memory, and a fingerprint must be the same in every process.
        raise _build_contract_error(what, inner, "a JSON value")

    return _convert_mapping(value, what, plain)


def _check_shown_facts(value: Any, what: str) -> dict[str, Any]:
    """Check a dictionary that is shown and decides nothing, so that any value can be shown as a text."""
    return _convert_mapping(value, what, lambda inner: inner.item() if hasattr(inner, "item") else str(inner))


def _convert_mapping(value: Any, what: str, plain: Callable[[Any], Any]) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise _build_contract_error(what, value, "a dictionary of JSON values")
    converted: dict[str, Any] = json.loads(json.dumps(dict(value), default=plain))
    return converted


def _convert_to_int(value: Any, what: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise _build_contract_error(what, value, "a whole number") from None


def _check_worker_count(value: Any, what: str) -> int:
    if _convert_to_int(value, what) < 1:
        raise _build_contract_error(what, value, "1 or more")
    return int(value)


def _check_batch_rows(value: Any, what: str) -> list[list[int]]:
    """Check a plan: lists of row numbers."""
    if not isinstance(value, Iterable):
        raise _build_contract_error(what, value, "a list of lists of row numbers")
    return [_check_row_numbers(batch, what) for batch in value]


def _check_row_numbers(value: Any, what: str) -> list[int]:
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise _build_contract_error(what, value, "a list of row numbers")
    return [_convert_to_int(row, what) for row in value]


def _check_refused_rows(value: Any, what: str) -> dict[int, str]:
    if not isinstance(value, Mapping):
        raise _build_contract_error(what, value, "a dictionary of row numbers with reasons")
    return {_convert_to_int(row, what): str(reason) for row, reason in value.items()}


def _check_marked_rows(value: Any, what: str) -> dict[str, list[int]]:
    if not isinstance(value, Mapping):
        raise _build_contract_error(what, value, "a dictionary of words with row numbers")
    return {str(word): _check_row_numbers(rows, what) for word, rows in value.items()}


def _check_set_pairs(value: Any, what: str) -> Any:
    """Check the pairs that a set makes: a table with ids, texts and labels."""
    import polars as pl

    if not isinstance(value, pl.DataFrame):
        raise _build_contract_error(what, value, "a polars table")
    _check_text_columns(value.schema, f"{what} a table")
    for column in _PAIR_COLUMNS:
        if value[column].null_count():
            raise PluginError(f"{what} a table in which a pair has no {column}. {FIX_ADVICE}")
    return value.with_columns(pl.col(*_PAIR_COLUMNS).cast(pl.String))


def _check_schema(value: Any, what: str) -> Any:
    if not isinstance(value, Mapping):
        raise _build_contract_error(what, value, "a dictionary of columns with their types")
    _check_text_columns(value, f"{what} a schema")
    return value


def _check_text_columns(schema: Mapping[str, Any], what: str) -> None:
    import polars as pl

    texts = (pl.String, pl.Categorical, pl.Enum)
    for column in _PAIR_COLUMNS:
        kind = schema.get(column)  # a class, or an object of one
        if not isinstance(kind, texts) and kind not in texts:
            raise PluginError(f"{what} without a string column {column!r}. {FIX_ADVICE}")


def _wrap_plan(value: Any, what: str) -> Any:
    """Check and wrap the plan of a set."""
    has_all = callable(getattr(value, "rows", None)) and hasattr(type(value), "__len__")
    if not has_all or not hasattr(value, "card") or not hasattr(value, "schema"):
        raise _build_contract_error(what, value, "a plan with card, schema, rows() and a length")
    return _GuardedPlan(value, what.rpartition(": ")[0], Plan)


def _check_card(value: Any, what: str) -> Any:
    if not is_dataclass(value) or isinstance(value, type) or not hasattr(value, "remarks"):
        raise _build_contract_error(what, value, "a rightreasons.Card")
    return value


def _wrap_job(value: Any, what: str) -> Any:
    """Check and wrap the job of a model."""
    whose = what.rpartition(": ")[0]
    _refuse_missing_methods(value, ("predict_batch",), f"The job of {whose[0].lower()}{whose[1:]}")
    return _GuardedJob(value, whose, Job)


def _wrap_recognisers(value: Any, what: str) -> list[Any]:
    """Check and wrap what finds the pairs of a set again."""
    if not isinstance(value, Iterable):
        raise _build_contract_error(what, value, "a list of recognisers")
    whose = what.rpartition(": ")[0]
    recognisers = list(value)
    for recogniser in recognisers:
        _refuse_missing_methods(recogniser, ("matches",), f"A recogniser of {whose[0].lower()}{whose[1:]}")
    return [_GuardedRecogniser(recogniser, whose, PairRecogniser) for recogniser in recognisers]


def _complete_training_result(value: Any, what: str) -> Any:
    if not all(hasattr(value, name) for name in ("steps", "best_step", "best", "seconds", "resumed_from")):
        raise _build_contract_error(
            what, value, "a result with steps, best_step, best, seconds and resumed_from"
        )
    return CompletedPart(value, Trained)


class _GuardedPlan(_Guarded):
    """What a set will be."""

    __slots__ = ()
    field_checks: ClassVar[Mapping[str, Check]] = {"card": _check_card, "schema": _check_schema}

    def rows(self, start: int, stop: int) -> pl.DataFrame:
        """Make the pairs from start up to stop."""
        with self._convert_hook_errors("rows()"):
            what = f"{self._owner}: rows() returned"
            pairs: pl.DataFrame = _check_set_pairs(self._part.rows(start, stop), what)
            if list(self.schema) != pairs.columns:
                raise PluginError(f"{what} a table whose columns differ from its schema. {FIX_ADVICE}")
            return pairs

    def __len__(self) -> int:
        """Count the pairs."""
        with self._convert_hook_errors("__len__()"):
            return len(self._part)


class _GuardedSet(_Guarded):
    """A set."""

    __slots__ = ()
    result_checks: ClassVar[Mapping[str, Check]] = {"plan": _wrap_plan, "recognisers": _wrap_recognisers}


class _GuardedRecogniser(_Guarded):
    """Finds the pairs of a set again."""

    __slots__ = ()

    def matches(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Find pairs, each by the number of its row."""
        import polars as pl

        with self._convert_hook_errors("matches()"):
            matched = self._part.matches(pairs)
            if not isinstance(matched, pl.DataFrame):
                raise _build_contract_error(f"{self._owner}: matches() returned", matched, "a polars table")
            origins = matched.select(
                pl.col(name).cast(getattr(pl, kind)) for name, kind in RECOGNISED.items()
            )
            if not origins["row"].is_between(0, pairs.height - 1).all(ignore_nulls=False):
                raise PluginError(
                    f"{self._owner}: matches() returned a row number that doesn't exist. {FIX_ADVICE}"
                )
            return origins


class _GuardedJob(_Guarded):
    """Pairs prepared for prediction."""

    __slots__ = ()
    field_checks: ClassVar[Mapping[str, Check]] = {
        "batches": _check_batch_rows,
        "refused": _check_refused_rows,
        "workers": _check_worker_count,
        "facts": _check_shown_facts,
        "marked": _check_marked_rows,
    }
    result_checks: ClassVar[Mapping[str, Check]] = {"predict_batch": _accept_any}


class _GuardedModel(_Guarded):
    """A model."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The name of the model, or of its class if it has none."""
        return str(self.__getattr__("name") or type(self._part).__name__)

    field_checks: ClassVar[Mapping[str, Check]] = {
        "needs": _check_name_list,
        "wants": _check_name_list,
        "sources": _check_json_object,
    }
    result_checks: ClassVar[Mapping[str, Check]] = {
        "prepare": _wrap_job,
        "fingerprint": _check_json_object,
        **dict.fromkeys(("predict", "precheck", "get_ready", "refuse_others", "refuse_missing"), _accept_any),
    }


class _GuardedTrainer(_Guarded):
    """A trainer."""

    __slots__ = ()
    result_checks: ClassVar[Mapping[str, Check]] = {"train": _complete_training_result}
