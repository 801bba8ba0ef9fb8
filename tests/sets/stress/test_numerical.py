"""The numerical test: labels follow from the texts, edits can be undone, and only free quantities are touched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rightreasons.core.edits import has_consistent_edit, select_other_text, undo_edits
from rightreasons.core.errors import InputError, TooFewPairsError
from rightreasons.language.numbers import read_number_at
from rightreasons.language.tokens import tokens
from rightreasons.sets.stress.numerical import Numerical, count_rationale_sentences
from rightreasons.sets.stress.numerical_pairs import build_numerical_pairs
from rightreasons.sets.stress.numerical_quantities import (
    filter_sentences_with_quantities,
    split_into_sentences,
)

if TYPE_CHECKING:
    from pathlib import Path

    from rightreasons.sets.corpus_set import TablePlan


def planned(seed: int = 0, **options: object) -> TablePlan:
    return Numerical(**options).plan(size=None, limit=None, seed=seed, split="eval")


def made(*texts: str, seed: int = 0, less: str = "less") -> pl.DataFrame:
    table = split_into_sentences(
        pl.DataFrame({"id": [f"t{number}" for number in range(len(texts))], "text": texts, "genre": "tales"})
    )
    return build_numerical_pairs(table, tokens(table["text"]), seed=seed, less=less)


def written(path: Path, *lines: str) -> str:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def test_the_pocket_corpus_gives_three_labels_in_balance() -> None:
    pairs = planned().table
    assert pairs.height >= 3 * 60
    assert set(pairs["label"].value_counts()["count"]) == {pairs.height // 3}
    assert pairs.group_by("group").agg(pl.col("label").n_unique())["label"].unique().to_list() == [3]
    assert pairs.select("premise", "hypothesis").n_unique() == pairs["id"].n_unique() == pairs.height
    assert tuple(pairs.columns) == ("id", "premise", "hypothesis", "label", *Numerical.tags)
    kinds = {
        "compared": "entailment",
        "swapped": "neutral",
        "wrong": "contradiction",
        "other": "contradiction",
    }
    expected = pairs["branch"].str.split("_").list.first().replace_strict(kinds)
    assert pairs["label"].to_list() == expected.to_list()


@pytest.mark.parametrize("options", [{}, {"mode": "faithful"}, {"less": "fewer"}])
def test_undoing_the_edit_gives_the_sentence_back(options: dict[str, object]) -> None:
    pairs = planned(**options).table
    assert has_consistent_edit(pairs).all()
    assert (undo_edits(pairs) == pairs.select(select_other_text()).to_series()).all()
    at, length = pl.col("edit_at"), pl.col("edit_from").str.len_chars()
    stood = pairs.select(select_other_text().str.slice(at, length)).to_series()
    assert (stood == pairs["edit_from"]).all()


def test_more_and_less_are_in_balance() -> None:
    texts = [f"Anna bought {number} cups for Ben." for number in range(3, 1003)]
    pairs = made(*texts)
    assert pairs.height == 3000
    shares = dict(pairs["branch"].value_counts().rows())
    assert abs(shares["compared_more"] - shares["compared_less"]) < 130  # four standard deviations
    assert abs(shares["wrong_more"] + shares["wrong_less"] - 500) < 65
    assert abs(shares["other_larger"] - shares["other_smaller"]) < 90


def test_choices_depend_on_the_id_and_the_seed_alone() -> None:
    texts = [f"Anna bought {number} cups and {number + 1} bowls for Ben." for number in range(3, 60)]
    table = split_into_sentences(
        pl.DataFrame({"id": [f"t{n}" for n in range(57)], "text": texts, "genre": None})
    )
    whole = build_numerical_pairs(table, tokens(table["text"]), seed=5)
    turned = table.reverse()
    again = build_numerical_pairs(turned, tokens(turned["text"]), seed=5)
    assert again.sort("id").equals(whole.sort("id"))
    part = build_numerical_pairs(table[10:20], tokens(table["text"][10:20]), seed=5)
    assert part.equals(whole.filter(pl.col("source_id").is_in(table["id"][10:20].implode())))
    assert not build_numerical_pairs(table, tokens(table["text"]), seed=6).equals(whole)
    assert whole.filter(pl.col("number").str.ends_with("3"))["number"].n_unique() > 1


@pytest.mark.parametrize(
    "text",
    [
        "How many of the 24 oranges did Anna sell?",
        "Anna sold the 24 oranges.",
        "If Anna sells 24 oranges, Ben is glad.",
        "Anna will sell 24 oranges.",
        "Anna did not sell 24 oranges.",
        "Anna wants to sell 24 oranges.",
        "Buy 24 oranges for Anna.",
        "Anna sold at least 24 oranges.",
        "Anna sold 24 more oranges.",
        "Anna was born in 1998.",
        "Anna came 4th in the race.",
        "Anna bought a 24 mile ticket.",
        "Anna bought $24 shoes.",
        "24 oranges from Spain.",
        "The boy who sold 24 oranges is Ben.",
        "Anna said she sold 24 oranges.",
        "Two boys sold oranges to Anna.",
        "Anna has two cats, Tom and Tim.",
        "Anna has one orange.",
        "Anna sold half of 24 oranges.",
        "Anna sold several hundred and 24 oranges.",
        "24 percent for educational lay programs.",
        "Another orange weighs 24 grams.",
        "Anna bought another orange of 24 grams.",
        "An orange weighs 24 grams.",
        "An NGO bought 24 oranges.",
        "One of the boys sold 24 oranges.",
        "One orange costs $24.",
        "There is a box with 24 oranges.",
        "Oranges cost $24 each.",
        "Anna ate 100% of the oranges.",
        "Anna has 24 fruits, 14 oranges and 10 pears.",
        "In 24 days Anna came home.",
        "Some boys sold 24 oranges.",
        "x = 24",
        "",
        "🍊 24 🍊",
    ],
)
def test_what_asserts_no_free_quantity_gives_no_pair(text: str) -> None:
    pairs = made(text)
    # Of several numbers only those that the sentence is about may be left.
    assert pairs.filter(
        pl.col("number").is_in(["24", "$24", "24 percent", "100%", "1998", "4", "Two", "two", "one"])
    ).is_empty()


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Anna sold 24 ripe oranges to Ben.", "24"),
        ("Anna paid $24 for the oranges.", "$24"),
        ("The price of oranges fell by 24%.", "24%"),
        ("Anna sold twenty-four oranges to Ben.", "twenty-four"),
        ("Twenty-four people came to the fair.", "Twenty-four"),
        ("Anna paid $ 2.5 million for the farm .", "$ 2.5 million"),
        ("Anna earned $2.5 million last year.", "$2.5 million"),
        ("Anna sold 2 million oranges.", "2 million"),
        ("Anna sold a hundred oranges.", "a hundred"),
        ("Anna sold a hundred and twenty oranges.", "a hundred and twenty"),
        ("A thousand people came to the fair.", "A thousand"),
        ("Anna walked 0.5 miles.", "0.5"),
        ("A shop in Oslo sold 24 oranges.", "24"),
        ("One day, she sold 24 oranges.", "24"),
        ("A total of 24 oranges were sold.", "24"),
        ("There is a total of 24 oranges in the box.", "24"),
        ("They each sold 24 oranges.", "24"),
        ("Volunteers raised $24 for the school.", "$24"),
    ],
)
def test_free_quantities_are_compared_in_their_own_style(text: str, number: str) -> None:
    pairs = made(text)
    assert pairs["number"].unique().to_list() == [number]
    kinds = [read_number_at(new, 0) for new in pairs["new_number"]]
    assert {kind.style.kind for kind in kinds if kind} == {pairs["kind"][0]}
    compared = pairs.filter(pl.col("comparison") != "none")
    words = compared["comparison"].str.to_titlecase() if number[0].isupper() else compared["comparison"]
    assert (compared["edit_to"] == words + " than " + compared["new_number"]).all()
    alone = pairs.filter(pl.col("comparison") == "none")
    assert (alone["edit_to"] == alone["new_number"]).all()


@pytest.mark.parametrize(
    ("text", "word", "branch"),
    [
        ("Anna has 2 apples.", "less", "other_larger"),
        ("Anna has two apples.", "less", "other_larger"),
        ("Anna paid $1 for it.", "less", "other_larger"),
        ("Anna won 99% of the games.", "more", "other_smaller"),
    ],
)
def test_numbers_with_room_on_one_side_are_compared_on_that_side(text: str, word: str, branch: str) -> None:
    for seed in range(8):
        pairs = made(text, seed=seed)
        assert pairs["branch"].to_list() == [f"compared_{word}", f"swapped_{word}", branch]
        assert pairs["subcase"].unique().to_list() == [word]
        assert pairs["label"].to_list() == ["entailment", "neutral", "contradiction"]


def test_numbers_with_room_on_both_sides_come_first() -> None:
    for seed in range(8):
        assert made("Anna has 2 apples and 5 pears.", seed=seed)["number"].unique().to_list() == ["5"]


def test_a_very_long_sentence_is_read_once() -> None:
    words = ["Men", "have", *["3", "cats", "and"] * 20_000, "dogs"]
    ends = [len(word) + 1 for word in words]
    table = pl.DataFrame(
        {
            "row": pl.Series([0] * len(words), dtype=pl.UInt32),
            "start": pl.Series([0, *ends[:-1]]).cum_sum(),
            "token": words,
            "tag": ["NNS", "VBP", *["CD", "NNS", "CC"] * 20_000, "NNS"],
        }
    )
    sentences = pl.DataFrame({"id": ["long"], "text": [" ".join(words)], "genre": ["tales"]})
    assert build_numerical_pairs(sentences, table, seed=0).height == 3


def test_things_that_are_counted_can_be_fewer() -> None:
    texts = [f"Anna bought {number} cups for Ben." for number in range(3, 30)]
    measured = [f"Anna walked {number} miles with Ben." for number in range(3, 30)]
    words = made(*texts, *measured, less="fewer").filter(pl.col("comparison") == "less")
    assert (words["edit_to"].str.starts_with("fewer than ") == words["premise"].str.contains("cups")).all()
    assert 0 < words["edit_to"].str.starts_with("fewer than ").sum() < words.height


def test_sentences_get_names_of_their_own() -> None:
    texts = pl.DataFrame({"id": ["a", "a#1", "b"], "text": ["One. Two.", "Three.", "Three."], "genre": None})
    assert split_into_sentences(texts).select("id", "text").rows() == [
        ("a#1", "One."),
        ("a#2", "Two."),
        ("a#1#1", "Three."),
    ]


@given(st.lists(st.text() | st.text(alphabet="12 .,%$aA\n\thas cats"), max_size=4))
def test_any_text_can_be_given(texts: list[str]) -> None:
    table = split_into_sentences(
        pl.DataFrame(
            {"id": [str(n) for n in range(len(texts))], "text": texts, "genre": None},
            schema={"id": pl.String, "text": pl.String, "genre": pl.String},
        )
    )
    pairs = build_numerical_pairs(table, tokens(table["text"]), seed=0)
    assert (undo_edits(pairs) == pairs.select(select_other_text()).to_series()).all()
    assert set(pairs["source_id"]) <= set(filter_sentences_with_quantities(table)["id"])


def test_a_corpus_without_numbers_is_refused_with_counts(tmp_path: Path) -> None:
    corpus = written(tmp_path / "texts.txt", "Anna has a cat.", "Ben has a dog.")
    with pytest.raises(TooFewPairsError, match=r"stress/numerical.* 2 .*--corpus"):
        planned(corpus=(corpus,))


def test_long_texts_and_strange_ones_do_no_harm(tmp_path: Path) -> None:
    strange = [
        "Anna has " + "very " * 2000 + "old cats.",
        "של 24 תפוזים",
        "Anna\thas 24\tcats.",
        "7" * 10_000,
        "Anna has 24 cats.",
    ]
    pairs = planned(corpus=(written(tmp_path / "texts.txt", *strange),)).table
    assert pairs["premise"].str.contains("24 cats").any()
    assert pairs.height == 3


def test_the_filters_of_the_paper_take_fewer_problems(tmp_path: Path) -> None:
    row = '{{"question": "{}", "options": ["A)21", "B){}"], "rationale": "{}", "correct": "B"}}'
    lines = [
        row.format("Anna has 24 cats.", "22", "One. Two."),
        row.format("Ben has 25 cats.", "none", "One. Two."),
        row.format("The dog has 26 fleas.", "22", "One. Two.\\nThree"),
    ]
    corpus = (written(tmp_path / "aqua.json", *lines),)

    def numbers_with(**options: object) -> set[str]:
        return set(planned(corpus=corpus, **options).table["number"])

    assert numbers_with() == {"24", "25", "26"}
    assert numbers_with(numeric_answer=True) == {"24", "26"}
    assert numbers_with(rationale=2) == {"24", "25"}
    small = (written(tmp_path / "small.json", row.format("Anna has 24 cats.", "0.5", "One."), *lines[2:]),)
    for mode, left in (("corrected", {"24", "26"}), ("faithful", {"26"})):
        assert set(planned(corpus=small, numeric_answer=True, mode=mode).table["number"]) == left
    assert numbers_with(entity=True) == {"24", "25"}
    assert "1 of 3 " in planned(corpus=corpus, numeric_answer=True, rationale=2).card.remarks[-2]


def test_options_that_make_no_sense_are_refused() -> None:
    with pytest.raises(InputError, match="rationale is 0"):
        Numerical(rationale=0)
    with pytest.raises(InputError, match=r"less is fewer.*mode=faithful"):
        Numerical(mode="faithful", less="fewer")
    with pytest.raises(InputError, match="split"):
        Numerical().plan(size=None, limit=None, seed=0, split="train")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"numeric_answer": True}, "pocket .* option numeric_answer"),
        ({"rationale": 3}, "pocket .* option rationale"),
    ],
)
def test_filters_by_what_no_text_has_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        planned(**options)


def test_the_order_of_a_corpus_changes_no_row(tmp_path: Path) -> None:
    pairs = [f"{number},Anna has {3 + number % 4} cats.,x,neutral" for number in range(9)]
    header = "id,premise,hypothesis,label"
    one = planned(corpus=(written(tmp_path / "one.csv", header, *pairs),)).table
    other = planned(corpus=(written(tmp_path / "other.csv", header, *pairs[::-1]),)).table
    assert one.height == 12
    assert one.sort("id").equals(other.sort("id"))


def test_lines_and_marks_divide_a_rationale() -> None:
    assert count_rationale_sentences("One is 1.5. Two\nThree") == 3
