"""Contracts of sets, models, trainers, audits and exports, with a default for every optional hook.

Built-in parts inherit from these protocols. Parts of users and plugins may have the required methods only:
`complete_model` and the like add the defaults, so that other code can use every hook without asking whether it exists.
"""

from __future__ import annotations

from dataclasses import is_dataclass
from functools import partial
from inspect import getattr_static
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeAlias, TypeGuard, cast

if TYPE_CHECKING:
    from builtins import property as hook
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from rightreasons.core.audit_result import AuditResult
    from rightreasons.core.pairs import Card

else:

    class hook:  # noqa: N801 - used like property
        """A property that parts can replace by an attribute, a property or a field of a dataclass."""

        def __init__(self, default: Callable[[Any], Any]) -> None:
            """Set the function that computes the default."""
            self.default, self.__doc__ = default, default.__doc__

        def __get__(self, part: object, _: type | None = None) -> Any:
            """Compute the default; a class does not see the hook, so that it does not become the default of a field."""
            if part is None:
                raise AttributeError
            return self.default(part)


Rows: TypeAlias = "NDArray[np.int64]"
_MISSING = object()


class Plan(Protocol):
    """A set before it is generated: card, columns and length are known, any range of rows can be generated."""

    @hook
    def card(self) -> Card:
        """How the set is made."""

    @hook
    def schema(self) -> Mapping[str, Any]:
        """The columns with their types."""

    def __len__(self) -> int:
        """Count the pairs."""

    def rows(self, start: int, stop: int) -> pl.DataFrame:
        """Generate the pairs from start up to stop."""


