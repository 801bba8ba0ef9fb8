"""The unmistakable pairs, and what they tell of a model."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import polars as pl
import pytest

from readers import at_a_loss, read, reader
from rightreasons.core import labels
from rightreasons.core.errors import InputError
from rightreasons.core.labels import CONTRADICTION, ENTAILMENT, NEUTRAL, THREE_LABELS, TWO_LABELS
from rightreasons.models.label_probe import InputCapacity, read_probe_pairs, run_label_probe

KINDS = {"identity": ENTAILMENT, "negation": CONTRADICTION, "unrelated": NEUTRAL}
STOP_WORDS = {"the", "a", "an", "of", "in", "at", "on", "to", "is", "are", "was", "has", "have", "by", "and"}
STOP_WORDS |= {"his", "her", "he", "she", "they", "it", "my", "our"}


def test_there_are_enough_pairs_of_each_kind_and_none_twice() -> None:
    pairs = read_probe_pairs()
    assert pairs.columns == ["kind", "premise", "hypothesis", "label"]
    assert pairs.height >= 36
    assert not pairs.null_count().sum_horizontal().item()
    counts = dict(pairs["kind"].value_counts().rows())
    assert min(counts.values()) >= 12
    assert len(set(counts.values())) == 1, "of equal number, so that no constant answer gains by it"
    assert pairs["premise"].n_unique() == pairs.height
    assert pairs["hypothesis"].n_unique() == pairs.height
    assert set(pairs.select("kind", "label").rows()) == set(KINDS.items())


def test_the_pairs_are_short_plain_sentences() -> None:
    for text in pl.concat([read_probe_pairs()["premise"], read_probe_pairs()["hypothesis"]]):
        assert 3 <= len(text.split()) <= 10, text
        assert text.isascii()
        assert text.endswith(".")
        assert text == text.strip()
        assert text[0].isupper()


def test_each_kind_is_what_it_says() -> None:
    for kind, premise, hypothesis, label in read_probe_pairs().rows():
        assert (premise == hypothesis) == (kind == "identity")
        assert read(premise, hypothesis) == label, (premise, hypothesis)
        first, second = (set(text.lower().rstrip(".").split()) - STOP_WORDS for text in (premise, hypothesis))
        assert kind != "unrelated" or len(first & second) <= 2, "no more in common than whom they are about"


def test_a_denial_in_the_hypothesis_gives_no_answer_away() -> None:
    pairs = read_probe_pairs().with_columns(
        denied=pl.col("hypothesis").str.contains(r"(?i)\b(not|no|never|nobody|without|cannot)\b"),
    )
    counts = dict(pairs.filter("denied")["kind"].value_counts().rows())
    assert counts["identity"] >= 2
    assert counts["negation"] < 16


@pytest.mark.parametrize("order", [*permutations(THREE_LABELS), *permutations(TWO_LABELS)])
def test_a_reader_is_right_under_one_order_only(order: tuple[str, ...]) -> None:
    found = run_label_probe(reader(order), len(order), "m")
    assert found.fitting_orders == [order]
    assert next(iter(found.accuracy)) == order
    assert found.accuracy[order] == 1.0
    assert max(share for other, share in found.accuracy.items() if other != order) < 0.6
    assert found.correct_by_kind == dict.fromkeys(KINDS, "16 of 16")
    assert found.to_json()["accuracy"][",".join(order)] == 1.0
    assert found.to_json()["pairs"] == found.pairs == 48


@pytest.mark.parametrize("outputs", [2, 3])
def test_constant_and_equal_numbers_fit_no_order(outputs: int) -> None:
    assert run_label_probe(at_a_loss(outputs), outputs, "m").fitting_orders == []
    assert (
        run_label_probe(lambda texts, _: np.zeros((len(texts), outputs)), outputs, "m").fitting_orders == []
    )


@pytest.mark.parametrize(("wrong", "fits"), [(4, True), (5, False)])
def test_ninety_in_a_hundred_are_needed(wrong: int, fits: bool) -> None:
    def logits(premises: list[str], hypotheses: list[str]) -> np.ndarray:
        rows = reader(THREE_LABELS)(premises, hypotheses)
        rows[:wrong] = np.roll(rows[:wrong], 1, axis=1)
        return rows

    found = run_label_probe(logits, 3, "m")
    assert bool(found.fitting_orders) == fits
    assert found.correct_by_kind["identity"] == f"{16 - wrong} of 16"


@pytest.mark.parametrize(
    "rows", [np.zeros((48, 2)), np.zeros((7, 3)), np.zeros(48), np.full((48, 3), np.nan)]
)
def test_a_model_that_gives_no_such_numbers_is_refused(rows: np.ndarray) -> None:
    with pytest.raises(InputError, match=r"'m' .*3 numbers"):
        run_label_probe(lambda *_: rows, 3, "m")


@pytest.mark.parametrize("fitting", [0, 35, 36, 48])
def test_pairs_that_do_not_fit_are_not_asked(fitting: int) -> None:
    def fits(premises: list[str], hypotheses: list[str]) -> np.ndarray:
        assert len(premises) == len(hypotheses) == 48
        return np.arange(48) % 48 < fitting

    found = run_label_probe(reader(THREE_LABELS), 3, "m", InputCapacity(20, fits))
    assert (found.pairs, found.left_out, found.has_enough_pairs) == (fitting, 48 - fitting, fitting >= 36)
    assert found.to_json().get("left_out", 0) == 48 - fitting
    assert found.accuracy.get(THREE_LABELS, 0) == bool(fitting)
    assert found.left_out_summary.startswith(f"{48 - fitting} of 48 ")
    assert "20 tokens" in found.left_out_summary


def test_two_labels_are_the_merged_three() -> None:
    merged = labels.merge_labels(read_probe_pairs()["label"]).to_list()
    assert merged.count(ENTAILMENT) * 2 == len(merged) - merged.count(ENTAILMENT)
