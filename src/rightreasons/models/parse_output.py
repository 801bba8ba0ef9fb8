"""What a Python function gave back for some pairs, read into answers: label words, named probabilities, or numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set  # noqa: PYI025 - any kind of set
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import polars as pl

from rightreasons.core import labels
from rightreasons.core.errors import InputError, format_count
from rightreasons.core.plugins import convert_plugin_errors
from rightreasons.models.heads import KINDS, answers_from, make_predictions
from rightreasons.models.probe import in_order

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

Numbers: TypeAlias = "NDArray[np.float64]"
Scores = Literal["probabilities", "logits"]
# Half precision adds up to 1 no better than this.
TOLERANCE = 0.01
_BYTES = (bytes, bytearray, memoryview)
_SHAPES = (
    "Return for each pair a label word, or an object of all labels with their probabilities, "
    "or two or three numbers"
)


def parse_output(given: object, pairs: int, function: str) -> list[Any] | Numbers:
    """Take what came back as a list, or as an array of numbers; one answer for each pair."""
    with _reading(function):
        return _parse_items(given, pairs, function)


def _reading(function: str) -> AbstractContextManager[None]:
    """Look at what came back: its objects may be of any class, and fail at any touch."""
    return convert_plugin_errors(f"{function} gave back something that can't be read", f"{_SHAPES}.")


def _parse_items(given: object, pairs: int, function: str) -> list[Any] | Numbers:
    answers = _as_list(given, function)
    if len(answers) != pairs:
        raise InputError(
            f"{function} gave {format_count(len(answers), 'answer')} to {format_count(pairs, 'pair')}. "
            "Return one answer for each pair, in order."
        )
    kinds = {_kind(answer) for answer in answers}
    if kinds == {"numbers"}:
        return _numbers(answers, function)
    if len(kinds) != 1 or "other" in kinds:
        wrong = next(answer for answer in answers if _kind(answer) == "other" or len(kinds) > 1)
        raise InputError(
            f"{function} gave {_short(wrong)} as an answer. {_SHAPES}, and the same for all pairs."
        )
    return list(answers)


def parse_names(given: Sequence[Any], function: str) -> pl.DataFrame:
    """Read label words, or objects of labels with their probabilities."""
    with _reading(function):
        return _named_answers(given, function)


def _named_answers(given: Sequence[Any], function: str) -> pl.DataFrame:
    if isinstance(given[0], str):
        return pl.DataFrame({"label": [_word(word, function) for word in given]})
    objects = [_named(each, function) for each in given]
    known = next(known for known in KINDS.values() if set(known) == objects[0].keys())
    if any(each.keys() != objects[0].keys() for each in objects):
        raise InputError(
            f"{function} gave two labels to some pairs and three to others. Give the same to all."
        )
    return answers_from(_normed(np.array([[each[label] for label in known] for each in objects])), known)


def parse_rows(rows: Numbers, order: Sequence[str], scores: Scores, function: str) -> pl.DataFrame:
    """Read rows of numbers, all of them as probabilities or all as logits, whatever they look like."""
    if scores == "logits":
        return make_predictions(rows, order)
    wrong = np.flatnonzero(~are_probabilities(rows))
    if len(wrong):
        raise InputError(
            f"{function} gave {_short(rows[wrong[0]].tolist())} for a pair, and its numbers are taken for "
            "probabilities. Have them add up to 1, or use -o scores=logits."
        )
    known = KINDS[len(order)]
    return answers_from(_normed(in_order(rows, order, known)), known)


def are_probabilities(rows: Numbers) -> NDArray[np.bool_]:
    """Tell for each row whether it can be one of probabilities."""
    told: NDArray[np.bool_] = (rows >= 0).all(axis=1) & (np.abs(rows.sum(axis=1) - 1) <= TOLERANCE)
    return told


def _as_list(given: object, function: str) -> Any:
    """Take tensors and arrays as arrays, other sequences as lists; a text, an object or nothing is wrong."""
    if _is_complex(given):
        raise InputError(f"{function} gave complex numbers. {_SHAPES}, all of them real.")
    if hasattr(given, "detach"):  # a torch tensor, which may be on another device, or in half precision
        given = given.detach().cpu().float().numpy()
    if isinstance(given, np.ndarray):
        return given
    if given is None:
        raise InputError(f"{function} gave nothing back. {_SHAPES}.")
    if isinstance(given, Set):
        raise InputError(
            f"{function} gave a {type(given).__name__}, which has no order. Return a list, in the order of the pairs."
        )
    if _is_table(given):
        raise InputError(
            f"{function} gave a {type(given).__name__}, whose items are columns. Return its rows, such as "
            "table.to_numpy()."
        )
    if isinstance(given, (str, *_BYTES, Mapping)) or not isinstance(given, Iterable):
        raise InputError(f"{function} gave {_short(given)} for all pairs at once. {_SHAPES}.")
    return list(given)


def _is_table(given: object) -> bool:
    """Tell a table of pandas or polars, which is read column by column."""
    return hasattr(given, "columns") and hasattr(given, "to_numpy")


def _is_complex(value: object) -> bool:
    """Tell a complex number, or an array or a tensor of them; numpy and torch would drop a part without an error."""
    return isinstance(value, complex) or "complex" in str(getattr(value, "dtype", ""))


def _kind(answer: object) -> str:
    if isinstance(answer, str):
        return "word"
    if isinstance(answer, Mapping):
        return "named"
    # The order of a set changes from process to process, so its numbers are of no label.
    is_row = hasattr(answer, "__len__") and not isinstance(answer, (*_BYTES, Set))
    return "numbers" if is_row else "other"


def _numbers(answers: Any, function: str) -> Numbers:
    """Make an array of rows of numbers, two or three in each, all finite."""
    plain = [_as_list(row, function) for row in answers]
    if any(_is_complex(value) for row in plain for value in row):
        raise InputError(f"{function} gave complex numbers. {_SHAPES}, all of them real.")
    try:
        rows = np.array(plain, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"{function} gave rows that are not all of the same number of numbers. {_SHAPES}."
        ) from None
    except OverflowError:
        raise InputError(f"{function} gave a number that is too large. Return finite numbers.") from None
    if rows.ndim != 2 or rows.shape[1] not in KINDS:  # noqa: PLR2004 - pairs and outputs
        raise InputError(
            f"{function} gave numbers in the shape {rows.shape}. Return two or three numbers for each pair."
        )
    wrong = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(wrong):
        raise InputError(
            f"{function} gave {rows[wrong[0]].tolist()} for a pair, row {wrong[0] + 1} of {len(rows)}. "
            "Return finite numbers."
        )
    return rows


def _word(word: str, function: str) -> str:
    """Read a label word; a function may also say that it could not read its model's answer."""
    label = labels.UNREADABLE if word == labels.UNREADABLE else labels.find_label(word)
    if label is None:
        raise InputError(
            f"{function}: {labels.explain_unknown_label(word)} Where there is no label, say {labels.UNREADABLE!r}."
        )
    return label


