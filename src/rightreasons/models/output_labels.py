"""What the outputs of a model mean: resolved from their names, or with unmistakable pairs, never guessed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from rightreasons.core import labels
from rightreasons.core.errors import InputError, format_count
from rightreasons.models.label_probe import (
    MIN_FITTING_ACCURACY,
    ProbeResult,
    reorder_outputs,
    run_label_probe,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from rightreasons.models.label_probe import InputCapacity, LogitsFunction


LABELS_BY_COUNT = {len(known): known for known in (labels.TWO_LABELS, labels.THREE_LABELS)}
MIN_ACCURACY = 0.6  # below it, the names of the outputs are reported as doubtful
_OPTION_EXAMPLE = "-o labels=contradiction,entailment,neutral"


@dataclass(frozen=True)
class ClassifierHead:
    """The label of each output of a model, and how it was resolved."""

    order: tuple[str, ...]  # the three labels, or entailment and non-entailment, in the model's own order
    how: Literal["names", "probe", "option"]
    evidence: dict[str, Any]
    warnings: tuple[str, ...] = ()


def resolve_classifier_head(
    names: Sequence[str],
    labels_option: Sequence[str] | None,
    logits: LogitsFunction,
    model: str,
    capacity: InputCapacity | None = None,
) -> ClassifierHead:
    """Resolve the label of each output: by the option `labels`, else by the names of the outputs, else by the probe.

    The capacity is the longest input of the model, if there is a limit.
    """
    if labels_option is not None:
        return _resolve_by_option(names, labels_option, model)
    if len(names) not in LABELS_BY_COUNT:
        raise InputError(
            f"The model {model!r} has {_format_output_names(names)}, but natural language inference has two or three "
            "labels. Choose a model with an NLI classification head."
        )
    known = [labels.find_label(name) for name in names]
    if not any(known):
        return _resolve_by_probe(names, run_label_probe(logits, len(names), model, capacity), model)
    if not _has_each_label_once(known):
        raise InputError(
            f"The model {model!r} has {_format_output_names(names)}, which don't name each label once. "
            f"{_format_labels_advice(len(names))}"
        )
    return _resolve_by_names(names, known, run_label_probe(logits, len(names), model, capacity), model)


def check_logits_shape(outputs: Any, rows: int) -> NDArray[np.float32]:
    """Refuse the output of a network if it is not a row of numbers for each pair."""
    shape = getattr(outputs, "shape", None)
    kind = getattr(getattr(outputs, "dtype", None), "kind", "")
    if shape is None or len(shape) != 2 or shape[0] != rows or not shape[1] or kind not in "fiu":  # noqa: PLR2004 - pairs and outputs
        actual = f"an array of shape {shape} and type {outputs.dtype}" if kind else type(outputs).__name__
        raise InputError(
            f"The network returned {actual} for {format_count(rows, 'pair')} instead of one row of logits per pair. "
            "Save or export the network with a head for sequence classification."
        )
    logits: NDArray[np.float32] = outputs.astype(np.float32, copy=False)
    return logits


def make_predictions_from_logits(logits: NDArray[np.floating[Any]], order: Sequence[str]) -> pl.DataFrame:
    """Convert rows of outputs to predictions: the label with the highest output, and a probability for each label."""
    known = LABELS_BY_COUNT[len(order)]
    rows = reorder_outputs(np.asarray(logits, dtype=np.float64), order, known)
    with np.errstate(invalid="ignore"):  # infinite values become NaN, which is refused below
        powers = np.exp(rows - rows.max(axis=1, keepdims=True))
    shares = powers / powers.sum(axis=1, keepdims=True)
    wrong = np.flatnonzero(~np.isfinite(shares).all(axis=1))
    if len(wrong):
        raise InputError(
            f"The model returned the logits {logits[wrong[0]].tolist()} for a pair, which give no probabilities. "
            "Check its weights, or compute in fp32."
        )
    return make_predictions_from_probabilities(shares, known)


def make_predictions_from_probabilities(shares: NDArray[np.float64], known: Sequence[str]) -> pl.DataFrame:
    """Make a table of labels and probabilities; of labels with equal probability, the first one is predicted."""
    label = pl.Series("label", known, dtype=pl.String).gather(shares.argmax(axis=1))
    return pl.DataFrame(
        [label, *(pl.Series(labels.PROBABILITIES[word], shares[:, i]) for i, word in enumerate(known))]
    )


def parse_labels_option(labels_option: Sequence[str], outputs: int | None, model: str) -> tuple[str, ...]:
    """Parse the option `labels`: two or three labels, one for each output, none twice."""
    order = tuple(labels.resolve_label(word) for word in labels_option)
    if not _has_each_label_once(order):
        raise InputError(
            f"The option labels of the model {model!r} is {','.join(labels_option)!r}, not a valid set of labels. "
            f"List each of {', '.join(labels.THREE_LABELS)} once, or each of {', '.join(labels.TWO_LABELS)} once."
        )
    if outputs is not None and len(order) != outputs:
        raise InputError(
            f"The model {model!r} has {outputs} output{'s' * (outputs != 1)}, but the option labels lists "
            f"{len(order)}: {','.join(labels_option)}. List one label per output."
        )
    return order


def _resolve_by_option(names: Sequence[str], labels_option: Sequence[str], model: str) -> ClassifierHead:
    """Follow the option, with a warning if the model names another order."""
    order = parse_labels_option(labels_option, len(names), model)
    named = [labels.find_label(name) for name in names]
    warning = (
        f"The model {model!r} names its outputs {', '.join(names)}, but the option labels is "
        f"{', '.join(order)}. The option takes precedence."
    )
    is_doubtful = _has_each_label_once(named) and named != [*order]
    return ClassifierHead(order, "option", {"names": list(names)}, (warning,) if is_doubtful else ())


def _resolve_by_names(
    names: Sequence[str], known: Sequence[str | None], probe: ProbeResult, model: str
) -> ClassifierHead:
    """Follow the names, and check them with the unmistakable pairs."""
    order = tuple(label for label in known if label is not None)
    warnings = tuple(
        filter(
            None,
            (_describe_too_long_pairs(probe, model), _describe_doubtful_names(names, order, probe, model)),
        )
    )
    return ClassifierHead(order, "names", {"names": list(names)} | probe.to_json(), warnings)


def _describe_too_long_pairs(probe: ProbeResult, model: str) -> str | None:
    """Describe the probe pairs that are too long for the model, if any; they cannot confirm the names."""
    if not probe.left_out:
        return None
    return (
        f"The label order of the model {model!r} can't be checked: {probe.left_out_summary}. The names of its outputs "
        "are used. Long pairs of the sets will also be truncated or refused."
    )


def _describe_doubtful_names(
    names: Sequence[str], order: tuple[str, ...], probe: ProbeResult, model: str
) -> str | None:
    """Describe why names are doubtful: another order fits far better, or the accuracy is at chance."""
    if not probe.has_enough_pairs:
        return None
    share = probe.accuracy[order]
    better = probe.fitting_orders[0] if len(probe.fitting_orders) == 1 else order
    if better != order and share < MIN_ACCURACY:
        return (
            f"The model {model!r} names its outputs {', '.join(names)}, but on {probe.pairs} unmistakable pairs "
            f"the accuracy is {share:.0%} with these names and {probe.accuracy[better]:.0%} with "
            f"{', '.join(better)}. The names are used; if they are wrong, use -o labels={','.join(better)}."
        )
    if not probe.is_at_chance(order):
        return None
    return (
        f"The model {model!r} predicts {share:.0%} of {format_count(probe.pairs, 'unmistakable pair')} correctly, not "
        f"clearly more than the majority baseline ({probe.majority_share:.0%}). Check that it was trained on English "
        "and that its tokenizer matches."
    )


def _resolve_by_probe(names: Sequence[str], probe: ProbeResult, model: str) -> ClassifierHead:
    """Follow the only order under which the model is right on nearly all unmistakable pairs."""
    if not probe.has_enough_pairs:
        raise InputError(
            f"The model {model!r} has {_format_output_names(names)}, which are not labels, and "
            f"{probe.left_out_summary}, too many to determine the label order. {_format_labels_advice(len(names))}"
        )
    if len(probe.fitting_orders) != 1:
        raise _make_no_fitting_order_error(names, probe, model)
    order = probe.fitting_orders[0]
    # Names that mean something to their author are not overruled without a warning.
    are_numbered = all(map(NUMBERED_NAME.fullmatch, names))
    warnings = () if are_numbered else (_describe_overruled_names(names, order, probe, model),)
    return ClassifierHead(order, "probe", {"names": list(names)} | probe.to_json(), warnings)


def _make_no_fitting_order_error(names: Sequence[str], probe: ProbeResult, model: str) -> InputError:
    return InputError(
        f"The model {model!r} has {_format_output_names(names)}, which are not labels, and no label order reaches an "
        f"accuracy of {MIN_FITTING_ACCURACY:.0%} on {probe.pairs} unmistakable pairs ({probe}). "
        f"Check that it is an NLI model. {_format_labels_advice(len(names))}"
    )


def _describe_overruled_names(
    names: Sequence[str], order: Sequence[str], probe: ProbeResult, model: str
) -> str:
    return (
        f"The model {model!r} names its outputs {', '.join(names)}, but its predictions on {probe.pairs} unmistakable "
        f"pairs match the order {', '.join(order)}, which is used. If this is wrong, use -o labels=..."
    )


def _has_each_label_once(order: Sequence[str | None]) -> bool:
    """Return whether each of the two or three labels occurs once."""
    return len(order) in LABELS_BY_COUNT and set(order) == set(LABELS_BY_COUNT[len(order)])


def _format_output_names(names: Sequence[str]) -> str:
    listed = ", ".join(name or "''" for name in names)
    return f"one output ({listed})" if len(names) == 1 else f"{len(names)} outputs ({listed})"


def _format_labels_advice(outputs: int) -> str:
    two_labels = f"-o labels={','.join(labels.TWO_LABELS)}"
    example = _OPTION_EXAMPLE if outputs == len(labels.THREE_LABELS) else two_labels
    return f"List the labels in the order of the outputs, such as {example}."


NUMBERED_NAME = re.compile(r"(label|class|output)?[ _-]?\d+|", re.IGNORECASE)  # names without a meaning
_OUTPUT_INDEX = re.compile(r"0|[1-9]\d{0,8}", re.ASCII)


def read_output_names(
    settings: Mapping[str, Any], path: Path, labels_option: Sequence[str] | None = None
) -> tuple[str, ...] | None:
    """Read the names of the outputs, in their order, from `id2label`; None if the settings do not name them.

    An ambiguous map is an error, unless the option `labels` names the outputs.
    """
    try:
        names = _parse_id2label(settings)
    except _AmbiguousMapError as error:
        if labels_option is None:
            raise InputError(
                f"{path} does not define which output is which label: {error}. Correct the file, or specify the order "
                f"of the outputs, such as {_OPTION_EXAMPLE}."
            ) from error
        names = None
    return tuple(labels_option) if names is None and labels_option is not None else names


def has_unusable_output_names(settings: Mapping[str, Any]) -> bool:
    """Return whether the names of the outputs can't be used as they are."""
    try:
        return _parse_id2label(settings) is None
    except _AmbiguousMapError:
        return True


