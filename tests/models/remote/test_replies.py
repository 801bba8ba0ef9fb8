from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core.labels import (
    CONTRADICTION,
    ENTAILMENT,
    NEUTRAL,
    NON_ENTAILMENT,
    THREE_LABELS,
    TWO_LABELS,
)
from rightreasons.models.remote import prompts
from rightreasons.models.remote.prompts import Prompt
from rightreasons.models.remote.replies import extract_label

THREE_WAY = prompts.load_prompt("true-neither-false")
NAMES = prompts.load_prompt("label-names")
YES_NO = prompts.load_prompt("follows")
MAYBE = prompts.load_prompt("yes-maybe-no")
TWO_NAMES = Prompt("x", "", "two", "", "", {ENTAILMENT: ("entailment",), NON_ENTAILMENT: ("not entailment",)})


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("True", ENTAILMENT),
        (" true.\n", ENTAILMENT),
        ("FALSE!", CONTRADICTION),
        ("**Neither**", NEUTRAL),
        ("“True”", ENTAILMENT),
        ("`False`", CONTRADICTION),
        ("Answer: True", ENTAILMENT),
        ("**Answer:** Neither.", NEUTRAL),
        ("The final answer is: False.", CONTRADICTION),
        ("The text doesn't say who slept, so the answer is neither.", NEUTRAL),
        ("Answer: True, because the text says so.", ENTAILMENT),
        ("The statement is true.", ENTAILMENT),
        ("It is important. The statement is false", CONTRADICTION),
        ("It's true.", ENTAILMENT),
        ("This claim is false; see the text.", CONTRADICTION),
        ("False. It is not true.", CONTRADICTION),
        ("True, not false.", ENTAILMENT),
        ("True (the text says so)", ENTAILMENT),
        ("True - the text says so", ENTAILMENT),
        ("Neither\u2014nothing is said of it", NEUTRAL),
        ("So far so good. My answer would be False!", CONTRADICTION),
        ("First it was true, then not.</think>\n\nFalse", CONTRADICTION),
        ("True\n\nThe text says that; it would be false otherwise.", ENTAILMENT),
        ("True or False? Let me see.\nAnswer: False", CONTRADICTION),
        ("True. True. True.", ENTAILMENT),
        ('{"answer": "Neither"}', NEUTRAL),
        ('```json\n{"label": "False", "why": "true enough"}\n```', CONTRADICTION),
        ('{"answer": true}', ENTAILMENT),
        ("<think>True? No, false. Neither?</think>\nTrue", ENTAILMENT),
        ("ＴＲＵＥ", ENTAILMENT),  # noqa: RUF001 - full-width letters are meant
    ],
)
def test_what_can_be_read(text: str, label: str) -> None:
    assert extract_label(text, THREE_WAY) == label


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n\n",
        "Answer: True\nAnswer: False",
        "True\nOn reflection: the answer is false.",
        "Answer: Neither\n\nFinal answer: True.",
        "I can't say.",
        "not true",
        "It isn't true.",
        "It isn’t true.",  # noqa: RUF001 - a curly apostrophe is meant
        "That is not necessarily true.",
        "untrue",
        "True or False",
        "True/False/Neither",
        "True, False",
        "Answer: True, False or Neither",
        "Answer: not true",
        "neither true nor false",
        "It could be true, it could be false.",
        "True is not the answer",
        "<think>It must be True",
        '{"answer": "perhaps", "other": "True"}',
        '{"answer": "not true"}',
        '{"answer": "True", "answer": "False"}',
        '{"answer": "True", "answer": "perhaps"}',
        '{"answer": "perhaps", "answer": "True"}',
        '{"answer": "True", "answer": "True"}',
        '{"answer": "True", "why": {"a": 1, "a": 2}}',
        '```json\n{"label": "False", "label": "True"}\n```',
        "There is insufficient information to determine whether the statement is true.",
        "It might be true.",
        "Possibly true",
        "Partly true",
        "I doubt that it is true",
        "The opposite is true",
        "unable to verify that it is true",
        "It depends on whether it is true",
        "It is unclear whether the answer is true.",
        "I doubt that the answer is true.",
        "Is the statement true?",
        "The statement is true?",
        "True?",
        "True only if he slept",
        "The statement is true only if he slept.",
        "The text does not mention the lawyer. Neither.",
        "The statement is true. The statement is not true.",
        "True. Well, not necessarily true.",
        "True, or false.",
        "True. Perhaps false.",
        "It must be true.</think>",
        "truest falsehood",
        "true-ish",
    ],
)
def test_what_can_not_be_read(text: str) -> None:
    assert extract_label(text, THREE_WAY) is None


