"""Forms of verbs."""

from __future__ import annotations

import pytest

from rightreasons.language.verb_forms import VerbForms, find_verb_lemma


@pytest.mark.parametrize(
    ("form", "lemma"),
    [
        ("saw", "see"),
        ("felt", "feel"),
        ("Running", "run"),
        ("believes", "believe"),
        ("see", "see"),
        ("zzz", None),
    ],
)
def test_base_forms(form: str, lemma: str | None) -> None:
    assert find_verb_lemma(form) == lemma


@pytest.mark.parametrize(
    ("word", "tag", "lemma"),
    [
        ("Saw", "VBD", "see"),
        ("seen", "VBN", "see"),
        ("seeing", "VBG", "see"),
        ("sees", "VBZ", "see"),
        ("see", "VBP", "see"),
        ("stopped", "VBD", "stop"),
        ("hid", "VBD", "hide"),
        ("studied", "VBN", "study"),
        ("recognises", "VBZ", "recognize"),
        ("read", "VBD", "read"),
        ("read", "VB", "read"),
        # Nouns, other verbs, and forms with a tag that they can't have.
        ("saw", "NN", None),
        ("looked", "VBD", None),
        ("seeing", "VBD", None),
        ("sees", "VB", None),
    ],
)
def test_words_with_their_tags(word: str, tag: str, lemma: str | None) -> None:
    forms = VerbForms.from_lemmas(["see", "stop", "hide", "study", "recognize", "read"])
    assert forms.get_lemma(word, tag) == lemma


def test_the_past_of_one_verb_goes_before_the_base_of_another() -> None:
    forms = VerbForms.from_lemmas(["saw", "see"])
    assert forms.get_lemma("saw", "VBD") == "see"
    assert forms.get_lemma("saw", "VB") == "saw"
    assert forms.get_lemma("sawed", "VBD") == "saw"


def test_words_are_listed_once() -> None:
    words = VerbForms.from_lemmas(["wait"]).words
    assert {"wait", "waited", "waiting", "waits"} <= set(words)
    assert list(words) == sorted(set(words))
