from __future__ import annotations

import polars as pl
import pytest

from rightreasons.core.errors import InputError
from rightreasons.people.controls import make_controls

TWO = ("entailment", "non-entailment")
PAIRS = pl.DataFrame({"premise": ["It rained."], "hypothesis": ["It was wet."]})


def test_identity_repeats_and_negation_negates() -> None:
    controls = make_controls(PAIRS, identity=7, negation=5, labels=TWO, seed=0)
    same = controls.filter(pl.col("stratum") == "identity")
    negated = controls.filter(pl.col("stratum") == "negation")
    assert (same.height, negated.height) == (7, 5)
    assert (same["premise"] == same["hypothesis"]).all()
    assert negated["hypothesis"].str.contains(" did not ").all()
    assert not controls["premise"].str.contains(" did not ").any()
    assert set(same["label"]) == {"entailment"}
    assert set(negated["label"]) == {"non-entailment"}
    assert controls["premise"].n_unique() == 12


def test_nobody_acts_on_themselves() -> None:
    premises = make_controls(PAIRS, identity=500, negation=0, labels=TWO, seed=0)[
        "premise"
    ].str.to_lowercase()
    nouns = premises.str.extract_groups(r"the (\w+) \w+ the (\w+)\.").struct.unnest()
    singular = [column.str.replace("ies$", "y").str.strip_suffix("s") for column in nouns]
    assert (singular[0] != singular[1]).all()


def test_a_verb_loses_its_ending_after_did_not() -> None:
    premises = ["The judge saw the actor.", "The lawyer stopped the doctors."] * 2
    pairs = pl.DataFrame({"premise": premises, "hypothesis": premises})
    hypotheses = make_controls(pairs, identity=0, negation=200, labels=TWO, seed=0)["hypothesis"]
    verbs = set(hypotheses.str.extract(r"did not (\w+) the"))
    assert {"see", "stop", "introduce", "encourage"} <= verbs
    assert not any(verb.endswith("ed") for verb in verbs)


def test_with_three_labels_a_negation_contradicts() -> None:
    labels = ("entailment", "neutral", "contradiction")
    assert (
        make_controls(PAIRS, identity=0, negation=1, labels=labels, seed=0)["label"].item() == "contradiction"
    )


def test_words_are_those_of_the_premises() -> None:
    nouns = ["judges", "actor", "lawyer", "doctor", "banker", "author"]
    verbs = ["saw", "helped", "called", "thanked"]
    premises = [f"The {noun} {verb} the {noun} ." for noun in nouns for verb in verbs]
    pairs = pl.DataFrame({"premise": premises, "hypothesis": premises})
    controls = make_controls(pairs, identity=40, negation=0, labels=TWO, seed=0)
    assert controls["premise"].str.ends_with(" .").all()  # tokenised like the items
    words = set(controls["premise"].str.to_lowercase().str.extract_all(r"\w+").explode())
    singular = {noun.removesuffix("s") for noun in nouns}
    assert words <= {"the", *verbs, *singular, *(f"{noun}s" for noun in singular)}


def test_no_control_is_an_item() -> None:
    first = make_controls(PAIRS, identity=30, negation=30, labels=TWO, seed=0)
    taken = first.select("premise", "hypothesis")
    second = make_controls(pl.concat([PAIRS, taken]), identity=30, negation=30, labels=TWO, seed=0)
    assert not set(second.select("premise", "hypothesis").iter_rows()) & set(taken.iter_rows())


def test_seeds() -> None:
    first, again, other = (
        make_controls(PAIRS, identity=5, negation=5, labels=TWO, seed=seed) for seed in (0, 0, 1)
    )
    assert first.equals(again)
    assert not first.equals(other)


def test_too_many_controls_are_refused() -> None:
    with pytest.raises(InputError, match="more controls"):
        make_controls(PAIRS, identity=10_000, negation=0, labels=TWO, seed=0)
