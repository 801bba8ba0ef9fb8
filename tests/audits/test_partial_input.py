"""Classifiers on a part of the pair: what they find, and that no fold shares a premise or a group with another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from corpora_by_hand import make_corpus

import rightreasons as rr
from rightreasons.audits.audit_corpus import AuditCorpus
from rightreasons.audits.cross_validation import assign_folds, predict_out_of_fold
from rightreasons.audits.partial_input import PartialInputAudit
from rightreasons.audits.word_features import MOST_FEATURES, encode_overlap_and_length, encode_words
from rightreasons.core.pairs import Card, ChallengeSet
from rightreasons.corpora.corpus import read_damaged_corpus
from rightreasons.language.word_codes import number_pair_words

if TYPE_CHECKING:
    from pathlib import Path

    from corpora_by_hand import Row

LABELS = ("entailment", "neutral")
CUES = {"entailment": "someone", "neutral": "nobody"}


def make_cued_rows(count: int, share: float = 0.9, side: str = "hypothesis") -> list[Row]:
    """Make pairs whose label a word gives away in a share of them; all else is random."""
    chance = np.random.default_rng(0)
    rows: list[Row] = []
    for number in range(count):
        label = LABELS[chance.integers(2)]
        cue = CUES[label if chance.random() < share else LABELS[label == LABELS[0]]]
        premise, hypothesis = (" ".join(chance.choice(list("abcdefgh"), 4)) for _ in range(2))
        cued = {"premise": premise, "hypothesis": hypothesis}
        cued[side] += f" {cue}"
        rows.append((f"{cued['premise']} {number}x", cued["hypothesis"], label))
    return rows


def shuffle_labels(corpus: AuditCorpus, seed: int) -> AuditCorpus:
    pairs = corpus.pairs.with_columns(pl.col("label").shuffle(seed=seed))
    return AuditCorpus.from_challenge_set(ChallengeSet(pairs, Card("shuffled")))


def read_pool_part(shared_data: Path, start: str) -> AuditCorpus:
    pool = pl.read_csv(shared_data / "train_pool.tsv", separator="\t", quote_char=None)
    part = pool.filter(pl.col("source").str.starts_with(start), pl.col("source") != "snli_cartography")
    with_ids = part.with_columns(id=pl.format("ex{}", pl.int_range(pl.len())))
    return AuditCorpus.from_challenge_set(ChallengeSet(with_ids, Card(start)))


@pytest.mark.parametrize("side", ["hypothesis", "premise"])
def test_a_cue_is_found_in_the_part_that_has_it(side: str) -> None:
    corpus = make_corpus(make_cued_rows(600, side=side))
    result = PartialInputAudit().audit(corpus)
    figure, other = (result.get_figure(name) for name in (side, "overlap"))
    assert figure.low is not None
    assert 0.85 < figure.low < figure.value < 0.95
    baseline = corpus.label_counts.max() / 600
    assert (figure.n, figure.baseline, other.value) == (600, baseline, baseline)
    row = result.exhibits[0].frame.filter(input=f"{side} alone").row(0, named=True)
    assert row["gain"] == pytest.approx(figure.value - baseline)
    assert 0.3 < row["gain_low"] < row["gain"] < row["gain_high"] < 0.5
    by_label = np.array([row["entailment"], row["neutral"]])
    assert by_label @ corpus.label_counts / 600 == pytest.approx(figure.value)


def test_overlap_is_found_without_words() -> None:
    chance = np.random.default_rng(0)
    rows = []
    for number in range(600):
        premise = chance.permutation(list("abcdefghijklmnop"))
        label = LABELS[number % 2]
        hypothesis = chance.permutation(premise[:4] if label == LABELS[0] else premise[8:12])
        rows.append((" ".join([*premise[:8], f"{number}x"]), " ".join(hypothesis), label))
    result = PartialInputAudit().audit(make_corpus(rows))
    assert result.get_figure("overlap").value == 1
    assert result.get_figure("hypothesis").value == 0.5


def test_shuffled_labels_give_the_majority_baseline() -> None:
    corpus = make_corpus(make_cued_rows(400))
    for seed in range(5):
        for figure in PartialInputAudit().audit(shuffle_labels(corpus, seed)).figures:
            assert figure.low is not None
            assert figure.high is not None
            assert figure.baseline is not None
            assert figure.low <= figure.baseline <= figure.high


def test_premises_are_not_recognised() -> None:
    # Words that occur with a single premise would give the label away if its pairs were in two folds.
    rows = [
        (f"w{number} v{number}", f"u{number} {letter}", LABELS[number % 2])
        for number in range(40)
        for letter in "abcde"
    ]
    result = PartialInputAudit().audit(make_corpus(rows))
    assert [figure.value for figure in result.figures] == [0.5, 0.5, 0.5]


def test_a_group_is_in_one_fold() -> None:
    rows = [(f"p{number}", "h", LABELS[number % 2]) for number in range(100)]
    groups = [f"g{number // 4}" if number < 90 else None for number in range(100)]
    folds = assign_folds(make_corpus(rows, group=groups), 5, 0)
    assert (folds.count, folds.joined, folds.crossed) == (5, ("premise", "group"), ())
    of_groups = (
        pl.DataFrame({"group": groups, "fold": folds.numbers}).drop_nulls().group_by("group").n_unique()
    )
    assert of_groups["fold"].to_list() == [1] * 23
    assert np.bincount(folds.numbers).tolist() != [20] * 5


def test_a_group_that_joins_everything_is_reported() -> None:
    rows = [(f"p{number}", "h", LABELS[number % 2]) for number in range(100)]
    corpus = make_corpus(rows, group=["x"] * 90 + ["y"] * 10)
    assert assign_folds(corpus, 5, 0).crossed == ("group",)
    assert "group" in PartialInputAudit().audit(corpus).remarks[0]


def test_folds_depend_on_premises_and_seed_alone() -> None:
    corpus = make_corpus(make_cued_rows(300))
    order = np.random.default_rng(1).permutation(300)
    moved = AuditCorpus("moved", corpus.pairs[order], corpus.card)
    there, here = (assign_folds(each, 5, 0).numbers for each in (corpus, moved))
    assert (there[order] == here).all()
    assert (there != assign_folds(corpus, 5, 1).numbers).any()
    assert np.bincount(here).tolist() == [60] * 5
    figures = [PartialInputAudit().audit(each).figures for each in (corpus, moved)]
    assert figures[0] == figures[1]


def test_spelling_variants_of_a_premise_are_in_one_fold() -> None:
    variants = ["A dog ran.", "a dog ran", "A dog ran !"]
    rows = [
        (text.replace("dog", f"dog{number}"), "h", LABELS[0]) for number in range(50) for text in variants
    ]
    numbers = assign_folds(make_corpus(rows), 5, 0).numbers.reshape(50, 3)
    assert (numbers == numbers[:, :1]).all()


def test_fewer_premises_than_folds_are_reported() -> None:
    rows = [(f"p{number % 3}", "h", LABELS[number % 2]) for number in range(30)]
    result = PartialInputAudit().audit(make_corpus(rows))
    assert "3" in result.remarks[0]
    assert result.get_figure("hypothesis").n == 30


def test_pairs_of_one_premise_have_no_figure() -> None:
    result = PartialInputAudit().audit(make_corpus([("p", "a", LABELS[0]), ("P.", "b", LABELS[1])]))
    assert (result.figures, result.exhibits, len(result.remarks)) == ((), (), 1)


def test_texts_without_words_and_pairs_without_labels() -> None:
    rows: list[Row] = [(f"{'?' * number}", "...", LABELS[number % 2]) for number in range(1, 31)]
    result = PartialInputAudit().audit(make_corpus([*rows, ("a b", "c", None)], genre=[None] * 31))
    assert [(figure.value, figure.n) for figure in result.figures] == [(0.5, 30)] * 3


def test_few_pairs_have_a_wide_interval() -> None:
    figure = PartialInputAudit().audit(make_corpus(make_cued_rows(20))).get_figure("hypothesis")
    assert figure.low is not None
    assert figure.high is not None
    assert figure.high - figure.low > 0.3


def test_accuracy_by_genre() -> None:
    rows = [*make_cued_rows(400, 1.0), *make_cued_rows(200, 0.5)]
    genres = ["cued"] * 400 + ["plain"] * 100 + [None] * 100
    result = PartialInputAudit().audit(make_corpus(rows, genre=genres))
    frame = next(each.frame for each in result.exhibits if each.key == "partial-input-genre")
    assert frame.select("genre", "n").rows() == [
        ("cued", 400),
        ("plain", 100),
        ("unknown", 100),
        ("all", 600),
    ]
    cued, plain, _, whole = frame["hypothesis alone"]
    assert whole == result.get_figure("hypothesis").value
    assert plain < 0.7
    assert cued > 0.98


def test_examples_and_hard_pairs_are_the_right_and_the_wrong_ones() -> None:
    corpus = make_corpus(make_cued_rows(300))
    result = PartialInputAudit(hard=True, examples=3).audit(corpus)
    examples, hard = result.exhibits[-1].frame, result.pairs["hard"]
    assert examples["label"].to_list() == ["entailment"] * 3 + ["neutral"] * 3
    assert all(CUES[label] in text for label, text in examples.select("label", "hypothesis").rows())
    assert hard.height == 300 - round(result.get_figure("hypothesis").value * 300)
    assert not set(hard["id"]) & set(examples["id"])
    assert PartialInputAudit().audit(corpus).pairs == {}


@pytest.mark.parametrize("options", [{"folds": 1}, {"examples": -1}])
def test_impossible_options_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(rr.InputError, match=next(iter(options))):
        PartialInputAudit(**options)


def test_repeated_hypotheses_are_noted() -> None:
    rows = [(f"p{number}", f"h{min(90, number)}", LABELS[number % 2]) for number in range(100)]
    remarks = PartialInputAudit().audit(make_corpus(rows)).remarks
    assert remarks[0].startswith("10 pairs (10.0%)")


def test_words_and_bigrams_are_marked_once() -> None:
    texts = pl.Series(["a b a b", "b a", "", "c"])
    words = number_pair_words(texts, texts)
    unigrams = encode_words(words.hypothesis, len(words.vocabulary), bigrams=False).toarray()
    assert unigrams.tolist() == [[1, 1], [1, 1], [0, 0], [0, 0]]  # c occurs once
    table = encode_words(words.hypothesis, len(words.vocabulary), bigrams=True).toarray()
    # a, b and the bigrams that occur twice: a b, b a; each beginning and end occurs once.
    assert table.tolist() == [[1, 1, 1, 1], [1, 1, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]]
    edges = number_pair_words(pl.Series(["a b", "a c", "b c"]), pl.Series(["", "", ""])).premise
    # a, b, c, c at the end, a at the beginning
    assert encode_words(edges, 3, bigrams=True).toarray().tolist() == [
        [1, 1, 0, 0, 1],
        [1, 0, 1, 1, 1],
        [0, 1, 1, 1, 0],
    ]


def test_the_most_frequent_words_are_kept() -> None:
    often = [f"w{number}" for number in range(MOST_FEATURES)]
    seldom = [f"v{number}" for number in range(10)]
    texts = pl.Series([" ".join(often)] * 3 + [" ".join(seldom)] * 2)
    words = number_pair_words(texts, texts)
    table = encode_words(words.premise, len(words.vocabulary), bigrams=False)
    assert table.shape == (5, MOST_FEATURES)
    assert table.sum(axis=1).ravel().tolist() == [[MOST_FEATURES] * 3 + [0] * 2]


def test_overlap_and_length_say_nothing_of_which_words_they_are() -> None:
    one = number_pair_words(pl.Series(["a b c", "a b"] * 5), pl.Series(["a b", "c d e"] * 5))
    other = number_pair_words(pl.Series(["x y z", "u v"] * 5), pl.Series(["x y", "w r s"] * 5))
    tables = [encode_overlap_and_length(each).toarray() for each in (one, other)]
    assert (tables[0] == tables[1]).all()
    assert (tables[0][0] != tables[0][1]).any()


def test_a_classifier_that_has_learnt_nothing_predicts_the_shares_of_the_labels() -> None:
    corpus = make_corpus([(f"p{number}", "h", LABELS[number % 3 == 0]) for number in range(300)])
    noise = np.random.default_rng(0).normal(size=(300, 20))
    predicted = predict_out_of_fold(noise, corpus.label_codes, 2, assign_folds(corpus, 5, 0))
    assert np.exp(predicted) == pytest.approx(np.tile([2 / 3, 1 / 3], (300, 1)))


@pytest.mark.slow
@pytest.mark.parametrize(("start", "accuracy"), [("snli_", 0.62), ("mnli_", 0.51)])
def test_accuracy_on_snli_and_multinli(shared_data: Path, start: str, accuracy: float) -> None:
    result = PartialInputAudit().audit(read_pool_part(shared_data, start))
    hypothesis, premise = (result.get_figure(name) for name in ("hypothesis", "premise"))
    assert hypothesis.value == pytest.approx(accuracy, abs=0.012)
    assert premise.value == pytest.approx(premise.baseline, abs=0.005)


def test_hans_gives_labels_away_by_the_hypothesis(hans_data: Path) -> None:
    pairs = read_damaged_corpus(str(hans_data / "heuristics_evaluation_set.txt"))
    figure = PartialInputAudit().audit(AuditCorpus.from_challenge_set(pairs)).get_figure("hypothesis")
    assert figure.value == pytest.approx(0.594, abs=0.01)
    assert figure.baseline == 0.5
