"""By `auto` one rule decides all models of a set, and says which and why."""

from __future__ import annotations

import re

import polars as pl
import pytest

from rightreasons.core import labels
from rightreasons.core.labels import CONTRADICTION, ENTAILMENT, NEUTRAL, NON_ENTAILMENT
from rightreasons.scoring.rule_choice import (
    SOME_MODELS,
    choose_set_rule,
    counts_for_rule_choice,
    depends_on_rule,
)

SURE = pl.DataFrame(
    {
        "label": [ENTAILMENT, NEUTRAL],
        "p_entailment": [0.4, 0.1],
        "p_neutral": [0.35, 0.6],
        "p_contradiction": [0.25, 0.3],
    }
)
TWO = pl.DataFrame(
    {"label": [NON_ENTAILMENT] * 2, "p_entailment": [0.4, 0.1], "p_non_entailment": [0.6, 0.9]}
)
GAPS = SURE.with_columns(pl.when(pl.int_range(pl.len()) > 0).then(pl.col("^p_.*$")))


def predict(*words: str) -> pl.DataFrame:
    return pl.DataFrame({"label": words})


@pytest.mark.parametrize(
    ("answers", "used", "why", "without"),
    [
        ({"a": SURE}, "sum", "", ()),
        ({"a": SURE, "b": TWO}, "sum", "", ()),
        ({"a": SURE, "b": predict(NEUTRAL, ENTAILMENT)}, "argmax", SOME_MODELS, ("b",)),
        ({"a": SURE, "b": GAPS}, "argmax", SOME_MODELS, ("b",)),
        # A model that only ever says entailment may know three labels.
        ({"a": SURE, "b": predict(ENTAILMENT, ENTAILMENT)}, "argmax", SOME_MODELS, ("b",)),
        # Two labels are the same under either rule, and so is no label.
        ({"a": SURE, "b": predict("not_entailment", ENTAILMENT)}, "sum", "", ()),
        ({"a": SURE, "b": predict(labels.REFUSED, labels.UNREADABLE)}, "sum", "", ()),
        ({"a": predict(NEUTRAL, ENTAILMENT)}, "argmax", labels.NO_PROBABILITIES, ()),
        ({"a": GAPS}, "argmax", labels.SOME_PROBABILITIES, ()),
        ({}, "argmax", labels.NO_PROBABILITIES, ()),
    ],
)
def test_the_sum_decides_if_every_model_of_three_labels_has_probabilities(
    answers: dict[str, pl.DataFrame], used: str, why: str, without: tuple[str, ...]
) -> None:
    found = choose_set_rule("auto", answers, merged=True)
    assert (found.used, found.why, found.without) == (used, why, without)
    assert bool(found.remarks) == bool(without)
    assert all(name in found.remarks[0] for name in without)
    # All models of the set are scored by that rule; labels without probabilities are taken as they are.
    for table in answers.values():
        own = found.choose_model_rule(table, baseline=False)
        assert own == used or (own == "argmax" and "p_entailment" not in table.columns)
        assert found.describe("direct").startswith(f"{used}: ")
    assert found.describe(f"x{labels.GOLD_MERGED_TOO}").endswith(labels.GOLD_MERGED_TOO)


def test_two_label_models_are_remarked_on_where_argmax_decides_the_others() -> None:
    found = choose_set_rule("auto", {"a": SURE, "b": TWO, "c": predict(CONTRADICTION, NEUTRAL)}, merged=True)
    assert (found.without, found.two) == (("c",), ("b",))
    assert re.match(r"b .* 1/2; .* 1/3 ", found.remarks[1])


@pytest.mark.parametrize("rule", ["sum", "argmax"])
def test_a_rule_that_was_asked_for_holds(rule: str) -> None:
    found = choose_set_rule(rule, {"a": SURE, "b": predict(NEUTRAL)}, merged=True)
    assert (found.used, found.remarks) == (rule, [])
    assert found.choose_model_rule(SURE, baseline=False) == rule
    assert found.choose_model_rule(predict(NEUTRAL), baseline=True) == "argmax"
    assert found.describe("direct") == "direct"


def test_three_labels_that_are_compared_as_they_are_need_no_rule() -> None:
    found = choose_set_rule("auto", {"a": SURE, "b": predict(NEUTRAL)}, merged=False)
    assert (found.used, found.remarks, found.describe(labels.DIRECT)) == (None, [], labels.DIRECT)


def test_built_in_models_do_not_affect_the_rule() -> None:
    assert [
        counts_for_rule_choice(name, baseline=False) for name in ("majority", "random", "rules:subsequence")
    ] == [False] * 3
    assert counts_for_rule_choice("file:x.csv", baseline=False)
    assert not counts_for_rule_choice("file:x.csv", baseline=True)
    assert [depends_on_rule(table) for table in (SURE, TWO, predict(NEUTRAL), predict(NON_ENTAILMENT))] == [
        *[True] * 3,
        False,
    ]
