"""The heuristics as models."""

from __future__ import annotations

import polars as pl
import pytest

from rightreasons.core.errors import InputError, UnknownNameError
from rightreasons.models.baselines import RULES, Rule

PAIRS = pl.DataFrame(
    {
        "id": ["a", "b", "c"],
        "premise": ["If the judge ran , the actor slept ."] * 3,
        "hypothesis": ["The actor slept.", "The judge ran the actor.", "The judge danced."],
        "premise_parse": ["(S (SBAR If (S the judge ran)) (, ,) (S the actor slept) (. .))"] * 3,
    }
)
NO, YES = "non-entailment", "entailment"


@pytest.mark.parametrize(
    ("heuristic", "expected"),
    [("lexical-overlap", [YES, YES, NO]), ("subsequence", [YES, YES, NO]), ("constituent", [YES, NO, NO])],
)
def test_a_rule_answers_where_its_heuristic_applies(heuristic: str, expected: list[str]) -> None:
    model = Rule(heuristic)
    answers = model.predict(PAIRS.select("id", "premise", "hypothesis", *model.needs))
    assert answers.to_dict(as_series=False) == {"id": ["a", "b", "c"], "label": expected}
    assert model.name == f"rules:{heuristic}"


def test_only_the_constituent_rule_needs_parses_and_says_so() -> None:
    assert {name: Rule(name).needs for name in RULES}["constituent"] == ("premise_parse",)
    assert Rule("subsequence").needs == ()
    for pairs in (
        PAIRS.drop("premise_parse"),
        PAIRS.with_columns(premise_parse=pl.lit(None, dtype=pl.String)),
    ):
        with pytest.raises(InputError, match=r"rules:constituent .*premise_parse"):
            Rule("constituent").predict(pairs)


def test_unknown_rules_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="subsequence"):
        Rule("subsequense")  # type: ignore[arg-type]