@pytest.mark.parametrize(
    ("text", "prompt", "label"),
    [
        ("Entailment", NAMES, ENTAILMENT),
        ("Label: contradiction", NAMES, CONTRADICTION),
        ("The hypothesis is entailed by the premise", NAMES, ENTAILMENT),
        ("non-entailment", NAMES, None),
        ("not entailment", NAMES, None),
        ("no entailment", NAMES, None),
        ("not_entailment", NAMES, None),
        ("not entailment", TWO_NAMES, NON_ENTAILMENT),
        ("not_entailment.", TWO_NAMES, NON_ENTAILMENT),
        ("It is not entailment", TWO_NAMES, NON_ENTAILMENT),
        ("entailment", TWO_NAMES, ENTAILMENT),
        ("No, it does not follow.", YES_NO, NON_ENTAILMENT),
        ("Yes, it does.", YES_NO, ENTAILMENT),
        ("Yes and no.", YES_NO, None),
        ("Nothing follows.", YES_NO, None),
        ("No, not at all.", YES_NO, NON_ENTAILMENT),
        ("No - not at all.", YES_NO, NON_ENTAILMENT),
        ("Yes, there is no doubt.", YES_NO, ENTAILMENT),
        ("Yes, and no.", YES_NO, None),
        ("No information is given", YES_NO, None),
        ("I have no idea", MAYBE, None),
        ("There is no information about it.", MAYBE, None),
        ("No one knows", MAYBE, None),
        ("Yes, maybe.", MAYBE, None),
    ],
)
def test_words_that_contain_or_deny_each_other(text: str, prompt: Prompt, label: str | None) -> None:
    assert extract_label(text, prompt) == label


@given(st.text(), st.sampled_from(prompts.list_prompts()))
def test_any_text_is_a_label_of_the_prompt_or_none(text: str, name: str) -> None:
    prompt = prompts.load_prompt(name)
    assert extract_label(text, prompt) in (None, *(THREE_LABELS if prompt.ways == "three" else TWO_LABELS))


@given(st.sampled_from(["True", "False", "Neither"]), st.sampled_from(["True", "False", "Neither"]))
def test_two_different_words_in_a_sentence_are_never_read(one: str, other: str) -> None:
    assert extract_label(f"Perhaps {one} and perhaps {other} as well", THREE_WAY) is None
    found = extract_label(f"{one}. {other}.", THREE_WAY)
    assert (found is None) == (one != other)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("True", None),
        ("The statement is true", None),
        ("The statement is true only if", None),
        ("Answer: True", None),
        ('{"answer": "True"', None),
        ("No matter", None),
        ("<think>True.", None),
        ("True.", ENTAILMENT),
        ("True, because the", ENTAILMENT),
        ("True\nThe text", ENTAILMENT),
        ("Answer: False.", CONTRADICTION),
        ("Answer: False\n", CONTRADICTION),
        ("Well. The answer is neither, since", NEUTRAL),
        ('{"answer": "True", "why": "beca', ENTAILMENT),
    ],
)
def test_of_a_reply_that_was_cut_off_only_what_is_whole_is_read(text: str, label: str | None) -> None:
    assert extract_label(text, THREE_WAY, truncated=True) == label
