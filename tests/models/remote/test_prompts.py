from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core import labels
from rightreasons.core.errors import InputError
from rightreasons.models.remote import prompts
from rightreasons.models.remote.replies import extract_label, find_word_label

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """
ways = "two"
user = "{premise} / {hypothesis}?"
[answers]
entailment = ["Ja", "Jawohl"]
non-entailment = "Nein"
"""


def test_there_are_prompts_with_three_and_with_two_answers() -> None:
    assert len(prompts.list_prompts("three")) >= 3
    assert len(prompts.list_prompts("two")) >= 3
    assert prompts.list_prompts() == sorted([*prompts.list_prompts("three"), *prompts.list_prompts("two")])
    assert len({prompts.load_prompt(name).digest for name in prompts.list_prompts()}) == len(
        prompts.list_prompts()
    )


@pytest.mark.parametrize("name", prompts.list_prompts())
def test_every_prompt_is_whole(name: str) -> None:
    prompt = prompts.load_prompt(name)
    assert tuple(prompt.words) == (labels.THREE_LABELS if prompt.ways == "three" else labels.TWO_LABELS)
    assert len(prompt.about) > 20
    for label, words in prompt.words.items():
        assert [find_word_label(word, prompt) for word in words] == [label] * len(words)
        assert [extract_label(f"{word}.", prompt) for word in words] == [label] * len(words)
        # Whoever reads the prompt can know the word it asks for.
        assert words[0].casefold() in f"{prompt.system} {prompt.user}".casefold()
    assert prompt.user.endswith(":")


@given(st.text(), st.text())
def test_texts_survive_whatever_braces_they_have(premise: str, hypothesis: str) -> None:
    prompt = prompts.load_prompt("follows")
    before, middle, after = prompt.user.replace("{premise}", "\0").replace("{hypothesis}", "\0").split("\0")
    assert prompt.fill(premise, hypothesis) == f"{before}{premise}{middle}{hypothesis}{after}"


def test_a_text_that_looks_like_a_slot_is_no_slot() -> None:
    filled = prompts.load_prompt("question").fill("{hypothesis} {0} {{", "{premise} }")
    assert filled.startswith("{hypothesis} {0} {{\nQuestion: {premise} } True")


def test_a_prompt_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(GOOD)
    prompt = prompts.load_prompt(str(path))
    assert (prompt.name, prompt.ways, prompt.system) == (str(path), "two", "")
    assert prompt.fill("A", "B") == "A / B?"
    assert extract_label("JAWOHL!", prompt) == labels.ENTAILMENT
    before = prompt.digest
    path.write_text(GOOD.replace("?", "??"))
    assert prompts.load_prompt(str(path)).digest != before


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("ways", "wais", "'wais'"),
        ('"two"', '"four"', "ways = 'four'"),
        ("{premise}", "premise", r"'user' .*\{premise\}"),
        ('"Nein"', '"ja"', "'ja' twice"),
        ('"Nein"', "3", "for non-entailment"),
        ('"Nein"', "[]", "for non-entailment"),
        ("non-entailment", "neutral", r"\[answers\]"),
        ('user = "', "user = ", r"mine\.toml is not .*TOML"),
    ],
)
def test_invalid_prompts_are_refused(old: str, new: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(GOOD.replace(old, new))
    with pytest.raises(InputError, match=words):
        prompts.load_prompt(str(path))


def test_missing_prompts_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'true-flase'.* true-false"):
        prompts.load_prompt("true-flase")
    with pytest.raises(InputError, match=r"none\.toml can't"):
        prompts.load_prompt(str(tmp_path / "none.toml"))


def test_the_usual_prompt_has_as_many_answers_as_asked_for() -> None:
    assert [prompts.choose_prompt(None, ways).ways for ways in (None, "three", "two")] == [
        "three",
        "three",
        "two",
    ]
    assert prompts.choose_prompt("follows", None).ways == "two"
    with pytest.raises(InputError, match=r"'follows' .*two .*ways=three"):
        prompts.choose_prompt("follows", "three")
