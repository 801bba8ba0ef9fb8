"""A Python function as a model: it is given two lists of texts and gives back one answer for each pair."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.core.options import option
from rightreasons.core.parts import Job
from rightreasons.core.plugins import convert_plugin_errors
from rightreasons.inference import BatchedModel
from rightreasons.models.heads import ClassifierHead, read_labels, resolve_head
from rightreasons.models.parse_output import Scores, are_probabilities, parse_names, parse_output, parse_rows
from rightreasons.models.probe import unmistakable_pairs
from rightreasons.models.user_code import attribute_of, call, find_function, load_module, source_digests

if TYPE_CHECKING:
    from collections.abc import Callable as Function
    from collections.abc import Sequence
    from types import ModuleType

    import polars as pl

    from rightreasons.core.parts import Rows
    from rightreasons.models.parse_output import Numbers

BATCH = 64


@dataclass(frozen=True)
class Callable(BatchedModel):
    """A Python function that takes a list of premises and a list of hypotheses."""

    target: str = option(help="module:function; the module is installed, or in the current folder.")
    labels: tuple[str, ...] | None = option(
        None, help="Label of each number in a row, if the function returns numbers."
    )
    scores: Scores | None = option(
        None,
        help="What the numbers are; default: probabilities if those of the probe pairs are, else logits.",
    )
    batch_size: int | None = option(None, help=f"Pairs in a call; default {BATCH}.")

    def __post_init__(self) -> None:
        """Check the options; the function is loaded with the first pair."""
        if self.labels is not None:
            object.__setattr__(self, "labels", read_labels(self.labels, None, self.name))
        module, _, attribute = self.target.partition(":")
        if not module or not attribute or ":" in attribute:
            raise InputError(f"The model {self.name!r} names no function. Write python:module:function.")
        if self.pairs_per_call < 1:
            raise InputError(f"The option batch_size is {self.batch_size}. Give 1 or more.")

    @cached_property
    def name(self) -> str:
        """The name, such as python:module:function."""
        return f"python:{self.target}"

    @cached_property
    def called(self) -> str:
        """What the function is called in messages."""
        return f"The function {self.target}"

    @cached_property
    def pairs_per_call(self) -> int:
        """The number of pairs in a call."""
        return BATCH if self.batch_size is None else self.batch_size

    @cached_property
    def module(self) -> ModuleType:
        """The module."""
        return load_module(self.target.partition(":")[0])

    @cached_property
    def function(self) -> Function[..., Any]:
        """The function itself."""
        return find_function(self.module, self.target.partition(":")[2])

    @cached_property
    def head(self) -> ClassifierHead:
        """Which number of a row is which label, where the function gives numbers."""
        said = self.said_labels
        outputs = self.probed.shape[1] if self.labels is None else len(said or self.labels)
        names = [f"output {place}" for place in range(outputs)] if said is None else said
        if len(names) != outputs:
            raise InputError(
                f"{self.called} gives {outputs} numbers for a pair, but its labels are {', '.join(names)}. "
                "Name one label for each number."
            )
        return resolve_head(names, self.labels, lambda *_: self.probed, self.name)

    @cached_property
    def said_labels(self) -> list[str] | None:
        """What the function says of the order of its numbers, if it does."""
        said = attribute_of(self.function, "labels", self.called)
        if said is None:
            return None
        listed_words = isinstance(said, list | tuple | np.ndarray)
        if not listed_words or not all(isinstance(word, str) for word in said):
            raise InputError(
                f"{self.called} has labels of the type {type(said).__name__}, not a list of texts. "
                "Give one label for each number, in their order."
            )
        return [str(word) for word in said]

    @cached_property
    def score_kind(self) -> Scores:
        """What the numbers are, determined once, so that all rows are read alike."""
        said = self.scores or attribute_of(self.function, "scores", self.called)
        if said is None:
            return "probabilities" if are_probabilities(self.probed).all() else "logits"
        kinds: tuple[Scores, ...] = get_args(Scores)
        # An array, which has no single truth, is compared with none of them.
        chosen = next((kind for kind in kinds if isinstance(said, str) and said == kind), None)
        if chosen is None:
            shown = repr(said) if isinstance(said, str) else f"of the type {type(said).__name__}"
            raise InputError(f"{self.called} says that its scores are {shown}. Say {' or '.join(kinds)}.")
        return chosen

    @cached_property
    def probed(self) -> Numbers:
        """The rows of numbers for the unmistakable pairs, asked in calls of the usual size."""
        calls = _Calls(self, unmistakable_pairs())
        rows = [self._rows(*calls.texts(batch)) for batch in calls.batches]
        if len({part.shape[1] for part in rows}) > 1:
            raise InputError(
                f"{self.called} gave two numbers for some pairs and three for others. Give the same to all."
            )
        return np.concatenate(rows)

    def fingerprint(self) -> dict[str, Any]:
        """Say what decides the answers: the sources of the module and what it imports, its `version`, the labels."""
        version = attribute_of(self.function, "version", self.called)
        with convert_plugin_errors(f"The version of {self.target} can't be read", "Give a text or a number."):
            version = None if version is None else str(version)
        return {
            "target": self.target,
            "files": source_digests(self.module),
            "version": version,
            "labels": None if self.labels is None else list(self.labels),
            **self.meaning,
        }

    def precheck(self) -> None:
        """Load the module; what its function loads is loaded with the first pair that is asked."""
        _ = self.function, self.said_labels

    def get_ready(self) -> None:
        """Be loaded, as `precheck` does it."""
        self.precheck()

    def prepare(self, pairs: pl.DataFrame) -> Job:
        """Cut the pairs into calls."""
        return _Calls(self, pairs)

    def predictions(self, premises: list[str], hypotheses: list[str]) -> pl.DataFrame:
        """Call the function and read what it gives."""
        given = self._ask(premises, hypotheses)
        if not isinstance(given, np.ndarray):
            return parse_names(given, self.called)
        if len(self.head.order) != given.shape[1]:
            raise InputError(
                f"{self.called} gave {given.shape[1]} numbers for a pair, which has {len(self.head.order)} labels "
                f"({', '.join(self.head.order)}). Return one number for each label."
            )
        return parse_rows(given, self.head.order, self.score_kind, self.called)

    def _ask(self, premises: list[str], hypotheses: list[str]) -> list[Any] | Numbers:
        given = call(self.function, self.called, premises, hypotheses)
        return parse_output(given, len(premises), self.called)

    @cached_property
    def says_words(self) -> bool:
        """Whether it answers with the names of labels, so that there is no order to find out."""
        first = unmistakable_pairs().head(1)
        given = self._ask(first["premise"].to_list(), first["hypothesis"].to_list())
        return not isinstance(given, np.ndarray)

    @cached_property
    def meaning(self) -> dict[str, Any]:
        """How numbers are read, if the function gives any."""
        try:
            has_order = not self.says_words
        except InputError:  # it may know the pairs of one set alone; then there is nothing to find out
            return {}
        return {"order": list(self.head.order), "scores": self.score_kind} if has_order else {}

    def _rows(self, premises: list[str], hypotheses: list[str]) -> Numbers:
        rows = self._ask(premises, hypotheses)
        if not isinstance(rows, np.ndarray):
            raise InputError(
                f"{self.called} answers with the names of labels, so there is no order to find out. "
                "Ask it with predict or evaluate."
            )
        return rows


class _Calls(Job):
    """Some pairs, cut into calls of a function."""

    batches: Sequence[Rows] = ()

    def __init__(self, model: Callable, pairs: pl.DataFrame) -> None:
        self.model = model
        self.premises, self.hypotheses = pairs["premise"].to_list(), pairs["hypothesis"].to_list()
        cuts = range(model.pairs_per_call, pairs.height, model.pairs_per_call)
        self.batches = np.split(np.arange(pairs.height), cuts) if pairs.height else []

    @property
    def facts(self) -> dict[str, Any]:
        """Say which number was taken for which label, once that is known."""
        head: ClassifierHead | None = self.model.resolved_head
        if head is None:
            return {}
        return {
            "labels": list(head.order),
            "labels_by": head.how,
            "scores": vars(self.model).get("score_kind"),
        }

    def predict_batch(self, rows: Rows) -> pl.DataFrame:
        """Call the function for one batch."""
        return self.model.predictions(*self.texts(rows))

    def texts(self, rows: Rows) -> tuple[list[str], list[str]]:
        """Take the texts of some pairs."""
        return [self.premises[row] for row in rows], [self.hypotheses[row] for row in rows]
