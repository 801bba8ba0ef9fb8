"""An independent scorer in plain Python: reads a prediction file by the documented rules, and counts by id.

It says of a file that it is good (with the counts), that it is wrong beyond doubt, or nothing. It shares no code with
the package.
"""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass
from typing import Any

BOM = b"\xef\xbb\xbf"
THREE = ("entailment", "neutral", "contradiction")
TWO = ("entailment", "non-entailment")
NO_LABEL = ("unreadable", "refused")
TOLERANCE = 2e-3  # twice what the program allows, so that rounding is no fault
ID_NAMES = ("id", "pairid", "pair_id", "uid", "idx")
LABEL_GROUPS = (("prediction", "pred", "predicted_label"), ("label", "gold_label"))
_SHORT = {
    "entailment": "e entail entails entailed entailing entailment",
    "neutral": "n neutral neutrals",
    "contradiction": "c contradict contradicts contradicted contradictory contradicting contradiction contradictions",
    "non-entailment": "nonentailment nonentailed nonentailing notentailment notentailed notentails noentailment",
}
MEANINGS = {word: label for label, words in _SHORT.items() for word in words.split()}
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")

Row = dict[str, Any]
Counts = dict[str, tuple[int, int]]  # by gold label and for all: pairs, and right ones


class InvalidError(Exception):
    """The file is wrong beyond doubt."""


class UndecidedError(Exception):
    """The documented rules don't settle what the file means."""


@dataclass(frozen=True)
class Prediction:
    """One row of a prediction file: its label, and the probabilities that it gives."""

    label: str
    known: dict[str, float]

    @property
    def whole(self) -> bool:
        """Tell whether the probabilities of all two or three labels are known."""
        return self.known.keys() >= set(THREE) or self.known.keys() >= set(TWO)


@dataclass(frozen=True)
class Verdict:
    """What the oracle says of a file: counts, or why it may not be accepted, or neither."""

    counts: Counts | None = None
    invalid: str = ""


def judge_predictions(
    gold: dict[str, str], content: bytes | list[Row], *, kind: str, rule: str = "argmax"
) -> Verdict:
    """Score a prediction file, or the rows that one was made from, against the labels of a set by id."""
    try:
        rows = content if isinstance(content, list) else read_rows(content, kind)
        return Verdict(score(gold, decide(gold, read_predictions(rows, gold), rule)))
    except InvalidError as error:
        return Verdict(invalid=str(error))
    except UndecidedError:
        return Verdict()


def read_rows(content: bytes, kind: str) -> list[Row]:
    """Read the rows of a text table strictly; columns are named in lower case."""
    text = _text(content)
    if kind == "jsonl" or text.lstrip().startswith("{"):
        return [_lower(_json_object(line)) for line in text.split("\n") if line.strip()]
    first = text.split("\n", 1)[0]
    tabs = "\t" in first and not (kind == "csv" and "," in first)
    return _separated(text, "\t" if tabs else ",")


def _text(content: bytes) -> str:
    try:
        text = content.removeprefix(BOM).decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidError("it is not UTF-8") from None
    if "\0" in text:
        raise InvalidError("it holds a NUL")
    if not text.strip():
        raise InvalidError("it is empty")
    return text


def _json_object(line: str) -> list[tuple[str, Any]]:
    try:
        found = json.loads(line, object_pairs_hook=_Pairs)
    except RecursionError:
        raise UndecidedError from None
    except ValueError:
        raise InvalidError("a line is no JSON") from None
    if not isinstance(found, _Pairs):
        raise InvalidError("a line is no object")
    return list(found)


