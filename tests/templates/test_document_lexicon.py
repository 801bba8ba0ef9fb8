"""Word lists: words, tagged words and small trees, with the keys that tell them apart."""

from __future__ import annotations

import time

import pytest

from rightreasons.core.errors import InputError
from rightreasons.templates.document import build_word_list, has_hole, inflect_word_list, join_word_lists
from rightreasons.templates.notation import read_items


def test_words_are_their_own_keys() -> None:
    words = build_word_list("N", ["dog", "ice cream"], "NN", None)
    assert words.texts == words.keys == ("dog", "ice cream")
    assert words.tags == ("NN", "NN")
    assert len(words) == 2
    assert not words.shapes_tree
    assert not words.is_untagged
    assert build_word_list("V", ["saw"], None, None).is_untagged


def test_lemmas_are_keys() -> None:
    assert build_word_list("PL", ["dogs", "mice"], "NNS", ["dog", "mouse"]).keys == ("dog", "mouse")


def test_a_tree_of_one_leaf_is_a_tagged_word_and_a_larger_one_stays_a_tree() -> None:
    words = build_word_list("FOOD", ["corn", "(NNS chips)", "(NN ice) (NN cream)"], "NN", None)
    assert words.texts == ("corn", "chips", "ice cream")
    assert words.tags == ("NN", "NNS", None)
    assert words.trees == (None, None, read_items("(NN ice) (NN cream)"))
    assert words.shapes_tree
    assert not words.is_wrapper


def test_an_entry_with_a_star_wraps() -> None:
    words = build_word_list(
        "PREP", ["(PP (IN near) *)", "(PP (IN in) (NP (NN front) (PP (IN of) *)))"], None, None
    )
    assert words.texts == ("near", "in front of")
    assert words.is_wrapper
    assert has_hole(read_items("(PP (IN in) (NP *))"))
    assert not has_hole(read_items("(PP (IN in) (NP (NN front)))"))


@pytest.mark.parametrize(
    ("entries", "what"),
    [
        ([], r"\bN is empty"),
        (["dog", "cat", "dog"], "N .*'dog' more than once"),
        (["dog", "(NN dog)"], "N .*'dog' more than once"),
        (["dog", "  "], r"\bN .*blank"),
        (["(NP (DT the) {N1})"], r"\{N1\}.* N .*\[phrases\]"),
        (["(PP * (IN ago))"], r"IN ago.* N .* after .*\*"),
        (["(PP (IN of) * *)"], r"\bN has 2 \*"),
        (["(PP (IN of)"], r"closing '\)'"),
        (["(PP (IN of) *)", "(RB nearby)"], r"\bN .* with \* .* without"),
        (["dog", " dog "], "N .*'dog' more than once"),
    ],
)
def test_bad_entries_are_refused(entries: list[str], what: str) -> None:
    with pytest.raises(InputError, match=what):
        build_word_list("N", entries, None, None)


def test_lemmas_have_to_match_in_number() -> None:
    with pytest.raises(InputError, match=r"\bN has 2 words .* 1 lemmas"):
        build_word_list("N", ["dogs", "cats"], None, ["dog"])


def test_joined_lists_keep_order_tags_and_keys() -> None:
    one = build_word_list("SG", ["dog", "cat"], "NN", None)
    two = build_word_list("PL", ["dogs", "cats"], "NNS", one.keys)
    both = join_word_lists("N", [one, two])
    assert both.texts == ("dog", "cat", "dogs", "cats")
    assert both.keys == ("dog", "cat", "dog", "cat")
    assert both.tags == ("NN", "NN", "NNS", "NNS")


def test_joined_lists_all_wrap_or_none_does() -> None:
    wraps, plain = (
        build_word_list("A", ["(PP (IN near) *)"], None, None),
        build_word_list("B", ["here"], "RB", None),
    )
    assert join_word_lists("C", [wraps, build_word_list("D", ["(PP (IN by) *)"], None, None)]).is_wrapper
    with pytest.raises(InputError, match=r"\bN .*with \*"):
        join_word_lists("N", [plain, wraps])


def test_spaces_of_an_entry_are_normalized() -> None:
    assert build_word_list("N", [" dog", "ice \t cream "], None, None).texts == ("dog", "ice cream")


def test_joined_lists_without_common_words() -> None:
    one, two = (
        build_word_list("A", ["sheep", "dog"], "NN", None),
        build_word_list("B", ["sheep"], "NNS", None),
    )
    with pytest.raises(InputError, match=r"\bN .*'sheep'"):
        join_word_lists("N", [one, two])


def test_lists_of_forty_thousand_words_take_linear_time() -> None:
    words = [f"word{number}" for number in range(40_000)]
    start = time.process_time()
    base = build_word_list("V", words, None, None)
    forms = build_word_list("W", [f"{word}s" for word in words], None, words)
    made = inflect_word_list("V:W", base, forms)
    both = join_word_lists("B", [base, forms])
    assert time.process_time() - start < 8  # when every word was looked for in all others, more than a minute
    assert made.texts == forms.texts
    assert len(both) == 80_000
