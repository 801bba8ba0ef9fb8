"""Ranks to columns of pairs: ids, tags, groups, and the same row whatever stands beside it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from small_sets import every_pair, grammar_of, read_grammar, set_text, subcase, template

from rightreasons.core.errors import InputError
from rightreasons.core.pairs import PARSE_COLUMNS, REQUIRED_COLUMNS
from rightreasons.templates.filling import Filler

WORDS = {"N": {"tag": "NN", "words": "dog cat bird"}, "V": "saw heard", "ADJ": ["big", "very old"]}
TEXT = set_text(
    WORDS,
    subcase(
        "swap",
        template(
            "(S (NP (DT the) {N1}) (VBD {V1}) (NP (DT the) {N2}) (. .))",
            "(S (NP (DT the) {N2}) (VBD {V1}) (NP (DT the) {N1}) (. .))",
            "swap",
            trigger="{V1}",
            colour="{N1} {V1}",
        ),
        label="neutral",
        heuristic="lexical_overlap",
    ),
    subcase(
        "keep",
        template(
            "(S (NP (DT the) {N1}) (VBD {V1}) (NP (DT the) {N2}) (. .))",
            "(S (NP (DT the) {N1}) (VBD {V1}) (NP (DT the) {N2}) (. .))",
            "keep",
            trigger="none",
        ),
        template("The {ADJ1} {N1} slept.", "The {N2} slept.", "plain", label="contradiction"),
        template("It rained.", "It was wet.", "rain"),
    ),
)
GRAMMAR = read_grammar(TEXT)
ALL = every_pair(GRAMMAR, parses="binary")


def of(name: str) -> pl.DataFrame:
    return ALL.filter(pl.col("subvariant") == name)


def test_columns_come_in_the_order_of_the_table_of_pairs() -> None:
    tags = ["set", "heuristic", "subcase", "template", "subvariant", "trigger", "colour", "group", "rank"]
    assert ALL.columns == [*REQUIRED_COLUMNS, *tags, *PARSE_COLUMNS]
    assert every_pair(GRAMMAR, parses="none").columns == [*REQUIRED_COLUMNS, *tags]
    assert every_pair(GRAMMAR, parses="labelled").columns == [*REQUIRED_COLUMNS, *tags, *PARSE_COLUMNS[:2]]
    assert ALL.schema["rank"] == pl.Int64
    assert all(kind == pl.String for name, kind in ALL.schema.items() if name != "rank")


def test_all_ranks_generate_all_pairs_once() -> None:
    assert ALL.height == 12 + 12 + 2 * 3 * 2 + 1
    assert ALL["id"].n_unique() == ALL.height
    assert ALL.select("premise", "hypothesis").n_unique() == ALL.height
    assert of("swap").row(0, named=True)["premise"] == "The dog saw the cat."
    assert of("rain").select("premise", "hypothesis").rows() == [("It rained.", "It was wet.")]


def test_ids_name_set_sub_variant_and_rank() -> None:
    assert of("keep")["id"].to_list() == [f"small-keep-{rank}" for rank in range(12)]


def test_labels_and_tags_are_those_of_the_template() -> None:
    assert of("swap").select("label", "heuristic", "subcase").unique().rows() == [
        ("neutral", "lexical_overlap", "swap")
    ]
    assert of("plain").select("label", "heuristic", "subcase", "trigger").unique().rows() == [
        ("contradiction", None, "keep", None)
    ]
    assert set(of("keep")["trigger"]) == {"none"}


def test_a_tag_with_slots_follows_the_draw() -> None:
    for row in of("swap").iter_rows(named=True):
        _, noun, verb, *_ = row["premise"].split()
        assert row["trigger"] == verb
        assert row["colour"] == f"{noun} {verb}"
    assert of("keep")["colour"].null_count() == 12


def test_groups_hold_the_pairs_of_one_premise() -> None:
    grouped = ALL.drop_nulls("group").group_by("group").agg(pl.col("premise").n_unique(), pl.len())
    assert (grouped["premise"] == 1).all()
    assert grouped.filter(pl.col("len") < 2).is_empty()
    assert set(of("swap")["group"]) == set(of("keep")["group"])
    assert of("rain")["group"].null_count() == 1
    assert of("plain")["group"].n_unique() == of("plain")["premise"].n_unique() == 6


def test_plain_text_has_no_parses() -> None:
    for name in PARSE_COLUMNS:
        assert of("plain")[name].null_count() == of("plain").height
        assert of("swap")[name].null_count() == 0


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, ALL.height - 1), max_size=12), st.sampled_from(["none", "labelled", "binary"]))
def test_any_rows_in_any_order_are_those_of_the_whole(rows: list[int], parses: str) -> None:
    numbers = np.repeat(
        np.arange(len(GRAMMAR.variants), dtype=np.int16), [v.space.count for v in GRAMMAR.variants]
    )
    made = Filler(GRAMMAR, "natural", parses).fill_pairs(numbers[rows], ALL["rank"].to_numpy()[rows])
    assert_frame_equal(made, ALL[rows].select(made.columns))


def test_a_tag_of_too_many_values_is_refused() -> None:
    words = {"N": [f"w{n}" for n in range(150)]}
    entry = template("{N1} {N2} {N3}.", "{N1}.", colour="{N1} {N2} {N3}")
    with pytest.raises(InputError, match=r"\bN1, N2, N3\b"):
        Filler(grammar_of(words, entry), "natural", "none")


def test_a_set_of_fixed_sentences_alone_is_filled() -> None:
    made = every_pair(grammar_of(WORDS, template("It rained.", "It was wet.")), parses="binary")
    assert made.select("premise", "hypothesis", "rank").rows() == [("It rained.", "It was wet.", 0)]


def test_wrapping_and_other_entries_keep_all_words() -> None:
    words = {**WORDS, "PREP": ["(PP (IN near) *)", "(RB nearby)"]}
    entry = template("(S (NP (DT the) {N1}) {PREP (NP {N2})} (VBD slept) (. .))", "(S {N1})")
    try:
        made = every_pair(grammar_of(words, entry))
    except InputError:
        return
    assert made.select("premise", "hypothesis").n_unique() == made.height
    assert made["premise"].str.contains("near").all()
