"""What the outputs of a model mean: told by their names, or found with unmistakable pairs, never guessed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from rightreasons.core import labels
from rightreasons.core.errors import InputError, format_count
from rightreasons.models.probe import Probe, in_order, probe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from rightreasons.models.probe import InputCapacity, Logits


KINDS = {len(known): known for known in (labels.TWO_LABELS, labels.THREE_LABELS)}
TOO_LOW = 0.6  # names under which a model is right less often than this are doubted
_EXAMPLE = "-o labels=contradiction,entailment,neutral"


@dataclass(frozen=True)
class ClassifierHead:
    """The label of each output of a model, and how that is known."""

    order: tuple[str, ...]  # the three labels, or entailment and non-entailment, in the model's own order
    how: Literal["names", "probe", "option"]
    evidence: dict[str, Any]
    warnings: tuple[str, ...] = ()


def resolve_head(
    names: Sequence[str],
    given: Sequence[str] | None,
    logits: Logits,
    model: str,
    room: InputCapacity | None = None,
) -> ClassifierHead:
    """Find the label of each output: by the option `labels`, else by the outputs' names, else by the probe.

    The room is how much the model can read, where there is a limit.
    """
    if given is not None:
        return _by_option(names, given, model)
    if len(names) not in KINDS:
        raise InputError(
            f"The model {model!r} has {_outputs(names)}, and natural language inference has two or three labels. "
            "Name a model with a head for it."
        )
    known = [labels.find_label(name) for name in names]
    if not any(known):
        return _by_probe(names, probe(logits, len(names), model, room), model)
    if not _is_whole(known):
        raise InputError(
            f"The model {model!r} has {_outputs(names)}, which don't say which output is which label. "
            f"Say it, in the order of the outputs, such as {_example(len(names))}."
        )
    return _by_names(names, known, probe(logits, len(names), model, room), model)


def check_logits(outputs: Any, rows: int) -> NDArray[np.float32]:
    """Refuse what a network gives where it is not a row of numbers for each pair."""
    shape = getattr(outputs, "shape", None)
    kind = getattr(getattr(outputs, "dtype", None), "kind", "")
    if shape is None or len(shape) != 2 or shape[0] != rows or not shape[1] or kind not in "fiu":  # noqa: PLR2004 - pairs and outputs
        found = f"an array of shape {shape} and type {outputs.dtype}" if kind else type(outputs).__name__
        raise InputError(
            f"The network gives {found} for {format_count(rows, 'pair')}, not a row of logits for each. "
            "Save or export it with a head for sequence classification."
        )
    logits: NDArray[np.float32] = outputs.astype(np.float32, copy=False)
    return logits


def make_predictions(logits: NDArray[np.floating[Any]], order: Sequence[str]) -> pl.DataFrame:
    """Turn rows of outputs into answers: the label with the highest output, and a probability for each label."""
    known = KINDS[len(order)]
    rows = in_order(np.asarray(logits, dtype=np.float64), order, known)
    with np.errstate(invalid="ignore"):  # what is infinite comes out as no number, and is refused below
        powers = np.exp(rows - rows.max(axis=1, keepdims=True))
    shares = powers / powers.sum(axis=1, keepdims=True)
    wrong = np.flatnonzero(~np.isfinite(shares).all(axis=1))
    if len(wrong):
        raise InputError(
            f"The model gave {logits[wrong[0]].tolist()} for a pair, which is no answer. "
            "Check its weights, or compute in fp32."
        )
    return answers_from(shares, known)


def answers_from(shares: NDArray[np.float64], known: Sequence[str]) -> pl.DataFrame:
    """Lay out probabilities, a column for each known label; of two that are equal the first one is the answer."""
    label = pl.Series("label", known, dtype=pl.String).gather(shares.argmax(axis=1))
    return pl.DataFrame(
        [label, *(pl.Series(labels.PROBABILITIES[word], shares[:, i]) for i, word in enumerate(known))]
    )


def read_labels(given: Sequence[str], outputs: int | None, model: str) -> tuple[str, ...]:
    """Read the option `labels`: two or three labels, one for each output, none twice."""
    order = tuple(labels.resolve_label(word) for word in given)
    if not _is_whole(order):
        raise InputError(
            f"The labels {','.join(given)!r} of the model {model!r} are not two or three different ones that go "
            f"together. Name each of {', '.join(labels.THREE_LABELS)} once, or each of {', '.join(labels.TWO_LABELS)}."
        )
    if outputs is not None and len(order) != outputs:
        raise InputError(
            f"The model {model!r} has {outputs} output{'s' * (outputs != 1)}, but the option labels names "
            f"{len(order)}: {','.join(given)}. Name one label for each output."
        )
    return order


def _by_option(names: Sequence[str], given: Sequence[str], model: str) -> ClassifierHead:
    """Follow the option; a model that names another order is worth a warning."""
    order = read_labels(given, len(names), model)
    said = [labels.find_label(name) for name in names]
    doubt = (
        f"The model {model!r} names its outputs {', '.join(names)}, but the option labels says "
        f"{', '.join(order)}. The option was followed."
    )
    is_doubtful = _is_whole(said) and said != [*order]
    return ClassifierHead(order, "option", {"names": list(names)}, (doubt,) if is_doubtful else ())


def _by_names(names: Sequence[str], known: Sequence[str | None], found: Probe, model: str) -> ClassifierHead:
    """Follow the names, and say what the unmistakable pairs make of them."""
    order = tuple(label for label in known if label is not None)
    warnings = tuple(filter(None, (_unread(found, model), _doubt(names, order, found, model))))
    return ClassifierHead(order, "names", {"names": list(names)} | found.evidence(), warnings)


def _unread(found: Probe, model: str) -> str | None:
    """Say that pairs don't fit, so that they can't speak for the names."""
    if not found.left_out:
        return None
    return (
        f"The model {model!r} can't be checked as others are: {found.unread}. The names of its outputs were "
        "followed; long pairs of the sets will be cut or refused as well."
    )


def _doubt(names: Sequence[str], order: tuple[str, ...], found: Probe, model: str) -> str | None:
    """Say that another order fits far better, or that none can be told from chance."""
    if not found.is_enough:
        return None
    share = found.accuracy[order]
    other = found.fitting[0] if len(found.fitting) == 1 else order
    if other != order and share < TOO_LOW:
        return (
            f"The model {model!r} names its outputs {', '.join(names)}, but on {found.pairs} unmistakable pairs it "
            f"is right in {share:.0%} by these names and in {found.accuracy[other]:.0%} if they are "
            f"{', '.join(other)}. The names were followed; if they are wrong, use -o labels={','.join(other)}."
        )
    if not found.is_chance(order):
        return None
    return (
        f"The model {model!r} is right on {share:.0%} of {format_count(found.pairs, 'unmistakable pair')}, not clearly "
        f"more than one answer to all ({found.commonest:.0%}): is it trained, does the tokenizer fit, does it read "
        "English?"
    )


def _by_probe(names: Sequence[str], found: Probe, model: str) -> ClassifierHead:
    """Follow the one order under which the model is right on nearly all of the unmistakable pairs."""
    if not found.is_enough:
        raise InputError(
            f"The model {model!r} has {_outputs(names)}, which are no labels, and {found.unread}, so these can't "
            f"show which is which. Say it, in the order of the outputs, such as {_example(len(names))}."
        )
    if len(found.fitting) != 1:
        raise _unclear(names, found, model)
    order = found.fitting[0]
    # Names that mean something to their author are not overruled in silence.
    says_nothing = all(map(NUMBERED.fullmatch, names))
    warnings = () if says_nothing else (_other_names(names, order, found, model),)
    return ClassifierHead(order, "probe", {"names": list(names)} | found.evidence(), warnings)


def _unclear(names: Sequence[str], found: Probe, model: str) -> InputError:
    return InputError(
        f"The model {model!r} has {_outputs(names)}, which are no labels, and on {found.pairs} unmistakable pairs "
        f"no order of the labels is right in 90% ({found}). "
        f"If it is a model of natural language inference, give the order of its outputs, such as "
        f"{_example(len(names))}."
    )


def _other_names(names: Sequence[str], order: Sequence[str], found: Probe, model: str) -> str:
    return (
        f"The model {model!r} names its outputs {', '.join(names)}; on {found.pairs} unmistakable pairs they stand "
        f"for {', '.join(order)}. If they mean something else, use -o labels=..."
    )


def _is_whole(order: Sequence[str | None]) -> bool:
    """Tell whether each of the two or three labels is there once."""
    return len(order) in KINDS and set(order) == set(KINDS[len(order)])


def _outputs(names: Sequence[str]) -> str:
    listed = ", ".join(name or "''" for name in names)
    return f"one output ({listed})" if len(names) == 1 else f"{len(names)} outputs ({listed})"


def _example(outputs: int) -> str:
    return _EXAMPLE if outputs == len(labels.THREE_LABELS) else f"-o labels={','.join(labels.TWO_LABELS)}"


NUMBERED = re.compile(r"(label|class|output)?[ _-]?\d+|", re.IGNORECASE)  # names that say nothing
_PLACE = re.compile(r"0|[1-9]\d{0,8}", re.ASCII)


def output_names(
    settings: Mapping[str, Any], path: Path, given: Sequence[str] | None = None
) -> tuple[str, ...] | None:
    """Name the outputs in their order by `id2label`; None where settings don't name them.

    An ambiguous map is an error, unless the option `labels` says what the outputs are: then these are the names.
    """
    try:
        names = _names(settings)
    except _AmbiguousMapError as error:
        if given is None:
            raise InputError(
                f"{path} does not say which output is which label: {error}. Give the order of the outputs, "
                f"such as -o labels={','.join(sorted(labels.THREE_LABELS))}, or correct the file."
            ) from error
        names = None
    return tuple(given) if names is None and given is not None else names


def is_ambiguous(settings: Mapping[str, Any]) -> bool:
    """Tell whether the names of the outputs can't be used as they are."""
    try:
        return _names(settings) is None
    except _AmbiguousMapError:
        return True


