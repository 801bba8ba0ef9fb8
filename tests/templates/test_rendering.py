"""A tree as text, parse and binary parse: they say the same words, in either style."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from small_sets import every_pair, grammar_of, template

from rightreasons.core import trees
from rightreasons.core.errors import InputError
from rightreasons.templates.filling import Filler
from rightreasons.templates.notation import read_items
from rightreasons.templates.rendering import capitalise, render_binary_leaf, render_sentence

if TYPE_CHECKING:
    import polars as pl

    from rightreasons.templates.grammar import Grammar

SIDES = ("premise", "hypothesis")
RANKS = 8
WORDS = {
    "N": {"tag": "NN", "words": ["dog", "ice cream", "été", "(NNS cats)"]},
    "FOOD": {"tag": "NN", "words": ["corn", "(NN ice) (NN cream)", "(NP (JJ red) (NN hot) (NN dog))"]},
    "PREP": [
        "(PP (IN near) *)",
        "(PP (IN in) (NP (NN front) (PP (IN of) *)))",
        "(ADVP (JJ next) (PP (TO to) *))",
    ],
    "V": "saw heard",
    "SUB": "if unless",
}
TREES = [
    "(S (NP (DT the) {N1}) (VP (VBD {V1}) (NP (DT the) {N2})) (. .))",
    "(S (NP (NP (DT the) {N1}) {PREP (NP (DT the) {FOOD1})}) (VP (VBD {V1})) (. .))",
    "(S (SBAR (IN {SUB1}) (S (NP {N1}) (VBD {V1}))) (, ,) (S (NP {N2}) (VBD {V2}) (NP {FOOD1})) (. .))",
    "(S (NP {FOOD1}) (VP (VBD was) {PREP {PREP2 (NP {N1})}}) (. .))",
    "(S {PREP (NP {N1})} (X (Y (VBD slept))) (. .))",
    "(S (NP {N1/XX}) (VBD did) (RB n't) (VP (VB sleep)) (. !))",
]


def some_ranks(grammar: Grammar) -> tuple[np.ndarray, np.ndarray]:
    """Draw some ranks of every sub-variant, the first and the last among them."""
    counts = np.array([variant.space.count for variant in grammar.variants])
    spread = np.linspace(np.zeros_like(counts), counts - 1, RANKS).astype(np.int64)
    spread[1:-1] += np.random.default_rng(1).integers(0, 1 << 40, spread[1:-1].shape)
    numbers = np.tile(np.arange(len(counts), dtype=np.int16), RANKS)
    return numbers, (spread % counts).ravel()


def check_three_strings_agree(pairs: pl.DataFrame, *, but: str | None = None) -> None:
    for row in pairs.iter_rows(named=True):
        for side in SIDES:
            tree = trees.parse_tree(row[f"{side}_parse"])
            assert row[f"{side}_binary_parse"] == trees.binarise_tree(tree)
            text = row[side]
            if side == "hypothesis" and row["template"] == but:
                assert text.count(" the the ") == 1
                text = text.replace(" the the ", " the ")
            assert trees.list_tree_words(tree) == text.split()


def test_texts_and_parses_of_hans_agree(hans_grammar: Grammar) -> None:
    pairs = Filler(hans_grammar, "tokenised", "binary").fill_pairs(*some_ranks(hans_grammar))
    faithful = hans_grammar.document.text == "tokenised"
    # The released temp15 has a second article in the text alone.
    check_three_strings_agree(pairs, but="temp15" if faithful else None)


def test_hans_in_natural_text_is_the_same_but_for_spaces_before_signs(hans_grammar: Grammar) -> None:
    ranks = some_ranks(hans_grammar)
    natural, tokenised = (
        Filler(hans_grammar, style, "none").fill_pairs(*ranks) for style in ("natural", "tokenised")
    )
    for side in SIDES:
        expected = tokenised[side].str.replace_all(r" ([.,])", "$1")
        assert natural[side].equals(expected)
        assert natural[side].str.contains(r"^[A-Z][A-Za-z, ]*[a-z]\.$").all()
        assert not natural[side].str.contains("  ", literal=True).any()


@pytest.mark.parametrize("tree", TREES)
def test_the_three_strings_agree_for_every_kind_of_item(tree: str) -> None:
    grammar = grammar_of(WORDS, template(tree, "(S (NP (DT the) {N1}) (VBD slept) (. .))"))
    pairs = every_pair(grammar, "tokenised", "binary")
    check_three_strings_agree(pairs)
    assert pairs["premise"].str.contains(r"^\p{Lu}").all()
    assert pairs.select("premise", "hypothesis").n_unique() == pairs.height


def test_a_word_beside_nodes_is_in_the_text_alone() -> None:
    pairs = every_pair(
        grammar_of(WORDS, template("(S the (DT the) {N1} (. .))", "(S {N1})")), parses="binary"
    )
    row = pairs.row(0, named=True)
    assert row["premise"] == "The the dog."
    # The first word of the parse is the first of its own, so it starts the sentence there too or is as written.
    assert [word.lower() for word in trees.list_tree_words(trees.parse_tree(row["premise_parse"]))] == [
        "the",
        "dog",
        ".",
    ]
    assert row["premise_binary_parse"] == trees.binarise_tree(trees.parse_tree(row["premise_parse"]))


def test_natural_text_attaches_signs_and_clitics() -> None:
    tree = "(S (NP {N1} (POS 's)) (VBD did) (RB n't) (, ,) (X so) (: ;) (X no) (. ?))"
    grammar = grammar_of(WORDS, template(tree, "(S {N1})"))
    assert every_pair(grammar, "natural")["premise"][0] == "Dog's didn't, so; no?"
    assert every_pair(grammar, "tokenised")["premise"][0] == "Dog 's did n't , so ; no ?"


def test_plain_text_is_spaced_as_written_in_either_style_and_has_no_parse() -> None:
    grammar = grammar_of(WORDS, template("the {N1}'s  dog, {N2}s.", "A ({N1})."))
    for style in ("natural", "tokenised"):
        row = every_pair(grammar, style, "binary").row(0, named=True)
        assert row["premise"] == "The dog's dog, ice creams."
        assert row["hypothesis"] == "A (dog)."
        assert row["premise_parse"] is None
        assert row["premise_binary_parse"] is None


@pytest.mark.parametrize(
    ("sentence", "first"),
    [
        ("(S (NP {N1}) (VBD slept))", {"Dog", "Ice", "Été", "Cats"}),
        ("{N1} slept", {"Dog", "Ice", "Été", "Cats"}),
        ("(S (NP {FOOD1}) (VBD slept))", {"Corn", "Ice", "Red"}),
        ("(S {PREP (NP {N1})} (VBD slept))", {"Near", "In", "Next"}),
        ("the {N1}", {"The"}),
        ("(S (X (Y (DT the))) (NP {N1}))", {"The"}),
    ],
)
def test_sentences_begin_with_a_capital_letter_and_have_no_other(sentence: str, first: set[str]) -> None:
    pairs = every_pair(grammar_of(WORDS, template(sentence, "It did.")), parses="binary")
    assert set(pairs["premise"].str.split(" ").list.first()) == first
    assert not pairs["premise"].str.slice(1).str.contains(r"\p{Lu}").any()
    if sentence.startswith("("):
        words = [trees.list_tree_words(trees.parse_tree(parse)) for parse in pairs["premise_parse"]]
        assert {row[0] for row in words} == first


def test_capitals_and_leaves() -> None:
    assert [capitalise(text) for text in ("dog", "Dog", "été", "", "iPhone")] == [
        "Dog",
        "Dog",
        "Été",
        "",
        "IPhone",
    ]
    assert [render_binary_leaf(text) for text in ("a", "a b", "a b c")] == ["a", "( a b )", "( a ( b c ) )"]


def test_too_many_shapes_are_refused() -> None:
    words = grammar_of(WORDS, template("It {V1}.", "It did.")).document.words
    items = read_items("(S " + " ".join(f"{{FOOD{n}}}" for n in range(8)) + ")")
    with pytest.raises(InputError, match=r"FOOD0, .*FOOD7 .*4096"):
        render_sentence(items, words, "natural")
