"""Parts of users that have the required methods only get the default of every hook."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from rightreasons.core.parts import Job, Model, SetPart, complete_job, complete_model, get_class_hook
from rightreasons.models.baselines import Constant

if TYPE_CHECKING:
    from rightreasons.core.parts import Rows

HOOKS = sorted(name for name in vars(Model) if not name.startswith("_"))


class Least:
    """A model of a user."""

    def predict(self, pairs: pl.DataFrame) -> pl.DataFrame:
        return pairs.select("id", label=pl.lit("neutral"))


class LeastJob:
    """A job of a user."""

    def __init__(self) -> None:
        self.batches = [np.array([0])]

    def predict_batch(self, rows: Rows) -> pl.DataFrame:
        return pl.DataFrame({"label": ["neutral"] * len(rows)})


class Failing(Least):
    @property
    def needs(self) -> tuple[str, ...]:
        raise AttributeError("a bug of the model")


def test_a_model_with_predict_only_has_every_hook() -> None:
    model = complete_model(Least())
    for name in HOOKS:
        getattr(model, name)
    assert model.name == "Least"
    assert (model.needs, model.wants, model.in_batches, model.fingerprint()) == ((), (), False, None)
    assert complete_model(model) is model


def test_a_built_in_model_is_used_as_it_is() -> None:
    model = Constant("neutral")
    assert complete_model(model) is model


def test_own_attributes_come_before_the_defaults() -> None:
    model = Least()
    vars(model).update(name="mine", needs=["premise_parse"])
    assert (complete_model(model).name, complete_model(model).needs) == ("mine", ("premise_parse",))


def test_a_property_that_fails_is_not_a_missing_hook() -> None:
    with pytest.raises(AttributeError, match="a bug of the model"):
        _ = complete_model(Failing()).needs


def test_a_job_gets_the_defaults() -> None:
    job = complete_job(LeastJob())
    assert (job.workers, job.refused, job.facts, job.marked, job.remote) == (1, {}, {}, {}, False)
    assert job.predict_batch(np.array([0, 0])).height == 2


def test_hooks_are_no_defaults_of_fields() -> None:
    @dataclass(frozen=True)
    class Own(Job):
        batches: tuple[Rows, ...]
        refused: dict[int, str]

    with pytest.raises(TypeError):
        Own()  # type: ignore[call-arg]
    assert Own((), {1: "too long"}).refused == {1: "too long"}


def test_hooks_of_a_class_have_defaults_too() -> None:
    assert get_class_hook(Least, "paper", SetPart) == "-"
    assert get_class_hook(Least, "extra", Model) is None