def _named(given: Mapping[Any, Any], function: str) -> dict[str, float]:
    """Read one object of labels with their probabilities: all two or three labels, adding up to 1."""
    found = {labels.find_label(str(word)): value for word, value in given.items()}
    if len(found) != len(given) or not any(set(found) == set(known) for known in KINDS.values()):
        raise InputError(
            f"{function} gave {_short(given)}. Give the probability of each of {', '.join(labels.THREE_LABELS)}, "
            f"or of {', '.join(labels.TWO_LABELS)}."
        )
    if any(map(_is_complex, found.values())):
        raise InputError(f"{function} gave {_short(given)}. Give a real number for each label.")
    try:
        numbers = {str(label): float(value) for label, value in found.items()}
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{function} gave {_short(given)}. Give a number for each label.") from None
    # Written so that what is not a number is refused as well.
    if not (min(numbers.values()) >= 0 and abs(sum(numbers.values()) - 1) <= TOLERANCE):
        raise InputError(f"{function} gave {_short(given)}. Give probabilities from 0 to 1 that add up to 1.")
    return numbers


def _normed(shares: Numbers) -> Numbers:
    normed: Numbers = shares / shares.sum(axis=1, keepdims=True)
    return normed


def _short(value: object) -> str:
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - its code, such as a number with more digits than Python writes
        return f"an object of type {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:77]}..."  # noqa: PLR2004 - a line
