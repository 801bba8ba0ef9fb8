"""Leaks of every kind are found where they were planted, and none where there are none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rightreasons as rr
from rightreasons.audits.leaks import HOW, SIDES, LeakReport, audit_leaks, count_leaks, find_leaks
from rightreasons.reports.exhibits.leaks import make_leak_tables
from rightreasons.reports.renderers import render_markdown

if TYPE_CHECKING:
    from pathlib import Path

PREMISE = "The old fisherman with the grey beard mended his torn nets on the quay all morning."
HYPOTHESIS = "A man repaired something by the water before noon."
OTHERS = [
    ("Two women are cooking dinner for a large family.", "Nobody is hungry."),
    ("The committee will meet again on Thursday to vote.", "There was no vote on Tuesday."),
]


def table(rows: list[tuple[str, str]]) -> pl.DataFrame:
    texts = pl.DataFrame(rows, schema=["premise", "hypothesis"], orient="row").cast(pl.String)
    return texts.with_columns(id=pl.format("ex{}", pl.int_range(pl.len())), label=pl.lit("neutral"))


def counts(
    training: list[tuple[str, str]], pairs: list[tuple[str, str]], **more: bool
) -> dict[str, tuple[int, ...]]:
    found = count_leaks(table(training), table(pairs), **more)
    return {row[0]: row[1:4] for row in found.iter_rows()}


NONE = (0, 0, 0)


@pytest.mark.parametrize(
    ("there", "wanted"),
    [
        ((PREMISE, HYPOTHESIS), {"pair": (1, 0, 0), "premise": (1, 0, 0), "hypothesis": (1, 0, 0)}),
        ((HYPOTHESIS, PREMISE), {"swapped pair": (1, 0, 0)}),
        (
            (PREMISE.upper().replace(".", " ."), HYPOTHESIS.replace(" ", "  ")),
            {"pair": (0, 1, 0), "premise": (0, 1, 0), "hypothesis": (0, 1, 0)},
        ),
        ((HYPOTHESIS.rstrip("."), f"“{PREMISE}”"), {"swapped pair": (0, 1, 0)}),
        (
            (PREMISE.replace("beard", "hat"), HYPOTHESIS),
            {"pair": (0, 0, 1), "premise": (0, 0, 1), "hypothesis": (1, 0, 0)},
        ),
        (
            (PREMISE, HYPOTHESIS.replace("man", "woman")),
            {"pair": (0, 0, 1), "premise": (1, 0, 0), "hypothesis": (0, 0, 1)},
        ),
        ((HYPOTHESIS, PREMISE.replace("mended", "sold")), {"swapped pair": (0, 0, 1)}),
        ((PREMISE, "Someone slept."), {"premise": (1, 0, 0)}),
        (("Someone slept.", HYPOTHESIS), {"hypothesis": (1, 0, 0)}),
        (("Someone slept.", "Nobody did."), {}),
        ((PREMISE, PREMISE), {"premise": (1, 0, 0)}),
    ],
)
def test_planted_leaks(there: tuple[str, str], wanted: dict[str, tuple[int, int, int]]) -> None:
    found = counts([*OTHERS, there, *OTHERS], [(PREMISE, HYPOTHESIS)])
    assert found == {what: wanted.get(what, NONE) for what in SIDES}


def test_without_near_duplicates() -> None:
    there = (PREMISE.replace("beard", "hat"), HYPOTHESIS)
    assert counts([there], [(PREMISE, HYPOTHESIS)], near=False)["pair"] == NONE


def test_each_pair_of_the_set_counts_once_by_the_closest_way() -> None:
    there = [
        (PREMISE.replace("beard", "hat"), HYPOTHESIS),
        (PREMISE.lower(), HYPOTHESIS),
        (PREMISE, HYPOTHESIS),
    ]
    found = count_leaks(table(there), table([(PREMISE, HYPOTHESIS)] * 3 + OTHERS))
    assert found.row(0, named=True) == {
        "what": "pair",
        "exact": 3,
        "normalised": 0,
        "near": 0,
        "any": 3,
        "of": 5,
        "share": 0.6,
    }


def test_rows_say_where() -> None:
    there = [*OTHERS, (PREMISE.lower(), HYPOTHESIS), (PREMISE, HYPOTHESIS), (PREMISE, HYPOTHESIS)]
    found = find_leaks(table(there), table([("Nothing.", "None."), (PREMISE, HYPOTHESIS)])).filter(
        pl.col("what") == "pair"
    )
    assert found.select("how", "row", "training_row").rows() == [("exact", 1, 3)]


def test_empty_tables_have_no_leaks() -> None:
    assert count_leaks(table([]), table(OTHERS))["any"].sum() == 0
    assert count_leaks(table(OTHERS), table([]))["share"].to_list() == [0.0] * 4


def test_texts_without_letters_are_no_leaks_of_each_other() -> None:
    assert counts([("?", "...")], [("!", "--")]) == dict.fromkeys(SIDES, NONE)
    assert counts([("?", "...")], [("?", "...")])["pair"] == (1, 0, 0)


def test_a_table_without_texts_is_refused() -> None:
    with pytest.raises(rr.InputError, match=r"training file .*'premise'"):
        count_leaks(pl.DataFrame({"text": ["a"]}), table(OTHERS))


WORDS = st.lists(
    st.sampled_from(["the", "judge", "saw", "lawyers", "who", "banker", "Actor,", "near:"]),
    min_size=3,
    max_size=8,
)
PAIRS = st.lists(st.tuples(WORDS.map(" ".join), WORDS.map(" ".join)), min_size=1, max_size=10)


@settings(max_examples=25)
@given(PAIRS, PAIRS, st.randoms(use_true_random=False))
def test_the_order_of_the_training_file_changes_no_count(
    training: list[tuple[str, str]], pairs: list[tuple[str, str]], random: object
) -> None:
    shuffled = training.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert counts(training, pairs) == counts(shuffled, pairs)


@settings(max_examples=25)
@given(PAIRS)
def test_a_set_is_wholly_in_itself(pairs: list[tuple[str, str]]) -> None:
    found = counts(pairs, pairs)
    assert found["pair"] == found["premise"] == found["hypothesis"] == (len(pairs), 0, 0)
    swapped = counts([(hypothesis, premise) for premise, hypothesis in pairs], pairs)
    assert swapped["swapped pair"] == (len(pairs), 0, 0)


def changed(text: str, rng: np.random.Generator) -> str:
    """Put another word in the place of one."""
    words = text.split()
    words[rng.integers(len(words))] = "lighthouse"
    return " ".join(words)


def test_most_pairs_with_one_word_changed_are_found(shared_data: Path) -> None:
    whole = rr.read_pairs(shared_data / "mnli" / "dev_matched.csv", columns=("premise", "hypothesis")).pairs
    pairs = whole.sample(1_000, seed=0)
    rng = np.random.default_rng(0)
    planted = pairs.with_columns(pl.Series("premise", [changed(text, rng) for text in pairs["premise"]]))
    found = count_leaks(planted, pairs).filter(pl.col("what") == "pair")
    assert found["any"].item() > 800  # of short texts one word is more than a fifth


def test_hans_shares_no_pair_between_its_two_parts(hans_data: Path) -> None:
    train, test = (
        rr.read_pairs(hans_data / f"heuristics_{part}_set.txt").pairs for part in ("train", "evaluation")
    )
    found = count_leaks(train, test, near=False)
    assert dict(found.select("what", "exact").rows())["pair"] == 0
    premises = set(train["premise"])
    assert dict(found.select("what", "exact").rows())["premise"] == sum(
        text in premises for text in test["premise"]
    )


def made(pairs: list[tuple[str, str]], name: str) -> rr.ChallengeSet:
    return rr.ChallengeSet(table(pairs), rr.Card(name))


def test_a_report_interprets_its_counts_and_reads_back() -> None:
    training = made([(PREMISE, HYPOTHESIS), *OTHERS], "my-training")
    found = audit_leaks(training, made([(PREMISE, HYPOTHESIS), ("Nothing.", "None.")], "my-set"))
    assert re.match(r"my-set: 1 of 2 .*\(50\.0%\).* my-training", found.sentence)
    assert found.has_pairs
    again = LeakReport.from_dict(found.to_dict())
    assert again.table.equals(found.table)
    assert again.examples.equals(found.examples)
    none = audit_leaks(training, made([("Nothing.", HYPOTHESIS)], "other"), near=False)
    assert re.match(r"other: none .* my-training", none.sentence)
    assert re.search(r"\b0 premises .*\b1 hypotheses", none.sentence)
    assert "near" in none.sentence
    assert not none.has_pairs


def test_examples_have_the_texts_of_both() -> None:
    found = audit_leaks(made([*OTHERS, (HYPOTHESIS, PREMISE)], "t"), made([(PREMISE, HYPOTHESIS)], "s"))
    row = found.examples.row(0, named=True)
    assert (row["what"], row["how"], row["id"], row["training_id"]) == ("swapped pair", "exact", "ex0", "ex2")
    assert (row["premise"], row["training_premise"], row["similarity"]) == (PREMISE, HYPOTHESIS, 1.0)


def test_exhibits_show_all_sets() -> None:
    training = made([(PREMISE, HYPOTHESIS)], "t")
    sets = [audit_leaks(training, made([(PREMISE, HYPOTHESIS)], "<b>"), near=near) for near in (True, False)]
    tables, examples = make_leak_tables(sets)
    assert tables.frame.height == 8
    assert examples.frame.height == 6
    assert "| &lt;b&gt; | pair | 1 | 0 | 0 | 1 | 1 | 100.0% |" in render_markdown(tables)
    assert "near" not in make_leak_tables(sets[1:])[0].formats
    assert make_leak_tables([]) == []
    other = audit_leaks(made(OTHERS, "u"), made([(PREMISE, HYPOTHESIS)], "s"))
    assert [one.key for one in make_leak_tables([*sets, other])] == ["leaks", "leak-examples", "leaks-2"]
    assert set(HOW) < set(tables.formats)


def of_file(pairs: list[tuple[str, str]], digest: str) -> LeakReport:
    """Look for one pair in a training file that is called train."""
    training = rr.ChallengeSet(table(pairs), rr.Card("train", sources={"train.csv": digest}))
    return audit_leaks(training, made([(PREMISE, HYPOTHESIS)], "s"))


def test_training_files_of_one_name_have_tables_of_their_own() -> None:
    one, longer, other = of_file(OTHERS, "aa"), of_file([*OTHERS, ("A.", "B.")], "bb"), of_file(OTHERS, "cc")
    title = f"Overlap of the sets with train, of {len(OTHERS)} pairs"
    shown = make_leak_tables([one, longer])
    assert [each.title for each in shown] == [
        title,
        f"Overlap of the sets with train, of {len(OTHERS) + 1} pairs",
    ]
    assert [each.frame.height for each in shown] == [4, 4]
    assert [each.title for each in make_leak_tables([one, other])] == [
        f"{title}, sha256 aa",
        f"{title}, sha256 cc",
    ]


def test_the_same_leaks_of_two_runs_are_shown_once() -> None:
    (shown,) = make_leak_tables([of_file(OTHERS, "aa"), of_file(OTHERS, "aa")])
    assert shown.title == "Overlap of the sets with train"
    assert shown.frame.height == 4
    assert len(shown.notes) == 1


def test_leaks_without_a_digest_can_be_read() -> None:
    found = of_file(OTHERS, "aa")
    values = found.to_dict()
    assert values["digest"] == LeakReport.from_dict(values).digest == "aa"
    del values["digest"]
    old = LeakReport.from_dict(values)
    assert old.digest is None
    assert [each.title.split(", ")[-1] for each in make_leak_tables([old, found])] == [
        "sha256 not recorded",
        "sha256 aa",
    ]
