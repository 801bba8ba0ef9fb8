"""Antonyms in training contradictions are counted on opposite sides."""

from __future__ import annotations

import polars as pl

from rightreasons.experiments.declaration import Setting
from rightreasons.experiments.learners import SCALES
from rightreasons.experiments.stress_antonyms import StressAntonyms, count_antonym_contradictions


def test_models_that_are_compared_on_antonyms_have_the_same_training_pairs() -> None:
    sizes = {part.size for part in StressAntonyms().parts(Setting(SCALES["quick"], ("rc", "cbow")))}
    assert sizes == {10_000}
    assert {part.size for part in StressAntonyms().parts(Setting(SCALES["paper"], ("rc", "ch")))} == {None}


def test_antonyms_are_counted_in_contradictions_on_opposite_sides() -> None:
    wanted = pl.DataFrame({"first": ["cold", "day", "man"], "second": ["hot", "night", "woman"]})
    training = pl.DataFrame(
        [
            ("It was HOT, very hot.", "A cold day.", "contradiction"),  # one, though it says hot twice
            ("A cold cold night.", "Was it hot?", "contradiction"),  # one, the other way round
            ("Hot and cold.", "It was cold and hot.", "contradiction"),  # one, not two
            ("Hot.", "Cold.", "neutral"),  # none: not a contradiction
            ("Hot and cold water.", "Nothing.", "contradiction"),  # none: on one side
            ("A man sat.", "A womanly woman stood.", "contradiction"),
            ("Manhole.", "Woman.", "contradiction"),  # none: a part of a word
        ],
        schema=["premise", "hypothesis", "label"],
        orient="row",
    )
    counted = {
        (first, second): times
        for first, second, times in count_antonym_contradictions(wanted, training).iter_rows()
    }
    assert counted == {("cold", "hot"): 3, ("man", "woman"): 1}