class _AmbiguousMapError(Exception):
    """A label map is ambiguous."""


def _parse_id2label(settings: Mapping[str, Any]) -> tuple[str, ...] | None:
    id2label = settings.get("id2label")
    if id2label is None or id2label == {}:
        return None
    if not isinstance(id2label, dict):
        raise _AmbiguousMapError(f"its id2label is {id2label!r:.80}, not a map from numbers to names")
    names = {_parse_output_index(key): _parse_output_name(value) for key, value in id2label.items()}
    if sorted(names) != [*range(len(names))]:
        listed = ", ".join(map(str, sorted(names)))
        raise _AmbiguousMapError(
            f"the keys of id2label are {listed}, not 0 to {len(names) - 1} without a gap"
        )
    ordered = tuple(names[place] for place in range(len(names)))
    _check_num_labels(settings.get("num_labels"), ordered)
    _check_label2id(settings.get("label2id"), ordered)
    return ordered


def _parse_output_index(key: object) -> int:
    """Parse the number of an output, as JSON writes it."""
    if not _OUTPUT_INDEX.fullmatch(str(key)):
        raise _AmbiguousMapError(f"id2label has the key {key!r:.60}, not the number of an output")
    return int(str(key))


def _parse_output_name(value: object) -> str:
    if not isinstance(value, str | int) or isinstance(
        value, bool
    ):  # numbers have no meaning, but contradict nothing
        raise _AmbiguousMapError(f"id2label has the value {value!r:.60}, not a name")
    return str(value)


