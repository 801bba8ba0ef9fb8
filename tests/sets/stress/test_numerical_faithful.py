"""The released numerical test lies within what the faithful mode can make."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl
import pytest

from rightreasons import generate
from rightreasons.core.edits import has_consistent_edit, select_other_text, undo_edits
from rightreasons.sets.stress.numerical import (
    build_released_pairs,
    cut_at_first_integer,
    list_partners_by_label,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def released(shared_data: Path) -> list[dict[str, str]]:
    path = shared_data / "stress" / "multinli_0.9_quant_hard.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def sources(texts: list[str]) -> pl.DataFrame:
    return pl.DataFrame({"id": [f"s{n}" for n in range(len(texts))], "text": texts, "genre": "facetoface"})


def test_all_released_pairs_are_possible(released: list[dict[str, str]]) -> None:
    assert len(released) == 7596
    for pair in released:
        texts = [pair["premise"], pair["hypothesis"]]
        source, other = texts[::-1] if pair["gold_label"] == "neutral" else texts
        assert other in list_partners_by_label(source)[pair["gold_label"]], pair


def test_pairs_come_in_the_released_order_and_shares(released: list[dict[str, str]]) -> None:
    texts = [pair["premise"] for pair in released if pair["gold_label"] == "entailment"]
    made = build_released_pairs(sources(texts), seed=1)
    assert made["label"].to_list() == [pair["gold_label"] for pair in released]
    neutral = made["label"] == "neutral"
    assert made.filter(neutral)["hypothesis"].to_list() == texts
    assert made.filter(~neutral)["premise"].gather_every(2).to_list() == texts
    counts = dict(made["branch"].value_counts().rows())
    # The released file has 1,588 entailed pairs with "less than" and 1,269 contradictions by a number alone.
    assert abs(counts["compared_less"] - 1588) < 100
    assert abs(counts["other"] - 1269) < 100


def test_the_released_file_as_a_corpus_gives_its_premises_again(
    released: list[dict[str, str]], shared_data: Path
) -> None:
    path = shared_data / "stress" / "multinli_0.9_quant_hard.jsonl"
    made = generate("stress/numerical", corpus=[str(path)], mode="faithful").pairs
    premises = {pair["premise"] for pair in released if pair["gold_label"] == "entailment"}
    assert premises <= set(made.filter(pl.col("label") == "entailment")["premise"])


def test_what_is_made_is_possible_and_can_be_undone() -> None:
    texts = ["Anna  has 12 cats and 3 dogs ,\tshe says .", "0 cats", "cats 95", "Agent 007 has 5 cats"]
    for seed in range(40):
        made = build_released_pairs(sources(texts), seed=seed)
        assert made.height == 12
        assert has_consistent_edit(made).all()
        assert (undo_edits(made) == made.select(select_other_text()).to_series()).all()
        for premise, hypothesis, label in made.select("premise", "hypothesis", "label").iter_rows():
            source, other = (hypothesis, premise) if label == "neutral" else (premise, hypothesis)
            assert other in list_partners_by_label(source)[label]


def test_all_that_is_possible_is_made_by_some_seed() -> None:
    text = "Anna has 12 cats ."
    seen: dict[str, set[str]] = {"entailment": set(), "contradiction": set()}
    for seed in range(300):
        rows = build_released_pairs(sources([text]), seed=seed).filter(pl.col("label") != "neutral")
        for label, hypothesis in rows.select("label", "hypothesis").iter_rows():
            seen[label].add(hypothesis)
    assert seen == {label: list_partners_by_label(text)[label] for label in seen}
    assert len(seen["entailment"]) == 7
    assert len(seen["contradiction"]) == 9


def test_only_integers_between_spaces_count() -> None:
    for text in ("5,000 cats", "2.4 cats", "$20", "20%", "the 3rd cat", "-5 cats", "", "١٢ cats"):
        assert cut_at_first_integer(text) is None
        assert not any(list_partners_by_label(text).values())
    assert build_released_pairs(sources(["$20", "20%"]), seed=0).is_empty()