class _AmbiguousMapError(Exception):
    """What is wrong with a label map."""


def _names(settings: Mapping[str, Any]) -> tuple[str, ...] | None:
    found = settings.get("id2label")
    if found is None or found == {}:
        return None
    if not isinstance(found, dict):
        raise _AmbiguousMapError(f"its id2label is {found!r:.80}, not a map from numbers to names")
    names = {_place(key): _name(value) for key, value in found.items()}
    if sorted(names) != [*range(len(names))]:
        listed = ", ".join(map(str, sorted(names)))
        raise _AmbiguousMapError(
            f"the keys of id2label are {listed}, not 0 to {len(names) - 1} without a gap"
        )
    ordered = tuple(names[place] for place in range(len(names)))
    _check_count(settings.get("num_labels"), ordered)
    _check_inverse(settings.get("label2id"), ordered)
    return ordered


def _place(key: object) -> int:
    """Read the number of an output, as JSON writes it."""
    if not _PLACE.fullmatch(str(key)):
        raise _AmbiguousMapError(f"id2label has the key {key!r:.60}, not the number of an output")
    return int(str(key))


def _name(value: object) -> str:
    if not isinstance(value, str | int) or isinstance(
        value, bool
    ):  # numbers say nothing, but contradict nothing
        raise _AmbiguousMapError(f"id2label has the value {value!r:.60}, not a name")
    return str(value)


def _check_count(count: object, names: Sequence[str]) -> None:
    if count is not None and count != len(names):
        raise _AmbiguousMapError(f"num_labels is {count!r:.60}, but id2label has {len(names)} names")


def _check_inverse(inverse: object, names: Sequence[str]) -> None:
    """Hold `label2id` against the names; those that say nothing, such as LABEL_0, contradict nothing."""
    if inverse is None:
        return
    if not isinstance(inverse, dict):
        raise _AmbiguousMapError(f"its label2id is {inverse!r:.80}, not a map from names to numbers")
    for name, place in inverse.items():
        if NUMBERED.fullmatch(name):
            continue
        if not _PLACE.fullmatch(str(place)) or int(str(place)) >= len(names):
            raise _AmbiguousMapError(
                f"label2id has {name!r:.60} at {place!r:.60}, which id2label does not have"
            )
        other = names[int(str(place))]
        if not NUMBERED.fullmatch(other) and not _is_same(name, other):
            raise _AmbiguousMapError(
                f"label2id has {name!r:.60} at {place}, where id2label has {other!r:.60}"
            )


def _is_same(name: str, other: str) -> bool:
    known = labels.find_label(name)
    return name.casefold() == other.casefold() or (known is not None and known == labels.find_label(other))