def _check_num_labels(count: object, names: Sequence[str]) -> None:
    if count is not None and count != len(names):
        raise _AmbiguousMapError(f"num_labels is {count!r:.60}, but id2label has {len(names)} names")


def _check_label2id(inverse: object, names: Sequence[str]) -> None:
    """Compare `label2id` with the names; names without a meaning, such as LABEL_0, contradict nothing."""
    if inverse is None:
        return
    if not isinstance(inverse, dict):
        raise _AmbiguousMapError(f"its label2id is {inverse!r:.80}, not a map from names to numbers")
    for name, place in inverse.items():
        if NUMBERED_NAME.fullmatch(name):
            continue
        if not _OUTPUT_INDEX.fullmatch(str(place)) or int(str(place)) >= len(names):
            raise _AmbiguousMapError(f"label2id maps {name!r:.60} to {place!r:.60}, which is not in id2label")
        own_name = names[int(str(place))]
        if not NUMBERED_NAME.fullmatch(own_name) and not _is_same_label(name, own_name):
            raise _AmbiguousMapError(
                f"label2id maps {name!r:.60} to {place}, but id2label maps {place} to {own_name!r:.60}"
            )


def _is_same_label(name: str, other: str) -> bool:
    known = labels.find_label(name)
    return name.casefold() == other.casefold() or (known is not None and known == labels.find_label(other))