class _Pairs(list[tuple[str, Any]]):
    """The keys and values of an object, as they stand there; a key that is there twice is a contradiction."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        keys = [key for key, _ in pairs]
        if len(set(keys)) < len(keys):
            raise InvalidError("an object has a key twice")


def _lower(pairs: list[tuple[str, Any]]) -> Row:
    names = [name.strip().casefold() for name, _ in pairs]
    if len(set(names)) < len(names):
        raise InvalidError("two columns have one name")
    return {name: value for name, (_, value) in zip(names, pairs, strict=True)}


def _separated(text: str, separator: str) -> list[Row]:
    """Read CSV, or TSV without quotes; a return alone is no line end that the rules know."""
    if "\r" in text.replace("\r\n", ""):
        raise UndecidedError
    if separator == "\t":
        records = [line.removesuffix("\r").split("\t") for line in text.split("\n")]
        records = [[] if record == [""] else record for record in records]
    else:
        try:
            records = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        except csv.Error:
            raise InvalidError("it is no CSV") from None
    while records and not records[-1]:
        records.pop()
    header, *rows = records
    if any(len(row) != len(header) for row in rows):
        raise InvalidError("a line has more or fewer fields than the header")
    return [_lower(list(zip(header, (field or None for field in row), strict=True))) for row in rows]


def read_predictions(rows: list[Row], gold: dict[str, str]) -> dict[str, Prediction]:
    """Give the predicted label and the probabilities of every id."""
    if not rows:
        raise InvalidError("there are no rows")
    names = list(dict.fromkeys(name for row in rows for name in row))
    id_name = next((name for name in ID_NAMES if name in names), None)
    if id_name is None:
        raise InvalidError("there is no column of ids")
    label_name = _label_name(names)
    found: dict[str, Prediction] = {}
    for row in rows:
        name = _id(row.get(id_name))
        if name in found:
            raise InvalidError(f"the id {name!r} is there twice")
        found[name] = _prediction(row, label_name)
    if found.keys() != gold.keys():
        raise InvalidError("the ids are not those of the set")
    return found


def decide(gold: dict[str, str], predictions: dict[str, Prediction], rule: str) -> dict[str, str]:
    """Give every id its label; where three labels become two, the rule says how."""
    labels = {name: one.label for name, one in predictions.items()}
    labelled = [one for one in predictions.values() if one.label not in NO_LABEL]
    # By default probabilities decide if all predictions have them.
    used = "sum" if rule == "auto" and labelled and all(one.whole for one in labelled) else rule
    if used != "sum" or not must_merge(gold, labels):
        return labels
    return {
        name: one.label if one.label in NO_LABEL else _by_sum(one.known) for name, one in predictions.items()
    }


def must_merge(gold: dict[str, str], predicted: dict[str, str]) -> bool:
    """Tell whether three labels must become two before gold labels and predictions can be compared."""
    return set(gold.values()) <= set(TWO) or "non-entailment" in {*gold.values(), *predicted.values()}


def _label_name(names: list[str]) -> str | None:
    for group in LABEL_GROUPS:
        found = [name for name in group if name in names]
        if len(found) > 1:
            raise InvalidError("there are two columns of predictions")
        if found:
            return found[0]
    if any(_probability_label(name) or name in ("probs", "scores") for name in names):
        return None
    raise InvalidError("there is no column of labels")


def _id(value: Any) -> str:
    if value is None or (isinstance(value, str) and not value.strip()):
        raise InvalidError("an id is blank")
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise UndecidedError
    return str(value)


def _prediction(row: Row, label_name: str | None) -> Prediction:
    """Give the label of one row, from its word or its probabilities."""
    numbers = _probabilities(row)
    known = {label: number for label, number in numbers.items() if number is not None}
    label = _label(row.get(label_name)) if label_name else _most_probable(numbers)
    _check_probabilities(label, known)
    return Prediction(label, known)


def _label(value: Any) -> str:
    if value is None:
        raise InvalidError("a label is blank")
    if not isinstance(value, str):
        raise InvalidError(f"{value!r} is no word")
    word = value.strip().casefold()
    if word in NO_LABEL:
        return word
    label = MEANINGS.get("".join(word.replace("-", "").replace("_", "").split()))
    if label is None:
        raise InvalidError(f"{value!r} is not a label")
    return label


def _probability_label(name: str) -> str | None:
    return MEANINGS.get(name[2:].replace("_", "").replace("-", "")) if name.startswith("p_") else None


def _probabilities(row: Row) -> dict[str, float | None]:
    """Collect the probabilities of a row, from columns or from an object."""
    found: dict[str, float | None] = {}
    pairs = [(name[2:], value) for name, value in row.items() if _probability_label(name)]
    for name in ("probs", "scores"):
        value = row.get(name)
        if value is not None and not isinstance(value, _Pairs | dict):
            raise InvalidError(f"{name} is no object")
        pairs += list(value.items() if isinstance(value, dict) else value or ())
    for word, value in pairs:
        label = MEANINGS.get("".join(word.casefold().replace("-", "").replace("_", "").split()))
        if label is None:
            raise InvalidError(f"{word!r} is not a label")
        if label in found:
            raise InvalidError(f"{label} has two probabilities")
        found[label] = _number(value)
    return found


def _number(value: Any) -> float | None:
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, bool):
        raise UndecidedError
    if isinstance(value, str) and not _NUMBER.fullmatch(value):
        raise InvalidError(f"{value!r} is not a number")
    if not isinstance(value, str | int | float):
        raise InvalidError(f"{value!r} is not a number")
    return float(value)


def _most_probable(numbers: dict[str, float | None]) -> str:
    if set(numbers) not in (set(TWO), set(THREE)):
        raise InvalidError("there is not a label, and not the probabilities of all labels")
    values = [(number, label) for label, number in numbers.items() if number is not None]
    if len(values) < len(numbers):
        raise InvalidError("a probability is blank")
    best = max(values)
    if sum(number == best[0] for number, _ in values) > 1:
        raise InvalidError("two labels are equally probable")
    return best[1]


def _check_probabilities(label: str, known: dict[str, float]) -> None:
    """Find what contradicts itself: numbers that are no probabilities, sums, and the label itself."""
    if not known:
        return
    if any(not 0 <= number <= 1 for number in known.values()):
        raise InvalidError("a probability is not within 0 and 1")
    if label in NO_LABEL:
        raise InvalidError("an answer without a label has probabilities")
    others = known.get("neutral", 0) + known.get("contradiction", 0)
    three, two = set(THREE) <= known.keys(), set(TWO) <= known.keys()
    if three and abs(known["entailment"] + others - 1) > TOLERANCE:
        raise InvalidError("three probabilities don't add up to 1")
    if two and not three and abs(known["entailment"] + known["non-entailment"] - 1) > TOLERANCE:
        raise InvalidError("two probabilities don't add up to 1")
    if three and two and abs(known["non-entailment"] - others) > 2 * TOLERANCE:
        raise InvalidError("the probabilities of two and of three labels contradict each other")
    if three and label in THREE and known[label] < max(known[one] for one in THREE):
        raise InvalidError("another label is more probable")
    if two and not three and known["entailment"] != known["non-entailment"]:
        more = max(TWO, key=lambda one: known[one])
        if (label == "entailment") != (more == "entailment"):
            raise InvalidError("another label is more probable")


def _by_sum(known: dict[str, float]) -> str:
    yes = known.get("entailment")
    no = known.get("non-entailment")
    if "neutral" in known and "contradiction" in known:
        no = known["neutral"] + known["contradiction"]
    if yes is None or no is None:
        raise InvalidError("the rule sum needs all probabilities")
    if abs(yes - no) < 1e-9:
        raise UndecidedError
    return "entailment" if yes > no else "non-entailment"


def score(gold: dict[str, str], predicted: dict[str, str]) -> Counts:
    """Count pairs and right predictions, by gold label and in all; three labels become two where they must."""
    merge = {"neutral": TWO[1], "contradiction": TWO[1]} if must_merge(gold, predicted) else {}
    counts: Counts = {}
    for name, word in gold.items():
        label = merge.get(word, word)
        right = merge.get(predicted[name], predicted[name]) == label
        for cell in (label, "all"):
            n, correct = counts.get(cell, (0, 0))
            counts[cell] = (n + 1, correct + right)
    return counts
