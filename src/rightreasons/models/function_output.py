"""Parse what a Python function returned for some pairs: label words, named probabilities, or rows of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set  # noqa: PYI025 - any kind of set
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import polars as pl

from rightreasons.core import labels
from rightreasons.core.errors import InputError, format_count
from rightreasons.core.plugins import convert_plugin_errors
from rightreasons.models.label_probe import reorder_outputs
from rightreasons.models.output_labels import (
    LABELS_BY_COUNT,
    make_predictions_from_logits,
    make_predictions_from_probabilities,
)

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

Numbers: TypeAlias = "NDArray[np.float64]"
Scores = Literal["probabilities", "logits"]
# Probabilities in half precision add up to 1 no more precisely than this.
SUM_TOLERANCE = 0.01
_BYTES_TYPES = (bytes, bytearray, memoryview)
_ACCEPTED_OUTPUTS = (
    "Return for each pair a label, or a mapping of all labels to their probabilities, or two or three numbers"
)


def parse_function_output(output: object, pairs: int, function: str) -> list[Any] | Numbers:
    """Return the items as a list, or as an array if they are rows of numbers; one item for each pair."""
    with _convert_access_errors(function):
        return _parse_predictions(output, pairs, function)


def _convert_access_errors(function: str) -> AbstractContextManager[None]:
    """Guard access to returned objects: they may be of any class, and raise on any access."""
    return convert_plugin_errors(f"{function} returned an object that can't be read", f"{_ACCEPTED_OUTPUTS}.")


def _parse_predictions(output: object, pairs: int, function: str) -> list[Any] | Numbers:
    items = _convert_to_sequence(output, function)
    if len(items) != pairs:
        raise InputError(
            f"{function} returned {format_count(len(items), 'prediction')} for {format_count(pairs, 'pair')}. "
            "Return one prediction per pair, in order."
        )
    kinds = {_classify_prediction_type(item) for item in items}
    if kinds == {"numbers"}:
        return _convert_to_number_rows(items, function)
    if len(kinds) != 1 or "other" in kinds:
        wrong = next(item for item in items if _classify_prediction_type(item) == "other" or len(kinds) > 1)
        raise InputError(
            f"{function} returned {_shorten_repr(wrong)} as a prediction. "
            f"{_ACCEPTED_OUTPUTS}; use one type for all pairs."
        )
    return list(items)


def parse_label_output(output: Sequence[Any], function: str) -> pl.DataFrame:
    """Parse label words, or objects of labels with their probabilities."""
    with _convert_access_errors(function):
        return _parse_label_predictions(output, function)


def _parse_label_predictions(output: Sequence[Any], function: str) -> pl.DataFrame:
    if isinstance(output[0], str):
        return pl.DataFrame({"label": [_parse_label_word(word, function) for word in output]})
    objects = [_parse_named_probabilities(item, function) for item in output]
    known = next(known for known in LABELS_BY_COUNT.values() if set(known) == objects[0].keys())
    if any(item.keys() != objects[0].keys() for item in objects):
        raise InputError(
            f"{function} returned two labels for some pairs and three for others. Return the same labels for all pairs."
        )
    return make_predictions_from_probabilities(
        _normalize_probabilities(np.array([[item[label] for label in known] for item in objects])), known
    )


def parse_number_rows(rows: Numbers, order: Sequence[str], scores: Scores, function: str) -> pl.DataFrame:
    """Parse rows of numbers, all of them as probabilities or all as logits."""
    if scores == "logits":
        return make_predictions_from_logits(rows, order)
    wrong = np.flatnonzero(~mark_probability_rows(rows))
    if len(wrong):
        raise InputError(
            f"{function} returned {_shorten_repr(rows[wrong[0]].tolist())} for a pair, which are not probabilities. "
            "Return probabilities that add up to 1, or use -o scores=logits."
        )
    known = LABELS_BY_COUNT[len(order)]
    return make_predictions_from_probabilities(
        _normalize_probabilities(reorder_outputs(rows, order, known)), known
    )


def mark_probability_rows(rows: Numbers) -> NDArray[np.bool_]:
    """Return for each row whether its numbers can be probabilities."""
    flags: NDArray[np.bool_] = (rows >= 0).all(axis=1) & (np.abs(rows.sum(axis=1) - 1) <= SUM_TOLERANCE)
    return flags


def _convert_to_sequence(output: object, function: str) -> Any:
    """Convert tensors to arrays and other sequences to lists; a text, an object or None is refused."""
    if _has_complex_numbers(output):
        raise _make_complex_number_error(function)
    if hasattr(output, "detach"):  # a torch tensor, which may be on another device, or in half precision
        output = output.detach().cpu().float().numpy()
    if isinstance(output, np.ndarray):
        return output
    if output is None:
        raise InputError(f"{function} returned None. {_ACCEPTED_OUTPUTS}.")
    if isinstance(output, Set):
        raise InputError(
            f"{function} returned a {type(output).__name__}, which has no order. "
            "Return a list in the order of the pairs."
        )
    if _is_dataframe(output):
        raise InputError(
            f"{function} returned a {type(output).__name__}, whose items are columns. "
            "Return its rows, for example with table.to_numpy()."
        )
    if isinstance(output, (str, *_BYTES_TYPES, Mapping)) or not isinstance(output, Iterable):
        raise InputError(
            f"{function} returned {_shorten_repr(output)} instead of one prediction per pair. {_ACCEPTED_OUTPUTS}."
        )
    return list(output)


def _is_dataframe(output: object) -> bool:
    """Return whether an object is a table of pandas or polars, whose items are columns."""
    return hasattr(output, "columns") and hasattr(output, "to_numpy")


def _has_complex_numbers(value: object) -> bool:
    """Return whether a value is complex, or a complex array or tensor, of which numpy and torch would drop a part."""
    return isinstance(value, complex) or "complex" in str(getattr(value, "dtype", ""))


def _make_complex_number_error(function: str) -> InputError:
    return InputError(f"{function} returned complex numbers. {_ACCEPTED_OUTPUTS}; use real numbers only.")


def _classify_prediction_type(item: object) -> str:
    if isinstance(item, str):
        return "word"
    if isinstance(item, Mapping):
        return "named"
    # The order of a set changes from process to process, so its numbers belong to no label.
    is_row = hasattr(item, "__len__") and not isinstance(item, (*_BYTES_TYPES, Set))
    return "numbers" if is_row else "other"


def _convert_to_number_rows(items: Any, function: str) -> Numbers:
    """Convert rows of numbers, two or three in each, to an array; all must be finite."""
    plain = [_convert_to_sequence(row, function) for row in items]
    if any(_has_complex_numbers(value) for row in plain for value in row):
        raise _make_complex_number_error(function)
    try:
        rows = np.array(plain, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"{function} returned rows that are not numbers, or differ in length. {_ACCEPTED_OUTPUTS}."
        ) from None
    except OverflowError:
        raise InputError(f"{function} returned a number that is too large. Return 64-bit floats.") from None
    if rows.ndim != 2 or rows.shape[1] not in LABELS_BY_COUNT:  # noqa: PLR2004 - pairs and outputs
        raise InputError(
            f"{function} returned numbers of shape {rows.shape}. Return two or three numbers per pair."
        )
    wrong = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(wrong):
        raise InputError(
            f"{function} returned {rows[wrong[0]].tolist()} for a pair, row {wrong[0] + 1} of {len(rows)}. "
            "Return finite numbers."
        )
    return rows


def _parse_label_word(word: str, function: str) -> str:
    """Parse a label word; a function may also return that its model's output was unreadable."""
    label = labels.UNREADABLE if word == labels.UNREADABLE else labels.find_label(word)
    if label is None:
        raise InputError(
            f"{function}: {labels.explain_unknown_label(word)} If there is no label, return {labels.UNREADABLE!r}."
        )
    return label


