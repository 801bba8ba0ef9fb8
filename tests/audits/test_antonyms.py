"""The audit of antonyms: which stand across premise and hypothesis, by label, and which are never seen."""

from __future__ import annotations

import polars as pl
import pytest
from corpora_by_hand import make_corpus

import rightreasons as rr
from rightreasons.audits.antonym_counts import count_antonym_contradictions, load_antonyms
from rightreasons.audits.antonyms import AntonymsAudit
from rightreasons.scoring.intervals import wilson_interval

E, N, C = "entailment", "neutral", "contradiction"
ROWS = [
    ("It was HOT.", "A cold day.", C),
    ("Hotter soup.", "Colder soup.", C),
    ("Hot and cold water.", "Cold water.", E),  # across, but not replaced: the premise has both
    ("Two women sat.", "A man stood.", N),
    ("Men stood.", "Women stood, men sat.", C),  # men stay
    ("Cold.", "Cold.", E),
    ("A good day.", "Nothing.", N),
    ("Manhole.", "Woman.", None),
]


def get_tables(rows: list[tuple[str, str, str | None]], **options: object) -> dict[str, pl.DataFrame]:
    result = AntonymsAudit(**options).audit(make_corpus(rows))  # type: ignore[arg-type]
    return {exhibit.key: exhibit.frame for exhibit in result.exhibits}


def test_antonyms_across_are_counted_by_label_and_base_form() -> None:
    table = get_tables(ROWS)["antonyms"]
    columns = ("antonyms", "type", "pairs", f"n {E}", f"n {N}", f"n {C}")
    assert table.select(columns).rows() == [
        ("all pairs", "", 7, 2, 2, 3),
        ("any antonyms", "", 5, 1, 1, 3),
        ("cold / hot", "gradable", 3, 1, 0, 2),
        ("man / woman", "complementary", 2, 0, 1, 1),
        ("sit / stand", "", 2, 0, 1, 1),
    ]
    assert table["share of contradiction"].to_list() == [3 / 7, 3 / 5, 2 / 3, 1 / 2, 1 / 2]
    # In the second pair of man and woman, men are in both texts.
    assert table["share if replaced"].to_list() == [None, 2 / 3, 1.0, 0.0, 0.0]


def test_words_can_be_compared_as_written() -> None:
    table = get_tables(ROWS, words="as-written")["antonyms"]
    assert table.select("antonyms", "pairs").rows()[1:] == [("any antonyms", 2), ("cold / hot", 2)]


def test_only_the_most_frequent_antonyms_are_shown() -> None:
    tables = get_tables(ROWS, top=1)
    assert tables["antonyms"]["antonyms"].to_list() == ["all pairs", "any antonyms", "cold / hot"]
    assert tables["antonyms-unseen"].height == 1


def test_figures_have_their_interval_and_baseline() -> None:
    result = AntonymsAudit().audit(make_corpus(ROWS))
    figure = result.get_figure("contradiction")
    low, high = wilson_interval(3, 5)
    assert (figure.value, figure.n, figure.baseline) == (3 / 5, 5, 3 / 7)
    assert (figure.low, figure.high) == (pytest.approx(low), pytest.approx(high))
    replaced = result.get_figure("contradiction.replaced")
    assert (replaced.value, replaced.n, replaced.baseline) == (2 / 3, 3, 3 / 7)
    curated = load_antonyms().filter("curated").height
    seen = result.get_figure("seen")
    assert (seen.value, seen.n, seen.baseline) == (2 / curated, curated, None)
    known = load_antonyms().filter(pl.any_horizontal("noun", "verb", "adjective", "adverb")).height
    assert (result.get_figure("seen.wordnet").value, result.get_figure("seen.wordnet").n) == (
        3 / known,
        known,
    )


def test_lists_by_type_and_part_of_speech_and_by_times() -> None:
    tables = get_tables(ROWS)
    lists = {
        name: (n, times)
        for name, n, times in tables["antonyms-lists"].select("list", "across", "contradictions").rows()
    }
    antonyms = load_antonyms()
    assert lists["curated, gradable"] == (1 / antonyms.filter(type="gradable").height, 2)
    assert lists["WordNet, verb"] == (1 / antonyms.filter("verb").height, 1)
    assert lists["WordNet, adverb"] == (0, 0)
    times = tables["antonyms-times"].filter(list="curated").select("seen", "antonyms").rows()
    curated = antonyms.filter("curated").height
    assert times[:3] == [("never", curated - 2), ("once", 1), ("2 to 4", 1)]
    assert sum(n for _, n in times) == curated


def test_antonyms_that_are_never_seen_come_by_frequency() -> None:
    rows = [
        ("A good day.", "A bad day.", N),
        ("Good.", "Good.", E),
        ("Bad.", "Rich.", C),
        ("Old.", "Poor.", N),
    ]
    table = get_tables(rows)["antonyms-unseen"]
    assert table.rows()[:2] == [("bad / good", "gradable", 1, 2), ("poor / rich", "gradable", 0, 1)]
    assert table["frequency"].is_sorted(descending=True)


def test_two_labels_count_non_entailment() -> None:
    rows = [("It was hot.", "It was cold.", "non-entailment"), ("a", "b", E)]
    result = AntonymsAudit().audit(make_corpus(rows))
    assert result.get_figure("contradiction").value == 1
    assert "n non-entailment" in result.exhibits[0].formats
    assert len(result.remarks) == 1


@pytest.mark.parametrize("rows", [[("a", "b", E), ("c", "d", N)], [("", " ", E), ("...", "", C)]])
def test_a_corpus_without_antonyms(rows: list[tuple[str, str, str | None]]) -> None:
    result = AntonymsAudit().audit(make_corpus(rows))
    assert {figure.name: figure.value for figure in result.figures} == {"seen": 0, "seen.wordnet": 0}
    assert result.exhibits[0].frame["pairs"].to_list() == [2, 0]


def test_the_list_has_single_words_once() -> None:
    antonyms = load_antonyms()
    assert antonyms.select("first", "second").is_unique().all()
    assert (antonyms["first"] < antonyms["second"]).all()
    both = pl.concat([antonyms["first"], antonyms["second"]])
    assert not both.str.contains("[_ -]").any()
    assert antonyms.filter(first="cold", second="hot").select("curated", "adjective", "verb", "type").row(
        0
    ) == (
        True,
        True,
        False,
        "gradable",
    )


def test_a_top_below_zero_is_refused() -> None:
    with pytest.raises(rr.InputError, match="top"):
        AntonymsAudit(top=-1)


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


def test_the_summary_names_the_label_that_is_counted() -> None:
    rows = [("a hot day", "a cold day", "non-entailment"), ("a hot day", "a warm day", "entailment")]
    assert "have the label non-entailment" in AntonymsAudit().audit(make_corpus(rows)).summary
    neutral = [
        (premise, hypothesis, label.replace("non-entailment", "neutral"))
        for premise, hypothesis, label in rows
    ]
    assert "no pairs with the label contradiction" in AntonymsAudit().audit(make_corpus(neutral)).summary