class PairRecogniser(Protocol):
    """Maps pairs back to the template that generated them."""

    def matches(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Return one row for each recognised pair: its row number, and where in the set it comes from."""


class SetPart(Protocol):
    """A challenge set: its options are fixed, its size and seed are not."""

    paper: ClassVar[str] = "-"  # the publication that introduced the set
    reads: ClassVar[str] = "pairs"  # what a corpus must have: pairs, texts or parses

    @hook
    def name(self) -> str:
        """The name in the registry."""

    @hook
    def version(self) -> int:
        """The version; it grows if the same options give other pairs than before."""

    @hook
    def labels(self) -> tuple[str, ...]:
        """The gold labels that occur."""

    def plan(self, *, size: int | None, limit: int | None, seed: int, split: str) -> Plan:
        """Plan the set, without generating its pairs."""

    def recognisers(self) -> Sequence[PairRecogniser]:
        """Return what maps pairs of this set back to their templates; none if it is not made from templates."""
        return ()


class Job(Protocol):
    """Pairs prepared for prediction: split into batches, each of which is predicted on its own."""

    @hook
    def batches(self) -> Sequence[Rows]:
        """Row numbers of each batch, in the order of prediction."""

    @hook
    def refused(self) -> Mapping[int, str]:
        """Rows that the model cannot take, each with the reason; they are in no batch."""
        return {}

    @hook
    def workers(self) -> int:
        """Number of batches to predict at a time; more than 1 if threads help."""
        return 1

    @hook
    def facts(self) -> dict[str, Any]:
        """Facts for the card of a run, such as counts of truncated premises; they may grow during prediction."""
        return {}

    @hook
    def marked(self) -> Mapping[str, Any]:
        """Rows to be counted in the card of a run, by the name of the count."""
        return {}

    @hook
    def remote(self) -> bool:
        """Whether the threads only wait for a server, so that they can be abandoned at any time."""
        return False

    def predict_batch(self, rows: Rows) -> pl.DataFrame:
        """Predict one batch, in the order of its rows: `label`, probabilities where known, `text` if there is any.

        Raises MissingPredictionsError if there are no predictions this time.
        """


class Predictor(Protocol):
    """The least that an object of a user must have to be used as a model."""

    def predict(self, pairs: pl.DataFrame, /) -> pl.DataFrame:
        """Predict a label for every pair: `id`, `label`, probabilities where known."""


class Model(Protocol):
    """Anything that predicts labels: a network, a rule, an endpoint, a file, a person."""

    extra: ClassVar[str | None] = None  # the extra of the package that the model needs
    about: ClassVar[Mapping[str, str]] = {}  # a line of help for each value of the first option

    def predict(self, pairs: pl.DataFrame, /) -> pl.DataFrame:
        """Predict a label for every pair: `id`, `label`, probabilities where known."""

    @hook
    def name(self) -> str:
        """The name in tables and messages."""
        return type(self).__name__

    @hook
    def needs(self) -> tuple[str, ...]:
        """Columns that the model cannot do without, besides ids and texts."""
        return ()

    @hook
    def wants(self) -> tuple[str, ...]:
        """Columns that the model reads if they exist."""
        return ()

    @hook
    def advice(self) -> str | None:
        """What to do if a column that the model needs is missing."""
        return None

    @hook
    def labels(self) -> tuple[str, ...] | None:
        """The labels that the model can predict, if it knows."""
        return None

    @hook
    def sources(self) -> Mapping[str, str]:
        """SHA-256 of the files that the predictions come from."""
        return {}

    @hook
    def in_batches(self) -> bool:
        """Whether the model has `prepare` and `fingerprint`, so that predictions can be checkpointed."""
        return False

    @hook
    def by_id(self) -> bool:
        """Whether predictions are looked up by the ids of pairs, whatever their texts are."""
        return False

    @hook
    def says_words(self) -> bool:
        """Whether the model returns names of labels instead of numbers."""
        return False

    @hook
    def head(self) -> Any:
        """Which output is which label; None for a model without outputs. Resolving it may take a while."""
        return None

    @hook
    def resolved_head(self) -> Any:
        """The head if it has been resolved already."""
        # Objects of users may call something else a head, or have no attributes at all.
        head = getattr(self, "__dict__", {}).get("head")
        return head if is_dataclass(head) else None

    def fingerprint(self) -> dict[str, Any] | None:
        """Return what determines the predictions, as JSON values; None if name and options say it all."""
        return None

    def precheck(self) -> None:
        """Raise InputError if a file, a key or an option is wrong; called before the first set is generated."""

    def get_ready(self) -> None:
        """Load whatever is slow to load, so that the time of prediction does not include it."""

    def refuse_others(self, ids: pl.Series) -> None:
        """Raise InputError if the model has predictions for ids that are not among these."""
        del ids

    def refuse_missing(self, ids: pl.Series) -> None:
        """Raise InputError if the model lacks a prediction for one of these ids."""
        del ids

    def share_budget(self, other: Model) -> None:
        """Spend from the budget of another model: the same one with another prompt."""
        del other


class BatchModel(Model, Protocol):
    """A model that predicts batch by batch, so that predictions can be checkpointed and resumed."""

    @hook
    def in_batches(self) -> bool:
        """Whether the model has `prepare` and `fingerprint`."""
        return True

    def fingerprint(self) -> dict[str, Any]:
        """Return what determines the predictions, as JSON values: digests of weights, order of labels, options."""

    def prepare(self, pairs: pl.DataFrame) -> Job:
        """Make a job of pairs without duplicates: `premise`, `hypothesis` and the columns it needs or wants."""


class Trained(Protocol):
    """The result of a training run."""

    @hook
    def steps(self) -> int:
        """Optimizer steps in all."""

    @hook
    def best_step(self) -> int:
        """The step whose weights were kept."""

    @hook
    def best(self) -> float:
        """Accuracy on the dev set at that step."""

    @hook
    def seconds(self) -> float:
        """Time of training."""

    @hook
    def resumed_from(self) -> int:
        """The step from which training resumed, 0 without a checkpoint."""

    @hook
    def card(self) -> Mapping[str, Any]:
        """What `training.json` in the model folder says, if it exists."""
        return {}


class Trainer(Protocol):
    """Trains a model and writes its folder."""

    own_material: ClassVar[bool] = False  # whether it reads its own files instead of pairs

    def train(
        self, pairs: pl.DataFrame, dev: pl.DataFrame, out: Path, *, checkpoint: Path, facts: dict[str, Any]
    ) -> Trained:
        """Train on the pairs, select the weights on the dev set, write the folder."""

    def hyperparameters(self) -> dict[str, Any]:
        """Return what the options and presets amount to; a model is trained again if it changes."""
        return {}


class Export(Protocol):
    """Writes sets, a run or a network in the format of another tool."""

    takes: ClassVar[Literal["sets", "run", "network"]] = "sets"  # a run can be exported as its sets, too
    appends: ClassVar[bool] = False  # logs to a store of the other tool instead of writing a new folder

    def write(self, source: Any, folder: Path) -> Sequence[str]:
        """Write an ExportSource into a new, empty folder; return remarks for the user."""
        del source, folder
        return ()

    def log(self, source: Any, folder: Path | None) -> Sequence[str]:
        """Add an ExportSource to a store in the folder, or without one to the store that the tool is configured for."""
        del source, folder
        return ()


class Audit(Protocol):
    """Measures one property of a training corpus."""

    needs_labels: ClassVar[bool] = True
    needs: ClassVar[tuple[str, ...]] = ()  # columns that a corpus must have, besides ids and texts

    def precheck(self) -> None:
        """Raise an error if the audit can't be run on any corpus; called before a corpus is read."""

    def audit(self, corpus: Any) -> AuditResult:
        """Measure an AuditCorpus; a corpus that lacks labels or columns that the audit needs is not passed."""


class CompletedPart:
    """A part of a user: what it lacks comes from its contract."""

    __slots__ = ("_contract", "_part")

    def __init__(self, part: Any, contract: type) -> None:
        """Set the part and its contract."""
        self._part, self._contract = part, contract

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the part, or the default of its contract."""
        return get_hook(self._part, name, self._contract)


class CompletedModel(CompletedPart):
    """A model of a user, with lists of columns as tuples."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The name of the model, or of its class if it has none."""
        return str(get_hook(self._part, "name", Model) or type(self._part).__name__)

    @property
    def needs(self) -> tuple[str, ...]:
        """Columns that the model needs."""
        return tuple(get_hook(self._part, "needs", Model))

    @property
    def wants(self) -> tuple[str, ...]:
        """Columns that the model reads if they exist."""
        return tuple(get_hook(self._part, "wants", Model))


def get_hook(part: object, name: str, contract: type) -> Any:
    """Return an attribute of a part; one that it does not have comes from its contract."""
    try:
        return getattr(part, name)
    except AttributeError:
        default = getattr_static(contract, name, _MISSING)
        # A property of the part that fails is not a missing one.
        if default is _MISSING or hasattr(type(part), name):
            raise
    if isinstance(default, hook):
        return default.__get__(part)
    return partial(default, part) if callable(default) else default


def get_class_hook(part: Callable[..., object], name: str, contract: type) -> Any:
    """Return a hook of a class, or of a function that makes a part, or the default of its contract."""
    return getattr(part, name, getattr(contract, name))


def get_model_contract(model: object) -> type:
    """Return the contract of a model of a user: one with `prepare` predicts batch by batch."""
    return BatchModel if hasattr(model, "prepare") else Model


def is_model(value: object) -> TypeGuard[Predictor]:
    """Return whether an object can be used as a model."""
    return hasattr(value, "predict")


def complete_model(model: Any) -> Model:
    """Add the default of every hook that a model of a user lacks."""
    if Model in type(model).__mro__ or isinstance(model, CompletedPart):
        return cast("Model", model)
    return cast("Model", CompletedModel(model, get_model_contract(model)))


def complete_job(job: Any) -> Job:
    """Add the default of every hook that a job of a user lacks."""
    return cast("Job", CompletedPart(job, Job))


def complete_audit(audit: Any) -> Audit:
    """Add the default of every hook that an audit of a user lacks."""
    return cast("Audit", CompletedPart(audit, Audit))


def complete_export(export: Any) -> Export:
    """Add the default of every hook that an export of a user lacks."""
    return cast("Export", CompletedPart(export, Export))
