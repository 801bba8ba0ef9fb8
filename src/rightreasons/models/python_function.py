"""A Python function as a model: it takes two lists of texts and returns one item for each pair."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from rightreasons.core.errors import InputError
from rightreasons.core.options import option, require_at_least
from rightreasons.core.parts import Job
from rightreasons.core.plugins import convert_plugin_errors
from rightreasons.inference import BatchedModel
from rightreasons.models.function_output import (
    Scores,
    mark_probability_rows,
    parse_function_output,
    parse_label_output,
    parse_number_rows,
)
from rightreasons.models.label_probe import read_probe_pairs
from rightreasons.models.output_labels import ClassifierHead, parse_labels_option, resolve_classifier_head
from rightreasons.models.user_code import (
    call_user_function,
    digest_module_sources,
    find_function_in_module,
    import_user_module,
    read_function_attribute,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType

    import polars as pl

    from rightreasons.core.parts import Rows
    from rightreasons.models.function_output import Numbers

DEFAULT_BATCH_SIZE = 64


@dataclass(frozen=True)
class PythonFunction(BatchedModel):
    """A Python function that takes a list of premises and a list of hypotheses."""

    target: str = option(help="module:function. The module is installed or in the current folder.")
    labels: tuple[str, ...] | None = option(
        None, help="Labels of the numbers, in order, if the function returns numbers."
    )
    scores: Scores | None = option(
        None,
        help="Type of the numbers. Default: probabilities if the numbers for the probe pairs add up to 1, else logits.",
    )
    batch_size: int | None = option(None, help=f"Pairs per call; default {DEFAULT_BATCH_SIZE}.")

    def __post_init__(self) -> None:
        """Check the options; the function is loaded with the first pair."""
        if self.labels is not None:
            object.__setattr__(self, "labels", parse_labels_option(self.labels, None, self.name))
        module, _, attribute = self.target.partition(":")
        if not module or not attribute or ":" in attribute:
            raise InputError(
                f"The model name {self.name!r} contains no function. Use python:module:function."
            )
        require_at_least("batch_size", self.pairs_per_call, 1)

    @cached_property
    def name(self) -> str:
        """The name, such as python:module:function."""
        return f"python:{self.target}"

    @cached_property
    def title(self) -> str:
        """The subject of messages."""
        return f"The function {self.target}"

    @cached_property
    def pairs_per_call(self) -> int:
        """The number of pairs in a call."""
        return DEFAULT_BATCH_SIZE if self.batch_size is None else self.batch_size

    @cached_property
    def module(self) -> ModuleType:
        """The module of the function."""
        return import_user_module(self.target.partition(":")[0])

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The function."""
        return find_function_in_module(self.module, self.target.partition(":")[2])

    @cached_property
    def head(self) -> ClassifierHead:
        """The labels of the numbers in a row, if the function returns numbers."""
        declared = self.declared_labels
        outputs = self.probe_outputs.shape[1] if self.labels is None else len(declared or self.labels)
        names = [f"output {place}" for place in range(outputs)] if declared is None else declared
        if len(names) != outputs:
            raise InputError(
                f"{self.title} returns {outputs} numbers per pair, but its labels are {', '.join(names)}. "
                "Declare one label per number."
            )
        return resolve_classifier_head(names, self.labels, lambda *_: self.probe_outputs, self.name)

    @cached_property
    def declared_labels(self) -> list[str] | None:
        """The labels of the numbers that the function declares, if it does."""
        declared = read_function_attribute(self.function, "labels", self.title)
        if declared is None:
            return None
        is_list = isinstance(declared, list | tuple | np.ndarray)
        if not is_list or not all(isinstance(word, str) for word in declared):
            raise InputError(
                f"{self.title} has labels of type {type(declared).__name__} instead of a list of strings. "
                "List one label for each number, in order."
            )
        return [str(word) for word in declared]

    @cached_property
    def score_kind(self) -> Scores:
        """What the numbers are; determined once, for all rows."""
        declared = self.scores or read_function_attribute(self.function, "scores", self.title)
        if declared is None:
            return "probabilities" if mark_probability_rows(self.probe_outputs).all() else "logits"
        kinds: tuple[Scores, ...] = get_args(Scores)
        # Only strings are compared: the comparison of an array has no single truth value.
        chosen = next((kind for kind in kinds if isinstance(declared, str) and declared == kind), None)
        if chosen is None:
            value = (
                repr(declared)
                if isinstance(declared, str)
                else f"an object of type {type(declared).__name__}"
            )
            raise InputError(f"{self.title} has scores set to {value}. Use {' or '.join(kinds)}.")
        return chosen

    @cached_property
    def probe_outputs(self) -> Numbers:
        """The rows of numbers for the unmistakable pairs, from calls of the usual size."""
        calls = _FunctionJob(self, read_probe_pairs())
        rows = [self._compute_number_rows(*calls.select_texts_by_side(batch)) for batch in calls.batches]
        if len({part.shape[1] for part in rows}) > 1:
            raise InputError(
                f"{self.title} returned two numbers for some pairs and three for others. Return the same count for all."
            )
        return np.concatenate(rows)

    def fingerprint(self) -> dict[str, Any]:
        """Return what determines the predictions: sources of the module and its imports, its `version`, the labels."""
        version = read_function_attribute(self.function, "version", self.title)
        with convert_plugin_errors(
            f"The version of {self.target} can't be read", "Use a string or a number."
        ):
            version = None if version is None else str(version)
        return {
            "target": self.target,
            "files": digest_module_sources(self.module),
            "version": version,
            "labels": None if self.labels is None else list(self.labels),
            **self.output_interpretation,
        }

    def precheck(self) -> None:
        """Load the module; its function may load more with the first pair."""
        _ = self.function, self.declared_labels

    def get_ready(self) -> None:
        """Load the module, as `precheck` does."""
        self.precheck()

    def prepare(self, pairs: pl.DataFrame) -> Job:
        """Divide the pairs into calls."""
        return _FunctionJob(self, pairs)

    def predict_texts(self, premises: list[str], hypotheses: list[str]) -> pl.DataFrame:
        """Call the function and parse its output."""
        output = self._call_function(premises, hypotheses)
        if not isinstance(output, np.ndarray):
            return parse_label_output(output, self.title)
        if len(self.head.order) != output.shape[1]:
            raise InputError(
                f"{self.title} returned {output.shape[1]} numbers for a pair instead of {len(self.head.order)} "
                f"({', '.join(self.head.order)}). Return one number per label."
            )
        return parse_number_rows(output, self.head.order, self.score_kind, self.title)

    def _call_function(self, premises: list[str], hypotheses: list[str]) -> list[Any] | Numbers:
        output = call_user_function(self.function, self.title, premises, hypotheses)
        return parse_function_output(output, len(premises), self.title)

    @cached_property
    def says_words(self) -> bool:
        """Whether the function returns label words, so that no order of outputs is needed."""
        first = read_probe_pairs().head(1)
        output = self._call_function(first["premise"].to_list(), first["hypothesis"].to_list())
        return not isinstance(output, np.ndarray)

    @cached_property
    def output_interpretation(self) -> dict[str, Any]:
        """How numbers are interpreted; empty if the function returns none."""
        try:
            has_order = not self.says_words
        except InputError:  # it may know the pairs of one set only
            return {}
        return {"order": list(self.head.order), "scores": self.score_kind} if has_order else {}

    def _compute_number_rows(self, premises: list[str], hypotheses: list[str]) -> Numbers:
        rows = self._call_function(premises, hypotheses)
        if not isinstance(rows, np.ndarray):
            raise InputError(
                f"{self.title} returns label names, so it has no order of outputs to resolve. "
                "Use `predict` or `evaluate` instead."
            )
        return rows


class _FunctionJob(Job):
    """Pairs, divided into calls of a function."""

    batches: Sequence[Rows] = ()

    def __init__(self, model: PythonFunction, pairs: pl.DataFrame) -> None:
        self.model = model
        self.premises, self.hypotheses = pairs["premise"].to_list(), pairs["hypothesis"].to_list()
        cuts = range(model.pairs_per_call, pairs.height, model.pairs_per_call)
        self.batches = np.split(np.arange(pairs.height), cuts) if pairs.height else []

    @property
    def facts(self) -> dict[str, Any]:
        """Return the labels of the numbers, once they are resolved."""
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
        return self.model.predict_texts(*self.select_texts_by_side(rows))

    def select_texts_by_side(self, rows: Rows) -> tuple[list[str], list[str]]:
        """Return the texts of some pairs."""
        return [self.premises[row] for row in rows], [self.hypotheses[row] for row in rows]
