"""The leaves of a tree are found in the text that it was made of, or the tree is left aside."""

from __future__ import annotations

import pytest

from rightreasons.language.parse_alignment import align_parse


def leaves(text: str, parse: str) -> list[tuple[str, str]] | None:
    found = align_parse(text, parse)
    return found and [(text[start:end], tag) for (start, end), tag in zip(*found, strict=True)]


def test_leaves_are_found_with_their_tags() -> None:
    parse = "(ROOT (S (NP (DT The) (NN dog)) (VP (VBD did) (RB n't) (VP (VB bark))) (. .)))"
    found = leaves("The  dog didn't bark. ", parse)
    assert found == [("The", "DT"), ("dog", "NN"), ("did", "VBD"), ("n't", "RB"), ("bark", "VB"), (".", ".")]


@pytest.mark.parametrize(
    ("text", "tree", "tokens"),
    [
        (
            "a (b) [c]",
            "(X (DT a) (-LRB- -LRB-) (NN b) (-RRB- -RRB-) (-LRB- -LSB-) (NN c) (-RRB- -RSB-))",
            "a ( b ) [ c ]",
        ),
        ('"a" b', "(X (`` ``) (DT a) ('' '') (NN b))", '" a " b'),
        ("\u201ca\u201d b", "(X (`` ``) (DT a) ('' '') (NN b))", "\u201c a \u201d b"),
        ("a \u2014 b\u2026", "(X (DT a) (: --) (NN b) (: ...))", "a \u2014 b \u2026"),
        ("1/2 it\u2019s", r"(X (CD 1\/2) (PRP it) (VBZ 's))", "1/2 it \u2019s"),
        ("R&amp;D & co", "(X (NN R&D) (CC &) (NN co))", "R&amp;D & co"),
        ("\u00a3 5", "(X (# #) (CD 5))", "\u00a3 5"),
        ("in the U.S.", "(X (IN in) (DT the) (NNP U.S.) (. .))", "in the U.S."),
        ("go now", "(X (VB go) (-NONE- *T*) (RB now))", "go now"),
    ],
)
def test_leaves_are_known_in_all_their_spellings(text: str, tree: str, tokens: str) -> None:
    found = leaves(text, tree)
    assert found is not None
    assert [token for token, _ in found] == tokens.split()


@pytest.mark.parametrize(
    "tree",
    [
        "(X (DT a) (NN dog))",  # a word is missing
        "(X (DT a) (NN cat) (VBZ runs))",  # another word
        "(X (DT a) (NN dog) (VBZ runs) (RB on))",  # a word too many
        "(X (DT a) (NN dog) (VBZ runs)",  # a bracket is missing
        "(X (DET a) (NOUN dog) (VERB runs))",  # no Penn tags
        "a dog runs",
        "",
        "()",
    ],
)
def test_trees_that_do_not_fit_are_left_aside(tree: str) -> None:
    assert align_parse("a dog runs", tree) is None