def _parse_named_probabilities(output: Mapping[Any, Any], function: str) -> dict[str, float]:
    """Parse one object of labels with their probabilities: all two or three labels, adding up to 1."""
    by_label = {labels.find_label(str(word)): value for word, value in output.items()}
    if len(by_label) != len(output) or not any(
        set(by_label) == set(known) for known in LABELS_BY_COUNT.values()
    ):
        raise InputError(
            f"{function} returned {_shorten_repr(output)}. Return the probability of each of "
            f"{', '.join(labels.THREE_LABELS)}, or of {', '.join(labels.TWO_LABELS)}."
        )
    if any(map(_has_complex_numbers, by_label.values())):
        raise InputError(f"{function} returned {_shorten_repr(output)}. Return a real number for each label.")
    try:
        numbers = {str(label): float(value) for label, value in by_label.items()}
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"{function} returned {_shorten_repr(output)}. Return a number for each label."
        ) from None
    # In this form, the test refuses NaN as well.
    if not (min(numbers.values()) >= 0 and abs(sum(numbers.values()) - 1) <= SUM_TOLERANCE):
        raise InputError(
            f"{function} returned {_shorten_repr(output)}. Return probabilities from 0 to 1 that add up to 1."
        )
    return numbers


def _normalize_probabilities(shares: Numbers) -> Numbers:
    normed: Numbers = shares / shares.sum(axis=1, keepdims=True)
    return normed


def _shorten_repr(value: object) -> str:
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - code of the object; a number may have more digits than Python writes
        return f"an object of type {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:77]}..."  # noqa: PLR2004 - a line
