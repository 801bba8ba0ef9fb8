from __future__ import annotations

import math
from typing import Any

import pytest

from rightreasons.core.labels import CONTRADICTION, ENTAILMENT, NEUTRAL, NON_ENTAILMENT
from rightreasons.models.remote import prompts
from rightreasons.models.remote.openai_protocol import compute_label_probabilities
from rightreasons.models.remote.prompts import Prompt

WORDS = prompts.load_prompt("true-neither-false")
NAMES = prompts.load_prompt("label-names")
MAYBE = prompts.load_prompt("yes-maybe-no")


def in_chat(*places: dict[str, float]) -> dict[str, Any]:
    def listed(place: dict[str, float]) -> list[dict[str, Any]]:
        return [{"token": token, "logprob": math.log(p)} for token, p in place.items()]

    return {
        "content": [
            {"token": max(place, key=lambda t: place[t]), "top_logprobs": listed(place)} for place in places
        ]
    }


def in_completion(*places: dict[str, float]) -> dict[str, Any]:
    tops = [{token: math.log(p) for token, p in place.items()} for place in places]
    return {"tokens": [max(top, key=lambda token: top[token]) for top in tops], "top_logprobs": tops}


@pytest.mark.parametrize("form", [in_chat, in_completion])
def test_spellings_of_a_word_are_added_up(form: Any) -> None:
    # "False" is the most probable token, but the three spellings of true are more probable together.
    odds = compute_label_probabilities(
        form({"False": 0.4, " True": 0.25, "TRUE": 0.2, "true.": 0.1, "The": 0.05}), WORDS
    )
    assert odds == pytest.approx({ENTAILMENT: 0.55 / 0.95, NEUTRAL: 0.0, CONTRADICTION: 0.4 / 0.95})


def test_signs_of_tokenizers_for_a_space_are_spaces() -> None:
    odds = compute_label_probabilities(in_chat({"ĠTrue": 0.2, "▁True": 0.2, "False": 0.3}), WORDS)
    assert odds == pytest.approx({ENTAILMENT: 0.4 / 0.7, NEUTRAL: 0.0, CONTRADICTION: 0.3 / 0.7})


def test_marks_before_the_answer_are_passed_over() -> None:
    odds = compute_label_probabilities(
        in_chat({"\n": 0.9, " False": 0.1}, {'"': 0.8, "x": 0.2}, {"Neither": 0.9, "True": 0.1}), WORDS
    )
    assert odds == pytest.approx({ENTAILMENT: 0.1, NEUTRAL: 0.9, CONTRADICTION: 0.0})


def test_a_reply_that_begins_otherwise_is_no_answer() -> None:
    assert compute_label_probabilities(in_chat({"The": 0.5, " neutral": 0.03, "contr": 0.01}), NAMES) is None
    assert compute_label_probabilities(in_chat({"The": 0.3, " The": 0.25, "True": 0.4}), WORDS) is None
    # Answer words count together against each other beginning by itself.
    said = in_chat({"True": 0.3, "The": 0.2, " The": 0.2, "False": 0.2, "Neither": 0.05})
    assert compute_label_probabilities(said, WORDS) == pytest.approx(
        {ENTAILMENT: 0.3 / 0.55, NEUTRAL: 0.05 / 0.55, CONTRADICTION: 0.2 / 0.55}
    )


@pytest.mark.parametrize("form", [in_chat, in_completion])
def test_what_was_written_must_be_an_answer_word_itself(form: Any) -> None:
    assert compute_label_probabilities(form({"Not": 0.45, "True": 0.4, "False": 0.1}), WORDS) is None
    assert (
        compute_label_probabilities(form({"The": 0.3, "True": 0.2, "False": 0.2, "Neither": 0.05}), WORDS)
        is None
    )


def test_the_beginning_of_a_word_counts_for_it() -> None:
    odds = compute_label_probabilities(
        in_chat({"ent": 0.5, "contrad": 0.2, " neutral": 0.1, "Contr": 0.2}), NAMES
    )
    assert odds == pytest.approx({ENTAILMENT: 0.5, NEUTRAL: 0.1, CONTRADICTION: 0.4})


def test_a_beginning_that_two_words_share_decides_nothing() -> None:
    clash = Prompt("x", "", "two", "", "", {ENTAILMENT: ("nearly",), NON_ENTAILMENT: ("never",)})
    assert compute_label_probabilities(in_chat({"ne": 0.5, "nearly": 0.3, "never": 0.2}), clash) is None
    # It does no harm where it is too small to change the first place.
    odds = compute_label_probabilities(in_chat({"ne": 0.05, "nearly": 0.6, "never": 0.2}), clash)
    assert odds == pytest.approx({ENTAILMENT: 0.75, NON_ENTAILMENT: 0.25})


def test_a_whole_word_that_begins_another_answer_is_shared() -> None:
    clash = Prompt("x", "", "two", "", "", {ENTAILMENT: ("not",), NON_ENTAILMENT: ("not sure", "no")})
    assert compute_label_probabilities(in_chat({"not": 0.6, "no": 0.4}), clash) is None


def test_a_single_letter_is_the_beginning_of_too_much() -> None:
    assert compute_label_probabilities(in_chat({"N": 0.6, "Maybe": 0.4}), MAYBE) is None
    assert compute_label_probabilities(in_chat({"T": 0.1, "False": 0.5}), WORDS) == pytest.approx(
        {ENTAILMENT: 0.0, NEUTRAL: 0.0, CONTRADICTION: 1.0}
    )


@pytest.mark.parametrize(
    "logprobs",
    [
        None,
        [],
        "x",
        {},
        {"content": None},
        {"content": []},
        {"content": [{}]},
        {"content": [{"token": "True", "top_logprobs": None}]},
        {"content": [{"token": "True", "top_logprobs": [{"token": "True", "logprob": None}]}]},
        {"content": [{"token": "The", "top_logprobs": [{"token": "The", "logprob": -0.1}]}]},
        {"tokens": ["True"]},
        {"tokens": ["True"], "top_logprobs": [None]},
        {"tokens": ["True"], "top_logprobs": [{"True": float("nan")}]},
        {"tokens": ["True"], "top_logprobs": [{"True": float("-inf")}]},
    ],
)
def test_where_there_is_nothing_to_read(logprobs: Any) -> None:
    assert compute_label_probabilities(logprobs, WORDS) is None
