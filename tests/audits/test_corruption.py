"""The audit of a model on corrupted pairs: the corruptions, the sample, and what the figures say of toy models."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from corpora_by_hand import make_corpus

import rightreasons as rr
from rightreasons.audits.audit_corpus import AuditCorpus
from rightreasons.audits.corrupted_predictions import draw_stratified_sample
from rightreasons.audits.corruption import CorruptionAudit
from rightreasons.audits.run_audits import build_audits
from rightreasons.audits.text_corruptions import (
    CORRUPTIONS,
    WORD_CLASSES,
    delete_tagged_words,
    shuffle_text,
)
from rightreasons.core.registry import AUDITS

if TYPE_CHECKING:
    from pathlib import Path

    from corpora_by_hand import Row

    from rightreasons.core.audit_result import AuditResult

ANIMALS = ("dog", "cat", "bird", "fish", "horse", "cow")


class HypothesisReader:
    """A model that reads the hypothesis alone: nobody means contradiction."""

    name = "hypothesis reader"

    def __init__(self) -> None:
        self.columns: set[str] = set()

    def predict(self, pairs: pl.DataFrame) -> pl.DataFrame:
        self.columns |= set(pairs.columns)
        denies = pl.col("hypothesis").str.to_lowercase().str.contains("nobody")
        words = pl.when(denies).then(pl.lit("contradiction")).otherwise(pl.lit("entailment"))
        return pairs.select("id", label=words)


def make_animal_corpus(count: int = 60, **tags: Any) -> AuditCorpus:
    """Make pairs whose hypotheses give the label away: nobody slept."""
    rows: list[Row] = []
    for number in range(count):
        animal = ANIMALS[number % len(ANIMALS)]
        label = ("entailment", "contradiction")[number % 2]
        hypothesis = f"Nobody saw a {animal}." if number % 2 else f"Someone saw a {animal}."
        rows.append((f"A tall man quickly saw the {animal} at {number} houses.", hypothesis, label))
    return make_corpus(rows, **tags)


def get_rows(result: AuditResult, key: str = "corruption") -> dict[str, dict[str, Any]]:
    frame = next(exhibit.frame for exhibit in result.exhibits if exhibit.key == key)
    return {row["corruption"]: row for row in frame.iter_rows(named=True)}


def test_words_are_shuffled_and_punctuation_stays() -> None:
    text = 'He said: "the big dog ran", twice.'
    shuffled = shuffle_text(text, 0)
    assert sorted(shuffled.lower().translate(dict.fromkeys(map(ord, ':",.'))).split()) == sorted(
        ["he", "said", "the", "big", "dog", "ran", "twice"]
    )
    assert [word[-1] for word in shuffled.split()][1] == ":"
    assert shuffled.endswith(".")
    assert shuffled != text
    assert shuffle_text(text, 0) == shuffled
    assert len({shuffle_text(text, seed) for seed in range(9)}) > 5


def test_two_words_are_always_exchanged() -> None:
    assert {shuffle_text("Dogs run!", seed) for seed in range(9)} == {"run Dogs!"}
    assert shuffle_text("Run!", 0) == "Run!"
    assert shuffle_text("...", 0) == "..."


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("nouns", "The big quickly ate the."),
        ("verbs", "The big dog quickly the bone."),
        ("adjectives", "The dog quickly ate the bone."),
        ("adverbs", "The big dog ate the bone."),
        ("function-words", "big dog quickly ate bone."),
    ],
)
def test_word_classes_are_deleted(name: str, left: str) -> None:
    texts = pl.Series("premise", ["The big dog quickly ate the bone.", "!"])
    assert delete_tagged_words(texts, WORD_CLASSES[name]).to_list() == [left, "!"]


def test_a_text_without_words_left_is_a_full_stop() -> None:
    assert delete_tagged_words(pl.Series("premise", ["Dogs", "Dogs!"]), ("NNS",)).to_list() == [".", "."]
    assert delete_tagged_words(pl.Series("premise", ["I don't know."]), ("RB",)).to_list() == ["I do know."]


@pytest.mark.parametrize("name", ["premise", "hypothesis"])
def test_texts_are_removed_and_exchanged(name: str) -> None:
    pairs = make_animal_corpus().pairs
    other = "hypothesis" if name == "premise" else "premise"
    removed, exchanged = (CORRUPTIONS[f"{name}-{way}"](pairs, 0) for way in ("removed", "exchanged"))
    assert removed[name].unique().to_list() == ["."]
    assert (exchanged[name] != pairs[name]).all()
    assert set(exchanged[name]) == set(pairs[name])
    for table in (removed, exchanged):
        assert table.drop(name).equals(pairs.drop(name))
        assert table[other].equals(pairs[other])
    moved = CORRUPTIONS[f"{name}-exchanged"](pairs.reverse(), 0)
    assert moved.reverse().equals(exchanged)


def test_a_model_that_reads_the_hypothesis_alone_is_found_out() -> None:
    model = HypothesisReader()
    result = CorruptionAudit(model=model).audit(make_animal_corpus(genre=["x"] * 60))
    rows = get_rows(result)
    assert len(rows) == len(CORRUPTIONS) + 1
    for name in ("premise removed", "premise exchanged", "words shuffled"):
        row = rows[name]
        assert (row["n"], row["before"], row["accuracy"], row["change"]) == (60, 1, 1, 0)
        assert (row["still correct"], row["same prediction"], row["majority baseline"]) == (1, 1, 0.5)
        assert row["accuracy_low"] > 0.9
    assert rows["hypothesis removed"]["accuracy"] == rows["hypothesis removed"]["same prediction"] == 0.5
    assert rows["hypothesis removed"]["change_high"] < -0.3
    assert model.columns == {"id", "premise", "hypothesis"}
    figure = result.get_figure("premise-removed")
    assert (figure.value, figure.n, figure.baseline) == (1, 60, 0.5)
    assert result.get_figure("hypothesis-removed.change").value == -0.5
    assert result.get_figure("hypothesis-removed.same").value == 0.5
    assert result.get_figure("intact").value == 1


def test_only_changed_pairs_are_counted() -> None:
    rows: list[Row] = [
        *((f"A man slept in {number}.", "A man slept.", "entailment") for number in range(30)),
        *((f"A man quickly slept in {number}.", "Nobody slept.", "contradiction") for number in range(10)),
    ]
    result = CorruptionAudit(model="constant:entailment", corruptions=("adverbs-deleted",)).audit(
        make_corpus(rows)
    )
    row = get_rows(result)["adverbs deleted"]
    assert (row["n"], row["accuracy"], row["before"], row["majority baseline"]) == (10, 0, 0, 1)
    assert row["still correct"] is None
    assert row["same prediction"] == 1
    assert result.get_figure("intact").value == 0.75


def test_a_corruption_without_effect_is_reported() -> None:
    rows: list[Row] = [("Dogs", "Cats", "neutral"), ("Birds", "Fish", "entailment")]
    result = CorruptionAudit(model="constant:neutral", corruptions=("words-shuffled",)).audit(
        make_corpus(rows)
    )
    assert [figure.name for figure in result.figures] == ["intact"]
    assert "words-shuffled" in result.remarks[0]
    assert result.exhibits[-1].frame.is_empty()


def test_predicted_labels_by_corruption() -> None:
    result = CorruptionAudit(model=HypothesisReader()).audit(make_animal_corpus())
    rows = get_rows(result, "corruption-labels")
    assert (rows["intact"]["entailment"], rows["intact"]["contradiction"]) == (0.5, 0.5)
    assert (rows["hypothesis removed"]["entailment"], rows["hypothesis removed"]["contradiction"]) == (1, 0)


def test_examples_are_correct_before_and_after() -> None:
    corpus = make_animal_corpus()
    result = CorruptionAudit(model=HypothesisReader(), examples=3).audit(corpus)
    examples = result.exhibits[-1].frame.filter(corruption="hypothesis removed")
    assert examples["label"].to_list() == ["entailment"] * 3
    assert examples["hypothesis"].to_list() == ["."] * 3
    assert set(examples["id"]) <= set(corpus.pairs["id"])


def test_the_sample_is_stratified_and_independent_of_the_order() -> None:
    rows: list[Row] = [
        (f"p{number}", "h", "entailment" if number < 80 else "neutral") for number in range(100)
    ]
    pairs = make_corpus(rows).pairs
    sample = draw_stratified_sample(pairs, 20, 0)
    assert dict(sample["label"].value_counts().iter_rows()) == {"entailment": 16, "neutral": 4}
    assert set(draw_stratified_sample(pairs.reverse(), 20, 0)["id"]) == set(sample["id"])
    assert set(draw_stratified_sample(pairs, 20, 1)["id"]) != set(sample["id"])
    assert draw_stratified_sample(pairs, None, 0).height == 100
    result = CorruptionAudit(model="constant:neutral", size=20).audit(make_corpus(rows))
    assert result.get_figure("intact").n == 20


def test_corpora_in_parts_can_be_sampled() -> None:
    """Polars keeps the parts of a joined table, and some have no pair of the sample."""
    whole = make_animal_corpus()
    parts = pl.concat([whole.pairs[row : row + 1] for row in range(len(whole))], rechunk=False)
    corpus = AuditCorpus("parts", parts.filter(pl.Series([row % 3 > 0 for row in range(60)])), whole.card)
    same = AuditCorpus("whole", corpus.pairs.rechunk(), whole.card)
    joined, alone = (CorruptionAudit(model="constant:neutral", size=7).audit(each) for each in (corpus, same))
    assert joined.figures == alone.figures
    assert joined.get_figure("intact").n == 7


def test_tags_may_have_the_names_of_results() -> None:
    names = ("gold", "prediction", "right", "gold_before", "premise_before", "_drawn", "_place", "_row")
    tagged = make_animal_corpus(**{name: ["tag"] * 60 for name in names})
    audit = CorruptionAudit(model=HypothesisReader(), size=20)
    assert audit.audit(tagged).figures == audit.audit(make_animal_corpus()).figures


def test_two_labels_are_compared_with_two_labels() -> None:
    rows: list[Row] = [
        ("A dog ran home.", "A dog ran.", "entailment"),
        ("A dog ran home.", "A cat ran.", "neutral"),
        ("A cow slept here.", "A cow ate.", "contradiction"),
    ]
    result = CorruptionAudit(model="rules:lexical-overlap", corruptions=("premise-removed",)).audit(
        make_corpus(rows)
    )
    row = get_rows(result)["premise removed"]
    assert (row["before"], row["accuracy"], row["majority baseline"]) == (1, 2 / 3, 2 / 3)
    assert set(get_rows(result, "corruption-labels")["intact"]) >= {"entailment", "non-entailment"}


def test_pairs_without_label_or_text_are_left_out() -> None:
    rows: list[Row] = [
        ("a b", "c", "entailment"),
        ("a b", "d", "neutral"),
        ("a", " ", "neutral"),
        ("a", "b", None),
    ]
    result = CorruptionAudit(model="constant:neutral").audit(make_corpus(rows))
    assert result.get_figure("intact").n == 2
    blank = make_corpus([(" ", "a", "entailment"), (" ", "b", "neutral")])
    assert CorruptionAudit(model="constant:neutral").audit(blank).figures == ()


def test_models_that_go_by_ids_or_parses_are_refused(tmp_path: Path) -> None:
    corpus = make_animal_corpus()
    with pytest.raises(rr.InputError, match="premise_parse"):
        CorruptionAudit(model="rules:constituent").audit(corpus)
    file = tmp_path / "predictions.csv"
    corpus.pairs.select("id", "label").write_csv(file)
    with pytest.raises(rr.InputError, match="ids"):
        CorruptionAudit(model=f"file:{file}").audit(corpus)


def test_a_model_that_cannot_be_run_explains_itself() -> None:
    with pytest.raises(rr.InputError, match="nobody-has-this"):
        CorruptionAudit(model="nobody-has-this").audit(make_animal_corpus())


@pytest.mark.parametrize(
    ("options", "word"),
    [({"size": 0}, "size"), ({"examples": -1}, "examples"), ({"corruptions": ("spelling",)}, "spelling")],
)
def test_impossible_options_of_the_corruption_are_refused(options: dict[str, Any], word: str) -> None:
    with pytest.raises(rr.InputError, match=word):
        CorruptionAudit(model="default", **options)


def test_options_reach_the_model() -> None:
    audit = CorruptionAudit(model="random", model_options="labels=neutral; seed=3")
    assert audit.audit(make_animal_corpus()).get_figure("intact").value == 0
    with pytest.raises(rr.InputError, match="KEY=VALUE"):
        CorruptionAudit(model="random", model_options="seed").audit(make_animal_corpus())
    with pytest.raises(rr.InputError, match="object"):
        CorruptionAudit(model=HypothesisReader(), model_options="seed=3").audit(make_animal_corpus())


def test_the_audit_is_left_out_without_a_model() -> None:
    assert "corruption" in AUDITS.list_names()
    assert "corruption" not in build_audits([], {})
    assert "corruption" in build_audits([], {"model": "default"})


def test_a_model_object_is_named_in_the_folder(tmp_path: Path) -> None:
    corpus = make_animal_corpus()
    pairs = rr.ChallengeSet(corpus.pairs, corpus.card)
    rr.audit(pairs, audits="corruption", model=HypothesisReader(), out=tmp_path / "out")
    card = json.loads((tmp_path / "out" / "audit.json").read_text(encoding="utf-8"))
    assert card["audits"]["corruption"]["model"] == "hypothesis reader"
    assert "--model 'hypothesis reader'" in card["command"]
