"""The pocket corpus is balanced, of one piece, and gives no label away by its hypotheses alone."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import rightreasons
from rightreasons.corpora import read_corpus, read_texts
from rightreasons.sets.stress.antonymy import Antonymy

FOLDER = Path(rightreasons.__file__).parent / "data" / "pocket"
LABELS = ("entailment", "neutral", "contradiction")
GENRES = {"fiction": "fic", "government": "gov", "telephone": "tel", "travel": "tra", "captions": "cap"}
NEGATION = re.compile(r"\b(?:no|not|never|nobody|none|nothing|nowhere|without|cannot)\b|n't\b", re.IGNORECASE)
NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|nine|ten|eleven|twelve|forty|hundred)\b", re.IGNORECASE
)
OPPOSITES = (
    "big small large old new young long short tall wide narrow thick thin heavy light dark clean dirty wet dry "
    "fast slow easy difficult hard soft strong weak loud quiet noisy happy high low deep expensive cheap early "
    "late public private married safe legal illegal first last left right black white hot cold warm rich poor "
    "full empty open closed good bad northern southern eastern foreign domestic permanent temporary asleep "
    "guilty healthy honest man woman husband wife boy girl boys girls brother brothers sister king queen "
    "winner loser buyer seller employers employees minority majority exports imports profit failure top bottom "
    "debtor creditor ascent descent father mother uncle aunt male "
)


def read(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@cache
def pairs() -> list[dict[str, str]]:
    return read("pairs.jsonl")


@cache
def quantities() -> list[dict[str, str]]:
    return read("quantities.jsonl")


def hypotheses(label: str) -> list[str]:
    return [pair["hypothesis"] for pair in pairs() if pair["label"] == label]


def words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


def test_each_premise_has_one_hypothesis_of_each_label_and_each_genre_34_premises() -> None:
    assert Counter((pair["genre"], pair["label"]) for pair in pairs()) == dict.fromkeys(
        [(genre, label) for genre in GENRES for label in LABELS], 34
    )
    premises = {pair["id"].rpartition("-")[0]: pair["premise"] for pair in pairs()}
    assert len(premises) == len(set(premises.values())) == 170
    for pair in pairs():
        name, _, letter = pair["id"].rpartition("-")
        assert premises[name] == pair["premise"]
        assert (name.split("-")[1], letter) == (GENRES[pair["genre"]], pair["label"][0])


def test_ids_and_texts_are_unique_and_clean() -> None:
    assert len({pair["id"] for pair in pairs()}) == 510
    assert len({pair["hypothesis"] for pair in pairs()} | {pair["premise"] for pair in pairs()}) == 680
    assert len({text["id"] for text in quantities()}) == len({text["text"] for text in quantities()}) == 120
    for row in [*pairs(), *quantities()]:
        assert all(value == " ".join(value.split()) for value in row.values()), row["id"]


def test_premises_are_of_the_usual_length_and_some_have_two_sentences() -> None:
    lengths = [len(pair["premise"].split()) for pair in pairs()]
    assert min(lengths) >= 8
    assert max(lengths) <= 35
    two = {pair["premise"] for pair in pairs() if re.search(r"[.?!]\"? [A-Z]", pair["premise"])}
    assert len(two) >= 12


def test_hypotheses_are_equally_long_over_labels() -> None:
    means = [sum(len(text.split()) for text in hypotheses(label)) / 170 for label in LABELS]
    assert max(means) <= 1.15 * min(means)


@pytest.mark.parametrize(
    "shape", [NEGATION, re.compile(r"[^.!?]$"), re.compile(r"\d"), re.compile(r"\band\b")]
)
def test_no_label_has_much_more_of_a_shape_than_another(shape: re.Pattern[str]) -> None:
    shares = [sum(bool(shape.search(text)) for text in hypotheses(label)) / 170 for label in LABELS]
    assert max(shares) - min(shares) <= 0.10


def test_negation_is_in_every_label() -> None:
    assert all(sum(bool(NEGATION.search(text)) for text in hypotheses(label)) >= 12 for label in LABELS)


def overlap(pair: dict[str, str]) -> float:
    inside = set(words(pair["premise"]))
    hypothesis = words(pair["hypothesis"])
    return sum(word in inside for word in hypothesis) / len(hypothesis)


def test_words_shared_with_the_premise_do_not_tell_entailment_from_contradiction() -> None:
    means = {
        label: sum(overlap(pair) for pair in pairs() if pair["label"] == label) / 170 for label in LABELS
    }
    assert abs(means["entailment"] - means["contradiction"]) <= 0.10


def test_no_premise_borrows_a_hypothesis_of_another() -> None:
    seen = Counter(frozenset(words(pair["hypothesis"])) for pair in pairs())
    # One contradiction turns its entailed sister round with the same words.
    assert sum(count > 1 for count in seen.values()) <= 1


def test_premises_have_numbers_and_words_with_opposites() -> None:
    premises = {pair["premise"] for pair in pairs()}
    assert sum(bool(NUMBER.search(premise)) for premise in premises) >= 80
    assert sum(bool(set(words(premise)) & set(OPPOSITES.split())) for premise in premises) >= 130


def test_sentences_suffice_for_the_antonymy_test_nouns_too() -> None:
    plan = Antonymy().plan(size=None, limit=None, seed=0, split="eval")
    counts = Counter(plan.rows(0, len(plan))["subcase"])
    assert counts.total() >= 130
    assert counts["noun"] >= 55


@pytest.mark.parametrize(
    "hard",
    ["Mr.", "U.S.", "4.75", "e.g.,", "$1,250", "3.5", "20%", "7:30", '."', "(", "n't", "1998", "a.m.", "?"],
)
def test_texts_have_what_trips_a_careless_program(hard: str) -> None:
    assert any(hard in pair["premise"] for pair in pairs())


def test_quantities_are_sentences_in_five_genres_and_nearly_all_have_a_number() -> None:
    counts = Counter(text["genre"] for text in quantities())
    assert counts == dict.fromkeys(("shopping", "travel", "sports", "science", "household"), 24)
    without = [text["id"] for text in quantities() if not re.search(r"\d", text["text"])]
    assert len(without) <= 40, "those have a number word instead"
    assert all(text["text"][-1] in ".?" for text in quantities())


def test_the_readers_give_all_of_both_files() -> None:
    read_in, texts = read_corpus("pocket"), read_texts("pocket")
    assert read_in.pairs["id"].to_list() == [pair["id"] for pair in pairs()]
    assert read_in.pairs["hypothesis"].to_list() == [pair["hypothesis"] for pair in pairs()]
    assert texts.table["text"].to_list() == [text["text"] for text in quantities()]
    assert not read_in.card.remarks
