"""The models that don't read."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rightreasons.core.errors import InputError
from rightreasons.core.labels import THREE_LABELS, TWO_LABELS
from rightreasons.models.baselines import Constant, Random

PAIRS = pl.DataFrame({"id": [f"ex{i}" for i in range(3000)]})


def test_constant_gives_one_label() -> None:
    assert Constant().predict(PAIRS)["label"].unique().to_list() == ["entailment"]
    assert Constant("not_entailment").predict(PAIRS.head(2))["label"].to_list() == ["non-entailment"] * 2
    assert Constant().predict(PAIRS.clear()).schema == {"id": pl.String, "label": pl.String}
    with pytest.raises(InputError, match="'1'"):
        Constant("1")


def test_random_is_the_same_on_every_machine() -> None:
    drawn = Random(seed=0).predict(PAIRS.head(8))["label"]
    assert (drawn == "non-entailment").cast(int).to_list() == [1, 0, 1, 1, 1, 0, 1, 1]


@settings(deadline=None)
@given(st.permutations(range(40)), st.integers(0, 40), st.integers(0, 10**9))
def test_an_answer_depends_on_seed_and_id_alone(order: list[int], cut: int, seed: int) -> None:
    model, pairs = Random(seed=seed), PAIRS.head(40)
    mixed = pairs[order]
    parts = pl.concat([model.predict(mixed[:cut]), model.predict(mixed[cut:])])
    assert parts.sort("id").equals(model.predict(pairs).sort("id"))


@pytest.mark.parametrize("names", [TWO_LABELS, THREE_LABELS, ("neutral",)])
def test_labels_are_drawn_alike(names: tuple[str, ...]) -> None:
    drawn = Random(seed=5, labels=names).predict(PAIRS)["label"].value_counts()
    assert set(drawn["label"]) == set(names)
    assert (drawn["count"] / PAIRS.height - 1 / len(names)).abs().max() < 0.03


def test_seeds_differ_and_labels_are_checked() -> None:
    assert not Random(seed=1).predict(PAIRS).equals(Random(seed=2).predict(PAIRS))
    assert Random(labels="e").labels == ("entailment",)
    for wrong in ((), ("e", "entailment")):
        with pytest.raises(InputError, match="none twice"):
            Random(labels=wrong)
