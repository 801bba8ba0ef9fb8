"""Test pairs inside the training data are found whatever their case and punctuation, and refused with the count."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl
import pytest

import rightreasons as rr
from rightreasons.core.pairs import Card, ChallengeSet
from rightreasons.training.data import (
    count_shared_pairs,
    make_released_hans_pairs,
    read_training_data,
    refuse_test_pairs,
)

if TYPE_CHECKING:
    from pathlib import Path

TRAIN = pl.DataFrame(
    {
        "id": ["a", "b", "c", "d"],
        "premise": ["A man sleeps.", "A dog runs .", "Two cats play.", "It rains."],
        "hypothesis": ["A man rests.", "An animal moves .", "Cats sleep.", "It's wet."],
        "label": ["entailment", "entailment", "contradiction", "neutral"],
    }
)
DEV = pl.DataFrame({"id": ["x"], "premise": ["One."], "hypothesis": ["Two."], "label": ["neutral"]})


def make_set(pairs: pl.DataFrame, name: str) -> ChallengeSet:
    return ChallengeSet(pairs, Card(name))


def test_pairs_count_by_their_letters_and_both_texts() -> None:
    tests = {
        "same": TRAIN,
        "spelled": TRAIN.head(2).with_columns(
            pl.col("premise").str.to_uppercase().str.replace(" .", "!", literal=True)
        ),
        "swapped": TRAIN.select(premise="hypothesis", hypothesis="premise"),
        "premises": TRAIN.with_columns(hypothesis=pl.lit("Another text.")),
    }
    assert count_shared_pairs(TRAIN, tests) == {"same": 4, "spelled": 2, "swapped": 0, "premises": 0}


def test_each_set_is_named_with_its_count() -> None:
    with pytest.raises(
        rr.InputError,
        match=r"^3 pairs of a\.csv and 1 pair of b\.csv are .*--allow-overlap",
    ):
        refuse_test_pairs({"a.csv": 3, "none.csv": 0, "b.csv": 1})
    with pytest.raises(rr.InputError, match=r"^1 pair of b is "):
        refuse_test_pairs({"b": 1})
    refuse_test_pairs({"a": 0})


def test_dev_and_test_pairs_among_the_training_pairs_are_refused() -> None:
    train = make_set(TRAIN, "mine")
    with pytest.raises(rr.InputError, match=r"^4 .*checked.*--allow-overlap"):
        read_training_data(train, make_set(TRAIN, "checked"))
    with pytest.raises(rr.InputError, match=r"^2 .*probe.*--allow-overlap"):
        read_training_data(train, make_set(DEV, "dev"), [make_set(TRAIN.head(2), "probe")])
    allowed = read_training_data(
        train, make_set(DEV, "dev"), [make_set(TRAIN.head(2), "probe")], allow_overlap=True
    )
    assert allowed.facts["overlap"] == {"probe": 2}
    assert "overlap" not in read_training_data(train, make_set(DEV, "dev")).facts


def test_the_released_hans_pairs_may_never_be_trained_on() -> None:
    pairs = rr.generate("hans-released", limit=6, split="eval").pairs
    mixed = pl.concat([TRAIN, pairs.select(TRAIN.columns)])
    with pytest.raises(rr.InputError, match=r"^6 .*HANS.*--allow-overlap"):
        read_training_data(make_set(mixed, "mixed"), make_set(DEV, "dev"))
    read_training_data(make_set(mixed, "mixed"), make_set(DEV, "dev"), allow_overlap=True)


def test_all_released_hans_pairs_are_compared() -> None:
    assert make_released_hans_pairs().height == 30_000


def test_pairs_that_edits_add_or_drop_are_counted_as_they_end_up() -> None:
    train, dev = make_set(TRAIN, "mine"), make_set(DEV, "dev")
    augmented = read_training_data(train, dev, edits=["augment:size=30"])
    assert augmented.train.height == 34
    assert augmented.facts["edits"][0]["edit"] == "augment:size=30"
    # Without premises many hypotheses are the same; that is no overlap.
    same = make_set(TRAIN.with_columns(id="d" + pl.col("id"), premise=pl.lit("Something else.")), "dev")
    alone = read_training_data(train, same, edits=["hypothesis-only"])
    assert set(alone.train["premise"]) == set(alone.dev["premise"])
    with pytest.raises(rr.InputError, match=r"^4 .*checked.*--allow-overlap"):
        read_training_data(train, make_set(TRAIN, "checked"), edits=["hypothesis-only"])


def test_training_pairs_that_an_edit_turns_into_test_pairs_are_refused() -> None:
    train, dev = make_set(TRAIN, "mine"), make_set(DEV, "dev")
    distracted = make_set(read_training_data(train, dev, edits=["distract"]).train, "negation")
    read_training_data(train, dev, [distracted])
    with pytest.raises(rr.InputError, match=r"^4 .*negation.*--allow-overlap"):
        read_training_data(train, dev, [distracted], ["distract"])


def test_a_test_set_of_the_same_name_never_takes_the_place_of_the_dev_set() -> None:
    other = DEV.with_columns(id=pl.lit("y"), premise=pl.lit("Three."))
    read = read_training_data(make_set(TRAIN, "mine"), make_set(DEV, "mnli"), [make_set(other, "mnli")])
    assert read.dev["id"].to_list() == ["x"]
    with pytest.raises(rr.InputError, match=r"^2 .*mnli \(2\).*--allow-overlap"):
        read_training_data(make_set(TRAIN, "mine"), make_set(DEV, "mnli"), [make_set(TRAIN.head(2), "mnli")])


def test_edits_that_change_the_task_also_apply_to_dev_pairs() -> None:
    read = read_training_data(make_set(TRAIN, "mine"), make_set(DEV, "dev"), edits=["merge", "swap"])
    assert set(read.train["label"]) == {"entailment", "non-entailment"}
    assert read.dev["label"].to_list() == ["non-entailment"]
    assert read.dev["premise"].to_list() == ["Two."]


def test_an_id_may_occur_in_two_files(tmp_path: Path) -> None:
    TRAIN.write_csv(tmp_path / "one.csv")
    TRAIN.with_columns(premise=pl.lit("Else.")).write_csv(tmp_path / "two.csv")
    read = read_training_data([tmp_path / "one.csv", tmp_path / "two.csv"], make_set(DEV, "dev"))
    assert read.train["id"].n_unique() == read.train.height == 8
    assert [one["rows"] for one in read.facts["train"]] == [4, 4]


def test_parses_are_kept() -> None:
    parsed = TRAIN.with_columns(
        premise_binary_parse=pl.lit("( a b )"), hypothesis_binary_parse=pl.lit("( a b )")
    )
    assert (
        "premise_binary_parse"
        in read_training_data(make_set(parsed, "parsed"), make_set(DEV, "dev")).train.columns
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (pl.lit("neutral").alias("label"), "^All 4 .*training.* neutral\\."),
        (
            pl.col("label").replace({"entailment": "non-entailment"}),
            "^All 4 .*training.* non-entailment\\.",
        ),
        (pl.lit("  ").alias("premise"), "mine, row 1.*premise"),
        (pl.lit("maybe").alias("label"), "mine, row 1.*'maybe'"),
    ],
)
def test_unlearnable_labels_and_blank_texts_are_refused(change: pl.Expr, message: str) -> None:
    with pytest.raises(rr.InputError, match=message):
        read_training_data(make_set(TRAIN.with_columns(change), "mine"), make_set(DEV, "dev"))


def test_dev_pairs_with_two_labels_are_refused_for_three() -> None:
    from rightreasons.training.data import choose_labels, convert_labels_to_indices

    merged = DEV.with_columns(label=pl.lit("non-entailment"))
    with pytest.raises(rr.InputError, match=r"non-entailment.*three"):
        choose_labels(TRAIN, merged)
    order = choose_labels(TRAIN.with_columns(label=pl.lit("non-entailment")), TRAIN)
    assert order == ("entailment", "non-entailment")
    assert convert_labels_to_indices(TRAIN, order).to_list() == [0, 0, 1, 1]
    assert convert_labels_to_indices(TRAIN, choose_labels(TRAIN, DEV)).to_list() == [0, 0, 2, 1]


def test_a_dev_set_with_one_label_has_a_remark() -> None:
    one = read_training_data(make_set(TRAIN, "mine"), make_set(DEV, "dev")).facts["dev"]
    assert {"1", "neutral"} <= set(re.findall(r"\w+", one["remarks"][-1]))
    two = pl.concat([DEV, DEV.with_columns(id=pl.lit("y"), label=pl.lit("entailment"))])
    assert "remarks" not in read_training_data(make_set(TRAIN, "mine"), make_set(two, "dev")).facts["dev"]
